"""Pools of voters, one per view: trees of growing depth, or any list of classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from uneven.fusion.truncated_trees import GrownTree, grow_tree
from uneven.utils.estimators import seeded_clone
from uneven.views.training_rows import TrainingRows
from uneven.voters import EstimatorVoter, Voter

__all__ = ["Pool", "Question", "as_voters", "make_pool"]


@dataclass(frozen=True)
class Question:
    """Whether a row is of one class: what the voters of a pool answer.

    Attributes
    ----------
    rows : TrainingRows
        Whom to learn from.
    yes, no : int
        Class indices that a voter answers.
    """

    rows: TrainingRows
    yes: int
    no: int

    @property
    def said(self) -> np.ndarray:
        """Whether each row is of the class, shape (n_samples,)."""
        return np.asarray(self.rows.y == self.yes)

    @property
    def total(self) -> np.ndarray:
        """Mass of the rows that are not, and that are of the class; never 0; shape (2,)."""
        mass = np.bincount(self.said, weights=self.rows.mass, minlength=2)
        return np.maximum(mass, np.finfo(float).tiny)


@dataclass
class Pool:
    """The voters of one view.

    Attributes
    ----------
    voters : list of Voter
    margins : ndarray of shape (n_samples, n_voters)
        +1 where a voter is right about a training row, -1 where it is wrong, 0 where the view is
        absent.
    """

    voters: list[Voter]
    margins: np.ndarray


class _Learner(Protocol):
    """A way to make the voters of a view."""

    n_voters: int

    def answers(self, X: Any, n_voters: int) -> np.ndarray:
        """+1 for "yes" and -1 for "no", shape (n_samples, n_voters)."""

    def voters(self, question: Question, columns: np.ndarray, hits: np.ndarray) -> list[Voter]:
        """The voters; ``hits`` (n_voters, 2) is the mass of "no" and "yes" they have right."""


class _Trees:
    """Trees of depth 1, 2, ... up to two less than the full one, and at least one."""

    def __init__(self, X: Any, said: np.ndarray, mass: np.ndarray, seed: int) -> None:
        self._tree = grow_tree(X, said, mass, DecisionTreeClassifier(random_state=seed))
        self.n_voters = self._tree.n_voters

    def answers(self, X: Any, n_voters: int) -> np.ndarray:
        return self._tree.answers(X, n_voters)

    def voters(self, question: Question, columns: np.ndarray, hits: np.ndarray) -> list[Voter]:
        labels, total = (question.no, question.yes), question.total
        depths = range(1, self.n_voters + 1)
        return [self._tree.cut(depth, columns, labels, total) for depth in depths]


class _Classifiers:
    """Fresh copies of given classifiers; plain decision trees become trees of the vote."""

    def __init__(
        self, models: Sequence[Any], X: Any, said: np.ndarray, mass: np.ndarray, labels: np.ndarray
    ) -> None:
        self._labels = labels
        self._members: list[Any] = []
        for model in models:
            if type(model) is DecisionTreeClassifier and model.class_weight is None:
                self._members.append(grow_tree(X, said, mass, model))
                continue
            weights = {"sample_weight": mass} if has_fit_parameter(model, "sample_weight") else {}
            self._members.append(model.fit(X, labels[said.astype(np.intp)], **weights))
        self.n_voters = len(models)

    def answers(self, X: Any, n_voters: int) -> np.ndarray:
        return np.column_stack([self._answer(member, X) for member in self._members])

    def _answer(self, member: Any, X: Any) -> np.ndarray:
        if isinstance(member, GrownTree):
            return member.answers(X, max(1, member.depth))[:, -1]
        return np.where(member.predict(X) == self._labels[1], 1.0, -1.0)

    def voters(self, question: Question, columns: np.ndarray, hits: np.ndarray) -> list[Voter]:
        voters: list[Voter] = []
        for member, right in zip(self._members, hits / question.total):
            if isinstance(member, GrownTree):
                labels = (question.no, question.yes)
                voters.append(member.cut(max(1, member.depth), columns, labels, question.total))
                continue
            reach = np.zeros(len(question.rows.classes))
            reach[self._labels] = right
            voters.append(EstimatorVoter(member, columns, reach))
        return voters


def make_pool(
    question: Question, view: int, classifiers: Sequence[Any] | None, seed: int, n_folds: int = 0
) -> Pool:
    """Train the voters of a view.

    Parameters
    ----------
    question : Question
    view : int
        Position of the view.
    classifiers : sequence of classifier or None
        Voters to copy and fit; None grows trees of depth 1, 2, ... up to two less than the full
        tree, and at least one.
    seed : int
    n_folds : int, default=0
        Take the margins from voters that did not see the row, in so many folds; 0 takes them
        from the voters themselves.

    Returns
    -------
    Pool
        Empty if the view is absent in every row. One constant voter if it is there for one side
        of the question only.
    """
    rows, columns = question.rows, question.rows.views.columns[view]
    here = np.flatnonzero(rows.view_mask[:, view])
    if not len(here):
        return Pool([], np.zeros((len(rows.y), 0)))
    X, said, mass = rows.X[here][:, columns], question.said[here], rows.mass[here]

    def learn(part: np.ndarray) -> _Learner:
        if classifiers is None or said.all() or not said.any():
            return _Trees(X[part], said[part], mass[part], seed)
        rng, labels = np.random.RandomState(seed), np.array([question.no, question.yes])
        models = [seeded_clone(one, rng) for one in classifiers]
        return _Classifiers(models, X[part], said[part], mass[part], labels)

    whole = learn(np.arange(len(here)))
    answers = whole.answers(X, whole.n_voters)
    right = answers == np.where(said, 1.0, -1.0)[:, None]
    hits = np.column_stack([mass[side] @ right[side] for side in (~said, said)])
    voters = whole.voters(question, columns, hits)
    smallest = int(np.bincount(said, minlength=2).min())
    if n_folds and smallest > 1:
        folds = StratifiedKFold(min(n_folds, smallest), shuffle=True, random_state=seed)
        for train, test in folds.split(here, said):
            answers[test] = learn(train).answers(X[test], whole.n_voters)
    margins = np.zeros((len(rows.y), whole.n_voters))
    margins[here] = np.where(said, 1.0, -1.0)[:, None] * answers
    return Pool(voters, margins)


def as_voters(given: Any) -> list[Any] | None:
    """Classifiers of one view as a list; None stands for trees."""
    if given is None:
        return None
    listed = list(given) if isinstance(given, list | tuple) else [given]
    for one in listed:
        if isinstance(one, type) or not (hasattr(one, "fit") and hasattr(one, "predict")):
            raise TypeError(
                "voters must be None, a classifier, a list of classifiers, or a dict of view name "
                f"to any of these; got {one!r}."
            )
    if not listed:
        raise ValueError("voters is an empty list: name a classifier, or None for trees.")
    return listed
