"""Gradient boosting with a score for every class in the leaves, cross-fitted on shared bins."""

from __future__ import annotations

from collections.abc import Iterator
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


@member("boost", order=10)
@dataclass(frozen=True)
class ScoreLeafBoost:
    """Boosted score trees on the log-loss, every row as heavy as it is.

    With folds, there is a boost for every fold, which has not seen it, and the model is the mean
    of their probabilities. Without, some rows of every class are left out once: there is one
    boost, and the rounds end when it no longer gets better on them.

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
        Rounds without a better log-loss on them before learning ends.

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
    patience: int = 10

    @classmethod
    def suited_to(cls, size: TableSize) -> ScoreLeafBoost | None:
        """More leaves and rounds for more rows and classes."""
        if size.is_sparse:
            return None
        if size.n_rows >= VERY_MANY_ROWS:
            return cls(300, 63, learning_rate=0.1, n_folds=0)
        if size.n_rows >= MANY_ROWS and size.n_classes >= 5:
            return cls(150, 63, learning_rate=0.12)
        if size.n_rows >= MANY_ROWS and size.n_classes == 2:
            return cls(100, 16, learning_rate=0.15)
        if size.n_rows >= 2000:
            return cls(100, 31, learning_rate=0.15)
        return cls()

    def learn(self, table: SharedTable, seed: int) -> Learnt:
        """Boost once for every part of the rows that is left out."""
        rng = np.random.RandomState(seed)
        parts = self._parts(table, rng)
        learner = self._learner(table)
        unseen = np.full((len(table.y), table.n_classes), np.nan)
        votes, seen_classes = [], []
        for out in parts:
            vote, P = self._boost(table, learner, out, rng)
            labels = np.unique(table.y[~out])
            unseen[np.ix_(out, labels)] = _shares(P[out][:, labels])
            votes.append(vote)
            seen_classes.append(np.isin(np.arange(table.n_classes), labels))
        unseen = fill_absent(unseen, table.prior, seed)
        return Learnt(BoostModel(votes, np.array(seen_classes)), unseen)

    def _parts(self, table: SharedTable, rng: np.random.RandomState) -> list[np.ndarray]:
        """Which rows each boost does not see."""
        if not self.n_folds:
            return [hold_out(table.y, self.held_out, rng)]
        folds = table.deal(self.n_folds, int(rng.randint(2**31 - 1)))
        return [folds == k for k in range(int(folds.max()) + 1)]

    def _learner(self, table: SharedTable) -> ScoreLearner:
        settings = ScoreSettings(
            loss="log", leaf_step="newton", max_leaves=self.max_leaves, max_depth=30,
            learning_rate=self.learning_rate, l2=self.l2, min_weight=0.1,
            max_features=self.max_features, subsample=self.subsample, max_bins=self.max_bins,
        )  # fmt: skip
        every = np.ones(len(table.y), dtype=bool)
        codes = table.codes(self.max_bins)
        return ScoreLearner(table.training, codes.columns, 0, every, settings, codes)

    def _boost(
        self, table: SharedTable, learner: ScoreLearner, out: np.ndarray, rng: Any
    ) -> tuple[Vote, np.ndarray]:
        """A boost that does not count some rows, but says what it thinks of them."""
        mass = np.where(out, 0.0, table.mass)
        labels = LabelModel(table.y, mass, _NONE, _NONE, np.ones(table.n_classes))
        costs = ScoreCosts(labels, table.n_classes, "log", table.training.keys, table.pool)
        watch = None if self.n_folds else _Watch(table.y[out], table.mass[out], self.patience)
        terms: list[Term] = []
        for seed in rng.randint(2**31 - 1, size=self.n_rounds).tolist():
            result = learner.learn(costs, seed)
            if result.edge <= EDGE_TOLERANCE:
                if self.max_features < 1.0:
                    continue
                break
            costs.add(result.leaf_of, result.scores)
            terms.append(result.as_term())
            if costs.is_settled or (watch is not None and watch.is_stale(costs.P[out])):
                break
        P = costs.P
        if not terms:
            terms.append(_class_shares(costs, mass, table))
        elif watch is not None:
            terms, P[out] = terms[: watch.best + 1], watch.best_shares
        return Vote(terms, [len(terms)], table.n_classes, table.views), P


def _class_shares(costs: ScoreCosts, mass: np.ndarray, table: SharedTable) -> Term:
    """What is left to say where no column tells anything: the shares of the classes."""
    shares = np.bincount(table.y, mass, table.n_classes) / mass.sum()
    scores = np.log(np.maximum(shares, 1e-6))[None, :]
    costs.add(np.zeros(len(mass), dtype=np.int32), scores)
    return Term(TreeVoter.constant(0), scores, 0)


class _Watch:
    """The log-loss on rows left out, and the round after which it was least."""

    def __init__(self, y: np.ndarray, mass: np.ndarray, patience: int) -> None:
        self.y, self.mass, self.patience = y, mass, patience
        self.best, self.least, self.round = -1, np.inf, -1
        self.best_shares = np.zeros(0)

    def is_stale(self, shares: np.ndarray) -> bool:
        """Look at the shares after a round; whether it is time to stop."""
        self.round += 1
        own = np.maximum(shares[np.arange(len(self.y)), self.y], 1e-12)
        loss = float(-(self.mass * np.log(own)).sum())
        if loss < self.least:
            self.best, self.least, self.best_shares = self.round, loss, shares.copy()
        return self.round - self.best >= self.patience


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
