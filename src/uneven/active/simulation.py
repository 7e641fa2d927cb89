"""Simulated active learning: the learning curve over the labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.metrics import get_scorer

from uneven.active.learner import ActiveLearner
from uneven.active.oracles import BudgetSpentError, Oracle
from uneven.utils.parameters import check_integer

Callback = Callable[[ActiveLearner], None]


@dataclass(frozen=True)
class LearningCurve:
    """Learning curve of a simulated run.

    Attributes
    ----------
    labels : ndarray of int, shape (n_points,)
        Labels so far; initial labels do not count.
    scores : ndarray of shape (n_points,)
        NaN before two classes were seen.
    rows : ndarray of int, shape (labels[-1],)
        Rows in the order in which they were queried.
    log_volumes : ndarray of shape (n_points,)
        Logarithm of the share of all classifiers that agree with the labels, the largest of the
        one-against-rest problems; NaN without ``volumes=True`` or a classifier.
    reason : str
        Why it ended.

    Examples
    --------
    `simulate` makes them; `uneven.plots.LearningCurveDisplay.from_simulations` draws them.

    >>> from sklearn.datasets import load_iris
    >>> from uneven.active import ActiveLearner, PerfectOracle
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = simulate(
    ...     ActiveLearner(random_state=0), X, PerfectOracle(y), budget=9, batch_size=3,
    ...     start=[0, 50, 100], X_test=X, y_test=y, volumes=True)
    >>> curve.labels.tolist(), len(curve.rows), curve.reason
    ([0, 3, 6, 9], 9, 'the budget of 9 is spent')
    >>> bool(curve.log_volumes[-1] < curve.log_volumes[0]), 0.5 < curve.area_under() < 1.0
    (True, True)
    """

    labels: np.ndarray
    scores: np.ndarray
    rows: np.ndarray
    log_volumes: np.ndarray
    reason: str

    def area_under(self) -> float:
        """Mean score over the labels: the area under the curve, divided by its length.

        Returns
        -------
        float
            By the trapezoidal rule, from the first point with a score.

        Examples
        --------
        >>> nothing = np.full(3, np.nan)
        >>> scores = np.array([0.5, 0.7, 0.8])
        >>> round(LearningCurve(np.arange(3), scores, np.arange(2), nothing, "").area_under(), 9)
        0.675
        """
        known = ~np.isnan(self.scores)
        x, y = self.labels[known], self.scores[known]
        if len(x) < 2:
            return float(y[0]) if len(y) else float("nan")
        return float((np.diff(x) * (y[1:] + y[:-1])).sum() / (2.0 * (x[-1] - x[0])))


def simulate(
    learner: ActiveLearner,
    pool: Any,
    oracle: Oracle,
    *,
    budget: int,
    X_test: Any,
    y_test: ArrayLike,
    batch_size: int = 1,
    start: ArrayLike | None = None,
    scoring: str | Callable[..., float] = "accuracy",
    volumes: bool = False,
    callback: Callback | None = None,
) -> LearningCurve:
    """Simulate active learning with an oracle, and score the learner after every batch.

    Parameters
    ----------
    learner : ActiveLearner
        It is cloned; its stopping rules are applied.
    pool : array-like or sparse matrix of shape (n_rows, n_features)
    oracle : callable
        See `uneven.active.oracles`.
    budget : int
        Number of labels, initial ones excluded.
    X_test, y_test
        Rows to score on, and their true classes.
    batch_size : int, default=1
        Rows per query.
    start : array-like of int, optional
        Rows that are labelled at the start; they do not count.
    scoring : str or callable, default="accuracy"
        A scorer of scikit-learn, by name or as ``scorer(estimator, X, y)``.
    volumes : bool, default=False
        Whether to compute the volume of the version space, too.
    callback : callable, optional
        Called with the learner after every batch, the first one included.

    Returns
    -------
    LearningCurve

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven.active import ActiveLearner, PerfectOracle
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = simulate(
    ...     ActiveLearner(random_state=0), X, PerfectOracle(y), budget=12, batch_size=4,
    ...     start=[0, 50, 100], X_test=X, y_test=y)
    >>> curve.labels.tolist(), bool(curve.scores[-1] > curve.scores[0])
    ([0, 4, 8, 12], True)
    """
    check_integer("budget", budget, 0)
    check_integer("batch_size", batch_size, 1)
    learner = clone(learner).start(pool)
    if start is not None and len(first := np.asarray(start)):
        learner.tell(first, oracle(first))
    score = get_scorer(scoring)
    asked: list[np.ndarray] = []
    points: list[tuple[int, float, float]] = []
    while True:
        n_labels = sum(map(len, asked))
        points.append((n_labels, *_measure(learner, score, X_test, y_test, volumes)))
        if callback is not None:
            callback(learner)
        reason = f"the budget of {budget} is spent" if n_labels >= budget else learner.stop_reason()
        if reason is None:
            rows = learner.ask(min(batch_size, budget - n_labels))
            try:
                learner.tell(rows, oracle(rows))
            except BudgetSpentError as error:
                reason = str(error)
        if reason is not None:
            break
        asked.append(rows)
    labels, scores, shares = (np.array(column) for column in zip(*points))
    rows = np.concatenate([np.empty(0, dtype=np.intp), *asked])
    return LearningCurve(labels, scores, rows, shares, reason)


def _measure(
    learner: ActiveLearner, score: Any, X_test: Any, y_test: Any, volumes: bool
) -> tuple[float, float]:
    if learner.model_ is None:
        return np.nan, np.nan
    share = float(np.max(learner.state().centre().log_volume_)) if volumes else np.nan
    return float(score(learner, X_test, y_test)), share
