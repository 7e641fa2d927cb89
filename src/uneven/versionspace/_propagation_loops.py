"""Compiled loops of expectation propagation: one pass over the cuts, site by site.

Matrices of up to a hundred rows or so are factored here too, not by LAPACK: they need not wait for
threads to wake up. `uneven.versionspace.propagation` does larger ones.

A site is the factor of one cut for its own product with w: ``exp(shift * h - precision *
h**2 / 2)``. Each loop has a slow NumPy twin in the tests.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

TAIL = -30.0
"""Below it, series replace the complementary error function."""

LARGEST_PRECISION = 1e12
"""A site is never surer than that."""


@njit(cache=True, nogil=True, error_model="numpy")
def log_ndtr(z):
    """Logarithm of the normal distribution function, in both tails."""
    if z > 0.0:
        return math.log1p(-0.5 * math.erfc(z / math.sqrt(2.0)))
    if z > TAIL:
        return math.log(0.5 * math.erfc(-z / math.sqrt(2.0)))
    return -0.5 * z * z - 0.5 * math.log(2.0 * math.pi) - math.log(-z) + math.log(_tail_share(z))


@njit(cache=True, nogil=True, error_model="numpy")
def _tail_share(z):
    """``ndtr(z) * -z / pdf(z)`` far to the left."""
    s = 1.0 / (z * z)
    return 1.0 - s * (1.0 - s * (3.0 - s * (15.0 - s * (105.0 - s * (945.0 - s * 10395.0)))))


@njit(cache=True, nogil=True, error_model="numpy")
def truncate(z, flip):
    """Moments of a normal variable of mean z, weighed by ``flip + (1 - 2 flip) [x > 0]``.

    Returns
    -------
    log_mass, lift, shrink : float
        Logarithm of the total weight; by how much the mean rises; by how much the variance falls.
    rest : float
        ``1 - shrink``, to full precision.
    """
    if flip == 0.0 and z <= TAIL:
        s = 1.0 / (z * z)
        lift = -z / _tail_share(z)
        rest = s * (1.0 - s * (6.0 - s * (50.0 - s * (518.0 - s * (6354.0 - s * 89782.0)))))
        return log_ndtr(z), lift, 1.0 - rest, rest
    density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    mass = 0.5 * math.erfc(-z / math.sqrt(2.0))
    log_mass = log_ndtr(z)
    if flip > 0.0:
        mass = flip + (1.0 - 2.0 * flip) * mass
        density *= 1.0 - 2.0 * flip
        log_mass = math.log(mass)
    lift = density / mass
    shrink = lift * (lift + z)
    return log_mass, lift, shrink, 1.0 - shrink


@njit(cache=True, nogil=True, error_model="numpy")
def match_site(mean, variance, flip, ridge):
    """The site that gives a cut's product the moments it has when the cut is obeyed.

    Its precision is negative where a cut that may be the wrong way round, and probably is, makes
    the product less certain than it was.

    Parameters
    ----------
    mean, variance : float
        Of the product under everything but this site.
    flip : float
        Probability that the label of a cut is wrong.
    ridge : float
        Variance of the cut's private noise.
    """
    spread = variance + ridge
    z = mean / math.sqrt(spread)
    log_mass, lift, shrink, rest = truncate(z, flip)
    alpha = lift / math.sqrt(spread)
    left = (ridge + variance * rest) / spread
    precision = LARGEST_PRECISION
    if shrink < LARGEST_PRECISION * left * spread:
        precision = shrink / (spread * left)
    return precision, alpha + precision * (mean + variance * alpha), log_mass


@njit(cache=True, nogil=True, error_model="numpy")
def sweep_cuts(cuts, flip, ridge, step, mean, covariance, sites):
    """Match every site once, in order."""
    size = cuts.shape[1]
    towards = np.empty(size)
    for i in range(cuts.shape[0]):
        towards[:] = 0.0
        for d in range(size):
            if cuts[i, d] != 0.0:
                for e in range(size):
                    towards[e] += cuts[i, d] * covariance[d, e]
        variance, product = 0.0, 0.0
        for d in range(size):
            variance += cuts[i, d] * towards[d]
            product += cuts[i, d] * mean[d]
        moved, gain, shrink = _move(product, variance, flip, ridge, step, sites[i])
        if not moved:
            continue
        for d in range(size):
            mean[d] += gain * towards[d]
            share = shrink * towards[d]
            if share != 0.0:
                for e in range(size):
                    covariance[d, e] -= share * towards[e]


@njit(cache=True, nogil=True, error_model="numpy")
def sweep_gram(flip, ridge, step, mean, covariance, sites):
    """The same as `sweep_cuts` in terms of the products with the cuts."""
    size = mean.shape[0]
    towards = np.empty(size)
    for i in range(size):
        moved, gain, shrink = _move(mean[i], covariance[i, i], flip, ridge, step, sites[i])
        if not moved:
            continue
        towards[:] = covariance[i]
        for d in range(size):
            mean[d] += gain * towards[d]
            share = shrink * towards[d]
            if share != 0.0:
                for e in range(size):
                    covariance[d, e] -= share * towards[e]


@njit(cache=True, nogil=True, error_model="numpy")
def _move(product, variance, flip, ridge, step, site):
    """Write a site anew; return whether it moved, and what that does to mean and covariance."""
    alone = 1.0 - site[0] * variance
    if not (variance > 0.0 and alone > 0.0):
        return False, 0.0, 0.0
    cavity = variance / alone
    precision, shift, _ = match_site((product - variance * site[1]) / alone, cavity, flip, ridge)
    rise = step * (precision - site[0])
    push = step * (shift - site[1])
    grown = 1.0 + rise * variance
    if not grown > 0.0:
        return False, 0.0, 0.0
    site[0] += rise
    site[1] += push
    return True, (push - rise * product) / grown, rise / grown


@njit(cache=True, nogil=True, error_model="numpy")
def _factor(matrix):
    """Replace the upper triangle of a positive definite matrix by its factor U, of ``U' U``."""
    half_log = 0.0
    for k in range(matrix.shape[0]):
        pivot = math.sqrt(matrix[k, k])
        half_log += math.log(pivot)
        for j in range(k, matrix.shape[0]):
            matrix[k, j] /= pivot
        for i in range(k + 1, matrix.shape[0]):
            share = matrix[k, i]
            if share != 0.0:
                for j in range(i, matrix.shape[0]):
                    matrix[i, j] -= share * matrix[k, j]
    return half_log


