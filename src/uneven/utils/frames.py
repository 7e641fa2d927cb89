"""Tables of any kind: some rows or columns of them, so that frames stay frames, and named frames.

pandas and polars frames are recognised by what they can do, without importing either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.utils.optional import require


def take_rows(given: Any, which: np.ndarray) -> Any:
    """Some rows of a table of any kind.

    Parameters
    ----------
    given : ndarray, CSR, frame, Arrow table or list
    which : ndarray of int, shape (n,)

    Returns
    -------
    object
        Of the same kind.

    Examples
    --------
    >>> import pandas as pd
    >>> take_rows(pd.DataFrame({"word": ["a", "b", "c"]}, index=[7, 8, 9]), np.array([2]))
      word
    9    c
    >>> take_rows(["a", "b", "c"], np.array([2, 0, 0]))
    ['c', 'a', 'a']
    """
    if hasattr(given, "iloc"):
        return given.iloc[which]
    if hasattr(given, "schema") and hasattr(given, "take"):
        return given.take(which)
    return given[which] if hasattr(given, "shape") else [given[row] for row in which]


def take_columns(given: Any, which: np.ndarray | None) -> Any:
    """Some columns of a table of any kind; all of them if None.

    Parameters
    ----------
    given : ndarray, CSR, frame or list of lists
    which : ndarray of int, shape (n,), or None

    Returns
    -------
    object
        Of the same kind; an array if it was a list.

    Examples
    --------
    >>> import pandas as pd
    >>> take_columns(pd.DataFrame({"size": [1], "age": [7]}), np.array([1])).columns.tolist()
    ['age']
    """
    if which is None:
        return given
    if hasattr(given, "iloc"):
        return given.iloc[:, which]
    if hasattr(given, "columns") and hasattr(given, "select"):
        names = list(given.columns)
        return given.select([names[column] for column in which])
    return (given if hasattr(given, "shape") else np.asarray(given))[:, which]


def holds_words(X: Any, name: Any) -> bool:
    """Whether a column of a frame holds categories or text.

    Parameters
    ----------
    X : dataframe
    name : str
        One of its columns.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": pd.Categorical([1, 2]), "note": ["a", None], "age": [1, 2]})
    >>> [holds_words(frame, name) for name in frame]
    [True, True, False]
    """
    kind = str(X[name].dtype)
    if kind == "category" or kind.startswith(("Enum", "Categorical")):
        return True
    return is_text(kind) and any(isinstance(value, str) for value in X[name])


def named_frame(X: Any, names: Sequence[str], index: Any = None) -> Any:
    """Give the columns of an array names, without filling a sparse one up.

    scikit-learn's ``set_output("pandas")`` refuses sparse output; this frame keeps it sparse, and
    every scikit-learn estimator turns a frame of sparse columns back into a sparse matrix.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    names : sequence of str of length n_features
    index : array-like of length n_samples, optional
        Row labels; numbers from 0 by default.

    Returns
    -------
    pandas.DataFrame of shape (n_samples, n_features)
        Its columns are sparse with fill value 0 if ``X`` is sparse. NaN that a sparse ``X`` stores
        stays stored.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> frame = named_frame(sp.csr_array([[0.0, 2.0], [0.0, 0.0]]), ["text__dog", "text__cat"])
    >>> frame.columns.tolist(), str(frame["text__cat"].dtype)
    (['text__dog', 'text__cat'], 'Sparse[float64, ...]')
    """
    pandas = require("pandas", "A table with column names")
    table = X if sp.issparse(X) else np.asarray(X)
    if table.ndim != 2 or table.shape[1] != len(names):
        raise ValueError(
            f"X has shape {table.shape}, but there are {len(names)} column names: give a table "
            "of two dimensions and one name per column."
        )
    if not sp.issparse(X):
        return pandas.DataFrame(table, index=index, columns=list(names))
    columns = sp.csc_array(table)
    if not columns.has_canonical_format:
        columns = columns.copy()
        columns.sum_duplicates()
    return pandas.DataFrame.sparse.from_spmatrix(columns, index=index, columns=list(names))


def is_text(kind: str) -> bool:
    """Whether a column of this type may hold text."""
    return kind in ("object", "str", "string", "String") or kind.startswith("string")
