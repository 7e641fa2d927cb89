"""Compiled loops: scores class by class, hinge envelopes row by row, descent on quadratics."""

from __future__ import annotations

import numpy as np
from numba import njit

_ROWS_AT_ONCE = 64


@njit(cache=True)
def scores_by_class(scores, rows, by_class):  # pragma: no cover
    """Copy scores of some rows so that those of one classifier for one class lie side by side.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_members, n_classes)
    rows : ndarray of int, shape (n_rows,)
        Rows to copy, in their new order.
    by_class : ndarray of shape (n_classes, n_members, n_rows)
        Filled with the scores.
    """
    n_classes, n_members, n_rows = by_class.shape
    for begin in range(0, n_rows, _ROWS_AT_ONCE):
        end = min(begin + _ROWS_AT_ONCE, n_rows)
        for m in range(n_members):
            for n in range(n_classes):
                for k in range(begin, end):
                    by_class[n, m, k] = scores[rows[k], m, n]


@njit(cache=True)
def nearest_scores(scores, y, softness, nearest, inside):  # pragma: no cover
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
        if 1.0 - own + sorted_wrong[0] <= 0.0:
            continue
        level = _common_level(sorted_wrong, own - 1.0, 2)
        lift = 1.0 + level - own
        tied = lift <= softness
        if not tied:
            lift = softness
            level = _common_level(sorted_wrong, -softness, 1)
        for n in range(n_classes):
            if n != true and scores[i, n] > level:
                nearest[i, n] = level
                inside[i, n] = 1.0
        nearest[i, true] = own + lift
        if tied:
            inside[i, true] = 1.0


@njit(cache=True)
def _common_level(sorted_wrong, total, others):  # pragma: no cover
    """Level at which the largest wrong scores meet: their mean with what else is averaged."""
    level = 0.0
    for k in range(len(sorted_wrong)):
        candidate = (total + sorted_wrong[k]) / (k + others)
        if sorted_wrong[k] <= candidate:
            break
        total += sorted_wrong[k]
        level = candidate
    return level


@njit(cache=True)
def hinge_envelope(scores, y, softness, share, slope, diagonal, spoke):  # pragma: no cover
    """Moreau envelope of the hinge: its value, gradient and second derivative.

    Parameters
    ----------
    scores, y, softness
        As in :func:`nearest_scores`.
    share : ndarray of shape (n_samples,)
    slope, diagonal, spoke : ndarray of shape (n_samples, n_classes)
        Filled with the gradient, and with d and r of the second derivative ``diag(d) - r r'``.

    Returns
    -------
    float
        The envelope.
    """
    n_samples, n_classes = scores.shape
    nearest_scores(scores, y, softness, slope, diagonal)
    total = 0.0
    for i in range(n_samples):
        best, distance, size = -np.inf, 0.0, 0.0
        for n in range(n_classes):
            if n != y[i] and slope[i, n] > best:
                best = slope[i, n]
            size += diagonal[i, n]
        hinge = max(0.0, 1.0 - slope[i, y[i]] + best)
        weight = share[i] / softness
        reach = np.sqrt(weight / size) if size > 0.0 else 0.0
        for n in range(n_classes):
            away = scores[i, n] - slope[i, n]
            distance += away * away
            slope[i, n] = weight * away
            spoke[i, n] = diagonal[i, n] * reach
            diagonal[i, n] *= weight
        total += share[i] * hinge + 0.5 * weight * distance
    return total


@njit(cache=True)
def block_descent(
    curvature, linear, starts, price, slope, least, weights, product, n_sweeps, tol
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
    least : ndarray of shape (n_weights,)
        Smallest values that are allowed: 0, or minus infinity.
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
                moved[j] = max(least[j], weights[j] - (product[j] + linear[j]) / slope[g])
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


@njit(cache=True)
def member_descent(
    gram, linear, price, ridge, grouped, least, weights, product, n_sweeps, tol
):  # pragma: no cover
    """Sweeps over the members on quadratics that only meet in the norms of the members' weights.

    Lowers ``sum_b (w_b' G_b w_b + ridge |w_b|^2) / 2 + linear_b' w_b + sum_m price[m] |w_:m|``,
    exactly in all weights of a member at a time.

    Parameters
    ----------
    gram : ndarray of shape (n_blocks, n_members, n_members)
        G, symmetric.
    linear : ndarray of shape (n_blocks, n_members)
    price : ndarray of shape (n_members,)
    ridge : float
    grouped : bool
        Whether the norm of a member is the length of its weights, or the sum of their sizes.
    least : float
        Smallest weight that is allowed: 0, or minus infinity.
    weights, product : ndarray of shape (n_blocks, n_members)
        w and G w; both are changed.
    n_sweeps : int
    tol : float
        Stop when no weight of a sweep moved its gradient by more.

    Returns
    -------
    int
        Sweeps made.
    """
    n_blocks, n_members = weights.shape
    bend, aim = np.empty(n_blocks), np.empty(n_blocks)
    for sweep in range(n_sweeps):
        largest = 0.0
        for m in range(n_members):
            for b in range(n_blocks):
                own = gram[b, m, m]
                bend[b] = own + ridge
                aim[b] = own * weights[b, m] - product[b, m] - linear[b, m]
                if least == 0.0 and aim[b] < 0.0:
                    aim[b] = 0.0
            if grouped:
                toll = _toll(bend, aim, price[m])
            for b in range(n_blocks):
                new = 0.0
                if grouped:
                    if toll >= 0.0 and bend[b] + toll > 0.0:
                        new = aim[b] / (bend[b] + toll)
                elif abs(aim[b]) > price[m] and bend[b] > 0.0:
                    new = (aim[b] - np.sign(aim[b]) * price[m]) / bend[b]
                change = new - weights[b, m]
                if change != 0.0:
                    weights[b, m] = new
                    largest = max(largest, abs(change) * bend[b])
                    for k in range(n_members):
                        product[b, k] += change * gram[b, m, k]
        if largest <= tol:
            return sweep + 1
    return n_sweeps


@njit(cache=True)
def _toll(bend, aim, price):  # pragma: no cover
    """Price over the length of the best weights ``aim / (bend + toll)``; -1 if these are zero.

    The length t solves ``sum (aim / (bend t + price))^2 = 1``; Newton's steps on one over the root
    of the left side, which is nearly linear in t, find it from below.
    """
    size = 0.0
    for b in range(len(aim)):
        size += aim[b] * aim[b]
    if size <= price * price:
        return -1.0
    if price == 0.0:
        return 0.0
    length = 0.0
    for _ in range(60):
        square, slope = 0.0, 0.0
        for b in range(len(aim)):
            rest = bend[b] * length + price
            part = (aim[b] / rest) ** 2
            square += part
            slope += part * bend[b] / rest
        if square <= 1.0 + 1e-14 or slope <= 0.0:
            break
        step = square * (np.sqrt(square) - 1.0) / slope
        length += step
        if step <= 1e-14 * length:
            break
    return price / length if length > 0.0 else 0.0
