"""Pools of voters for the Bregman vote: the voters of one view, and their predictions for its rows.

By default a view has 20 trees that choose among a few random columns at every split. The published
pool is one full tree per view, cut at every depth. Any list of classifiers serves as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from uneven.fusion.per_view import PUBLISHED
from uneven.utils.estimators import seeded_clone
from uneven.views.training_rows import TrainingRows
from uneven.voters import EstimatorVoter, TreeVoter, Voter

RANDOM_TREES = (DecisionTreeClassifier(max_depth=6, max_features="sqrt"),) * 20
"""Voters of a view by default."""

_KEPT_BACK = 2
_TIE = 1e-12
_ABOVE_ALL = 2.0


@dataclass
class GrownTree:
    """A full tree for a binary problem, level after level; children stand side by side.

    Because a tree is grown greedily, cutting it at a depth gives the tree that would have been
    grown with that depth as its limit, but for ties between equally good splits.

    Attributes
    ----------
    feature : ndarray of int, shape (n_nodes,)
        Column that a node splits on (0 in a leaf).
    threshold : ndarray of shape (n_nodes,)
        Values up to it go left; infinite in a leaf.
    missing_left : ndarray of bool, shape (n_nodes,)
        Whether NaN goes left; True in a leaf.
    child : ndarray of int, shape (n_nodes,)
        Left child; a leaf is its own.
    level : ndarray of int, shape (n_nodes,)
        Splits above a node; never falls along the array.
    mass : ndarray of shape (n_nodes, 2)
        Training mass of "no" and "yes" in each node.
    """

    feature: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray
    child: np.ndarray
    level: np.ndarray
    mass: np.ndarray

    @property
    def depth(self) -> int:
        """Splits on the longest path."""
        return int(self.level[-1])

    @property
    def n_voters(self) -> int:
        """Depths worth keeping: the two deepest levels overfit their training rows."""
        return max(1, self.depth - _KEPT_BACK)

    @property
    def says_yes(self) -> np.ndarray:
        """Prediction of each node if it were a leaf: the majority, "yes" in a tie; (n_nodes,)."""
        return np.asarray(self.mass[:, 1] >= self.mass[:, 0] * (1.0 - _TIE))

    def answers(self, X: Any, n_voters: int) -> np.ndarray:
        """Predictions of the tree after 1, 2, ... splits.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_columns)
        n_voters : int

        Returns
        -------
        ndarray of shape (n_samples, n_voters)
            +1 for "yes" and -1 for "no".
        """
        used, feature = np.unique(self.feature, return_inverse=True)
        block = X[:, used].toarray() if sp.issparse(X) else X[:, used]
        sign = np.where(self.says_yes, 1.0, -1.0)
        rows, at = np.arange(X.shape[0]), np.zeros(X.shape[0], dtype=np.intp)
        answers = np.empty((X.shape[0], n_voters))
        for depth in range(n_voters):
            asked = block[rows, feature[at]]
            left = (asked <= self.threshold[at]) | (np.isnan(asked) & self.missing_left[at])
            at = self.child[at] + ~left
            answers[:, depth] = sign[at]
        return answers

    def cut(
        self, depth: int, columns: np.ndarray, labels: tuple[int, int], total: np.ndarray
    ) -> TreeVoter:
        """The tree cut at a depth, as a voter.

        Parameters
        ----------
        depth : int
        columns : ndarray of int, shape (n_columns,)
            Where the columns of this tree stand in the whole table.
        labels : (int, int)
            Class indices that stand for "no" and "yes".
        total : ndarray of shape (2,)
            Mass of "no" and "yes" in the whole training table.
        """
        n_nodes = int(np.searchsorted(self.level, depth, side="right"))
        numbers = np.arange(n_nodes)
        leaf = (self.level[:n_nodes] == depth) | (self.child[:n_nodes] == numbers)
        side = self.says_yes[:n_nodes].astype(np.intp)
        return TreeVoter(
            feature=np.where(leaf, 0, columns[self.feature[:n_nodes]]),
            threshold=np.where(leaf, np.inf, self.threshold[:n_nodes]),
            missing_left=leaf | self.missing_left[:n_nodes],
            child=np.where(leaf, numbers, self.child[:n_nodes]),
            label=np.array(labels, dtype=np.int32)[side],
            reach=np.where(leaf, self.mass[numbers, side] / total[side], 0.0),
        )


def grow_tree(
    X: Any, said: np.ndarray, mass: np.ndarray, model: DecisionTreeClassifier
) -> GrownTree:
    """Grow a scikit-learn tree and take over its splits.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_columns)
        NaN is a missing value. Trees for sparse tables have none: there it counts as larger than
        every number.
    said : ndarray of bool, shape (n_samples,)
        Whether a row is a "yes".
    mass : ndarray of shape (n_samples,)
    model : DecisionTreeClassifier
        How to grow it; gets fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = grow_tree(np.arange(4.0)[:, None], np.array([False, True, True, False]),
    ...                  np.ones(4), DecisionTreeClassifier())
    >>> tree.answers(np.arange(4.0)[:, None], 2)[:, 1]
    array([-1.,  1.,  1., -1.])
    """
    scaled, low, span, lifted = _scaled(X)
    tree = model.fit(scaled, said, sample_weight=mass).tree_
    order = _level_order(tree.children_left, tree.children_right)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    inner = tree.children_left[order] >= 0
    feature = np.where(inner, tree.feature[order], 0)
    share = np.where(inner, tree.threshold[order], 0.0)
    threshold = 2.0 * (low[feature] + share * span[feature])
    threshold[lifted[feature] & (share > 1.0)] = np.inf
    sent_left = tree.missing_go_to_left[order].astype(bool) & ~lifted[feature]
    sides = np.zeros((len(order), 2))
    shares = tree.value[order, 0] / tree.value[order, 0].sum(axis=1, keepdims=True)
    sides[:, model.classes_.astype(np.intp)] = shares * tree.weighted_n_node_samples[order, None]
    return GrownTree(
        feature=feature,
        threshold=np.where(inner, threshold, np.inf),
        missing_left=~inner | sent_left,
        child=np.where(inner, place[tree.children_left[order]], np.arange(len(order))),
        level=tree.compute_node_depths()[order] - 1,
        mass=sides,
    )


def _level_order(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Node numbers, level after level, siblings side by side."""
    order = [0]
    for node in order:
        if left[node] >= 0:
            order += [int(left[node]), int(right[node])]
    return np.array(order, dtype=np.intp)


