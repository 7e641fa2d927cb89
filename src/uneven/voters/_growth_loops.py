"""Compiled loops that grow a score tree: nodes in arrays, the best leaf split first.

A node is a row of ``facts`` (where its rows stand, how deep it is, which histogram it holds, its
best split and its left child), its gain, and the sides of the codes once it is split. The right
child follows the left one. ``grow`` does a whole tree in one thread; ``expand`` is one split of it,
which threads may do for several nodes at a time.
"""

from __future__ import annotations

import heapq

import numpy as np
from numba import njit

from uneven.voters._row_loops import partition
from uneven.voters._score_loops import (
    best_columns,
    column_histogram,
    examine_nodes,
    examine_small_nodes,
    sum_rows,
)

START, STOP, DEPTH, SLOT, COLUMN, CUT, MISSING_LEFT, WEIGHT, CHILD, N_FACTS = range(10)
"""Facts of a node; a slot of -1 is no histogram, a left child of 0 is none."""


@njit(cache=True, nogil=True, error_model="numpy")
def choose_sides(data, pool, nodes, number):
    """Write which codes of the column that splits a node go left.

    Missing values that are new go where most of the curvature goes.

    Parameters
    ----------
    data : (table, columns, values, rows, buffer), as in ``fill_histograms`` and ``scan_histograms``
    pool : (n_histograms, n_bins * lanes) int32
    nodes : (facts, gains, goes_left): (n, N_FACTS) int64, (n,), (n, 256) bool
    number : int, the node
    """
    table, (first, n_bins, has_missing, is_category, orders), values, rows, _ = data
    fact, goes_left = nodes[0][number], nodes[2][number]
    column, lanes = fact[COLUMN], values.shape[1]
    low, high = first[column] * lanes, first[column + 1] * lanes
    if fact[SLOT] >= 0:
        histogram = pool[fact[SLOT], low:high]
    else:
        histogram = np.empty(high - low, dtype=np.int32)
        own = rows[fact[START] : fact[STOP]]
        column_histogram(table[0], column, own, values, histogram)
    size, missing = n_bins[column], has_missing[column]
    goes_left[:] = False
    if is_category[column]:
        order = orders[fact[CUT] >> 8]
        for k in range((fact[CUT] & 255) + 1):
            goes_left[order[first[column] + k]] = True
    else:
        goes_left[: fact[CUT] + 1] = True
    if missing and histogram[size * lanes + lanes - 1] != 0:
        if not is_category[column]:
            goes_left[size] = fact[MISSING_LEFT] != 0
        return
    left = 0
    for b in range(size):
        if goes_left[b]:
            left += histogram[b * lanes + lanes - 1]
    goes_left[size:] = 2 * left >= fact[WEIGHT]


@njit(cache=True, nogil=True, error_model="numpy")
def place_children(nodes, number, child, middle):
    """Make the children of a node whose left side ends at ``middle``; which one is smaller."""
    facts, gains, _ = nodes
    parent = facts[number]
    parent[CHILD] = child
    for one in (child, child + 1):
        facts[one] = 0
        facts[one, DEPTH] = parent[DEPTH] + 1
        facts[one, SLOT] = -1
        gains[one] = 0.0
    facts[child, START], facts[child, STOP] = parent[START], middle
    facts[child + 1, START], facts[child + 1, STOP] = middle, parent[STOP]
    return child + (middle - parent[START] > parent[STOP] - middle)


@njit(cache=True, nogil=True, error_model="numpy")
def settle(nodes, numbers, found, totals, rule, small):
    """Give nodes their best split; those without one, or with few rows, need no histogram.

    Parameters
    ----------
    nodes : as in ``choose_sides``
    numbers : (s,) nodes
    found : as in ``scan_histograms``, a row for each node
    totals : (s, lanes) int32 sums of the nodes
    rule : as in ``scan_histograms``
    small : int, most rows of a small node
    """
    facts, gains, _ = nodes
    best = np.empty((len(numbers), 5))
    best_columns(found, totals, rule, best)
    for s in range(len(numbers)):
        fact = facts[numbers[s]]
        gains[numbers[s]] = best[s, 0]
        fact[COLUMN], fact[CUT] = np.int64(best[s, 1]), np.int64(best[s, 2])
        fact[MISSING_LEFT], fact[WEIGHT] = np.int64(best[s, 3]), np.int64(best[s, 4])
        if best[s, 0] <= 0.0 or fact[STOP] - fact[START] <= small:
            fact[SLOT] = -1


