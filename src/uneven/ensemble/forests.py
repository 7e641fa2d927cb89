"""Forests with out-of-bag predictions of every training row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from uneven.ensemble._loops import add_unseen, leaf_masses, side_by_side
from uneven.ensemble.shared_table import MANY_ROWS, Learnt, SharedTable, TableSize, member
from uneven.utils.model_types import check_part, check_shares, persisted
from uneven.utils.parallel import ThreadPool
from uneven.voters import TreeVoter
from uneven.votes import Term, Vote

_TREES_PER_JOB = 10
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class BaggedTrees:
    """A forest: full trees on bootstraps, a few random columns at every split.

    Every class weighs the same when splits are chosen. Leaves hold the shares of their rows as
    they are, so probabilities are at natural class shares. A row is predicted, out of bag, by the
    trees whose bootstrap left it out.

    Attributes
    ----------
    n_trees : int
    random_cuts : bool
        Extra trees: a random threshold for each of the columns drawn, not the best one.

    References
    ----------
    L. Breiman (2001), *Random forests*. P. Geurts, D. Ernst and L. Wehenkel (2006), *Extremely
    randomized trees*.
    """

    n_trees: int = 150
    random_cuts: bool = False

    @classmethod
    def suited_to(cls, size: TableSize) -> BaggedTrees | None:
        """A forest up to 5000 rows: with more rows it adds little to a boost, and takes time."""
        return None if size.is_sparse or size.n_rows >= MANY_ROWS else cls()

    def learn(self, table: SharedTable, seed: int) -> Learnt:
        """Grow the trees, in jobs of fixed size so that threads change nothing."""
        X = np.clip(table.dense(), -_LARGEST, _LARGEST).astype(np.float32)
        seeds = np.random.RandomState(seed).randint(2**31 - 1, size=self.n_trees)
        jobs = [
            partial(self._grow, table, X, seeds[start : start + _TREES_PER_JOB])
            for start in range(0, self.n_trees, _TREES_PER_JOB)
        ]
        parts = table.pool.map(jobs)
        terms = [term for part in parts for term in part.terms]
        sums = np.sum([part.sums for part in parts], axis=0)
        counts = np.sum([part.counts for part in parts], axis=0)
        vote = Vote(terms, [len(terms)], table.n_classes, table.views)
        model = ForestModel(vote, table.prior, self.n_trees)
        spoken = counts > 0
        mean = np.where(spoken, sums.T / np.maximum(counts, 1), table.prior[:, None]).T
        return Learnt(model, model.smoothed(mean))

    def _grow(self, table: SharedTable, X: np.ndarray, seeds: np.ndarray) -> _Part:
        n_rows, has_gaps = len(X), bool(np.isnan(X).any())
        part = _Part([], np.zeros((n_rows, table.n_classes)), np.zeros(n_rows, dtype=np.int64))
        kind = ExtraTreeClassifier if self.random_cuts else DecisionTreeClassifier
        for seed in seeds.tolist():
            rng = np.random.RandomState(seed)
            drawn = table.bootstrap(rng)
            mass = drawn * table.mass
            class_mass = np.bincount(table.y, mass, table.n_classes)
            weight = mass / np.where(class_mass > 0.0, class_mass, 1.0)[table.y]
            tree = kind(max_features="sqrt", random_state=rng.randint(2**31 - 1))
            with config_context(skip_parameter_validation=True):
                tree.fit(X, table.y, sample_weight=weight * n_rows, check_input=has_gaps)
            voter, leaf_of = as_voter(tree.tree_, X)
            masses = np.zeros((int(voter.label.max()) + 1, table.n_classes))
            leaf_masses(leaf_of, table.y, mass, masses)
            shares = self._shares(masses, table.prior)
            add_unseen(leaf_of, drawn, shares, part.sums, part.counts)
            spoken = shares.argmax(axis=1)
            reach = masses[np.arange(len(masses)), spoken] / np.maximum(class_mass[spoken], 1e-300)
            voter.reach = np.where(voter.is_leaf, reach[voter.label], 0.0)
            part.terms.append(Term(voter, shares / self.n_trees, 0))
        return part

    @staticmethod
    def _shares(masses: np.ndarray, prior: np.ndarray) -> np.ndarray:
        """Class shares of leaves; the prior in a leaf without rows.

        Before scikit-learn 1.8 a tree of a table with missing values can have such leaves.
        """
        total = masses.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0.0, masses / np.where(total > 0.0, total, 1.0), prior))


@member("forest", order=20)
@dataclass(frozen=True)
class RandomForest(BaggedTrees):
    """A random forest."""


@member("extra_trees", order=50)
@dataclass(frozen=True)
class ExtraTrees(BaggedTrees):
    """Extra trees, on bootstraps."""

    random_cuts: bool = True


@dataclass
class _Part:
    """Some trees, and what they say of the rows that they have not drawn."""

    terms: list[Term]
    sums: np.ndarray
    counts: np.ndarray


@persisted("forest_model", role="ensemble_model")
@dataclass
class ForestModel:
    """A forest whose leaves hold the shares of the classes.

    Attributes
    ----------
    vote : Vote
        Its scores are the mean of these shares.
    prior : ndarray of shape (n_classes,)
    n_trees : int
    """

    vote: Vote
    prior: np.ndarray
    n_trees: int

    def probabilities(self, X: Any, pool: ThreadPool) -> np.ndarray:
        """Mean of the shares in the leaves, smoothed, (n_samples, n_classes)."""
        return self.smoothed(self.vote.score(X, pool))

    def smoothed(self, shares: np.ndarray) -> np.ndarray:
        """As if one more tree knew the class shares only, so that no probability is 0."""
        return np.asarray((self.n_trees * shares + self.prior) / (self.n_trees + 1.0))

    def votes(self) -> Iterator[Vote]:
        """The votes that an explanation reads."""
        yield self.vote

    def _check_model_(self, classifier: Any) -> None:
        """Refuse a loaded forest that does not fit the classes and columns."""
        self.vote = check_votes([self.vote], classifier)[0]
        check_shares(self.prior, len(classifier.classes_))
        if type(self.n_trees) is not int or self.n_trees < 1:
            raise ValueError(f"its forest has {self.n_trees!r} trees")


def check_votes(votes: Any, classifier: Any) -> list[Vote]:
    """Loaded votes, checked and packed anew."""
    refusal = "a {} stands where a vote should be"
    given = (classifier, True, False)
    return [check_part("vote", v, *given, refusal=refusal, error=ValueError) for v in votes]


def as_voter(tree: Any, X: np.ndarray) -> tuple[TreeVoter, np.ndarray]:
    """A tree of scikit-learn as a voter that predicts the number of a leaf.

    Parameters
    ----------
    tree : sklearn.tree._tree.Tree
    X : ndarray of float32, shape (n_samples, n_features)

    Returns
    -------
    voter : TreeVoter
        Its reach is 0.
    leaf_of : ndarray of int, shape (n_samples,)
        Answer for each row.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0]], dtype=np.float32)
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X, [0, 1, 0]).tree_
    >>> voter, leaf_of = as_voter(tree, X)
    >>> np.array_equal(voter.predict(X), leaf_of), len(set(leaf_of.tolist()))
    (True, 3)
    """
    order, child = np.empty((2, tree.node_count), dtype=np.int64)
    left = tree.children_left
    side_by_side(left, tree.children_right, order, child)
    is_leaf = left[order] < 0
    label = np.cumsum(is_leaf) - 1
    number = np.empty(tree.node_count, dtype=np.int64)
    number[order] = label
    voter = TreeVoter(
        feature=np.where(is_leaf, 0, tree.feature[order]).astype(np.int64),
        threshold=np.where(is_leaf, np.inf, tree.threshold[order]),
        missing_left=is_leaf | (tree.missing_go_to_left[order] != 0),
        child=child,
        label=np.where(is_leaf, label, 0),
        reach=np.zeros(tree.node_count),
    )
    return voter, number[tree.apply(X)]
