"""Several views that learn side by side, and which of their voters enters the vote.

Every view has a weak learner and a cost matrix, of its own or a look at a shared one. MuMBo and
ShareBoost let one voter of a round enter the vote, by a selection rule. Any rule keeps the bound on
the training error, as long as the voter it takes has a positive edge on the costs of the whole
vote; rules only ever see such candidates.

References
----------
S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
methods*, PhD thesis, Aix-Marseille Université, chapter 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from uneven.boosting.base import BoostingClassifier, Candidate
from uneven.boosting.score_leaves import ScoreLearner, ScoreSettings, ScoreViewProcess
from uneven.boosting.setting import RowDraw, Setting
from uneven.costs import EDGE_CLIP, EDGE_TOLERANCE, vote_weight
from uneven.costs.matrices import CostMatrix, VoteCosts
from uneven.costs.score_costs import ScoreCosts
from uneven.utils.contract import TWO_VIEWS
from uneven.utils.reproducible_sums import reproducible_sum, sum_by_label
from uneven.views import ViewMap
from uneven.voters import (
    BestOf,
    CostTree,
    TrainingTable,
    TreeVoter,
    Voter,
    WeakLearner,
    as_weak_learner,
)
from uneven.voters.training_table import draw_columns
from uneven.votes import ALL_VIEWS, Panel, Term, Vote

_PARALLEL_CELLS = 150_000
_DEPTH, _FEW_CLASSES = 3, 16
_SEED_STEP = 0x9E3779B1


@dataclass
class ViewResult:
    """What one view learnt in a round.

    Attributes
    ----------
    view : int
    voter : Voter
    answers : ndarray of int, shape (n_samples,)
        On the training rows; -1 where the view is absent.
    edge, weight : float
        On the costs that it was fitted to; the weight is zero without a positive edge.
    """

    view: int
    voter: Voter
    answers: np.ndarray
    edge: float
    weight: float

    def as_term(self, coefficients: np.ndarray) -> Term:
        """The voter with its weight, times a coefficient for each class (n_classes,)."""
        return Term(self.voter, self.weight * coefficients, self.view)

    def add_to(
        self,
        costs: VoteCosts,
        share: np.ndarray | None = None,
        coefficients: np.ndarray | None = None,
    ) -> None:
        """Add the votes to costs, times a share of each row and a coefficient of each class."""
        weight = self.weight if coefficients is None else self.weight * coefficients
        costs.add(self.answers, weight, share)

    def right_and_wrong_by_class(self, costs: CostMatrix) -> np.ndarray:
        """Share of the costs that predicting each class cancels and incurs, (2, n_classes)."""
        return costs.right_and_wrong_by_class(self.answers)

    @property
    def is_perfect(self) -> bool:
        """Whether it makes no training error."""
        return self.edge >= 1.0 - EDGE_CLIP


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
    row_mask : ndarray of bool, shape (n_samples,)
    learner : WeakLearner
    costs : CostMatrix
        Its own, or a look at a shared one; rows without the view cost nothing.
    learning_rate : float
    draw : RowDraw
    max_features : float
        Share of the columns that a round looks at.
    """

    position: int
    table: TrainingTable
    columns: np.ndarray
    row_mask: np.ndarray
    learner: WeakLearner
    costs: Any
    learning_rate: float
    draw: RowDraw
    max_features: float = 1.0

    def learn(self, seed: int) -> ViewResult:
        """Find a voter of low cost; there is none where the view is absent everywhere."""
        if not self.row_mask.any():
            nobody = self.table.nobody()
            return ViewResult(self.position, TreeVoter.constant(0), nobody, 0.0, 0.0)
        seen = self.draw.seen_of(self.costs, self.table.pool)
        columns = draw_columns(self.columns, self.max_features, seed)
        voter, answers = self.learner.learn(self.table, columns, seen, seed)
        if not self.is_complete:
            answers = self.table.silence(answers, self.row_mask)
        edge = self.costs.edge(answers)
        weight = self.learning_rate * vote_weight(edge) if edge > EDGE_TOLERANCE else 0.0
        return ViewResult(self.position, voter, answers, edge, weight)

    def answers_of(self, voter: Voter) -> np.ndarray:
        """What a voter of this view predicts on the training rows, shape (n_samples,)."""
        return self.table.answers_of(voter, self.row_mask)

    @cached_property
    def is_complete(self) -> bool:
        """Whether every row has the view."""
        return bool(self.row_mask.all())

    def replay_result(self, term: Term) -> ViewResult:
        """The result that led to a term of this view's own vote, without its edge."""
        answers = self.answers_of(term.voter)
        return ViewResult(self.position, term.voter, answers, np.nan, float(term.weight[0]))


