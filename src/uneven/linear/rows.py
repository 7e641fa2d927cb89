"""Rows of a table as linear learners read them: unit rows, a constant, normal form, margins."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils.validation import column_or_1d

from uneven.utils.validation import check_array


def normalize_rows(X: Any) -> Any:
    """Divide every row by its Euclidean length.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Finite numbers. Any sparse format, any numeric type, data frames.

    Returns
    -------
    ndarray or CSR of shape (n_samples, n_features)
        A new table of double precision; sparse stays sparse. A row of zeros has no direction and
        stays as it is, with one warning for all of them.

    Notes
    -----
    Lengths are taken after dividing by the size of the largest entry of the row, so that neither
    rows around 1e300 nor rows around 1e-300 get lost. A constant for the intercept has to be
    added before (see `add_constant`): afterwards it would change the directions.

    Examples
    --------
    >>> normalize_rows([[3.0, 4.0], [0.0, 2e-300]]).tolist()
    [[0.6, 0.8], [0.0, 1.0]]
    """
    X = _table(X)
    lengths, scale = _lengths(X)
    empty = int(np.count_nonzero(lengths == 0.0))
    if empty:
        warnings.warn(
            f"{empty} of {X.shape[0]} rows hold only zeros: they have no direction and stay zero.",
            stacklevel=2,
        )
        lengths = np.where(lengths == 0.0, 1.0, lengths)
    return _divide_rows(_divide_rows(X, scale), lengths)


def row_norms(X: Any) -> np.ndarray:
    """Euclidean lengths of the rows, without overflow on the way.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> [f"{norm:.6g}" for norm in row_norms([[3.0, 4.0], [0.0, 1e-200]])]
    ['5', '1e-200']
    """
    lengths, scale = _lengths(_table(X))
    with np.errstate(over="ignore"):
        return lengths * scale


def scale_rows(X: Any, factors: ArrayLike) -> Any:
    """Multiply each row by a number of its own.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_samples, n_features)
    factors : array-like of shape (n_samples,)

    Returns
    -------
    ndarray or CSR of shape (n_samples, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> scale_rows(np.ones((2, 2)), [2.0, -1.0]).tolist()
    [[2.0, 2.0], [-1.0, -1.0]]
    """
    factors = np.asarray(factors, dtype=np.float64)
    if not sp.issparse(X):
        return X * factors[:, None]
    return _with_data(X, X.data * np.repeat(factors, np.diff(X.indptr)))


def normal_form(X: Any, t: Any) -> Any:
    """Reflect the negative examples through the origin, so that every label becomes +1.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    t : array-like of shape (n_samples,)
        Labels -1 and +1.

    Returns
    -------
    ndarray or CSR of shape (n_samples, n_features)
        Rows ``t_i x_i``. A vector w separates the sample if it has a positive product with all of
        them.

    References
    ----------
    Louche (2016), definition 3.1.

    Examples
    --------
    >>> normal_form([[1.0, 2.0], [3.0, 4.0]], [1, -1]).tolist()
    [[1.0, 2.0], [-3.0, -4.0]]
    """
    X = _table(X)
    signs = column_or_1d(t)
    if len(signs) != X.shape[0]:
        raise ValueError(f"t has {len(signs)} labels, X has {X.shape[0]} rows: they must agree.")
    wrong = np.flatnonzero(~np.isin(signs, (-1, 1)))
    if wrong.size:
        raise ValueError(
            f"t holds {signs[wrong[0]]!r} in row {wrong[0]}: the normal form needs labels -1 and "
            "+1."
        )
    return scale_rows(X, signs.astype(np.float64))


def margins(X: Any, y_index: ArrayLike, coef: ArrayLike) -> np.ndarray:
    """Margin of each row: its distance from a mistake in scores; zero or less is a mistake.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y_index : array-like of int, shape (n_samples,)
        Positions of the true classes.
    coef : array-like of shape (n_classes, n_features), (1, n_features) or (n_features,)
        One vector per class, or one vector for two classes that points to class 1.

    Returns
    -------
    ndarray of shape (n_samples,)
        Score of the true class minus that of the best other class; with a single vector the
        score times +1 (class 1) or -1 (class 0).

    Notes
    -----
    The source gives the margin of two classes without the label; its theorems need the label.

    References
    ----------
    Louche (2016), From confusion noise to active learning, sections 1.2 and 2.3.

    Examples
    --------
    >>> margins([[1.0, 0.0], [1.0, 3.0]], [0, 1], [[1, 0], [0, 1], [0, 0]]).tolist()
    [1.0, 2.0]
    >>> margins([[1.0, -2.0], [1.0, 3.0]], [0, 1], [0, 1]).tolist()
    [2.0, 3.0]
    """
    X = _table(X)
    coef = np.atleast_2d(np.asarray(coef, dtype=np.float64))
    if coef.shape[1] != X.shape[1]:
        raise ValueError(f"coef has {coef.shape[1]} columns, X has {X.shape[1]}: they must agree.")
    truth = _positions(y_index, X.shape[0], max(2, len(coef)))
    scores = np.asarray(X @ coef.T)
    if len(coef) == 1:
        return scores[:, 0] * (2.0 * truth - 1.0)
    rows = np.arange(len(truth))
    true_scores = scores[rows, truth]
    scores[rows, truth] = -np.inf
    return true_scores - scores.max(axis=1)


def add_constant(X: Any, value: float = 1.0) -> Any:
    """Append a column that holds the same value in every row: its weight is an intercept.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    value : float, default=1.0
        Not zero. The larger it is, the cheaper is a large intercept.

    Returns
    -------
    ndarray or CSR of shape (n_samples, n_features + 1)

    Examples
    --------
    >>> add_constant([[5.0], [7.0]], value=2).tolist()
    [[5.0, 2.0], [7.0, 2.0]]
    """
    if not isinstance(value, Real) or not np.isfinite(value) or value == 0:
        raise ValueError(f"value={value!r}: the constant must be a finite number other than 0.")
    X = _table(X)
    constant = np.full((X.shape[0], 1), float(value))
    if not sp.issparse(X):
        return np.hstack([X, constant])
    kind = sp.csr_array if isinstance(X, sp.sparray) else sp.csr_matrix
    return kind(sp.hstack([X, constant], format="csr"))


def _table(X: Any) -> Any:
    """Finite doubles, dense or CSR."""
    return check_array(X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=0)


def _lengths(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of the rows divided by their scales, and the scales, which are powers of two."""
    if sp.issparse(X):
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        entries = np.diff(X.indptr)
        filled, scale = np.flatnonzero(entries), np.zeros(X.shape[0])
        if len(filled):
            scale[filled] = np.maximum.reduceat(np.abs(X.data), X.indptr[filled])
        scale = _power_below(scale)
        rows = np.repeat(np.arange(X.shape[0]), entries)
        squares = np.bincount(rows, (X.data / scale[rows]) ** 2, minlength=X.shape[0])
    else:
        scale = _power_below(np.abs(X).max(axis=1))
        shrunk = X / scale[:, None]
        squares = np.einsum("ij,ij->i", shrunk, shrunk)
    return np.sqrt(squares), scale


def _power_below(sizes: np.ndarray) -> np.ndarray:
    """The largest power of two that is not above each size; one for zeros."""
    return np.where(sizes == 0.0, 1.0, np.ldexp(1.0, np.frexp(sizes)[1] - 1))


def _divide_rows(X: Any, divisors: np.ndarray) -> Any:
    if not sp.issparse(X):
        return X / divisors[:, None]
    return _with_data(X, X.data / np.repeat(divisors, np.diff(X.indptr)))


def _with_data(X: Any, data: np.ndarray) -> Any:
    return type(X)((data, X.indices.copy(), X.indptr.copy()), shape=X.shape)


def _positions(y_index: ArrayLike, n_samples: int, n_classes: int) -> np.ndarray:
    truth = np.asarray(y_index)
    if truth.shape != (n_samples,):
        raise ValueError(f"y_index has shape {truth.shape}; expected one per row, ({n_samples},).")
    if truth.dtype.kind not in "iub" or ((truth < 0) | (truth >= n_classes)).any():
        raise ValueError(f"y_index must hold whole numbers from 0 to {n_classes - 1}.")
    return truth.astype(np.intp)
