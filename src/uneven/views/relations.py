"""How the held-out predictions of two views relate: redundancy, conflicts, sole knowledge."""

from __future__ import annotations

import numpy as np

REPEATED = 0.5
"""Least correlation of failing, and least share of equal mistakes, of redundant views."""

CONFLICTING = -0.2
"""Largest correlation of being right of views that conflict."""

KNOWN_RECALL = 0.5
CLEAR_LEAD = 0.25
FEWEST_ROWS = 5
"""Rows a class needs before its recall counts."""


def same_mistakes(answers: np.ndarray, present: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Share of the mistakes of each view that another view makes, too, with the same prediction.

    Parameters
    ----------
    answers : ndarray of int, shape (n_samples, n_views)
    present : ndarray of bool, shape (n_samples, n_views)
    codes : ndarray of int, shape (n_samples,)
        The true classes.

    Returns
    -------
    ndarray of shape (n_views, n_views)
        ``[j, k]`` of the mistakes of view j, on rows where both are present; NaN if there are none.

    Examples
    --------
    >>> answers = np.array([[1, 1], [2, 1], [0, 1], [0, 0]])
    >>> same_mistakes(answers, np.ones((4, 2), dtype=bool), np.zeros(4, dtype=int)).round(2)
    array([[1.  , 0.5 ],
           [0.33, 1.  ]])
    """
    n_views = answers.shape[1]
    shares = np.full((n_views, n_views), np.nan)
    for j in range(n_views):
        wrong = present[:, j] & (answers[:, j] != codes)
        for k in range(n_views):
            rows = wrong & present[:, k]
            if rows.any():
                shares[j, k] = (answers[rows, j] == answers[rows, k]).mean()
    return shares


def redundant_beside(redundancy: np.ndarray, repeated: np.ndarray, merit: np.ndarray) -> np.ndarray:
    """Find views that add little to others.

    Parameters
    ----------
    redundancy : ndarray of shape (n_views, n_views)
        Correlation of being right, within classes.
    repeated : ndarray of shape (n_views, n_views)
        As `same_mistakes` returns it.
    merit : ndarray of shape (n_views,)
        How good each view is, such as its mean recall.

    Returns
    -------
    ndarray of bool, shape (n_views, n_views)
        ``[j, k]``: j fails with k, makes half of its mistakes with the same prediction, and is no
        better; of two equally good views the later one.

    Examples
    --------
    >>> high = np.full((2, 2), 0.9)
    >>> redundant_beside(high, high, np.array([0.8, 0.8])).tolist()
    [[False, False], [True, False]]
    """
    places = np.arange(len(merit))
    later = places[:, None] > places[None]
    lower = merit[:, None] < merit[None]
    equal = merit[:, None] == merit[None]
    with np.errstate(invalid="ignore"):
        close = (redundancy >= REPEATED) & (repeated.T >= REPEATED)
    return np.asarray(close & (lower | (equal & later)))


def in_conflict(redundancy: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Find pairs of views of which one is right where the other fails, beyond chance.

    Parameters
    ----------
    redundancy : ndarray of shape (n_views, n_views)
    rows : ndarray of shape (n_views, n_views)
        Rows that each correlation comes from.

    Returns
    -------
    ndarray of bool, shape (n_views, n_views)
        Correlation at most -0.2 and more than two standard errors below 0; symmetric.

    Examples
    --------
    >>> apart = np.array([[1.0, -0.3], [-0.3, 1.0]])
    >>> [bool(in_conflict(apart, np.full((2, 2), n))[0, 1]) for n in (20, 200)]
    [False, True]
    """
    with np.errstate(invalid="ignore"):
        limit = np.minimum(CONFLICTING, -2.0 / np.sqrt(np.maximum(rows, 1.0)))
        return np.asarray(redundancy <= limit)


def sole_knowledge(recalls: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Find classes that one view recalls and no other.

    Parameters
    ----------
    recalls : ndarray of shape (n_views, n_classes)
    counts : ndarray of int, shape (n_views, n_classes)
        Rows of each class that the recalls come from.

    Returns
    -------
    ndarray of bool, shape (n_views, n_classes)
        The view finds half of the class or more from at least five rows, every other one finds less
        than half, and the lead is at least 0.25 and more than two standard errors.

    Examples
    --------
    >>> recalls = np.array([[0.9, 0.8], [0.8, 0.1]])
    >>> sole_knowledge(recalls, np.full((2, 2), 50)).tolist()
    [[False, True], [False, False]]
    """
    if len(recalls) < 2:
        return np.zeros(recalls.shape, dtype=bool)
    known = np.nan_to_num(recalls, nan=0.0)
    ranked = np.sort(known, axis=0)
    best, second = ranked[-1], ranked[-2]
    clear = np.maximum(CLEAR_LEAD, 2.0 * np.sqrt(0.5 / np.maximum(counts, 1)))
    leads = (known == best) & (known >= KNOWN_RECALL) & (second < KNOWN_RECALL)
    return np.asarray(leads & (best - second >= clear) & (counts >= FEWEST_ROWS))