class MultiViewBoosting(BoostingClassifier):
    """Base of the methods in which every view has a weak learner of its own."""

    def _check_depth(self) -> None:
        if self.max_depth != "auto":
            super()._check_depth()

    def _value(self, name: str) -> Any:
        if name != "max_depth" or self.max_depth != "auto":
            return super()._value(name)
        return _DEPTH if self._has_scores else automatic_depth(len(self.classes_))

    def _open_views(
        self,
        setting: Setting,
        shared: VoteCosts | None = None,
        updates_beliefs: bool = False,
    ) -> list[ViewProcess]:
        """Give every view its table, its learner and its cost matrix, or a look at a shared one."""
        table, views = setting.table, setting.views
        learners = learners_by_view(self.estimator, views, self._value("max_depth") or _DEPTH)
        if any(isinstance(learner, (CostTree, BestOf)) for learner in learners):
            _ = table.binned
        processes = []
        for j, pool in enumerate(table.pool.split(len(views))):
            row_mask = setting.mask_of(j)
            seen = table.where(row_mask, pool)
            if shared is None:
                costs: CostMatrix = setting.open_view_costs(j, updates_beliefs, pool)
            else:
                costs = shared.where(row_mask, pool)
            processes.append(
                ViewProcess(
                    position=j,
                    table=seen,
                    columns=views.columns[j],
                    row_mask=row_mask,
                    learner=learners[j],
                    costs=costs,
                    learning_rate=self.learning_rate,
                    draw=setting.draw,
                    max_features=self.max_features,
                )
            )
        return processes

    def _open_score_views(self, setting: Setting) -> list[ScoreViewProcess]:
        """Give every view its codes and its costs, where leaves hold scores."""
        table, views = setting.table, setting.views
        settings = ScoreSettings.of(self._value, table.n_rows, table.n_classes)
        return [
            ScoreViewProcess(j, *setting.open_view_scores(j, settings, pool))
            for j, pool in enumerate(table.pool.split(len(views)))
        ]

    def _learn_in_views(self, setting: Setting, views: Sequence[Any], seed: int) -> list[Any]:
        """Let views learn from their costs, in parallel threads."""
        jobs = [partial(view.learn, _seed_of_view(seed, view.position)) for view in views]
        cells = setting.table.n_rows * sum(len(view.columns) for view in views)
        trees = (CostTree, ScoreLearner)
        slow = any(not isinstance(view.learner, trees) for view in views)
        worth = (slow or cells > _PARALLEL_CELLS) and isinstance(setting.table, TrainingTable)
        return setting.table.pool.map(jobs, worth=worth)

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [cls(n_estimators=5, views=TWO_VIEWS)]


def automatic_depth(n_classes: int) -> int:
    """Depth of trees whose leaves vote: 3, or with more than 16 classes as many leaves as classes.

    Examples
    --------
    >>> automatic_depth(2), automatic_depth(16), automatic_depth(17), automatic_depth(100)
    (3, 3, 5, 7)
    """
    return _DEPTH if n_classes <= _FEW_CLASSES else (n_classes - 1).bit_length()


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


def term_answers(views: Sequence[Any], term: Term) -> np.ndarray:
    """What a term of a vote predicts on the training rows, -1 to abstain, shape (n_samples,)."""
    if term.view == ALL_VIEWS:
        return views[0].table.answers_of(term.voter)
    return views[term.view].answers_of(term.voter)


def _seed_of_view(seed: int, view: int) -> int:
    return (seed + view * _SEED_STEP) % (2**31 - 1)


@dataclass
class Memory:
    """The vote so far, as far as selection rules look back.

    Attributes
    ----------
    table : TrainingTable
    views : ViewMap
    costs : VoteCosts or ScoreCosts
        Of the whole vote.
    quotas : ndarray of shape (n_views,)
        Share of the rounds that each view may have.
    focus : int or str
        A class index, "worst" or "round_robin".
    counts_answers : bool
        Whether ``answered`` is kept up to date.
    counts : ndarray of int, shape (n_views,)
        Rounds won by each view.
    answered : ndarray of shape (n_samples, n_classes)
        How many voters of the vote gave each prediction.
    n_voters : int
    """

    table: TrainingTable
    views: ViewMap
    costs: VoteCosts | ScoreCosts
    quotas: np.ndarray
    focus: int | str = "worst"
    counts_answers: bool = False
    counts: np.ndarray = field(init=False)
    answered: np.ndarray = field(init=False)
    n_voters: int = 0

    def __post_init__(self) -> None:
        self.counts = np.zeros(len(self.views), dtype=np.int64)
        n_rows = self.table.n_rows if self.counts_answers else 0
        self.answered = np.zeros((n_rows, self.table.n_classes))

    def remember(self, view: int, answers: np.ndarray) -> None:
        """Note that a voter has entered the vote."""
        if view != ALL_VIEWS:
            self.counts[view] += 1
        self.n_voters += 1
        if self.counts_answers:
            spoken = np.flatnonzero(answers >= 0)
            self.answered[spoken, answers[spoken]] += 1.0

    def focus_class(self) -> int:
        """Class index that the next voter should recognise."""
        if self.focus == "round_robin":
            return self.n_voters % self.table.n_classes
        if self.focus != "worst":
            return int(self.focus)
        return int(self.recalls(self.costs.scores.argmax(axis=1)).argmin())

    def recalls(self, answers: np.ndarray) -> np.ndarray:
        """Recall of each class, weighted, shape (n_classes,)."""
        table = self.table
        right = np.where(answers == table.y, table.mass, 0.0)
        return np.asarray(sum_by_label(table.y, right, table.n_classes) / table.class_mass)

    def disagreement(self, answers: np.ndarray) -> float:
        """Mean share of the vote's voters that predict another class."""
        spoken = np.flatnonzero(answers >= 0)
        if not self.n_voters or not len(spoken):
            return 0.0
        mass = self.table.mass[spoken]
        agreeing = reproducible_sum(mass * self.answered[spoken, answers[spoken]])
        return 1.0 - agreeing / (self.n_voters * reproducible_sum(mass))


