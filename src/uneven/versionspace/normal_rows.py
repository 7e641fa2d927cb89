"""Labelled rows in normal form, as cutting-plane learners see them: plain, with a kernel, soft.

A learner needs the margins of all rows at a point, and for products between the few
rows that became cuts. Points are vectors for plain rows, and weighted sums of rows for a kernel.
With a private dimension for each row every sample is separable: wrong labels then cost private
coefficients only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from uneven.linear.base import squared_lengths
from uneven.linear.expansions import check_square, gram
from uneven.versionspace.span import feature_norms, span_of

Lift = Callable[[np.ndarray], Any]


class Sample(Protocol):
    """Interface of cutting-plane learners to labelled rows."""

    n_rows: int

    def combine(self, rows: np.ndarray, coefficients: np.ndarray) -> Any:
        """The point that is this sum of rows in normal form."""

    def margins(self, point: Any) -> np.ndarray:
        """Products of all rows in normal form with a point, shape (n_rows,)."""

    def products(self, row: int, rows: np.ndarray) -> np.ndarray:
        """Products of one row in normal form with others, shape (len(rows),)."""

    def place(self, rows: np.ndarray) -> tuple[np.ndarray, Lift]:
        """Unit rows in the coordinates of their span, and the way from there to points."""

    def length(self, point: Any) -> float:
        """Length of a point."""


class LinearSample:
    """Plain rows in normal form.

    Parameters
    ----------
    Z : ndarray or CSR of shape (n_samples, n_features)

    Examples
    --------
    >>> sample = LinearSample(np.array([[1.0, 2.0], [-1.0, 0.5]]))
    >>> sample.margins(sample.combine(np.array([1]), np.array([2]))).tolist()
    [0.0, 2.5]
    """

    def __init__(self, Z: Any) -> None:
        squared_lengths(Z)
        self.Z: Any = Z if sp.issparse(Z) else np.ascontiguousarray(Z, dtype=np.float64)
        self.n_rows: int = Z.shape[0]

    def combine(self, rows: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """The sum as a vector, shape (n_features,)."""
        return np.asarray(self.Z[rows].T @ np.asarray(coefficients, dtype=np.float64))

    def margins(self, point: np.ndarray) -> np.ndarray:
        """One product of the table with a vector; the same for a row whatever rows surround it."""
        if sp.issparse(self.Z):
            return np.asarray(self.Z @ point)
        return np.einsum("ij,j->i", self.Z, point)

    def products(self, row: int, rows: np.ndarray) -> np.ndarray:
        """Products of one row with others."""
        if sp.issparse(self.Z):
            return (self.Z[rows] @ self.Z[[row]].T).toarray()[:, 0]
        return np.einsum("ij,j->i", self.Z[rows], self.Z[row])

    def place(self, rows: np.ndarray) -> tuple[np.ndarray, Lift]:
        """The columns are the coordinates if there are fewer than rows."""
        span, where = span_of(self.Z[rows])
        if span.triangle is None:
            return where, lambda w: w
        return where, lambda w: self.combine(rows[span.support], span.expand(w))

    def length(self, point: np.ndarray) -> float:
        """Length of a vector."""
        return float(np.linalg.norm(point))


@dataclass(frozen=True)
class KernelPoint:
    """A sum of rows in normal form.

    Attributes
    ----------
    rows : ndarray of int, shape (n_terms,)
    coefficients : ndarray of shape (n_terms,)
    """

    rows: np.ndarray
    coefficients: np.ndarray


class KernelSample:
    """Rows in normal form in the space of a kernel.

    Kernel values are kept for the rows that became cuts: 8 bytes for each cut and row.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_samples, n_features)
        Kernel values of shape (n_samples, n_samples) if the kernel is "precomputed".
    t : ndarray of shape (n_samples,)
        Labels -1 and +1.
    kernel : str or callable
    params : dict of str to object
        Parameters of the kernel.
    constant : float, default=0.0
        Added to all kernel values: a feature that is the same for all rows.
    normalize : bool, default=False
        Scale the rows to unit length in the space of the kernel.
    """

    def __init__(
        self,
        X: Any,
        t: np.ndarray,
        kernel: Any,
        params: dict[str, Any],
        *,
        constant: float = 0.0,
        normalize: bool = False,
    ) -> None:
        self.X, self.kernel, self.params, self.constant = X, kernel, params, constant
        self.n_rows: int = X.shape[0]
        check_square(X, kernel)
        self.factors = np.asarray(t, dtype=np.float64)
        if normalize:
            own = X.diagonal() if kernel == "precomputed" else feature_norms(X, kernel, params) ** 2
            lengths = np.sqrt(np.clip(own, 0.0, None) + constant)
            self.factors = self.factors / np.where(lengths > 0.0, lengths, 1.0)
        self._kept: dict[int, np.ndarray] = {}

    def combine(self, rows: np.ndarray, coefficients: np.ndarray) -> KernelPoint:
        """The sum by its coefficients."""
        return KernelPoint(np.array(rows), np.array(coefficients, dtype=np.float64))

    def margins(self, point: KernelPoint) -> np.ndarray:
        """A sum over the rows of the point; kernel values are computed once for each of them."""
        total = np.zeros(self.n_rows)
        for row, coefficient in zip(point.rows, point.coefficients):
            total += coefficient * self._values(int(row))
        return total

    def products(self, row: int, rows: np.ndarray) -> np.ndarray:
        """Signed kernel values of one row with others."""
        return self._values(row)[rows]

    def place(self, rows: np.ndarray) -> tuple[np.ndarray, Lift]:
        """Coordinates from the Gram matrix of the rows."""
        near = np.array([self._values(int(row))[rows] for row in rows])
        span, where = span_of((near + near.T) / 2.0, "precomputed")
        return where, lambda w: self.combine(rows[span.support], span.expand(w))

    def length(self, point: KernelPoint) -> float:
        """Length in the space of the kernel."""
        square = point.coefficients @ self.margins(point)[point.rows]
        return float(np.sqrt(max(square, 0.0)))

    def _values(self, row: int) -> np.ndarray:
        """Products of one row with all, shape (n_rows,)."""
        if row not in self._kept:
            if self.kernel == "precomputed":
                values = self.X[[row]]
                values = values.toarray()[0] if sp.issparse(values) else values[0]
            else:
                values = gram(self.X, self.X[[row]], self.kernel, **self.params)[:, 0]
            if not np.isfinite(values).all():
                raise ValueError(
                    f"the kernel {self.kernel!r} gives values that are not finite in row {row}: "
                    "scale the columns of X, or lower gamma or degree."
                )
            self._kept[row] = (values + self.constant) * (self.factors * self.factors[row])
        return self._kept[row]


@dataclass(frozen=True)
class SoftPoint:
    """A sum of rows, each with its private dimension.

    Attributes
    ----------
    shared : object
        The same sum without these dimensions: the sum for new rows.
    rows : ndarray of int, shape (n_terms,)
    coefficients : ndarray of shape (n_terms,)
    """

    shared: Any
    rows: np.ndarray
    coefficients: np.ndarray


class SoftSample:
    """A sample whose rows have a dimension of their own each.

    Parameters
    ----------
    inner : Sample
    slack : float
        Squared length of a row in its own dimension, as a share of its squared length elsewhere.

    Notes
    -----
    The margin of a row that is no term of the point is that of the shared part: only rows that
    became cuts can be wrong in the end.

    References
    ----------
    Freund and Schapire (1999), Large margin classification using the perceptron algorithm,
    section 4 (the extension of the space for rows that cannot be separated). Shawe-Taylor and
    Cristianini (2002), On the generalization of soft margin algorithms.

    Examples
    --------
    >>> sample = SoftSample(LinearSample(np.array([[1.0, 0.0], [-1.0, 0.0]])), 0.5)
    >>> sample.margins(sample.combine(np.array([0, 1]), np.ones(2))).tolist()
    [0.5, 0.5]
    """

    def __init__(self, inner: Sample, slack: float) -> None:
        self.inner, self.slack = inner, slack
        self.n_rows = inner.n_rows
        self._own: dict[int, float] = {}

    def combine(self, rows: np.ndarray, coefficients: np.ndarray) -> SoftPoint:
        """The sum, with the coefficients of the private dimensions."""
        coefficients = np.array(coefficients, dtype=np.float64)
        return SoftPoint(self.inner.combine(rows, coefficients), np.array(rows), coefficients)

    def margins(self, point: SoftPoint) -> np.ndarray:
        """Products with all rows; those of terms have a private part."""
        found = self.inner.margins(point.shared)
        found[point.rows] += self._private(point.rows) * point.coefficients
        return found

    def products(self, row: int, rows: np.ndarray) -> np.ndarray:
        """Products of one row with others, and with itself in its own dimension, too."""
        return self.inner.products(row, rows) + np.where(rows == row, self._private([row])[0], 0.0)

    def place(self, rows: np.ndarray) -> tuple[np.ndarray, Lift]:
        """Coordinates from the products of the rows."""
        near = np.array([self.products(int(row), rows) for row in rows])
        span, where = span_of((near + near.T) / 2.0, "precomputed")
        return where, lambda w: self.combine(rows[span.support], span.expand(w))

    def length(self, point: SoftPoint) -> float:
        """Length of the shared part."""
        return self.inner.length(point.shared)

    def _private(self, rows: Any) -> np.ndarray:
        """Squared lengths of rows in their own dimensions."""
        for row in map(int, rows):
            if row not in self._own:
                self._own[row] = self.slack * float(self.inner.products(row, np.array([row]))[0])
        return np.array([self._own[int(row)] for row in rows])
