"""A score tree while it grows.

One thread grows a tree in one compiled loop (:mod:`uneven.voters._growth_loops`). Several threads
share the rows of the first, large nodes. Then each takes the best node that waits, splits it and
takes the next one. A split may so be carried out ahead of its turn; a node whose turn never came
stays a leaf. The tree does not depend on the number of threads.
"""

from __future__ import annotations

import heapq
import threading
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from uneven.utils.parallel import ThreadPool
from uneven.voters import _growth_loops, _row_loops, _score_loops
from uneven.voters._growth_loops import CHILD, COLUMN, DEPTH, N_FACTS, SLOT, START, STOP
from uneven.voters.row_codes import RowCodes

_PARALLEL_ADDITIONS = 300_000
_PARALLEL_ROWS = 1 << 14
_AHEAD = 8
_LARGE = 1.0
_BY_ROWS = 8
_FEW_ROWS = 0.375


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
        self.news = threading.Condition()
        self.rows = np.arange(n_drawn, dtype=np.int32)
        self._open(codes, kept, gradients, limits, rule, memory)
        buffer = np.empty_like(self.rows)
        self.data = (codes.table, self.columns, gradients.values, self.rows, buffer)
        n_large = self.max_leaves
        if codes.table[0].size:
            self.small = int(_FEW_ROWS * self.histogram_size / len(codes.columns))
            n_large = n_drawn // (self.small + 1)
        self._make_room(min(self.max_leaves // 2, n_large) + self.n_ahead + pool.n_threads)
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
        known = (codes.first, codes.n_bins, codes.has_missing, codes.is_category)
        self.columns = (*known, codes.orders)
        self.rule = (gradients.unit, gradients.curvature_unit, *rule)
        lanes = gradients.values.shape[1]
        self.histogram_size = int(codes.first[-1]) * lanes
        self.sums = np.empty((0, lanes), dtype=np.int32)
        self.free: list[int] = []
        self.small = -1
        n_nodes = 2 * (self.max_leaves + self.n_ahead) + 1
        facts = np.empty((n_nodes, N_FACTS), dtype=np.int64)
        self.nodes = (facts, np.empty(n_nodes), np.empty((n_nodes, 256), dtype=bool))
        self._facts[0] = 0
        self._facts[0, SLOT], self.nodes[1][0] = -1, 0.0
        self.n_nodes = 1
        self.turns: list[tuple[float, int, int]] = []
        self.waiting: list[tuple[float, int]] = []
        self.taken: list[int] = []
        self.carried: set[int] = set()
        self.busy: set[int] = set()
        self.dropped: set[int] = set()

    @property
    def _facts(self) -> np.ndarray:
        return self.nodes[0]

    def grow(self) -> dict[str, np.ndarray]:
        """Grow the tree; its parts, as :class:`~uneven.voters.score_tree.GrownTree` holds them."""
        if self.max_leaves < 2 or not len(self.codes.columns):
            return self._parts(np.zeros(0, dtype=np.int64))
        work = len(self.rows) * len(self.codes.columns)
        if self.pool.n_threads == 1 or work <= _PARALLEL_ADDITIONS:
            taken = np.empty(self.max_leaves, dtype=np.int64)
            limits = (self.max_leaves, self.max_depth, self.small)
            room = (self.histograms, self.sums)
            n_taken = _growth_loops.grow(self.data, room, self.nodes, self.rule, limits, taken)
            return self._parts(taken[:n_taken])
        return self._parts(self._grow_in_threads())

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
        worth = size > _PARALLEL_ROWS
        self.pool.parallel_for(size, _row_loops.rename_rows, self.drawn, self.rows, worth=worth)
        return parts

    def _take_best(self) -> bool:
        """Split leaves as long as the best one was carried out; whether leaves may be added."""
        while self._left:
            if not self.turns:
                return False
            number = self.turns[0][2]
            if number not in self.carried:
                return True
            heapq.heappop(self.turns)
            self.taken.append(number)
            child = int(self._facts[number, CHILD])
            for one in (0, 1):
                self._offer(child + one, 2 * len(self.taken) - 1 + one)
        return False

    @property
    def _left(self) -> int:
        """How many leaves may still be split."""
        return self.max_leaves - 1 - len(self.taken)

    def _offer(self, number: int, place: int) -> None:
        """Let a node wait for its turn; of equal gains, the one that was made first comes first."""
        gain = float(self.nodes[1][number])
        if gain > 0.0:
            heapq.heappush(self.turns, (-gain, place, number))

    def _drop_hopeless(self) -> None:
        """Drop nodes whose turn cannot come: as many better ones wait as may still be split."""
        turns, left = sorted(self.turns), self._left
        self.turns = turns[:left]
        for *_, number in turns[left:]:
            child = int(self._facts[number, CHILD])
            for one in (number, child, child + 1) if number in self.carried else (number,):
                if one not in self.busy:
                    self.dropped.add(one)
                    self._free_slot(one)

    def _free_slot(self, number: int) -> None:
        """Take back the histogram of a node, if it holds one."""
        slot = int(self._facts[number, SLOT])
        if slot >= 0:
            self.free.append(slot)
            self._facts[number, SLOT] = -1

    def _make_room(self, n_slots: int) -> None:
        """Have so many histograms."""
        before = len(self.sums)
        self.histograms = self.memory.take(n_slots, self.histogram_size)
        added = np.zeros((n_slots - before, self.sums.shape[1]), dtype=np.int32)
        self.sums = np.concatenate([self.sums, added])
        self.free += range(n_slots - 1, before - 1, -1)

    def _grow_in_threads(self) -> np.ndarray:
        """Share the rows of large nodes, then the nodes; those whose turn came, in its order."""
        self._examine_root()
        large = _LARGE * len(self.rows) / self.pool.n_threads
        while self._take_best():
            start, stop = self._facts[self.turns[0][2], [START, STOP]]
            if stop - start <= large:
                break
            self._expand_in_threads(self.turns[0][2])
        self.waiting = [(gain, number) for gain, _, number in self.turns]
        heapq.heapify(self.waiting)
        self.pool.map([self._work] * self.pool.n_threads)
        return np.array(self.taken, dtype=np.int64)

    def _work(self) -> None:
        """Split the best node that waits, one after another, until all turns have come."""
        with self.news:
            while self._take_best():
                number = self._next_node()
                if number < 0:
                    self.news.wait()
                    continue
                child, slot, to_examine = self._begin(number)
                room = (self.data, (self.histograms, self.sums), self.nodes, self.rule, self.small)
                own = int(self._facts[number, SLOT])
                self.news.release()
                try:
                    _growth_loops.expand(*room, number, child, slot, to_examine)
                finally:
                    self.news.acquire()
                    self.busy.remove(number)
                    self.news.notify_all()
                self._finish(number, (own, slot))

    def _next_node(self) -> int:
        """The best node that waits; -1 if it is better to wait for the others."""
        if not self.free:
            self._drop_hopeless()
        if not self.busy:
            return self.turns[0][2]
        n_ahead = len(self.busy) + len(self.carried) - len(self.taken)
        if n_ahead >= min(self.n_ahead, self._left) or not self.free:
            return -1
        while self.waiting:
            number = heapq.heappop(self.waiting)[1]
            if not (number in self.busy or number in self.carried or number in self.dropped):
                return number
        return -1

    def _begin(self, number: int) -> tuple[int, int, bool]:
        """Children of a node, a histogram for one of them, and whether they are to be examined."""
        self.busy.add(number)
        slot, child = -1, self.n_nodes
        self.n_nodes += 2
        if self._facts[number, SLOT] >= 0:
            if not self.free:
                self._make_room(len(self.sums) + self.n_ahead)
            slot = self.free.pop()
        to_examine = self._left > 1 and self._facts[number, DEPTH] + 1 < self.max_depth
        return child, slot, bool(to_examine)

    def _finish(self, number: int, slots: tuple[int, int]) -> None:
        """Let the children of a node that was split wait; take back what histograms they leave."""
        self.carried.add(number)
        child = int(self._facts[number, CHILD])
        kept = (int(self._facts[child, SLOT]), int(self._facts[child + 1, SLOT]))
        self.free += [slot for slot in slots if slot >= 0 and slot not in kept]
        for one in (child, child + 1):
            gain = float(self.nodes[1][one])
            if gain > 0.0:
                heapq.heappush(self.waiting, (-gain, one))

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

    def _expand_in_threads(self, number: int) -> None:
        """``_growth_loops.expand`` for a node that is large enough for all threads."""
        facts = self._facts
        child, slot, to_examine = self._begin(number)
        _growth_loops.choose_sides(self.data, self.histograms, self.nodes, number)
        own = int(facts[number, SLOT])
        facts[number, SLOT] = -1
        fewer = _growth_loops.place_children(self.nodes, number, child, self._partition(number))
        if to_examine:
            numbers = np.array([fewer, 2 * child + 1 - fewer])
            if facts[numbers[1], STOP] - facts[numbers[1], START] <= self.small:
                given = (self.data, self.nodes, self.rule, numbers, self.small)
                _growth_loops.examine_few_rows(*given)
            else:
                facts[numbers, SLOT] = slot, own
                self._examine_in_threads(numbers)
        self.busy.remove(number)
        self._finish(number, (own, slot))

    def _partition(self, number: int) -> int:
        """Put the rows of a node that go left first; where the right side begins."""
        table, _, _, rows, buffer = self.data
        spans = self._facts[[number]][:, [START, STOP]]
        size = int(spans[0, 1] - spans[0, 0])
        chunks = cut_spans(spans, -(-size // (2 * self.pool.n_threads)))
        n_left = np.empty(len(chunks), dtype=np.int64)
        split = (self._facts[[number], COLUMN], self.nodes[2][[number]])
        self.pool.parallel_for(
            len(chunks), _row_loops.split_chunks, table, rows, buffer, chunks, *split, n_left
        )
        targets, middles = _row_loops.place_chunks(spans, chunks, n_left)
        self.pool.parallel_for(
            len(chunks), _row_loops.join_chunks, rows, buffer, chunks, n_left, targets
        )
        return int(middles[0])

    def _examine_in_threads(self, numbers: np.ndarray) -> None:
        """``_growth_loops.examine_pair``, some rows in each thread, or some columns of few rows."""
        slots = self._facts[numbers, SLOT]
        start, stop = self._facts[numbers[0], [START, STOP]].tolist()
        jobs = np.array([[start, stop, slots[0], slots[1] if len(slots) > 1 else -1]])
        parents = self.sums[slots[-1:]]
        shape = (2, len(self.codes.columns))
        found = np.empty(shape), np.empty(shape, dtype=np.int64), np.empty(shape, dtype=bool)
        if (stop - start) * shape[1] > _BY_ROWS * int(self.codes.first[-1]):
            parts = self._fill_by_rows(jobs[0], parents)
            given = (self.columns, self.histograms, self.sums, jobs, parts, self.rule, found)
            self.pool.parallel_for(shape[1], _score_loops.join_and_scan, *given)
            self.free += parts[1:].tolist()
        else:
            table, columns, values, rows, _ = self.data
            if not table[0].size:
                _score_loops.sum_rows(rows[start:stop], values, self.sums[slots[0]])
            room = (jobs, values, self.histograms, self.sums, parents, self.rule, found)
            loop = _score_loops.examine_nodes
            self.pool.parallel_for(shape[1], loop, table, columns, rows, *room)
        sums = self.sums[slots]
        _growth_loops.settle(self.nodes, numbers, found, sums, self.rule, self.small)

    def _fill_by_rows(self, job: np.ndarray, parents: np.ndarray) -> np.ndarray:
        """Histograms of parts of a node, one in each thread, and its sums; where they are.

        Parameters
        ----------
        job, parents : as a row of ``jobs`` and as ``parents`` in ``_score_loops.fill_histograms``
        """
        table, _, values, rows, _ = self.data
        n_parts = self.pool.n_threads
        if len(self.free) < n_parts:
            self._make_room(len(self.sums) + n_parts)
        parts = np.array([job[2], *(self.free.pop() for _ in range(n_parts - 1))])
        size = int(job[1] - job[0])
        cuts = [int(job[0]) + size * k // n_parts for k in range(n_parts + 1)]

        def fill(start: int, stop: int, slot: int) -> None:
            if not table[0].size:
                _score_loops.sum_rows(rows[start:stop], values, self.sums[slot])
            own = np.array([[start, stop, slot, -1]])
            given = (table, rows, own, values, self.histograms, self.sums, parents)
            _score_loops.fill_histograms(*given, 0, len(self.codes.columns))

        self.pool.map([partial(fill, *span, slot) for span, slot in zip(pairwise(cuts), parts)])
        self.sums[parts[0]] = self.sums[parts].sum(axis=0)
        if job[3] >= 0:
            self.sums[job[3]] = parents[0] - self.sums[parts[0]]
        return parts


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
