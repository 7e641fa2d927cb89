"""Typical rows first: one from the middle of each part of the pool that has no label yet."""

from __future__ import annotations

import numpy as np

from uneven.active.registry import rule
from uneven.active.rules import balanced_votes
from uneven.active.state import QueryState
from uneven.active.typicality import typicality


@rule("typical_first", "typical rows of unlabelled parts first, then even votes")
def typical_first(state: QueryState, *, rows_per_class: float = 3.0) -> np.ndarray:
    """Typical rows of parts of the pool without labels first, then the most even votes.

    With few labels the probabilities of a classifier are poor, and the rows that it is uncertain
    about are often outliers. Labels of typical rows are more informative.

    Parameters
    ----------
    state : QueryState
    rows_per_class : float, default=3.0
        Rows are queried by their votes ("balanced") once there are so many labels per class seen.

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
