"""Compiled search for the best cuts of a cost tree: one walk over sums in the order of codes.

What is walked over are the bins of a histogram here, and the rows of a node in ``_entry_loops``,
for tables of few rows and sparse ones.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from uneven.costs._simd import (
    add_lanes4,
    add_lanes8,
    aligned_empty,
    least_lanes4,
    square_lanes4,
)
from uneven.voters._loops import MISSING

COST, LEAST_SQUARES = 0, 1
"""Split criteria: summed cost of the two best predictions, or squared residuals of the costs."""

_CHUNK_NUMBERS = 32_768
_TILE_NUMBERS = 51_200


@njit(cache=True, nogil=True, error_model="numpy")
def class_lanes(lanes, n_classes):
    """0 for the lanes of classes, infinity for others, shape (lanes,)."""
    allowed = np.zeros(lanes)
    allowed[n_classes:] = np.inf
    return allowed


@njit(cache=True, nogil=True, error_model="numpy")
def is_cheaper(value, best, criterion, tie):
    """Whether ``value`` is below ``best`` by more than a tie.

    ``tie`` is absolute for the cost criterion, relative for least squares.
    """
    return value < best - (tie if criterion == COST else tie * abs(value))


@njit(cache=True, nogil=True, error_model="numpy")
def add_row(target, to, matrix, row, eights, fours):
    """Add a row of the cost matrix to ``target`` from position ``to`` on."""
    lanes = matrix.shape[1]
    at = row * lanes
    for k in range(eights):
        add_lanes8(target, to + 8 * k, matrix, at + 8 * k)
    if fours:
        add_lanes4(target, to + lanes - 4, matrix, at + lanes - 4)


@njit(cache=True, nogil=True, error_model="numpy")
def _accumulate_all(codes, n_bins, matrix, histogram, offset, first, last):
    """Add rows ``first`` to ``last`` into the one histogram at ``offset``."""
    lanes = matrix.shape[1]
    if lanes == 8:
        for i in range(first, last):
            add_lanes8(histogram, offset + min(np.intp(codes[i]), n_bins) * 8, matrix, i * 8)
    elif lanes == 4:
        for i in range(first, last):
            add_lanes4(histogram, offset + min(np.intp(codes[i]), n_bins) * 4, matrix, i * 4)
    else:
        eights, fours = lanes // 8, lanes % 8
        for i in range(first, last):
            bin_ = min(np.intp(codes[i]), n_bins)
            add_row(histogram, offset + bin_ * lanes, matrix, i, eights, fours)


@njit(cache=True, nogil=True, error_model="numpy")
def _accumulate_slots(codes, n_bins, slots, matrix, histogram, offset, first, last):
    """Add rows ``first`` to ``last`` into the histograms of their slots; slot -1 is left out."""
    lanes = matrix.shape[1]
    eights, fours = lanes // 8, lanes % 8
    for i in range(first, last):
        if slots[i] >= 0:
            bin_ = np.intp(slots[i]) * (n_bins + 1) + min(np.intp(codes[i]), n_bins)
            if lanes == 8:
                add_lanes8(histogram, offset + bin_ * 8, matrix, i * 8)
            else:
                add_row(histogram, offset + bin_ * lanes, matrix, i, eights, fours)


@njit(cache=True, nogil=True, error_model="numpy")
def best_cut(rows, codes, low, high, shift, matrix, gains, totals, slot, rest, allowed, rule, sums):
    """Best cut of one column in one slot.

    Everything is in one function on purpose: a call with arrays counts references, which takes
    longer than computing the cost of a cut.

    Parameters
    ----------
    rows, codes : row of ``matrix`` and code of each part of the slot, in the order of the codes
        From ``low`` to ``high``, and ``shift`` is added to the rows. Parts of no weight count for
        nothing; missing values come last.
    matrix : (n, lanes) sums of the parts
    gains : (n,) see ``row_gains``; empty if the cost of every cut is to be computed
    totals : (n_slots, lanes) sums of the slots
    rest : int, code of the rows that have no part of their own, -1 if there are none
    allowed : (lanes,) see ``class_lanes``
    rule : (n_classes, criterion, tie), see ``is_cheaper``
    sums : (5 * lanes,)
        Of the left side, of it with missing values, of the best left side (output), of the missing
        values, and of the rows that have no part.

    Returns
    -------
    value, cut, missing_left
        Codes up to ``cut`` go left; ``cut`` is -1 if the column cannot split the slot.
    """
    n_classes, criterion, tie = rule
    lanes = allowed.shape[0]
    to, total = slot * lanes, totals[slot, n_classes]
    n_sides = 2 if sums[3 * lanes + n_classes] > 0.0 else 1
    best, cut, side = np.inf, np.int64(-1), False
    last, floor = np.int64(-1), -np.inf
    sums[: 3 * lanes] = 0.0
    k = low
    waiting = rest >= 0 and sums[4 * lanes + n_classes] > 0.0
    while k <= high:
        is_over = k == high or codes[k] == MISSING
        takes_rest = waiting and (is_over or codes[k] >= rest)
        row = np.intp(0)
        if not (takes_rest or is_over):
            row = np.intp(rows[k]) + shift
            if matrix[row, n_classes] == 0.0:
                k += 1
                continue
        code = np.int64(rest if takes_rest else (-2 if is_over else codes[k]))
        if code != last:
            if last >= 0 and (floor < best - tie or cut < 0) and sums[n_classes] < total:
                for other in range(n_sides):
                    at = other * lanes
                    if other:
                        for lane in range(lanes):
                            sums[at + lane] = sums[lane] + sums[3 * lanes + lane]
                    weight = sums[at + n_classes]
                    if criterion == COST:
                        near, far = np.inf, np.inf
                        for q in range(0, lanes, 4):
                            near, far = least_lanes4(
                                sums, at + q, totals, to + q, allowed, q, near, far
                            )
                        value = near + far
                        floor = value if n_sides == 1 and gains.size else -np.inf
                    else:
                        near, far = 0.0, 0.0
                        for q in range(0, lanes, 4):
                            near, far = square_lanes4(
                                sums, at + q, totals, to + q, allowed, q, near, far
                            )
                        value = -near / weight - far / (total - weight)
                    if (not other and cut < 0) or (
                        weight < total and is_cheaper(value, best, criterion, tie)
                    ):
                        best, cut, side = value, last, other == 1
                        for lane in range(lanes):
                            sums[2 * lanes + lane] = sums[at + lane]
            last = code
        if takes_rest:
            for lane in range(lanes):
                sums[lane] += sums[4 * lanes + lane]
            waiting, floor = False, -np.inf
            continue
        if is_over:
            break
        if gains.size:
            floor -= gains[row]
        for q in range(0, lanes, 4):
            add_lanes4(sums, q, matrix, row * lanes + q)
        k += 1
    if cut >= 0 and n_sides == 1:
        side = 2.0 * sums[2 * lanes + n_classes] >= total
    return best, cut, side


@njit(cache=True, nogil=True, error_model="numpy")
def histogram_splits(
    codes, columns, n_bins, level, rule, values, cuts, missing_left, lefts, start, stop
):
    """Best split of every slot by each of the columns ``columns[start:stop]``.

    Parameters
    ----------
    codes : (d, n) uint8
    columns : (c,) column positions to try
    n_bins : (d,) codes in use
    level : (slots, matrix, totals)
        Slot of each row (n,), -1 for none, empty if all rows are in slot 0; snapped costs
        (n, lanes); sums of the slots (n_slots, lanes).
    rule : (n_classes, criterion, tie), see ``is_cheaper``
    values : (n_slots, c) output
    cuts, missing_left : (n_slots, c) outputs, or empty
    lefts : (n_slots, c, lanes) output, sums of the left side, or empty
    """
    slots, matrix, totals = level
    n_slots, lanes = totals.shape
    histogram = aligned_empty(_widest(columns, n_bins, n_slots * lanes, start, stop))
    by_bin = histogram[: histogram.shape[0] // lanes * lanes].reshape((-1, lanes))
    scratch = _scan_room(lanes, rule[0])
    first_column = start
    while first_column < stop:
        last_column = _fill_tile(
            codes, columns, n_bins, slots, matrix, n_slots, histogram, first_column, stop
        )
        first_bin = 0
        for c in range(first_column, last_column):
            used = n_bins[columns[c]]
            _scan_column(
                by_bin, first_bin, used + 1, used, totals, rule, c, values, cuts, missing_left,
                lefts, scratch,
            )  # fmt: skip
            first_bin += n_slots * (used + 1)
        first_column = last_column


@njit(cache=True, nogil=True, error_model="numpy")
def _widest(columns, n_bins, size, start, stop):
    """Numbers that a tile of histograms needs: those of the widest column, or more."""
    widest = _TILE_NUMBERS
    for c in range(start, stop):
        widest = max(widest, size * (n_bins[columns[c]] + 1))
    return widest


@njit(cache=True, nogil=True, error_model="numpy")
def _scan_room(lanes, n_classes):
    """What ``_scan_column`` needs besides its arguments."""
    allowed = class_lanes(lanes, n_classes)
    return allowed, np.arange(MISSING + 1), np.empty(0), aligned_empty(5 * lanes)


@njit(cache=True, nogil=True, error_model="numpy")
def _scan_column(
    by_bin, first, step, used, totals, rule, c, values, cuts, missing_left, lefts, scratch
):
    """Best cut of every slot by one column, from its histograms.

    Parameters
    ----------
    by_bin : (n, lanes) sums of the bins; those of the column begin at ``first`` in slot 0, and
        ``step`` bins later in each further slot; after ``used`` bins come the missing values
    c : int, column of the outputs
    totals, rule, values, cuts, missing_left, lefts : as for ``histogram_splits``
    scratch : from ``_scan_room``
    """
    lanes = totals.shape[1]
    allowed, bins, no_gains, sums = scratch
    for s in range(totals.shape[0]):
        at = first + s * step
        for lane in range(lanes):
            sums[3 * lanes + lane] = by_bin[at + used, lane]
        values[s, c], cut, side = best_cut(
            bins, bins, 0, used, at, by_bin, no_gains, totals, s, -1, allowed, rule, sums
        )
        if cuts.size:
            cuts[s, c], missing_left[s, c] = cut, side
            lefts[s, c] = sums[2 * lanes : 3 * lanes]


@njit(cache=True, nogil=True, error_model="numpy")
def scan_splits(
    stored, columns, n_bins, level, rule, values, cuts, missing_left, lefts, start, stop
):
    """``histogram_splits`` where the histograms are there already.

    Parameters
    ----------
    stored : (histograms, first)
        Sums of the bins (n_slots, n_all_bins, lanes), and the first bin of each column (d,).
    columns, n_bins, rule, values, cuts, missing_left, lefts : as for ``histogram_splits``
    level : (slots, matrix, totals), of which only the totals are looked at
    """
    histograms, first = stored
    totals = level[2]
    lanes = totals.shape[1]
    by_bin = histograms.reshape((-1, lanes))
    scratch = _scan_room(lanes, rule[0])
    for c in range(start, stop):
        f = columns[c]
        _scan_column(
            by_bin, first[f], histograms.shape[1], n_bins[f], totals, rule, c, values, cuts,
            missing_left, lefts, scratch,
        )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def fill_splits(codes, columns, n_bins, slots, matrix, histograms):
    """Histograms of some columns, as ``scan_splits`` reads them; those of parts may be added.

    Parameters
    ----------
    codes, columns, n_bins, slots, matrix : as for ``histogram_splits``
    histograms : (n_slots, n_all_bins, lanes) output; the columns one after another
    """
    n_slots, _, lanes = histograms.shape
    size = columns.shape[0]
    tile = aligned_empty(_widest(columns, n_bins, n_slots * lanes, 0, size))
    by_bin = tile[: tile.shape[0] // lanes * lanes].reshape((-1, lanes))
    first_column, first_bin = 0, 0
    while first_column < size:
        last_column = _fill_tile(
            codes, columns, n_bins, slots, matrix, n_slots, tile, first_column, size
        )
        at = 0
        for c in range(first_column, last_column):
            n = n_bins[columns[c]] + 1
            for s in range(n_slots):
                histograms[s, first_bin : first_bin + n] = by_bin[at : at + n]
                at += n
            first_bin += n
        first_column = last_column


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_tile(codes, columns, n_bins, slots, matrix, n_slots, histogram, first_column, stop):
    """Histograms of as many columns as fit; returns the column after them."""
    n, lanes = matrix.shape
    chunk = _CHUNK_NUMBERS // lanes
    last_column, size = first_column, 0
    while last_column < stop:
        more = n_slots * (n_bins[columns[last_column]] + 1) * lanes
        if size + more > histogram.shape[0]:
            break
        size += more
        last_column += 1
    histogram[:size] = 0.0
    for first in range(0, n, chunk):
        last = min(n, first + chunk)
        offset = 0
        for c in range(first_column, last_column):
            own, used = codes[columns[c]], n_bins[columns[c]]
            if slots.size:
                _accumulate_slots(own, used, slots, matrix, histogram, offset, first, last)
            else:
                _accumulate_all(own, used, matrix, histogram, offset, first, last)
            offset += n_slots * (used + 1) * lanes
    return last_column
