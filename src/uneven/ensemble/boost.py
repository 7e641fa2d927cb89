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
        boosts = [_Boost(table, out) for out in self._parts(table, rng)]
        seeds = rng.randint(2**31 - 1, size=(len(boosts), self.n_rounds)).T.tolist()
        watch = _Watch(self.patience)
        for round_seeds in seeds:
            for boost, own in zip(boosts, round_seeds):
                boost.grow(learner, own)
            if watch.is_stale(boosts, table) or all(boost.is_over for boost in boosts):
                break
        unseen = np.full((len(table.y), table.n_classes), np.nan)
        for boost in boosts:
            unseen[np.ix_(boost.out, boost.seen)] = _shares(boost.shares[:, boost.seen])
        unseen = fill_absent(unseen, table.prior, seed)
        seen = np.array([boost.seen for boost in boosts])
        return Learnt(BoostModel([boost.vote(table) for boost in boosts], seen), unseen)

    def _parts(self, table: SharedTable, rng: np.random.RandomState) -> list[np.ndarray]:
        """Rows that each boost does not see."""
        if not self.n_folds:
            return [np.flatnonzero(hold_out(table.y, self.held_out, rng))]
        folds = table.deal(self.n_folds, int(rng.randint(2**31 - 1)))
        return [np.flatnonzero(folds == k) for k in range(int(folds.max()) + 1)]

    def _learner(self, table: SharedTable) -> ScoreLearner:
        settings = ScoreSettings(
            loss="log", leaf_step="newton", max_leaves=self.max_leaves, max_depth=30,
            learning_rate=self.learning_rate, l2=self.l2, min_weight=0.1,
            max_features=self.max_features, subsample=self.subsample, max_bins=self.max_bins,
        )  # fmt: skip
        every = np.ones(len(table.y), dtype=bool)
        codes = table.codes(self.max_bins)
        return ScoreLearner(table.training, codes.columns, 0, every, settings, codes)


class _Boost:
    """A boost that does not count some rows, but says what it thinks of them."""

    def __init__(self, table: SharedTable, out: np.ndarray) -> None:
        mass = table.mass.copy()
        mass[out] = 0.0
        labels = LabelModel(table.y, mass, _NONE, _NONE, np.ones(table.n_classes))
        self.costs = ScoreCosts(labels, table.n_classes, "log", table.training.keys, table.pool)
        self.out = out
        self.prior = np.bincount(table.y, mass, table.n_classes) / mass.sum()
        self.seen = self.prior > 0.0
        self.terms: list[Term] = []
        self.n_kept, self.shares = 0, np.tile(self.prior, (len(out), 1))
        self.is_over = False

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

    def unseen_loss(self, table: SharedTable) -> float:
        """Log-loss on the rows left out."""
        own = np.maximum(self.costs.P[self.out, table.y[self.out]], 1e-12)
        return float(-(table.mass[self.out] * np.log(own)).sum())

    def keep(self) -> None:
        """Remember the trees so far, and what they say of the rows left out."""
        if self.terms:
            self.n_kept, self.shares = len(self.terms), self.costs.P[self.out]

    def vote(self, table: SharedTable) -> Vote:
        """The trees that were kept; the class shares where no column tells anything."""
        terms = self.terms[: self.n_kept]
        if not terms:
            scores = np.log(np.maximum(self.prior, 1e-6))[None, :]
            terms = [Term(TreeVoter.constant(0), scores, 0)]
        return Vote(terms, [len(terms)], table.n_classes, table.views)


class _Watch:
    """The log-loss of some boosts on the rows that each leaves out."""

    def __init__(self, patience: int) -> None:
        self.patience, self.n_stale = patience, 0
        self.least = self.last_gain = np.inf

    def is_stale(self, boosts: Sequence[_Boost], table: SharedTable) -> bool:
        """Let the boosts keep a round that is the best so far; whether it is time to stop."""
        if not self.patience:
            _keep_all(boosts)
            return False
        loss = sum(boost.unseen_loss(table) for boost in boosts)
        if loss < self.least:
            self.least = loss
            _keep_all(boosts)
        n_rows = sum(len(boost.out) for boost in boosts)
        if loss < self.last_gain - _LEAST_GAIN * n_rows:
            self.last_gain, self.n_stale = loss, 0
        else:
            self.n_stale += 1
        return self.n_stale >= self.patience


def _keep_all(boosts: Sequence[_Boost]) -> None:
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
        Classes that each part has seen: of the others it says nothing.
    """

    parts: list[Vote]
    seen: np.ndarray

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


def _shares(P: np.ndarray) -> np.ndarray:
    """Rows that sum to 1, in double precision."""
    known = np.maximum(P.astype(np.float64), np.finfo(np.float32).tiny)
    return np.asarray(known / known.sum(axis=1, keepdims=True))
