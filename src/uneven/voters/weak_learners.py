"""What a voter and a weak learner are, and how any scikit-learn classifier becomes one.

A voter predicts one class index per row. A weak learner, given a cost matrix, returns a voter that
has a low cost, together with its predictions for the training rows. A classifier that does not read
a cost matrix gets what it means for the examples: either as sample weights, or as the probabilities
of a subsample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import has_fit_parameter

from uneven.costs import EDGE_TOLERANCE
from uneven.costs.matrices import CostMatrix
from uneven.utils.estimators import seeded_clone
from uneven.utils.model_types import persisted
from uneven.utils.parameters import Interval, Whole, check_parameters
from uneven.voters.cost_tree import CostTree
from uneven.voters.training_table import TrainingTable


@runtime_checkable
class Voter(Protocol):
    """Anything that predicts a class index for each row of the full table."""

    def predict(self, X: Any) -> np.ndarray:
        """Class indices, shape (n_samples,); -1 abstains."""

    def add_credit(self, credit: np.ndarray, weight: np.ndarray) -> None:
        """Add to ``credit`` (n_features, n_classes) what each column did for each class."""


@runtime_checkable
class WeakLearner(Protocol):
    """Anything that finds a cheap voter for a cost matrix."""

    def learn(
        self,
        table: TrainingTable,
        columns: np.ndarray,
        costs: CostMatrix,
        seed: int = 0,
    ) -> tuple[Voter, np.ndarray]:
        """Find a voter that reads ``columns`` and has a low cost.

        Parameters
        ----------
        table : TrainingTable
        columns : ndarray of int, shape (n_columns,)
        costs : CostMatrix
        seed : int
            For learners that draw at random; a new one every round.

        Returns
        -------
        voter : Voter
        answers : ndarray of int, shape (n_samples,)
            Its class index for every training row.
        """


@persisted("estimator_voter", without_check="late fusion checks its voters")
@dataclass
class EstimatorVoter:
    """A fitted scikit-learn classifier (trained on class indices) that reads some columns.

    Attributes
    ----------
    estimator : classifier
    columns : ndarray of int, shape (n_columns,)
    reach : ndarray of shape (n_classes,)
        Share of each class's training weight that it predicts correctly.
    """

    estimator: Any
    columns: np.ndarray
    reach: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """Class index for each row of the full table ``X``, shape (n_samples,)."""
        return np.asarray(self.estimator.predict(X[:, self.columns]), dtype=np.int32)

    def add_credit(self, credit: np.ndarray, weight: np.ndarray) -> None:
        """Divide the credit for correct predictions among the columns; see ``TreeVoter``.

        A classifier of this library explains itself which columns support which class; the columns
        of any other share evenly.
        """
        credit[self.columns] += weight * self.reach * self._column_shares(len(weight))

    def _column_shares(self, n_classes: int) -> np.ndarray:
        """Share of each column in the correct predictions by class, (n_columns, n_classes)."""
        shares = np.full((len(self.columns), n_classes), 1.0 / len(self.columns))
        if hasattr(self.estimator, "vote_") and hasattr(self.estimator, "explain"):
            own = self.estimator.explain().feature_share
            known = own.any(axis=0)
            shares[:, self.estimator.classes_[known]] = own[:, known]
        return shares


class Weighted(BaseEstimator):
    """Weak learner: fit a classifier with the distribution over examples as sample weights.

    Parameters
    ----------
    estimator : classifier
        Its ``fit`` must accept ``sample_weight``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from uneven import ComboClassifier
    >>> from uneven.voters import Weighted
    >>> X, y = load_iris(return_X_y=True)
    >>> ComboClassifier(Weighted(GaussianNB()), n_estimators=5).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def learn(
        self,
        table: TrainingTable,
        columns: np.ndarray,
        costs: CostMatrix,
        seed: int = 0,
    ) -> tuple[EstimatorVoter, np.ndarray]:
        """Fit a fresh clone; see :class:`~uneven.voters.WeakLearner`."""
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(
                f"{type(self.estimator).__name__}.fit takes no sample_weight; "
                "wrap it in uneven.voters.Resampled instead."
            )
        rows, labels, weights = costs.examples()
        model = seeded_clone(self.estimator, np.random.RandomState(seed))
        scaled = weights * table.mass.sum()
        model.fit(table.X[rows][:, columns], labels, sample_weight=scaled)
        return _as_voter(model, table, columns)


