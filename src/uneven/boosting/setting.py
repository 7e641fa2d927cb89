"""What a boosting method gets to work with: the training rows, their labels and draws of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uneven.boosting.score_leaves import ScoreLearner, ScoreSettings
from uneven.costs.matrices import CostMatrix, KnownLabels, VoteCosts
from uneven.costs.score_costs import ScoreCosts
from uneven.utils.parallel import ThreadPool
from uneven.utils.row_hash import draw_lots, smallest_lots
from uneven.views import ViewMap
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
        """Say that all processes are open and an earlier vote, if any, has been replayed."""

    def open_score_costs(self, loss: str, mass: np.ndarray, pool: ThreadPool) -> ScoreCosts:
        """First costs of leaves that hold scores, for rows with this mass, (n_samples,)."""
        table, model = self.table, self.labels.score_model(mass)
        return ScoreCosts(model, table.n_classes, loss, table.keys, pool)

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
