"""The labels so far: checked, joined, and kept in a file from which a learner continues."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.utils.files import replace_file
from uneven.utils.labels import as_classes, find_labels, split_labels

_FORMAT = 1
"""Version of the file."""

_PLAIN = "biufU"
"""Kinds of numpy arrays that JSON holds without loss."""


class HistoryError(ValueError):
    """A history file cannot be written, cannot be read, or belongs to another pool."""


@dataclass(frozen=True, eq=False)
class Step:
    """The labels of one call of ``tell``.

    Attributes
    ----------
    rows : ndarray of int, shape (n,)
        Rows of the pool.
    labels : ndarray of shape (n,)
    """

    rows: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class History:
    """What a history file holds.

    Attributes
    ----------
    pool : str
        Fingerprint of the pool.
    query : str
        Name of the query rule; empty if it was a function without a name.
    generator : dict of str to object
        State of the random generator after the last step.
    steps : list of Step
    """

    pool: str
    query: str
    generator: dict[str, Any]
    steps: list[Step]


def split_known(
    labels: Any, unlabelled: Any, n_rows: int, *, needed: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Rows that have a label from the start, and their labels.

    labels: (n_rows,), or None, empty text is no label; unlabelled: a further mark of rows without
    label; needed: refuse labels that are all missing. Returns rows: int (n_labelled,); labels:
    (n_labelled,).

    Examples
    --------
    >>> split_known(["cat", "", None, "dog"], -1, 4)
    (array([0, 3]), array(['cat', 'dog'], dtype='<U3'))
    """
    if labels is None and not needed:
        return np.empty(0, dtype=np.intp), np.empty(0)
    known, values = find_labels(labels, unlabelled)
    known &= find_labels(values, "")[0]
    if len(known) != n_rows:
        raise ValueError(
            f"labels has {len(known)} entries, the pool {n_rows} rows: give one per row, None "
            "where there is no label yet."
        )
    if not known.any() and not needed:
        return np.empty(0, dtype=np.intp), np.empty(0)
    return np.flatnonzero(known), split_labels(values[known], None)[1]


def check_answers(rows: Any, labels: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Refuse labels that are not one label for each of some different rows.

    rows: int (n,), or int; labels: (n,), or one label; n_rows: rows of the pool. Returns rows: int
    (n,); labels: (n,), in numpy's own type for them.
    """
    rows = np.atleast_1d(np.asarray(rows))
    mixed = isinstance(labels, list | tuple)
    labels = np.atleast_1d(np.asarray(labels, dtype=object if mixed else None))
    if rows.ndim != 1 or labels.shape != rows.shape:
        raise ValueError(
            f"rows has shape {rows.shape} and labels {labels.shape}: give one label per row."
        )
    if not rows.size:
        return rows.astype(np.intp), labels
    if rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n_rows:
        raise ValueError(f"rows must be whole numbers from 0 to {n_rows - 1}, rows of the pool.")
    twice, counts = np.unique(rows, return_counts=True)
    if (counts > 1).any():
        raise ValueError(f"row {twice[counts > 1][0]} is there more than once.")
    labelled, values = find_labels(labels, "")
    if not labelled.all():
        raise ValueError(f"the label of row {rows[~labelled][0]} is missing.")
    return rows.astype(np.intp), as_classes(values)


def join_labels(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Labels so far and new ones, which must be of one kind.

    old: (n,); new: (m,). Returns (n + m,).

    Examples
    --------
    >>> join_labels(np.array([0, 1]), np.array(["yes"]))
    Traceback (most recent call last):
        ...
    ValueError: labels so far are [0, 1], the new ones ['yes']: text and numbers cannot be classes
        of one problem.
    """
    if not len(old) or not len(new):
        return new if len(new) else old
    if (old.dtype.kind in "OUST") != (new.dtype.kind in "OUST"):
        raise ValueError(
            f"labels so far are {old[:3].tolist()}, the new ones {new[:3].tolist()}: text and "
            "numbers cannot be classes of one problem."
        )
    return np.concatenate([old, new])


def answers(steps: list[Step]) -> tuple[np.ndarray, np.ndarray]:
    """Rows with their labels after some steps.

    Returns rows: int (n_labelled,), in the order in which they got the label that they have now;
    labels: (n_labelled,).

    Examples
    --------
    >>> first = Step(np.array([4, 2]), np.array(["a", "b"]))
    >>> answers([first, Step(np.array([4]), np.array(["b"]))])
    (array([2, 4]), array(['b', 'b'], dtype='<U1'))
    """
    if not steps:
        return np.empty(0, dtype=np.intp), np.empty(0)
    rows = np.concatenate([step.rows for step in steps])
    labels = np.concatenate([step.labels for step in steps])
    _, last = np.unique(rows[::-1], return_index=True)
    kept = np.sort(len(rows) - 1 - last)
    return rows[kept], labels[kept]


def fingerprint(X: Any) -> str:
    """A short text that differs between tables.

    X: (n_rows, n_features), frame or array of texts. Returns shape and hash of the values; of a
    sparse table only the stored ones are read.

    Examples
    --------
    >>> fingerprint(np.eye(2)) == fingerprint(np.asfortranarray(np.eye(2)))
    True
    >>> fingerprint(np.eye(2)) == fingerprint(2 * np.eye(2))
    False
    """
    if sp.issparse(X):
        X = X if X.has_sorted_indices else X.sorted_indices()
        kind, parts = "sparse", [X.data, X.indices, X.indptr]
    elif isinstance(X, np.ndarray) and X.dtype != object:
        kind, parts = "dense", [X]
    else:
        kind, parts = "mixed", [_spelt(X)]
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(np.ascontiguousarray(part).data)
    return f"{kind} {' x '.join(map(str, X.shape))} {digest.hexdigest()}"


def _spelt(X: Any) -> np.ndarray:
    """Names of columns and cells of a frame or an array of objects, as bytes."""
    names = [str(name) for name in getattr(X, "columns", ())]
    cells = np.asarray(X, dtype=object).ravel().tolist()
    text = "\x1f".join([*names, *map(str, cells)])
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)


