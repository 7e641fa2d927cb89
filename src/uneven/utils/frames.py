"""Data frames: their category columns become ordered codes, and arrays become named frames.

Rows and columns are taken from tables of any kind, so that frames stay frames.

The codes are made on pandas and polars frames without importing either: only their column types
are looked at, and everything else passes through untouched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.utils.optional import require

__all__ = [
    "encode_categories",
    "holds_words",
    "learn_categories",
    "named_frame",
    "take_columns",
    "take_rows",
    "with_types",
]


def take_rows(given: Any, which: np.ndarray) -> Any:
    """Some rows of a table of any kind.

    Parameters
    ----------
    given : ndarray, CSR, frame or list
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


def learn_categories(X: Any) -> dict[Any, list]:
    """Categories of every category column, in their order.

    Parameters
    ----------
    X : object
        A frame, or anything else (which has none).

    Returns
    -------
    dict of column name to list

    Examples
    --------
    >>> import pandas as pd
    >>> learn_categories(pd.DataFrame({"size": pd.Categorical(["s", "l"], ["s", "m", "l"])}))
    {'size': ['s', 'm', 'l']}
    """
    found: dict[Any, list] = {}
    names = _frame_columns(X)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"X has several columns named {twice!r}: rename or drop them.")
    for name, dtype in zip(names, X.dtypes if names else ()):
        kind = str(dtype)
        if kind.startswith("Enum"):
            found[name] = list(X[name].dtype.categories)
        elif kind.startswith("Categorical"):
            found[name] = sorted(X[name].unique().drop_nulls().to_list())
        elif kind == "category":
            found[name] = X[name].cat.categories.tolist()
        elif _is_text(kind):
            _refuse_text(X, name)
    return found


def holds_words(X: Any, name: Any) -> bool:
    """Tell whether a column of a frame holds categories or text.

    Parameters
    ----------
    X : dataframe
    name : str
        One of its columns.

    Returns
    -------
    bool

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
    return _is_text(kind) and any(isinstance(value, str) for value in X[name])


def with_types(frame: Any, X: Any, source: Mapping[str, Any]) -> Any:
    """Give columns of a frame that come unchanged out of another frame their types back.

    Parameters
    ----------
    frame : pandas.DataFrame of shape (n_samples, n_features)
        Its other columns get the simplest type that holds their values.
    X : dataframe of shape (n_samples, any)
    source : mapping of str to str
        Column of ``frame`` to column of ``X``.

    Returns
    -------
    pandas.DataFrame of shape (n_samples, n_features)

    Examples
    --------
    >>> import pandas as pd
    >>> given = pd.DataFrame({"kind": pd.Categorical(["a", "b"]), "age": [1, 2]})
    >>> mixed = pd.DataFrame(given.to_numpy(), columns=["v__kind", "v__age"])
    >>> with_types(mixed, given, {"v__kind": "kind", "v__age": "age"}).dtypes.astype(str).tolist()
    ['category', 'int64']
    """
    pandas = require("pandas", "A table with column names")
    frame = frame.infer_objects()
    types = dict(zip(frame.columns, frame.dtypes))
    for out, name in source.items():
        column = X[name]
        kind = str(column.dtype)
        if kind.startswith(("Enum", "Categorical")):
            order = learn_categories(X[[name]])[name]
            frame[out] = pandas.Categorical(column.to_list(), categories=order)
        elif hasattr(column, "array") and column.dtype != types[out] and "Sparse" not in kind:
            frame[out] = column.array
    return frame


def encode_categories(X: Any, categories: dict[Any, list]) -> Any:
    """Replace category columns by their codes.

    Parameters
    ----------
    X : object
        A frame, or anything else (which is returned as it is).
    categories : dict of column name to list
        What :func:`learn_categories` found in the training frame. A value that is not among them
        becomes NaN.

    Returns
    -------
    object
        A frame with float codes in the category columns; the given object is not changed.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": pd.Categorical(["s", "xl", "l"])})
    >>> encode_categories(frame, {"size": ["s", "m", "l"]})["size"].tolist()
    [0.0, nan, 2.0]
    """
    columns = set(_frame_columns(X)) if categories else set()
    for name in columns.intersection(categories):
        code = {value: float(k) for k, value in enumerate(categories[name])}
        values = X[name].to_list() if hasattr(X[name], "to_list") else list(X[name])
        codes = np.array([code.get(value, np.nan) for value in values], dtype=np.float64)
        X = _with_column(X, name, codes)
    return X


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


def _is_text(kind: str) -> bool:
    return kind in ("object", "str", "string", "String") or kind.startswith("string")


def _frame_columns(X: Any) -> list[Any]:
    if not (hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "shape")):
        return []
    return list(X.columns)


def _with_column(X: Any, name: Any, codes: np.ndarray) -> Any:
    if hasattr(X, "with_columns"):
        return X.with_columns(**{name: codes})
    changed = X.copy(deep=False)
    changed[name] = codes
    return changed


def _refuse_text(X: Any, name: Any) -> None:
    """Refuse a column of words with a way out; numbers stored as objects are left alone."""
    for value in X[name]:
        if isinstance(value, str):
            try:
                float(value)
            except ValueError:
                raise ValueError(
                    f"could not convert string to float: column {name!r} holds text such as "
                    f"{value!r}. Make it a category column (astype('category')) if its values "
                    "are few, or encode it with a scikit-learn transformer first."
                ) from None
            return
