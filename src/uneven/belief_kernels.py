"""Compiled inner loops of :mod:`uneven.beliefs` and :mod:`uneven.expected_costs`.

Each of them has a slow NumPy twin in the tests. Costs are whole numbers of a quantum, as in
:mod:`uneven.cost_kernels`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from uneven.cost_kernels import BLOCK, sum_row

_LARGEST_EXPONENT = 700.0


@njit(cache=True, nogil=True, error_model="numpy")
def believe(y, log_noise, logs, scores, scale, beliefs, start, stop):
    """Probability of every true class, for the row blocks given.

    Parameters
    ----------
    y : (n,) observed labels
    log_noise : (K, K), row = observed label, column = true class
    logs : tuple of (K,) log prior, used for rows without votes, and (K,) log units
    scores : (n, K) votes heard
    scale : (n,) factor on the votes of each row
    beliefs : (n, K) output; rows sum to 1
    """
    log_prior, log_units = logs
    n_classes = scores.shape[1]
    for block in range(start, stop):
        for i in range(block * BLOCK, min(y.shape[0], (block + 1) * BLOCK)):
            silent = True
            for q in range(n_classes):
                silent = silent and scores[i, q] == 0.0
            largest = -np.inf
            for q in range(n_classes):
                known = log_prior[q] if silent else 2.0 * scale[i] * scores[i, q] + log_units[q]
                beliefs[i, q] = known + log_noise[y[i], q]
                largest = max(largest, beliefs[i, q])
            total = 0.0
            for q in range(n_classes):
                beliefs[i, q] = np.exp(beliefs[i, q] - largest)
                total += beliefs[i, q]
            for q in range(n_classes):
                beliefs[i, q] /= total


@njit(cache=True, nogil=True, error_model="numpy")
def max_log_stake(scores, beliefs, log_weight, log_units):
    """Largest log pair cost over all rows and pairs of classes (-inf if there is none)."""
    n_classes = scores.shape[1]
    largest = -np.inf
    for i in range(scores.shape[0]):
        first, second = -np.inf, -np.inf
        for q in range(n_classes):
            if scores[i, q] > first:
                first, second = scores[i, q], first
            elif scores[i, q] > second:
                second = scores[i, q]
        for q in range(n_classes):
            if beliefs[i, q] > 0.0:
                top = second if scores[i, q] == first else first
                value = log_weight[i] - log_units[q] + np.log(beliefs[i, q]) + top - scores[i, q]
                largest = max(largest, value)
    return largest


@njit(cache=True, nogil=True, error_model="numpy")
def _others(values, total):
    """Turn every value into the sum of the other ones, without cancellation at the largest."""
    top = values.argmax()
    rest = 0.0
    for k in range(values.shape[0]):
        if k != top:
            rest += values[k]
    for k in range(values.shape[0]):
        values[k] = rest if k == top else total - values[k]


@njit(cache=True, nogil=True, error_model="numpy")
def fill_expected(
    scores, beliefs, log_weight, log_units, class_cost, log_shift, out, stakes, start, stop
):
    """Expected costs of the row blocks given, not yet snapped.

    With pull ``e[l] = exp(score of l)`` and stake ``a[q] = weight * belief[q] / units[q] *
    exp(-score of q)``, answering ``l`` incurs ``e[l] * sum of a[q] over q != l`` and cancels
    ``a[l] * sum of e[k] over k != l``; class-pair prices are factors inside both sums.

    Parameters
    ----------
    scores, beliefs : (n, K)
    log_weight : (n,)
    log_units : (K,)
    class_cost : (K, K) price factors, row = true class; an empty array for none
    log_shift : float
    out : tuple of (n, lanes) costs, (n, K) what each answer cancels, (n,) stake of each row
    stakes : (n_blocks,) output, sum of the stakes of each block
    """
    matrix, cancelled, row_stakes = out
    n_classes = scores.shape[1]
    pull, stake, pulls, held = np.empty((4, n_classes))
    for block in range(start, stop):
        stakes[block] = 0.0
        for i in range(block * BLOCK, min(scores.shape[0], (block + 1) * BLOCK)):
            top = -np.inf
            for q in range(n_classes):
                top = max(top, scores[i, q])
            for q in range(n_classes):
                pull[q] = np.exp(scores[i, q] - top)
                level = log_weight[i] - log_units[q] + top - scores[i, q] - log_shift
                stake[q] = beliefs[i, q] * np.exp(min(level, _LARGEST_EXPONENT))
            if class_cost.size:
                for q in range(n_classes):
                    pulls[q] = 0.0
                    held[q] = 0.0
                    for k in range(n_classes):
                        if k != q:
                            pulls[q] += class_cost[q, k] * pull[k]
                            held[q] += class_cost[k, q] * stake[k]
            else:
                pulls[:] = pull
                held[:] = stake
                _others(pulls, pull.sum())
                _others(held, stake.sum())
            row_stakes[i] = 0.0
            for q in range(n_classes):
                cancelled[i, q] = stake[q] * pulls[q]
                matrix[i, q] = pull[q] * held[q] - cancelled[i, q]
                row_stakes[i] += cancelled[i, q]
            stakes[block] += row_stakes[i]


@njit(cache=True, nogil=True, error_model="numpy")
def snap_expected(y, inverse_quantum, out, sums, stakes, start, stop):
    """Turn expected costs into whole numbers of quanta whose rows add up to zero.

    Parameters
    ----------
    y : (n,) labels; theirs is the entry that balances its row
    inverse_quantum : float
    out : as in ``fill_expected``, updated in place
    sums : (n_blocks, 4, lanes) output, zero before
    stakes : (n_blocks,) output
    """
    matrix, cancelled, row_stakes = out
    n_classes = cancelled.shape[1]
    for block in range(start, stop):
        stakes[block] = 0.0
        for i in range(block * BLOCK, min(y.shape[0], (block + 1) * BLOCK)):
            total = 0.0
            for q in range(n_classes):
                matrix[i, q] = np.rint(matrix[i, q] * inverse_quantum)
                cancelled[i, q] = np.rint(cancelled[i, q] * inverse_quantum)
                total += matrix[i, q]
            matrix[i, y[i]] -= total
            row_stakes[i] = np.rint(row_stakes[i] * inverse_quantum)
            sum_row(matrix, i, block, sums)
            stakes[block] += row_stakes[i]


@njit(cache=True, nogil=True, error_model="numpy")
def add_votes(answers, votes, share, scores, start, stop):
    """Add a voter's votes to the scores, for the row blocks given.

    Parameters
    ----------
    answers : (n,) labels, -1 abstains
    votes : (K,) vote weight of each answer
    share : (n,) factor on the weight for each example, or an empty array for 1
    scores : (n, K) updated in place
    """
    for block in range(start, stop):
        for i in range(block * BLOCK, min(answers.shape[0], (block + 1) * BLOCK)):
            if answers[i] >= 0:
                scores[i, answers[i]] += votes[answers[i]] * (share[i] if share.size else 1.0)


@njit(cache=True, nogil=True, error_model="numpy")
def expected_right_and_wrong(matrix, cancelled, answers, sums, start, stop):
    """Expected costs that answers cancel and incur, class by class, for the row blocks given.

    Parameters
    ----------
    matrix : (n, lanes) snapped costs
    cancelled : (n, K) snapped
    answers : (n,) labels; -1 abstains
    sums : (n_blocks, 2, K) output, zero before
    """
    for block in range(start, stop):
        for i in range(block * BLOCK, min(answers.shape[0], (block + 1) * BLOCK)):
            answer = answers[i]
            if answer >= 0:
                sums[block, 0, answer] += cancelled[i, answer]
                sums[block, 1, answer] += matrix[i, answer] + cancelled[i, answer]
