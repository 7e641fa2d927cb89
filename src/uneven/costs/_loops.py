"""Compiled loops over cost matrices and beliefs. Exponentials and logarithms are portable ones."""

from __future__ import annotations

import numpy as np
from numba import njit

from uneven.costs._portable import exp, exp_in_place, hypot, log, log_in_place
from uneven.costs._simd import add_lanes4

BLOCK = 8192
"""Rows per partial sum: fixed, so that threads do not change the rounding."""

_TILE = 64
"""Rows whose exponentials or logarithms are computed together, by vector instructions."""

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
def _add_folds(value, units, sums, block):
    """Add a number in two folds, so that the sums do not depend on the order of the rows."""
    coarse, fine = _SNAP * units[0], _SNAP * units[1]
    high = (value + coarse) - coarse
    sums[block, 0] += high
    sums[block, 1] += ((value - high) + fine) - fine


@njit(cache=True, nogil=True, error_model="numpy")
def fill_costs(scores, y, log_costs, log_shift, units, matrix, stakes, start, stop):
    """Compute pair costs from the scores, not yet snapped, for the row blocks given.

    The cost of label ``k`` is exp(score of k - score of y + log cost - shift).

    Parameters
    ----------
    scores : (n, K)
    y : (n,)
    log_costs : tuple of (n,) log weight of each example and (K, K) log class-pair costs
    log_shift : float
    units : (float, float), grids of the two folds in which the pair costs of the rows are added
    matrix : (n, lanes) output
    stakes : (n_blocks, 2) output, zero before, sums of both folds in each block
    """
    log_weight, log_class_cost = log_costs
    n_classes = scores.shape[1]
    room = np.empty(_TILE * n_classes)
    for block in range(start, stop):
        end = min(y.shape[0], (block + 1) * BLOCK)
        for first in range(block * BLOCK, end, _TILE):
            last = min(end, first + _TILE)
            costs = room[: (last - first) * n_classes]
            at = 0
            for i in range(first, last):
                base = log_weight[i] - scores[i, y[i]] - log_shift
                for k in range(n_classes):
                    costs[at] = scores[i, k] + base + log_class_cost[y[i], k]
                    at += 1
            exp_in_place(costs)
            at = 0
            for i in range(first, last):
                costs[at + y[i]] = 0.0
                stake = 0.0
                for k in range(n_classes):
                    matrix[i, k] = costs[at]
                    stake += costs[at]
                    at += 1
                _add_folds(stake, units, stakes, block)


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
    """Add a voter: add its weight to the scores and bring the costs up to date.

    Only the score of the predicted label changes. If it is the true one, every pair cost of the
    row shrinks by the same factor; if not, the one pair cost of that label grows.

    Parameters
    ----------
    answers : (n,) labels, -1 abstains
    weight : (K,) vote weight of each prediction
    share : (n,) factor on the weight for each example, or an empty array for 1
    y : (n,)
    scores : (n, K) updated in place
    matrix, sums, stakes : as in ``snap_costs``
    """
    n_classes = weight.shape[0]
    grow, shrink = np.empty(n_classes), np.empty(n_classes)
    for k in range(n_classes):
        grow[k] = exp(weight[k])
        shrink[k] = exp(-weight[k])
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
                    up = down = exp(-step if answer == label else step)
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
    """Sum of the costs of several prediction vectors, for the row blocks given.

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
    """Pair costs that predictions cancel and incur, class by class, for the row blocks given.

    Parameters
    ----------
    matrix : (n, lanes) snapped costs
    y, answers : (n,) labels; -1 abstains
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
    return weight * (wrong * exp(step) - right * exp(-step))


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
            root = hypot(slope, 2.0 * weight[j] * np.sqrt(right[j]) * np.sqrt(wrong[j]))
            if slope >= 0.0:
                growth = (slope + root) / (2.0 * weight[j] * wrong[j])
            else:
                growth = 2.0 * weight[j] * right[j] / (root - slope)
            out[j] = min(1.0, max(0.0, log(growth) / weight[j]))
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


_LARGEST_EXPONENT = 700.0


@njit(cache=True, nogil=True, error_model="numpy")
def believe(y, log_noise, logs, scores, scale, beliefs, start, stop):
    """Probability of every true class, for the row blocks given.

    Parameters
    ----------
    y : (n,) observed labels
    log_noise : (K, K), row = observed label, column = true class
    logs : tuple of (K,) log prior, used for rows without votes, and (K,) log units
    scores : (n, K) votes so far
    scale : (n,) factor on the votes of each row
    beliefs : (n, K) output; rows sum to 1
    """
    log_prior, log_units = logs
    n_classes = scores.shape[1]
    flat = beliefs.reshape(beliefs.size)
    for block in range(start, stop):
        end = min(y.shape[0], (block + 1) * BLOCK)
        for first in range(block * BLOCK, end, _TILE):
            last = min(end, first + _TILE)
            for i in range(first, last):
                silent = True
                for q in range(n_classes):
                    silent = silent and scores[i, q] == 0.0
                largest = -np.inf
                for q in range(n_classes):
                    known = log_prior[q] if silent else 2.0 * scale[i] * scores[i, q] + log_units[q]
                    beliefs[i, q] = known + log_noise[y[i], q]
                    largest = max(largest, beliefs[i, q])
                for q in range(n_classes):
                    beliefs[i, q] -= largest
            exp_in_place(flat[first * n_classes : last * n_classes])
            for i in range(first, last):
                total = 0.0
                for q in range(n_classes):
                    total += beliefs[i, q]
                for q in range(n_classes):
                    beliefs[i, q] /= total


