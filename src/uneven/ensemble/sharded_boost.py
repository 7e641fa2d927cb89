"""The boost of an ensemble on rows in shards: the model is that of a table in memory.

Trees grow where the rows are. Labels, and weights if they differ, come here once, so that the same
rows are left out as from a table in memory; of each row left out comes one probability per round,
and all of them in the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from uneven.boosting.score_leaves import ScoreSettings
from uneven.boosting.sharded import score_steps, vote_steps
from uneven.boosting.sharded.costs import RemoteScoreRows, ShardedScoreCosts
from uneven.boosting.sharded.engine import Engine, Handle
from uneven.boosting.sharded.rows import ShardedRows
from uneven.boosting.sharded.shard import ALL_ROWS, ANY_VIEW, Shard, range_of_mass
from uneven.boosting.sharded.steps import collected, step
from uneven.boosting.sharded.trees import ShardedScoreLearner
from uneven.costs.score_costs import weight_unit
from uneven.ensemble.boost import Boost, BoostModel, ScoreLeafBoost, class_shares
from uneven.ensemble.pooling import PooledMember, PooledRows
from uneven.ensemble.shared_table import (
    VERY_MANY_ROWS,
    Learnt,
    TableSize,
    fill_absent,
    mass_scale,
    rounded_mass,
)
from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import fold_units
from uneven.utils.validation import hold_out
from uneven.views import resolve_views
from uneven.votes import ALL_VIEWS

_NONE = np.zeros((0, 0))
_COUNTED = 1
"""Stands, among the views of a shard, for the rows that are not left out."""


@step(collected)
def labels_of_blocks(
    shard: Shard, mass: float | None
) -> list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
    """Number of each block, labels, which rows have a view, and their mass, if it is not known."""
    there = shard.present(ANY_VIEW)
    masses = shard.mass if mass is None else np.zeros((len(there), 0))
    return [(number, shard.y[rows], there[rows], masses[rows]) for number, rows in shard.places()]


@step(changes=True)
def leave_out(
    shard: Shard, name: int, packed: dict[int, np.ndarray], scales: list[tuple[float, float]]
) -> None:
    """Drop rows without a view, round the mass, and keep under a name which rows are left out.

    Parameters
    ----------
    shard : Shard
    name : int
    packed : dict of int to ndarray of uint8
        By number of a block, a bit for each of its rows that has a view.
    scales : list of (float, float)
        By which the mass is rounded, one after another; see ``rounded_mass``.
    """
    shard.take(np.flatnonzero(shard.present(ANY_VIEW)))
    for scale in scales:
        shard.mass = rounded_mass(shard.mass, scale)
    shard.mass = shard.moved(shard.mass)
    counted = np.ones(len(shard.y), dtype=bool)
    left_out = []
    for number, rows in shard.places():
        out = np.unpackbits(packed[number], count=rows.stop - rows.start).astype(bool)
        counted[rows] = ~out
        left_out.append((number, rows.start + np.flatnonzero(out)))
    shard.presence = np.column_stack([np.ones(len(counted), dtype=bool), counted])
    shard.held[name] = left_out


@step(collected)
def own_chances(shard: Shard, name: int, left_out: int) -> list[tuple[int, np.ndarray]]:
    """Probability of the label of each row left out, block by block."""
    P = shard.held[name].P
    return [(number, P[rows, shard.y[rows]]) for number, rows in shard.held[left_out]]


@step(changes=True)
def keep_shares(shard: Shard, kept: int, name: int, left_out: int) -> None:
    """Keep, under a name, the probabilities of the rows left out."""
    P = shard.held[name].P
    shard.held[kept] = [(number, P[rows]) for number, rows in shard.held[left_out]]


@step(collected)
def kept_shares(shard: Shard, kept: int) -> list[tuple[int, np.ndarray]]:
    """What was kept, block by block."""
    return list(shard.held[kept])


def _in_order(parts: list[tuple[int, np.ndarray]]) -> np.ndarray:
    """Parts of blocks, one after another as the blocks are numbered."""
    return np.concatenate([part for _, part in sorted(parts, key=lambda own: own[0])])


class LabelledBlocks:
    """Rows in shards, of which labels and weights are known here.

    Parameters
    ----------
    rows : ShardedRows
    pool : ThreadPool

    Attributes
    ----------
    y : ndarray of int32, shape (n_samples,)
        Class codes, block by block.
    mass : ndarray of shape (n_samples,)
    there : ndarray of bool, shape (n_samples,)
        Which rows have a value.
    """

    def __init__(self, rows: ShardedRows, pool: ThreadPool) -> None:
        if rows.is_sparse:
            raise ValueError(
                "UnevenClassifier learns sparse tables in memory, and X is sparse: give a table in "
                "memory, such as X.compute(), or use BalancedBoostingClassifier."
            )
        self.rows, self.pool = rows, pool
        heaviest, lightest = rows.engine.ask(range_of_mass(ALL_ROWS))
        mass = heaviest if heaviest == -lightest else None
        found = sorted(rows.engine.ask(labels_of_blocks(mass)), key=lambda block: block[0])
        self._numbers = [number for number, *_ in found]
        self._lengths = [int(there.sum()) for _, _, there, _ in found]
        self.y, self.there, masses = (np.concatenate(part) for part in list(zip(*found))[1:])
        self.mass = masses if mass is None else np.full(len(self.y), mass)
        if self.size.n_rows < VERY_MANY_ROWS:
            raise ValueError(
                f"UnevenClassifier learns fewer than {VERY_MANY_ROWS} rows in memory, and X has "
                f"{self.size.n_rows}: give a table in memory, such as X.compute(), or use "
                "BalancedBoostingClassifier."
            )

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.rows.classes)

    @property
    def size(self) -> TableSize:
        """Its size, without rows that have no value."""
        return TableSize(int(self.there.sum()), self.rows.n_columns, self.n_classes)

    def tasks(self) -> list[ShardedTask]:
        """What is to be learnt; nothing if there is a single class."""
        learner = ScoreLeafBoost.suited_to(self.size)
        if learner is None or len(np.unique(self.y[self.there])) < 2:
            return []
        return [ShardedTask("boost", learner, self)]

    def round_mass(self) -> tuple[np.ndarray, list[tuple[float, float]]]:
        """The mass of rows that have a value, rounded as in a ``SharedTable``, and how.

        It is rounded again where rows without a value are dropped.
        """
        scales = [mass_scale(self.mass)]
        mass = rounded_mass(self.mass, scales[0])
        if not self.there.all():
            mass = mass[self.there]
            scales.append(mass_scale(mass))
            mass = rounded_mass(mass, scales[1])
        return mass, scales

    def leave_out(self, out: np.ndarray, scales: list[tuple[float, float]]) -> Handle:
        """Leave rows out of those that have a value; a name for them."""
        is_out = np.zeros(sum(self._lengths), dtype=bool)
        is_out[out] = True
        parts = np.split(is_out, np.cumsum(self._lengths)[:-1])
        packed = {number: np.packbits(own) for number, own in zip(self._numbers, parts)}
        left_out = self.rows.engine.new()
        self.rows.engine.later(leave_out(left_out.name, packed, scales))
        self.rows.class_counts = np.bincount(self.y[self.there], minlength=self.n_classes)
        return left_out


@dataclass
class ShardedTask:
    """A boost that is to learn from rows in shards; as :class:`~uneven.ensemble.tasks.Task`.

    Attributes
    ----------
    name : str
    learner : ScoreLeafBoost
        Without folds.
    table : LabelledBlocks
    out : ndarray of int
        Rows left out, of those that have a value.
    """

    name: str
    learner: ScoreLeafBoost
    table: LabelledBlocks
    out: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def learn(self, seed: int, n_rows: int) -> tuple[PooledMember, np.ndarray]:
        """Let the boost learn; ``unseen`` holds the rows left out, (n_out, n_classes)."""
        found = self._learn(seed)
        columns = self.table.rows.views.used_columns
        return PooledMember(self.name, found.model, columns, ALL_VIEWS), found.unseen

    def _learn(self, seed: int) -> Learnt:
        table, rng = self.table, np.random.RandomState(seed)
        y, (mass, scales) = table.y[table.there], table.round_mass()
        self.out = np.flatnonzero(hold_out(y, self.learner.held_out, rng))
        left_out = table.leave_out(self.out, scales)
        learner, costs = _open(table, self.learner.settings, left_out, len(self.out))
        boost = _ShardedBoost(costs, y, mass, self.out, table.n_classes)
        self.learner.run([boost], learner, rng)
        views = resolve_views(None, n_features=table.rows.n_columns)
        unseen = fill_absent(boost.unseen(), class_shares(y, mass, table.n_classes), seed)
        return Learnt(BoostModel.of([boost], views), unseen)

    def pooled(self, said: list[np.ndarray]) -> PooledRows:
        """Probabilities for the rows left out."""
        there = self.table.there
        return PooledRows.of_judged(said, self.table.y[there], self.table.mass[there], self.out)


def _open(
    table: LabelledBlocks, settings: ScoreSettings, left_out: Handle, n_out: int
) -> tuple[ShardedScoreLearner, ShardedScoreCosts]:
    """A learner of trees and its costs, in which rows left out do not count."""
    rows, n_classes = table.rows, table.n_classes
    setting = rows.setting(np.ones_like, None, None, 1.0, settings.max_bins, table.pool)
    codes = setting.table.row_codes(np.arange(rows.n_columns), settings.max_bins)
    learner = ShardedScoreLearner(setting.table, codes, 0, None, False, settings)
    learner.counted = _COUNTED
    engine, handle = rows.engine, rows.engine.new()
    heaviest, _ = engine.ask(vote_steps.weigh_rows(handle.name, _COUNTED, np.ones(n_classes)))
    units = fold_units(rows.n_rows, heaviest)
    folds, n_counted = engine.ask(vote_steps.sum_weights(handle.name, units))
    unit = weight_unit(float(folds.sum()) / max(n_counted, 1) or 1.0, 1.0)
    model = (_NONE, _NONE, np.ones(n_classes))
    engine.later(score_steps.open_scores(handle.name, n_classes, "log", model, unit))
    setting.start()
    at_first = np.full(n_out, 1.0 / n_classes, dtype=np.float32)
    remote = _WatchedRows(engine, handle, left_out, at_first)
    costs = ShardedScoreCosts(remote, rows.n_rows, n_classes, "log", unit, np.ones(n_classes))
    return learner, costs


class _WatchedRows(RemoteScoreRows):
    """Rows in shards that send, at the end of a round, probabilities for those left out.

    Attributes
    ----------
    own : ndarray of float32, shape (n_out,)
        Probability of the label of each row left out.
    """

    def __init__(self, engine: Engine, handle: Handle, left_out: Handle, own: np.ndarray) -> None:
        super().__init__(engine, handle)
        self.left_out, self.kept, self.own = left_out, engine.new(), own

    def move(self, leaf_of: Handle, scores: np.ndarray, share: Handle | None) -> None:
        """Add leaf scores to the rows."""
        super().move(leaf_of, scores, share)
        self.engine.later(own_chances(self.handle.name, self.left_out.name), self._note)

    def _note(self, parts: list[tuple[int, np.ndarray]]) -> None:
        self.own = _in_order(parts)

    def keep_shares(self) -> None:
        """Keep what is thought of the rows left out by now."""
        names = (self.kept.name, self.handle.name, self.left_out.name)
        self.engine.later(keep_shares(*names))

    def kept_shares(self) -> np.ndarray:
        """What was kept, shape (n_out, n_classes)."""
        return _in_order(self.engine.ask(kept_shares(self.kept.name)))


class _ShardedBoost(Boost):
    """A boost whose rows are in shards."""

    def _own_chances(self) -> np.ndarray:
        return np.asarray(self.costs.rows.own)

    def _keep_shares(self) -> None:
        self.costs.rows.keep_shares()

    def _kept_shares(self) -> np.ndarray:
        return np.asarray(self.costs.rows.kept_shares())
