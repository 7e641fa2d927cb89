"""Simple classifiers for ensembles that scikit-learn lacks: they know how sure they are.

All of them take dense tables of numbers and give probabilities of about `FLOOR` at least, so that a
product of many of them never forgets a class. They live with constant columns and with classes of a
single row.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from uneven.utils.model_types import check_numbers, check_whole, check_width, persisted
from uneven.utils.parameters import check_choice, check_integer
from uneven.utils.validation import whole_or_nothing

FLOOR = 1e-6
"""Smallest probability that is given to a class."""

_LARGEST_BLOCK = 2_000_000
"""Distances that are held at the same time."""


def floored(shares: np.ndarray, floor: float = FLOOR) -> np.ndarray:
    """Let shares sum to 1, raise them to a floor, and let them sum to 1 again.

    Parameters
    ----------
    shares : ndarray of shape (n_samples, n_classes)
        Not negative; rows of zeros count as even.
    floor : float, default=1e-6

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> floored(np.array([[1.0, 0.0]]), 0.25)
    array([[0.8, 0.2]])
    """
    some = np.maximum(shares, np.finfo(np.float64).tiny)
    raised = np.maximum(some / some.sum(axis=1, keepdims=True), floor)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


class _Posterior(ClassifierMixin, BaseEstimator):
    """Base of classifiers that learn from dense rows and say how likely every class is."""

    @abstractmethod
    def _learn(self, X: np.ndarray, y: np.ndarray) -> None:
        """Learn from rows and positions of classes."""

    @abstractmethod
    def _posterior(self, X: np.ndarray) -> np.ndarray:
        """Probabilities, shape (n_samples, n_classes)."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self : object
        """
        with whole_or_nothing(self):
            X, y = validate_data(self, X, y, dtype=np.float64)
            check_classification_targets(y)
            self.classes_, positions = np.unique(y, return_inverse=True)
            self._learn(X, positions)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """How likely every class is.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1; no class is below about one millionth.
        """
        check_is_fitted(self)
        return floored(self._posterior(validate_data(self, X, dtype=np.float64, reset=False)))

    def predict(self, X: Any) -> np.ndarray:
        """The most likely class of every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [cls()]


@persisted("nearest_mean", role="learner")
class NearestMeanClassifier(_Posterior):
    """Nearest class mean, with the softmax of the squared distances as probabilities.

    A distance d counts as exp(−d² / (2 σ²)), σ² being the mean variance within the classes.

    Attributes
    ----------
    means_ : ndarray of shape (n_classes, n_features)
    variance_ : float

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven_published.sen.base_learners import NearestMeanClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> NearestMeanClassifier().fit(X, y).predict_proba(X[:1]).round(3)
    array([[1., 0., 0.]])
    """

    def _learn(self, X: np.ndarray, y: np.ndarray) -> None:
        self.means_ = np.stack([X[y == k].mean(axis=0) for k in range(len(self.classes_))])
        self.variance_ = float(np.square(X - self.means_[y]).mean())

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        squares = np.square(X[:, None] - self.means_).sum(axis=2)
        squares -= squares.min(axis=1, keepdims=True)
        least = np.finfo(np.float64).eps * max(1.0, squares.max())
        return np.asarray(softmax(-squares / max(2.0 * self.variance_, least), axis=1))

    def _check_model_(self, width: int, n_classes: int) -> None:
        """Refuse loaded means of other columns or classes."""
        check_numbers(self.means_, (n_classes, width), "means", signed=True)
        if not 0.0 <= self.variance_ < np.inf:
            raise ValueError(f"its variance is {self.variance_!r}")


