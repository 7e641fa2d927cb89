"""Boosting with leaves that hold a score for every class ("Real CoMBo").

A round grows one tree on the gradients of the loss. Each leaf then gets the scores that lower the
loss of its rows: exactly, by a closed form with a guarantee, or by a step of Newton's method (see
:mod:`uneven.costs.leaf_steps`). A leaf that may only predict one class is a special case, so the
bounds of the published methods hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from uneven.costs import EDGE_CLIP, leaf_steps, vote_weight
from uneven.costs.score_costs import ScoreCosts
from uneven.utils.reproducible_sums import fold
from uneven.voters import TrainingTable, TreeVoter, Voter
from uneven.voters.growing_tree import Gradients
from uneven.voters.row_codes import RowCodes
from uneven.voters.score_tree import GrownTree, ScoreTreeGrower
from uneven.voters.training_table import draw_columns
from uneven.votes import Term

LEAF_STEPS = ("auto", "balance", "closed", "newton")
_EXACT_CLASSES = 40
_DEEPEST = 30
_LEAVES = 31


@dataclass(frozen=True)
class ScoreSettings:
    """How score trees are grown, with every default settled.

    Attributes
    ----------
    loss : {"exponential", "log"}
    leaf_step : {"balance", "closed", "newton"}
    max_leaves, max_depth : int
    learning_rate, l2, min_weight : float
    max_features, subsample : float
        Shares of the columns and of the rows that a tree learns from.
    max_bins : int
    """

    loss: str
    leaf_step: str
    max_leaves: int
    max_depth: int
    learning_rate: float
    l2: float
    min_weight: float
    max_features: float
    subsample: float
    max_bins: int

    @classmethod
    def of(cls, value: Callable[[str], Any], n_rows: int, n_classes: int) -> ScoreSettings:
        """The settings of an estimator, whose parameters ``value`` gives, for a table's size."""
        depth = _DEEPEST if value("max_depth") is None else int(value("max_depth"))
        leaves, step = value("max_leaves"), value("leaf_step")
        if step == "auto":
            step = "balance" if n_classes <= _EXACT_CLASSES else "newton"
        if leaves is None:
            leaves = _LEAVES if value("max_depth") is None else 2**depth
        return cls(
            loss=value("loss"),
            leaf_step=step,
            max_leaves=int(min(leaves, max(n_rows, 2))),
            max_depth=depth,
            learning_rate=float(value("learning_rate")),
            l2=float(value("l2")),
            min_weight=float(value("min_weight")),
            max_features=float(value("max_features")),
            subsample=float(value("subsample")),
            max_bins=int(value("max_bins")),
        )


@dataclass
class ScoreResult:
    """A tree with scores in its leaves, and where the training rows stand in it.

    Attributes
    ----------
    view : int
    voter : Voter
    leaf_of : ndarray of int32, shape (n_samples,)
        Leaf of each training row, -1 where the view is absent; a handle if rows are in shards.
    scores : ndarray of shape (n_leaves, n_classes)
        With the learning rate.
    edge, weight : float
        How far the loss falls: at most to ``sqrt(1 - edge ** 2)`` of what it is, with the
        closed-form step; and the vote weight that a hard voter with that edge would have.
    owed, paid : ndarray of shape (n_leaves, n_classes)
        Cost of the rows of each class in each leaf, and of mistaking others for it.
    """

    view: int
    voter: Voter
    leaf_of: Any
    scores: np.ndarray
    edge: float
    weight: float
    owed: np.ndarray
    paid: np.ndarray
    settings: ScoreSettings

    @classmethod
    def of(
        cls,
        view: int,
        voter: Voter,
        leaf_of: np.ndarray,
        n_leaves: int,
        costs: ScoreCosts,
        settings: ScoreSettings,
    ) -> ScoreResult:
        """A tree with the scores that suit some costs."""
        scores, owed, paid = leaf_scores(leaf_of, n_leaves, costs, settings)
        edge = edge_of(owed, paid)
        return cls(view, voter, leaf_of, scores, edge, vote_weight(edge), owed, paid, settings)

    def on(self, costs: ScoreCosts) -> ScoreResult:
        """The same tree with the scores that suit other costs."""
        parts = (self.view, self.voter, self.leaf_of, len(self.scores))
        return ScoreResult.of(*parts, costs, self.settings)

    def as_term(self, coefficients: np.ndarray | None = None) -> Term:
        """The tree and its scores, times a coefficient for each class (n_classes,)."""
        scores = self.scores if coefficients is None else self.scores * coefficients
        return Term(self.voter, scores, self.view)

    def add_to(
        self,
        costs: ScoreCosts,
        share: np.ndarray | None = None,
        coefficients: np.ndarray | None = None,
    ) -> None:
        """Add the scores to costs, times a share of each row and a coefficient of each class."""
        costs.add(self.leaf_of, self.as_term(coefficients).weight, share)

    @property
    def is_perfect(self) -> bool:
        """Whether there is nothing left to learn after this one: never the case with scores."""
        return False

    @cached_property
    def answers(self) -> np.ndarray:
        """Class with the largest score of each row's leaf, -1 to abstain, shape (n_samples,)."""
        spoken = self.scores.argmax(axis=1).astype(np.int32)
        if not isinstance(self.leaf_of, np.ndarray):
            return self.leaf_of.spoken(spoken)
        return np.where(self.leaf_of >= 0, spoken[self.leaf_of], np.int32(-1))

    def right_and_wrong_by_class(self, costs: ScoreCosts) -> np.ndarray:
        """Share of the costs that predicting each class cancels and incurs, (2, n_classes)."""
        spoken = self.scores.argmax(axis=1)
        leaves = np.arange(len(spoken))
        n_classes = self.scores.shape[1]
        sides = [
            np.bincount(spoken, weights=side[leaves, spoken], minlength=n_classes)
            for side in (self.owed, self.paid)
        ]
        return np.array(sides) / max(float(self.owed.sum()), np.finfo(float).tiny)


