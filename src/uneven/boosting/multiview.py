"""Several views that learn side by side: what all multi-view boosting methods share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from uneven.boosting.base import BoostingClassifier, Setting
from uneven.boosting.sampling import RowDraw
from uneven.costs import EDGE_TOLERANCE, vote_weight
from uneven.costs.expected import VoteCosts
from uneven.costs.matrices import CostMatrix
from uneven.utils.contract import TWO_VIEWS
from uneven.views import ViewMap
from uneven.views.training_rows import speaking_views
from uneven.voters import CostTree, TrainingTable, TreeVoter, Voter, WeakLearner, as_weak_learner
from uneven.votes import ALL_VIEWS, Term, Vote

__all__ = [
    "Lesson",
    "MultiViewBoosting",
    "ViewProcess",
    "learners_by_view",
    "selection_counts",
    "term_answers",
]

_PARALLEL_CELLS = 150_000
_SEED_STEP = 0x9E3779B1


@dataclass
class Lesson:
    """What one view learnt in a round.

    Attributes
    ----------
    view : int
    voter : Voter
    answers : ndarray of int, shape (n_samples,)
        On the training rows; -1 where the view is absent.
    edge, weight : float
        On the costs that it learnt from; the weight is zero without a positive edge.
    """

    view: int
    voter: Voter
    answers: np.ndarray
    edge: float
    weight: float

    def as_term(self, n_classes: int) -> Term:
        """The voter with the weight that it has in its own view."""
        return Term(self.voter, np.full(n_classes, self.weight), self.view)


@dataclass
class ViewProcess:
    """One view while it learns.

    Attributes
    ----------
    position : int
        Which view it is.
    table : TrainingTable
        Rows without the view count for nothing.
    columns : ndarray of int, shape (n_columns,)
    present : ndarray of bool, shape (n_samples,)
    learner : WeakLearner
    costs : CostMatrix
        Its own, or a look at a shared one; rows without the view cost nothing.
    learning_rate : float
    draw : RowDraw
    """

    position: int
    table: TrainingTable
    columns: np.ndarray
    present: np.ndarray
    learner: WeakLearner
    costs: Any
    learning_rate: float
    draw: RowDraw

    def learn(self, seed: int) -> Lesson:
        """Find a voter that pays little; nobody can where the view is absent everywhere."""
        if not self.present.any():
            silence = np.full(len(self.present), -1, dtype=np.int32)
            return Lesson(self.position, TreeVoter.constant(0), silence, 0.0, 0.0)
        seen = self.draw.seen_of(self.costs, self.table.team)
        voter, answers = self.learner.learn(self.table, self.columns, seen, seed)
        if not self.is_complete:
            answers = np.where(self.present, answers, np.int32(-1))
        edge = self.costs.edge(answers)
        weight = self.learning_rate * vote_weight(edge) if edge > EDGE_TOLERANCE else 0.0
        return Lesson(self.position, voter, answers, edge, weight)

    def answers_of(self, voter: Voter) -> np.ndarray:
        """What a voter of this view answers on the training rows, shape (n_samples,)."""
        if self.is_complete:
            return voter.predict(self.table.X)
        answers = np.full(len(self.present), -1, dtype=np.int32)
        if self.present.any():
            answers[self.present] = voter.predict(self.table.X[np.flatnonzero(self.present)])
        return answers

    @cached_property
    def is_complete(self) -> bool:
        """Whether every row has the view."""
        return bool(self.present.all())

    def recall_lesson(self, term: Term) -> Lesson:
        """The lesson that once led to a term of this view's own vote; its edge is forgotten."""
        answers = self.answers_of(term.voter)
        return Lesson(self.position, term.voter, answers, np.nan, float(term.weight[0]))


class MultiViewBoosting(BoostingClassifier):
    """Base of the methods in which every view has a weak learner of its own."""

    def _open_views(
        self,
        setting: Setting,
        shared: VoteCosts | None = None,
        tells_beliefs: bool = False,
    ) -> list[ViewProcess]:
        """Give every view its table, its learner and its cost matrix, or a look at a shared one."""
        table, views = setting.table, setting.views
        learners = learners_by_view(self.estimator, views, self.max_depth)
        if any(isinstance(learner, CostTree) for learner in learners):
            _ = table.binned
        processes = []
        for j, team in enumerate(table.team.split(len(views))):
            present = setting.present[:, j]
            seen = table.where(present, team)
            if shared is None:
                costs: CostMatrix = self._open_costs(setting, seen, tells_beliefs)
            else:
                costs = shared.where(present, team)
            processes.append(
                ViewProcess(
                    position=j,
                    table=seen,
                    columns=views.columns[j],
                    present=present,
                    learner=learners[j],
                    costs=costs,
                    learning_rate=self.learning_rate,
                    draw=setting.draw,
                )
            )
        return processes

    def _hear(self, setting: Setting) -> Setting:
        """The same setting, in which views that have nothing to say are absent everywhere."""
        views = setting.views
        if len(views) == 1:
            return setting
        speaking = speaking_views(setting.table.y, setting.present, views)
        heard = np.isin(np.arange(len(views)), speaking)
        return replace(setting, present=setting.present & heard)

    def _teach(self, setting: Setting, views: Sequence[ViewProcess], seed: int) -> list[Lesson]:
        """Let views learn from their costs, in parallel threads."""
        jobs = [partial(view.learn, _seed_of_view(seed, view.position)) for view in views]
        cells = len(setting.table.y) * sum(len(view.columns) for view in views)
        slow = any(not isinstance(view.learner, CostTree) for view in views)
        return setting.table.team.each(jobs, worth=slow or cells > _PARALLEL_CELLS)

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [cls(n_estimators=5, views=TWO_VIEWS)]


def learners_by_view(estimator: Any, views: ViewMap, max_depth: int) -> list[WeakLearner]:
    """Weak learner of each view.

    Parameters
    ----------
    estimator : object, or mapping of view name to object
        As :func:`~uneven.voters.as_weak_learner` takes them. Views that a mapping does not name
        get a cost tree.
    views : ViewMap
    max_depth : int
        Depth of the cost trees.

    Returns
    -------
    list of WeakLearner

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> from uneven.views import resolve_views
    >>> views = resolve_views({"text": [0, 1], "sound": [2]}, n_features=3)
    >>> learners_by_view({"text": LinearSVC()}, views, max_depth=1)
    [Weighted(estimator=LinearSVC()), CostTree(max_depth=1)]
    """
    given = views.deal("estimator", estimator)
    return [as_weak_learner(learner, max_depth) for learner in given]


def selection_counts(vote: Vote) -> np.ndarray:
    """Number of terms of each view, shape (n_views,)."""
    views = vote.view_of_term
    return np.bincount(views[views != ALL_VIEWS], minlength=len(vote.views))


def term_answers(views: Sequence[ViewProcess], term: Term) -> np.ndarray:
    """What a term of a vote answers on the training rows, -1 to abstain, shape (n_samples,)."""
    if term.view == ALL_VIEWS:
        return term.voter.predict(views[0].table.X)
    return views[term.view].answers_of(term.voter)


def _seed_of_view(seed: int, view: int) -> int:
    return (seed + view * _SEED_STEP) % (2**31 - 1)
