"""What members may be given to learn from: arrays, sparse matrices, data frames, lists of texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.utils.validation import narrow_indices

__all__ = ["count_columns", "count_rows", "holds_texts", "open_table", "row_numbers"]


def open_table(X: Any) -> Any:
    """A table whose rows can be taken one by one; frames and lists stay what they are.

    Parameters
    ----------
    X : array-like, sparse matrix, dataframe or list of length n_samples

    Returns
    -------
    object
        A csr matrix with 32-bit indices if ``X`` is sparse.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> open_table(sp.coo_array([[0.0, 1.0]])).format
    'csr'
    """
    return narrow_indices(X.tocsr()) if sp.issparse(X) else X


def count_rows(X: Any) -> int:
    """How many rows a table has."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def count_columns(X: Any) -> int | None:
    """How many columns a table has; None if it has no columns, as a list of texts."""
    shape = X.shape if hasattr(X, "shape") else np.shape(X[:1])
    return int(shape[1]) if len(shape) == 2 else None


def holds_texts(X: Any) -> bool:
    """Whether a table has no columns, but a text per row: a list, tuple, series or array.

    Examples
    --------
    >>> holds_texts(("good", "bad")), holds_texts(np.array(["good"])), holds_texts([[1.0]])
    (True, True, False)
    """
    if not isinstance(X, list | tuple) and len(getattr(X, "shape", ())) != 1:
        return False
    return len(X) > 0 and isinstance(next(iter(X)), str)


def row_numbers(rows: Any, n_samples: int, what: str) -> np.ndarray:
    """Rows of a table that were named by their numbers or by a mask.

    Parameters
    ----------
    rows : array-like of int, or of bool and shape (n_samples,)
    n_samples : int
    what : str
        Beginning of the error message.

    Returns
    -------
    ndarray of int, shape (n,)

    Raises
    ------
    ValueError
        If they are no rows of the table; they are not counted from its end.

    Examples
    --------
    >>> row_numbers([False, True, True], 3, "rows").tolist()
    [1, 2]
    """
    found = np.asarray(rows)
    if found.dtype == bool:
        if found.shape != (n_samples,):
            raise ValueError(
                f"{what} are a mask of shape {found.shape}, but there are {n_samples} rows."
            )
        return np.flatnonzero(found)
    if found.ndim == 1 and not found.size:
        return np.arange(0)
    if found.ndim != 1 or not np.issubdtype(found.dtype, np.integer):
        raise ValueError(f"{what} must be a list of whole numbers or a mask, got {rows!r}.")
    if found.min() < 0 or found.max() >= n_samples:
        raise ValueError(
            f"{what} reach from {found.min()} to {found.max()}, but there are {n_samples} rows, "
            "counted from 0."
        )
    return found
