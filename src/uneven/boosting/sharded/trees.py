"""Trees that grow on rows in shards: histograms come from there, splits are chosen here."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from uneven.boosting.score_leaves import ScoreLearner, ScoreSettings
from uneven.boosting.sharded import score_steps, vote_steps
from uneven.boosting.sharded.codes import ShardedRowCodes, code_entries, sum_classes
from uneven.boosting.sharded.costs import Answers, Leaves, MaskedCosts, ShardedCosts
from uneven.boosting.sharded.engine import Engine, Handle
from uneven.boosting.sharded.shard import ALL_ROWS, range_of_mass
from uneven.boosting.sharded.steps import Step
from uneven.costs.score_costs import used_lanes
from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import fold_units
from uneven.voters import _growth_loops, _score_loops, _split_loops
from uneven.voters._growth_loops import CHILD, COLUMN, DEPTH, SLOT
from uneven.voters.binned_tables import BinnedDense, Level, Splits, TreeRows, _Search
from uneven.voters.growing_tree import GrowingTree, Histograms
from uneven.voters.row_codes import RowCodes
from uneven.voters.score_tree import GrownTree
from uneven.voters.training_table import SparseCuts

_AHEAD = 16
_NOBODY = np.zeros(0, dtype=np.int32)


class ShardedBinned(BinnedDense):
    """A binned table whose codes are in shards.

    Parameters
    ----------
    engine : Engine
    handle : Handle
        Of the codes.
    n_bins, thresholds : ndarray
        As for :class:`~uneven.voters.binned_tables.BinnedDense`.
    n_rows : int
    """

    def __init__(
        self,
        engine: Engine,
        handle: Handle,
        n_bins: np.ndarray,
        thresholds: np.ndarray,
        n_rows: int,
    ) -> None:
        super().__init__(n_bins, n_rows, np.zeros((0, 0), dtype=np.uint8), thresholds)
        self.engine, self.handle = engine, handle
        self._scanned: tuple[np.ndarray, np.ndarray] = (np.zeros((0, 0, 0)), _NOBODY)

    def histograms_of(
        self, tree: Handle, costs: MaskedCosts, columns: np.ndarray, kept: np.ndarray
    ) -> Step:
        """The request for the histograms of a level; see ``vote_steps.fill_splits``."""
        names = (tree.name, self.handle.name, costs.handle.name)
        return vote_steps.fill_splits(*names, columns, self.n_bins, kept)

    def scan(
        self, level: Level, columns: np.ndarray, histograms: np.ndarray, pool: ThreadPool
    ) -> Splits:
        """Best splits of a level whose histograms (n_slots, n_bins, n_lanes) are known."""
        first = np.zeros(len(self.n_bins), dtype=np.int64)
        sizes = self.n_bins[columns] + 1
        first[columns] = np.cumsum(sizes) - sizes
        self._scanned = (histograms, first)
        return self.best_splits(level, columns, pool)

    def _search_of(self, level: Level) -> _Search:
        def n_updates(columns: np.ndarray) -> int:
            return len(level.totals) * int(self.n_bins[columns].sum())

        return _Search(_split_loops.scan_splits, self._scanned, self.n_bins, n_updates)


class ShardedSparseBinned(ShardedBinned):
    """A binned sparse table whose stored entries are in shards."""

    known: SparseCuts

    @classmethod
    def of(cls, engine: Engine, cuts: SparseCuts, n_rows: int) -> ShardedSparseBinned:
        """Code the stored entries of all shards."""
        handle = engine.new()
        engine.later(code_entries(handle.name, cuts))
        binned = cls(engine, handle, cuts.n_bins, np.zeros((0, 255)), n_rows)
        binned.known = cuts
        return binned

    def threshold(self, column: int, cut: int) -> float:
        """Where a column is cut after a code; infinite after the last one."""
        place = self.known.first_cut[column] + cut
        is_last = place >= self.known.first_cut[column + 1]
        return np.inf if is_last else float(self.known.cuts[place])


class ShardedTreeRows(TreeRows):
    """The rows of a cost tree that grows on shards.

    Only the lighter one of two siblings is requested; the other is the difference from the parent.

    Parameters
    ----------
    binned : ShardedBinned
    costs : MaskedCosts
    view : int
        Rows without it count for nothing.
    class_mass : ndarray of shape (n_classes,)
    pool : ThreadPool
    """

    def __init__(
        self,
        binned: ShardedBinned,
        costs: MaskedCosts,
        view: int,
        class_mass: np.ndarray,
        pool: ThreadPool,
    ) -> None:
        self.binned, self.costs, self._view = binned, costs, view
        self._class_mass, self._pool = class_mass, pool
        self.engine = binned.engine
        self.tree = self.engine.new()
        self._histograms: np.ndarray | None = None
        self._parents = np.zeros(0, dtype=np.int64)

    def level(self, totals: np.ndarray, criterion: int, tie: float) -> Level:
        """The level that is split next."""
        nothing = np.zeros((0, totals.shape[1]))
        return Level(_NOBODY, nothing, totals, self.costs.n_classes, criterion, tie)

    def best_splits(self, level: Level, columns: np.ndarray) -> Splits:
        """Best split of every slot of a level."""
        if self._histograms is None:
            self._histograms = self._ask_root(columns)
        else:
            self._histograms = self._ask_children(level, columns)
        return self.binned.scan(level, columns, self._histograms, self._pool)

    def _ask_root(self, columns: np.ndarray) -> np.ndarray:
        costs = self.costs
        question = self.binned.histograms_of(self.tree, costs, columns, _NOBODY)
        found = None
        if isinstance(costs, ShardedCosts):
            same = costs.ahead is not None and np.array_equal(costs.ahead.args[3], columns)
            found, costs.answered = (costs.answered if same else None), None
            costs.ahead = question
        return self._with_first_lane(self.engine.ask(question) if found is None else found)

    def _ask_children(self, level: Level, columns: np.ndarray) -> np.ndarray:
        weight = level.totals[:, self.costs.n_classes]
        left = np.arange(0, len(weight), 2)
        lighter = left + (weight[left + 1] < weight[left])
        kept = np.full(len(weight) + 1, -1, dtype=np.int32)
        kept[lighter] = np.arange(len(lighter))
        question = self.binned.histograms_of(self.tree, self.costs, columns, kept)
        asked = self._with_first_lane(self.engine.ask(question))
        assert self._histograms is not None
        both = np.empty((len(weight), *asked.shape[1:]))
        both[lighter] = asked
        both[lighter ^ 1] = self._histograms[self._parents] - asked
        return both

    def _with_first_lane(self, sums: np.ndarray) -> np.ndarray:
        """Histograms with all lanes: costs add up to zero over the classes."""
        n_classes = self.costs.n_classes
        whole = np.zeros((*sums.shape[:2], self.costs.sums.shape[0]))
        whole[..., 1 : n_classes + 1] = sums
        whole[..., 0] = 0.0 - sums[..., : n_classes - 1].sum(axis=-1)
        return whole

    def route(
        self, split: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], next_slot: np.ndarray
    ) -> None:
        """Send every row to its child, together with the next request."""
        self._parents = np.flatnonzero(split[0] >= 0)
        names = (self.tree.name, self.binned.handle.name)
        self.engine.later(vote_steps.route_rows(*names, split, next_slot))

    def answer(
        self, labels: np.ndarray, sums: np.ndarray, is_leaf: np.ndarray
    ) -> tuple[Any, np.ndarray]:
        """Let every node predict its label; the reach is known after the next trip."""
        reach = np.zeros(len(labels))
        mass = np.maximum(self._class_mass[labels], np.finfo(float).tiny)

        def fill_in(hits: np.ndarray) -> None:
            reach[:] = hits.sum(axis=0) / mass

        answers = Answers(self.engine, self.engine.name())
        answers.costs = self.costs
        answers.paid = float(sums[is_leaf, labels[is_leaf]].sum())
        step = vote_steps.answer_rows(answers.name, self.tree.name, labels, self._view)
        self.engine.later(step, fill_in)
        return answers, reach


class _Units:
    """What a tree needs of gradients that are in shards."""

    def __init__(self, unit: float, curvature_unit: float, lanes: int) -> None:
        self.unit, self.curvature_unit = unit, curvature_unit
        self.values = np.empty((0, lanes), dtype=np.int16)


class ShardedTree(GrowingTree):
    """A score tree that grows on rows in shards.

    Parameters
    ----------
    engine : Engine
    tree : Handle
    codes : RowCodes
        What is known of the columns, without rows.
    kept : ndarray of int, shape (n_kept,), or None
    gradients : _Units
    limits, rule, memory : object
        As for :class:`~uneven.voters.growing_tree.GrowingTree`.
    root : (histogram, sums)
    used : ndarray of int
        Lanes of the histograms that the shards send.
    """

    def __init__(
        self,
        engine: Engine,
        tree: Handle,
        codes: RowCodes,
        kept: np.ndarray | None,
        gradients: _Units,
        limits: tuple[int, int],
        rule: tuple[float, float],
        memory: Histograms,
        root: tuple[np.ndarray, np.ndarray],
        used: np.ndarray,
    ) -> None:
        self.engine, self.tree, self.root, self.n_ahead = engine, tree, root, _AHEAD
        self.used = used
        self.unused = np.setdiff1d(np.arange(root[1].shape[1]), used)
        codes = codes if kept is None else codes.take_columns(kept)
        self._open(codes, kept, gradients, limits, rule, memory)
        rows = np.zeros(0, dtype=np.int32)
        self.data = (codes.table, self.columns, gradients.values, rows, rows)
        self._make_room(self.max_leaves // 2 + 2 * self.n_ahead)

    def grow(self) -> dict[str, np.ndarray]:
        """Grow the tree; its parts, without rows, and the node of each leaf."""
        taken = np.zeros(0, dtype=np.int64)
        if self.max_leaves >= 2 and len(self.codes.columns):
            taken = self._grow_ahead()
        parts = self._numbered(taken)
        parts["rows"] = np.zeros(0, dtype=np.int32)
        return parts

    def _grow_ahead(self) -> np.ndarray:
        """Split nodes, some ahead of their turn; those whose turn came, in its order."""
        self._examine_root()
        while self._take_best():
            self._expand(self._ahead())
        return np.array(self.taken, dtype=np.int64)

    def _ahead(self) -> list[int]:
        """The best nodes whose split is not carried out yet.

        All of them if all leaves that may come of them are allowed: no split is wasted.
        """
        if len(self.free) < self.n_ahead:
            self._drop_hopeless()
        waiting = self._uncarried()
        depths = [int(self._facts[number, DEPTH]) for *_, number in self.turns]
        if sum(2 ** (self.max_depth - depth) - 1 for depth in depths) <= self._left:
            return waiting[: self.n_ahead]
        return waiting[: min(self.n_ahead, max(1, min(self._left // 3, len(self.free))))]

    def _uncarried(self) -> list[int]:
        """Nodes whose split is not carried out yet, also below those whose turn has not come.

        A node comes before another if the least gain on the way to it is larger.
        """
        found, todo = [], [(minus_gain, number) for minus_gain, _, number in self.turns]
        while todo:
            minus_gain, number = todo.pop()
            if number not in self.carried:
                found.append((minus_gain, number))
                continue
            child = int(self._facts[number, CHILD])
            gains = [(one, float(self.nodes[1][one])) for one in (child, child + 1)]
            todo += [(max(minus_gain, -gain), one) for one, gain in gains if gain > 0.0]
        return [number for _, number in sorted(found)]

    def _make_nodes(self, n_nodes: int) -> None:
        """Allocate space for so many nodes."""
        if n_nodes > len(self._facts):
            facts, gains, goes_left = (
                np.concatenate([part, np.empty_like(part)]) for part in self.nodes
            )
            self.nodes = (facts, gains, goes_left)

    def leaves(self, parts: dict[str, np.ndarray]) -> np.ndarray:
        """Number, while the tree grew, of the node of each leaf, shape (n_leaves,)."""
        child = parts["child"]
        number = np.zeros(len(child), dtype=np.int64)
        own = {0: 0}
        for k, node in enumerate(self.taken):
            for side in (0, 1):
                own[2 * k + 1 + side] = int(self._facts[node, CHILD]) + side
        for place, node in own.items():
            number[place] = node
        return number[child == np.arange(len(child))]

    def _examine_root(self) -> None:
        slot = self._facts[0, SLOT] = self.free.pop()
        self._keep(slot, self.root[0][0], self.root[1][0])
        self._scan(np.array([0]))
        if self._facts[0, SLOT] < 0:
            self.free.append(slot)
        self._offer(0, 0)

    def _expand(self, numbers: list[int]) -> None:
        """Carry out the splits of some nodes and examine their children, in one trip."""
        self._make_nodes(self.n_nodes + 2 * len(numbers))
        if len(self.free) < len(numbers):
            self._make_room(len(self.sums) + max(len(numbers), len(self.sums) // 4))
        is_last = len(self.taken) + 2 >= self.max_leaves
        splits, asked = [], []
        for number in numbers:
            lighter = self._divide(number)
            child = int(self._facts[number, CHILD])
            column = int(self._facts[number, COLUMN])
            splits.append((number, child, column, self.nodes[2][number].copy()))
            if not is_last and self._facts[number, DEPTH] + 1 < self.max_depth:
                asked.append((number, child, lighter))
            else:
                self._free_slot(number)
        wanted = tuple(lighter for *_, lighter in asked)
        question = score_steps.split_nodes(self.tree.name, splits, wanted)
        if not wanted:
            self.engine.later(question)
            return
        histograms, sums = self.engine.ask(question)
        for k, (number, child, lighter) in enumerate(asked):
            self._examine(number, child, lighter, histograms[k], sums[k])

    def _divide(self, number: int) -> int:
        """Choose the sides of a node's codes and make its children; the lighter one of these."""
        _growth_loops.choose_sides(self.data, self.histograms, self.nodes, number)
        child = self.n_nodes
        self.n_nodes += 2
        self.carried.add(number)
        _growth_loops.place_children(self.nodes, number, child, 0)
        fact, lanes = self._facts[number], self.sums.shape[1]
        first = self.codes.first[fact[COLUMN]]
        size = int(self.codes.first[fact[COLUMN] + 1] - first)
        bins = self.histograms[fact[SLOT], first * lanes : (first + size) * lanes]
        weight = bins[lanes - 1 :: lanes]
        left = int(weight[self.nodes[2][number][:size]].sum())
        return child + (2 * left > int(weight.sum()))

    def _examine(
        self, number: int, child: int, lighter: int, histogram: np.ndarray, sums: np.ndarray
    ) -> None:
        """Find the best splits of two children, of which the lighter one's histogram is known."""
        own, slot = int(self._facts[number, SLOT]), self.free.pop()
        self._facts[number, SLOT] = -1
        numbers = np.array([lighter, 2 * child + 1 - lighter])
        self._keep(slot, histogram, sums)
        self.sums[own] -= sums
        self._facts[numbers, SLOT] = slot, own
        self._scan(numbers)
        kept = self._facts[numbers, SLOT]
        self.free += [one for one in (slot, own) if one not in kept]

    def _keep(self, slot: int, histogram: np.ndarray, sums: np.ndarray) -> None:
        """Store a histogram, of which only the lanes that are used have come, and its sums."""
        kept = self.histograms[slot].reshape(-1, len(sums))
        kept[:, self.unused] = 0
        kept[:, self.used] = histogram
        self.sums[slot] = sums

    def _scan(self, numbers: np.ndarray) -> None:
        """Best splits of a node and of its sibling, which holds the histogram of the parent."""
        slots = self._facts[numbers, SLOT]
        jobs = np.array([[0, 0, slots[0], slots[1] if len(slots) > 1 else -1]])
        shape = (2, len(self.codes.columns))
        found = np.empty(shape), np.empty(shape, dtype=np.int64), np.empty(shape, dtype=bool)
        given = (self.columns, self.histograms, self.sums, jobs, self.rule, found)
        _score_loops.scan_histograms(*given, 0, shape[1])
        sums = self.sums[slots]
        _growth_loops.settle(self.nodes, numbers, found, sums, self.rule, self.small)


