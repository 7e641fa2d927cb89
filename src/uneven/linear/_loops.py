"""Compiled inner loops of the linear learners: passes over the rows, mistake by mistake.

Each of them has a slow NumPy twin in the tests. Weights of several classes are kept as
``(n_features, n_classes)``, so that both the scores and the update of a row, dense or sparse, run
along memory.
"""

from __future__ import annotations

import numpy as np
from numba import njit

MAX, UNIFORM, PROPORTIONAL, RANDOM, FIRST, MIRA = range(6)
"""The steps that `fill_step` knows."""

SMALLEST_STEP = 1e-12
"""A MIRA step below it only moves rounding errors."""


@njit(cache=True, nogil=True, error_model="numpy")
def find_errors(scores, truth, errors):
    """Write the classes that score at least as much as the true one; return how many.

    Parameters
    ----------
    scores : (K,)
    truth : int
    errors : (K,) output
    """
    count = 0
    for r in range(scores.shape[0]):
        if r != truth and scores[r] >= scores[truth]:
            errors[count] = r
            count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def fill_step(code, scores, truth, errors, squared_norm, chance, tau):
    """Write the step of one mistake.

    Parameters
    ----------
    code : int
        One of the constants above.
    scores : (K,)
    truth : int
    errors : (m,) int, at least one class
    squared_norm : float, of the example; only the MIRA step reads it
    chance : float in [0, 1); only the random step reads it
    tau : (K,) output
    """
    tau[:] = 0.0
    if code == MIRA and _mira(scores, truth, errors, squared_norm, tau):
        return
    tau[truth] = 1.0
    chosen = errors[0]
    if code == RANDOM:
        chosen = errors[int(chance * errors.shape[0])]
    elif code == MAX:
        for r in errors:
            if scores[r] > scores[chosen]:
                chosen = r
    elif code != FIRST:
        excess = 0.0
        if code == PROPORTIONAL:
            for r in errors:
                excess += scores[r] - scores[truth]
        for r in errors:
            if excess > 0.0:
                tau[r] = -(scores[r] - scores[truth]) / excess
            else:
                tau[r] = -1.0 / errors.shape[0]
        return
    tau[chosen] = -1.0


