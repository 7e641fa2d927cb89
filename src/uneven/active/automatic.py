"""The default query rule: the one that measured best for the kind of pool."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from uneven.active.batches import best_positions
from uneven.active.look_ahead import expected_error
from uneven.active.posterior import Products, shares
from uneven.active.registry import rule
from uneven.active.rules import centre_of_gravity, uncertainty
from uneven.active.state import QueryState
from uneven.active.typicality import typicality
from uneven.utils.parallel import one_blas_thread

_TYPICAL = {"dense": 1, "sparse": 2}
"""Typical rows are queried as long as there are no more labels than so many per class seen."""


@rule("auto", "the rule that measured best for the kind of pool", blind=True)
def automatic(state: QueryState, *, nearest: int = 1000) -> np.ndarray:
    """Fewest expected errors in a dense pool, most even votes in a sparse one.

    As long as there are no more labels than classes, in a sparse pool than twice as many, typical
    rows of parts without label: with one label per class, look-ahead is not reliable.

    Parameters
    ----------
    state : QueryState
    nearest : int, default=1000
        Rows of a sparse pool whose votes are counted.

    Returns
    -------
    ndarray of shape (n_candidates,)
        With few labels the sizes of the parts of the pool without label for their most typical
        rows, -inf for others. Then `expected_error` for dense pools; for sparse ones minus the gap
        between the two largest votes (`balanced_votes`) of the rows nearest to the centre of
        gravity; others come after them, in the order of `centre_of_gravity`, which costs one
        product with the pool. `uncertainty` of the classifier if the rows are not all finite
        numbers.

    Notes
    -----
    Rows of text are nearly orthogonal: the label of one is hardly informative about others, and
    look-ahead mostly measures the error of its own approximations.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven import ActiveLearner
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = ActiveLearner(random_state=0).start(X).tell([0, 60, 120], y[[0, 60, 120]])
    >>> int(np.isfinite(automatic(learner.state())).sum()) <= 10
    True
    >>> int(np.isfinite(automatic(learner.tell([1], y[[1]]).state())).sum())
    100
    """
    if not state.pool.is_numeric:
        return uncertainty(state)
    kind = "sparse" if sp.issparse(state.pool.X) else "dense"
    if len(state.y) <= _TYPICAL[kind] * len(state.classes):
        return _typical(state)
    return expected_error(state) if kind == "dense" else _even_votes(state, nearest)


def _even_votes(state: QueryState, nearest: int) -> np.ndarray:
    """Minus the gaps between votes near the centre, then minus the distances from it."""
    found = centre_of_gravity(state)
    near = best_positions(found, nearest)
    with one_blas_thread():
        votes = np.sort(shares(Products.of(state, state.candidates[near]).votes()), axis=1)
    found -= found.max() + 1.0
    found[near] = votes[:, -2] - votes[:, -1]
    return found


def _typical(state: QueryState) -> np.ndarray:
    """Sizes of the parts without label, for their most typical rows; the same if repeated."""
    rng = np.random.default_rng(len(state.labelled))
    worth = typicality(state.pool.X, state.labelled, rng)[state.candidates]
    return np.where(worth >= 1.0, worth, -np.inf)
