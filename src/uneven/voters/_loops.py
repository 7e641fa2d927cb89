"""Compiled loops: coding columns, routing rows, predictions of trees and linear voters.

Each has a slow NumPy twin in the tests.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from uneven.costs._simd import add_lanes4

MISSING = 255
"""Code of the missing-value bin."""

FAR = 10.0
"""Standardised values beyond this count as this: one wild value does not decide alone."""

_ROW_BLOCK = 512
_SUM_BLOCK = 16_384
_SCORE_BLOCK = 256


@njit(cache=True, nogil=True, error_model="numpy")
def assign_codes(X, thresholds, codes, start, stop):
    """Code of each value: how many thresholds of its column lie below it; NaN is 255.

    The eight halvings of the search are written out without branches: that is four times faster.

    Parameters
    ----------
    X : (n, d) values
    thresholds : (d, 255) increasing, padded with +inf
    codes : (d, n) uint8 output
    start, stop : columns to do
    """
    n = X.shape[0]
    for first in range(0, n, _ROW_BLOCK):
        last = min(n, first + _ROW_BLOCK)
        for f in range(start, stop):
            for i in range(first, last):
                x = X[i, f]
                if np.isnan(x):
                    codes[f, i] = MISSING
                else:
                    below = 128 * (thresholds[f, 127] < x)
                    below += 64 * (thresholds[f, below + 63] < x)
                    below += 32 * (thresholds[f, below + 31] < x)
                    below += 16 * (thresholds[f, below + 15] < x)
                    below += 8 * (thresholds[f, below + 7] < x)
                    below += 4 * (thresholds[f, below + 3] < x)
                    below += 2 * (thresholds[f, below + 1] < x)
                    codes[f, i] = below + (thresholds[f, below] < x)


@njit(cache=True, nogil=True, error_model="numpy")
def _column_cuts(values, masses, rest, max_bins, cuts):
    """Thresholds of one column, as ``cut_points`` finds them; returns how many.

    Parameters
    ----------
    values : (m,) in any order
    masses : (2, m) in folds, whose sums are exact
    rest : float, mass of the last value next to its folds
    max_bins : int
    cuts : (min(m, max_bins),) output
    """
    order = np.argsort(values, kind="mergesort")
    distinct = np.empty(len(values))
    below = np.empty(len(values))
    n_distinct, high, low, beside = 0, 0.0, 0.0, 0.0
    for k in order:
        if n_distinct == 0 or values[k] != distinct[n_distinct - 1]:
            distinct[n_distinct] = values[k]
            n_distinct += 1
        high += masses[0, k]
        low += masses[1, k]
        beside += rest if k == len(values) - 1 else 0.0
        below[n_distinct - 1] = (high + low) + beside
    n_cuts, last = 0, -1
    for b in range(1, n_distinct if n_distinct <= max_bins else max_bins):
        cut = b - 1
        if n_distinct > max_bins:
            wanted = below[n_distinct - 1] * b / max_bins * (1.0 - 1e-12)
            cut = min(np.searchsorted(below[: n_distinct - 1], wanted), n_distinct - 2)
        if cut > last:
            near, far = distinct[cut], distinct[cut + 1]
            middle = 0.5 * near + 0.5 * far
            cuts[n_cuts] = middle if middle < far else near
            n_cuts += 1
            last = cut
    return n_cuts


@njit(cache=True, nogil=True, error_model="numpy")
def code_sparse_columns(csc, weights, max_bins, starts, cuts, n_cuts, codes, zero_code):
    """Thresholds of sparse columns and codes of their stored entries.

    Parameters
    ----------
    csc : (indptr, indices, data)
    weights : (2, n) of the rows, in folds
    max_bins : int
    starts : (d + 1,) room of each column in ``cuts``
    cuts : output, thresholds of column f from ``starts[f]`` on
    n_cuts, zero_code : (d,) outputs
    codes : (n_entries,) output, 255 for missing values
    """
    indptr, indices, data = csc
    everything = weights[0].sum() + weights[1].sum()
    for f in range(n_cuts.shape[0]):
        low, high = indptr[f], indptr[f + 1]
        values = np.empty(high - low + 1)
        masses = np.zeros((2, high - low + 1))
        size = 0
        coarse, fine, rest = 0.0, 0.0, 0.0
        for k in range(low, high):
            coarse += weights[0, indices[k]]
            fine += weights[1, indices[k]]
            if not np.isnan(data[k]):
                values[size] = data[k]
                masses[0, size] = weights[0, indices[k]]
                masses[1, size] = weights[1, indices[k]]
                size += 1
        if high - low < weights.shape[1]:
            values[size] = 0.0
            rest = everything - (coarse + fine)
            size += 1
        own = cuts[starts[f] : starts[f + 1]]
        n_cuts[f] = _column_cuts(values[:size], masses[:, :size], rest, max_bins, own)
        own = own[: n_cuts[f]]
        zero_code[f] = np.searchsorted(own, 0.0)
        for k in range(low, high):
            known = not np.isnan(data[k])
            codes[k] = np.searchsorted(own, data[k]) if known else MISSING


@njit(cache=True, nogil=True, error_model="numpy")
def cut_stored_values(stored, rests, max_bins, starts, cuts, n_cuts, zero_code):
    """Thresholds of sparse columns whose different values are known, as ``code_sparse_columns``.

    Parameters
    ----------
    stored : (indptr, values, masses)
        Different values of every column, without NaN, and their mass (2, n_values), in folds.
    rests : (d,) mass of the rows without an entry; -1 if every row has one
    max_bins, starts, cuts, n_cuts, zero_code : as for ``code_sparse_columns``
    """
    indptr, data, weights = stored
    for f in range(n_cuts.shape[0]):
        low, high = indptr[f], indptr[f + 1]
        size = high - low + (rests[f] >= 0.0)
        values, masses = np.zeros(size), np.zeros((2, size))
        values[: high - low] = data[low:high]
        masses[:, : high - low] = weights[:, low:high]
        own = cuts[starts[f] : starts[f + 1]]
        n_cuts[f] = _column_cuts(values, masses, max(rests[f], 0.0), max_bins, own)
        zero_code[f] = np.searchsorted(own[: n_cuts[f]], 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def code_stored_values(indptr, data, cuts, first_cut, codes):
    """Codes of the stored entries of sparse columns, 255 for missing values.

    Parameters
    ----------
    indptr, data : entries by column
    cuts : thresholds of all columns one after another
    first_cut : (d + 1,)
    codes : (n_entries,) output
    """
    for f in range(indptr.shape[0] - 1):
        own = cuts[first_cut[f] : first_cut[f + 1]]
        for k in range(indptr[f], indptr[f + 1]):
            known = not np.isnan(data[k])
            codes[k] = np.searchsorted(own, data[k]) if known else MISSING


@njit(cache=True, nogil=True, error_model="numpy")
def answer_rows(nodes, labels, y, mass, answers, hits, start, stop):
    """Prediction for each row, and the weight each node predicts correctly, for some row blocks.

    Parameters
    ----------
    nodes : (n,) node of each row
    labels : (n_nodes,) predicted class of each node
    y : (n,) true labels
    mass : (n_folds, n) how many examples each row stands for, in parts that add up exactly
    answers : (n,) output
    hits : (n_blocks, n_folds, n_nodes) output, zero before
    """
    n = nodes.shape[0]
    for block in range(start, stop):
        for part in range(mass.shape[0]):
            for i in range(block * _SUM_BLOCK, min(n, (block + 1) * _SUM_BLOCK)):
                node = nodes[i]
                answer = labels[node]
                answers[i] = answer
                hits[block, part, node] += mass[part, i] * (answer == y[i])


@njit(cache=True, nogil=True, error_model="numpy")
def route_dense(codes, split, next_slot, slots, nodes, start, stop):
    """Send rows ``start`` to ``stop`` to the children of their slot's split.

    Parameters
    ----------
    codes : (d, n) uint8
    split : (column, cut, missing_left, child), each (n_slots,)
        ``column`` -1 means the slot is not split; ``child`` is the left child's node.
    next_slot : (n_nodes,) slot of each node in the next level, -1 for none
    slots, nodes : (n,) updated in place
    """
    column, cut, missing_left, child = split
    for i in range(start, stop):
        slot = slots[i]
        if slot >= 0:
            f = column[slot]
            if f >= 0:
                code = codes[f, i]
                is_missing = code == MISSING
                stays = ((code <= cut[slot]) & (not is_missing)) | (is_missing & missing_left[slot])
                nodes[i] = child[slot] + (not stays)
                slots[i] = next_slot[nodes[i]]
            else:
                slots[i] = -1


@njit(cache=True, nogil=True, error_model="numpy")
def route_sparse(entries, split, next_slot, slots, nodes):
    """Send all rows to the children of their slot's split, sparse columns; as ``route_dense``."""
    indptr, indices, codes, zero_codes = entries
    column, cut, missing_left, child = split
    n = slots.shape[0]
    for i in range(n):
        if slots[i] >= 0 and column[slots[i]] >= 0:
            slot = slots[i]
            nodes[i] = child[slot] + (zero_codes[column[slot]] > cut[slot])
    for slot in range(column.shape[0]):
        f = column[slot]
        if f >= 0:
            for k in range(indptr[f], indptr[f + 1]):
                if slots[indices[k]] == slot:
                    code = codes[k]
                    right = code > cut[slot] if code != MISSING else not missing_left[slot]
                    nodes[indices[k]] = child[slot] + right
    for i in range(n):
        if slots[i] >= 0:
            slots[i] = next_slot[nodes[i]] if column[slots[i]] >= 0 else -1