@persisted("neighbour_count", role="learner")
class NeighbourCountClassifier(_Posterior):
    """k nearest neighbours, with k by leave-one-out error, and counts that start at 1.

    Parameters
    ----------
    max_neighbors : int, default=30
        No larger k is tried, and none above twice the root of the number of rows.

    Attributes
    ----------
    n_neighbors_ : int
        The smallest k with the fewest errors.

    Examples
    --------
    >>> from uneven_published.sen.base_learners import NeighbourCountClassifier
    >>> X = [[0.0], [1.0], [2.1], [3.3], [14.0], [15.0], [16.1], [17.3]]
    >>> model = NeighbourCountClassifier().fit(X, [1, 0, 1, 1, 0, 0, 0, 0])
    >>> model.n_neighbors_, model.predict_proba([[0.0]]).tolist()
    (3, [[0.4, 0.6]])
    """

    def __init__(self, max_neighbors: int = 30) -> None:
        self.max_neighbors = max_neighbors

    def _learn(self, X: np.ndarray, y: np.ndarray) -> None:
        check_integer("max_neighbors", self.max_neighbors, 1)
        self.rows_ = X
        self.one_hot_ = np.eye(len(self.classes_))[y]
        most = max(1, min(self.max_neighbors, int(2.0 * np.sqrt(len(y))), len(y) - 1))
        self.n_neighbors_ = 1
        if most == 1:
            return
        near = _neighbours_among(X).kneighbors(n_neighbors=most, return_distance=False)
        votes, errors = np.zeros(self.one_hot_.shape), np.empty(most)
        for k in range(most):
            votes += self.one_hot_[near[:, k]]
            errors[k] = np.count_nonzero(votes.argmax(axis=1) != y)
        self.n_neighbors_ = 1 + int(errors.argmin())

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        k = self.n_neighbors_
        among = _neighbours_among(self.rows_)
        near = among.kneighbors(X, n_neighbors=k, return_distance=False)
        counts = np.zeros((len(X), len(self.classes_)))
        for column in near.T:
            counts += self.one_hot_[column]
        return np.asarray((counts + 1.0) / (k + len(self.classes_)))

    def _check_model_(self, width: int, n_classes: int) -> None:
        """Refuse loaded rows of other columns or classes."""
        n_rows = len(self.rows_)
        check_numbers(self.rows_, (n_rows, width), "training rows", signed=True)
        check_numbers(self.one_hot_, (n_rows, n_classes), "training classes")
        if type(self.n_neighbors_) is not int or not 1 <= self.n_neighbors_ <= n_rows:
            raise ValueError(f"it asks {self.n_neighbors_!r} of {n_rows} neighbours")


def _neighbours_among(rows: np.ndarray) -> NearestNeighbors:
    """A search that builds nothing, so that model files need to hold the rows only."""
    return NearestNeighbors(algorithm="brute").fit(rows)


