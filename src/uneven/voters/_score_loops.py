"""Compiled loops of score trees: histograms, split search, partition and routing of rows.

Gradients are whole numbers, so sums are exact: neither the order of the rows nor the number of
threads changes a bit. Accumulating over rows and scanning a histogram are separate loops, so that
histograms of several parts of a table can be added in between. Each loop has a slow NumPy twin in
the tests.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from uneven.costs._simd import (
    add_bin2,
    add_bin4,
    add_bin8,
    add_row2,
    add_row4,
    add_row8,
    prefetch,
    running2,
    running4,
    running8,
)

_BLOCK_BYTES = 1 << 19
_AHEAD = 16
_SIDE_BY_SIDE = 8
_LEAST_GAIN = 1e-6


@njit(cache=True, nogil=True, error_model="numpy")
def take_cells(codes, rows, columns, taken, start, stop):
    """Copy ``codes[rows][:, columns]`` to ``taken``, the rows at ``start`` to ``stop``."""
    for r in range(start, stop):
        for c in range(columns.shape[0]):
            taken[r, c] = codes[rows[r], columns[c]]


@njit(cache=True, nogil=True, error_model="numpy")
def _fetch_ahead(codes, values, rows, r, start, stop):
    """Ask for the codes and gradients of a row that comes soon."""
    if r + _AHEAD < rows.shape[0]:
        i = np.intp(rows[r + _AHEAD])
        prefetch(codes, i * codes.shape[1] + start)
        prefetch(codes, i * codes.shape[1] + stop - 1)
        prefetch(values, i * values.shape[1])


@njit(cache=True, nogil=True, error_model="numpy")
def _accumulate_dense(codes, first, rows, values, histogram, start, stop):
    """Add the gradients of ``rows`` into the bins of columns ``start`` to ``stop``."""
    d = codes.shape[1]
    lanes = values.shape[1]
    c = start
    while c < stop:
        last = c + 1
        while last < stop and (first[last + 1] - first[c]) * lanes * 4 <= _BLOCK_BYTES:
            last += 1
        width = last - c
        if lanes == 8:
            for r in range(rows.shape[0]):
                i = np.intp(rows[r])
                _fetch_ahead(codes, values, rows, r, c, last)
                add_row8(histogram, first, c, codes, i * d + c, width, values, i)
        elif lanes == 4:
            for r in range(rows.shape[0]):
                i = np.intp(rows[r])
                _fetch_ahead(codes, values, rows, r, c, last)
                add_row4(histogram, first, c, codes, i * d + c, width, values, i)
        else:
            for r in range(rows.shape[0]):
                i = np.intp(rows[r])
                _fetch_ahead(codes, values, rows, r, c, last)
                add_row2(histogram, first, c, codes, i * d + c, width, values, i)
        c = last


@njit(cache=True, nogil=True, error_model="numpy")
def _accumulate_sparse(indptr, bins, first, rows, values, histogram, start, stop):
    """The same for stored entries; the bins of the implicit zeros stay empty."""
    lanes = values.shape[1]
    low, high = first[start], first[stop]
    for r in range(rows.shape[0]):
        i = np.intp(rows[r])
        for k in range(indptr[i], indptr[i + 1]):
            bin_ = np.intp(bins[k])
            if low <= bin_ < high:
                if lanes == 8:
                    add_bin8(histogram, bin_, values, i)
                elif lanes == 4:
                    add_bin4(histogram, bin_, values, i)
                else:
                    add_bin2(histogram, bin_, values, i)


@njit(cache=True, nogil=True, error_model="numpy")
def sum_rows(rows, values, total):
    """Sum of the gradients of ``rows``, written to ``total`` (lanes,)."""
    total[:] = 0
    lanes = values.shape[1]
    for r in range(rows.shape[0]):
        for lane in range(lanes):
            total[lane] += values[rows[r], lane]


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_zero_bins(first, zero_code, histogram, total, start, stop):
    """Give the bin of the implicit zeros what the stored entries of a column leave over."""
    lanes = total.shape[0]
    for c in range(start, stop):
        zero = (first[c] + zero_code[c]) * lanes
        for lane in range(lanes):
            stored = np.int32(0)
            for b in range(first[c], first[c + 1]):
                stored += histogram[b * lanes + lane]
            histogram[zero + lane] += total[lane] - stored


@njit(cache=True, nogil=True, error_model="numpy")
def _total_of_column(histogram, first, column, total):
    """Sum of the bins of one column, which is the sum of the node.

    Every thread writes it, from a column of its own: nothing else may ever stand in ``total``.
    """
    lanes = total.shape[0]
    for lane in range(lanes):
        whole = np.int32(0)
        for b in range(first[column], first[column + 1]):
            whole += histogram[b * lanes + lane]
        total[lane] = whole


@njit(cache=True, nogil=True, error_model="numpy")
def fill_histograms(table, rows, jobs, values, pool, totals, parents, start, stop):
    """Histograms of some nodes, for columns ``start`` to ``stop``, and sums of their siblings.

    Parameters
    ----------
    table : (codes, indptr, bins, first, zero_code)
        Codes of a dense table (n, d), or an empty array and the bins of a sparse one by row.
    rows : (m,) row numbers, those of a node next to each other
    jobs : (j, 4) first and one-past-last position in ``rows``, histogram to fill, histogram of the
        parent or -1; the parent's is to become that of the sibling, see ``scan_histograms``
    values : (n, lanes) int16 gradients
    pool : (n_histograms, n_bins * lanes) int32
    totals : (n_histograms, lanes) int32 sums of the nodes, output; of a sparse table the sums of
        the nodes to fill are input
    parents : (j, lanes) int32 sums of the parents
    """
    if start == stop:
        return
    codes, indptr, bins, first, zero_code = table
    lanes = values.shape[1]
    low, high = first[start] * lanes, first[stop] * lanes
    for j in range(jobs.shape[0]):
        child, parent = jobs[j, 2], jobs[j, 3]
        histogram = pool[child]
        histogram[low:high] = 0
        own = rows[jobs[j, 0] : jobs[j, 1]]
        if codes.size:
            _accumulate_dense(codes, first, own, values, histogram, start, stop)
            _total_of_column(histogram, first, start, totals[child])
        else:
            _accumulate_sparse(indptr, bins, first, own, values, histogram, start, stop)
            _fill_zero_bins(first, zero_code, histogram, totals[child], start, stop)
        if parent >= 0:
            for lane in range(lanes):
                totals[parent, lane] = parents[j, lane] - totals[child, lane]


@njit(cache=True, nogil=True, error_model="numpy")
def _running_sides(histogram, first, n_bins, start, total, sides):
    """Both sides of every cut of a column: squared gradients, curvature of the left side, its bin.

    ``start`` (lanes,) int32 is what goes left before the first bin. Empty bins are left out; how
    many are not is returned.
    """
    near, far, weight, bins = sides
    lanes = total.shape[0]
    if lanes == 8:
        return running8(histogram, first, n_bins, start, total, near, far, weight, bins)
    if lanes == 4:
        return running4(histogram, first, n_bins, start, total, near, far, weight, bins)
    return running2(histogram, first, n_bins, start, total, near, far, weight, bins)


@njit(cache=True, nogil=True, error_model="numpy")
def _best_gain(sides, gains, size, total, rule):
    """Largest gain of the first ``size`` cuts and its place; (-1, -1) if all sides are too light.

    All gains are found at once: the loop becomes vector instructions.
    """
    near, far, weight, _ = sides
    unit, curvature_unit, l2, min_weight = rule
    whole = total[total.shape[0] - 1]
    square = unit * unit
    for k in range(size):
        light = np.float64(weight[k]) * curvature_unit
        rest = np.float64(np.int32(whole - weight[k])) * curvature_unit
        fits = (light >= min_weight) & (rest >= min_weight)
        light += l2
        rest += l2
        above = (np.float64(near[k]) * rest + np.float64(far[k]) * light) * square
        gains[k] = above / (light * rest) if fits else -1.0
    best, place = -1.0, -1
    for k in range(size):
        if gains[k] > best:
            best, place = gains[k], k
    return best, place


@njit(cache=True, nogil=True, error_model="numpy")
def scan_room(lanes):
    """What ``scan_column`` and ``scan_categories`` need besides their arguments."""
    sides = (
        np.empty(256, dtype=np.float32),
        np.empty(256, dtype=np.float32),
        np.empty(256, dtype=np.int32),
        np.empty(256, dtype=np.int64),
    )
    ordered = np.empty(256 * lanes, dtype=np.int32)
    return sides, np.empty(256), np.zeros(lanes, dtype=np.int32), ordered


@njit(cache=True, nogil=True, error_model="numpy")
def scan_column(histogram, span, total, rule, scratch):
    """Best cut of a column of numbers in one node.

    Parameters
    ----------
    histogram : (n_bins * lanes,) int32
    span : (first bin, bins of numbers, whether a bin of missing values follows)
    total : (lanes,) int32 sums of the node; the last lane is the curvature
    rule : (gradient unit, curvature unit, l2, min_weight)
    scratch : from ``scan_room``

    Returns
    -------
    gain, cut, missing_left
        Codes up to ``cut`` go left; the gain is -1 if there is no split. Of equal gains the first
        cut counts, with missing values on the right.
    """
    first, n_bins, has_missing = span
    sides, gains, start, _ = scratch
    lanes = total.shape[0]
    start[:] = 0
    size = _running_sides(histogram, first, n_bins, start, total, sides)
    weight, bins = sides[2], sides[3]
    if size and weight[size - 1] == total[lanes - 1]:
        size -= 1
    best, place = _best_gain(sides, gains, size, total, rule)
    cut = bins[place] if place >= 0 else -1
    missing = (first + n_bins) * lanes
    if not (has_missing and histogram[missing + lanes - 1] != 0):
        return best, cut, False
    for lane in range(lanes):
        start[lane] = histogram[missing + lane]
    size = _running_sides(histogram, first, n_bins, start, total, sides)
    other, place = _best_gain(sides, gains, size, total, rule)
    if other > best or (other == best and place >= 0 and bins[place] < cut):
        return other, bins[place], True
    return best, cut, False


@njit(cache=True, nogil=True, error_model="numpy")
def scan_categories(histogram, first, orders, total, rule, scratch):
    """Best set of categories of a column in one node; as ``scan_column``.

    Once its bins are in order, such a column is one of numbers. ``cut`` is how many categories of
    the order go left, minus one, plus 256 times the number of the order. Of equal gains the first
    order counts.

    Parameters
    ----------
    histogram, total, rule, scratch : as in ``scan_column``
    first : int, first bin
    orders : (n_orders, n) codes, see :mod:`uneven.voters.category_orders`
    """
    lanes = total.shape[0]
    ordered = scratch[3]
    span = (np.int64(0), np.int64(orders.shape[1]), False)
    best, best_cut = -1.0, np.int64(-1)
    for number in range(orders.shape[0]):
        for k in range(orders.shape[1]):
            at = (first + np.int64(orders[number, k])) * lanes
            ordered[k * lanes : (k + 1) * lanes] = histogram[at : at + lanes]
        gain, cut, _ = scan_column(ordered, span, total, rule, scratch)
        if gain > best:
            best, best_cut = gain, (number << 8) + cut
    return best, best_cut, False


@njit(cache=True, nogil=True, error_model="numpy")
def _scan(histogram, at, columns, c, total, rule, scratch):
    """Best split of a node by a column of numbers or of categories, whose bins begin at ``at``."""
    first, n_bins, has_missing, is_category, orders = columns
    if is_category[c]:
        own = orders[:, first[c] : first[c + 1]]
        return scan_categories(histogram, at, own, total, rule, scratch)
    return scan_column(histogram, (at, n_bins[c], has_missing[c]), total, rule, scratch)


@njit(cache=True, nogil=True, error_model="numpy")
def scan_histograms(columns, pool, totals, jobs, rule, found, start, stop):
    """Best split of some nodes and of their siblings by each of the columns ``start`` to ``stop``.

    The histogram of a sibling is what that of the node leaves of the parent's, in its place.

    Parameters
    ----------
    columns : (first, n_bins, has_missing, is_category, orders)
        First bin of each column and the end (d + 1,), bins of its values (d,), whether a bin of
        missing values follows (d,), whether the values are categories (d,), and the orders of
        these, see ``scan_categories``, where the bins of the column are (n_orders, n_bins).
    pool, totals, jobs : as in ``fill_histograms``
    rule : (gradient unit, curvature unit, l2, min_weight)
    found : (gain, cut, missing_left), outputs, each (2 j, d): a node, then its sibling
    """
    first = columns[0]
    gains, cuts, missing_left = found
    lanes = totals.shape[1]
    scratch = scan_room(lanes)
    for j in range(jobs.shape[0]):
        child, parent = jobs[j, 2], jobs[j, 3]
        for c in range(start, stop):
            gains[2 * j, c], cuts[2 * j, c], missing_left[2 * j, c] = _scan(
                pool[child], first[c], columns, c, totals[child], rule, scratch
            )
            if parent < 0:
                continue
            whole, part = pool[parent], pool[child]
            for k in range(first[c] * lanes, first[c + 1] * lanes):
                whole[k] -= part[k]
            gains[2 * j + 1, c], cuts[2 * j + 1, c], missing_left[2 * j + 1, c] = _scan(
                whole, first[c], columns, c, totals[parent], rule, scratch
            )


@njit(cache=True, nogil=True, error_model="numpy")
def join_and_scan(columns, pool, totals, jobs, parts, rule, found, start, stop):
    """``scan_histograms``, after the histograms of parts of a node are added up.

    Parameters
    ----------
    columns, pool, totals, jobs, rule, found : as in ``scan_histograms``
    parts : (p,) histograms of the parts; the first becomes that of the node
    """
    lanes = totals.shape[1]
    whole = pool[parts[0]]
    for p in range(1, parts.shape[0]):
        part = pool[parts[p]]
        for k in range(columns[0][start] * lanes, columns[0][stop] * lanes):
            whole[k] += part[k]
    scan_histograms(columns, pool, totals, jobs, rule, found, start, stop)


@njit(cache=True, nogil=True, error_model="numpy")
def examine_nodes(
    table, columns, rows, jobs, values, pool, totals, parents, rule, found, start, stop
):
    """``fill_histograms``, then ``scan_histograms``, where the rows are all here."""
    fill_histograms(table, rows, jobs, values, pool, totals, parents, start, stop)
    scan_histograms(columns, pool, totals, jobs, rule, found, start, stop)


@njit(cache=True, nogil=True, error_model="numpy")
def _accumulate_column(codes, column, rows, values, histogram):
    """Add the gradients of ``rows`` into the bins of one column, from 0 on."""
    lanes = values.shape[1]
    if lanes == 8:
        for r in range(rows.shape[0]):
            i = np.intp(rows[r])
            add_bin8(histogram, np.intp(codes[i, column]), values, i)
    elif lanes == 4:
        for r in range(rows.shape[0]):
            i = np.intp(rows[r])
            add_bin4(histogram, np.intp(codes[i, column]), values, i)
    else:
        for r in range(rows.shape[0]):
            i = np.intp(rows[r])
            add_bin2(histogram, np.intp(codes[i, column]), values, i)


@njit(cache=True, nogil=True, error_model="numpy")
def examine_small_nodes(codes, columns, rows, spans, values, totals, rule, found, start, stop):
    """Best splits of nodes with few rows: one column at a time, in a histogram that fits the cache.

    Parameters
    ----------
    codes : (n, d) uint8
    columns, rule, found : as in ``scan_histograms``, a row of ``found`` for each node
    rows : (m,)
    spans : (s, 2) where the rows of each node begin and end
    values : (n, lanes) int16 gradients
    totals : (s, lanes) int32 output, sums of the nodes
    """
    first = columns[0]
    gains, cuts, missing_left = found
    lanes = values.shape[1]
    scratch = scan_room(lanes)
    room = np.zeros(256 * lanes, dtype=np.int32)
    total = np.empty(lanes, dtype=np.int32)
    for s in range(spans.shape[0]):
        own = rows[spans[s, 0] : spans[s, 1]]
        sum_rows(own, values, total)
        for lane in range(lanes):
            totals[s, lane] = total[lane]
        for c in range(start, stop):
            _accumulate_column(codes, c, own, values, room)
            gains[s, c], cuts[s, c], missing_left[s, c] = _scan(
                room, np.int64(0), columns, c, total, rule, scratch
            )
            room[: (first[c + 1] - first[c]) * lanes] = 0


@njit(cache=True, nogil=True, error_model="numpy")
def best_columns(found, totals, rule, best):
    """The best column of each node, and by how much it gains.

    Parameters
    ----------
    found : as in ``scan_histograms``
    totals : (s, lanes) int32 sums of the nodes
    rule : as in ``scan_histograms``
    best : (s, 5) output: gain over the unsplit node, column, cut, side of missing values, and
        curvature of the node; a gain of 0 means that no split gains anything
    """
    gains, cuts, missing_left = found
    unit, curvature_unit, l2, _ = rule
    lanes = totals.shape[1]
    for s in range(totals.shape[0]):
        column = 0
        for c in range(1, gains.shape[1]):
            if gains[s, c] > gains[s, column]:
                column = c
        square = 0.0
        for lane in range(lanes - 1):
            square += np.float64(totals[s, lane]) ** 2
        weight = totals[s, lanes - 1]
        unsplit = square * unit * unit / (weight * curvature_unit + l2 + 1e-300)
        gain = gains[s, column] - unsplit
        best[s, 0] = gain if gain > _LEAST_GAIN * unsplit else 0.0
        best[s, 1] = column
        best[s, 2] = cuts[s, column]
        best[s, 3] = missing_left[s, column]
        best[s, 4] = weight


@njit(cache=True, nogil=True, error_model="numpy")
def column_histogram(codes, column, rows, values, histogram):
    """Histogram (n_bins * lanes,) of one column of a dense table."""
    histogram[:] = 0
    _accumulate_column(codes, column, rows, values, histogram)


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
    """Write the number of each leaf to those of its rows at the positions ``start`` to ``stop``.

    Parameters
    ----------
    rows : (m,)
    spans : (L, 2) first and one-past-last position of each leaf
    leaf_of : (n,) output
    """
    for leaf in range(spans.shape[0]):
        for r in range(max(start, spans[leaf, 0]), min(stop, spans[leaf, 1])):
            leaf_of[rows[r]] = leaf


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
