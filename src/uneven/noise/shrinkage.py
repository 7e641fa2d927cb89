"""An uncertain noise matrix, moved towards what all classes have in common."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, softmax

_CONCENTRATIONS = np.geomspace(0.1, 1000.0, 25)
"""Rows that the common shares may count as; each is as probable as another before rows are seen."""


def shrink_columns(matrix: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Move each column towards that of all classes together, as far as the classes are alike.

    Inverting a matrix multiplies its errors. Columns that few rows stand behind are mostly error,
    and what all classes have in common is known much better. Two things may be in common: how many
    labels are right, and which labels the wrong ones are. Each has a Dirichlet prior around the
    shares of all classes together. How many rows that prior counts as is not known; the estimate is
    the mean over what the counts of all classes make probable. So shares that differ from class to
    class stay as they are, however few rows there are of each.

    Parameters
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        Column = true class, row = observed label; columns sum to 1.
    sizes : ndarray of shape (n_classes,)
        (Effective) number of rows behind each column.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Columns without rows do not change: they are assumed.

    References
    ----------
    I. J. Good (1965), *The estimation of probabilities: an essay on modern Bayesian methods*.

    Examples
    --------
    >>> matrix = np.array([[0.9, 0.4, 0.0], [0.1, 0.6, 0.0], [0.0, 0.0, 1.0]])
    >>> shrink_columns(matrix, np.array([1000.0, 5.0, 1000.0])).round(1)
    array([[0.9, 0.2, 0. ],
           [0.1, 0.7, 0. ],
           [0. , 0. , 1. ]])
    """
    k, seen = len(matrix), np.flatnonzero(sizes > 0.0)
    if k < 2 or not len(seen):
        return matrix
    counts = matrix[:, seen] * sizes[seen]
    is_right = np.eye(k, dtype=bool)[:, seen]
    right, wrong = counts[is_right], np.where(is_right, 0.0, counts)
    kept = (right.sum() + 0.5) / (sizes[seen].sum() + 1.0)
    common = np.tile([[kept], [1.0 - kept]], (1, len(seen)))
    right_share, wrong_share = _posterior_mean(np.array([right, wrong.sum(axis=0)]), common)
    others = np.where(is_right, 0.0, wrong.sum(axis=1)[:, None] + 1.0 / k)
    spread = _posterior_mean(wrong, others / others.sum(axis=0))
    found = matrix.copy()
    found[:, seen] = np.where(is_right, right_share, wrong_share * spread)
    return found


def _posterior_mean(counts: np.ndarray, common: np.ndarray) -> np.ndarray:
    """Shares of each column with a Dirichlet prior around common ones, (n_outcomes, n_columns).

    Parameters
    ----------
    counts, common : ndarray of shape (n_outcomes, n_columns)
        Outcomes whose common share is zero do not occur.
    """
    sizes, prior = counts.sum(axis=0), common[common > 0.0]
    evidence, means = [], []
    for rows in _CONCENTRATIONS:
        drawn = gammaln(counts[common > 0.0] + rows * prior) - gammaln(rows * prior)
        evidence.append(drawn.sum() + (gammaln(rows) - gammaln(sizes + rows)).sum())
        means.append((counts + rows * common) / (sizes + rows))
    return np.tensordot(softmax(evidence), means, axes=1)