@dataclass
class ScoreViewProcess:
    """One view while its leaves learn scores.

    Attributes
    ----------
    position : int
        Which view it is.
    learner : ScoreLearner
    costs : ScoreCosts
        Its own; rows without the view cost nothing.
    """

    position: int
    learner: ScoreLearner
    costs: ScoreCosts

    @property
    def columns(self) -> np.ndarray:
        """Columns of the view that are not constant, shape (n_columns,)."""
        return self.learner.codes.columns

    def learn(self, seed: int) -> ScoreResult:
        """Grow a tree on the view's own costs."""
        return self.learner.learn(self.costs, seed)

    def answers_of(self, voter: Any) -> np.ndarray:
        """Leaf of every training row, -1 where the view is absent, shape (n_samples,)."""
        return self.learner.leaf_of(voter)

    def replay_result(self, term: Term) -> ScoreResult:
        """The result that led to a term of this view, without its costs."""
        nothing = np.zeros_like(term.weight)
        leaf_of = self.answers_of(term.voter)
        return ScoreResult(
            self.position, term.voter, leaf_of, term.weight, np.nan,
            float(np.any(term.weight)), nothing, nothing, self.learner.settings,
        )  # fmt: skip


class ScoreLearner:
    """Grows score trees on some columns of a table.

    Parameters
    ----------
    table : TrainingTable
    columns : ndarray of int, shape (n_columns,)
    view : int
    row_mask : ndarray of bool, shape (n_samples,)
        Rows that have the view.
    settings : ScoreSettings
    codes : RowCodes, optional
        Codes of the columns, if they are made already.
    """

    def __init__(
        self,
        table: TrainingTable,
        columns: np.ndarray,
        view: int,
        row_mask: np.ndarray,
        settings: ScoreSettings,
        codes: RowCodes | None = None,
    ) -> None:
        self.table, self.view, self.settings = table, view, settings
        self.row_mask = None if row_mask.all() else row_mask
        self.codes = RowCodes.of(table, columns, settings.max_bins) if codes is None else codes
        self.grower = ScoreTreeGrower(
            settings.max_leaves, settings.max_depth, settings.l2, settings.min_weight, table.pool
        )
        self._ordered: WeakKeyDictionary[ScoreCosts, RowCodes] = WeakKeyDictionary()

    def learn(self, costs: ScoreCosts, seed: int) -> ScoreResult:
        """Grow a tree on the gradients of the costs and give its leaves their scores."""
        if self.row_mask is not None and not self.row_mask.any():
            return self._silence(costs)
        tree, leaf_of = self._grow(costs, seed)
        return self._settle(tree, leaf_of, costs)

    def leaf_of(self, voter: Voter) -> np.ndarray:
        """Leaf of every training row, -1 where the view is absent, shape (n_samples,)."""
        leaf_of = self.table.answers_of(voter)
        return leaf_of if self.row_mask is None else self.table.silence(leaf_of, self.row_mask)

    def _grow(self, costs: ScoreCosts, seed: int) -> tuple[GrownTree, np.ndarray]:
        """A tree on the gradients of the costs, and the leaf of each row, shape (n_samples,)."""
        gradients = Gradients(*costs.gradients(seed, self.settings.subsample, self.row_mask))
        tree = self.grower.grow(self._codes_for(costs), gradients, self._draw_columns(seed))
        leaf_of = np.empty(self.codes.n_rows, dtype=np.int32)
        tree.route(self.codes, leaf_of, self.table.pool)
        if self.row_mask is not None:
            leaf_of[~self.row_mask] = -1
        return tree, leaf_of

    def _codes_for(self, costs: ScoreCosts) -> RowCodes:
        """The codes, their categories ordered by the rows that count in the costs."""
        if not self.codes.is_category.any():
            return self.codes
        if costs not in self._ordered:
            self._ordered[costs] = self.codes.ordered(self._class_mass(costs))
        return self._ordered[costs]

    def _class_mass(self, costs: ScoreCosts) -> np.ndarray:
        """Mass of each class among the rows of every category, (n_bins, n_classes)."""
        table = self.table
        folds = fold(np.where(costs.rows.counted, table.mass, 0.0))
        return np.asarray(self.codes.class_folds(table.y, folds, table.n_classes).sum(axis=0))

    def _silence(self, costs: ScoreCosts) -> ScoreResult:
        """A view that is absent everywhere has no votes."""
        nothing = np.zeros((1, costs.n_classes))
        voter, nowhere = TreeVoter.constant(0), self.table.nobody()
        return ScoreResult(
            self.view, voter, nowhere, nothing, 0.0, 0.0, nothing, nothing, self.settings
        )

    def _settle(self, tree: GrownTree, leaf_of: np.ndarray, costs: ScoreCosts) -> ScoreResult:
        """Give the leaves their scores, and look how far they reach."""
        voter = tree.voter(self.codes)
        result = ScoreResult.of(self.view, voter, leaf_of, tree.n_leaves, costs, self.settings)
        self._look_how_far(voter, leaf_of, result.scores.argmax(axis=1), costs)
        return result

    def _look_how_far(
        self, voter: TreeVoter, leaf_of: np.ndarray, spoken: np.ndarray, costs: ScoreCosts
    ) -> None:
        """Find the reach of leaves that support some classes."""
        table = self.table
        reach = costs.reach(leaf_of, spoken, table.y, table.mass, table.class_mass)
        voter.reach = np.where(voter.is_leaf, reach[voter.label], 0.0)

    def _draw_columns(self, seed: int) -> np.ndarray | None:
        """The columns of this round in increasing order, shape (n_drawn,); None is all of them."""
        n_columns = len(self.codes.columns)
        drawn = draw_columns(np.arange(n_columns), self.settings.max_features, seed)
        return None if len(drawn) == n_columns else drawn