class ShardedScoreLearner(ScoreLearner):
    """Grows score trees on some columns of a table in shards.

    Parameters
    ----------
    table : ShardedTable
    codes : ShardedRowCodes
    view : int
    mask : int or None
        View whose absence leaves a row out; None if every row has it.
    is_absent : bool
        Whether no row has the view.
    settings : ScoreSettings

    Attributes
    ----------
    counted : int
        View that the rows have by which categories are ordered.
    """

    def __init__(
        self,
        table: Any,
        codes: ShardedRowCodes,
        view: int,
        mask: int | None,
        is_absent: bool,
        settings: ScoreSettings,
    ) -> None:
        self.table: Any = table
        self.view, self.settings = view, settings
        self.sharded, self.codes = codes, codes.known
        self.mask, self._is_absent = mask, is_absent
        self.counted = ALL_ROWS if mask is None else mask
        self._memory = Histograms()
        self._ordered = WeakKeyDictionary()

    def learn(self, costs: Any, seed: int) -> Any:
        """Grow a tree on the gradients of the costs and give its leaves their scores."""
        if self._is_absent:
            return self._silence(costs)
        tree, leaf_of = self._grow(costs, seed)
        return self._settle(tree, leaf_of, costs)

    def _grow(self, costs: Any, seed: int) -> tuple[GrownTree, Any]:
        settings, rows, kept = self.settings, costs.rows, self._draw_columns(seed)
        rows.columns = (self.sharded.handle.name, kept)
        threshold, scale = costs.plan_draw(seed, settings.subsample, self.mask)
        scales = (scale, scale * costs._curvature_times)
        root, engine, tree = rows.begin_tree(seed, threshold, scales), rows.engine, rows.tree
        units = _Units(1.0 / scales[0], 1.0 / scales[1], root[1].shape[1])
        limits, rule = (settings.max_leaves, settings.max_depth), (settings.l2, settings.min_weight)
        used = used_lanes(costs.n_classes, root[1].shape[1])
        growing = ShardedTree(
            engine, tree, self._codes_for(costs), kept, units, limits, rule, self._memory, root,
            used,
        )  # fmt: skip
        parts = growing.grow()
        grown = GrownTree(**parts)
        leaf_of = Leaves(engine, engine.name())
        engine.later(
            score_steps.find_leaves(
                leaf_of.name,
                tree.name,
                self.sharded.handle.name,
                self.mask,
                grown.routes(),
                growing.leaves(parts),
            )
        )
        return grown, leaf_of

    def _look_how_far(self, voter: Any, leaf_of: Any, spoken: np.ndarray, costs: Any) -> None:
        """Find the reach of leaves; it is known after the next trip."""
        mass = np.maximum(self.table.class_mass[spoken], np.finfo(float).tiny)

        def fill_in(hits: np.ndarray) -> None:
            voter.reach[:] = np.where(voter.is_leaf, (hits / mass)[voter.label], 0.0)

        costs.find_reach(leaf_of, spoken, self.table.mass, fill_in)

    def _class_mass(self, costs: Any) -> np.ndarray:
        engine = costs.rows.engine
        heaviest, _ = engine.ask(range_of_mass(self.counted))
        units = fold_units(self.table.n_rows, heaviest)
        asked = sum_classes(self.sharded.handle.name, self.counted, self.table.n_classes, units)
        return np.asarray(engine.ask(asked).sum(axis=0))

    def leaf_of(self, voter: Any) -> Any:
        """Leaf of every training row, -1 where the view is absent."""
        found = self.table.answers_of(voter)
        leaf_of = Leaves(found._engine, found._engine.name())
        view = ALL_ROWS if self.mask is None else self.mask
        found._engine.later(vote_steps.silence(leaf_of.name, found.name, view))
        return leaf_of