@njit(cache=True, nogil=True, error_model="numpy")
def max_log_stake(scores, beliefs, log_weight, log_units):
    """Largest log pair cost over all rows and pairs of classes (-inf if there is none)."""
    n, n_classes = scores.shape
    room = np.empty(_TILE * n_classes)
    flat = beliefs.reshape(beliefs.size)
    largest = -np.inf
    for start in range(0, n, _TILE):
        stop = min(n, start + _TILE)
        logs = room[: (stop - start) * n_classes]
        for q in range(len(logs)):
            logs[q] = flat[start * n_classes + q]
        log_in_place(logs)
        for i in range(start, stop):
            first, second = -np.inf, -np.inf
            for q in range(n_classes):
                if scores[i, q] > first:
                    first, second = scores[i, q], first
                elif scores[i, q] > second:
                    second = scores[i, q]
            for q in range(n_classes):
                top = second if scores[i, q] == first else first
                known = log_weight[i] - log_units[q] + logs[(i - start) * n_classes + q]
                largest = max(largest, known + top - scores[i, q])
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
def _priced_others(class_cost, pull, stake, pulls, held):
    """Sums of the pulls and of the stakes of the other classes, each times its cost."""
    for q in range(pull.shape[0]):
        pulls[q] = 0.0
        held[q] = 0.0
        for k in range(pull.shape[0]):
            if k != q:
                pulls[q] += class_cost[q, k] * pull[k]
                held[q] += class_cost[k, q] * stake[k]


@njit(cache=True, nogil=True, error_model="numpy")
def _log_pulls_and_stakes(i, scores, log_weight, log_units, log_shift, room, at):
    """Write the logarithms of the pulls, and of the stakes without beliefs, of row ``i``."""
    top = -np.inf
    for q in range(scores.shape[1]):
        top = max(top, scores[i, q])
    for q in range(scores.shape[1]):
        level = log_weight[i] - log_units[q] + top - scores[i, q] - log_shift
        room[0, at, q] = scores[i, q] - top
        room[1, at, q] = min(level, _LARGEST_EXPONENT)


@njit(cache=True, nogil=True, error_model="numpy")
def fill_expected(
    scores, beliefs, log_weight, log_units, class_cost, log_shift, units, out, stakes, start, stop
):
    """Expected costs of the row blocks given, not yet snapped.

    With pull ``e[l] = exp(score of l)`` and stake ``a[q] = weight * belief[q] / units[q] *
    exp(-score of q)``, predicting ``l`` incurs ``e[l] * sum of a[q] over q != l`` and cancels
    ``a[l] * sum of e[k] over k != l``; class-pair costs are factors inside both sums.

    Parameters
    ----------
    scores, beliefs : (n, K)
    log_weight : (n,)
    log_units : (K,)
    class_cost : (K, K) cost factors, row = true class; an empty array for none
    log_shift : float
    units, stakes : as in ``fill_costs``
    out : tuple of (n, lanes) costs, (n, K) what each prediction cancels, (n,) stake of each row
    """
    matrix, cancelled, row_stakes = out
    n_classes = scores.shape[1]
    room = np.empty((2, _TILE, n_classes))
    pulls, held = np.empty((2, n_classes))
    for block in range(start, stop):
        end = min(scores.shape[0], (block + 1) * BLOCK)
        for first in range(block * BLOCK, end, _TILE):
            last = min(end, first + _TILE)
            for i in range(first, last):
                _log_pulls_and_stakes(i, scores, log_weight, log_units, log_shift, room, i - first)
            exp_in_place(room.reshape(room.size))
            for i in range(first, last):
                pull, stake = room[0, i - first], room[1, i - first]
                for q in range(n_classes):
                    stake[q] *= beliefs[i, q]
                if class_cost.size:
                    _priced_others(class_cost, pull, stake, pulls, held)
                else:
                    for q in range(n_classes):
                        pulls[q], held[q] = pull[q], stake[q]
                    _others(pulls, pull.sum())
                    _others(held, stake.sum())
                row_stakes[i] = 0.0
                for q in range(n_classes):
                    cancelled[i, q] = stake[q] * pulls[q]
                    matrix[i, q] = pull[q] * held[q] - cancelled[i, q]
                    row_stakes[i] += cancelled[i, q]
                _add_folds(row_stakes[i], units, stakes, block)


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
    votes : (K,) vote weight of each prediction
    share : (n,) factor on the weight for each example, or an empty array for 1
    scores : (n, K) updated in place
    """
    for block in range(start, stop):
        for i in range(block * BLOCK, min(answers.shape[0], (block + 1) * BLOCK)):
            if answers[i] >= 0:
                scores[i, answers[i]] += votes[answers[i]] * (share[i] if share.size else 1.0)


@njit(cache=True, nogil=True, error_model="numpy")
def expected_right_and_wrong(matrix, cancelled, answers, sums, start, stop):
    """Expected costs that predictions cancel and incur, class by class, for the row blocks given.

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