def sum_blocks(n: int) -> int:
    """Number of row blocks that ``answer_rows`` cuts ``n`` rows into."""
    return -(-n // _SUM_BLOCK)


@njit(cache=True, nogil=True, error_model="numpy")
def _goes_right(x, node, threshold, missing_left, sets):
    """Whether a value goes to the right child of a node."""
    set_of, left_sets = sets
    if set_of.size and set_of[node] >= 0:
        if x >= 0.0 and x < left_sets.shape[1]:
            return not left_sets[set_of[node], np.int64(x)]
        return not missing_left[node]
    return (x > threshold[node]) | ((x != x) & (not missing_left[node]))


@njit(cache=True, nogil=True, error_model="numpy")
def tree_answers(X, nodes, sets, label, answers):
    """Prediction of one tree (its root is node 0) for every row of ``X``."""
    feature, threshold, missing_left, child = nodes
    for i in range(X.shape[0]):
        node = 0
        while child[node] != node:
            x = X[i, feature[node]]
            node = child[node] + _goes_right(x, node, threshold, missing_left, sets)
        answers[i] = label[node]


@njit(cache=True, nogil=True, error_model="numpy")
def _descend(columns, nodes, sets, root, depth, at):
    """Move the rows of a block from ``root`` to their leaves, level by level, without a branch.

    A leaf is its own left child, its threshold is infinite and it sends NaN left: a step from a
    leaf stays there.
    """
    feature, threshold, missing_left, child = nodes
    if sets[0].size:
        for i in range(at.shape[0]):
            node = root
            while child[node] != node:
                x = columns[feature[node], i]
                node = child[node] + _goes_right(x, node, threshold, missing_left, sets)
            at[i] = node
        return
    x_root = columns[feature[root]]
    for i in range(at.shape[0]):
        x = x_root[i]
        right = (x > threshold[root]) | ((x != x) & (not missing_left[root]))
        at[i] = child[root] + right
    for _ in range(depth - 1):
        for i in range(at.shape[0]):
            node = at[i]
            x = columns[feature[node], i]
            right = (x > threshold[node]) | ((x != x) & (not missing_left[node]))
            at[i] = child[node] + right


@njit(cache=True, nogil=True, error_model="numpy")
def _add_scores(table, label, at, speaks, sums):
    """Add the leaf scores of the rows of a block; ``speaks`` is empty if all rows take part."""
    lanes = table.shape[1]
    for i in range(at.shape[0]):
        if not speaks.size or speaks[i]:
            row = label[at[i]] * lanes
            for k in range(lanes // 4):
                add_lanes4(sums, i * lanes + 4 * k, table, row + 4 * k)


@njit(cache=True, nogil=True, error_model="numpy")
def add_tree_votes(
    X, used, nodes, sets, roots, depths, label, value, table, view_mask, view, scores, first,
    last, start, stop,
):  # fmt: skip
    """Add the votes of trees ``first`` to ``last`` for the row blocks ``start`` to ``stop``.

    Parameters
    ----------
    X : (n, d)
    used : (u,) columns of ``X`` that the trees split on
    nodes : (feature, threshold, missing_left, child), each (n_nodes,), all trees one after another
        Features are positions in ``used``.
    sets : (set_of, left_sets), empty arrays if no node splits on a set of categories
    roots, depths : (n_trees,) root node and depth of each tree
    label, value : (n_nodes,) class and vote weight of each leaf
    table : (n_leaves, lanes) scores of leaf ``label``; empty if leaves vote with a weight
    view_mask : (n, n_views) bool, or an empty array if every view is there
    view : (n_trees,) view of each tree, -1 if it reads all of them
    scores : (n, n_classes) updated in place
    """
    columns = np.empty((used.shape[0], _SCORE_BLOCK))
    leaves = np.empty(_SCORE_BLOCK, dtype=np.int64)
    sums = np.zeros((_SCORE_BLOCK, table.shape[1]))
    n_classes = scores.shape[1]
    for block in range(start, stop):
        begin = block * _SCORE_BLOCK
        size = min(X.shape[0] - begin, _SCORE_BLOCK)
        for i in range(size):
            for k in range(used.shape[0]):
                columns[k, i] = X[begin + i, used[k]]
        at = leaves[:size]
        if table.size:
            for i in range(size):
                for c in range(n_classes):
                    sums[i, c] = scores[begin + i, c]
        for t in range(first, last):
            _descend(columns, nodes, sets, roots[t], depths[t], at)
            asks_one_view = view_mask.size > 0 and view[t] >= 0
            if table.size:
                speaks = np.ones(0, dtype=np.bool_)
                if asks_one_view:
                    speaks = view_mask[begin : begin + size, view[t]].copy()
                _add_scores(table, label, at, speaks, sums)
                continue
            for i in range(size):
                if not asks_one_view or view_mask[begin + i, view[t]]:
                    scores[begin + i, label[at[i]]] += value[at[i]]
        if table.size:
            for i in range(size):
                for c in range(n_classes):
                    scores[begin + i, c] = sums[i, c]


def row_blocks(n: int) -> int:
    """Number of row blocks that ``add_tree_votes`` cuts ``n`` rows into."""
    return -(-n // _SCORE_BLOCK)


@njit(cache=True, nogil=True, error_model="numpy")
def linear_answers(X, columns, n_codes, centre, scale, coef, intercept, answers):
    """Class with the largest score for every row of ``X``; the first one of several.

    Parameters
    ----------
    X : (n, d)
    columns, n_codes, centre, scale : (p,)
        Column of ``X``, number of its categories (0 for a number), and how it is standardised.
    coef : (q, K)
        One row for a number, one per category for categories, in the order of the columns.
    intercept : (K,)
    answers : (n,) int
        Written.
    """
    scores = np.empty(len(intercept))
    for i in range(X.shape[0]):
        for k in range(len(intercept)):
            scores[k] = intercept[k]
        row = 0
        for j in range(len(columns)):
            x = np.float64(X[i, columns[j]])
            if n_codes[j] > 0:
                if 0.0 <= x < n_codes[j]:
                    scores += coef[row + int(x)]
                row += n_codes[j]
                continue
            if not np.isnan(x):
                z = (x - centre[j]) / scale[j]
                scores += min(max(z, -FAR), FAR) * coef[row]
            row += 1
        answers[i] = scores.argmax()


@njit(cache=True, nogil=True)
def tree_depth(child):
    """Splits on the longest path of a tree whose children come after their parents."""
    below = np.zeros(len(child), dtype=np.int64)
    for node in range(len(child) - 1, -1, -1):
        left = child[node]
        if left != node:
            below[node] = 1 + max(below[left], below[left + 1])
    return below[0]
