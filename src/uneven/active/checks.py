"""What may be told to a learner, and what a query rule may return."""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.noise.partial_labels import split_labels

__all__ = ["check_answers", "check_utilities", "join_labels"]


def check_utilities(utilities: np.ndarray, n_candidates: int) -> None:
    """Refuse what is not one number for each candidate.

    Parameters
    ----------
    utilities : ndarray
        What a query rule returned.
    n_candidates : int
    """
    if utilities.shape != (n_candidates,):
        raise ValueError(
            f"the query rule returned shape {utilities.shape}; expected one number for each of "
            f"the {n_candidates} candidates."
        )
    if np.isnan(utilities).any():
        raise ValueError("the query rule returned NaN: utilities must be numbers or -inf.")


def check_answers(rows: Any, labels: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Refuse answers that are not one label for each of some different rows.

    Parameters
    ----------
    rows : array-like of int, shape (n,), or int
    labels : array-like of shape (n,), or one label
    n_rows : int
        Rows of the pool.

    Returns
    -------
    rows : ndarray of int, shape (n,)
    labels : ndarray of shape (n,)
        In numpy's own type for them.
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
    labelled, given = split_labels(labels, unlabelled=None)
    if not labelled.all():
        raise ValueError(f"the label of row {rows[~labelled][0]} is missing.")
    return rows.astype(np.intp), given


def join_labels(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Labels so far and new ones, which must be of one kind.

    Parameters
    ----------
    old : ndarray of shape (n,)
    new : ndarray of shape (m,)

    Returns
    -------
    ndarray of shape (n + m,)

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
