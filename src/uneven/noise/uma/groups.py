"""Rows grouped by predicted class and observed label."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.noise.uma._loops import count_groups
from uneven.utils.parameters import Interval

NOT_NEGATIVE = Interval(0, closed="left", says="a finite number >= 0")

UNCOUNTED = -1
"""Group of the rows that belong to no class."""


def label_weights(y: Any, n_classes: int) -> sp.csr_array:
    """Weights of the labels in every row, from labels or from such weights.

    y: (n_samples,), or array-like or sparse matrix (n_samples, n_classes), labels 0 .. n_classes -
    1, or finite weights >= 0. Returns CSR (n_samples, n_classes).

    Examples
    --------
    >>> label_weights([1, 0], 2).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    labels = y if sp.issparse(y) else np.asarray(y)
    if labels.ndim == 2:
        return check_label_weights(labels, labels.shape[0], n_classes)
    if labels.ndim != 1 or labels.dtype.kind not in "iub":
        raise ValueError(f"labels must be whole numbers from 0 to {n_classes - 1}.")
    if len(labels) and not (labels.min() >= 0 and labels.max() < n_classes):
        raise ValueError(
            f"labels run from {labels.min()} to {labels.max()}; the noise matrix knows the "
            f"labels 0 to {n_classes - 1}."
        )
    ends = np.arange(len(labels) + 1)
    return sp.csr_array((np.ones(len(labels)), labels, ends), shape=(len(labels), n_classes))


def check_label_weights(weights: Any, n_samples: int, n_classes: int) -> sp.csr_array:
    """Validate weights of the labels in every row.

    weights: (n_samples, n_classes), finite numbers >= 0. Returns CSR (n_samples, n_classes).

    Examples
    --------
    >>> check_label_weights([[0.7, 0.3]], 1, 2).toarray().tolist()
    [[0.7, 0.3]]
    """
    table = weights if sp.issparse(weights) else np.asarray(weights)
    if table.shape != (n_samples, n_classes):
        raise ValueError(
            f"label_weights has shape {table.shape}, but X has {n_samples} rows and there are "
            f"{n_classes} classes: it must be {(n_samples, n_classes)}, a column per class."
        )
    checked = sp.csr_array(table, dtype=np.float64)
    strange = checked.data[~(np.isfinite(checked.data) & (checked.data >= 0.0))]
    if len(strange):
        raise ValueError(f"label_weights must be finite numbers >= 0, got {strange[0]}.")
    return checked


def top_classes(
    scores: np.ndarray,
    alpha: float = 0.0,
    distances: np.ndarray | None = None,
    slack: np.ndarray | None = None,
) -> np.ndarray:
    """The class that each row is predicted to be, or -1 if its lead is too small.

    scores: (n_samples, n_classes); alpha: smallest lead over every other class; distances:
    (n_classes, n_classes), leads are divided by them; slack: (n_samples,), scores of a row that
    differ by no more count as equal. Returns int (n_samples,), the lower class of equals.

    Examples
    --------
    >>> top_classes(np.array([[0.5, 0.4], [0.2, 0.9]]), alpha=0.3).tolist()
    [-1, 1]
    """
    if slack is None:
        top = scores.argmax(axis=1)
    else:
        top = (scores >= (scores.max(axis=1) - slack)[:, None]).argmax(axis=1)
    if alpha <= 0.0 or scores.shape[1] < 2:
        return top
    rows = np.arange(len(top))
    lead = scores[rows, top][:, None] - scores
    if distances is not None:
        lead = np.divide(lead, distances[top], out=np.zeros_like(lead), where=distances[top] > 0)
    lead[rows, top] = np.inf
    return np.where(lead.min(axis=1) >= alpha, top, UNCOUNTED)


def group_masses(labels: sp.csr_array, group: np.ndarray | None, inverse: np.ndarray) -> np.ndarray:
    """Estimate the share of rows that are predicted p and truly of class q.

    Parameters
    ----------
    labels : CSR array of shape (n_samples, n_classes)
        Label weights, divided by the number of rows.
    group : ndarray of int, shape (n_samples,), or None
        Predicted class; -1 counts nowhere, None counts every row everywhere.
    inverse : ndarray of shape (n_classes, n_classes)

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        May be negative. Over all q it sums to the share of rows predicted p.

    Examples
    --------
    >>> labels = label_weights([0, 1, 1, 1], 2) / 4
    >>> group_masses(labels, np.array([0, 0, 1, 1]), np.eye(2)).tolist()
    [[0.25, 0.25], [0.0, 0.5]]
    """
    n_classes = len(inverse)
    if group is None:
        seen = np.broadcast_to(np.asarray(labels.sum(axis=0)).ravel(), (n_classes, n_classes))
    else:
        seen = np.zeros((n_classes, n_classes))
        count_groups(group, labels.data, labels.indices, labels.indptr, seen)
    return np.asarray(seen @ inverse.T)
