"""Compiled search for the best cuts of columns that are entries in the order of their codes.

A column is a list of rows and codes. Rows that are not in the list share one code, the rest code of
the column: zero in a sparse column, the most frequent code in a dense one. What these rows sum to
is what the entries leave over of their slot, so a column costs as much as it has entries.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from uneven.costs._simd import add_lanes4, aligned_empty
from uneven.voters._loops import MISSING
from uneven.voters._split_loops import COST, best_cut, class_lanes

NO_REST = -1
"""Rest code of a column that has an entry for every row."""

_REST_SHARE = 0.25


@njit(cache=True, nogil=True, error_model="numpy")
def find_rest_codes(codes, rest, sizes, start, stop):
    """Most frequent code of each dense column, if a quarter of the rows has it.

    Parameters
    ----------
    codes : (d, n) uint8
    rest : (d,) output, ``NO_REST`` if no code is so frequent
    sizes : (d,) output, rows with another code
    """
    n = codes.shape[1]
    counts = np.zeros(MISSING + 1, dtype=np.int64)
    for f in range(start, stop):
        for i in range(n):
            counts[codes[f, i]] += 1
        top = np.int64(0)
        for i in range(n):
            code = codes[f, i]
            if counts[code] > counts[top] or (counts[code] == counts[top] and code < top):
                top = np.int64(code)
        frequent = counts[top] > _REST_SHARE * n
        rest[f] = top if frequent else NO_REST
        sizes[f] = n - counts[top] if frequent else n
        for i in range(n):
            counts[codes[f, i]] = 0


@njit(cache=True, nogil=True, error_model="numpy")
def collect_entries(codes, rest, indptr, rows, entry_codes, start, stop):
    """Rows of each dense column that do not have the rest code, in the order of their codes.

    Parameters
    ----------
    codes : (d, n) uint8
    rest : (d,) see ``find_rest_codes``
    indptr : (d + 1,) first entry of every column
    rows, entry_codes : (n_entries,) outputs
    """
    n = codes.shape[1]
    places = np.empty(MISSING + 2, dtype=np.int64)
    for f in range(start, stop):
        places[:] = 0
        for i in range(n):
            places[np.intp(codes[f, i]) + 1] += codes[f, i] != rest[f]
        places[0] = indptr[f]
        for before in range(MISSING + 1):
            places[before + 1] += places[before]
        for i in range(n):
            code = np.intp(codes[f, i])
            if code != rest[f]:
                rows[places[code]] = i
                entry_codes[places[code]] = code
                places[code] += 1


@njit(cache=True, nogil=True, error_model="numpy")
def sort_entries(indptr, rows, codes):
    """Bring the entries of each column in the order of their codes, equal codes by row."""
    for f in range(indptr.shape[0] - 1):
        low, high = indptr[f], indptr[f + 1]
        order = np.argsort(codes[low:high], kind="mergesort")
        rows[low:high] = rows[low:high][order]
        codes[low:high] = codes[low:high][order]


@njit(cache=True, nogil=True, error_model="numpy")
def fill_entries(table, columns, n_bins, slots, matrix, histograms):
    """``_split_loops.fill_splits`` for columns that are entries.

    Parameters
    ----------
    table : as for ``entry_splits``; the entries may be in any order
    columns, n_bins, slots, matrix, histograms : as for ``_split_loops.fill_splits``
    """
    indptr, rows, codes, rest = table
    n_slots, _, lanes = histograms.shape
    totals = np.zeros((n_slots, lanes))
    for i in range(matrix.shape[0]):
        own = np.intp(slots[i]) if slots.size else 0
        if own >= 0:
            totals[own] += matrix[i]
    first = 0
    for c in range(columns.shape[0]):
        f = columns[c]
        used = n_bins[f]
        for k in range(indptr[f], indptr[f + 1]):
            row = np.intp(rows[k])
            own = np.intp(slots[row]) if slots.size else 0
            if own >= 0:
                histograms[own, first + min(np.intp(codes[k]), used)] += matrix[row]
        for slot in range(n_slots):
            for lane in range(lanes):
                stored = 0.0
                for b in range(first, first + used + 1):
                    stored += histograms[slot, b, lane]
                histograms[slot, first + rest[f], lane] += totals[slot, lane] - stored
        first += used + 1


@njit(cache=True, nogil=True, error_model="numpy")
def row_gains(level, rule, gains):
    """How much moving a row to the other side of a split can save at most.

    For summed cost, the cheapest class of the row's side gains at most its most costly one, that of
    the other side at most its cheapest one. For least squares it is the squared distance of the
    row from its slot's mean, per unit of weight; by the inequality of Cauchy and Schwarz the gains
    of the rows of one side add up to at least ``|sum of deviations|² / weight`` of that side.

    Parameters
    ----------
    level, rule : as for ``histogram_splits``
    gains : (n,) output
    """
    slots, matrix, totals = level
    n_classes, criterion, _ = rule
    for i in range(matrix.shape[0]):
        gains[i] = 0.0
        slot = slots[i] if slots.size else 0
        weight = matrix[i, n_classes]
        if slot < 0 or weight == 0.0:
            continue
        if criterion == COST:
            low, high = matrix[i, 0], matrix[i, 0]
            for lane in range(1, n_classes):
                low = min(low, matrix[i, lane])
                high = max(high, matrix[i, lane])
            gains[i] = high - low
            continue
        share = weight / totals[slot, n_classes]
        for lane in range(n_classes):
            away = matrix[i, lane] - share * totals[slot, lane]
            gains[i] += away * away
        gains[i] /= weight


@njit(cache=True, nogil=True, error_model="numpy")
def _floor(unsplit, gain, weight, total, criterion):
    """Cost that no cut of a column gets below, if entries may gain so much in all.

    One side of a cut holds entries only, since rows without an entry stay together.
    """
    if criterion == COST:
        return unsplit - gain
    if weight >= total:
        return -np.inf
    return unsplit - gain * total / (total - weight)


@njit(cache=True, nogil=True, error_model="numpy")
def _promising(slot, gain, weight, totals, limits, rule):
    """Whether a slot may be split for less than the lowest cost so far by entries of this gain."""
    n_classes, criterion, tie = rule
    unsplit, best = limits[0, slot], limits[1, slot]
    slack = tie if criterion == COST else tie * abs(best)
    floor = _floor(unsplit, gain, weight, totals[slot, n_classes], criterion)
    return best == np.inf or floor <= best + 2.0 * slack


@njit(cache=True, nogil=True, error_model="numpy")
def _tally(rows, low, high, slots, matrix, gains, n_classes, tallies, starts):
    """Gain and weight of the entries of each slot (2, n_slots), and where they start."""
    tallies[:] = 0.0
    starts[:] = 0
    for k in range(low, high):
        slot = np.intp(slots[rows[k]]) if slots.size else 0
        if slot >= 0:
            starts[slot + 1] += 1
            tallies[0, slot] += gains[rows[k]]
            tallies[1, slot] += matrix[rows[k], n_classes]
    for slot in range(1, starts.shape[0]):
        starts[slot] += starts[slot - 1]


@njit(cache=True, nogil=True, error_model="numpy")
def _by_slot(rows, codes, low, high, slots, starts, places, own_rows, own_codes):
    """Bring the entries of a column in the order of their slots."""
    for s in range(places.shape[0]):
        places[s] = starts[s]
    for k in range(low, high):
        slot = np.intp(slots[rows[k]])
        if slot >= 0:
            own_rows[places[slot]] = rows[k]
            own_codes[places[slot]] = codes[k]
            places[slot] += 1


@njit(cache=True, nogil=True, error_model="numpy")
def _sum_apart(rows, codes, low, high, matrix, totals, slot, rest, sums):
    """Sums of a slot's missing values and of its rows without an entry, for ``best_cut``."""
    lanes = matrix.shape[1]
    sums[3 * lanes :] = 0.0
    if rest == NO_REST and (high == low or codes[high - 1] != MISSING):
        return
    for k in range(low, high):
        for q in range(0, lanes, 4):
            add_lanes4(sums, 4 * lanes + q, matrix, np.intp(rows[k]) * lanes + q)
            if codes[k] == MISSING:
                add_lanes4(sums, 3 * lanes + q, matrix, np.intp(rows[k]) * lanes + q)
    for lane in range(lanes):
        sums[4 * lanes + lane] = totals[slot, lane] - sums[4 * lanes + lane]
        if rest == MISSING:
            sums[3 * lanes + lane] += sums[4 * lanes + lane]


