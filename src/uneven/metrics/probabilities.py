"""Quality of predicted probabilities: proper scoring rules."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from uneven.metrics._checks import as_labels, as_scores, encode, scored_classes
from uneven.metrics.scoring import measure

SURE = 1e-3
"""Rows whose shares miss the sum 1 by more hold no probabilities; single precision misses less."""

LEAST = float(np.finfo(np.float64).eps)
"""A true class that is held to be impossible costs as much as one of this probability."""


def are_shares(scores: NDArray[np.float64]) -> bool:
    """Whether every row of scores, shape (n, K), holds shares: not below 0, and 1 in sum.

    Examples
    --------
    >>> are_shares(np.array([[0.25, 0.75]])), are_shares(np.array([[-1.0, 2.0]]))
    (True, False)
    """
    sums = scores.sum(axis=1)
    return bool(len(scores) and scores.min() >= 0.0 and (np.abs(sums - 1.0) <= SURE).all())


class ProbabilityScorer:
    """Score a fitted classifier by its probabilities, whatever classes its training fold held.

    A class that training never saw has the probability 0.

    Parameters
    ----------
    function : callable
        ``function(y_true, probabilities, labels=)``, less is better.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = [[0.0], [1.0]], [0, 1]
    >>> ProbabilityScorer(brier_score)(DummyClassifier().fit(X, y), X, y)
    -0.5
    """

    def __init__(self, function: Callable[..., float]) -> None:
        self.function = function

    def __call__(self, estimator: Any, X: Any, y_true: ArrayLike) -> float:
        """Return the negated measure of ``estimator`` on ``X`` against ``y_true``."""
        y, known = as_labels(y_true, "y_true"), np.asarray(estimator.classes_)
        if not hasattr(estimator, "predict_proba"):
            raise ValueError(
                f"{type(estimator).__name__} has no predict_proba: {self.function.__name__} is a "
                "measure of probabilities. Wrap it in CalibratedClassifierCV."
            )
        shares = np.asarray(estimator.predict_proba(X), dtype=np.float64)
        unseen = np.setdiff1d(np.unique(y), known)
        shares = np.hstack([shares, np.zeros((len(y), len(unseen)))])
        return -self.function(y, shares, labels=np.concatenate([known, unseen]))

    def __repr__(self) -> str:
        return f"ProbabilityScorer({self.function.__name__})"


def log_loss(y_true: ArrayLike, probabilities: ArrayLike, *, labels: Any = None) -> float:
    """Return the mean of the negative logarithm of the probability of the true class.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    probabilities : array-like of shape (n, K)
        Shares of the classes, 1 in sum.
    labels : array-like of shape (K,), optional
        Class of each column; by default the sorted labels of ``y_true``.

    Returns
    -------
    float
        0 is perfect. A true class of probability 0 counts as one of 2e-16, which costs 36. NaN if
        the scores are not probabilities.

    Examples
    --------
    >>> round(log_loss(["a", "b"], [[0.5, 0.5], [0.0, 1.0]]), 4)
    0.3466
    """
    shares, codes = _shares(y_true, probabilities, labels)
    if shares is None:
        return float("nan")
    own = shares[np.arange(len(codes)), codes]
    return float(-np.log(np.clip(own, LEAST, 1.0)).mean())


def brier_score(y_true: ArrayLike, probabilities: ArrayLike, *, labels: Any = None) -> float:
    """Return the mean squared distance between probabilities and what came true.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    probabilities : array-like of shape (n, K)
        Shares of the classes, 1 in sum.
    labels : array-like of shape (K,), optional
        Class of each column; by default the sorted labels of ``y_true``.

    Returns
    -------
    float
        0 is perfect, 2 is certain and wrong everywhere. NaN if the scores are not probabilities.

    Notes
    -----
    The sum over all classes, as Brier defined it; with two classes twice what scikit-learn's
    ``brier_score_loss`` gives for the second one.

    References
    ----------
    Brier (1950), Verification of forecasts expressed in terms of probability.

    Examples
    --------
    >>> brier_score(["a", "b"], [[0.5, 0.5], [0.0, 1.0]])
    0.25
    """
    shares, codes = _shares(y_true, probabilities, labels)
    if shares is None:
        return float("nan")
    right = np.arange(shares.shape[1]) == codes[:, None]
    return float(((shares - right) ** 2).sum(axis=1).mean())


measure(
    "log_loss",
    "log-loss",
    "Mean negative log-probability of the true class; 0 is perfect, confident errors cost most. "
    "For methods with probabilities.",
    order=60,
    greater_is_better=False,
    scorer=ProbabilityScorer(log_loss),
    highest=lambda n_classes: -math.log(LEAST),
)(log_loss)

measure(
    "brier",
    "Brier score",
    "Mean squared error of the probabilities of all classes, from 0 (perfect) to 2.",
    order=62,
    greater_is_better=False,
    scorer=ProbabilityScorer(brier_score),
    highest=lambda n_classes: 2.0,
)(brier_score)


def _shares(
    y_true: ArrayLike, probabilities: ArrayLike, labels: Any
) -> tuple[NDArray[np.float64] | None, NDArray[np.intp]]:
    """Probabilities, None if there are none, and codes of the labels."""
    y = as_labels(y_true, "y_true")
    shares = as_scores(probabilities, len(y))
    codes = encode(y, scored_classes(y, shares.shape[1], labels))
    return (shares if are_shares(shares) else None), codes
