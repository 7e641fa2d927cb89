"""Wrong labels near the boundary of the classifier that gave them: probabilities row by row.

A noise matrix says how often a class is mislabelled, and the same for all its rows. The errors of a
classifier are not like that: they lie near its boundary, and the true class is usually its second
guess. Its scores say so, once they are calibrated on rows that it has not seen: divided by a
temperature, they are logarithms of probabilities of the true class.

References
----------
C. Guo, G. Pleiss, Y. Sun and K. Weinberger (2017), *On calibration of modern neural networks*.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

_LEAST = 1e-6
"""Smaller probabilities of a classifier are taken for this."""

_RANGE = 6.0
"""Logarithm of the largest ratio between a temperature and the spread of the scores."""


def class_scores(classifier: Any, X: Any) -> np.ndarray:
    """Scores of the classes by a fitted classifier, logarithms of probabilities if it has them.

    Parameters
    ----------
    classifier : classifier with predict_proba or decision_function
    X : array-like or sparse matrix of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    way = _way(classifier)
    return _as_scores(getattr(classifier, way)(X), way)


def unseen_scores(classifier: Any, X: Any, y: np.ndarray, cv: Any) -> np.ndarray:
    """Scores of rows by classifiers that were not fitted to them, in cross-validation.

    Parameters
    ----------
    classifier : classifier with predict_proba or decision_function
        Cloned, not changed.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    cv : int or splitter
        A number makes stratified folds, no more than the smallest class has rows.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    least = int(np.unique(y, return_counts=True)[1].min())
    folds = min(int(cv), least) if isinstance(cv, int | np.integer) else cv
    way = _way(classifier)
    return _as_scores(cross_val_predict(clone(classifier), X, y, cv=folds, method=way), way)


def fit_temperature(scores: np.ndarray, y: np.ndarray) -> float:
    """The temperature that makes scores of unseen rows the best probabilities, by log-loss.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
    y : ndarray of int, shape (n_samples,)
        Codes of the true classes. One row in all counts as evenly spread over the classes, so that
        rows without a mistake do not make the probabilities certain.

    Returns
    -------
    float

    Examples
    --------
    Of the rows with two to one for the first class, three quarters are of the first class.

    >>> scores = np.log([[2 / 3, 1 / 3]] * 400)
    >>> y = np.repeat([0, 1], [300, 100])
    >>> calibrated_shares(scores[:1], fit_temperature(scores, y)).round(2).tolist()
    [[0.75, 0.25]]
    """
    n, k = scores.shape
    spread = float(np.abs(scores - scores.mean(axis=1, keepdims=True)).mean()) or 1.0
    goal = np.full((n, k), 1.0 / (k * (n + 1.0)))
    goal[np.arange(n), y] += n / (n + 1.0)

    def loss(heat: float) -> float:
        return -float((goal * log_softmax(scores / (spread * np.exp(heat)), axis=1)).sum()) / n

    return float(spread * np.exp(minimize_scalar(loss, bounds=(-_RANGE, _RANGE)).x))


def calibrated_shares(scores: np.ndarray, temperature: float) -> np.ndarray:
    """Probabilities of the true class from scores.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
    temperature : float
        Of `fit_temperature`.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> calibrated_shares(np.log([[0.8, 0.2]]), 2.0).round(3).tolist()
    [[0.667, 0.333]]
    """
    return np.asarray(softmax(scores / temperature, axis=1))


def _way(classifier: Any) -> str:
    for way in ("predict_proba", "decision_function"):
        if hasattr(classifier, way):
            return way
    raise ValueError(
        f"noise='boundary' needs to know how sure the rough classifier is, but "
        f"{type(classifier).__name__} has neither predict_proba nor decision_function. Choose "
        "another one, or noise='class'."
    )


def _as_scores(said: Any, way: str) -> np.ndarray:
    said = np.asarray(said, dtype=np.float64)
    if way == "predict_proba":
        return np.log(np.maximum(said, _LEAST))
    return np.column_stack([-0.5 * said, 0.5 * said]) if said.ndim == 1 else said
