"""Columns that say which rows belong together: one patient, one machine, one document.

If rows of a group are in the training and in the held-out rows, a method recognises the group and
not the class. A key has few rows per value; these have one label, or resemble each other.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from uneven.comparison.celltexts import distinct_texts
from uneven.comparison.roles import ID_NAME

FEWEST_GROUPS, MANY_GROUPS, MOST_IN_GROUP = 10, 20, 50
PURE, AGREE = 0.95, 0.8
"""Share of rows with the label of their group; intraclass correlation of a number."""

MOST_ALIKE, SOME_GROUPS = 3, 300
"""Keys by resemblance, and groups that are looked at for it."""


def group_keys(
    frame: pd.DataFrame, y: NDArray, X: pd.DataFrame | None = None
) -> dict[str, NDArray[np.intp]]:
    """Columns whose values have few rows with one label, more than by chance, or rows that agree.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
        Columns as they were given.
    y : ndarray of shape (n,)
    X : DataFrame of shape (n, any), optional
        What is learnt from: numbers of it that agree within groups tell a group, too.

    Returns
    -------
    dict of str to ndarray of shape (n,)
        Number of the group of each row.

    Examples
    --------
    >>> frame = pd.DataFrame({"patient": np.repeat(np.arange(12), 4), "age": np.arange(48) % 9})
    >>> list(group_keys(frame, np.repeat(["sick", "well"] * 6, 4)))
    ['patient']
    """
    found, alike = dict[str, NDArray[np.intp]](), dict[str, NDArray[np.intp]]()
    labels, classes = pd.factorize(y)
    for name in frame.columns:
        values = frame[name]
        if types.is_float_dtype(values.dtype) and _has_fractions(values):
            continue
        if types.is_bool_dtype(values.dtype) or types.is_datetime64_any_dtype(values.dtype):
            continue
        numeric = types.is_numeric_dtype(values.dtype)
        if not numeric and X is not None and str(name) in X and _has_fractions(X[str(name)]):
            continue  # prices
        codes, distinct = _whole_numbers(values) if numeric else distinct_texts(values)
        n_groups = len(distinct) + bool((codes < 0).any())
        if n_groups < max(FEWEST_GROUPS, 2 * len(classes)) or len(y) < 2 * n_groups:
            continue
        codes = np.where(codes < 0, len(distinct), codes)
        if _tells_label(codes, labels, len(classes)):
            found[str(name)] = codes
            continue
        small = n_groups >= MANY_GROUPS and len(y) <= MOST_IN_GROUP * n_groups
        others = X.drop(columns=str(name), errors="ignore") if X is not None and small else None
        if others is not None and _rows_agree(codes, others):
            alike[str(name)] = codes
    if len(alike) > MOST_ALIKE:  # columns that go together, not keys
        alike = {name: codes for name, codes in alike.items() if ID_NAME.search(name)}
    return found | dict(list(alike.items())[:MOST_ALIKE])


def _tells_label(codes: NDArray[np.intp], labels: NDArray[np.intp], n_classes: int) -> bool:
    """Whether nearly all rows have the label of their group, and not by chance."""
    purity = _purity(codes, labels, n_classes)
    if purity < PURE:
        return False
    chance = _purity(codes, np.random.default_rng(0).permutation(labels), n_classes)
    return purity - chance >= (1.0 - chance) / 2


def _rows_agree(codes: NDArray[np.intp], X: pd.DataFrame) -> bool:
    """Whether a number hardly varies within groups: its intraclass correlation is high."""
    rng = np.random.default_rng(0)
    n_groups = int(codes.max()) + 1
    drawn = np.zeros(n_groups, dtype=bool)
    drawn[rng.permutation(n_groups)[:SOME_GROUPS]] = True
    rows = np.flatnonzero(drawn[codes])[: SOME_GROUPS * MOST_IN_GROUP]
    groups = np.unique(codes[rows], return_inverse=True)[1]
    sizes = np.bincount(groups)
    if len(sizes) < 2 or len(rows) <= len(sizes):
        return False
    for _, column in X.select_dtypes("number").items():
        cells = column.to_numpy(np.float64)[rows]
        cells = np.where(np.isnan(cells), np.nanmean(cells) if (cells == cells).any() else 0, cells)
        centres = np.bincount(groups, cells) / sizes
        within = ((cells - centres[groups]) ** 2).sum() / (len(rows) - len(sizes))
        total = ((cells - cells.mean()) ** 2).sum() / (len(rows) - 1)
        if total > 0.0 and 1.0 - within / total >= AGREE:
            return True
    return False


def is_pure(codes: NDArray[np.intp], labels: NDArray[np.intp]) -> bool:
    """Whether nearly all rows have the label of their group."""
    return _purity(codes, labels, int(labels.max()) + 1) >= PURE


def _whole_numbers(values: pd.Series) -> tuple[NDArray[np.intp], NDArray]:
    """Which of the different numbers each row has, and these; -1 for none."""
    if values.hasnans or not types.is_integer_dtype(values.dtype):
        codes, found = pd.factorize(values)
        return codes, np.asarray(found)
    numbers = values.to_numpy(np.int64)
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= len(numbers):
        codes, found = pd.factorize(numbers)
        return codes, found
    there = np.bincount(numbers - low) > 0
    return (np.cumsum(there) - 1)[numbers - low], np.flatnonzero(there) + low


def _has_fractions(values: pd.Series) -> bool:
    """Whether numbers are no whole ones; the first rows mostly tell."""
    if not types.is_numeric_dtype(values.dtype):
        return False
    return any((some.dropna() % 1 != 0).any() for some in (values.iloc[:1000], values))


def _purity(codes: NDArray[np.intp], labels: NDArray[np.intp], n_classes: int) -> float:
    """Share of the rows that have the most frequent label of their group."""
    size = (codes.max() + 1) * n_classes
    counts = np.bincount(codes * n_classes + labels, minlength=size).reshape(-1, n_classes)
    return float(counts.max(axis=1).sum() / len(labels))