def leaf_scores(
    leaf_of: np.ndarray, n_leaves: int, costs: ScoreCosts, settings: ScoreSettings
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores of the leaves, times the learning rate, and the costs they come from.

    Returns
    -------
    scores, owed, paid : ndarray of shape (n_leaves, n_classes)
    """
    if settings.leaf_step == "balance":
        pairs = costs.leaf_pairs(leaf_of, n_leaves)
        steps = leaf_steps.balanced_step(pairs, settings.l2 / costs.n_classes * costs.class_weight)
        owed, paid = pairs.sum(axis=2), pairs.sum(axis=1)
    else:
        owed, paid, curvature = costs.leaf_sums(leaf_of, n_leaves)
        if settings.leaf_step == "newton":
            steps = leaf_steps.newton_step(owed, paid, curvature, settings.l2)
        else:
            smoothing = settings.l2 / costs.n_classes * costs.class_weight
            steps = leaf_steps.closed_step(owed, paid, smoothing)
    return settings.learning_rate * steps, owed, paid


def edge_of(owed: np.ndarray, paid: np.ndarray) -> float:
    """The edge that a hard voter would need for the fall of the loss that leaves guarantee.

    The closed-form step takes the loss from ``sum(owed)`` to ``sum(sqrt(owed * paid))`` at most;
    a hard voter of edge ``g`` takes it to ``sqrt(1 - g ** 2)`` of what it was.

    Examples
    --------
    >>> import numpy as np
    >>> round(edge_of(np.array([[8.0, 2.0]]), np.array([[2.0, 8.0]])), 9)
    0.6
    """
    before = float(owed.sum())
    if not before > 0.0:
        return 0.0
    ratio = min(float(np.sqrt(owed * paid).sum()) / before, 1.0)
    return float(min(np.sqrt(1.0 - ratio**2), 1.0 - EDGE_CLIP))
