"""The learner of a view by default: a forest and a logistic regression, which err differently."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from uneven.utils.model_types import check_classes, check_numbers, check_part, persisted

LARGEST_CELL = 1e30
LEAST_SHARE = 1e-3
_SPARSE_C = 10.0


@persisted("forest_logistic", role="classifier")
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
    logistic_ : LogisticRegression
        Of columns of the same scale.
    fill_, shift_, scale_ : ndarray of shape (n_features_in_,)
        Median of each column, which stands for missing values, and what is taken from a column
        before it is divided; a column of a sparse table is only divided, by its largest value.
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
        self._learn_scales(X)
        strength = _SPARSE_C if sp.issparse(X) else 1.0
        self.logistic_ = LogisticRegression(C=strength, max_iter=500)
        self.logistic_.fit(self._scaled(X), y, sample_weight=sample_weight)
        return self

    def _learn_scales(self, X: Any) -> None:
        self.fill_, self.shift_ = np.zeros((2, X.shape[1]))
        if sp.issparse(X):
            scale = abs(X).max(axis=0).toarray().ravel()
        else:
            some = ~np.isnan(X).all(axis=0)
            self.fill_[some] = np.nanmedian(X[:, some], axis=0)
            filled = np.where(np.isnan(X), self.fill_, X)
            self.shift_, scale = filled.mean(axis=0), filled.std(axis=0)
        self.scale_ = np.where(scale > 0.0, scale, 1.0)

    def _scaled(self, X: Any) -> Any:
        """Columns of the same scale, without missing values."""
        if sp.issparse(X):
            return X @ sp.diags(1.0 / self.scale_)
        return (np.where(np.isnan(X), self.fill_, X) - self.shift_) / self.scale_

    def predict_proba(self, X: Any) -> np.ndarray:
        """Geometric mean of the probabilities of both, shape (n_samples, n_classes)."""
        X = _bounded(X)
        said = [self.logistic_.predict_proba(self._scaled(X))]
        if self.forest_ is not None:
            said.append(self.forest_.predict_proba(X))
        logs = np.mean([np.log(np.maximum(shares, LEAST_SHARE)) for shares in said], axis=0)
        joined = np.exp(logs)
        return np.asarray(joined / joined.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row, shape (n_samples,)."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def _check_model_(self) -> None:
        """Refuse a loaded pair whose parts do not fit together."""
        check_classes(self.classes_)
        refusal = "a {} stands in it where it should not"
        for name, signed in (("fill_", True), ("shift_", True), ("scale_", False)):
            shape = (self.n_features_in_,)
            check_numbers(getattr(self, name), shape, "scales of a view", signed=signed)
        if not (self.scale_ > 0.0).all():
            raise ValueError("a column of a view is divided by 0")
        for part in (self.logistic_, self.forest_):
            if part is None:
                continue
            check_part("classifier", part, refusal=refusal)
            if not np.array_equal(part.classes_, self.classes_):
                raise ValueError("a forest or a logistic regression knows other classes")
            if part.n_features_in_ != self.n_features_in_:
                raise ValueError("a forest or a logistic regression reads other columns")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


def _bounded(X: Any) -> Any:
    """Cells that squares and single precision can hold; NaN counts as zero in a sparse table."""
    if not sp.issparse(X):
        return np.clip(np.asarray(X, dtype=np.float64), -LARGEST_CELL, LARGEST_CELL)
    X = X.tocsr(copy=True)
    X.data = np.clip(np.nan_to_num(X.data), -LARGEST_CELL, LARGEST_CELL)
    return X