@njit(cache=True, nogil=True, error_model="numpy")
def _room_for(n_nodes, n_columns):
    """Best gain, cut and side of missing values by node and column."""
    shape = (n_nodes, n_columns)
    return np.empty(shape), np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.bool_)


@njit(cache=True, nogil=True, error_model="numpy")
def examine_few_rows(data, nodes, rule, numbers, small):
    """Best splits of nodes with few rows, one column at a time."""
    table, columns, values, rows, _ = data
    facts = nodes[0]
    n_columns = columns[1].shape[0]
    spans = np.empty((len(numbers), 2), dtype=np.int64)
    for s in range(len(numbers)):
        spans[s] = facts[numbers[s], START], facts[numbers[s], STOP]
    totals = np.empty((len(numbers), values.shape[1]), dtype=np.int32)
    found = _room_for(len(numbers), n_columns)
    examine_small_nodes(
        table[0], columns, rows, spans, values, totals, rule, found, np.int64(0), n_columns
    )
    settle(nodes, numbers, found, totals, rule, small)


@njit(cache=True, nogil=True, error_model="numpy")
def examine_pair(data, room, nodes, rule, numbers, small):
    """Best splits of a node and, from what it leaves of the parent's histogram, of its sibling.

    Parameters
    ----------
    data, nodes, rule, small : as in ``choose_sides`` and ``settle``
    room : (pool, totals), as in ``fill_histograms``
    numbers : (1,) the root or (2,) the smaller sibling first; the larger one holds the histogram
        of the parent
    """
    table, columns, values, rows, _ = data
    pool, totals = room
    facts = nodes[0]
    n_columns = columns[1].shape[0]
    own, whole = facts[numbers[0]], facts[numbers[-1]]
    jobs = np.empty((1, 4), dtype=np.int64)
    jobs[0] = own[START], own[STOP], own[SLOT], whole[SLOT] if len(numbers) > 1 else -1
    parents = totals[whole[SLOT] : whole[SLOT] + 1].copy()
    if not table[0].size:
        sum_rows(rows[own[START] : own[STOP]], values, totals[own[SLOT]])
    found = _room_for(np.int64(2), n_columns)
    examine_nodes(
        table, columns, rows, jobs, values, pool, totals, parents, rule, found,
        np.int64(0), n_columns,
    )  # fmt: skip
    sums = np.empty((len(numbers), values.shape[1]), dtype=np.int32)
    for s in range(len(numbers)):
        sums[s] = totals[facts[numbers[s], SLOT]]
    settle(nodes, numbers, found, sums, rule, small)


@njit(cache=True, nogil=True, error_model="numpy")
def expand(data, room, nodes, rule, small, number, child, slot, to_examine):
    """Split a node and examine its children.

    Parameters
    ----------
    data, room, nodes, rule, small : as in ``examine_pair``
    number, child : int, the node and its left child
    slot : int, a histogram that is free; the node's own goes to its larger child. Neither is used
        if both children have few rows.
    to_examine : bool, whether the children may be split
    """
    table, _, _, rows, buffer = data
    facts, _, goes_left = nodes
    choose_sides(data, room[0], nodes, number)
    fact = facts[number]
    own, fact[SLOT] = fact[SLOT], -1
    middle = partition(
        table, rows, buffer, fact[START], fact[STOP], fact[COLUMN], goes_left[number]
    )
    fewer = place_children(nodes, number, child, middle)
    if not to_examine:
        return
    numbers = np.empty(2, dtype=np.int64)
    numbers[0], numbers[1] = fewer, 2 * child + 1 - fewer
    larger = facts[numbers[1]]
    if larger[STOP] - larger[START] <= small:
        examine_few_rows(data, nodes, rule, numbers, small)
        return
    facts[fewer, SLOT], larger[SLOT] = slot, own
    examine_pair(data, room, nodes, rule, numbers, small)


@njit(cache=True, nogil=True, error_model="numpy")
def _take_back(free, n_free, facts, child, first, second):
    """Add the histograms that a split did not pass on to its children to the free ones."""
    for slot in (first, second):
        if slot >= 0 and facts[child, SLOT] != slot and facts[child + 1, SLOT] != slot:
            free[n_free] = slot
            n_free += 1
    return n_free


