"""Whole numbers in given proportions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["whole_counts"]


def whole_counts(n: int, shares: ArrayLike) -> NDArray[np.intp]:
    """Divide ``n`` things in proportion, by largest remainders, so that nobody gets none.

    Parameters
    ----------
    n : int
        How many there are, at least as many as shares.
    shares : array-like of shape (K,)
        Positive relative sizes.

    Returns
    -------
    ndarray of int, shape (K,)
        They sum to ``n``.

    Examples
    --------
    >>> whole_counts(8, [4.9, 1.6, 1.5]).tolist()
    [5, 2, 1]
    """
    sizes = np.asarray(shares, dtype=np.float64)
    exact = n * sizes / sizes.sum()
    counts = np.floor(exact).astype(np.intp)
    counts[np.argsort(counts - exact, kind="stable")[: n - counts.sum()]] += 1
    while not counts.all():
        counts[counts.argmin()] += 1
        counts[counts.argmax()] -= 1
    return counts
