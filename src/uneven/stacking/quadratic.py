"""Quadratic functions with a norm on every block of weights: the inner problem of Newton steps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from uneven.stacking.kernels import block_descent

__all__ = ["minimise_quadratic", "solve_positive"]

_SWEEPS, _NEWTON_STEPS, _PROGRESS = 5, 60, 0.5
_STEP_LENGTHS = (1.0, 0.5, 0.25, 0.1, 0.03)


def minimise_quadratic(
    curvature: np.ndarray,
    linear: np.ndarray,
    starts: np.ndarray,
    price: np.ndarray,
    weights: np.ndarray,
    tol: float,
) -> np.ndarray:
    """Minimiser of ``w' H w / 2 + linear' w + sum_g price[g] |w_g|``.

    Sweeps of block descent find the blocks that are zero; Newton steps on the others, where the
    norms are smooth, do the rest.

    Parameters
    ----------
    curvature : ndarray of shape (n_weights, n_weights)
        H, positive definite.
    linear : ndarray of shape (n_weights,)
    starts : ndarray of int, shape (n_blocks + 1,)
        Where the blocks begin, and where the last one ends.
    price : ndarray of shape (n_blocks,)
        Zero for blocks that are free.
    weights : ndarray of shape (n_weights,)
        Where to begin.
    tol : float
        Largest entry of the gradient that is left.

    Returns
    -------
    ndarray of shape (n_weights,)

    Examples
    --------
    >>> import numpy as np
    >>> starts, price = np.array([0, 2, 3]), np.array([1.0, 1.0])
    >>> linear = np.array([-3.0, -4.0, 0.5])
    >>> minimise_quadratic(np.eye(3), linear, starts, price, np.zeros(3), 1e-12)
    array([2.4, 3.2, 0. ])
    """
    weights, product = weights.copy(), curvature @ weights
    slope, first = _block_slopes(curvature, starts), None
    for _ in range(_NEWTON_STEPS):
        block_descent(curvature, linear, starts, price, slope, weights, product, _SWEEPS, 0.1 * tol)
        lengths = _lengths(weights, starts)
        gradient = product + linear
        support = np.repeat((lengths > 0.0) | (price == 0.0), np.diff(starts))
        toll = np.repeat(price / np.where(lengths > 0.0, lengths, 1.0), np.diff(starts))
        residual = np.where(support, gradient + toll * weights, 0.0)
        beyond = np.where(lengths > 0.0, 0.0, _lengths(gradient, starts) - price)
        wrong = max(np.abs(residual).max(initial=0.0), beyond.max(initial=0.0))
        first = wrong if first is None else first
        if wrong <= max(tol, _PROGRESS * first):
            break
        kept = np.flatnonzero(support)
        if not len(kept):
            continue
        step = np.zeros_like(weights)
        step[kept] = -solve_positive(
            _curvature_on_support(curvature, weights, starts, price, lengths, kept),
            residual[kept],
        )
        weights, product = _shorten(curvature, linear, starts, price, weights, product, step)
    return weights


def solve_positive(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solution of a positive definite system, with ridges of growing size if rounding spoils it."""
    ridge = 1e-13 * float(np.trace(matrix)) / len(matrix)
    while True:
        try:
            factor = cho_factor(matrix, lower=True, check_finite=False)
        except LinAlgError:
            matrix = matrix + ridge * np.eye(len(matrix))
            ridge *= 100.0
            continue
        return np.asarray(cho_solve(factor, right, check_finite=False))


def _lengths(vector: np.ndarray, starts: np.ndarray) -> np.ndarray:
    return np.asarray(np.sqrt(np.add.reduceat(vector * vector, starts[:-1])))


def _block_slopes(curvature: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Bound on the largest eigenvalue of every block on the diagonal."""
    slopes = np.empty(len(starts) - 1)
    for g, (begin, end) in enumerate(pairwise(starts)):
        block = curvature[begin:end, begin:end]
        slopes[g] = block[0, 0] if end == begin + 1 else np.abs(block).sum(axis=0).max()
    return np.maximum(slopes, 1e-300)


def _curvature_on_support(
    curvature: np.ndarray,
    weights: np.ndarray,
    starts: np.ndarray,
    price: np.ndarray,
    lengths: np.ndarray,
    kept: np.ndarray,
) -> np.ndarray:
    """H plus the second derivative of the norms, where these are smooth."""
    everything = len(kept) == len(curvature)
    whole = curvature.copy() if everything else curvature[np.ix_(kept, kept)]
    place = 0
    for g, (begin, end) in enumerate(pairwise(starts)):
        if lengths[g] == 0.0 and price[g] > 0.0:
            continue
        size = end - begin
        if price[g] > 0.0 and size > 1:
            unit = weights[begin:end] / lengths[g]
            bend = price[g] / lengths[g] * (np.eye(size) - np.outer(unit, unit))
            whole[place : place + size, place : place + size] += bend
        place += size
    return np.asarray(whole)


def _shorten(
    curvature: np.ndarray,
    linear: np.ndarray,
    starts: np.ndarray,
    price: np.ndarray,
    weights: np.ndarray,
    product: np.ndarray,
    step: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The longest part of a step that lowers the function; none if no part does."""

    def value(at: np.ndarray, product: np.ndarray) -> float:
        return float(0.5 * at @ product + linear @ at + price @ _lengths(at, starts))

    change = curvature @ step
    now = value(weights, product)
    for length in _STEP_LENGTHS:
        at, product_at = weights + length * step, product + length * change
        if value(at, product_at) < now:
            return at, product_at
    return weights, product
