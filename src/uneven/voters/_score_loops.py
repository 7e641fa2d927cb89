"""Compiled loops of score trees: histograms and split search.

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
    count_bits,
    prefetch,
    running2,
    running4,
    running8,
)

_BLOCK_BYTES = 1 << 19
_AHEAD = 16
_LEAST_GAIN = 1e-6


@njit(cache=True, nogil=True, error_model="numpy")
def _fetch_ahead(codes, values, rows, r, start, stop):
    """Prefetch the codes and gradients of a row that comes soon."""
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


@njit(cache=True, inline="always", nogil=True, error_model="numpy")
def _running_sides(histogram, first, n_bins, start, total, near, far, weight, bins):
    """Both sides of every cut of a column: squared gradients, curvature of the left side, its bin.

    ``start`` (lanes,) int32 is what goes left before the first bin. Empty bins are left out; how
    many are not is returned.
    """
    lanes = total.shape[0]
    if lanes == 8:
        return running8(histogram, first, n_bins, start, total, near, far, weight, bins)
    if lanes == 4:
        return running4(histogram, first, n_bins, start, total, near, far, weight, bins)
    return running2(histogram, first, n_bins, start, total, near, far, weight, bins)


@njit(cache=True, inline="always", nogil=True, error_model="numpy")
def _best_gain(near, far, weight, gains, size, total, rule):
    """Largest gain of the first ``size`` cuts and its place; (-1, -1) if all sides are too light.

    All gains are found at once: the loop becomes vector instructions.
    """
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
    """Arrays to write to for ``scan_column`` and, the last one, for ``scan_categories``.

    They are arguments of their own and the scans are inlined: to pass a tuple of arrays for every
    column takes longer than to scan few bins.
    """
    return (
        np.empty(256, dtype=np.float32),
        np.empty(256, dtype=np.float32),
        np.empty(256, dtype=np.int32),
        np.empty(256, dtype=np.int64),
        np.empty(256),
        np.zeros(lanes, dtype=np.int32),
        np.empty(256 * lanes, dtype=np.int32),
    )


@njit(cache=True, inline="always", nogil=True, error_model="numpy")
def scan_column(histogram, span, total, rule, near, far, weight, bins, gains, start):
    """Best cut of a column of numbers in one node.

    Parameters
    ----------
    histogram : (n_bins * lanes,) int32
    span : (first bin, bins of numbers, whether a bin of missing values follows)
    total : (lanes,) int32 sums of the node; the last lane is the curvature
    rule : (gradient unit, curvature unit, l2, min_weight)
    near, far, weight, bins, gains, start : from ``scan_room``

    Returns
    -------
    gain, cut, missing_left
        Codes up to ``cut`` go left; the gain is -1 if there is no split. Of equal gains the first
        cut counts, with missing values on the right.
    """
    first, n_bins, has_missing = span
    lanes = total.shape[0]
    start[:] = 0
    size = _running_sides(histogram, first, n_bins, start, total, near, far, weight, bins)
    if size and weight[size - 1] == total[lanes - 1]:
        size -= 1
    best, place = _best_gain(near, far, weight, gains, size, total, rule)
    cut = bins[place] if place >= 0 else -1
    missing = (first + n_bins) * lanes
    if not (has_missing and histogram[missing + lanes - 1] != 0):
        return best, cut, False
    for lane in range(lanes):
        start[lane] = histogram[missing + lane]
    size = _running_sides(histogram, first, n_bins, start, total, near, far, weight, bins)
    other, place = _best_gain(near, far, weight, gains, size, total, rule)
    if other > best or (other == best and place >= 0 and bins[place] < cut):
        return other, bins[place], True
    return best, cut, False


@njit(cache=True, nogil=True, error_model="numpy")
def scan_categories(
    histogram, first, orders, total, rule, near, far, weight, bins, gains, start, ordered
):
    """Best set of categories of a column in one node; as ``scan_column``.

    Once its bins are in order, such a column is one of numbers. ``cut`` is how many categories of
    the order go left, minus one, plus 256 times the number of the order. Of equal gains the first
    order counts.

    Parameters
    ----------
    histogram, total, rule : as in ``scan_column``
    first : int, first bin
    orders : (n_orders, n) codes, see :mod:`uneven.voters.category_orders`
    near, far, weight, bins, gains, start, ordered : from ``scan_room``
    """
    lanes = total.shape[0]
    span = (np.int64(0), np.int64(orders.shape[1]), False)
    best, best_cut = -1.0, np.int64(-1)
    for number in range(orders.shape[0]):
        for k in range(orders.shape[1]):
            at = (first + np.int64(orders[number, k])) * lanes
            ordered[k * lanes : (k + 1) * lanes] = histogram[at : at + lanes]
        gain, cut, _ = scan_column(
            ordered, span, total, rule, near, far, weight, bins, gains, start
        )
        if gain > best:
            best, best_cut = gain, (number << 8) + cut
    return best, best_cut, False


@njit(cache=True, inline="always", nogil=True, error_model="numpy")
def _scan(
    histogram, at, first, n_bins, has_missing, is_category, orders, c, total, rule,
    near, far, weight, bins, gains, start, ordered,
):  # fmt: skip
    """Best split of a node by a column of numbers or of categories, whose bins begin at ``at``."""
    if is_category[c]:
        own = orders[:, first[c] : first[c + 1]]
        return scan_categories(
            histogram, at, own, total, rule, near, far, weight, bins, gains, start, ordered
        )
    span = (at, n_bins[c], has_missing[c])
    return scan_column(histogram, span, total, rule, near, far, weight, bins, gains, start)


@njit(cache=True, nogil=True, error_model="numpy")
def scan_histograms(columns, pool, totals, jobs, rule, found, start_column, stop):
    """Best split of some nodes and their siblings by the columns ``start_column`` to ``stop``.

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
    first, n_bins, has_missing, is_category, orders = columns
    best_gains, cuts, missing_left = found
    lanes = totals.shape[1]
    near, far, weight, bins, gains, start, ordered = scan_room(lanes)
    for j in range(jobs.shape[0]):
        child, parent = jobs[j, 2], jobs[j, 3]
        part, own = pool[child], totals[child]
        whole, rest = pool[parent], totals[parent]
        for c in range(start_column, stop):
            best_gains[2 * j, c], cuts[2 * j, c], missing_left[2 * j, c] = _scan(
                part, first[c], first, n_bins, has_missing, is_category, orders, c, own, rule,
                near, far, weight, bins, gains, start, ordered,
            )  # fmt: skip
            if parent < 0:
                continue
            for k in range(first[c] * lanes, first[c + 1] * lanes):
                whole[k] -= part[k]
            best_gains[2 * j + 1, c], cuts[2 * j + 1, c], missing_left[2 * j + 1, c] = _scan(
                whole, first[c], first, n_bins, has_missing, is_category, orders, c, rest, rule,
                near, far, weight, bins, gains, start, ordered,
            )  # fmt: skip


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
def _accumulate_places(places, rows, values, histogram):
    """Add the gradients of ``rows`` into the bins ``places`` (m,)."""
    lanes = values.shape[1]
    if lanes == 8:
        for r in range(rows.shape[0]):
            add_bin8(histogram, np.intp(places[r]), values, np.intp(rows[r]))
    elif lanes == 4:
        for r in range(rows.shape[0]):
            add_bin4(histogram, np.intp(places[r]), values, np.intp(rows[r]))
    else:
        for r in range(rows.shape[0]):
            add_bin2(histogram, np.intp(places[r]), values, np.intp(rows[r]))


