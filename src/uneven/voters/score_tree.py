"""Trees grown best-first for leaves that hold one score per class.

A split is judged by the summed gradients of the two sides, one number per class (or a few random
projections of them), over the curvature: ``|g|^2 / (h + l2)``. It is how far a quadratic model of
the loss falls if each side moves by itself. The leaf with the largest gain is split next. Leaf
scores are found afterwards, from all rows (:mod:`uneven.costs.leaf_steps`).

Columns of categories are split into two sets: the categories of a node are ordered by their mean
gradient along the direction in which these differ most, and cut where the gain is largest.

References
----------
D. Coppersmith, S. J. Hong and J. R. M. Hosking (1999), *Partitioning nominal attributes in decision
trees*, Data Mining and Knowledge Discovery 3: the order of categories along the leading direction.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np

from uneven.utils.parallel import ThreadPool
from uneven.voters import _score_loops
from uneven.voters.cost_tree import CategoryTree, TreeVoter
from uneven.voters.row_codes import RowCodes, take_rows

_PARALLEL_ADDITIONS = 300_000
_CHUNK = 1 << 14
_AHEAD = 8
_SMALL_NODE = 768
_CATEGORY_SMOOTHING = 5.0


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


@dataclass
class _Split:
    """The best split of a node, and once it is carried out its sides and its children.

    ``weight`` is the curvature of the node in whole numbers.
    """

    gain: float
    column: int
    cut: int
    missing_left: bool
    weight: int
    goes_left: np.ndarray | None = None
    children: tuple[int, int] | None = None


@dataclass
class _Node:
    """A node while the tree grows; ``split`` is None if no split gains anything."""

    start: int
    stop: int
    depth: int
    slot: int = -1
    split: _Split | None = None


@dataclass
class GrownTree:
    """A tree on codes: the columns are those of the codes it was grown on.

    Attributes
    ----------
    feature, child, label : ndarray of int, shape (n_nodes,)
        Column, left child (a leaf is its own) and leaf number (0 in inner nodes).
    goes_left : ndarray of bool, shape (n_nodes, 256)
        Side of each code.
    cut : ndarray of int, shape (n_nodes,)
        Last code of the left side in a column of numbers.
    missing_left : ndarray of bool, shape (n_nodes,)
    rows : ndarray of int32, shape (n_drawn,)
        The rows that it was grown on, those of a leaf next to each other.
    spans : ndarray of int, shape (n_leaves, 2)
        Where the rows of each leaf begin and end.
    """

    feature: np.ndarray
    child: np.ndarray
    label: np.ndarray
    goes_left: np.ndarray
    cut: np.ndarray
    missing_left: np.ndarray
    rows: np.ndarray
    spans: np.ndarray

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.spans)

    def route(self, codes: RowCodes, leaf_of: np.ndarray, pool: ThreadPool) -> None:
        """Write the leaf number of every row to ``leaf_of``, shape (n_rows,)."""
        worth = codes.n_rows > 20_000
        if len(self.rows) < codes.n_rows:
            leaf_of[:] = -1
        pool.parallel_for(
            len(self.rows), _score_loops.mark_leaves, self.rows, self.spans, leaf_of, worth=worth
        )
        if len(self.rows) == codes.n_rows:
            return
        pool.parallel_for(
            codes.n_rows,
            _score_loops.route_rows,
            codes.table,
            (self.feature, self.child, self.label),
            self.goes_left,
            leaf_of,
            worth=worth,
        )

    def voter(self, codes: RowCodes) -> TreeVoter:
        """The tree on the values of the table; its answer is the number of the leaf, its reach 0.

        Parameters
        ----------
        codes : RowCodes
            What the tree was grown on.
        """
        inner = np.flatnonzero(self.child != np.arange(len(self.child)))
        parts = {
            "feature": np.zeros(len(self.child), dtype=np.int64),
            "threshold": np.full(len(self.child), np.inf),
            "missing_left": np.ones(len(self.child), dtype=bool),
            "child": self.child,
            "label": self.label,
            "reach": np.zeros(len(self.child)),
        }
        sets: dict[int, np.ndarray] = {}
        for node in inner.tolist():
            column = int(self.feature[node])
            parts["feature"][node] = codes.columns[column]
            parts["missing_left"][node] = self.missing_left[node]
            if codes.is_category[column]:
                sets[node] = self.goes_left[node][codes.category_codes[column]]
            else:
                own = codes.cuts[column]
                parts["threshold"][node] = (
                    own[self.cut[node]] if self.cut[node] < len(own) else (np.finfo(float).max)
                )
        return CategoryTree.with_sets(parts, sets) if sets else TreeVoter(**parts)


@dataclass
class ScoreTreeGrower:
    """Grows trees on the same codes round after round.

    Parameters
    ----------
    max_leaves : int
    max_depth : int
    l2 : float
        Added to the curvature of a side.
    min_weight : float
        Least curvature of a side.
    pool : ThreadPool
    """

    max_leaves: int
    max_depth: int
    l2: float
    min_weight: float
    pool: ThreadPool
    _room: np.ndarray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int32), repr=False)

    def grow(self, codes: RowCodes, gradients: Gradients) -> GrownTree:
        """Grow a tree on coded rows."""
        growth = _Growth(self, codes, gradients)
        while growth.take_best():
            growth.expand(growth.ahead())
        return growth.finish()

    def room(self, n_slots: int, size: int) -> np.ndarray:
        """Memory for histograms, kept from tree to tree, shape (at least n_slots, size)."""
        if len(self._room) < n_slots or self._room.shape[1] != size:
            larger = np.empty((n_slots, size), dtype=np.int32)
            if self._room.shape[1] == size:
                larger[: len(self._room)] = self._room
            self._room = larger
        return self._room


class _Growth:
    """One tree while it grows.

    Nodes are split in the order of their gains. Splits can be carried out ahead of their turn:
    with several threads a few at a time keep all of them busy. A node that was split ahead, but
    whose turn never came, stays a leaf, so the tree does not depend on the number of threads.
    """

    def __init__(self, grower: ScoreTreeGrower, codes: RowCodes, gradients: Gradients) -> None:
        n_drawn = len(gradients.rows)
        if n_drawn < codes.n_rows:
            codes = codes.take_rows(gradients.rows, grower.pool)
        self.grower, self.codes, self.gradients = grower, codes, gradients
        self.rows = np.arange(n_drawn, dtype=np.int32)
        self.buffer = np.empty_like(self.rows)
        lanes = gradients.values.shape[1]
        self.rule = (gradients.unit, gradients.curvature_unit, grower.l2, grower.min_weight)
        self.smooth = _CATEGORY_SMOOTHING * grower.l2 / gradients.curvature_unit
        self.n_ahead = 1 if grower.pool.n_threads == 1 else _AHEAD
        self.is_dense = codes.table[0].size > 0
        n_large = len(self.rows) // _SMALL_NODE if self.is_dense else grower.max_leaves
        self.histograms = np.empty((0, int(codes.first[-1]) * lanes), dtype=np.int32)
        self.sums = np.empty((0, lanes), dtype=np.int32)
        self.free: list[int] = []
        self._make_room(min(grower.max_leaves // 2, n_large) + 2 * self.n_ahead)
        self.columns = (codes.first, codes.n_bins, codes.has_missing, codes.is_category)
        self.nodes = [_Node(0, len(self.rows), 0)]
        self.turns: list[tuple[float, int]] = []
        self.taken: list[int] = []
        if grower.max_leaves > 1 and len(codes.columns):
            self._examine([(self.nodes[0], None)])
            self._offer(0)

    def take_best(self) -> bool:
        """Split leaves as long as the best one was carried out; whether leaves may be added."""
        while len(self.taken) + 1 < self.grower.max_leaves:
            if not self.turns:
                return False
            number = self.turns[0][1]
            split = self.nodes[number].split
            assert split is not None
            if split.children is None:
                return True
            heapq.heappop(self.turns)
            self.taken.append(number)
            for child in split.children:
                self._offer(child)
        return False

    def _offer(self, number: int) -> None:
        split = self.nodes[number].split
        if split is not None:
            heapq.heappush(self.turns, (-split.gain, number))

    def ahead(self) -> list[int]:
        """The best nodes whose split is not carried out yet."""
        left = self.grower.max_leaves - 1 - len(self.taken)
        if len(self.free) < self.n_ahead:
            self._drop_hopeless(left)
        if self.n_ahead == 1:
            return [self.turns[0][1]]
        waiting = [
            number
            for _, number in heapq.nsmallest(2 * self.n_ahead, self.turns)
            if self.nodes[number].split.children is None  # type: ignore[union-attr]
        ]
        return waiting[: min(self.n_ahead, max(1, min(left // 2, len(self.free))))]

    def _drop_hopeless(self, left: int) -> None:
        """Forget nodes whose turn cannot come: as many better ones wait as may still be split."""
        turns = sorted(self.turns)
        self.turns = turns[:left]
        for _, number in turns[left:]:
            children = self.nodes[number].split.children  # type: ignore[union-attr]
            for one in (number, *(children or ())):
                self._release(self.nodes[one])

    def _make_room(self, n_slots: int) -> None:
        """Have so many histograms."""
        before = len(self.sums)
        self.histograms = self.grower.room(n_slots, self.histograms.shape[1])
        self.sums = np.concatenate(
            [self.sums, np.zeros((n_slots - before, self.sums.shape[1]), dtype=np.int32)]
        )
        self.free += range(n_slots - 1, before - 1, -1)

    def expand(self, numbers: list[int]) -> None:
        """Carry out the splits of some nodes and examine their children."""
        pairs: list[tuple[_Node, _Node | None]] = []
        is_last = len(self.taken) + 2 >= self.grower.max_leaves
        for number, middle in zip(numbers, self._partition(numbers)):
            node = self.nodes[number]
            split = node.split
            assert split is not None
            left = _Node(node.start, middle, node.depth + 1)
            right = _Node(middle, node.stop, node.depth + 1)
            split.children = (len(self.nodes), len(self.nodes) + 1)
            self.nodes += [left, right]
            is_even = middle - node.start <= node.stop - middle
            small, large = (left, right) if is_even else (right, left)
            if is_last or left.depth >= self.grower.max_depth or self._is_small(large):
                self._release(node)
            large.slot, node.slot = node.slot, -1
            if not (is_last or left.depth >= self.grower.max_depth):
                pairs.append((small, large))
        if pairs:
            self._examine(pairs)

    def _partition(self, numbers: list[int]) -> list[int]:
        """Put the rows of nodes that go left first; where the right sides begin."""
        spans = np.array(
            [(self.nodes[number].start, self.nodes[number].stop) for number in numbers]
        )
        columns = np.empty(len(numbers), dtype=np.int64)
        goes_left = np.empty((len(numbers), 256), dtype=bool)
        for k, number in enumerate(numbers):
            split = self.nodes[number].split
            assert split is not None
            split.goes_left = goes_left[k] = self._sides(self.nodes[number], split)
            columns[k] = split.column
        moved = (self.codes.table, self.rows, self.buffer)
        if len(numbers) == 1 and self.grower.pool.n_threads == 1:
            return [_score_loops.partition(*moved, *spans[0], columns[0], goes_left[0])]
        size = int((spans[:, 1] - spans[:, 0]).sum())
        pool, worth = self.grower.pool, size > _CHUNK
        chunks = cut_spans(spans, _CHUNK)
        n_left = np.empty(len(chunks), dtype=np.int64)
        pool.parallel_for(
            len(chunks), _score_loops.split_chunks, *moved, chunks, columns, goes_left, n_left,
            worth=worth,
        )  # fmt: skip
        targets, middles = _score_loops.place_chunks(spans, chunks, n_left)
        pool.parallel_for(
            len(chunks), _score_loops.join_chunks, self.rows, self.buffer, chunks, n_left, targets,
            worth=worth,
        )  # fmt: skip
        return middles.tolist()

    def _release(self, node: _Node) -> None:
        """Give the memory of a histogram back."""
        if node.slot >= 0:
            self.free.append(node.slot)
            node.slot = -1

    def _is_small(self, node: _Node) -> bool:
        """Whether a histogram per column, made when it is needed, is cheaper than one of all."""
        return self.is_dense and node.stop - node.start <= _SMALL_NODE

    def _examine(self, pairs: list[tuple[_Node, _Node | None]]) -> None:
        """Find the best splits of pairs of siblings, the smaller one first, or of the root."""
        large = [pair for pair in pairs if not self._is_small(pair[1] or pair[0])]
        small = [
            node for pair in pairs if self._is_small(pair[1] or pair[0]) for node in pair if node
        ]
        if large:
            self._examine_large(large)
        if small:
            self._examine_small(small)

    def _found(self, n_nodes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Room for the best gain, cut and side of missing values by node and column."""
        shape = (n_nodes, len(self.codes.columns))
        return np.empty(shape), np.empty(shape, dtype=np.int64), np.empty(shape, dtype=bool)

    def _examine_large(self, pairs: list[tuple[_Node, _Node | None]]) -> None:
        """Best splits by histograms of all columns; the larger sibling's is what is left over."""
        values = self.gradients.values
        if len(self.free) < len(pairs):
            self._make_room(len(self.sums) + max(len(pairs), len(self.sums) // 4))
        for small, _ in pairs:
            small.slot = self.free.pop()
        jobs = np.array([(a.start, a.stop, a.slot, -1 if b is None else b.slot) for a, b in pairs])
        parents = self.sums[jobs[:, 3]]
        if not self.is_dense:
            for small, _ in pairs:
                own = self.rows[small.start : small.stop]
                _score_loops.sum_rows(own, values, self.sums[small.slot])
        nodes = [node for pair in pairs for node in pair if node is not None]
        slots = np.array([node.slot for node in nodes])
        found = self._found(2 * len(pairs))
        self._share_out(jobs, parents, found)
        self._settle(nodes, self.sums[slots], found)

    def _share_out(
        self, jobs: np.ndarray, parents: np.ndarray, found: tuple[np.ndarray, ...]
    ) -> None:
        """Examine nodes in threads: whole nodes, or some columns of a node that is large."""
        pool, n_columns = self.grower.pool, len(self.codes.columns)
        given = (self.codes.table, self.columns, self.rows)
        room = (self.gradients.values, self.histograms, self.sums)
        if pool.n_threads == 1:
            rule = (self.rule, self.smooth, found)
            _score_loops.examine_nodes(*given, jobs, *room, parents, *rule, 0, n_columns)
            return
        work = (jobs[:, 1] - jobs[:, 0]) * n_columns + 4 * int(self.codes.first[-1])
        total = int(work.sum())
        tasks = []
        for j in np.argsort(-work, kind="stable").tolist():
            mine = slice(2 * j, 2 * j + 2)
            rule = (self.rule, self.smooth, tuple(part[mine] for part in found))
            args = (*given, jobs[j : j + 1], *room, parents[j : j + 1], *rule)
            is_large = 2 * pool.n_threads * int(work[j]) > total
            n_parts = min(pool.n_threads if is_large else 1, n_columns)
            cuts = [n_columns * k // n_parts for k in range(n_parts + 1)]
            tasks += [partial(_score_loops.examine_nodes, *args, *part) for part in pairwise(cuts)]
        pool.map(tasks, worth=total > _PARALLEL_ADDITIONS)

    def _examine_small(self, nodes: list[_Node]) -> None:
        """Best splits of nodes with few rows, one column at a time."""
        values, codes = self.gradients.values, self.codes
        spans = np.array([(node.start, node.stop) for node in nodes])
        totals = np.empty((len(nodes), values.shape[1]), dtype=np.int32)
        found = self._found(len(nodes))
        additions = (int((spans[:, 1] - spans[:, 0]).sum()) + 128) * len(codes.columns)
        self.grower.pool.parallel_for(
            len(codes.columns),
            _score_loops.examine_small_nodes,
            codes.table[0], self.columns, self.rows, spans, values, totals, self.rule, self.smooth,
            found,
            worth=additions > _PARALLEL_ADDITIONS,
        )  # fmt: skip
        self._settle(nodes, totals, found)

    def _settle(
        self, nodes: list[_Node], totals: np.ndarray, found: tuple[np.ndarray, ...]
    ) -> None:
        """Give nodes their best split."""
        best = np.empty((len(nodes), 5))
        _score_loops.best_columns(found, totals, self.rule, best)
        for node, (gain, column, cut, missing_left, weight) in zip(nodes, best.tolist()):
            if gain > 0.0:
                node.split = _Split(gain, int(column), int(cut), bool(missing_left), int(weight))
            if node.split is None or self._is_small(node):
                self._release(node)

    def _sides(self, node: _Node, split: _Split) -> np.ndarray:
        """Which codes of a column go left, shape (256,); missing ones that are new follow most."""
        column, cut = split.column, split.cut
        codes, lanes = self.codes, self.gradients.values.shape[1]
        _, n_bins, has_missing = codes.span(column)
        histogram = self._column_histogram(node, column)
        goes_left = np.zeros(256, dtype=bool)
        if codes.is_category[column]:
            span = (0, n_bins, has_missing)
            order = _score_loops.order_categories(histogram, span, lanes, self.smooth)
            goes_left[order[: cut + 1]] = True
        else:
            goes_left[: cut + 1] = True
        bins = histogram.reshape(-1, lanes)[:, -1]
        if not (has_missing and bins[n_bins]):
            left = int(bins[:n_bins][goes_left[:n_bins]].sum())
            goes_left[n_bins:] = 2 * left >= split.weight
        elif not codes.is_category[column]:
            goes_left[n_bins] = split.missing_left
        return goes_left

    def _column_histogram(self, node: _Node, column: int) -> np.ndarray:
        """Histogram of one column in a node, shape (n_bins * n_lanes,)."""
        lanes = self.gradients.values.shape[1]
        first, last = self.codes.first[column : column + 2]
        if node.slot >= 0:
            return self.histograms[node.slot][first * lanes : last * lanes]
        histogram = np.empty((last - first) * lanes, dtype=np.int32)
        own = self.rows[node.start : node.stop]
        values = self.gradients.values
        _score_loops.column_histogram(self.codes.table[0], column, own, values, histogram)
        return histogram

    def finish(self) -> GrownTree:
        """Number the nodes: children side by side, after their parent."""
        place = {0: 0}
        n_nodes = 2 * len(self.taken) + 1
        feature, cut = np.zeros((2, n_nodes), dtype=np.int64)
        child = np.arange(n_nodes)
        goes_left = np.zeros((n_nodes, 256), dtype=bool)
        missing_left = np.ones(n_nodes, dtype=bool)
        for k, number in enumerate(self.taken):
            node, split = place[number], self.nodes[number].split
            assert split is not None
            assert split.children is not None
            child[node] = 2 * k + 1
            feature[node], cut[node] = split.column, split.cut
            goes_left[node] = split.goes_left
            missing_left[node] = goes_left[node, self.codes.n_bins[split.column]]
            place[split.children[0]], place[split.children[1]] = 2 * k + 1, 2 * k + 2
        is_leaf = child == np.arange(n_nodes)
        label = np.where(is_leaf, np.cumsum(is_leaf) - 1, 0)
        spans = np.empty((len(self.taken) + 1, 2), dtype=np.int64)
        for number, node in place.items():
            if is_leaf[node]:
                spans[label[node]] = self.nodes[number].start, self.nodes[number].stop
        rows = np.empty_like(self.rows)
        size = len(rows)
        self.grower.pool.parallel_for(
            size, take_rows, self.gradients.rows, self.rows, rows, worth=size > _CHUNK
        )
        return GrownTree(feature, child, label, goes_left, cut, missing_left, rows, spans)


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
