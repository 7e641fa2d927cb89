"""Several questions at once: rows that tell much and do not all tell the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.active.pools import Pool
from uneven.active.spread import spread_rows
from uneven.active.state import QueryState
from uneven.linear.expansions import gram, kernel_parameters

__all__ = ["BATCHES", "pick_batch", "pick_first"]

BATCHES = ("diverse", "best")
"""Ways to take several rows at once."""

_SHORTLIST = (10, 200)
"""How many of the best rows are compared: so many per row of the batch, and at least so many."""

_WEIGHT = 0.5
"""How much the utility counts beside the likeness to the rows already taken."""


def pick_batch(
    how: str, state: QueryState, utilities: np.ndarray, n: int, ties: str = "first"
) -> np.ndarray:
    """Take the rows to ask for, one after another.

    Parameters
    ----------
    how : {"diverse", "best"}
        "best" takes the highest utilities. "diverse" gives up some utility for rows that point in
        other directions than those of the batch so far, in the space of the kernel; it is "best"
        where rows have no directions: texts, frames with words, tables with NaN.
    state : QueryState
    utilities : ndarray of shape (n_candidates,)
        Rows of utility -inf come last.
    n : int
    ties : {"first", "random"}, default="first"
        Which of several rows of the same utility to take.

    Returns
    -------
    ndarray of int, shape (min(n, n_candidates),)
        Positions in ``state.candidates``, in the order in which they were taken.

    Notes
    -----
    Each row of a diverse batch has the highest sum of its utility, scaled to between 0 and 1, and
    of one minus its largest absolute cosine with the rows taken before, both weighing the same.
    Only the best rows are compared, 10 for each row of the batch and at least 200, so that the
    size of the pool does not matter. The source measures utility by the distance from the
    hyperplane of an SVM; any rule will do here.

    References
    ----------
    Brinker (2003), Incorporating diversity in active learning with support vector machines.

    Examples
    --------
    The best row is there twice; another one is nearly as good:

    >>> from uneven import ActiveLearner, BayesPointClassifier
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.6, 0.8], [0.8, -0.6], [0.0, 2.0]])
    >>> learner = ActiveLearner(BayesPointClassifier("linear")).start(X).tell([0, 1], ["a", "b"])
    >>> state, utilities = learner.state(), np.array([1.0, 1.0, 0.9, 0.1])
    >>> [state.candidates[pick_batch(how, state, utilities, 2)].tolist() for how in BATCHES]
    [[2, 4], [2, 3]]
    """
    if how == "best" or n <= 1 or not state.pool.is_numeric:
        return _best(utilities, n, ties, state.rng)
    few = _best(utilities, max(_SHORTLIST[0] * n, _SHORTLIST[1]), ties, state.rng)
    return few[_spread_out(_scaled(utilities[few]), _cosines(state, few), min(n, len(few)))]


def pick_first(pool: Pool, taken: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Take the rows to ask for before there is a classifier.

    Parameters
    ----------
    pool : Pool
    taken : ndarray of int, shape (n_taken,)
        Rows that have a label.
    n : int
        At most as many as there are rows left.
    rng : Generator

    Returns
    -------
    ndarray of int, shape (n,)
        Rows spread over the pool, see `uneven.active.spread`; any, if rows have no directions.

    Examples
    --------
    >>> texts = np.array(["one", "two", "three"], dtype=object)
    >>> sorted(pick_first(Pool(texts), np.array([1]), 2, np.random.default_rng(0)).tolist())
    [0, 2]
    """
    if pool.is_numeric:
        return spread_rows(pool.X, taken, n, rng)
    return rng.choice(np.setdiff1d(np.arange(len(pool)), taken), n, replace=False)


def _best(utilities: np.ndarray, n: int, ties: str, rng: np.random.Generator) -> np.ndarray:
    """Positions of the n highest utilities, the highest first; large pools are not sorted."""
    among = np.arange(len(utilities))
    if n < len(utilities):
        among = np.flatnonzero(utilities >= np.partition(utilities, -n)[-n])
    if ties == "first":
        order = np.argsort(-utilities[among], kind="stable")
    else:
        order = np.lexsort((rng.random(len(among)), -utilities[among]))
    return among[order[:n]]


def _scaled(utilities: np.ndarray) -> np.ndarray:
    """Utilities between 0 and 1; -inf stays."""
    finite = np.isfinite(utilities)
    if not finite.any():
        return utilities
    low, high = utilities[finite].min(), utilities[finite].max()
    return (np.minimum(utilities, high) - low) / (high - low if high > low else 1.0)


def _spread_out(worth: np.ndarray, cosines: np.ndarray, n: int) -> np.ndarray:
    """Greedy choice of n rows by worth and unlikeness."""
    taken: list[int] = []
    free = np.ones(len(worth), dtype=bool)
    nearest = np.zeros(len(worth))
    for _ in range(n):
        merit = _WEIGHT * worth - (1.0 - _WEIGHT) * nearest
        best = int(np.flatnonzero(free)[merit[free].argmax()])
        taken.append(best)
        free[best] = False
        nearest = np.maximum(nearest, np.abs(cosines[best]))
    return np.array(taken, dtype=np.intp)


def _cosines(state: QueryState, few: np.ndarray) -> np.ndarray:
    """Cosines between candidates in the space of the kernel, shape (len(few), len(few))."""
    space = state.geometry
    where = state.candidates[few]
    if space.kernel == "precomputed":
        values: Any = state.pool.X[where][:, where]
    else:
        seen = state.rows(state.labelled)
        params = kernel_parameters(seen, space.kernel, space.gamma, space.degree, space.coef0)
        values = gram(state.pool.X[where], None, space.kernel, **params)
    values = values.toarray() if sp.issparse(values) else values
    values = values + float(bool(space.fit_intercept))
    lengths = np.sqrt(np.clip(values.diagonal(), 0.0, None))
    lengths = np.where(lengths > 0.0, lengths, 1.0)
    return values / lengths / lengths[:, None]