def max_edge(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """The largest edge; the first view among equals."""
    return max(candidates, key=lambda c: c.edge)


def combination(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """All candidates vote on one class, each with the weight of its edge."""
    n_classes = memory.table.n_classes
    scores = np.zeros((len(memory.table.y), n_classes))
    terms = []
    for candidate in candidates:
        weight = vote_weight(candidate.edge)
        spoken = np.flatnonzero(candidate.answers >= 0)
        scores[spoken, candidate.answers[spoken]] += weight
        terms.append(Term(candidate.voter, np.full(n_classes, weight), candidate.view))
    answers = scores.argmax(axis=1).astype(np.int32)
    answers[~scores.any(axis=1)] = -1
    vote = Vote(terms, [len(terms)], n_classes, memory.views)
    panel = Panel(vote, memory.recalls(answers))
    assert not isinstance(memory.costs, ScoreCosts)
    return Candidate(panel, answers, ALL_VIEWS, memory.costs.edge(answers))


def combination_or_best(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """The combination, unless a single voter has a larger edge."""
    return max_edge([*candidates, combination(candidates, memory, seed)], memory, seed)


def quota(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """The largest edge among the views that have not used up their share of the rounds."""
    allowed = memory.counts < memory.quotas * (memory.counts.sum() + 1)
    below = [c for c in candidates if allowed[c.view]]
    return max_edge(below or candidates, memory, seed)


def class_focus(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """The voter that recognises one class best; among equals the largest edge."""
    label = memory.focus_class()
    return max(candidates, key=lambda c: (memory.recalls(c.answers)[label], c.edge))


def diversity(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """The voter that disagrees most with those already chosen; among equals the largest edge."""
    return max(candidates, key=lambda c: (memory.disagreement(c.answers), c.edge))


def at_random(candidates: Sequence[Candidate], memory: Memory, seed: int) -> Candidate:
    """Any of them, with equal probability."""
    return candidates[np.random.RandomState(seed).randint(len(candidates))]


SELECTION_RULES: dict[str, Callable[[Sequence[Candidate], Memory, int], Candidate]] = {
    "max_edge": max_edge,
    "combination": combination,
    "combination_or_best": combination_or_best,
    "quota": quota,
    "class_focus": class_focus,
    "diversity": diversity,
    "random": at_random,
}


def select(
    rule: str, results: Sequence[Any], memory: Memory, seed: int
) -> tuple[Candidate | None, np.ndarray]:
    """Choose the voter of a round.

    Parameters
    ----------
    rule : str
        Key of ``SELECTION_RULES``.
    results : sequence of ViewResult or ScoreResult
    memory : Memory
    seed : int

    Returns
    -------
    chosen : Candidate or None
        None if no voter has a positive edge on the costs of the whole vote.
    edges : ndarray of shape (n_lessons,)
        Edges of all results on those costs.
    """
    if isinstance(memory.costs, ScoreCosts):
        scored: list[Any] = [result.on(memory.costs) for result in results]
        edges = np.array([result.edge for result in scored])
    else:
        scored = [None] * len(results)
        edges = memory.costs.edges(np.array([result.answers for result in results]))
    able = [
        Candidate(result.voter, (own or result).answers, result.view, float(edge), own)
        for result, edge, own in zip(results, edges, scored)
        if edge > EDGE_TOLERANCE
    ]
    chosen = SELECTION_RULES[rule](able, memory, seed) if able else None
    return (chosen if chosen and chosen.edge > EDGE_TOLERANCE else None), edges
