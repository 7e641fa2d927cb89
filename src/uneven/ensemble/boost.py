"""Gradient boosting with a score for every class in the leaves, cross-fitted on shared bins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax

from uneven.boosting.score_leaves import ScoreLearner, ScoreSettings
from uneven.costs import EDGE_TOLERANCE
from uneven.costs.score_costs import LabelModel, ScoreCosts
from uneven.ensemble.forests import check_votes
from uneven.ensemble.shared_table import (
    MANY_ROWS,
    VERY_MANY_ROWS,
    Learnt,
    SharedTable,
    TableSize,
    fill_absent,
    member,
)
from uneven.utils.model_types import persisted
from uneven.utils.parallel import ThreadPool
from uneven.utils.validation import hold_out
from uneven.views import ViewMap
from uneven.voters import TreeVoter
from uneven.votes import Term, Vote

_NONE = np.zeros((0, 0))
_MANY_COLUMNS = 1000
"""From so many on, a round costs more than it brings; learning fast measures as well."""
_LEAST_GAIN = 2e-4
"""A fall of the log-loss per row that is worth a further round."""


@member("boost", order=10)
@dataclass(frozen=True)
class ScoreLeafBoost:
    """Boosted score trees on the log-loss, every row as heavy as it is.

    With folds, there is a boost for every fold, which has not seen it, and the model is the mean
    of their probabilities. Without, some rows of every class are left out once, and there is one
    boost. Where rows are many, rounds end when the boosts no longer get better on the rows that
    they have not seen.

    Attributes
    ----------
    n_rounds, max_leaves, max_bins : int
    learning_rate, l2 : float
    max_features, subsample : float
        Shares of the columns and of the rows that a tree is grown on.
    n_folds : int
        0 leaves rows out once.
    held_out : float
        Share of the rows left out without folds.
    patience : int
        Rounds without a better log-loss on rows left out before learning ends; 0 never ends it.

    See Also
    --------
    uneven.BalancedBoostingClassifier : the same trees, every class as heavy.
    """

    n_rounds: int = 80
    max_leaves: int = 16
    max_bins: int = 63
    learning_rate: float = 0.1
    l2: float = 1.0
    max_features: float = 0.6
    subsample: float = 1.0
    n_folds: int = 3
    held_out: float = 0.1
    patience: int = 0

    @classmethod
    def suited_to(cls, size: TableSize) -> ScoreLeafBoost | None:
        """More leaves for more rows and classes, fewer rounds for many columns."""
        if size.is_sparse:
            return None
        if size.n_rows >= VERY_MANY_ROWS:
            return cls(300, 63, learning_rate=0.1, n_folds=0, patience=10)
        if size.n_rows >= MANY_ROWS:
            leaves = 16 if size.n_classes == 2 else 31
            return cls(150, leaves, learning_rate=0.15, patience=8)
        if size.n_columns >= _MANY_COLUMNS:
            return cls(40, learning_rate=0.2)
        if size.n_rows >= 2000:
            return cls(100, 31, learning_rate=0.15)
        return cls()

    def learn(self, table: SharedTable, seed: int) -> Learnt:
        """Boost without each part of the rows, all boosts round by round."""
        rng = np.random.RandomState(seed)
        learner = self._learner(table)
        boosts = [Boost.of(table, out) for out in self._parts(table, rng)]
        self.run(boosts, learner, rng)
        unseen = np.full((len(table.y), table.n_classes), np.nan)
        for boost in boosts:
            unseen[boost.out] = boost.unseen()
        unseen = fill_absent(unseen, table.prior, seed)
        return Learnt(BoostModel.of(boosts, table.views), unseen)

    def run(
        self, boosts: Sequence[Boost], learner: ScoreLearner, rng: np.random.RandomState
    ) -> None:
        """Let boosts learn round by round."""
        seeds = rng.randint(2**31 - 1, size=(len(boosts), self.n_rounds)).T.tolist()
        watch = _Watch(self.patience)
        for round_seeds in seeds:
            for boost, own in zip(boosts, round_seeds):
                boost.grow(learner, own)
            if watch.is_stale(boosts) or all(boost.is_over for boost in boosts):
                break

    def _parts(self, table: SharedTable, rng: np.random.RandomState) -> list[np.ndarray]:
        """Rows that each boost does not see."""
        if not self.n_folds:
            return [np.flatnonzero(hold_out(table.y, self.held_out, rng))]
        folds = table.deal(self.n_folds, int(rng.randint(2**31 - 1)))
        return [np.flatnonzero(folds == k) for k in range(int(folds.max()) + 1)]

    @property
    def settings(self) -> ScoreSettings:
        """How its trees grow."""
        return ScoreSettings(
            loss="log", leaf_step="newton", max_leaves=self.max_leaves, max_depth=30,
            learning_rate=self.learning_rate, l2=self.l2, min_weight=0.1,
            max_features=self.max_features, subsample=self.subsample, max_bins=self.max_bins,
        )  # fmt: skip

    def _learner(self, table: SharedTable) -> ScoreLearner:
        every = np.ones(len(table.y), dtype=bool)
        codes = table.codes(self.max_bins)
        return ScoreLearner(table.training, codes.columns, 0, every, self.settings, codes)


class Boost:
    """A boost that is fitted without some rows, and predicts them.

    Parameters
    ----------
    costs : ScoreCosts
        Of all rows; those left out cost nothing.
    y : ndarray of int, shape (n_samples,)
    mass : ndarray of shape (n_samples,)
    out : ndarray of int
        Rows left out.
    n_classes : int
    """

    def __init__(
        self, costs: ScoreCosts, y: np.ndarray, mass: np.ndarray, out: np.ndarray, n_classes: int
    ) -> None:
        self.costs, self.out = costs, out
        self._y, self._mass = y[out], mass[out]
        self.prior = class_shares(y, without(mass, out), n_classes)
        self.seen = self.prior > 0.0
        self.terms: list[Term] = []
        self.n_kept = 0
        self.is_over = False

    @classmethod
    def of(cls, table: SharedTable, out: np.ndarray) -> Boost:
        """A boost on a table in memory."""
        mass, n_classes = without(table.mass, out), table.n_classes
        labels = LabelModel(table.y, mass, _NONE, _NONE, np.ones(n_classes))
        costs = ScoreCosts(labels, n_classes, "log", table.training.keys, table.pool)
        return cls(costs, table.y, table.mass, out, n_classes)

    def grow(self, learner: ScoreLearner, seed: int) -> None:
        """Add a tree, if there is something left to learn."""
        if self.is_over:
            return
        result = learner.learn(self.costs, seed)
        if result.edge <= EDGE_TOLERANCE:
            self.is_over = learner.settings.max_features >= 1.0
            return
        self.costs.add(result.leaf_of, result.scores)
        self.terms.append(result.as_term())
        self.is_over = self.costs.is_settled

    def unseen_loss(self) -> float:
        """Log-loss on the rows left out."""
        own = np.maximum(self._own_chances(), 1e-12)
        return float(-(self._mass * np.log(own)).sum())

    def keep(self) -> None:
        """Store the trees so far, and their scores of the rows left out."""
        if self.terms:
            self.n_kept = len(self.terms)
            self._keep_shares()

    def unseen(self) -> np.ndarray:
        """Probabilities of the rows left out by the trees that were kept, (n_out, n_classes).

        NaN for classes that were not seen.
        """
        shares = self._kept_shares() if self.n_kept else np.tile(self.prior, (len(self.out), 1))
        found = np.full(shares.shape, np.nan)
        found[:, self.seen] = _shares(shares[:, self.seen])
        return found

    def vote(self, views: ViewMap) -> Vote:
        """The trees that were kept; class frequencies if no column separates the classes."""
        terms = self.terms[: self.n_kept]
        if not terms:
            scores = np.log(np.maximum(self.prior, 1e-6))[None, :]
            terms = [Term(TreeVoter.constant(0), scores, 0)]
        return Vote(terms, [len(terms)], len(self.prior), views)

    def _own_chances(self) -> np.ndarray:
        """Probability of the label of each row left out, shape (n_out,)."""
        return np.asarray(self.costs.P[self.out, self._y])

    def _keep_shares(self) -> None:
        self._kept = self.costs.P[self.out]

    def _kept_shares(self) -> np.ndarray:
        return self._kept


class _Watch:
    """The log-loss of some boosts on the rows that each leaves out."""

    def __init__(self, patience: int) -> None:
        self.patience, self.n_stale = patience, 0
        self.least = self.last_gain = np.inf

    def is_stale(self, boosts: Sequence[Boost]) -> bool:
        """Let the boosts keep a round that is the best so far; whether it is time to stop."""
        if not self.patience:
            _keep_all(boosts)
            return False
        loss = sum(boost.unseen_loss() for boost in boosts)
        if loss < self.least:
            self.least = loss
            _keep_all(boosts)
        n_rows = sum(len(boost.out) for boost in boosts)
        if loss < self.last_gain - _LEAST_GAIN * n_rows:
            self.last_gain, self.n_stale = loss, 0
        else:
            self.n_stale += 1
        return self.n_stale >= self.patience


def _keep_all(boosts: Sequence[Boost]) -> None:
    for boost in boosts:
        boost.keep()


@persisted("boost_model", role="ensemble_model")
@dataclass
class BoostModel:
    """The mean of the probabilities of some boosts.

    Attributes
    ----------
    parts : list of Vote
    seen : ndarray of bool, shape (n_parts, n_classes)
        Classes that each part was fitted to; it has no scores for the others.
    """

    parts: list[Vote]
    seen: np.ndarray

    @classmethod
    def of(cls, boosts: Sequence[Boost], views: ViewMap) -> BoostModel:
        """The trees that boosts have kept."""
        return cls([one.vote(views) for one in boosts], np.array([one.seen for one in boosts]))

    def probabilities(self, X: Any, pool: ThreadPool) -> np.ndarray:
        """Mean of the softmax of their scores, (n_samples, n_classes)."""
        total = np.zeros((X.shape[0], self.seen.shape[1]))
        for vote, seen in zip(self.parts, self.seen):
            total[:, seen] += softmax(vote.score(X, pool)[:, seen], axis=1)
        mean = total / np.maximum(self.seen.sum(axis=0), 1)
        return np.asarray(mean / mean.sum(axis=1, keepdims=True))

    def votes(self) -> Iterator[Vote]:
        """The votes that an explanation reads."""
        yield from self.parts

    def _check_model_(self, classifier: Any) -> None:
        """Refuse loaded boosts that do not fit the classes and columns."""
        n_classes = len(classifier.classes_)
        if type(self.parts) is not list or not self.parts:
            raise ValueError("its boost has no parts")
        self.parts = check_votes(self.parts, classifier)
        shape = (len(self.parts), n_classes)
        if type(self.seen) is not np.ndarray or self.seen.dtype != bool or self.seen.shape != shape:
            raise ValueError("the classes that its boosts have seen are not marked")
        if not self.seen.any(axis=1).all():
            raise ValueError("a part of its boost has seen no class")


def without(mass: np.ndarray, out: np.ndarray) -> np.ndarray:
    """The mass of all rows but some, shape (n_samples,)."""
    kept = mass.copy()
    kept[out] = 0.0
    return kept


def class_shares(y: np.ndarray, mass: np.ndarray, n_classes: int) -> np.ndarray:
    """Share of each class in the mass, shape (n_classes,)."""
    return np.asarray(np.bincount(y, mass, n_classes) / mass.sum())


def _shares(P: np.ndarray) -> np.ndarray:
    """Rows that sum to 1, in double precision."""
    known = np.maximum(P.astype(np.float64), np.finfo(np.float32).tiny)
    return np.asarray(known / known.sum(axis=1, keepdims=True))
