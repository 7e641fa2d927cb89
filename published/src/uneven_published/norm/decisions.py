"""What some peers need: numbered classes, division by the prior, another try."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight


class NumberedClasses(ClassifierMixin, BaseEstimator):
    """Fits a classifier to the numbers of the classes and answers by its probabilities.

    Some boosting packages take no labels but numbers from 0, and know no class weights.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba``. It is copied, for CatBoost with categories cannot be cloned.
    divide_by_prior : bool, default=False
        Whether the answer is the class with the largest probability divided by its share of the
        rows; the probabilities stay as they are.
    weigh_rows : bool, default=False
        Whether rows weigh so much that every class weighs the same.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((4, 1)), np.array(list("aaab"))
    >>> NumberedClasses(DummyClassifier()).fit(X, y).predict(X[:1])
    array(['a'], dtype='<U1')
    """

    def __init__(
        self, estimator: Any, *, divide_by_prior: bool = False, weigh_rows: bool = False
    ) -> None:
        self.estimator = estimator
        self.divide_by_prior = divide_by_prior
        self.weigh_rows = weigh_rows

    def fit(self, X: Any, y: Any) -> NumberedClasses:
        """Learn from rows of shape (n, d) and labels of shape (n,)."""
        self.classes_, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        self.prior_ = counts / counts.sum()
        words = {}
        if self.weigh_rows:
            words["sample_weight"] = compute_sample_weight("balanced", codes)
        self.estimator_ = deepcopy(self.estimator).fit(X, codes, **words)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classifier; shape (n, K)."""
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    def predict(self, X: Any) -> np.ndarray:
        """Classes; shape (n,)."""
        scores = self.predict_proba(X)
        if self.divide_by_prior:
            scores = scores / self.prior_
        return np.asarray(self.classes_[scores.argmax(axis=1)])


class Retried(ClassifierMixin, BaseEstimator):
    """Fits a classifier with another seed where one does not work.

    RUSBoost gives up if its first tree, grown on a few rows, is worse than chance on all of them.

    Parameters
    ----------
    make : callable
        ``make(seed) -> classifier``.
    seed : int
        First seed; the next ones follow.
    tries : int, default=30
        The last error is raised if none of so many seeds works.
    """

    def __init__(self, make: Callable[[int], Any], seed: int, tries: int = 30) -> None:
        self.make = make
        self.seed = seed
        self.tries = tries

    def fit(self, X: Any, y: Any) -> Retried:
        """Learn from rows of shape (n, d) and labels of shape (n,)."""
        for seed in range(self.seed, self.seed + self.tries):
            try:
                self.estimator_ = self.make(seed).fit(X, y)
                break
            except ValueError:
                if seed == self.seed + self.tries - 1:
                    raise
        self.classes_ = self.estimator_.classes_
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities; shape (n, K)."""
        return np.asarray(self.estimator_.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """Classes; shape (n,)."""
        return np.asarray(self.estimator_.predict(X))
