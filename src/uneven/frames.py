"""Category columns of data frames, turned into ordered codes at an estimator's door.

Works on pandas and polars frames without importing either: only their column types are looked at.
Everything else passes through untouched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["encode_categories", "learn_categories"]


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
    for name in names:
        kind = str(X[name].dtype)
        if kind.startswith("Enum"):
            found[name] = list(X[name].dtype.categories)
        elif kind.startswith("Categorical"):
            found[name] = sorted(X[name].unique().drop_nulls().to_list())
        elif kind == "category":
            found[name] = X[name].cat.categories.tolist()
        elif kind in ("object", "str", "string", "String") or kind.startswith("string"):
            _refuse_text(X, name)
    return found


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
    present = [name for name in categories if name in _frame_columns(X)]
    for name in present:
        code = {value: float(k) for k, value in enumerate(categories[name])}
        values = X[name].to_list() if hasattr(X[name], "to_list") else list(X[name])
        codes = np.array([code.get(value, np.nan) for value in values], dtype=np.float64)
        X = _with_column(X, name, codes)
    return X


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
