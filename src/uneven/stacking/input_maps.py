"""Columns made of other columns, for simple classifiers: squares, and likeness to some rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from uneven.utils.model_types import check_numbers, persisted
from uneven.utils.parameters import check_integer

__all__ = ["Likeness", "Squares"]


@persisted("squares", role="map")
class Squares(TransformerMixin, BaseEstimator):
    """Put the square of every column beside it; no products of different columns.

    Examples
    --------
    >>> import numpy as np
    >>> from uneven.stacking.input_maps import Squares
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
    >>> from uneven.stacking.input_maps import Likeness
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
