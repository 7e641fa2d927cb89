"""Nursery with its class of two rows, made from the set that lacks them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from uneven.utils.optional import require
from uneven_published.description import Context

__all__ = ["RECOMMENDED", "whole_factorial", "whole_nursery"]

RECOMMENDED = "recommended"
"""Label of the rows that are added."""


def whole_nursery(context: Context) -> Any:
    """Nursery-s and its missing rows: every combination of the eight columns occurs once.

    Parameters
    ----------
    context : Context

    Returns
    -------
    Bunch
        ``data`` and ``target``.
    """
    kept = context.fetch("nursery_s")
    return whole_factorial(kept.data, np.asarray(kept.target), RECOMMENDED)


def whole_factorial(data: Any, target: np.ndarray, label: Any) -> Any:
    """Add the combinations of values that no row has, all with one label.

    Parameters
    ----------
    data : DataFrame of shape (n, d)
        Different rows.
    target : ndarray of shape (n,)
    label : object

    Returns
    -------
    Bunch
        ``data`` (DataFrame) and ``target``, the new rows last.

    Examples
    --------
    >>> import pandas
    >>> some = pandas.DataFrame({"a": ["x", "x", "y"], "b": ["u", "v", "u"]})
    >>> whole = whole_factorial(some, np.array(["1", "1", "2"]), "3")
    >>> whole.data.iloc[-1].tolist(), whole.target.tolist()
    (['y', 'v'], ['1', '1', '2', '3'])
    """
    pandas = require("pandas", "Completing a factorial table")
    combinations = pandas.MultiIndex.from_product([data[name].unique() for name in data.columns])
    new = combinations.difference(pandas.MultiIndex.from_frame(data), sort=True)
    rows = pandas.DataFrame(list(new), columns=data.columns).astype(data.dtypes)
    labels = np.concatenate([target.astype(object), np.full(len(rows), label, dtype=object)])
    whole = pandas.concat([data, rows], ignore_index=True)
    return Bunch(data=whole, target=labels.astype(str))
