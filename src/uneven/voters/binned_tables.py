"""Tables of codes, and the search for the splits that a level of a cost tree can take."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from uneven.utils.parallel import ThreadPool
from uneven.voters import _entry_loops, _loops, _split_loops

_PARALLEL_ADDITIONS = 2_000_000
_SPLIT_NUMBERS = 4_000_000
_FEW_ROWS = 1024
_KEPT_NUMBERS = 20_000
"""Buffer for the sums of the left sides of all splits of a level."""

_NO_CUTS, _NO_SIDES = np.zeros((0, 0), dtype=np.int64), np.zeros((0, 0), dtype=np.bool_)
_NO_LEFTS = np.zeros((0, 0, 0))
Entries = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
PARALLEL_ROWS = 200_000
"""Rows above which threads make one light pass faster: waking one costs about 0.1 ms."""


@dataclass
class Level:
    """The nodes of a growing tree that may be split next, each called a slot.

    Attributes
    ----------
    slots : ndarray of int32, shape (n_rows,)
        Slot of each row, -1 for none. An empty array means slot 0 for all rows.
    matrix : ndarray of shape (n_rows, n_lanes)
        Snapped costs with the example weight in lane ``n_classes``.
    totals : ndarray of shape (n_slots, n_lanes)
        Sum of ``matrix`` in each slot.
    n_classes : int
    criterion : int
        ``_split_loops.COST`` or ``_split_loops.LEAST_SQUARES``.
    tie : float
        How much cheaper a later cut or column must be: absolute for the cost criterion, relative
        for least squares.
    """

    slots: np.ndarray
    matrix: np.ndarray
    totals: np.ndarray
    n_classes: int
    criterion: int
    tie: float

    def slack(self, value: np.ndarray) -> float | np.ndarray:
        """How far below another cost each ``value`` must lie to be smaller."""
        if self.criterion == _split_loops.COST:
            return self.tie
        return np.asarray(self.tie * np.where(np.isfinite(value), np.abs(value), 0.0))

    def renumbered(self, kept: np.ndarray) -> np.ndarray:
        """Slot of each row if there were only some slots: their places among them."""
        if len(kept) == len(self.totals):
            return self.slots
        places = np.full(len(self.totals) + 1, -1, dtype=self.slots.dtype)
        places[kept] = np.arange(len(kept))
        return places[self.slots]

    def unsplit_value(self) -> np.ndarray:
        """Cost of leaving each slot as it is, shape (n_slots,)."""
        costs, weight = self.totals[:, : self.n_classes], self.totals[:, self.n_classes]
        if self.criterion == _split_loops.COST:
            return np.asarray(costs.min(axis=1))
        return np.asarray(-(costs**2).sum(axis=1) / np.where(weight > 0.0, weight, 1.0))


@dataclass
class Splits:
    """The best split of every slot.

    Attributes
    ----------
    value : ndarray of shape (n_slots,)
        Its cost; infinite if there is none.
    column, cut : ndarray of int, shape (n_slots,)
        Codes of ``column`` up to ``cut`` go left.
    missing_left : ndarray of bool, shape (n_slots,)
        Side of the missing values.
    left : ndarray of shape (n_slots, n_lanes)
        Sum of the cost matrix over the rows that go left.
    """

    value: np.ndarray
    column: np.ndarray
    cut: np.ndarray
    missing_left: np.ndarray
    left: np.ndarray

    def or_cheaper(self, other: Splits, level: Level) -> Splits:
        """Slot by slot, this split, or the other one if it is cheaper by more than a tie."""
        cheaper = other.value < self.value - level.slack(other.value)
        return Splits(
            *(
                np.where(cheaper if mine.ndim == 1 else cheaper[:, None], theirs, mine)
                for mine, theirs in zip(vars(self).values(), vars(other).values())
            )
        )


@dataclass
class BinnedTable(ABC):
    """Codes of a table, and what the tree grower computes from them.

    Attributes
    ----------
    n_bins : ndarray of int, shape (n_features,)
        Codes in use, the missing one not counted.
    n_rows : int
    """

    n_bins: np.ndarray
    n_rows: int

    def best_splits(self, level: Level, columns: np.ndarray, pool: ThreadPool) -> Splits:
        """Best split of every slot of a level over some columns.

        Parameters
        ----------
        level : Level
        columns : ndarray of int, shape (n_columns,)
        pool : ThreadPool

        Returns
        -------
        Splits
            Ties go to the lowest column, then to the lowest cut.
        """
        step = max(1, _SPLIT_NUMBERS // len(level.totals))
        search = self._search_of(level)
        best = self._best_of(search, level, columns[:step], pool)
        for first in range(step, len(columns), step):
            found = self._best_of(search, level, columns[first : first + step], pool)
            best = best.or_cheaper(found, level)
        return best

    def _best_of(
        self, search: _Search, level: Level, columns: np.ndarray, pool: ThreadPool
    ) -> Splits:
        """Best splits over columns few enough to keep the cost of each.

        Where there is room, all is kept of each; else the best one is searched once more.
        """
        n_slots, n_lanes = level.totals.shape
        shape = (n_slots, len(columns))
        values, kept = np.empty(shape), (_NO_CUTS, _NO_SIDES, _NO_LEFTS)
        if values.size * n_lanes <= _KEPT_NUMBERS:
            cuts, missing_left = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.bool_)
            kept = cuts, missing_left, np.empty((*shape, n_lanes))
        worth = search.n_updates(columns) * n_lanes > _PARALLEL_ADDITIONS
        pool.parallel_for(
            len(columns), search.loop, search.stored, columns, search.limits,
            (level.slots, level.matrix, level.totals),
            (level.n_classes, level.criterion, level.tie),
            values, *kept, worth=worth,
        )  # fmt: skip
        lowest = values.min(axis=1)
        chosen = (values <= (lowest + level.slack(lowest))[:, None]).argmax(axis=1)
        if kept[0].size == 0:
            return self._describe(search, level, columns[chosen])
        here = (np.arange(n_slots), chosen)
        return Splits(values[here], columns[chosen], *(part[here] for part in kept))

    def _describe(self, search: _Search, level: Level, columns: np.ndarray) -> Splits:
        """Search the column of each slot once more, for the place where it is cut."""
        asked, place = np.unique(columns, return_inverse=True)
        n_slots, n_lanes = level.totals.shape
        shape = (len(asked), n_slots, 1)
        values, cuts = np.empty(shape), np.empty(shape, dtype=np.int64)
        missing_left, lefts = np.empty(shape, dtype=np.bool_), np.empty((*shape, n_lanes))
        for k in range(len(asked)):
            own = np.flatnonzero(place == k) if search.takes_few else np.arange(n_slots)
            found = values[k, own], cuts[k, own], missing_left[k, own], lefts[k, own]
            search.loop(
                search.stored, asked[k : k + 1], search.limits,
                (level.renumbered(own), level.matrix, level.totals[own]),
                (level.n_classes, level.criterion, level.tie),
                *found, 0, 1,
            )  # fmt: skip
            values[k, own], cuts[k, own], missing_left[k, own], lefts[k, own] = found
        here = (place, np.arange(n_slots), 0)
        return Splits(values[here], columns, cuts[here], missing_left[here], lefts[here])

    @abstractmethod
    def threshold(self, column: int, cut: int) -> float:
        """Largest value of a column whose code is at most ``cut``, or a number up to the next."""

    @abstractmethod
    def take(self, rows: np.ndarray) -> Self:
        """The codes of some rows; ``rows`` increases."""

    @abstractmethod
    def _search_of(self, level: Level) -> _Search:
        """How the columns are searched in this level."""

    @abstractmethod
    def route(
        self,
        split: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        next_slot: np.ndarray,
        slots: np.ndarray,
        nodes: np.ndarray,
        pool: ThreadPool,
    ) -> None:
        """Send every row to its child; see ``_loops.route_dense``."""


@dataclass
class _Search:
    """A compiled loop over columns, with what it reads, and whether it may get some slots only."""

    loop: Callable[..., None]
    stored: Any
    limits: Any
    n_updates: Callable[[np.ndarray], int]
    takes_few: bool = False

    @classmethod
    def of_entries(cls, entries: Entries, level: Level) -> _Search:
        gains = np.empty(len(level.matrix))
        rows = (level.slots, level.matrix, level.totals)
        rule = (level.n_classes, level.criterion, level.tie)
        _entry_loops.row_gains(rows, rule, gains)
        starts = entries[0]

        def n_updates(columns: np.ndarray) -> int:
            return int((starts[columns + 1] - starts[columns]).sum())

        limits = (gains, level.unsplit_value())
        return cls(_entry_loops.entry_splits, entries, limits, n_updates)


@dataclass
class BinnedDense(BinnedTable):
    """Binned dense table.

    Tables of few rows are searched entry by entry, larger ones by histograms.

    Attributes
    ----------
    codes : ndarray of uint8, shape (n_features, n_rows)
    thresholds : ndarray of shape (n_features, 255)
        Code ``b`` of column ``f`` holds the values in ``(thresholds[f, b-1], thresholds[f, b]]``;
        padded with infinity.
    """

    codes: np.ndarray
    thresholds: np.ndarray

    def threshold(self, column: int, cut: int) -> float:
        """Where a column is cut after a code."""
        return float(self.thresholds[column, cut])

    def take(self, rows: np.ndarray) -> Self:
        """The codes of some rows."""
        return replace(self, n_rows=len(rows), codes=np.ascontiguousarray(self.codes[:, rows]))

    @cached_property
    def entries(self) -> Entries:
        """The rows of every column in the order of their codes, without its most frequent code."""
        n_features = len(self.codes)
        rest, sizes = np.empty(n_features, dtype=np.int64), np.empty(n_features, dtype=np.int64)
        _entry_loops.find_rest_codes(self.codes, rest, sizes, 0, n_features)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        rows, codes = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=np.uint8)
        _entry_loops.collect_entries(self.codes, rest, starts, rows, codes, 0, n_features)
        return starts, rows, codes, rest

    def _search_of(self, level: Level) -> _Search:
        if self.n_rows <= _FEW_ROWS:
            return _Search.of_entries(self.entries, level)

        def n_updates(columns: np.ndarray) -> int:
            return self.n_rows * len(columns)

        return _Search(_split_loops.histogram_splits, self.codes, self.n_bins, n_updates, True)

    def route(
        self,
        split: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        next_slot: np.ndarray,
        slots: np.ndarray,
        nodes: np.ndarray,
        pool: ThreadPool,
    ) -> None:
        """Send every row to its child; see ``_loops.route_dense``."""
        pool.parallel_for(
            self.n_rows,
            _loops.route_dense,
            self.codes,
            split,
            next_slot,
            slots,
            nodes,
            worth=self.n_rows > PARALLEL_ROWS,
        )


@dataclass
class BinnedSparse(BinnedTable):
    """Binned sparse table.

    Attributes
    ----------
    entries : tuple
        ``(indptr, rows, codes, zero_codes)``: the stored entries of every column in the order of
        their codes, and the code of zero.
    cuts, first_cut : ndarray
        Thresholds of all columns one after another, and where those of a column start.
    """

    entries: Entries
    cuts: np.ndarray
    first_cut: np.ndarray

    def threshold(self, column: int, cut: int) -> float:
        """Where a column is cut after a code; infinite after the last one."""
        place = self.first_cut[column] + cut
        return float(self.cuts[place]) if place < self.first_cut[column + 1] else np.inf

    def take(self, rows: np.ndarray) -> Self:
        """The codes of some rows."""
        indptr, row_of, codes, zero_codes = self.entries
        place = np.full(self.n_rows, -1, dtype=row_of.dtype)
        place[rows] = np.arange(len(rows))
        kept = place[row_of] >= 0
        starts = np.concatenate([[0], np.cumsum(kept)])[indptr].astype(indptr.dtype)
        entries = (starts, place[row_of[kept]], codes[kept], zero_codes)
        return replace(self, n_rows=len(rows), entries=entries)

    def _search_of(self, level: Level) -> _Search:
        return _Search.of_entries(self.entries, level)

    def route(
        self,
        split: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        next_slot: np.ndarray,
        slots: np.ndarray,
        nodes: np.ndarray,
        pool: ThreadPool,
    ) -> None:
        """Send every row to its child; see ``_loops.route_sparse``."""
        _loops.route_sparse(self.entries, split, next_slot, slots, nodes)


class TreeRows:
    """The training rows of a tree that grows: where each of them stands.

    Parameters
    ----------
    table : TrainingTable
    costs : CostMatrix

    Attributes
    ----------
    nodes, slots : ndarray of int32, shape (n_rows,)
        Node of each row, and its slot in the level that is split next (-1 for none).
    """

    def __init__(self, table: Any, costs: Any) -> None:
        self.table, self.costs, self.binned = table, costs, table.binned
        self.nodes = np.zeros(len(table.y), dtype=np.int32)
        self.slots = np.zeros(len(table.y), dtype=np.int32)
        self._at_root = True

    def level(self, totals: np.ndarray, criterion: int, tie: float) -> Level:
        """The level that is split next; see :class:`Level`."""
        slots = self.slots[:0] if self._at_root else self.slots
        return Level(slots, self.costs.matrix, totals, self.costs.n_classes, criterion, tie)

    def best_splits(self, level: Level, columns: np.ndarray) -> Splits:
        """Best split of every slot of a level."""
        return self.binned.best_splits(level, columns, self.table.pool)

    def route(
        self, split: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], next_slot: np.ndarray
    ) -> None:
        """Send every row to its child; see ``_loops.route_dense``."""
        self._at_root = False
        self.binned.route(split, next_slot, self.slots, self.nodes, self.table.pool)

    def answer(
        self, labels: np.ndarray, sums: np.ndarray, is_leaf: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Let every node predict its label.

        Parameters
        ----------
        labels : ndarray of int, shape (n_nodes,)
        sums : ndarray of shape (n_nodes, n_lanes)
            Sum of the cost matrix in each node.
        is_leaf : ndarray of bool, shape (n_nodes,)

        Returns
        -------
        answers : ndarray of int32, shape (n_rows,)
        reach : ndarray of shape (n_nodes,)
            Share of the predicted class's weight that each node holds.
        """
        table = self.table
        answers = np.empty(len(self.nodes), dtype=np.int32)
        n_blocks = _loops.sum_blocks(len(answers))
        hits = np.zeros((n_blocks, len(table.mass_folds), len(labels)))
        table.pool.parallel_for(
            n_blocks,
            _loops.answer_rows,
            self.nodes,
            labels,
            table.y,
            table.mass_folds,
            answers,
            hits,
            worth=len(answers) > PARALLEL_ROWS,
        )
        mass = np.maximum(table.class_mass[labels], np.finfo(float).tiny)
        return answers, hits.sum(axis=0).sum(axis=0) / mass