@njit(cache=True, nogil=True, error_model="numpy")
def entry_splits(
    table, columns, limits, level, rule, values, cuts, missing_left, lefts, start, stop
):
    """Best split of every slot by each of the columns ``columns[start:stop]``.

    A column whose entries are too few or too light to be cheaper than the best one so far gets an
    infinite cost: it would not be chosen.

    Parameters
    ----------
    table : (indptr, rows, codes, rest)
        Entries of every column in the order of their codes, and its rest code.
    limits : (gains, unsplit)
        See ``row_gains`` (n,); costs of leaving the slots as they are (n_slots,).
    columns, level, rule, values, cuts, missing_left, lefts : as for ``histogram_splits``
    """
    indptr, rows, codes, rest = table
    gains, unsplit = limits
    slots, matrix, totals = level
    n_classes = rule[0]
    n_slots, lanes = totals.shape
    allowed = class_lanes(lanes, n_classes)
    bounds = np.full((2, n_slots), np.inf)
    for s in range(n_slots):
        bounds[0, s] = unsplit[s]
    whole, starts = np.zeros(n_slots + 1, dtype=np.int64), np.zeros(n_slots + 1, dtype=np.int64)
    tallies, places = np.zeros((2, n_slots)), np.empty(n_slots, dtype=np.int64)
    everyone = np.arange(matrix.shape[0])
    _tally(everyone, 0, len(everyone), slots, matrix, gains, n_classes, tallies, whole)
    own_rows = np.empty(matrix.shape[0], dtype=rows.dtype)
    own_codes = np.empty(matrix.shape[0], dtype=codes.dtype)
    by_row, by_code = (own_rows, own_codes) if slots.size else (rows, codes)
    sums = aligned_empty(5 * lanes)
    for c in range(start, stop):
        f = columns[c]
        first, end = indptr[f], indptr[f + 1]
        if rest[f] == NO_REST:
            for s in range(n_slots + 1):
                starts[s] = whole[s]
        else:
            _tally(rows, first, end, slots, matrix, gains, n_classes, tallies, starts)
        if slots.size:
            _by_slot(rows, codes, first, end, slots, starts, places, own_rows, own_codes)
        shift = 0 if slots.size else first
        for s in range(n_slots):
            low, high = starts[s] + shift, starts[s + 1] + shift
            value, cut, side = np.inf, -1, False
            sums[2 * lanes : 3 * lanes] = 0.0
            if high > low and (
                rest[f] == NO_REST
                or _promising(s, tallies[0, s], tallies[1, s], totals, bounds, rule)
            ):
                _sum_apart(by_row, by_code, low, high, matrix, totals, s, rest[f], sums)
                value, cut, side = best_cut(
                    by_row, by_code, low, high, 0, matrix, gains, totals, s,
                    rest[f] if rest[f] < MISSING else NO_REST, allowed, rule, sums,
                )  # fmt: skip
                bounds[1, s] = min(bounds[1, s], value)
            values[s, c] = value
            if cuts.size:
                cuts[s, c], missing_left[s, c] = cut, side
                lefts[s, c] = sums[2 * lanes : 3 * lanes]
