"""Cells as numbers of similar size, none of them missing: for linear and kernel members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.utils.model_types import check_columns, check_numbers, check_whole, persisted

FARTHEST = 6.0
_MOST_CATEGORIES = 64


@persisted("number_columns", role="encoding")
@dataclass
class NumberColumns:
    """Standardised numbers, indicators of categories and of missing values.

    Attributes
    ----------
    numbers : ndarray of int, shape (n_numbers,)
        Columns of numbers that are not constant.
    centre, scale : ndarray of shape (n_numbers,)
        What is taken off them, and what they are divided by. A missing value becomes the centre.
        Values farther than six scales from it are brought to that distance.
    gaps : ndarray of int, shape (n_gaps,)
        Columns with missing values, each of which gets an indicator.
    categories : ndarray of int, shape (n_indicators, 2)
        Column and code of each indicator of a category.
    unit : float
        What a sparse table, which keeps its zeros, is divided by; 0 for a dense table.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [3.0, 1.0], [np.nan, 2.0]])
    >>> columns = NumberColumns.of(X, n_codes=np.array([0, 3]))
    >>> columns.encode(X)
    array([[-1.,  0.,  1.,  0.,  0.],
           [ 1.,  0.,  0.,  1.,  0.],
           [ 0.,  1.,  0.,  0.,  1.]])
    """

    numbers: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    gaps: np.ndarray
    categories: np.ndarray
    unit: float = 0.0

    @classmethod
    def of(cls, X: Any, n_codes: np.ndarray | None = None) -> NumberColumns:
        """Learn centres and scales from training rows, of shape (n_samples, n_features)."""
        nothing = np.zeros(0, dtype=np.int64)
        if sp.issparse(X):
            lengths = np.sqrt(np.nansum(X.data.astype(np.float64) ** 2) / max(X.shape[0], 1))
            unit = float(lengths) if 0.0 < lengths < np.inf else 1.0
            none = np.zeros((0, 2), dtype=np.int64)
            return cls(nothing, np.zeros(0), np.zeros(0), nothing, none, unit)
        is_category = np.zeros(X.shape[1], dtype=bool) if n_codes is None else n_codes > 0
        numbers = np.flatnonzero(~is_category)
        cells = X[:, numbers].astype(np.float64)
        missing = np.isnan(cells)
        top = np.maximum(np.nanmax(np.abs(cells), axis=0, initial=0.0), np.finfo(float).tiny)
        cells = np.where(missing, 0.0, cells / top)
        known = np.maximum(len(cells) - missing.sum(axis=0), 1)
        centre = cells.sum(axis=0) / known
        spread = np.where(missing, 0.0, cells - centre)
        scale = np.sqrt((spread**2).sum(axis=0) / known)
        varies = (scale > 1e-12) & (scale * top > 0.0)
        return cls(
            numbers[varies],
            (centre * top)[varies],
            (scale * top)[varies],
            numbers[missing.any(axis=0) & ~missing.all(axis=0)],
            _indicators(X, np.flatnonzero(is_category)),
        )

    def encode(self, X: Any) -> Any:
        """Numbers of rows.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, width), or CSR of the shape of ``X``
        """
        if self.unit:
            table = sp.csr_matrix(X, dtype=np.float64) / self.unit
            table.data = np.nan_to_num(table.data, nan=0.0)
            return table
        if sp.issparse(X):
            X = X.toarray()
        with np.errstate(over="ignore"):
            numbers = (X[:, self.numbers] - self.centre) / self.scale
        numbers = np.clip(np.nan_to_num(numbers, nan=0.0), -FARTHEST, FARTHEST)
        gaps = np.isnan(X[:, self.gaps])
        kinds = X[:, self.categories[:, 0]] == self.categories[:, 1]
        return np.hstack([numbers, gaps, kinds]).astype(np.float64)

    def width(self, n_features: int) -> int:
        """How many numbers a row of so many cells becomes."""
        own = len(self.numbers) + len(self.gaps) + len(self.categories)
        return n_features if self.unit else own

    def source(self, n_features: int) -> np.ndarray:
        """Column of the table that each number comes from, shape (width,)."""
        if self.unit:
            return np.arange(n_features)
        return np.concatenate([self.numbers, self.gaps, self.categories[:, 0]])

    def _check_model_(self, n_features: int) -> None:
        """Refuse loaded columns that are not in the table."""
        for columns in (self.numbers, self.gaps):
            check_whole(columns, "columns")
            if columns.size:
                check_columns(columns, n_features, "numbers")
        check_whole(self.categories, "categories")
        if self.categories.ndim != 2 or self.categories.shape[1] != 2:
            raise ValueError("its indicators of categories are not pairs")
        if self.categories.size:
            check_columns(self.categories[:, 0], n_features, "categories")
        check_numbers(self.centre, self.numbers.shape, "centres", signed=True)
        if not check_numbers(self.scale, self.numbers.shape, "scales").all():
            raise ValueError("a column of numbers has the scale 0")
        if not isinstance(self.unit, float) or not 0.0 <= self.unit < np.inf:
            raise ValueError(f"its unit is {self.unit!r}")


def _indicators(X: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Column and code of every category that gets an indicator, the most frequent ones first."""
    pairs = []
    for column in columns.tolist():
        values = X[:, column]
        codes, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        frequent = np.sort(codes[np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]])
        pairs += [(column, int(code)) for code in frequent]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
