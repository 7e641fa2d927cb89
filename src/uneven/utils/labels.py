"""Labels of which some are missing."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d


def split_labels(y: Any, unlabelled: Any = -1) -> tuple[np.ndarray, np.ndarray]:
    """Find the rows that have a label.

    A row has no label where ``y`` is None or NaN (also a missing value of a pandas or polars
    column), and where it equals ``unlabelled``.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    unlabelled : number, str or None, default=-1
        A further mark of rows without label. Numbers mark numbers and text marks text.

    Returns
    -------
    labelled : ndarray of bool, shape (n_samples,)
    labels : ndarray of shape (n_labelled,)
        The labels there are, in order.

    Examples
    --------
    >>> split_labels([2, -1, 3, -1])
    (array([ True, False,  True, False]), array([2, 3]))
    >>> split_labels(["cat", None, "dog", float("nan")])
    (array([ True, False,  True, False]), array(['cat', 'dog'], dtype='<U3'))
    """
    labelled, values = find_labels(y, unlabelled)
    if not labelled.any():
        raise ValueError(
            f"y holds no label at all: each of its {len(values)} entries is missing"
            + (f" or {unlabelled!r}." if unlabelled is not None else ".")
        )
    return labelled, as_classes(values[labelled])


def as_classes(labels: np.ndarray) -> np.ndarray:
    """Labels in the plainest type that holds them, refused if they are no classes.

    labels: (n_labels,), none is missing.

    Examples
    --------
    >>> as_classes(np.array(["cat", "dog"], dtype=object)).dtype.kind
    'U'
    """
    plain = _plain(labels)
    check_classification_targets(plain)
    return plain


def find_labels(y: Any, unlabelled: Any = -1) -> tuple[np.ndarray, np.ndarray]:
    """Where there is a label; there need not be any.

    Parameters
    ----------
    y, unlabelled
        See `split_labels`.

    Returns
    -------
    labelled : ndarray of bool, shape (n_samples,)
    values : ndarray of shape (n_samples,)
        All entries, those without label included.

    Examples
    --------
    >>> find_labels([None, -1])[0].tolist()
    [False, False]
    """
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: give every row a label or a mark "
            "that it has none."
        )
    values = column_or_1d(_as_array(y), warn=True)
    return ~(_missing(values) | _marked(values, unlabelled)), values


def _as_array(y: Any) -> np.ndarray:
    """Keep None and NaN apart from text, which numpy would join."""
    return np.asarray(y, dtype=object) if isinstance(y, list | tuple) else np.asarray(y)


def _missing(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    return np.fromiter((_is_missing(value) for value in values), bool, len(values))


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Number) and value != value


def _marked(values: np.ndarray, mark: Any) -> np.ndarray:
    """Where the mark stands; text is compared with text only, numbers with numbers only."""
    nowhere = np.zeros(len(values), dtype=bool)
    if mark is None:
        return nowhere
    is_text = isinstance(mark, str)
    if not is_text and not isinstance(mark, Number):
        raise ValueError(f"unlabelled must be a number, a text or None, got {mark!r}.")
    if values.dtype.kind == "O":
        same = (
            not _is_missing(value) and isinstance(value, str) == is_text and bool(value == mark)
            for value in values
        )
        return np.fromiter(same, bool, len(values))
    if (values.dtype.kind in "UT") != is_text:
        return nowhere
    return np.asarray(values == mark, dtype=bool)


def _plain(labels: np.ndarray) -> np.ndarray:
    """Labels of one kind, in numpy's own type for them."""
    if labels.dtype.kind != "O":
        return labels
    texts = sum(isinstance(label, str) for label in labels)
    if 0 < texts < len(labels):
        other = next(label for label in labels if not isinstance(label, str))
        raise ValueError(
            f"y mixes text with other labels ({other!r}): write all of them as text, and None "
            "where there is no label."
        )
    return np.asarray(labels.tolist())
