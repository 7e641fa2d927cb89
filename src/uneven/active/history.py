"""What was asked and answered, kept in a file from which a learner goes on."""

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

__all__ = [
    "History",
    "HistoryError",
    "Step",
    "answers",
    "fingerprint",
    "load_history",
    "save_history",
]

_FORMAT = 1
"""Version of the file."""

_PLAIN = "biufU"
"""Kinds of numpy arrays that JSON holds without loss."""


class HistoryError(ValueError):
    """A history file cannot be written, cannot be read, or belongs to another pool."""


@dataclass(frozen=True, eq=False)
class Step:
    """The answers of one call of ``tell``.

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


def answers(steps: list[Step]) -> tuple[np.ndarray, np.ndarray]:
    """Rows with their labels after some steps.

    Parameters
    ----------
    steps : list of Step

    Returns
    -------
    rows : ndarray of int, shape (n_labelled,)
        In the order in which they got the label that they have now.
    labels : ndarray of shape (n_labelled,)

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

    Parameters
    ----------
    X : ndarray or CSR of shape (n_rows, n_features), frame or array of texts

    Returns
    -------
    str
        Shape and hash of the values; of a sparse table only the stored ones are read.

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

    Parameters
    ----------
    history : History
    path : str or path-like
        A JSON file. One of that name is replaced.
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

    Parameters
    ----------
    path : str or path-like
        A file that `save_history` wrote.

    Returns
    -------
    History
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
        words = str(content["pool"]), str(content["query"])
        return History(*words, dict(content["generator"]), steps)
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
