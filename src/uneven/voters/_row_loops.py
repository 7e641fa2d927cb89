"""Compiled loops that move rows through score trees: partition of a node, routing to leaves.

``table`` is (codes, indptr, bins, first, zero_code), as in ``_score_loops.fill_histograms``. Each
loop has a slow NumPy twin in the tests.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from uneven.costs._simd import prefetch

_AHEAD = 16
_SIDE_BY_SIDE = 8


@njit(cache=True, nogil=True, error_model="numpy")
def take_cells(codes, rows, columns, taken, start, stop):
    """Copy ``codes[rows][:, columns]`` to ``taken``, the rows at ``start`` to ``stop``."""
    for r in range(start, stop):
        for c in range(columns.shape[0]):
            taken[r, c] = codes[rows[r], columns[c]]


@njit(cache=True, nogil=True, error_model="numpy")
def code_of(table, row, column):
    """Code of one cell."""
    codes, indptr, bins, first, zero_code = table
    if codes.size:
        return np.int64(codes[row, column])
    low, high = indptr[row], indptr[row + 1]
    while low < high:
        middle = (low + high) >> 1
        if bins[middle] < first[column]:
            low = middle + 1
        else:
            high = middle
    if low < indptr[row + 1] and bins[low] < first[column + 1]:
        return np.int64(bins[low] - first[column])
    return np.int64(zero_code[column])


@njit(cache=True, nogil=True, error_model="numpy")
def split_chunks(table, rows, buffer, chunks, columns, goes_left, n_left, start, stop):
    """Write the rows of the chunks ``start`` to ``stop`` to ``buffer``, those that go left first.

    Rows that go left keep their order, the others stand in the reverse order.

    Parameters
    ----------
    table : as in ``fill_histograms``
    rows, buffer : (m,)
    chunks : (c, 3) first and one-past-last position in ``rows``, and number of the node
    columns : (j,) column that splits each node
    goes_left : (j, 256) bool, by node and code
    n_left : (c,) output, rows of each chunk that go left
    """
    codes = table[0]
    for c in range(start, stop):
        node = chunks[c, 2]
        column, sides = columns[node], goes_left[node]
        low, high = chunks[c, 0], chunks[c, 1] - 1
        if codes.size:
            for r in range(chunks[c, 0], chunks[c, 1]):
                if r + _AHEAD < chunks[c, 1]:
                    prefetch(codes, np.intp(rows[r + _AHEAD]) * codes.shape[1] + column)
                i = rows[r]
                left = sides[codes[i, column]]
                buffer[low] = i
                buffer[high] = i
                low += left
                high -= not left
        else:
            for r in range(chunks[c, 0], chunks[c, 1]):
                i = rows[r]
                left = sides[code_of(table, i, column)]
                buffer[low] = i
                buffer[high] = i
                low += left
                high -= not left
        n_left[c] = low - chunks[c, 0]


@njit(cache=True, nogil=True, error_model="numpy")
def place_chunks(spans, chunks, n_left):
    """Where the two sides of each chunk go (c, 2), and where the right side of each node begins.

    Parameters
    ----------
    spans : (j, 2) first and one-past-last position of each node
    chunks, n_left : as in ``split_chunks``
    """
    middles = spans[:, 0].copy()
    for c in range(chunks.shape[0]):
        middles[chunks[c, 2]] += n_left[c]
    low, high = spans[:, 0].copy(), middles.copy()
    targets = np.empty((chunks.shape[0], 2), dtype=np.int64)
    for c in range(chunks.shape[0]):
        node = chunks[c, 2]
        targets[c] = low[node], high[node]
        low[node] += n_left[c]
        high[node] += chunks[c, 1] - chunks[c, 0] - n_left[c]
    return targets, middles


@njit(cache=True, nogil=True, error_model="numpy")
def join_chunks(rows, buffer, chunks, n_left, targets, start, stop):
    """Copy the rows of the chunks ``start`` to ``stop`` to where they belong, in their order.

    Parameters
    ----------
    rows : (m,) output
    buffer, chunks, n_left : as ``split_chunks`` left them
    targets : (c, 2), from ``place_chunks``
    """
    for c in range(start, stop):
        first, last = chunks[c, 0], chunks[c, 1]
        for k in range(n_left[c]):
            rows[targets[c, 0] + k] = buffer[first + k]
        for k in range(last - first - n_left[c]):
            rows[targets[c, 1] + k] = buffer[last - 1 - k]


@njit(cache=True, nogil=True, error_model="numpy")
def partition(table, rows, buffer, start, stop, column, goes_left):
    """Reorder the rows of one node, those that go left first; where the right side begins.

    Parameters
    ----------
    table, rows, buffer : as in ``split_chunks``
    start, stop : int, first and one-past-last position in ``rows``
    column : int
    goes_left : (256,) bool, by code
    """
    chunks = np.empty((1, 3), dtype=np.int64)
    chunks[0] = start, stop, 0
    columns = np.full(1, column)
    n_left = np.empty(1, dtype=np.int64)
    sides = goes_left.reshape((1, goes_left.shape[0]))
    split_chunks(table, rows, buffer, chunks, columns, sides, n_left, 0, 1)
    targets, middles = place_chunks(chunks[:, :2], chunks, n_left)
    join_chunks(rows, buffer, chunks, n_left, targets, 0, 1)
    return middles[0]


@njit(cache=True, nogil=True, error_model="numpy")
def rename_rows(names, rows, start, stop):
    """Replace the numbers at the positions ``start`` to ``stop`` of ``rows`` by their names."""
    for r in range(start, stop):
        rows[r] = names[rows[r]]


@njit(cache=True, nogil=True, error_model="numpy")
def mark_leaves(rows, spans, leaf_of, start, stop):
    """Write the number of its leaf to each of the rows ``start`` to ``stop``, -1 if it has none.

    Parameters
    ----------
    rows : (m,) those of each leaf in increasing order
    spans : (L, 2) first and one-past-last position of each leaf
    leaf_of : (n,) output
    """
    leaf_of[start:stop] = -1
    for leaf in range(spans.shape[0]):
        own = rows[spans[leaf, 0] : spans[leaf, 1]]
        for r in range(np.searchsorted(own, start), own.shape[0]):
            if own[r] >= stop:
                break
            leaf_of[own[r]] = leaf


@njit(cache=True, nogil=True, error_model="numpy")
def mark_sides(table, rows, names, start, stop, column, goes_left, leaves, leaf_of):
    """Write to the rows of a node which of its two leaves they are in; they are not moved.

    Parameters
    ----------
    table : as in ``fill_histograms``
    rows : (m,)
    names : (n,) what the rows are called in ``leaf_of``, or an empty array: the same
    start, stop : int, first and one-past-last position in ``rows``
    column : int
    goes_left : (256,) bool, by code
    leaves : (int, int)
    leaf_of : (N,) output
    """
    codes = table[0]
    for r in range(start, stop):
        i = rows[r]
        if codes.size:
            if r + _AHEAD < stop:
                prefetch(codes, np.intp(rows[r + _AHEAD]) * codes.shape[1] + column)
            left = goes_left[codes[i, column]]
        else:
            left = goes_left[code_of(table, i, column)]
        leaf_of[names[i] if names.size else i] = leaves[0] if left else leaves[1]


@njit(cache=True, nogil=True, error_model="numpy")
def route_rows(table, nodes, sides, label, leaf_of, start, stop):
    """Leaf number of those of the rows ``start`` to ``stop`` that have none yet.

    Parameters
    ----------
    table : as in ``fill_histograms``
    nodes : (n_nodes, 2) column and left child of each node; a leaf is its own child
    sides : (n_nodes, 4) uint64, a bit for each code that goes left; all of them in a leaf
    label : (n_nodes,) leaf numbers
    leaf_of : (n,) -1 where it is to be found
    """
    if table[0].size:
        _route_dense(table[0], nodes, sides, label, leaf_of, start, stop)
        return
    for i in range(start, stop):
        if leaf_of[i] >= 0:
            continue
        place = np.int32(0)
        while nodes[place, 1] != place:
            place = _next_place(nodes, sides, place, code_of(table, i, nodes[place, 0]))
        leaf_of[i] = label[place]


@njit(cache=True, nogil=True, error_model="numpy")
def _next_place(nodes, sides, place, code):
    """The node after ``place``; a leaf is its own."""
    code = np.uint64(code)
    word = sides[place, code >> np.uint64(6)] >> (code & np.uint64(63))
    return nodes[place, 1] + np.int32(~word & np.uint64(1))


@njit(cache=True, nogil=True, error_model="numpy")
def _route_dense(codes, nodes, sides, label, leaf_of, start, stop):
    """``route_rows`` for a few rows side by side, whose steps do not wait for each other."""
    rows = np.empty(_SIDE_BY_SIDE, dtype=np.int64)
    places = np.empty(_SIDE_BY_SIDE, dtype=np.int32)
    i = start
    while i < stop:
        n = 0
        while n < _SIDE_BY_SIDE and i < stop:
            rows[n] = i
            n += leaf_of[i] < 0
            i += 1
        places[:] = 0
        moved = np.int32(1)
        while moved:
            moved = np.int32(0)
            for k in range(n):
                place = places[k]
                places[k] = _next_place(nodes, sides, place, codes[rows[k], nodes[place, 0]])
                moved |= places[k] ^ place
        for k in range(n):
            leaf_of[rows[k]] = label[places[k]]