class Resampled(BaseEstimator):
    """Weak learner: fit a classifier on rows drawn with the costs' probabilities.

    Parameters
    ----------
    estimator : classifier
    fraction : float, default=0.5
        Rows to draw, with replacement, as a share of the training rows.
    max_retries : int, default=10
        Draws to try until the voter has a positive edge on all rows; the best one is kept.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from uneven import AdaBoostMMClassifier
    >>> from uneven.voters import Resampled
    >>> X, y = load_iris(return_X_y=True)
    >>> weak = Resampled(KNeighborsClassifier(), fraction=0.3)
    >>> AdaBoostMMClassifier(weak, n_estimators=5, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    _parameters: ClassVar = {
        "fraction": Interval(0, 1, closed="right"),
        "max_retries": Whole(0),
    }

    def __init__(self, estimator: Any, fraction: float = 0.5, max_retries: int = 10) -> None:
        self.estimator = estimator
        self.fraction = fraction
        self.max_retries = max_retries

    def learn(
        self,
        table: TrainingTable,
        columns: np.ndarray,
        costs: CostMatrix,
        seed: int = 0,
    ) -> tuple[EstimatorVoter, np.ndarray]:
        """Draw, fit and check; see :class:`~uneven.voters.WeakLearner`."""
        check_parameters(self)
        rng = np.random.RandomState(seed)
        examples = costs.examples()
        size = max(2, round(self.fraction * len(table.y)))
        best: tuple[float, EstimatorVoter, np.ndarray] | None = None
        for _ in range(self.max_retries + 1):
            rows, labels = self._draw(examples, size, rng)
            model = seeded_clone(self.estimator, rng)
            model.fit(table.X[rows][:, columns], labels)
            voter, answers = _as_voter(model, table, columns)
            edge = costs.edge(answers)
            if best is None or edge > best[0]:
                best = (edge, voter, answers)
            if edge > EDGE_TOLERANCE:
                break
        assert best is not None
        return best[1], best[2]

    def _draw(
        self,
        examples: tuple[np.ndarray, np.ndarray, np.ndarray],
        size: int,
        rng: np.random.RandomState,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rows and labels of a draw that holds at least two classes."""
        rows, labels, weights = examples
        for _ in range(self.max_retries + 1):
            drawn = rng.choice(len(rows), size=size, p=weights)
            if len(np.unique(labels[drawn])) > 1:
                return rows[drawn], labels[drawn]
        heaviest = [
            np.flatnonzero(labels == c)[weights[labels == c].argmax()] for c in np.unique(labels)
        ]
        drawn[: len(heaviest)] = heaviest[:size]
        return rows[drawn], labels[drawn]


class BestOf(BaseEstimator):
    """Weak learner: several learners are fitted, and the voter with the largest edge is kept.

    A linear learner and a tree can so take turns in one vote, round by round. The edge of a round
    is never smaller than that of any of them on the same costs, so bounds that multiply
    sqrt(1 - edge²) over the rounds hold for it too.

    Parameters
    ----------
    learners : list
        As for :func:`as_weak_learner`; None is a cost tree. Ties go to the earlier one.
    max_depth : int, default=3
        Depth of the cost trees.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import LinearSVC
    >>> from uneven import ComboClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> learners = [None, LinearSVC(random_state=0)]
    >>> model = ComboClassifier(learners, n_estimators=4, max_depth=1).fit(X, y)
    >>> "EstimatorVoter" in {type(term.voter).__name__ for term in model.vote_.terms()}
    True
    """

    def __init__(self, learners: Any, max_depth: int = 3) -> None:
        self.learners = learners
        self.max_depth = max_depth

    def learn(
        self,
        table: TrainingTable,
        columns: np.ndarray,
        costs: CostMatrix,
        seed: int = 0,
    ) -> tuple[Voter, np.ndarray]:
        """Let all learn, and take the best; see :class:`~uneven.voters.WeakLearner`."""
        learners = [as_weak_learner(one, self.max_depth) for one in self.learners]
        found = [learner.learn(table, columns, costs, seed) for learner in learners]
        edges = [costs.edge(np.where(table.mass > 0.0, answers, -1)) for _, answers in found]
        return found[int(np.argmax(edges))]


def as_weak_learner(estimator: Any, max_depth: int = 3) -> WeakLearner:
    """Weak learner for what the user gave as ``estimator``.

    Parameters
    ----------
    estimator : None, weak learner, scikit-learn classifier, or list of these
        None is a :class:`CostTree` of depth ``max_depth``. A plain classifier is weighted if its
        ``fit`` takes weights, resampled otherwise. Of a list, the voter with the largest edge is
        kept in each round (:class:`BestOf`); all of them must take the table, so one that refuses
        NaN stops the fit of a table with missing values.
    max_depth : int

    Returns
    -------
    WeakLearner

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> as_weak_learner(None, max_depth=2)
    CostTree(max_depth=2)
    >>> as_weak_learner(KNeighborsClassifier())
    Resampled(estimator=KNeighborsClassifier())
    """
    if estimator is None:
        return CostTree(max_depth=max_depth)
    if isinstance(estimator, (list, tuple)):
        if not estimator:
            raise ValueError("estimator=[] names no weak learner; give at least one, or None.")
        for one in estimator:
            as_weak_learner(one, max_depth)
        return BestOf(list(estimator), max_depth)
    if isinstance(estimator, WeakLearner):
        return estimator
    if not hasattr(estimator, "fit") or not hasattr(estimator, "predict"):
        raise TypeError(
            "estimator must be None, a weak learner of uneven.voters, a scikit-learn classifier "
            f"or a list of these, got {estimator!r}."
        )
    if has_fit_parameter(estimator, "sample_weight"):
        return Weighted(estimator)
    return Resampled(estimator)


def _as_voter(
    model: Any, table: TrainingTable, columns: np.ndarray
) -> tuple[EstimatorVoter, np.ndarray]:
    """Wrap a fitted model, and predict the training rows that have weight."""
    voter = EstimatorVoter(model, columns, np.zeros(table.n_classes))
    if table.mass.all():
        answers = voter.predict(table.X)
    else:
        asked = np.flatnonzero(table.mass)
        answers = np.full(len(table.y), -1, dtype=np.int32)
        answers[asked] = voter.predict(table.X[asked])
    voter.reach = table.reach(answers)
    return voter, answers
