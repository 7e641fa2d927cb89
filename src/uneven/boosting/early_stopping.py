"""Early stopping on validation rows, and what it may look at."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from uneven.boosting.setting import Setting
from uneven.costs._portable import exp_all, log_all
from uneven.costs.matrices import KnownLabels
from uneven.metrics.scoring import get_scorer
from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import reproducible_sum, sum_by_label
from uneven.views.training_rows import TrainingRows
from uneven.votes import Term, Vote
from uneven.votes.vote import flatten_binary, vote_answers

if TYPE_CHECKING:
    from uneven.boosting.base import GrowingVote

_TEMPERATURES = np.exp(np.linspace(np.log(0.1), np.log(10.0), 93))
_PARALLEL_SCORES = 150_000
_BLOCK = 1 << 12


class EarlyStopping:
    """Scores the vote on validation rows, and notices when learning no longer helps.

    Parameters
    ----------
    rows : TrainingRows
        The validation rows.
    judge : callable
        Gets the scores of the rows so far, shape (n_samples, n_classes); returns a number, the
        greater the better.
    patience : int
        Rounds without a better score.
    pool : ThreadPool, optional
    """

    def __init__(
        self,
        rows: TrainingRows,
        judge: Callable[[np.ndarray], float],
        patience: int,
        pool: ThreadPool | None = None,
    ) -> None:
        self._rows, self._judge, self._patience, self._pool = rows, judge, patience, pool
        self._scores = np.zeros((len(rows.y), len(rows.classes)))
        self._best = -np.inf
        self._seen = 0
        self.best_round = 0
        self.best_scores = self._scores.copy()

    @property
    def should_stop(self) -> bool:
        """Whether the best score is long ago."""
        return self._seen - self.best_round >= self._patience

    def score(self, terms: list[Term]) -> float:
        """The validation score once ``terms`` have voted."""
        vote = Vote(terms, [len(terms)], self._scores.shape[1], self._rows.views)
        self._scores += vote.score(self._rows.X, self._pool, self._rows.view_mask)
        value = self._judge(self._scores)
        if np.isnan(value):
            raise ValueError("scoring returned NaN for the rows held out by early_stopping.")
        self._seen += 1
        if value > self._best:
            self._best, self.best_round = value, self._seen
            self.best_scores[:] = self._scores
        return value


@dataclass(frozen=True)
class Recall:
    """Weighted accuracy: every class weighs what it weighs in the loss; 1 if all are correct.

    Attributes
    ----------
    mass : ndarray of shape (n_samples,)
    signals : ndarray of int, shape (n_samples,)
        What is seen of each row: a column of ``worth``.
    worth : ndarray of shape (n_classes, n_signals)
        Gain of predicting the row's class if the column's signal is observed. Without noise
        only the diagonal counts. With noise the entries of the inverse noise matrix make the sum
        an unbiased estimate of what it would be with the true labels.
    fallback : int
        Class of rows without votes.
    """

    mass: np.ndarray
    signals: np.ndarray
    worth: np.ndarray
    fallback: int

    def __call__(self, scores: np.ndarray) -> float:
        """The weighted accuracy of the predictions."""
        answers = vote_answers(scores, self.fallback)
        pairs = answers * self.worth.shape[1] + self.signals
        mass = sum_by_label(pairs, self.mass, self.worth.size)
        return float((self.worth.ravel() * mass).sum())


@dataclass(frozen=True)
class Likelihood:
    """Minus the mean log-loss: every class weighs what it weighs in the training loss.

    Attributes
    ----------
    y : ndarray of int, shape (n_samples,)
        Class of each row, or what is seen of it.
    weight : ndarray of shape (n_samples,)
    chances : ndarray of shape (n_signals, n_classes), or an empty array
        Probability of what is observed if a class is true.
    units : ndarray of shape (n_classes,)
        What the probabilities of balanced classes are multiplied by to get the true ones.
    pool : ThreadPool
    """

    y: np.ndarray
    weight: np.ndarray
    chances: np.ndarray
    units: np.ndarray
    pool: ThreadPool = field(default_factory=ThreadPool)

    def __call__(self, scores: np.ndarray, temperature: float = 1.0) -> float:
        """Minus the log-loss of the softmax of ``temperature * scores``."""
        if not self._total > 0.0:
            return 0.0
        found = np.empty(len(self.y))

        def judge(start: int, stop: int) -> None:
            for first in range(start, stop, _BLOCK):
                rows = slice(first, min(first + _BLOCK, stop))
                found[rows] = self._log_chances(temperature * scores[rows], self.y[rows])

        self.pool.parallel_for(len(found), judge, worth=scores.size > _PARALLEL_SCORES)
        return reproducible_sum(self.weight * found) / self._total

    def _log_chances(self, scores: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Logarithm of the probability of what is seen of some rows, shape (n_rows,)."""
        shift = log_all(self.units) if self.chances.size else 0.0
        known = scores + shift
        known = known - reduce(np.maximum, known.T)[:, None]
        odds = exp_all(known)
        if self.chances.size:
            said = log_all((odds * self.chances[y]).sum(axis=1))
        else:
            said = known[np.arange(len(y)), y]
        return np.asarray(said - log_all(odds.sum(axis=1)))

    @cached_property
    def _total(self) -> float:
        return reproducible_sum(self.weight)

    def best_temperature(self, scores: np.ndarray) -> float:
        """The temperature, on a grid, with the smallest log-loss."""
        return float(max(_TEMPERATURES, key=lambda t: self(scores, float(t))))