def save_history(history: History, path: str | os.PathLike[str]) -> None:
    """Write a history; the file appears whole or not at all.

    path: a JSON file. One of that name is replaced.
    """
    content = {
        "format": _FORMAT,
        "pool": history.pool,
        "query": history.query,
        "generator": history.generator,
        "steps": [_step_out(step) for step in history.steps],
    }
    with replace_file(path) as draft:
        draft.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


def load_history(path: str | os.PathLike[str]) -> History:
    """Read a history.

    path: a file that `save_history` wrote.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise HistoryError(f"{path} is no history of a learner, or is damaged: {error}.") from None
    version = content.get("format") if isinstance(content, dict) else None
    if version != _FORMAT:
        raise HistoryError(
            f"{path} is no history of a learner that this version can read: it says format "
            f"{version!r}, expected {_FORMAT}."
        )
    try:
        steps = [_step_in(step) for step in content["steps"]]
        pool, query = str(content["pool"]), str(content["query"])
        return History(pool, query, dict(content["generator"]), steps)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise HistoryError(f"{path} is damaged: {type(error).__name__} {error}.") from None


def _step_out(step: Step) -> dict[str, Any]:
    labels = step.labels
    if labels.dtype.kind == "T":
        labels = labels.astype(str)
    if labels.dtype.kind == "O":
        values = [label.item() if isinstance(label, np.generic) else label for label in labels]
        unknown = [value for value in values if not isinstance(value, str | int | float)]
    else:
        values, unknown = labels.tolist(), []
    if unknown or labels.dtype.kind not in _PLAIN + "O":
        wrong = unknown[0] if unknown else labels[0]
        raise HistoryError(
            f"label {wrong!r} cannot be saved: labels must be text, numbers, True or False."
        )
    return {"rows": step.rows.tolist(), "type": labels.dtype.str, "labels": values}


def _step_in(step: dict[str, Any]) -> Step:
    rows, kind = np.array(step["rows"], dtype=np.intp), np.dtype(step["type"])
    if kind.kind not in _PLAIN + "O" or rows.ndim != 1:
        raise ValueError(f"a step holds labels of type {step['type']!r}")
    labels = np.array(step["labels"], dtype=kind)
    if labels.shape != rows.shape:
        raise ValueError(f"a step holds {len(rows)} rows and labels of shape {labels.shape}")
    return Step(rows, labels)
