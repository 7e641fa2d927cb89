"""A training table whose rows are in shards, and the setting of a boosting method on it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from uneven.boosting.score_leaves import ScoreSettings
from uneven.boosting.setting import RowDraw, Setting
from uneven.boosting.sharded import shard as rows_of
from uneven.boosting.sharded import vote_steps
from uneven.boosting.sharded.codes import (
    ShardedRowCodes,
    code_columns,
    find_cuts,
    find_sparse_cuts,
)
from uneven.boosting.sharded.costs import (
    Answers,
    Leaves,
    ShardedCosts,
    ShardedScoreCosts,
    class_mass,
)
from uneven.boosting.sharded.engine import Engine, Handle
from uneven.boosting.sharded.shard import ALL_ROWS, ANY_VIEW
from uneven.boosting.sharded.trees import (
    ShardedBinned,
    ShardedScoreLearner,
    ShardedSparseBinned,
    ShardedTreeRows,
)
from uneven.boosting.sharded.vote_steps import ask_voter
from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import fold_units
from uneven.views.training_rows import tell_silent_views


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
    is_sparse : bool
    view : int
        Rows without it count for nothing.
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
    is_sparse: bool = False
    view: int = ALL_ROWS
    X: None = None
    y: None = None

    @property
    def mass(self) -> float:
        """Largest mass of a row, which is all that is needed here."""
        return self.heaviest

    @cached_property
    def binned(self) -> ShardedBinned:
        """The codes of the table by column, made when the first learner needs them."""
        if self.is_sparse:
            heaviest = None if self.total_mass is None else self.heaviest
            sizes = (self.n_columns, self.n_rows, heaviest, self.max_bins)
            return ShardedSparseBinned.of(
                self.engine, find_sparse_cuts(self.engine, None, ALL_ROWS, *sizes), self.n_rows
            )
        known = (self.n_columns, self.n_rows, self.total_mass, self.max_bins, self.pool)
        cuts, n_bins = find_cuts(self.engine, None, ALL_ROWS, *known)
        handle = self.engine.new()
        self.engine.later(code_columns(handle.name, cuts))
        return ShardedBinned(self.engine, handle, n_bins, cuts, self.n_rows)

    def row_codes(
        self, columns: np.ndarray, max_bins: int, view: int = ALL_ROWS
    ) -> ShardedRowCodes:
        """The codes of some columns, row by row; rows without a view weigh nothing."""
        columns = np.asarray(columns, dtype=np.int64)
        total, heaviest = self.total_mass, self.heaviest
        if view != ALL_ROWS:
            heaviest, lightest = self.engine.ask(rows_of.range_of_mass(view))
            *_, total = class_mass(self.engine, view, self.n_classes, self.n_rows)
            total = None if heaviest == -lightest else total
        asked = None if len(columns) == self.n_columns else columns
        if self.is_sparse:
            sizes = (len(columns), self.n_rows, None if total is None else heaviest, max_bins)
            found = find_sparse_cuts(self.engine, asked, view, *sizes)
            return ShardedRowCodes.of_sparse(self.engine, columns, found)
        known = (len(columns), self.n_rows, total, max_bins, self.pool)
        cuts, n_bins = find_cuts(self.engine, asked, view, *known)
        return ShardedRowCodes.of(self.engine, columns, self.n_codes, cuts, n_bins)

    def where(self, row_mask: Any, pool: ThreadPool) -> ShardedTable:
        """The same table for a view that is missing in some rows."""
        heaviest, _ = self.engine.ask(rows_of.range_of_mass(row_mask.view))
        units = fold_units(self.n_rows, heaviest)
        self.engine.later(rows_of.fold_mass(row_mask.view, units))
        seen = replace(self, view=row_mask.view, heaviest=heaviest, pool=pool)
        if "binned" in vars(self):
            vars(seen)["binned"] = self.binned
        return seen

    def tree_rows(self, costs: Any) -> ShardedTreeRows:
        """The rows in the form in which a tree is grown on some costs."""
        return ShardedTreeRows(self.binned, costs, self.view, self.class_mass, self.pool)

    def answers_of(self, voter: Any, row_mask: Any = None) -> Answers:
        """Predictions of a voter for the training rows, -1 outside of a mask."""
        answers = Answers(self.engine, self.engine.name())
        self.engine.later(ask_voter(answers.name, voter))
        return answers if row_mask is None else self.silence(answers, row_mask)

    def pace(self) -> str:
        """Throughput of requests since the fit began."""
        return self.engine.pace(self.n_rows)

    def nobody(self) -> Leaves:
        """Predictions of a voter that abstains everywhere."""
        answers = Leaves(self.engine, self.engine.name())
        self.engine.later(vote_steps.nobody(answers.name))
        return answers

    def silence(self, answers: Answers, row_mask: Any) -> Answers:
        """The same predictions, -1 outside of a mask; rows outside of it cost nothing."""
        heard = Answers(self.engine, self.engine.name())
        heard.costs, heard.paid = answers.costs, answers.paid
        self.engine.later(vote_steps.silence(heard.name, answers.name, row_mask.view))
        return heard


class Presence(Handle):
    """Where a view is present, as known by the shards."""

    def __init__(self, engine: Engine, view: int, n_there: int, n_rows: int) -> None:
        super().__init__(engine, engine.name())
        self.view, self._n_there, self._n_rows = view, n_there, n_rows
        engine.later(vote_steps.mask_rows(self.name, view))

    def any(self) -> bool:
        """Whether a row has the view."""
        return self._n_there > 0

    def all(self) -> bool:
        """Whether every row has the view."""
        return self._n_there == self._n_rows


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
        self.labels.begin_round(self.draw.rows)

    def share_votes(self) -> None:
        """Divide what votes tell about the label of a row among the views that it has."""
        self.labels.share_votes()

    def start(self) -> None:
        """Let go of the values: rows are coded."""
        self.table.engine.later(rows_of.let_go_of_values())

    def without_silent_views(self) -> ShardedSetting:
        """The same setting, in which views without votes are absent everywhere."""
        if len(self.views) == 1:
            return self
        speaks = tell_silent_views(
            (self.presence > 0).sum(axis=1), self.views, self.table.n_classes > 1
        )
        engine = self.table.engine
        engine.later(rows_of.drop_views(speaks))
        presence, n_seen = engine.ask(rows_of.count_presence(self.table.n_classes))
        return replace(self, presence=presence, n_seen=n_seen)

    def mask_of(self, view: int) -> Any:
        """Rows that have a view."""
        table = self.table
        return Presence(table.engine, view, int(self.presence[view].sum()), table.n_rows)

    def open_view_costs(self, view: int, updates_beliefs: bool, pool: ThreadPool) -> ShardedCosts:
        """The first cost matrix of one view; rows are coded for cost trees."""
        _ = self.table.binned
        return self.labels.open_votes(view, updates_beliefs)

    def open_view_scores(
        self, view: int, settings: ScoreSettings, pool: ThreadPool
    ) -> tuple[ShardedScoreLearner, ShardedScoreCosts]:
        """A learner of trees with leaf scores on one view, and its costs."""
        mask = self.mask_of(view)
        codes = self.table.row_codes(self.views.columns[view], settings.max_bins, view)
        known = (codes, view, None if mask.all() else view, not mask.any(), settings)
        seen = self.table.where(mask, pool)
        return ShardedScoreLearner(seen, *known), self.open_scores_of(view, settings.loss)

    def open_scores_of(self, view: int, loss: str) -> ShardedScoreCosts:
        """First costs of leaf scores of a view."""
        return self.labels.open_scores(view, loss)

    def open_shared_scores(self, loss: str) -> ShardedScoreCosts:
        """First costs of leaf scores of all views together."""
        return self.open_scores_of(ANY_VIEW, loss)

    def shares_of_views(self, rule: Any, known: Any, answers: list[Any]) -> list[Any]:
        """What a rule makes of who is right, one vector of shares for each view."""
        engine = self.table.engine
        shares = [engine.new() for _ in answers]
        names = tuple(own.name for own in shares)
        given = tuple(own.name for own in answers)
        engine.later(vote_steps.share_rows(names, given, rule, known.known))
        return shares

    def open_shared_costs(self) -> ShardedCosts:
        """The first cost matrix of all views together; rows are coded for cost trees."""
        _ = self.table.binned
        return self.labels.open_votes(ANY_VIEW, updates_beliefs=True)

    def open_scores(
        self, settings: ScoreSettings, view: int
    ) -> tuple[ShardedScoreLearner, ShardedScoreCosts]:
        """A learner of trees with leaf scores on all views together, and its costs."""
        codes = self.table.row_codes(self.views.used_columns, settings.max_bins)
        mask = None if self.n_seen == self.table.n_rows else ANY_VIEW
        known = (codes, view, mask, self.n_seen == 0, settings)
        learner = ShardedScoreLearner(self.table, *known)
        return learner, self.labels.open_scores(ANY_VIEW, settings.loss)