class Scored:
    """A scorer of scikit-learn on validation rows.

    Parameters
    ----------
    scorer : callable
        ``scorer(estimator, X, y, sample_weight=...)``.
    rows : TrainingRows
    fallback : int
        Class of rows without votes.
    probabilities : callable
        Turns scores into probabilities, both of shape (n_samples, n_classes).
    """

    def __init__(
        self,
        scorer: Callable[..., float],
        rows: TrainingRows,
        fallback: int,
        probabilities: Callable[[np.ndarray], np.ndarray],
    ) -> None:
        self._scorer, self._rows = scorer, rows
        self._fallback, self._probabilities = fallback, probabilities
        taken = inspect.signature(scorer).parameters.values()
        self._takes_weights = any(
            one.name == "sample_weight" or one.kind is one.VAR_KEYWORD for one in taken
        )

    def __call__(self, scores: np.ndarray) -> float:
        """The score."""
        rows = self._rows
        classes = rows.classes
        answers = classes[vote_answers(scores, self._fallback)]
        known = _Answered(classes, scores, answers, self._probabilities(scores))
        weighed = self._takes_weights and not np.all(rows.mass == rows.mass[0])
        words = {"sample_weight": rows.mass} if weighed else {}
        return float(self._scorer(known, rows.X, classes[rows.y], **words))


class _Answered(ClassifierMixin, BaseEstimator):
    """A classifier with stored predictions for the validation rows."""

    def __init__(
        self, classes: np.ndarray, scores: np.ndarray, answers: np.ndarray, shares: np.ndarray
    ) -> None:
        self.classes_ = classes
        self._scores, self._answers, self._shares = scores, answers, shares

    def predict(self, X: Any) -> np.ndarray:
        """The predictions."""
        return self._answers

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities."""
        return self._shares

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores."""
        return flatten_binary(self._scores)


class EarlyStoppingMixin:
    """What boosting methods look at on validation rows."""

    scoring: Any
    leaves: str
    loss: str
    n_iter_no_change: int
    class_prior_: np.ndarray
    n_estimators_: int
    _class_units: Callable[[np.ndarray], np.ndarray]
    _probabilities: Callable[..., np.ndarray]

    def _watch(self, rows: TrainingRows, setting: Setting, vote: GrowingVote) -> EarlyStopping:
        """Early stopping after the rounds so far."""
        pool = setting.table.pool
        judge = self._judge_of(rows, setting.labels, pool)
        watch = EarlyStopping(rows, judge, self.n_iter_no_change, pool)
        for start, end in pairwise([0, *vote.ends]):
            watch.score(vote.terms[start:end])
        return watch

    def _judge_of(
        self, rows: TrainingRows, labels: KnownLabels, pool: ThreadPool
    ) -> Callable[[np.ndarray], float]:
        """What early stopping looks at; a class counts by its weight in the loss."""
        fallback = int(self.class_prior_.argmax())
        if self.scoring is not None and self.scoring != "log_loss":
            name = "confusion_norm" if self.scoring == "norm" else self.scoring
            return Scored(get_scorer(name), rows, fallback, self._probabilities)
        if self.leaves == "scores" or self.scoring == "log_loss":
            return self._likelihood(rows, labels, pool)
        mass, signals, gains = labels.gains(rows.y, rows.mass, rows.clean)
        units = self._class_units(mass)
        worth = gains / units[:, None] / (mass / units).sum()
        return Recall(rows.mass, signals, worth, fallback)

    def _likelihood(
        self, rows: TrainingRows, labels: KnownLabels, pool: ThreadPool | None = None
    ) -> Likelihood:
        mass, signals, _ = labels.gains(rows.y, rows.mass, rows.clean)
        units = self._class_units(mass)
        chances = labels.chances
        weight = rows.mass if chances.size else rows.mass / units[rows.y]
        return Likelihood(signals, weight, chances, units, pool or ThreadPool())

    @property
    def _usual_temperature(self) -> float:
        return 1.0 if self.loss == "log" else 2.0

    def _fit_temperature(
        self, rows: TrainingRows | None, labels: KnownLabels, watch: EarlyStopping | None
    ) -> float:
        """Factor on the scores before the softmax.

        The log-loss needs none. The exponential loss is least where scores are half the logarithms
        of the probabilities; held-out rows are more reliable.
        """
        if self.loss == "log" or rows is None or watch is None or not self.n_estimators_:
            return self._usual_temperature
        return self._likelihood(rows, labels).best_temperature(watch.best_scores)
