"""A score tree while it grows.

One thread grows a tree in one compiled loop (:mod:`uneven.voters._growth_loops`). Several threads
carry out splits ahead of their turn, a few at a time, which keeps all of them busy. A node that was
split ahead, but whose turn never came, stays a leaf, so the tree does not depend on the number of
threads.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from uneven.utils.parallel import ThreadPool
from uneven.voters import _growth_loops, _score_loops
from uneven.voters._growth_loops import CHILD, COLUMN, DEPTH, N_FACTS, SLOT, START, STOP
from uneven.voters.row_codes import RowCodes

_PARALLEL_ADDITIONS = 300_000
_CHUNK = 1 << 14
_AHEAD = 3
_FEW_ROWS = 0.375
_CATEGORY_SMOOTHING = 20.0


@dataclass(frozen=True)
class Gradients:
    """What a tree learns from.

    Attributes
    ----------
    rows : ndarray of int32, shape (n_drawn,)
        Rows that take part.
    values : ndarray of int16, shape (n_drawn, n_lanes)
        Gradients of these rows in whole numbers; the last lane is the curvature, at least 1.
    unit, curvature_unit : float
        What 1 stands for in the gradients and in the curvature.
    """

    rows: np.ndarray
    values: np.ndarray
    unit: float
    curvature_unit: float


class Histograms:
    """Memory for histograms, kept from tree to tree."""

    def __init__(self) -> None:
        self._room = np.empty((0, 0), dtype=np.int32)

    def take(self, n_slots: int, size: int) -> np.ndarray:
        """So many histograms or more; those there were stay as they are, shape (n_slots, size)."""
        if len(self._room) < n_slots or self._room.shape[1] != size:
            larger = np.empty((n_slots, size), dtype=np.int32)
            if self._room.shape[1] == size:
                larger[: len(self._room)] = self._room
            self._room = larger
        return self._room


class GrowingTree:
    """One tree while it grows.

    Parameters
    ----------
    codes : RowCodes
    gradients : Gradients
    kept : ndarray of int, shape (n_kept,), or None
        Columns of the codes that the tree looks at, in increasing order; None is all of them.
    limits : (max_leaves, max_depth)
    rule : (l2, min_weight)
    pool : ThreadPool
    memory : Histograms
    """

    def __init__(
        self,
        codes: RowCodes,
        gradients: Gradients,
        kept: np.ndarray | None,
        limits: tuple[int, int],
        rule: tuple[float, float],
        pool: ThreadPool,
        memory: Histograms,
    ) -> None:
        n_drawn = len(gradients.rows)
        codes = codes.take(gradients.rows, kept, pool)
        self.drawn, self.pool = gradients.rows, pool
        self.n_ahead = 1 if pool.n_threads == 1 else _AHEAD * pool.n_threads
        self.rows = np.arange(n_drawn, dtype=np.int32)
        self._open(codes, kept, gradients, limits, rule, memory)
        buffer = np.empty_like(self.rows)
        self.data = (codes.table, self.columns, gradients.values, self.rows, buffer)
        n_large = self.max_leaves
        if codes.table[0].size:
            self.small = int(_FEW_ROWS * self.histogram_size / len(codes.columns))
            n_large = n_drawn // (self.small + 1)
        self._make_room(min(self.max_leaves // 2, n_large) + 2 * self.n_ahead)
        self._facts[0, STOP] = n_drawn

    def _open(
        self,
        codes: RowCodes,
        kept: np.ndarray | None,
        gradients: Any,
        limits: tuple[int, int],
        rule: tuple[float, float],
        memory: Histograms,
    ) -> None:
        """Begin with one node, which holds no rows yet and no histogram."""
        self.codes, self.kept, self.memory = codes, kept, memory
        self.max_leaves, self.max_depth = limits
        self.columns = (codes.first, codes.n_bins, codes.has_missing, codes.is_category)
        units = (gradients.unit, gradients.curvature_unit)
        self.rule = ((*units, *rule), _CATEGORY_SMOOTHING * rule[0] / gradients.curvature_unit)
        lanes = gradients.values.shape[1]
        self.histogram_size = int(codes.first[-1]) * lanes
        self.sums = np.empty((0, lanes), dtype=np.int32)
        self.free: list[int] = []
        self.small = -1
        n_nodes = 2 * (self.max_leaves + self.n_ahead)
        facts = np.empty((n_nodes, N_FACTS), dtype=np.int64)
        self.nodes = (facts, np.empty(n_nodes), np.empty((n_nodes, 256), dtype=bool))
        self._facts[0] = 0
        self._facts[0, SLOT], self.nodes[1][0] = -1, 0.0
        self.n_nodes = 1
        self.turns: list[tuple[float, int, int]] = []
        self.taken: list[int] = []

    @property
    def _facts(self) -> np.ndarray:
        return self.nodes[0]

    def grow(self) -> dict[str, np.ndarray]:
        """Grow the tree; its parts, as :class:`~uneven.voters.score_tree.GrownTree` holds them."""
        if self.max_leaves < 2 or not len(self.codes.columns):
            return self._parts(np.zeros(0, dtype=np.int64))
        if self.pool.n_threads == 1:
            taken = np.empty(self.max_leaves, dtype=np.int64)
            limits = (self.max_leaves, self.max_depth, self.small)
            room = (self.histograms, self.sums)
            n_taken = _growth_loops.grow(self.data, room, self.nodes, self.rule, limits, taken)
            return self._parts(taken[:n_taken])
        return self._parts(self._grow_ahead())

    def _grow_ahead(self) -> np.ndarray:
        """Split nodes, some ahead of their turn; those whose turn came, in its order."""
        self._examine_root()
        while self._take_best():
            self._expand(self._ahead())
        return np.array(self.taken, dtype=np.int64)

    def _numbered(self, taken: np.ndarray) -> dict[str, np.ndarray]:
        """The tree once these nodes are split, its columns those of the whole table."""
        numbered = _growth_loops.number_nodes(self.nodes, taken, self.codes.n_bins)
        names = ("feature", "child", "label", "cut", "missing_left", "goes_left", "spans")
        parts = dict(zip(names, numbered))
        if self.kept is not None and len(taken):
            parts["feature"] = self.kept[parts["feature"]]
        return parts

    def _parts(self, taken: np.ndarray) -> dict[str, np.ndarray]:
        """The tree once these nodes are split, its columns and rows those of the whole table."""
        parts = self._numbered(taken)
        parts["rows"] = self.rows
        size = len(self.rows)
        worth = size > _CHUNK
        self.pool.parallel_for(size, _score_loops.rename_rows, self.drawn, self.rows, worth=worth)
        return parts

    def _take_best(self) -> bool:
        """Split leaves as long as the best one was carried out; whether leaves may be added."""
        while len(self.taken) + 1 < self.max_leaves:
            if not self.turns:
                return False
            number = self.turns[0][2]
            child = int(self._facts[number, CHILD])
            if not child:
                return True
            heapq.heappop(self.turns)
            self.taken.append(number)
            for one in (0, 1):
                self._offer(child + one, 2 * len(self.taken) - 1 + one)
        return False

    def _offer(self, number: int, place: int) -> None:
        """Let a node wait for its turn; of equal gains, the one that was made first comes first."""
        gain = float(self.nodes[1][number])
        if gain > 0.0:
            heapq.heappush(self.turns, (-gain, place, number))

    def _ahead(self) -> list[int]:
        """The best nodes whose split is not carried out yet."""
        left = self.max_leaves - 1 - len(self.taken)
        if len(self.free) < self.n_ahead:
            self._drop_hopeless(left)
        best = heapq.nsmallest(2 * self.n_ahead, self.turns)
        waiting = [number for *_, number in best if not self._facts[number, CHILD]]
        return waiting[: min(self.n_ahead, max(1, min(left // 2, len(self.free))))]

    def _drop_hopeless(self, left: int) -> None:
        """Forget nodes whose turn cannot come: as many better ones wait as may still be split."""
        turns = sorted(self.turns)
        self.turns = turns[:left]
        for *_, number in turns[left:]:
            child = int(self._facts[number, CHILD])
            for one in (number, child, child + 1) if child else (number,):
                slot = int(self._facts[one, SLOT])
                if slot >= 0:
                    self.free.append(slot)
                    self._facts[one, SLOT] = -1

    def _make_room(self, n_slots: int) -> None:
        """Have so many histograms."""
        before = len(self.sums)
        self.histograms = self.memory.take(n_slots, self.histogram_size)
        added = np.zeros((n_slots - before, self.sums.shape[1]), dtype=np.int32)
        self.sums = np.concatenate([self.sums, added])
        self.free += range(n_slots - 1, before - 1, -1)

    def _make_nodes(self, n_nodes: int) -> None:
        """Have room for so many nodes."""
        if n_nodes > len(self._facts):
            facts, gains, goes_left = (
                np.concatenate([part, np.empty_like(part)]) for part in self.nodes
            )
            self.nodes = (facts, gains, goes_left)

    def _examine_root(self) -> None:
        root = np.zeros(1, dtype=np.int64)
        if len(self.rows) <= self.small:
            _growth_loops.examine_few_rows(self.data, self.nodes, self.rule, root, self.small)
        else:
            slot = self._facts[0, SLOT] = self.free.pop()
            self._examine_in_threads(root)
            if self._facts[0, SLOT] < 0:
                self.free.append(slot)
        self._offer(0, 0)

    def _expand(self, numbers: list[int]) -> None:
        """Carry out the splits of some nodes and examine their children."""
        self._make_nodes(self.n_nodes + 2 * len(numbers))
        if len(self.free) < len(numbers):
            self._make_room(len(self.sums) + max(len(numbers), len(self.sums) // 4))
        sizes = self._facts[numbers, STOP] - self._facts[numbers, START]
        work = sizes * len(self.codes.columns) + 4 * int(self.codes.first[-1])
        total = int(work.sum())
        is_last = len(self.taken) + 2 >= self.max_leaves
        shared: list[tuple[int, int, int, bool]] = []
        alone: list[tuple[int, int, int, bool]] = []
        given = []
        for number, own_work in zip(numbers, work.tolist()):
            own, child = int(self._facts[number, SLOT]), self.n_nodes
            slot = self.free.pop() if own >= 0 else -1
            to_examine = not is_last and self._facts[number, DEPTH] + 1 < self.max_depth
            given.append((child, own, slot))
            is_large = 2 * self.pool.n_threads * own_work > total > _PARALLEL_ADDITIONS
            (shared if is_large else alone).append((number, child, slot, to_examine))
            self.n_nodes += 2
        for parts in shared:
            self._expand_in_threads(*parts)
        room = (self.data, (self.histograms, self.sums), self.nodes, self.rule, self.small)
        jobs = [partial(_growth_loops.expand, *room, *parts) for parts in alone]
        self.pool.map(jobs, worth=total > _PARALLEL_ADDITIONS)
        for child, *slots in given:
            kept = self._facts[[child, child + 1], SLOT]
            self.free += [slot for slot in slots if slot >= 0 and slot not in kept]

    def _expand_in_threads(self, number: int, child: int, slot: int, to_examine: bool) -> None:
        """``_growth_loops.expand`` for a node that is large enough for all threads."""
        facts = self._facts
        _growth_loops.choose_sides(self.data, self.histograms, self.nodes, self.rule, number)
        own = int(facts[number, SLOT])
        facts[number, SLOT] = -1
        middle = self._partition(number)
        fewer = _growth_loops.place_children(self.nodes, number, child, middle)
        if not to_examine:
            return
        numbers = np.array([fewer, 2 * child + 1 - fewer])
        if facts[numbers[1], STOP] - facts[numbers[1], START] <= self.small:
            _growth_loops.examine_few_rows(self.data, self.nodes, self.rule, numbers, self.small)
            return
        facts[numbers, SLOT] = slot, own
        self._examine_in_threads(numbers)

    def _partition(self, number: int) -> int:
        """Put the rows of a node that go left first; where the right side begins."""
        table, _, _, rows, buffer = self.data
        spans = self._facts[[number]][:, [START, STOP]]
        chunks = cut_spans(spans, _CHUNK)
        n_left = np.empty(len(chunks), dtype=np.int64)
        split = (self._facts[[number], COLUMN], self.nodes[2][[number]])
        self.pool.parallel_for(
            len(chunks), _score_loops.split_chunks, table, rows, buffer, chunks, *split, n_left
        )
        targets, middles = _score_loops.place_chunks(spans, chunks, n_left)
        self.pool.parallel_for(
            len(chunks), _score_loops.join_chunks, rows, buffer, chunks, n_left, targets
        )
        return int(middles[0])

    def _examine_in_threads(self, numbers: np.ndarray) -> None:
        """``_growth_loops.examine_pair``, some columns in each thread."""
        table, columns, values, rows, _ = self.data
        slots = self._facts[numbers, SLOT]
        start, stop = self._facts[numbers[0], [START, STOP]]
        jobs = np.array([[start, stop, slots[0], slots[1] if len(slots) > 1 else -1]])
        parents = self.sums[slots[-1:]]
        if not table[0].size:
            _score_loops.sum_rows(rows[start:stop], values, self.sums[slots[0]])
        shape = (2, len(self.codes.columns))
        found = np.empty(shape), np.empty(shape, dtype=np.int64), np.empty(shape, dtype=bool)
        given: tuple[Any, ...] = (table, columns, rows, jobs, values, self.histograms, self.sums)
        self.pool.parallel_for(
            shape[1], _score_loops.examine_nodes, *given, parents, *self.rule, found
        )
        sums = self.sums[slots]
        _growth_loops.settle(self.nodes, numbers, found, sums, self.rule, self.small)


def cut_spans(spans: np.ndarray, size: int) -> np.ndarray:
    """Cut spans into chunks of at most ``size``: rows (start, stop, number of the span).

    Examples
    --------
    >>> cut_spans(np.array([[0, 5], [5, 7]]), 3).tolist()
    [[0, 3, 0], [3, 5, 0], [5, 7, 1]]
    """
    chunks = [
        (first, min(first + size, stop), number)
        for number, (start, stop) in enumerate(spans.tolist())
        for first in range(start, stop, size)
    ]
    return np.array(chunks, dtype=np.int64).reshape(-1, 3)
