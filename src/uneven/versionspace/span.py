"""Coordinates in the span of a few rows: what makes the geometry work for kernels and sparse rows.

A version space is a cone in the space of the features, which for a kernel may have infinitely many
dimensions. Its centres lie in the span of the rows that cut it, and whether a row cuts it depends
only on the row's projection on that span; so everything happens in as many dimensions as the rows
are independent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from uneven.linear.expansions import blocks, gram
from uneven.linear.rows import row_norms
from uneven.utils.model_types import check_kernel, check_numbers, check_rows, persisted

Kernel = str | Callable[..., float]

_TOLERANCE = 1e-10
"""Squared share of a unit row that must be new for it to open a dimension."""


@persisted("span", role="span")
@dataclass(frozen=True)
class Span:
    """The space that some rows span, with an orthonormal frame.

    Attributes
    ----------
    rows : ndarray or CSR of shape (n_dims, n_features), or None
        Independent rows; None for a precomputed kernel and for plain coordinates.
    support : ndarray of int, shape (n_dims,)
        Which of the rows they were.
    triangle : ndarray of shape (n_dims, n_dims), or None
        Lower triangle: row i holds the coordinates of independent row i, of unit length. None for
        plain coordinates, where the frame is that of the columns.
    norms : ndarray of shape (n_dims,)
        Lengths of the independent rows in the space of the features.
    kernel : str or callable
    params : dict of str to object
        Parameters of the kernel.
    """

    rows: Any
    support: np.ndarray
    triangle: np.ndarray | None
    norms: np.ndarray
    kernel: Kernel = "linear"
    params: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of_columns(cls, n_dims: int) -> Span:
        """All of the space of so many columns, with the columns as frame."""
        return cls(None, np.arange(n_dims), None, np.ones(n_dims))

    @property
    def n_dims(self) -> int:
        """Dimensions of the span."""
        return len(self.support)

    def coordinates(self, X: Any, norms: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Where rows are, once scaled to unit length.

        Parameters
        ----------
        X : ndarray or CSR of shape (n_samples, n_features)
            For a precomputed kernel: values with all rows that made the span.
        norms : ndarray of shape (n_samples,), optional
            Lengths of the rows in the space of the kernel, if they are known. For a precomputed
            kernel they are the square roots of the values of the rows with themselves.

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_dims)
            Of the projections on the span.
        rest : ndarray of shape (n_samples,)
            How far each unit row sticks out of the span. Rows without a direction have coordinates
            of zero. If lengths are needed and not given, they are those of the rows that made the
            span if these are all the same, as with a Gaussian kernel; else rows are scaled by their
            projections, and nothing sticks out.
        """
        if self.triangle is None:
            lengths = np.where(norms := row_norms(X), norms, 1.0)
            dense = X.toarray() if sp.issparse(X) else X
            return dense / lengths[:, None], np.zeros(X.shape[0])
        placed = np.empty((X.shape[0], self.n_dims))
        for mine in blocks(X.shape[0]):
            near = self._values(X[mine]) / self.norms
            placed[mine] = solve_triangular(self.triangle, near.T, lower=True).T
        if norms is None and self.kernel != "precomputed":
            norms = feature_norms(X, self.kernel, self.params)
        elif norms is None:
            norms = self._guess_norms(placed)
        placed /= np.where(norms > 0.0, norms, 1.0)[:, None]
        inside = np.einsum("ij,ij->i", placed, placed)
        rest = np.sqrt(np.clip(1.0 - inside, 0.0, None))
        rest[(rest < np.sqrt(_TOLERANCE)) | (norms <= 0.0)] = 0.0
        return placed, rest

    def expand(self, w: np.ndarray) -> np.ndarray:
        """Coefficients of the independent rows, as given, that add up to points of the span.

        Parameters
        ----------
        w : ndarray of shape (n_dims,) or (n_dims, n_points)

        Returns
        -------
        ndarray of the same shape
            ``coefficients @ rows`` is w, in the space of the features.
        """
        if self.triangle is None:
            return w
        coefficients = solve_triangular(self.triangle, w, lower=True, trans="T")
        return (coefficients.T / self.norms).T

    def _guess_norms(self, placed: np.ndarray) -> np.ndarray:
        if self.n_dims and np.allclose(self.norms, self.norms[0], rtol=1e-9):
            return np.full(len(placed), self.norms[0])
        return np.linalg.norm(placed, axis=1)

    def _values(self, X: Any) -> np.ndarray:
        if self.kernel == "precomputed":
            near = X[:, self.support]
            return np.asarray(near.toarray() if sp.issparse(near) else near, dtype=np.float64)
        return gram(X, self.rows, self.kernel, **self.params)

    def _check_model_(self, width: int) -> None:
        """Refuse a loaded frame that is not one of rows of this width."""
        check_kernel(self.kernel)
        check_numbers(self.norms, (self.n_dims,), "lengths of rows")
        if self.triangle is not None:
            check_numbers(self.triangle, (self.n_dims,) * 2, "places of rows", signed=True)
            check_rows(self.rows, self.n_dims, width)


