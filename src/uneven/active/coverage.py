"""Typical rows first: one from the middle of each part of the pool that has no label yet."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

from uneven.active.registry import rule
from uneven.active.rules import balanced_votes
from uneven.active.state import QueryState
from uneven.linear.rows import row_norms, scale_rows

_MOST = 3000
"""Rows that are looked at; more are drawn from."""

_NEIGHBOURS = 20


@rule("typical_first", "typical rows of unseen parts first, then even votes")
def typical_first(state: QueryState, *, rows_per_class: float = 3.0) -> np.ndarray:
    """Typical rows of parts of the pool without label first, then the most even votes.

    With few labels a classifier does not know what it does not know, and rows that it hesitates
    about are often odd ones. Labels of typical rows teach it more.

    Parameters
    ----------
    state : QueryState
    rows_per_class : float, default=3.0
        Rows are asked for by their votes ("balanced") as soon as there are so many labels for each
        class that was seen.

    Returns
    -------
    ndarray of shape (n_candidates,)

    References
    ----------
    Hacohen, Dekel and Weinshall (2022), Active learning on a budget: opposite strategies suit high
    and low budgets.

    Examples
    --------
    >>> from uneven import ActiveLearner
    >>> X = np.repeat([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.2]], [4, 4, 9], axis=0)
    >>> X += np.random.default_rng(0).normal(scale=0.01, size=X.shape)
    >>> learner = ActiveLearner(query="typical_first", random_state=0).start(X)
    >>> bool(learner.tell([0, 4], ["a", "b"]).ask()[0] >= 8)
    True
    """
    if len(state.y) >= rows_per_class * len(state.classes):
        return balanced_votes(state)
    return typicality(state.pool.X, state.labelled, state.rng)[state.candidates]


def typicality(X: Any, taken: np.ndarray, rng: np.random.Generator, n: int = 10) -> np.ndarray:
    """How early the rows of a pool should be asked for, so that each part of it has a label.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_rows, n_features)
        Lengths of rows do not matter.
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
    lengths = row_norms(X[rows])
    unit = scale_rows(X[rows], 1.0 / np.where(lengths > 0.0, lengths, 1.0))
    parts = min(len(taken) + n, len(rows))
    part = KMeans(parts, n_init=1, random_state=int(rng.integers(2**31))).fit_predict(unit)
    near = NearestNeighbors(n_neighbors=min(_NEIGHBOURS, len(rows) - 1) + 1).fit(unit)
    apart = near.kneighbors(unit)[0].sum(axis=1)
    worth = 1.0 / (1.0 + apart + 1e-12)
    covered = np.isin(np.arange(parts), part[np.isin(rows, taken)])
    first = np.lexsort((apart, part))
    for row in first[np.unique(part[first], return_index=True)[1]]:
        if not covered[part[row]]:
            worth[row] = np.count_nonzero(part == part[row])
    found = np.full(X.shape[0], -np.inf)
    found[rows] = worth
    return found
