"""AdaBoost.MH with real-valued stumps: what the source calls AdaBoost on the calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

_LEVELS = 31
"""Thresholds of a numeric column, at most; they are quantiles of the training rows."""


class AdaBoostMH(ClassifierMixin, BaseEstimator):
    """One binary problem per class, all answered by the same stump; it has a score per class.

    A stump asks whether a column is above a threshold (whether a token is present, where a column
    holds 0 and 1) and answers every class by half the logarithm of the odds of its weights, on
    either side. The stump with the least normaliser of a round is taken.

    Parameters
    ----------
    n_estimators : int, default=100
        Rounds.
    views : dict of str to slice, or None
        Columns that it may look at; all of them if None.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    columns_ : ndarray of shape (n_estimators,)
        Column that the stump of a round looks at.

    References
    ----------
    R. Schapire and Y. Singer (2000), *BoosTexter: a boosting-based system for text
    categorization*, Machine Learning.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> model = AdaBoostMH(3).fit(X, y)
    >>> model.predict([[0.5], [2.5]]).tolist(), model.columns_.tolist()
    (['a', 'b'], [0, 0, 0])
    """

    def __init__(self, n_estimators: int = 100, *, views: Any = None) -> None:
        self.n_estimators = n_estimators
        self.views = views

    def fit(self, X: Any, y: Any) -> Self:
        """Boost.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
        y : array-like of shape (n,)

        Returns
        -------
        self : object
        """
        X = sp.csc_array(X, dtype=np.float64)
        self.n_features_in_ = X.shape[1]
        self.classes_, codes = np.unique(y, return_inverse=True)
        own = np.eye(len(self.classes_), dtype=bool)[codes]
        allowed: Iterable[int] = range(X.shape[1])
        if self.views is not None:
            every = range(X.shape[1])
            allowed = [column for view in self.views.values() for column in every[view]]
        columns, thresholds = _questions(X, allowed)
        answers = _asked(X, columns, thresholds)
        weights = np.full(own.shape, 1.0 / own.size)
        smooth = 1.0 / own.size
        taken, above, below = [], [], []
        for _ in range(self.n_estimators):
            best, high, low = _best_stump(answers, weights, own, smooth)
            score = np.where(answers[:, [best]].toarray() > 0, high, low)
            weights = weights * np.exp(np.where(own, -score, score))
            weights /= weights.sum()
            taken.append(best)
            above.append(high)
            below.append(low)
        self.columns_, self.thresholds_ = columns[taken], thresholds[taken]
        self.above_, self.below_ = np.array(above), np.array(below)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Sum of the stumps' scores.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)

        Returns
        -------
        ndarray of shape (n, K)
        """
        yes = _asked(sp.csc_array(X, dtype=np.float64), self.columns_, self.thresholds_)
        return np.asarray(yes @ (self.above_ - self.below_) + self.below_.sum(axis=0))

    def predict(self, X: Any) -> np.ndarray:
        """Class of the highest score.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)

        Returns
        -------
        ndarray of shape (n,)
        """
        return np.asarray(self.classes_[self.decision_function(X).argmax(axis=1)])


def _best_stump(
    answers: sp.csr_array, weights: np.ndarray, own: np.ndarray, smooth: float
) -> tuple[int, np.ndarray, np.ndarray]:
    """Position of the stump with the least normaliser, and its scores on either side."""
    right, wrong = np.where(own, weights, 0.0), np.where(own, 0.0, weights)
    high_right, high_wrong = answers.T @ right, answers.T @ wrong
    low_right, low_wrong = right.sum(axis=0) - high_right, wrong.sum(axis=0) - high_wrong
    sides = [
        (np.maximum(one, 0.0), np.maximum(two, 0.0))
        for one, two in ((high_right, high_wrong), (low_right, low_wrong))
    ]
    normaliser = sum(np.sqrt(one * two).sum(axis=1) for one, two in sides)
    best = int(np.argmin(normaliser))
    high, low = (0.5 * np.log((one[best] + smooth) / (two[best] + smooth)) for one, two in sides)
    return best, high, low


def _questions(X: sp.csc_array, allowed: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
    """Column and threshold of every stump; a column of 0 and 1 has a single one."""
    columns, thresholds = [], []
    for column in allowed:
        stored = X.data[X.indptr[column] : X.indptr[column + 1]]
        if np.all((stored == 0.0) | (stored == 1.0)):
            limits = np.array([0.5])
        else:
            values = np.nan_to_num(X[:, [column]].toarray().ravel())
            limits = np.unique(np.quantile(values, np.arange(1, _LEVELS + 1) / (_LEVELS + 1)))
        columns += [column] * len(limits)
        thresholds += limits.tolist()
    return np.array(columns), np.array(thresholds)


def _asked(X: sp.csc_array, columns: np.ndarray, thresholds: np.ndarray) -> sp.csr_array:
    """Answers of every row, 1 above the threshold, shape (n, n_questions)."""
    wide = X[:, columns].tocsc()
    wide.data = np.nan_to_num(wide.data)
    limits = np.repeat(thresholds, np.diff(wide.indptr))
    if (thresholds < 0.0).any():
        return sp.csr_array((wide.toarray() > thresholds).astype(np.float64))
    wide.data = (wide.data > limits).astype(np.float64)
    wide.eliminate_zeros()
    return wide.tocsr()