def span_of(
    X: Any,
    kernel: Kernel = "linear",
    params: dict[str, Any] | None = None,
    *,
    ridge: float = 0.0,
    max_rank: int | None = None,
) -> tuple[Span, np.ndarray]:
    """The span of rows, and their coordinates in it.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_samples, n_features)
        For a precomputed kernel the square matrix of kernel values.
    kernel : str or callable, default="linear"
    params : dict of str to object, optional
        Parameters of the kernel, see `uneven.linear.expansions.kernel_parameters`.
    ridge : float, default=0.0
        Added to the squared length of every unit row as an additional dimension of its own, so that
        contradictory rows become separable (as with a quadratic slack).
    max_rank : int, optional
        Keep at most so many dimensions, those that explain most. The geometry is then no longer
        exact.

    Returns
    -------
    span : Span
    coordinates : ndarray of shape (n_samples, n_dims)
        Unit rows.

    Notes
    -----
    The frame comes from a Cholesky factor with pivots of the Gram matrix of the unit rows, so that
    it costs n² kernel values and n times the squared number of dimensions; with ``max_rank``, only
    n kernel values per dimension. Dense rows with fewer columns than rows keep their columns as
    frame, if there is neither ridge nor limit.

    References
    ----------
    Louche (2016), section 5.4, only hints at the kernel form; that projecting
    on the span keeps the direction of the centres holds because the cone ignores the lengths of
    its points.

    Examples
    --------
    >>> span, where = span_of(np.array([[2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [3.0, 1.0, 0.0]]), "rbf")
    >>> span.n_dims, where.shape
    (3, (3, 3))
    >>> flat = sp.csr_matrix([[2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [3.0, 1.0, 0.0]])
    >>> span, where = span_of(flat)
    >>> span.n_dims, np.linalg.norm(where, axis=1).round(9).tolist()
    (2, [1.0, 1.0, 1.0])
    """
    params = params or {}
    plain = kernel == "linear" and not sp.issparse(X) and X.shape[1] <= X.shape[0]
    if plain and ridge == 0.0 and max_rank is None:
        span = Span.of_columns(X.shape[1])
        return span, span.coordinates(X)[0]
    if max_rank is not None and kernel != "precomputed":
        placed, support, scale = _place_few(X, kernel, params, ridge, max_rank)
    else:
        placed, support, scale = _place_all(X, kernel, params, ridge, max_rank)
    lengths = np.linalg.norm(placed, axis=1)
    rows = None if kernel == "precomputed" else X[support]
    triangle = np.ascontiguousarray(placed[support])
    span = Span(rows, support, triangle, scale[support], kernel, params)
    return span, placed / np.where(lengths > 0.0, lengths, 1.0)[:, None]


def _place_all(
    X: Any, kernel: Kernel, params: dict[str, Any], ridge: float, max_rank: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates, independent rows and lengths of all rows, from the whole Gram matrix."""
    given: Any = X if kernel == "precomputed" else gram(X, None, kernel, **params)
    values = np.array(given.toarray() if sp.issparse(given) else given, dtype=np.float64)
    norms = np.sqrt(np.clip(values.diagonal(), 0.0, None))
    scale = np.where(norms > 0.0, norms, 1.0)
    values /= scale[:, None] * scale
    values[np.diag_indices_from(values)] += np.where(norms > 0.0, ridge, 0.0)
    factor, pivots, rank, _ = dpstrf(values, tol=_TOLERANCE, lower=1)
    order = pivots.astype(np.intp) - 1
    rank = rank if max_rank is None else min(rank, max_rank)
    placed = np.empty((len(values), rank))
    placed[order] = np.tril(factor)[:, :rank]
    return placed, order[:rank], scale


def _place_few(
    X: Any, kernel: Kernel, params: dict[str, Any], ridge: float, max_rank: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for few dimensions, from one column of the Gram matrix for each of them."""
    norms = feature_norms(X, kernel, params)
    scale = np.where(norms > 0.0, norms, 1.0)
    left = np.where(norms > 0.0, 1.0 + ridge, 0.0)
    placed = np.zeros((len(left), min(max_rank, len(left))))
    support: list[int] = []
    while len(support) < placed.shape[1] and left.max() > _TOLERANCE:
        pivot, size = int(left.argmax()), len(support)
        column = gram(X, X[pivot : pivot + 1], kernel, **params)[:, 0] / (scale * scale[pivot])
        column -= placed[:, :size] @ placed[pivot, :size]
        root = np.sqrt(left[pivot])
        placed[:, size] = column / root
        placed[support, size] = 0.0
        placed[pivot, size] = root
        left -= placed[:, size] ** 2
        support.append(pivot)
        left[support] = 0.0
    return placed[:, : len(support)], np.array(support, dtype=np.intp), scale


def feature_norms(X: Any, kernel: Kernel, params: dict[str, Any]) -> np.ndarray:
    """Lengths of rows in the space of a kernel.

    X: (n_samples, n_features); kernel: not "precomputed", for which this is unknown. Returns
    (n_samples,).

    Examples
    --------
    >>> feature_norms(np.array([[3.0, 4.0]]), "poly", {"degree": 2, "gamma": 1.0, "coef0": 1.0})
    array([26.])
    """
    if kernel in ("rbf", "laplacian", "cosine"):
        return np.ones(X.shape[0])
    if kernel == "linear":
        return row_norms(X)
    if kernel in ("poly", "polynomial", "sigmoid"):
        gamma = params.get("gamma")
        gamma = 1.0 / X.shape[1] if gamma is None else gamma
        inner = gamma * row_norms(X) ** 2 + params.get("coef0", 1.0)
        squares = np.tanh(inner) if kernel == "sigmoid" else inner ** params.get("degree", 3)
    else:
        squares = np.array(
            [gram(X[i : i + 1], None, kernel, **params)[0, 0] for i in range(X.shape[0])]
        )
    return np.sqrt(np.clip(squares, 0.0, None))