def _scaled(X: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """Columns on the scale from 0 to 1: scikit-learn's trees compute in single precision.

    Returns
    -------
    scaled : ndarray or sparse matrix of shape (n_samples, n_columns)
    low, span : ndarray of shape (n_columns,)
        ``X / 2 = low + scaled * span``; halves, so that no difference overflows.
    lifted : ndarray of bool, shape (n_columns,)
        Sparse columns in which NaN was replaced by a number above 1.
    """
    if sp.issparse(X):
        return _scaled_sparse(sp.csc_array(X))
    half = 0.5 * np.asarray(X, dtype=np.float64)
    low = np.nan_to_num(np.fmin.reduce(half, axis=0))
    span = np.nan_to_num(np.fmax.reduce(half, axis=0) - low)
    span[span == 0.0] = 1.0
    return (half - low) / span, low, span, np.zeros(X.shape[1], dtype=bool)


def _scaled_sparse(X: sp.csc_array) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """Columns on the scale from -1 to 1, zero where they were; see :func:`_scaled`."""
    column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    missing = np.isnan(X.data)
    span = np.zeros(X.shape[1])
    np.maximum.at(span, column[~missing], 0.5 * np.abs(X.data[~missing], dtype=np.float64))
    span[span == 0.0] = 1.0
    data = np.where(missing, _ABOVE_ALL, 0.5 * X.data / span[column])
    lifted = np.zeros(X.shape[1], dtype=bool)
    lifted[column[missing]] = True
    return sp.csc_array((data, X.indices, X.indptr), X.shape), np.zeros(len(span)), span, lifted


@dataclass(frozen=True)
class Question:
    """Whether a row is of one class: the binary problem of the voters of a pool.

    Attributes
    ----------
    rows : TrainingRows
        Whom to learn from.
    yes, no : int
        Class indices that a voter predicts.
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
        of the problem only.
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
    """Classifiers of one view as a list; None stands for a tree that is cut at every depth."""
    if given is None:
        return list(RANDOM_TREES)
    if isinstance(given, str) and given == PUBLISHED:
        return None
    listed = list(given) if isinstance(given, list | tuple) else [given]
    for one in listed:
        if isinstance(one, type) or not (hasattr(one, "fit") and hasattr(one, "predict")):
            raise TypeError(
                'voters must be None, "published", a classifier, a list of classifiers, or a dict '
                f"of view name to any of these; got {one!r}."
            )
    if not listed:
        raise ValueError("voters is an empty list: name a classifier, or None for trees.")
    return listed