@njit(cache=True, nogil=True, error_model="numpy")
def _solve_rows(factor, rows, lower):
    """Replace rows by ``inv(U') rows``; if they are a lower triangle, nothing else is touched."""
    for k in range(factor.shape[0]):
        end = k + 1 if lower else rows.shape[1]
        for j in range(end):
            rows[k, j] /= factor[k, k]
        for i in range(k + 1, factor.shape[0]):
            share = factor[k, i]
            if share != 0.0:
                for j in range(end):
                    rows[i, j] -= share * rows[k, j]


@njit(cache=True, nogil=True, error_model="numpy")
def refresh_cuts(cuts, sites, mean, covariance):
    """Compute mean and covariance of w from the sites; return half the log determinant.

    Returns
    -------
    float
        Half the logarithm of the determinant of the precision.
    """
    size = cuts.shape[1]
    precision, roots, total = np.eye(size), np.eye(size), np.zeros(size)
    for i in range(cuts.shape[0]):
        for d in range(size):
            total[d] += sites[i, 1] * cuts[i, d]
            share = sites[i, 0] * cuts[i, d]
            if share != 0.0:
                for e in range(d, size):
                    precision[d, e] += share * cuts[i, e]
    half_log = _factor(precision)
    _solve_rows(precision, roots, True)
    covariance[:] = 0.0
    for k in range(size):
        for d in range(k + 1):
            share = roots[k, d]
            if share != 0.0:
                for e in range(k + 1):
                    covariance[d, e] += share * roots[k, e]
    mean[:] = 0.0
    for d in range(size):
        for e in range(size):
            mean[e] += total[d] * covariance[d, e]
    return half_log


@njit(cache=True, nogil=True, error_model="numpy")
def refresh_gram(gram, sites, mean, covariance):
    """The same as `refresh_cuts` in terms of the products with the cuts, from their Gram matrix."""
    size = gram.shape[0]
    inner, rows = np.eye(size), np.empty((size, size))
    for i in range(size):
        root = math.sqrt(sites[i, 0])
        for j in range(size):
            rows[i, j] = root * gram[i, j]
            inner[i, j] += root * math.sqrt(sites[j, 0]) * gram[i, j]
    half_log = _factor(inner)
    _solve_rows(inner, rows, False)
    covariance[:] = gram
    for k in range(size):
        for d in range(size):
            share = rows[k, d]
            if share != 0.0:
                for e in range(size):
                    covariance[d, e] -= share * rows[k, e]
    mean[:] = 0.0
    for d in range(size):
        for e in range(size):
            mean[e] += sites[d, 1] * covariance[d, e]
    return half_log


@njit(cache=True, nogil=True, error_model="numpy")
def quadratic_forms(rows, matrix):
    """``x' matrix x`` of each row x, for a symmetric matrix."""
    forms = np.zeros(rows.shape[0])
    towards = np.empty(rows.shape[1])
    for i in range(rows.shape[0]):
        towards[:] = 0.0
        for d in range(rows.shape[1]):
            if rows[i, d] != 0.0:
                for e in range(rows.shape[1]):
                    towards[e] += rows[i, d] * matrix[d, e]
        for d in range(rows.shape[1]):
            forms[i] += rows[i, d] * towards[d]
    return forms


@njit(cache=True, nogil=True, error_model="numpy")
def log_scales(products, variances, flip, ridge, sites):
    """Sum of the logarithms by which the sites have to be scaled to weigh what the cuts weigh."""
    total = 0.0
    for i in range(products.shape[0]):
        alone = 1.0 - sites[i, 0] * variances[i]
        if not (variances[i] > 0.0 and alone > 0.0):
            continue
        cavity = variances[i] / alone
        centre = (products[i] - variances[i] * sites[i, 1]) / alone
        _, _, log_mass = match_site(centre, cavity, flip, ridge)
        joint = centre / cavity + sites[i, 1]
        power = joint * joint * variances[i] - centre * centre / cavity
        total += log_mass - 0.5 * math.log(alone) - 0.5 * power
    return total
