"""Compiled loops of the exact solver: hinge envelopes row by row, block descent on a quadratic."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["block_descent", "hinge_envelope"]


@njit(cache=True)
def hinge_envelope(scores, y, softness, nearest, inside, size):  # pragma: no cover
    """Proximal point of the Crammer-Singer hinge in every row, and where it bends.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
    y : ndarray of int, shape (n_samples,)
    softness : float
        Factor c on the hinge in ``c * hinge(r) + |r - scores|^2 / 2``.
    nearest : ndarray of shape (n_samples, n_classes)
        Filled with the minimiser r: wrong classes are capped at one level, the true one is lifted.
    inside : ndarray of shape (n_samples, n_classes)
        Filled with 1 for the classes whose scores are tied to each other there, else 0.
    size : ndarray of shape (n_samples,)
        Filled with the number of tied classes.
    """
    n_samples, n_classes = scores.shape
    sorted_wrong = np.empty(n_classes - 1)
    for i in range(n_samples):
        true = y[i]
        own = scores[i, true]
        n_wrong = 0
        for n in range(n_classes):
            value = scores[i, n]
            nearest[i, n] = value
            inside[i, n] = 0.0
            if n != true:
                place = n_wrong
                while place > 0 and sorted_wrong[place - 1] < value:
                    sorted_wrong[place] = sorted_wrong[place - 1]
                    place -= 1
                sorted_wrong[place] = value
                n_wrong += 1
        size[i] = 0.0
        if 1.0 - own + sorted_wrong[0] <= 0.0:
            continue
        total, level = own - 1.0, 0.0
        for k in range(n_wrong):
            candidate = (total + sorted_wrong[k]) / (k + 2)
            if sorted_wrong[k] <= candidate:
                break
            total += sorted_wrong[k]
            level = candidate
        lift = 1.0 + level - own
        tied = lift <= softness
        if not tied:
            lift, total = softness, -softness
            for k in range(n_wrong):
                candidate = (total + sorted_wrong[k]) / (k + 1)
                if sorted_wrong[k] <= candidate:
                    break
                total += sorted_wrong[k]
                level = candidate
        for n in range(n_classes):
            if n != true and scores[i, n] > level:
                nearest[i, n] = level
                inside[i, n] = 1.0
                size[i] += 1.0
        nearest[i, true] = own + lift
        if tied:
            inside[i, true] = 1.0
            size[i] += 1.0


@njit(cache=True)
def block_descent(
    curvature, linear, starts, price, slope, weights, product, n_sweeps, tol
):  # pragma: no cover
    """Sweeps of block coordinate descent on a quadratic with a norm on every block.

    Lowers ``w' H w / 2 + linear' w + sum_g price[g] |w_g|``, each block by the step that its
    largest curvature allows.

    Parameters
    ----------
    curvature : ndarray of shape (n_weights, n_weights)
        H, symmetric.
    linear : ndarray of shape (n_weights,)
    starts : ndarray of int, shape (n_blocks + 1,)
        Where the blocks begin, and where the last one ends.
    price : ndarray of shape (n_blocks,)
    slope : ndarray of shape (n_blocks,)
        Largest curvature within each block; positive.
    weights, product : ndarray of shape (n_weights,)
        w and H w; both are changed.
    n_sweeps : int
    tol : float
        Stop when no gradient step of a sweep was larger.

    Returns
    -------
    int
        Sweeps made.
    """
    n_weights = len(weights)
    moved = np.empty(n_weights)
    for sweep in range(n_sweeps):
        largest = 0.0
        for g in range(len(price)):
            begin, end = starts[g], starts[g + 1]
            length = 0.0
            for j in range(begin, end):
                moved[j] = weights[j] - (product[j] + linear[j]) / slope[g]
                length += moved[j] * moved[j]
            length = np.sqrt(length)
            reach = price[g] / slope[g]
            factor = 1.0 - reach / length if length > reach else 0.0
            for j in range(begin, end):
                change = factor * moved[j] - weights[j]
                if change != 0.0:
                    weights[j] += change
                    largest = max(largest, abs(change) * slope[g])
                    for k in range(n_weights):
                        product[k] += change * curvature[j, k]
        if largest <= tol:
            return sweep + 1
    return n_sweeps
