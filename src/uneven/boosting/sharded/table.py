"""A training table whose rows are in shards, and the setting of a boosting method on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from uneven.boosting.score_leaves import ScoreSettings
from uneven.boosting.setting import RowDraw, Setting
from uneven.boosting.sharded import shard as rows_of
from uneven.boosting.sharded.codes import ShardedRowCodes, code_columns, find_cuts
from uneven.boosting.sharded.costs import (
    Answers,
    ShardedCosts,
    ShardedScoreCosts,
)
from uneven.boosting.sharded.engine import Engine
from uneven.boosting.sharded.shard import ANY_VIEW
from uneven.boosting.sharded.trees import ShardedBinned, ShardedScoreLearner, ShardedTreeRows
from uneven.boosting.sharded.vote_steps import ask_voter
from uneven.utils.parallel import ThreadPool


@dataclass
class ShardedTable:
    """What weak learners see of training rows that are in shards.

    Attributes
    ----------
    engine : Engine
    n_rows, n_columns, n_classes : int
    class_mass : ndarray of shape (n_classes,)
    total_mass : float or None
        None if all rows have the same mass.
    heaviest : float
        Largest mass of a row.
    max_bins : int
    pool : ThreadPool
    n_codes : ndarray of int, shape (n_columns,), or None
        Categories of each column, 0 for numbers.
    """

    engine: Engine
    n_rows: int
    n_columns: int
    n_classes: int
    class_mass: np.ndarray
    total_mass: float | None
    heaviest: float
    max_bins: int
    pool: ThreadPool = field(default_factory=lambda: ThreadPool())
    n_codes: np.ndarray | None = None
    X: None = None
    y: None = None

    @property
    def mass(self) -> float:
        """Largest mass of a row, which is all that is asked for here."""
        return self.heaviest

    @cached_property
    def binned(self) -> ShardedBinned:
        """The codes of the table by column, made when the first learner asks for them."""
        cuts, n_bins = self._cuts(None, self.max_bins)
        handle = self.engine.new()
        self.engine.later(code_columns(handle.name, cuts))
        return ShardedBinned(self.engine, handle, n_bins, cuts, self.n_rows)

    def row_codes(self, columns: np.ndarray, max_bins: int) -> ShardedRowCodes:
        """The codes of some columns, row by row."""
        columns = np.asarray(columns, dtype=np.int64)
        whole = len(columns) == self.n_columns
        cuts, n_bins = self._cuts(None if whole else columns, max_bins)
        return ShardedRowCodes.of(self.engine, columns, self.n_codes, cuts, n_bins)

    def _cuts(self, columns: np.ndarray | None, max_bins: int) -> tuple[np.ndarray, np.ndarray]:
        size = self.n_columns if columns is None else len(columns)
        known = (size, self.n_rows, self.total_mass, max_bins, self.pool)
        return find_cuts(self.engine, columns, *known)

    def tree_rows(self, costs: Any) -> ShardedTreeRows:
        """The rows as a tree sees them that is about to grow on some costs."""
        return ShardedTreeRows(self.binned, costs, self.class_mass, self.pool)

    def answers_of(self, voter: Any) -> Answers:
        """What a voter answers on the training rows."""
        answers = Answers(self.engine, self.engine.name())
        self.engine.later(ask_voter(answers.name, voter))
        return answers


class ShardedDraw(RowDraw):
    """The rows of shards that the voters of a round learn from.

    Parameters
    ----------
    engine : Engine
    n_rows : int
    share : float
    """

    rows: Any

    def __init__(self, engine: Engine, n_rows: int, share: float) -> None:
        self._engine, self._n_rows, self._share = engine, n_rows, share
        self.rows = None
        if share < 1.0:
            number_rows(engine)

    def begin(self, seed: int) -> None:
        """Draw the rows of a round, the same ones for the same seed."""
        if self._share < 1.0:
            size = max(1, round(self._share * self._n_rows))
            last = last_lots(self._engine, seed, np.array([size]), by_class=False)[0]
            self.rows = self._engine.new()
            self._engine.later(rows_of.draw_mask(self.rows.name, seed, last))


def number_rows(engine: Engine) -> None:
    """Give every row of all shards a key to draw it by; see ``TrainingRows.draw_keys``."""
    hashes = np.concatenate(engine.ask(rows_of.all_hashes()))
    hashes.sort()
    twins = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
    keys = rows_of.keys_of_twins(engine.ask(rows_of.describe_twins(twins)))
    engine.later(rows_of.number_twins(twins, keys))


def last_lots(engine: Engine, seed: int, sizes: np.ndarray, by_class: bool) -> np.ndarray:
    """The largest of the ``sizes[k]`` smallest lots of class k, or of all rows; 0 for no rows.

    Parameters
    ----------
    engine : Engine
    seed : int
    sizes : ndarray of int, shape (n_classes,) or (1,)
    by_class : bool

    Returns
    -------
    ndarray of uint64, shape of ``sizes``
    """
    counts = engine.ask(rows_of.count_lots(seed, by_class, len(sizes)))
    before = np.cumsum(counts, axis=1)
    buckets = np.array([np.searchsorted(own, max(k, 1)) for own, k in zip(before, sizes)])
    found = engine.ask(rows_of.lots_in(seed, by_class, buckets))
    last = np.zeros(len(sizes), dtype=np.uint64)
    for group, (bucket, size) in enumerate(zip(buckets.tolist(), sizes.tolist())):
        if size > 0:
            lots = np.sort(np.concatenate([part[group] for part in found]))
            last[group] = lots[size - 1 - (before[group, bucket] - len(lots))]
    return last


@dataclass
class ShardedSetting(Setting):
    """What a method gets to work with, where the rows are in shards.

    Attributes
    ----------
    presence : ndarray of int, shape (n_views, n_classes)
        Rows by view and class.
    n_seen : int
        Rows that have any view.
    """

    table: Any
    labels: Any
    presence: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    n_seen: int = 0

    def begin_round(self, seed: int) -> None:
        """Draw the rows of the round."""
        self.draw.begin(seed)

    def start(self) -> None:
        """Let go of the values: rows are coded."""
        self.table.engine.later(rows_of.let_go_of_values())

    def open_shared_costs(self) -> ShardedCosts:
        """The first cost matrix of all views together; rows are coded for cost trees."""
        _ = self.table.binned
        return self.labels.open_votes(ANY_VIEW)

    def open_scores(
        self, settings: ScoreSettings, view: int
    ) -> tuple[ShardedScoreLearner, ShardedScoreCosts]:
        """A learner of trees with leaf scores on all views together, and its costs."""
        codes = self.table.row_codes(self.views.used_columns, settings.max_bins)
        mask = None if self.n_seen == self.table.n_rows else ANY_VIEW
        known = (codes, view, mask, self.n_seen == 0, settings)
        learner = ShardedScoreLearner(self.table, *known)
        return learner, self.labels.open_scores(ANY_VIEW, settings.loss)