@njit(cache=True, inline="always", nogil=True, error_model="numpy")
def _pack_column(codes, column, rows, seen, before, places, used):
    """Number the codes of ``rows`` in one column in their order; how many there are.

    Parameters
    ----------
    codes : (n, d) uint8
    seen, before : (4,) uint64 and (5,) int64, room
    places : (m,) output, number of the code of each row
    used : (256,) output, code of each number
    """
    one, low, six = np.uint64(1), np.uint64(63), np.uint64(6)
    for word in range(4):
        seen[word] = 0
    for r in range(rows.shape[0]):
        code = np.uint64(codes[rows[r], column])
        seen[code >> six] |= one << (code & low)
    before[0] = 0
    for word in range(4):
        before[word + 1] = before[word] + count_bits(seen[word])
    for r in range(rows.shape[0]):
        code = np.uint64(codes[rows[r], column])
        lower = seen[code >> six] & ((one << (code & low)) - one)
        place = before[code >> six] + count_bits(lower)
        places[r] = place
        used[place] = np.int64(code)
    return before[4]


@njit(cache=True, nogil=True, error_model="numpy")
def examine_small_nodes(
    codes, columns, rows, spans, values, totals, rule, found, start_column, stop
):
    """Best splits of nodes with few rows: one column at a time, in a histogram that fits the cache.

    Where a column of numbers has more bins than the node has rows, the histogram has the bins of
    these rows only, so that the cost follows the rows.

    Parameters
    ----------
    codes : (n, d) uint8
    columns, rule, found : as in ``scan_histograms``, a row of ``found`` for each node
    rows : (m,)
    spans : (s, 2) where the rows of each node begin and end
    values : (n, lanes) int16 gradients
    totals : (s, lanes) int32 output, sums of the nodes
    """
    first, n_bins, has_missing, is_category, orders = columns
    best_gains, cuts, missing_left = found
    lanes = values.shape[1]
    near, far, weight, bins, gains, start, ordered = scan_room(lanes)
    room = np.zeros(256 * lanes, dtype=np.int32)
    total = np.empty(lanes, dtype=np.int32)
    seen, before = np.empty(4, dtype=np.uint64), np.empty(5, dtype=np.int64)
    places, used = np.empty(256, dtype=np.uint8), np.empty(256, dtype=np.int64)
    for s in range(spans.shape[0]):
        own = rows[spans[s, 0] : spans[s, 1]]
        sum_rows(own, values, total)
        for lane in range(lanes):
            totals[s, lane] = total[lane]
        for c in range(start_column, stop):
            if own.shape[0] < n_bins[c] and not is_category[c]:
                size = _pack_column(codes, c, own, seen, before, places, used)
                _accumulate_places(places, own, values, room)
                is_missing = size > 0 and used[size - 1] >= n_bins[c]
                span = (np.int64(0), size - np.int64(is_missing), is_missing)
                gain, cut, left = scan_column(
                    room, span, total, rule, near, far, weight, bins, gains, start
                )
                best_gains[s, c], missing_left[s, c] = gain, left
                cuts[s, c] = used[cut] if cut >= 0 else -1
                for k in range(size * lanes):
                    room[k] = 0
                continue
            _accumulate_column(codes, c, own, values, room)
            best_gains[s, c], cuts[s, c], missing_left[s, c] = _scan(
                room, np.int64(0), first, n_bins, has_missing, is_category, orders, c, total, rule,
                near, far, weight, bins, gains, start, ordered,
            )  # fmt: skip
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
