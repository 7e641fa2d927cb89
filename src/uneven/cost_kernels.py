"""Compiled inner loops of :mod:`uneven.costs` and :mod:`uneven.class_weights`.

Each of them has a slow NumPy twin in the tests.

Costs are whole numbers of one power-of-two quantum, small enough that double precision holds
every partial sum exactly. Adding them up is then associative: the result does not depend on the
order of the rows, on the number of threads, or on whether a histogram was summed or obtained by
subtraction, and ties are real ties.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from uneven.lanes import add_lanes4

BLOCK = 8192
"""Rows per partial sum: fixed, so that threads do not change the rounding."""

_SNAP = 6755399441055744.0
"""1.5 * 2**52: adding and subtracting it rounds a double of magnitude < 2**51 to an integer."""


@njit(cache=True, nogil=True, error_model="numpy")
def max_log_cost(scores, y, log_costs):
    """Largest log pair cost over all rows and wrong labels (-inf if there is none)."""
    log_weight, log_class_cost = log_costs
    largest = -np.inf
    for i in range(scores.shape[0]):
        for k in range(scores.shape[1]):
            if k != y[i]:
                value = log_weight[i] + scores[i, k] - scores[i, y[i]] + log_class_cost[y[i], k]
                largest = max(largest, value)
    return largest


@njit(cache=True, nogil=True, error_model="numpy")
def fill_costs(scores, y, log_costs, log_shift, matrix, stakes, start, stop):
    """Compute pair costs from the scores, not yet snapped, for the row blocks given.

    The cost of label ``k`` is exp(score of k - score of y + log cost - shift).

    Parameters
    ----------
    scores : (n, K)
    y : (n,)
    log_costs : tuple of (n,) log weight of each example and (K, K) log class-pair costs
    log_shift : float
    matrix : (n, lanes) output
    stakes : (n_blocks,) output, sum of the pair costs of each block
    """
    log_weight, log_class_cost = log_costs
    for block in range(start, stop):
        stake = 0.0
        for i in range(block * BLOCK, min(y.shape[0], (block + 1) * BLOCK)):
            base = log_weight[i] - scores[i, y[i]] - log_shift
            for k in range(scores.shape[1]):
                if k != y[i]:
                    matrix[i, k] = np.exp(scores[i, k] + base + log_class_cost[y[i], k])
                    stake += matrix[i, k]
        stakes[block] = stake


@njit(cache=True, nogil=True, error_model="numpy")
def _snap_row(matrix, i, label, n_classes, factor):
    """Multiply the pair costs of row ``i``, round them to whole numbers, balance the true label."""
    matrix[i, label] = 0.0
    even = 0.0
    odd = 0.0
    for k in range(0, n_classes - 1, 2):
        first = (matrix[i, k] * factor + _SNAP) - _SNAP
        second = (matrix[i, k + 1] * factor + _SNAP) - _SNAP
        matrix[i, k] = first
        matrix[i, k + 1] = second
        even += first
        odd += second
    if n_classes % 2:
        last = (matrix[i, n_classes - 1] * factor + _SNAP) - _SNAP
        matrix[i, n_classes - 1] = last
        even += last
    matrix[i, label] = -(even + odd)


@njit(cache=True, nogil=True, error_model="numpy")
def sum_row(matrix, i, block, sums):
    """Add row ``i`` to one of the four running sums of its block, which do not wait for another."""
    lanes = matrix.shape[1]
    to = (4 * block + i % 4) * lanes
    for k in range(lanes // 4):
        add_lanes4(sums, to + 4 * k, matrix, i * lanes + 4 * k)


@njit(cache=True, nogil=True, error_model="numpy")
def snap_costs(y, n_classes, inverse_quantum, matrix, sums, stakes, start, stop):
    """Turn the pair costs of the row blocks given into whole numbers of quanta.

    Parameters
    ----------
    y : (n,)
    inverse_quantum : float
    matrix : (n, lanes) updated in place; rows sum to zero over the first K lanes
    sums : (n_blocks, 4, lanes) output, zero before: four partial sums of each block of rows
    stakes : (n_blocks,) output, sum of the pair costs of each block
    """
    for block in range(start, stop):
        stake = 0.0
        for i in range(block * BLOCK, min(y.shape[0], (block + 1) * BLOCK)):
            _snap_row(matrix, i, y[i], n_classes, inverse_quantum)
            sum_row(matrix, i, block, sums)
            stake -= matrix[i, y[i]]
        stakes[block] = stake


@njit(cache=True, nogil=True, error_model="numpy")
def add_answers(answers, weight, share, y, scores, matrix, sums, stakes, start, stop):
    """Let a voter speak: add its weight to the scores and bring the costs up to date.

    Only the score of the answered label changes. If it is the true one, every pair cost of the
    row shrinks by the same factor; if not, the one pair cost of that label grows.

    Parameters
    ----------
    answers : (n,) labels, -1 abstains
    weight : (K,) vote weight of each answer
    share : (n,) factor on the weight for each example, or an empty array for 1
    y : (n,)
    scores : (n, K) updated in place
    matrix, sums, stakes : as in ``snap_costs``
    """
    n_classes = weight.shape[0]
    grow = np.exp(weight)
    shrink = np.exp(-weight)
    for block in range(start, stop):
        stake = 0.0
        for i in range(block * BLOCK, min(y.shape[0], (block + 1) * BLOCK)):
            answer = answers[i]
            label = y[i]
            if answer >= 0 and not (share.size and share[i] == 0.0):
                step = weight[answer]
                up = grow[answer]
                down = shrink[answer]
                if share.size and share[i] != 1.0:
                    step *= share[i]
                    up = np.exp(step)
                    down = np.exp(-step)
                scores[i, answer] += step
                if answer == label:
                    _snap_row(matrix, i, label, n_classes, down)
                else:
                    grown = (matrix[i, answer] * up + _SNAP) - _SNAP
                    matrix[i, label] += matrix[i, answer] - grown
                    matrix[i, answer] = grown
            sum_row(matrix, i, block, sums)
            stake -= matrix[i, label]
        stakes[block] = stake


@njit(cache=True, nogil=True, error_model="numpy")
def answer_costs(matrix, answers, sums, start, stop):
    """Sum of the costs of several answer vectors, for the row blocks given.

    Parameters
    ----------
    matrix : (n, lanes) snapped costs
    answers : (v, n) labels; -1 abstains
    sums : (n_blocks, v) output, zero before
    """
    n_vectors, n = answers.shape
    for block in range(start, stop):
        first, last = block * BLOCK, min(n, (block + 1) * BLOCK)
        for v in range(n_vectors):
            even = 0.0
            odd = 0.0
            for i in range(first, last - 1, 2):
                if answers[v, i] >= 0:
                    even += matrix[i, answers[v, i]]
                if answers[v, i + 1] >= 0:
                    odd += matrix[i + 1, answers[v, i + 1]]
            if (last - first) % 2 and answers[v, last - 1] >= 0:
                even += matrix[last - 1, answers[v, last - 1]]
            sums[block, v] = even + odd


@njit(cache=True, nogil=True, error_model="numpy")
def right_and_wrong(matrix, y, answers, sums, start, stop):
    """Pair costs that answers cancel and incur, class by class, for the row blocks given.

    Parameters
    ----------
    matrix : (n, lanes) snapped costs
    y, answers : (n,) labels; answer -1 abstains
    sums : (n_blocks, 2, K) output, zero before
    """
    for block in range(start, stop):
        for i in range(block * BLOCK, min(y.shape[0], (block + 1) * BLOCK)):
            answer = answers[i]
            if answer == y[i]:
                sums[block, 0, answer] -= matrix[i, answer]
            elif answer >= 0:
                sums[block, 1, answer] += matrix[i, answer]


@njit(cache=True, nogil=True, error_model="numpy")
def _slope(coefficient, right, wrong, weight):
    """Slope of ``exp(-w b) right + exp(w b) wrong`` at ``b``."""
    step = weight * coefficient
    return weight * (wrong * np.exp(step) - right * np.exp(-step))


@njit(cache=True, nogil=True, error_model="numpy")
def _coefficients(slope, right, wrong, weight, out):
    """Fill ``out`` with the places in [0, 1] where each voter has this slope; return their sum."""
    total = 0.0
    for j in range(out.shape[0]):
        if slope <= _slope(0.0, right[j], wrong[j], weight[j]):
            out[j] = 0.0
        elif slope >= _slope(1.0, right[j], wrong[j], weight[j]):
            out[j] = 1.0
        else:
            root = np.hypot(slope, 2.0 * weight[j] * np.sqrt(right[j]) * np.sqrt(wrong[j]))
            if slope >= 0.0:
                growth = (slope + root) / (2.0 * weight[j] * wrong[j])
            else:
                growth = 2.0 * weight[j] * right[j] / (root - slope)
            out[j] = min(1.0, max(0.0, np.log(growth) / weight[j]))
        total += out[j]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def solve_class(right, wrong, weight, may_be_less, out):
    """Coefficients of the voters for one class: all slopes equal, found by bisection.

    Every coefficient rises with the slope. Between the last two slopes the coefficients are
    interpolated, so that they add up to 1 even where the slope hardly depends on them. Where
    weights are so small that it does not at all, the voters with the smallest slope share.

    Parameters
    ----------
    right, wrong : (v,), not both zero
    weight : (v,), positive
    may_be_less : bool, whether a sum below 1 is allowed
    out : (v,) output
    """
    if may_be_less and _coefficients(0.0, right, wrong, weight, out) <= 1.0:
        return
    first = np.inf
    high = np.inf
    for j in range(out.shape[0]):
        first = min(first, _slope(0.0, right[j], wrong[j], weight[j]))
        high = min(high, _slope(1.0, right[j], wrong[j], weight[j]))
    low = first
    middle = 0.5 * (low + high)
    while low < middle < high:
        if _coefficients(middle, right, wrong, weight, out) < 1.0:
            low = middle
        else:
            high = middle
        middle = 0.5 * (low + high)
    above = np.empty_like(out)
    less = _coefficients(low, right, wrong, weight, out)
    more = _coefficients(high, right, wrong, weight, above)
    if more < 1.0:
        for j in range(out.shape[0]):
            out[j] = 1.0 if _slope(0.0, right[j], wrong[j], weight[j]) == first else 0.0
        out /= out.sum()
    elif more > less:
        out += (1.0 - less) / (more - less) * (above - out)
