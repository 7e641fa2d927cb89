"""Boosting methods for imbalanced classes that the source compares CoMBo with, or names.

They are compact and serve as baselines of table 3.2 only. Trees are grown until leaves have two
rows where the literature takes C4.5.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from uneven.utils.optional import require

_TINY = 1e-12
_GROWN = {"min_samples_leaf": 2}


class _Boosted(ClassifierMixin, BaseEstimator):
    """A vote of trees; subclasses add terms in ``_boost``."""

    def __init__(
        self, n_estimators: int = 51, *, max_depth: int | None = None, random_state: int = 0
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Boost.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)

        Returns
        -------
        self : object
        """
        X = np.asarray(X, dtype=np.float64)
        self.n_features_in_ = X.shape[1]
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.trees_: list[DecisionTreeClassifier] = []
        self.weights_: list[float] = []
        self._boost(X, codes, np.random.RandomState(self.random_state))
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Weight of the trees' votes for every class.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n, K)
        """
        X = np.asarray(X, dtype=np.float64)
        pairs = zip(self.weights_, self.trees_)
        return np.asarray(sum(weight * self._vote(tree, X) for weight, tree in pairs))

    def predict(self, X: Any) -> np.ndarray:
        """Class with the most weight.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n,)
        """
        return np.asarray(self.classes_[self.decision_function(X).argmax(axis=1)])

    def _vote(self, tree: DecisionTreeClassifier, X: np.ndarray) -> np.ndarray:
        """One for the class that a tree predicts."""
        return np.eye(len(self.classes_))[tree.predict(X)]

    def _grow(
        self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray, rng: np.random.RandomState
    ) -> DecisionTreeClassifier:
        tree = DecisionTreeClassifier(
            max_depth=self.max_depth, random_state=rng.randint(2**31 - 1), **_GROWN
        )
        return tree.fit(X, codes, sample_weight=weights)

    def _boost(self, X: np.ndarray, codes: np.ndarray, rng: np.random.RandomState) -> None:
        raise NotImplementedError


class AdaBoostNC(_Boosted):
    """AdaBoost.NC: rows on which the trees agree lose weight; classes are oversampled before.

    References
    ----------
    S. Wang and X. Yao (2012), *Multiclass imbalance problems: analysis and potential solutions*,
    IEEE Transactions on Systems, Man, and Cybernetics, Part B. The strength of the penalty is 2.

    Examples
    --------
    >>> X, y = np.arange(12.0)[:, None], np.repeat([0, 1, 2], [6, 4, 2])
    >>> AdaBoostNC(5).fit(X, y).predict([[1.0], [8.0], [11.0]]).tolist()
    [0, 1, 2]
    """

    _STRENGTH = 2

    def _boost(self, X: np.ndarray, codes: np.ndarray, rng: np.random.RandomState) -> None:
        rows = _oversampled(codes, rng)
        X, codes = X[rows], codes[rows]
        weights = np.full(len(codes), 1.0 / len(codes))
        penalty = np.ones(len(codes))
        votes = np.zeros((len(codes), len(self.classes_)))
        right_so_far = np.zeros(len(codes))
        for t in range(1, self.n_estimators + 1):
            tree = self._grow(X, codes, weights, rng)
            right = tree.predict(X) == codes
            told = weights * penalty
            alpha = 0.5 * np.log((told[right].sum() + _TINY) / (told[~right].sum() + _TINY))
            if alpha <= 0.0 and self.trees_:
                return
            self.trees_.append(tree)
            self.weights_.append(alpha)
            votes += alpha * self._vote(tree, X)
            right_so_far += right
            ambiguity = (votes.argmax(axis=1) == codes) - right_so_far / t
            penalty = (1.0 - np.abs(ambiguity)) ** self._STRENGTH
            weights = weights * penalty * np.exp(-alpha * right)
            weights /= weights.sum()


class SmoteBoost(_Boosted):
    """SmoteBoost: AdaBoost.M2 whose trees see new synthetic rows of the small classes each round.

    References
    ----------
    N. Chawla, A. Lazarevic, L. Hall and K. Bowyer (2003), *SMOTEBoost: improving prediction of the
    minority class in boosting*, PKDD. Every class is filled up to the size of the largest.
    """

    def _boost(self, X: np.ndarray, codes: np.ndarray, rng: np.random.RandomState) -> None:
        n, n_classes = len(codes), len(self.classes_)
        others = np.arange(n_classes) != codes[:, None]
        mislabel = others / others.sum()
        for _ in range(self.n_estimators):
            wide, labels = _smoted(X, codes, rng)
            weights = np.full(len(labels), 1.0 / n)
            weights[:n] = mislabel.sum(axis=1)
            tree = self._grow(wide, labels, weights, rng)
            told = self._vote(tree, X)
            own = told[np.arange(n), codes][:, None]
            loss = 0.5 * float((mislabel * (1.0 - own + told)).sum())
            if loss >= 0.5 and self.trees_:
                return
            beta = max(loss, _TINY) / (1.0 - min(loss, 1.0 - _TINY))
            self.trees_.append(tree)
            self.weights_.append(float(-np.log(beta)))
            mislabel = mislabel * beta ** (0.5 * (1.0 + own - told))
            mislabel /= mislabel.sum()

    def _vote(self, tree: DecisionTreeClassifier, X: np.ndarray) -> np.ndarray:
        """Probabilities."""
        return np.asarray(tree.predict_proba(X))


class AdaC2(_Boosted):
    """AdaC2: AdaBoost.M1 with a cost of each row, here one over the size of its class.

    References
    ----------
    Y. Sun, M. Kamel, A. Wong and Y. Wang (2007), *Cost-sensitive boosting for classification of
    imbalanced data*, Pattern Recognition.
    """

    def _boost(self, X: np.ndarray, codes: np.ndarray, rng: np.random.RandomState) -> None:
        sizes = np.bincount(codes)
        cost = (sizes.min() / sizes)[codes]
        weights = cost / cost.sum()
        for _ in range(self.n_estimators):
            tree = self._grow(X, codes, weights, rng)
            right = tree.predict(X) == codes
            told = weights * cost
            alpha = 0.5 * np.log((told[right].sum() + _TINY) / (told[~right].sum() + _TINY))
            if alpha <= 0.0 and self.trees_:
                return
            self.trees_.append(tree)
            self.weights_.append(alpha)
            weights = told * np.exp(np.where(right, -alpha, alpha))
            weights /= weights.sum()


def numbers(X: Any) -> NDArray[np.float64]:
    """Columns as numbers; categories are numbered in their order.

    Examples
    --------
    >>> import pandas
    >>> numbers(pandas.DataFrame({"a": pandas.Categorical(["x", "y"]), "b": [1.5, 2.0]})).tolist()
    [[0.0, 1.5], [1.0, 2.0]]
    """
    if not hasattr(X, "columns"):
        return np.asarray(X, dtype=np.float64)
    columns = [X[name].cat.codes if hasattr(X[name], "cat") else X[name] for name in X.columns]
    return np.column_stack(columns).astype(np.float64)


def with_numbers(classifier: Any) -> Pipeline:
    """A classifier that is given numbers."""
    return make_pipeline(FunctionTransformer(numbers), classifier)


def samme(n_estimators: int = 200, max_depth: int = 3) -> Any:
    """SAMME with cut trees, from scikit-learn."""
    tree = DecisionTreeClassifier(max_depth=max_depth)
    return AdaBoostClassifier(tree, n_estimators=n_estimators, random_state=0)


def _oversampled(codes: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Rows, those of smaller classes repeated at random until all classes are as large."""
    sizes = np.bincount(codes)
    more = [
        rng.choice(np.flatnonzero(codes == c), sizes.max() - size) for c, size in enumerate(sizes)
    ]
    return np.concatenate([np.arange(len(codes)), *more])


def _smoted(
    X: np.ndarray, codes: np.ndarray, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Rows and synthetic rows after them; a class of a single row is repeated."""
    SMOTE = require("imblearn.over_sampling", "SmoteBoost").SMOTE
    sizes = np.bincount(codes)
    alone = np.flatnonzero(sizes == 1)
    doubled = [np.flatnonzero(codes == c) for c in alone]
    rows = np.concatenate([np.arange(len(codes)), *doubled]).astype(np.intp)
    neighbours = int(min(5, np.bincount(codes[rows]).min() - 1))
    smote = SMOTE(k_neighbors=neighbours, random_state=rng.randint(2**31 - 1))
    wide, labels = smote.fit_resample(X[rows], codes[rows])
    return np.asarray(wide), np.asarray(labels)
