"""Typical rows: one from the middle of each part of a pool that has no label yet.

Among the first labels, those of typical rows are the most informative: odd rows are far
from the others and hardly informative about them.

References
----------
Hacohen, Dekel and Weinshall (2022), Active learning on a budget: opposite strategies suit high and
low budgets.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors

from uneven.linear.rows import row_norms, scale_rows

_MOST = 3000
"""Rows that are looked at; more are drawn from."""

_NEIGHBOURS = 20


def typicality(X: Any, taken: np.ndarray, rng: np.random.Generator, n: int = 10) -> np.ndarray:
    """How early the rows of a pool should be queried, so that each part of it has a label.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_rows, n_features)
        Lengths of sparse rows do not matter.
    taken : ndarray of int, shape (n_taken,)
        Rows that have a label.
    rng : Generator
    n : int, default=10
        Parts beyond the number of rows taken.

    Returns
    -------
    ndarray of shape (n_rows,)
        Size of its part for the most typical row of each part without label, the nearest to its 20
        nearest neighbours; below 1 for others, by their likeness to their neighbours; -inf for rows
        that were not looked at, where there are more than 3000.
    """
    rows = np.arange(X.shape[0])
    if len(rows) > _MOST:
        free = np.setdiff1d(rows, taken)
        rows = np.sort(np.concatenate([taken, rng.choice(free, _MOST, replace=False)]))
    some = _directions(X[rows]) if sp.issparse(X) else X[rows]
    n_different = len(rows) if sp.issparse(X) else len(np.unique(some, axis=0))
    parts = min(len(taken) + n, n_different)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer parts, if rows are the same
        part = KMeans(parts, n_init=1, random_state=int(rng.integers(2**31))).fit_predict(some)
    near = NearestNeighbors(n_neighbors=min(_NEIGHBOURS, len(rows) - 1) + 1).fit(some)
    apart = near.kneighbors(some)[0].sum(axis=1)
    worth = 1.0 / (1.0 + apart + 1e-12)
    covered = np.isin(np.arange(parts), part[np.isin(rows, taken)])
    first = np.lexsort((apart, part))
    for row in first[np.unique(part[first], return_index=True)[1]]:
        if not covered[part[row]]:
            worth[row] = np.count_nonzero(part == part[row])
    found = np.full(X.shape[0], -np.inf)
    found[rows] = worth
    return found


def _directions(X: Any) -> Any:
    """Rows scaled to unit length."""
    lengths = row_norms(X)
    return scale_rows(X, 1.0 / np.where(lengths > 0.0, lengths, 1.0))
