"""Which rows to query: batches of dissimilar rows, and the first rows of all.

Before anything is known the first rows are typical ones of a dense pool, and point in different
directions in a sparse one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.active.state import Pool, QueryState
from uneven.active.typicality import typicality
from uneven.linear.rows import row_norms, scale_rows

BATCHES = ("diverse", "best", "gradients")
"""Ways to take several rows at once."""

_SHORTLIST = (10, 200)
"""How many of the best rows are compared: so many per row of the batch, and at least so many."""

_WEIGHT = 0.5
"""Weight of the utility against the similarity to the rows already taken."""


def pick_batch(
    how: str, state: QueryState, utilities: np.ndarray, n: int, ties: str = "first"
) -> np.ndarray:
    """Select the rows to query, one after another.

    Parameters
    ----------
    how : {"diverse", "best", "gradients"}
        "best" takes the highest utilities. "diverse" gives up some utility for rows that point in
        other directions than those of the batch so far, in the space of the kernel. "gradients"
        (BADGE) looks at utilities for its first row only: it draws rows whose labels would push the
        classifier far, and in different directions, among those whose utility is not -inf (100 with
        the rule "herding"). Both are "best" where rows have no directions:
        texts, frames with words, tables with NaN.
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

    "gradients" draws as the seeds of k-means are drawn, from products of each row, in the space of
    the kernel, with its vote minus the indicator of its best class: the gradient of the log-loss if
    that class were true.

    References
    ----------
    Brinker (2003), Incorporating diversity in active learning with support vector machines. Ash,
    Zhang, Krishnamurthy, Langford and Agarwal (2020), Deep batch active learning by diverse,
    uncertain gradient lower bounds.

    Examples
    --------
    The best row is there twice; another one is nearly as good:

    >>> from uneven import ActiveLearner, BayesPointClassifier
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.6, 0.8], [0.8, -0.6], [0.0, 2.0]])
    >>> learner = ActiveLearner(BayesPointClassifier("linear")).start(X).tell([0, 1], ["a", "b"])
    >>> state, utilities = learner.state(), np.array([1.0, 1.0, 0.9, 0.1])
    >>> [state.candidates[pick_batch(how, state, utilities, 2)].tolist() for how in BATCHES[:2]]
    [[2, 4], [2, 3]]
    """
    if how == "best" or n <= 1 or not state.pool.is_numeric:
        return best_positions(utilities, n, ties, state.rng)
    if how == "gradients":
        return _pushes(state, utilities, n)
    few = best_positions(utilities, max(_SHORTLIST[0] * n, _SHORTLIST[1]), ties, state.rng)
    return few[
        _spread_out(_scaled(utilities[few]), state.cosines(state.candidates[few]), min(n, len(few)))
    ]


def pick_first(pool: Pool, taken: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Select the rows to query before there is a classifier.

    taken: int (n_taken,), rows that have a label; n: at most as many as there are rows left.
    Returns int (n,): in a dense pool the most typical rows of the largest parts without label, see
    `uneven.active.typicality`; in a sparse one rows of different directions, see `spread_rows`;
    any, if rows are not finite numbers.

    Examples
    --------
    >>> texts = np.array(["one", "two", "three"], dtype=object)
    >>> sorted(pick_first(Pool(texts), np.array([1]), 2, np.random.default_rng(0)).tolist())
    [0, 2]
    """
    if not pool.is_numeric:
        return rng.choice(np.setdiff1d(np.arange(len(pool)), taken), n, replace=False)
    if sp.issparse(pool.X):
        return spread_rows(pool.X, taken, n, rng)
    worth = typicality(pool.X, taken, rng, n)
    worth[taken] = -np.inf
    return best_positions(worth, n)


def check_utilities(utilities: np.ndarray, n_candidates: int) -> None:
    """Refuse what is not one number for each candidate.

    utilities: what a query rule returned.
    """
    if utilities.shape != (n_candidates,):
        raise ValueError(
            f"the query rule returned shape {utilities.shape}; expected one number for each of "
            f"the {n_candidates} candidates."
        )
    if np.isnan(utilities).any():
        raise ValueError("the query rule returned NaN: utilities must be numbers or -inf.")


def best_positions(
    utilities: np.ndarray, n: int, ties: str = "first", rng: np.random.Generator | None = None
) -> np.ndarray:
    """Positions of the n highest utilities, the highest first; large pools are not sorted."""
    if n == 1 and ties == "first" and len(utilities):
        return np.array([utilities.argmax()])
    among = np.arange(len(utilities))
    if n < len(utilities):
        among = np.flatnonzero(utilities >= np.partition(utilities, -n)[-n])
    if ties == "first" or rng is None:
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


def _pushes(state: QueryState, utilities: np.ndarray, n: int) -> np.ndarray:
    """Draw n rows whose gradients are long and apart; the first has the highest utility."""
    votes = state.votes()
    pull = votes - np.eye(votes.shape[1])[votes.argmax(axis=1)]
    squared = (pull**2).sum(axis=1)
    free = np.isfinite(utilities)
    apart = np.full(len(votes), np.inf)
    taken = [int(utilities.argmax())]
    while len(taken) < min(n, len(votes)):
        last = taken[-1]
        free[last] = False
        likeness = state.cosines(state.candidates, state.candidates[[last]])[:, 0]
        inner = (pull @ pull[last]) * likeness
        apart = np.minimum(apart, np.clip(squared + squared[last] - 2.0 * inner, 0.0, None))
        chance = np.where(free, apart, 0.0)
        if not chance.sum() > 0.0:
            chance = np.isin(np.arange(len(votes)), taken, invert=True).astype(np.float64)
        taken.append(int(state.rng.choice(len(chance), p=chance / chance.sum())))
    return np.array(taken, dtype=np.intp)


def spread_rows(X: Any, taken: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Choose rows that point in other directions than each other and than those taken.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_rows, n_features)
    taken : ndarray of int, shape (n_taken,)
        Rows that were chosen before.
    n : int
        At most as many as there are rows left.
    rng : Generator

    Returns
    -------
    ndarray of int, shape (n,)
        Each row is drawn with a probability in proportion to the squared distance of its unit
        vector from the nearest one chosen before; any row, if no row differs from those.

    References
    ----------
    Arthur and Vassilvitskii (2007), k-means++: the advantages of careful seeding.

    Examples
    --------
    >>> X = np.repeat(np.eye(3), 4, axis=0)
    >>> sorted((spread_rows(X, np.array([0]), 2, np.random.default_rng(0)) // 4).tolist())
    [1, 2]
    """
    lengths = row_norms(X)
    unit = scale_rows(X, 1.0 / np.where(lengths > 0.0, lengths, 1.0))
    free = np.ones(X.shape[0], dtype=bool)
    distance = np.ones(X.shape[0])
    chosen: list[int] = []
    for row in taken:
        distance = _nearer(unit, int(row), distance, free)
    for _ in range(n):
        chance = np.where(free, distance, 0.0)
        chance = chance if chance.any() else free.astype(float)
        row = int(rng.choice(len(chance), p=chance / chance.sum()))
        distance = _nearer(unit, row, distance, free)
        chosen.append(row)
    return np.array(chosen, dtype=np.intp)


def _nearer(unit: Any, row: int, distance: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Half the squared distances from the nearest chosen row, once one more is chosen."""
    first = bool(free.all())
    free[row] = False
    one = unit[row].toarray().ravel() if hasattr(unit, "toarray") else unit[row]
    apart = np.clip(1.0 - np.asarray(unit @ one), 0.0, None)
    apart[apart < 1e-12] = 0.0
    return apart if first else np.minimum(distance, apart)