@njit(cache=True, nogil=True, error_model="numpy")
def _drop_hopeless(turns, left, facts, free, n_free):
    """Drop nodes whose turn cannot come: as many better ones wait as may still be split."""
    kept = [heapq.heappop(turns) for _ in range(min(left, len(turns)))]
    for _, number in turns:
        if facts[number, SLOT] >= 0:
            free[n_free] = facts[number, SLOT]
            n_free += 1
            facts[number, SLOT] = -1
    return kept, n_free


@njit(cache=True, nogil=True, error_model="numpy")
def grow(data, room, nodes, rule, limits, taken):
    """Grow a tree in one thread; the number of splits.

    Parameters
    ----------
    data, room, nodes, rule : as in ``expand``; the children of the k-th split are the nodes
        2 k + 1 and 2 k + 2
    limits : (max_leaves, max_depth, small)
    taken : (max_leaves,) output, the nodes that are split, in their order
    """
    facts, gains, _ = nodes
    max_leaves, max_depth, small = limits
    n_free = room[0].shape[0]
    free = np.arange(n_free)[::-1].copy()
    root = np.zeros(1, dtype=np.int64)
    if facts[0, STOP] <= small:
        examine_few_rows(data, nodes, rule, root, small)
    else:
        n_free -= 1
        facts[0, SLOT] = free[n_free]
        examine_pair(data, room, nodes, rule, root, small)
        n_free += facts[0, SLOT] < 0
    turns = [(-gains[0], 0)]
    n_taken = 0
    while len(turns) and turns[0][0] < 0.0 and n_taken + 1 < max_leaves:
        if not n_free:
            turns, n_free = _drop_hopeless(turns, max_leaves - 1 - n_taken, facts, free, n_free)
        number = heapq.heappop(turns)[1]
        taken[n_taken] = number
        n_taken += 1
        child = 2 * n_taken - 1
        own, slot = facts[number, SLOT], -1
        if own >= 0:
            n_free -= 1
            slot = free[n_free]
        to_examine = n_taken + 1 < max_leaves and facts[number, DEPTH] + 1 < max_depth
        expand(data, room, nodes, rule, small, number, child, slot, to_examine)
        n_free = _take_back(free, n_free, facts, child, own, slot)
        for one in (child, child + 1):
            if gains[one] > 0.0:
                heapq.heappush(turns, (-gains[one], one))
    return n_taken


@njit(cache=True, nogil=True, error_model="numpy")
def number_nodes(nodes, taken, n_bins):
    """The parts of a tree, its nodes numbered anew: children side by side, in the order of splits.

    Parameters
    ----------
    nodes : as in ``expand``
    taken : (t,) nodes that are split, in their order
    n_bins : (d,) bins of the values of each column

    Returns
    -------
    column, child, label, cut, missing_left, goes_left, spans
        As :class:`~uneven.voters.score_tree.GrownTree` holds them.
    """
    facts, _, sides = nodes
    size = 2 * taken.shape[0] + 1
    column, label, cut = np.zeros((3, size), dtype=np.int64)
    child, number = np.arange(size), np.zeros(size, dtype=np.int64)
    missing_left = np.ones(size, dtype=np.bool_)
    goes_left = np.zeros((size, 256), dtype=np.bool_)
    spans = np.empty((taken.shape[0] + 1, 2), dtype=np.int64)
    place = np.zeros(facts.shape[0], dtype=np.int64)
    for k in range(taken.shape[0]):
        fact, p = facts[taken[k]], place[taken[k]]
        child[p] = 2 * k + 1
        for side in range(2):
            number[2 * k + 1 + side] = fact[CHILD] + side
            place[fact[CHILD] + side] = 2 * k + 1 + side
        column[p], cut[p] = fact[COLUMN], fact[CUT]
        goes_left[p] = sides[taken[k]]
        missing_left[p] = goes_left[p, n_bins[column[p]]]
    leaf = 0
    for p in range(size):
        if child[p] == p:
            label[p] = leaf
            spans[leaf] = facts[number[p], START], facts[number[p], STOP]
            leaf += 1
    return column, child, label, cut, missing_left, goes_left, spans
