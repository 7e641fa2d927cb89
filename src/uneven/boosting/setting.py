"""What a boosting method gets to work with: the training rows, their labels and draws of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from uneven.boosting.score_leaves import ScoreLearner, ScoreSettings
from uneven.costs.matrices import CostMatrix, KnownLabels, VoteCosts
from uneven.costs.score_costs import ScoreCosts
from uneven.utils.parallel import ThreadPool
from uneven.utils.row_hash import draw_lots, smallest_lots
from uneven.views import ViewMap
from uneven.views.training_rows import speaking_views
from uneven.voters import TrainingTable


class RowDraw:
    """The rows that the voters of a round learn from.

    Parameters
    ----------
    keys : ndarray of uint64, shape (n_rows,), or None
        By which rows are drawn; see :func:`~uneven.utils.row_hash.row_keys`. None takes all rows.
    share : float
        Share of the rows to draw, in (0, 1].

    Attributes
    ----------
    rows : ndarray of bool, shape (n_rows,), or None
        None if all rows take part.

    Examples
    --------
    >>> draw = RowDraw(np.arange(6, dtype=np.uint64), 0.5)
    >>> draw.begin(seed=0)
    >>> int(draw.rows.sum())
    3
    """

    def __init__(self, keys: np.ndarray | None, share: float) -> None:
        self._keys, self._share = keys, share
        self.rows: np.ndarray | None = None

    def begin(self, seed: int) -> None:
        """Draw the rows of a round, the same ones for the same seed."""
        if self._keys is not None:
            size = max(1, round(self._share * len(self._keys)))
            self.rows = smallest_lots(draw_lots(self._keys, seed), size)

    def seen_of(self, costs: CostMatrix, pool: ThreadPool) -> CostMatrix:
        """The costs of the drawn rows; of all rows if the drawn ones cost nothing."""
        if self.rows is None:
            return costs
        seen = costs.where(self.rows, pool)
        return seen if seen.stake > 0.0 else costs


@dataclass
class Setting:
    """What a method gets to work with.

    Attributes
    ----------
    table : TrainingTable
    views : ViewMap
    view_mask : ndarray of bool, shape (n_samples, n_views)
        Where the views are there.
    labels : KnownLabels
        The labels of the rows, which open cost matrices; a ``NoisyLabels`` if some are wrong.
    draw : RowDraw
        The rows that the voters of the current round learn from.
    """

    table: TrainingTable
    views: ViewMap
    view_mask: np.ndarray
    labels: KnownLabels
    draw: RowDraw

    def begin_round(self, seed: int) -> None:
        """Draw the rows of the round."""
        self.draw.begin(seed)
        self.labels.begin_round(self.draw.rows)

    def start(self) -> None:
        """Note that all processes are open and an earlier vote, if any, has been replayed."""

    def open_score_costs(self, loss: str, mass: np.ndarray, pool: ThreadPool) -> ScoreCosts:
        """First costs of leaves that hold scores, for rows with this mass, (n_samples,)."""
        table, model = self.table, self.labels.score_model(mass)
        return ScoreCosts(model, table.n_classes, loss, table.keys, pool)

    def without_silent_views(self) -> Setting:
        """The same setting, in which views without votes are absent everywhere."""
        views = self.views
        if len(views) == 1:
            return self
        kept = speaking_views(self.table.y, self.view_mask, views)
        speaks = np.isin(np.arange(len(views)), kept)
        return replace(self, view_mask=self.view_mask & speaks)

    def share_votes(self) -> None:
        """Divide the evidence of votes on the label of a row among the views that it has."""
        self.labels.scale_votes(1.0 / np.maximum(self.view_mask.sum(axis=1), 1))

    def mask_of(self, view: int) -> np.ndarray:
        """Rows that have a view, bool, shape (n_samples,)."""
        return np.asarray(self.view_mask[:, view])

    def open_view_costs(self, view: int, updates_beliefs: bool, pool: ThreadPool) -> VoteCosts:
        """The first cost matrix of one view; rows without it cost nothing."""
        mass = self.table.where(self.mask_of(view), pool).mass
        return self.labels.open_costs(mass, updates_beliefs, pool)

    def open_view_scores(
        self, view: int, settings: ScoreSettings, pool: ThreadPool
    ) -> tuple[ScoreLearner, ScoreCosts]:
        """A learner of trees with leaf scores on one view, and its costs."""
        mask, _ = self.mask_of(view), self.table.keys
        seen = self.table.where(mask, pool)
        costs = self.open_score_costs(settings.loss, seen.mass, pool)
        return ScoreLearner(seen, self.views.columns[view], view, mask, settings), costs

    def open_shared_scores(self, loss: str) -> ScoreCosts:
        """First costs of leaf scores of all views together."""
        mass = np.where(np.any(self.view_mask, axis=1), self.table.mass, 0.0)
        return self.open_score_costs(loss, mass, self.table.pool)

    def shares_of_views(
        self, rule: Callable[[np.ndarray, np.ndarray], np.ndarray], known: Any, answers: list[Any]
    ) -> list[Any]:
        """What a rule makes of who is right, one vector of shares for each view.

        Parameters
        ----------
        rule : callable
            Gets which views are right and which are present, both (n_samples, n_views).
        known : object
            Gives the most probable class of each row.
        answers : list of ndarray of int, shape (n_samples,)
            Of each view.
        """
        labels = known.most_probable()
        right = np.array([own == labels for own in answers]).T
        shares = rule(right, self.view_mask)
        return [np.ascontiguousarray(own) for own in shares.T]

    def open_shared_costs(self) -> VoteCosts:
        """The first cost matrix of all views together; rows without any view cost nothing."""
        seen = self.table.where(np.any(self.view_mask, axis=1), self.table.pool)
        return self.labels.open_costs(seen.mass, updates_beliefs=True, pool=seen.pool)

    def open_scores(self, settings: ScoreSettings, view: int) -> tuple[ScoreLearner, ScoreCosts]:
        """A learner of trees with leaf scores on all views together, and its costs."""
        table, present = self.table, np.any(self.view_mask, axis=1)
        learner = ScoreLearner(table, self.views.used_columns, view, present, settings)
        mass = table.mass if present.all() else np.where(present, table.mass, 0.0)
        return learner, self.open_score_costs(settings.loss, mass, table.pool)