@njit(cache=True, nogil=True, error_model="numpy")
def _mira(scores, truth, errors, squared_norm, tau):
    """Write the step that leaves the smallest weights; False if it moves nothing.

    Taken away from the step ``[r = truth]``, it is a projection on the simplex of
    ``excess[r] + [r = truth]``, where the excess is the lead over the true class divided by the
    squared length. Classes behind the true one are projected to zero and need not be looked at.
    """
    points = np.empty(errors.shape[0] + 1)
    points[0] = 1.0
    for k in range(errors.shape[0]):
        points[k + 1] = (scores[errors[k]] - scores[truth]) / squared_norm
    falling = np.sort(points)[::-1]
    total = 0.0
    level = 0.0
    for k in range(falling.shape[0]):
        total += falling[k]
        if falling[k] > (total - 1.0) / (k + 1):
            level = (total - 1.0) / (k + 1)
    if not level > SMALLEST_STEP:
        return False
    for k in range(errors.shape[0]):
        tau[errors[k]] = -max(points[k + 1] - level, 0.0)
    tau[truth] = min(level, 1.0)
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def dense_pass(X, y, order, squared_norms, code, rng, weights, drift, clock, mistakes):
    """Show dense rows once and learn from the mistakes; return how many there were.

    Parameters
    ----------
    X : (n, D)
    y : (n,) int
    order : (m,) int, rows in the order of showing
    squared_norms : (n,), rows of length zero are passed over
    code : int, the step
    rng : Generator
    weights : (D, K), changed
    drift : (D, K), changed: every update times the clock; no rows at all keeps none
    clock : float, rows shown before
    mistakes : (m,) int output
    """
    scores, tau = np.empty(weights.shape[1]), np.empty(weights.shape[1])
    errors = np.empty(weights.shape[1], dtype=np.int64)
    count = 0
    for i in order:
        clock += 1.0
        if squared_norms[i] == 0.0:
            continue
        scores[:] = 0.0
        for d in range(X.shape[1]):
            for r in range(scores.shape[0]):
                scores[r] += X[i, d] * weights[d, r]
        m = find_errors(scores, y[i], errors)
        if m == 0:
            continue
        chance = rng.random() if code == RANDOM else 0.0
        fill_step(code, scores, y[i], errors[:m], squared_norms[i], chance, tau)
        for d in range(X.shape[1]):
            for r in range(tau.shape[0]):
                weights[d, r] += tau[r] * X[i, d]
        if drift.shape[0]:
            for d in range(X.shape[1]):
                for r in range(tau.shape[0]):
                    drift[d, r] += clock * (tau[r] * X[i, d])
        mistakes[count] = i
        count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def sparse_pass(table, y, order, squared_norms, code, rng, weights, drift, clock, mistakes):
    """The same as `dense_pass` for the ``data, indices, indptr`` of a CSR table."""
    data, indices, indptr = table
    scores, tau = np.empty(weights.shape[1]), np.empty(weights.shape[1])
    errors = np.empty(weights.shape[1], dtype=np.int64)
    count = 0
    for i in order:
        clock += 1.0
        if squared_norms[i] == 0.0:
            continue
        scores[:] = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            for r in range(scores.shape[0]):
                scores[r] += data[k] * weights[indices[k], r]
        m = find_errors(scores, y[i], errors)
        if m == 0:
            continue
        chance = rng.random() if code == RANDOM else 0.0
        fill_step(code, scores, y[i], errors[:m], squared_norms[i], chance, tau)
        for k in range(indptr[i], indptr[i + 1]):
            for r in range(tau.shape[0]):
                weights[indices[k], r] += tau[r] * data[k]
        if drift.shape[0]:
            for k in range(indptr[i], indptr[i + 1]):
                for r in range(tau.shape[0]):
                    drift[indices[k], r] += clock * (tau[r] * data[k])
        mistakes[count] = i
        count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def gram_pass(gram, y, code, rng, scores, coefficients, mistakes):
    """Show the rows of a Gram matrix once and learn from the mistakes; return how many.

    Parameters
    ----------
    gram : (n, n)
    y : (n,) int
    code : int, the step
    rng : Generator
    scores : (n, K), scores of all rows, changed
    coefficients : (n, K), changed
    mistakes : (n,) int output
    """
    tau = np.empty(scores.shape[1])
    errors = np.empty(scores.shape[1], dtype=np.int64)
    count = 0
    for i in range(gram.shape[0]):
        m = find_errors(scores[i], y[i], errors)
        if m == 0 or gram[i, i] == 0.0:
            continue
        chance = rng.random() if code == RANDOM else 0.0
        fill_step(code, scores[i], y[i], errors[:m], gram[i, i], chance, tau)
        for r in range(tau.shape[0]):
            coefficients[i, r] += tau[r]
        for j in range(gram.shape[0]):
            for r in range(tau.shape[0]):
                scores[j, r] += tau[r] * gram[i, j]
        mistakes[count] = i
        count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def dense_perceptron_pass(Z, order, weights, mistakes):
    """Show dense rows in normal form once; add those with no positive product, up to a limit.

    Parameters
    ----------
    Z : (n, D)
    order : (m,) int, rows in the order of showing
    weights : (D,), changed
    mistakes : (limit,) int output

    Returns
    -------
    int
        Mistakes; as many as the limit if the pass was cut short.
    """
    count = 0
    for i in order:
        if count == mistakes.shape[0]:
            break
        product = 0.0
        for d in range(Z.shape[1]):
            product += Z[i, d] * weights[d]
        if product <= 0.0:
            for d in range(Z.shape[1]):
                weights[d] += Z[i, d]
            mistakes[count] = i
            count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def sparse_perceptron_pass(table, order, weights, mistakes):
    """The same as `dense_perceptron_pass` for the ``data, indices, indptr`` of a CSR table."""
    data, indices, indptr = table
    count = 0
    for i in order:
        if count == mistakes.shape[0]:
            break
        product = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            product += data[k] * weights[indices[k]]
        if product <= 0.0:
            for k in range(indptr[i], indptr[i + 1]):
                weights[indices[k]] += data[k]
            mistakes[count] = i
            count += 1
    return count