@persisted("parzen", role="learner")
class ParzenClassifier(_Posterior):
    """A Gaussian around every training row; one width for all, by leave-one-out likelihood.

    Parameters
    ----------
    max_rows : int, default=1000
        The width is chosen on at most so many rows, evenly spread over the table.

    Attributes
    ----------
    width_ : float
        Standard deviation of the Gaussians.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven_published.sen.base_learners import ParzenClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ParzenClassifier().fit(X, y)
    >>> round(model.width_, 2), round(float(model.score(X, y)), 2)
    (0.18, 1.0)
    """

    def __init__(self, max_rows: int = 1000) -> None:
        self.max_rows = max_rows

    def _learn(self, X: np.ndarray, y: np.ndarray) -> None:
        check_integer("max_rows", self.max_rows, 2)
        order = np.argsort(y, kind="stable")
        self.rows_, self.counts_ = X[order], np.bincount(y)
        chosen = np.unique(np.linspace(0, len(y) - 1, min(len(y), self.max_rows)).astype(int))
        self.width_ = _likeliest_width(self.rows_[chosen], y[order][chosen])

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        starts = np.concatenate([[0], np.cumsum(self.counts_)])
        step = max(1, _LARGEST_BLOCK // len(self.rows_))
        logs = np.empty((len(X), len(self.classes_)))
        for first in range(0, len(X), step):
            here = slice(first, first + step)
            squares = euclidean_distances(X[here], self.rows_, squared=True)
            squares -= squares.min(axis=1, keepdims=True)
            exponents = squares / (-2.0 * self.width_**2)
            for k, (start, stop) in enumerate(pairwise(starts)):
                logs[here, k] = logsumexp(exponents[:, start:stop], axis=1)
        return np.asarray(softmax(logs, axis=1))

    def _check_model_(self, width: int, n_classes: int) -> None:
        """Refuse loaded rows of other columns or classes."""
        check_numbers(self.rows_, (len(self.rows_), width), "training rows", signed=True)
        counts = self.counts_
        check_whole(counts, "numbers of rows")
        if counts.shape != (n_classes,) or counts.min() < 1 or counts.sum() != len(self.rows_):
            raise ValueError(f"its {len(self.rows_)} rows are counted as {counts.tolist()}")
        check_width(self.width_)


def _likeliest_width(X: np.ndarray, y: np.ndarray) -> float:
    """Width under which rows are likeliest, given the other rows of their class.

    Classes of one row say nothing about it; nor do rows that others repeat exactly, so the width
    stays above a thousandth of the spread of the table.
    """
    spread = float(np.sqrt(X.var(axis=0).mean()))
    if spread == 0.0:
        return 1.0
    tables = []
    for k in np.unique(y):
        squares = euclidean_distances(X[y == k], squared=True)
        np.fill_diagonal(squares, np.inf)
        if len(squares) > 1:
            tables.append(squares)
    if not tables:
        return spread

    def unlikelihood(log_width: float) -> float:
        twice = -2.0 * np.exp(2.0 * log_width)
        logs = [logsumexp(squares / twice, axis=1).sum() for squares in tables]
        rows = sum(map(len, tables))
        return float(rows * X.shape[1] * log_width - sum(logs))

    around = np.log(spread) + np.log([1e-3, 1e1])
    found = minimize_scalar(unlikelihood, bounds=around, method="bounded", options={"xatol": 0.01})
    return float(np.exp(found.x))


@persisted("gaussian", role="learner")
class GaussianClassifier(_Posterior):
    """A Gaussian per class: covariances of their own, one for all, or variances only.

    Unlike scikit-learn's discriminant analyses and its naive Bayes, it takes classes of one row,
    as many classes as rows, and columns that hang together or never change.

    Parameters
    ----------
    covariance : {"own", "shared", "diagonal"}, default="own"
        Own covariances give quadratic borders, a shared one gives linear borders. "diagonal"
        classes have variances of their own, and columns that are independent.
    ridge : float, default=1e-6
        This share of the mean variance of all columns is added to every variance.

    Attributes
    ----------
    means_ : ndarray of shape (n_classes, n_features)
    axes_ : ndarray of shape (n_classes or 1, n_features, n_features), or None
        Principal axes in columns; None if they are the columns of the table.
    variances_ : ndarray of shape (n_classes or 1, n_features)
        Along the axes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven_published.sen.base_learners import GaussianClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> round(float(GaussianClassifier().fit(X, y).score(X, y)), 2)
    0.98
    """

    def __init__(self, covariance: str = "own", ridge: float = 1e-6) -> None:
        self.covariance = covariance
        self.ridge = ridge

    def _learn(self, X: np.ndarray, y: np.ndarray) -> None:
        check_choice("covariance", self.covariance, ("own", "shared", "diagonal"))
        if not 0.0 < self.ridge < np.inf:
            raise ValueError(f"ridge must be a positive number, got {self.ridge!r}.")
        counts = np.bincount(y)
        self.log_priors_ = np.log(counts / len(y))
        self.means_ = np.stack([X[y == k].mean(axis=0) for k in range(len(counts))])
        apart = X - self.means_[y]
        parts = (
            [apart] if self.covariance == "shared" else [apart[y == k] for k in range(len(counts))]
        )
        self.axes_ = None
        if self.covariance == "diagonal":
            found = np.stack([np.square(part).mean(axis=0) for part in parts])
        else:
            found, self.axes_ = np.linalg.eigh(np.stack([p.T @ p / len(p) for p in parts]))
        mean_variance = float(X.var(axis=0).mean())
        added = self.ridge * (mean_variance if mean_variance > 0.0 else 1.0)
        self.variances_ = np.maximum(found, 0.0) + added

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        logs = np.empty((len(X), len(self.classes_)))
        for k, mean in enumerate(self.means_):
            own = min(k, len(self.variances_) - 1)
            if self.axes_ is None:
                along = X - mean
            else:
                if own == k:
                    turned = X @ self.axes_[own]
                along = turned - mean @ self.axes_[own]
            squares = np.square(along) @ (1.0 / self.variances_[own])
            logs[:, k] = -0.5 * (squares + np.log(self.variances_[own]).sum())
        return np.asarray(softmax(logs + self.log_priors_, axis=1))

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [cls(), cls("shared", ridge=0.1)]

    def _check_model_(self, width: int, n_classes: int) -> None:
        """Refuse loaded means and covariances of other columns or classes."""
        check_numbers(self.means_, (n_classes, width), "means", signed=True)
        check_numbers(self.log_priors_, (n_classes,), "priors", signed=True)
        n_shapes = len(self.variances_)
        if n_shapes not in (1, n_classes):
            raise ValueError(f"its {n_classes} classes have {n_shapes} covariances")
        check_width(check_numbers(self.variances_, (n_shapes, width), "variances").min())
        if self.axes_ is not None:
            check_numbers(self.axes_, (n_shapes, width, width), "axes", signed=True)


@persisted("squares", role="map")
class Squares(TransformerMixin, BaseEstimator):
    """Put the square of every column beside it; no products of different columns.

    Examples
    --------
    >>> import numpy as np
    >>> from uneven_published.sen.base_learners import Squares
    >>> Squares().fit_transform(np.array([[2.0, 3.0]]))
    array([[2., 3., 4., 9.]])
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Remember the columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : object, ignored

        Returns
        -------
        self : object
        """
        validate_data(self, X, dtype=np.float64)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Columns and their squares.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, 2 * n_features)
        """
        check_is_fitted(self, "n_features_in_")
        table = validate_data(self, X, dtype=np.float64, reset=False)
        return np.hstack([table, np.square(table)])

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [cls()]

    def _check_model_(self, width: int) -> int:
        """Number of columns that are made of so many; there is nothing to refuse."""
        return 2 * width


@persisted("likeness", role="map")
class Likeness(TransformerMixin, BaseEstimator):
    """Describe a row by its Gaussian kernel with some training rows.

    Parameters
    ----------
    n_landmarks : int, default=500
        How many rows are drawn; all of them, if there are fewer.
    gamma : float, optional
        Factor of the squared distance; 1 / n_features by default.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    landmarks_ : ndarray of shape (n_drawn, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from uneven_published.sen.base_learners import Likeness
    >>> Likeness(gamma=1.0).fit_transform(np.array([[0.0], [1.0]])).round(2)
    array([[1.  , 0.37],
           [0.37, 1.  ]])
    """

    def __init__(
        self, n_landmarks: int = 500, gamma: float | None = None, random_state: Any = None
    ) -> None:
        self.n_landmarks = n_landmarks
        self.gamma = gamma
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : object, ignored

        Returns
        -------
        self : object
        """
        check_integer("n_landmarks", self.n_landmarks, 1)
        table = validate_data(self, X, dtype=np.float64)
        rows = np.arange(len(table))
        if len(table) > self.n_landmarks:
            rng = check_random_state(self.random_state)
            rows = np.sort(rng.choice(len(table), self.n_landmarks, replace=False))
        self.landmarks_ = table[rows]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Kernel values with the landmarks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_drawn)
        """
        check_is_fitted(self)
        table = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(rbf_kernel(table, self.landmarks_, gamma=self.gamma))

    @classmethod
    def _test_instances(cls) -> list[Any]:
        return [cls()]

    def _check_model_(self, width: int) -> int:
        """Refuse loaded landmarks of another width; return how many columns they make."""
        n_landmarks = len(self.landmarks_)
        check_numbers(self.landmarks_, (n_landmarks, width), "landmarks", signed=True)
        return n_landmarks
