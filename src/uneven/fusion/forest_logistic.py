"""The learner of a view by default: a forest and a logistic regression, which err differently."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

_LARGEST_CELL = 1e30
_LEAST = 1e-3
_SPARSE_C = 10.0


class ForestLogisticClassifier(ClassifierMixin, BaseEstimator):
    """A random forest and a logistic regression, joined by the geometric mean.

    Forests see what holds in corners of the table, logistic regression what holds everywhere, and
    each is sure where the other hesitates. Both give probabilities at the class shares of training.
    No probability is below 0.001, so that the product over several views has no veto.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees of the forest. Sparse tables, such as words of texts, have no forest.
    random_state : int, RandomState or None, default=None
        Seeds the forest.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    forest_ : RandomForestClassifier or None
        None for sparse tables.
    logistic_ : Pipeline
        Medians in place of missing values, columns of the same scale, logistic regression.
    n_features_in_ : int

    References
    ----------
    L. Breiman (2001), *Random forests*.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven.fusion.forest_logistic import ForestLogisticClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(ForestLogisticClassifier(random_state=0).fit(X[::2], y[::2]).score(X, y) > 0.9)
    True
    """

    def __init__(self, n_estimators: int = 100, random_state: Any = None) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit both.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_features)
            NaN is a missing value.
        y : ndarray of shape (n_samples,)
        sample_weight : ndarray of shape (n_samples,), optional
        """
        X, self.n_features_in_ = _bounded(X), X.shape[1]
        self.classes_ = np.unique(y)
        self.forest_ = None
        if not sp.issparse(X):
            forest = RandomForestClassifier(self.n_estimators, random_state=self.random_state)
            self.forest_ = forest.fit(X, y, sample_weight=sample_weight)
        self.logistic_ = _logistic(sp.issparse(X))
        self.logistic_.fit(X, y, logisticregression__sample_weight=sample_weight)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Geometric mean of the probabilities of both, shape (n_samples, n_classes)."""
        X = _bounded(X)
        said = [self.logistic_.predict_proba(X)]
        if self.forest_ is not None:
            said.append(self.forest_.predict_proba(X))
        logs = np.mean([np.log(np.maximum(shares, _LEAST)) for shares in said], axis=0)
        joined = np.exp(logs)
        return np.asarray(joined / joined.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row, shape (n_samples,)."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


def _bounded(X: Any) -> Any:
    """Cells that squares and single precision can hold; NaN counts as zero in a sparse table."""
    if not sp.issparse(X):
        return np.clip(np.asarray(X, dtype=np.float64), -_LARGEST_CELL, _LARGEST_CELL)
    X = X.tocsr(copy=True)
    X.data = np.clip(np.nan_to_num(X.data), -_LARGEST_CELL, _LARGEST_CELL)
    return X


def _logistic(is_sparse: bool) -> Pipeline:
    if is_sparse:
        return make_pipeline(MaxAbsScaler(), LogisticRegression(C=_SPARSE_C, max_iter=500))
    median = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(median, StandardScaler(), LogisticRegression(max_iter=500))
