"""Uncertainty herding: rows that stand for as many uncertain rows as possible.

With few labels nearly all rows are uncertain and far from a label, and it covers the pool like
clustering does; with many labels it asks where the classifier is uncertain.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from uneven.active.batches import best_positions
from uneven.active.look_ahead import shortlist
from uneven.active.posterior import Products, shares
from uneven.active.registry import rule
from uneven.active.rules import centre_of_gravity
from uneven.active.state import QueryState
from uneven.utils.parallel import one_blas_thread

_LIKENESS = np.exp(-2.0)
"""Likeness of two labelled neighbours: of a Gaussian whose width is half their distance."""

_COSINES = (0.05, 1.0 - 1e-6)
"""Between which the cosine of labelled neighbours is taken to be."""

_STEPS = 100
"""Rows that are ranked for a batch, at least."""


@rule("herding", "that stands for most uncertain rows unlike the labelled ones")
def herding(state: QueryState, *, candidates: int = 1000, nearest: int = 120) -> np.ndarray:
    """The row that covers most of the uncertainty that the labelled rows leave (herding).

    Parameters
    ----------
    state : QueryState
    candidates : int, default=1000
        Rows of a dense pool that are covered and chosen from: all, or half of them those with the
        most even votes, the others drawn.
    nearest : int, default=120
        The same for a sparse pool: those nearest to the centre of gravity.

    Returns
    -------
    ndarray of shape (n_candidates,)
        For 100 rows, or as many as are wanted if they are more or a single one, chosen greedily:
        how much each adds to the covered uncertainty; -inf for others.

    Notes
    -----
    Covered is the sum over the rows of their uncertainty, one minus the gap between the two
    largest votes, times their likeness to the most similar row with a label or chosen before.
    Likeness is a power of the absolute cosine in the space of the kernel, so that the neighbours
    among the labelled rows have a likeness of about exp(-2): with the Gaussian kernel it is a
    narrower Gaussian, which shrinks as labels are added. In the source its width is the least
    distance between labelled rows, and the probabilities are calibrated.

    References
    ----------
    Bae, Oh and Sutherland (2024), Uncertainty herding: one active learning method for all label
    budgets.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven import ActiveLearner
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = ActiveLearner(query="herding", random_state=0).start(X)
    >>> utilities = herding(learner.tell([0, 60, 120], y[[0, 60, 120]]).state())
    >>> utilities.shape, int(np.isfinite(utilities).sum())
    ((147,), 100)
    """
    wanted = state.wanted or 0
    with one_blas_thread():
        few = _covered_rows(state, max(candidates, wanted), max(nearest, wanted))
        rows = state.candidates[few]
        votes = np.sort(shares(Products.of(state, rows).votes()), axis=1)
        cosines = np.abs(state.cosines(np.concatenate([state.labelled, rows])))
        n = len(state.labelled)
        power = np.log(_LIKENESS) / np.log(_neighbours(cosines[:n, :n]))
        utilities = np.full(len(state.candidates), -np.inf)
        utilities[few] = cover_greedily(
            cosines[n:, n:] ** power,
            cosines[n:, :n].max(axis=1) ** power,
            1.0 - votes[:, -1] + votes[:, -2],
            1 if wanted == 1 else max(wanted, _STEPS),
        )
    return utilities


def _covered_rows(state: QueryState, candidates: int, nearest: int) -> np.ndarray:
    """Positions of the candidates that are looked at, in order."""
    if sp.issparse(state.pool.X):
        return np.sort(best_positions(centre_of_gravity(state), nearest))
    if len(state.candidates) <= candidates:
        return np.arange(len(state.candidates))
    return np.sort(shortlist(state, candidates, np.random.default_rng(len(state.labelled))))


def _neighbours(cosines: np.ndarray) -> float:
    """Median cosine between a labelled row and its nearest one, within limits."""
    others = np.where(np.eye(len(cosines), dtype=bool), 0.0, cosines)
    return float(np.clip(np.median(others.max(axis=1)), *_COSINES))


def cover_greedily(
    likeness: np.ndarray, covered: np.ndarray, weights: np.ndarray, n: int
) -> np.ndarray:
    """Choose rows one after another by what they add to the weighted likeness of all rows.

    Parameters
    ----------
    likeness : ndarray of shape (n_rows, n_rows)
        Symmetric, between 0 and 1.
    covered : ndarray of shape (n_rows,)
        Likeness to the most similar row that was chosen before.
    weights : ndarray of shape (n_rows,)
    n : int

    Returns
    -------
    ndarray of shape (n_rows,)
        What each chosen row added, which falls from row to row; -inf for those not chosen.

    Examples
    --------
    Two rows that are alike, and a third one that counts less than both:

    >>> alike = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> cover_greedily(alike, np.zeros(3), np.array([0.5, 1.0, 1.2]), 2).round(1).tolist()
    [-inf, 1.4, 1.2]
    """
    added = np.full(len(weights), -np.inf)
    missing = np.maximum(likeness - covered[:, None], 0.0)
    gains = weights @ missing
    for _ in range(min(n, len(weights))):
        best = int(gains.argmax())
        added[best] = gains[best]
        nearer = np.flatnonzero(missing[:, best])
        before = missing[nearer]
        missing[nearer] = np.maximum(before - before[:, [best]], 0.0)
        gains -= weights[nearer] @ (before - missing[nearer])
        gains[best] = -np.inf
    return added
