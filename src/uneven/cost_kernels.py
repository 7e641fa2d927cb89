"""Compiled inner loops of :mod:`uneven.costs`. Each has a slow NumPy twin in the tests.

Sums that decide between voters are made of multiples of one power of two, small enough that
double precision holds every partial sum exactly. Adding them up is then associative: the result
does not depend on the order of the rows, on the number of threads, or on whether a histogram was
summed or obtained by subtraction, and ties are real ties.
"""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 8192
"""Rows per partial sum of the loss: fixed, so that threads do not change the rounding."""

_SNAP = 6755399441055744.0
"""1.5 * 2**52: adding and subtracting it rounds a double of magnitude < 2**51 to an integer."""


@njit(cache=True, nogil=True, error_model="numpy")
def _write_row(pairs, i, label, inverse_quantum, matrix):
    """Write row ``i`` of the snapped cost matrix; return the row's (unsnapped) pair costs."""
    total = 0.0
    snapped_total = 0.0
    for k in range(pairs.shape[1]):
        if k != label:
            total += pairs[i, k]
            snapped = (pairs[i, k] * inverse_quantum + _SNAP) - _SNAP
            snapped_total += snapped
            matrix[i, k] = snapped
    matrix[i, label] = -snapped_total
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def write_costs(pairs, y, inverse_quantum, matrix, totals, start, stop):
    """Snap blocks ``start`` to ``stop`` of the pair costs to the grid, and sum them.

    Parameters
    ----------
    pairs : (n, K) pair costs, ignored on the true label
    y : (n,) true labels
    inverse_quantum : float, one over the grid step
    matrix : (n, lanes) output, rows sum to zero over the first K lanes
    totals : (n_blocks,) output, sum of the pair costs of each block of rows
    """
    for block in range(start, stop):
        total = 0.0
        for i in range(block * BLOCK, min(pairs.shape[0], (block + 1) * BLOCK)):
            total += _write_row(pairs, i, y[i], inverse_quantum, matrix)
        totals[block] = total


@njit(cache=True, nogil=True, error_model="numpy")
def refresh_pairs(scores, y, log_costs, log_shift, pairs, start, stop):
    """Recompute pair costs from the scores: exp(score of k - score of y + log cost - shift).

    Parameters
    ----------
    scores : (n, K)
    y : (n,)
    log_costs : (n,) log weight of each example, and (K, K) log class-pair costs, as a tuple
    log_shift : float
    pairs : (n, K) output
    """
    log_weight, log_class_cost = log_costs
    for i in range(start, stop):
        base = log_weight[i] - scores[i, y[i]] - log_shift
        for k in range(scores.shape[1]):
            pairs[i, k] = np.exp(scores[i, k] + base + log_class_cost[y[i], k])
        pairs[i, y[i]] = 0.0


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
def add_answers(
    answers, weight, share, y, inverse_quantum, scores, pairs, matrix, totals, start, stop
):
    """Let a voter speak: add its weight to the scores and bring the costs up to date.

    Only the score of the answered label changes. If it is the true one, every pair cost of the
    row shrinks by the same factor; if not, the one pair cost of that label grows.

    Parameters
    ----------
    answers : (n,) labels, -1 abstains
    weight : (K,) vote weight of each answer
    share : (n,) factor on the weight for each example, or an empty array for 1
    y, inverse_quantum, matrix, totals : as in ``write_costs``
    scores, pairs : (n, K), updated in place
    """
    grow = np.exp(weight)
    shrink = np.exp(-weight)
    for block in range(start, stop):
        total = 0.0
        for i in range(block * BLOCK, min(pairs.shape[0], (block + 1) * BLOCK)):
            answer = answers[i]
            if answer >= 0:
                step = weight[answer]
                up = grow[answer]
                down = shrink[answer]
                if share.size:
                    step *= share[i]
                    up = np.exp(step)
                    down = np.exp(-step)
                scores[i, answer] += step
                if answer == y[i]:
                    for k in range(pairs.shape[1]):
                        pairs[i, k] *= down
                else:
                    pairs[i, answer] *= up
            total += _write_row(pairs, i, y[i], inverse_quantum, matrix)
        totals[block] = total


@njit(cache=True, nogil=True, error_model="numpy")
def right_and_wrong(matrix, y, answers, sums, start, stop):
    """Pair costs that answers cancel, incur, and all there are, for some row blocks.

    Parameters
    ----------
    matrix : (n, lanes) snapped costs
    y, answers : (n,) labels; answer -1 abstains
    sums : (n_blocks, 3) output
    """
    for block in range(start, stop):
        right = 0.0
        wrong = 0.0
        total = 0.0
        for i in range(block * BLOCK, min(y.shape[0], (block + 1) * BLOCK)):
            stake = -matrix[i, y[i]]
            total += stake
            answer = answers[i]
            if answer == y[i]:
                right += stake
            elif answer >= 0:
                wrong += matrix[i, answer]
        sums[block, 0] = right
        sums[block, 1] = wrong
        sums[block, 2] = total
