"""Shares of a whole: weights that add up to 1, and whole numbers in given proportions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

_SUM_TOLERANCE = 1e-8


def project_on_simplex(points: np.ndarray, may_be_less: bool = False) -> np.ndarray:
    """The nearest weights that are not negative and add up to 1, for every column.

    Parameters
    ----------
    points : ndarray of shape (n,) or (n, n_columns)
    may_be_less : bool, default=False
        Whether a sum below 1 is allowed.

    Returns
    -------
    ndarray of the same shape

    References
    ----------
    J. Duchi, S. Shalev-Shwartz, Y. Singer and T. Chandra (2008), *Efficient projections onto the
    l1-ball for learning in high dimensions*.

    Examples
    --------
    >>> import numpy as np
    >>> project_on_simplex(np.array([3.25, 3.15, 3.05, 2.95])).round(6)
    array([0.4, 0.3, 0.2, 0.1])
    >>> project_on_simplex(np.array([[0.9, 0.2], [0.5, -1.0]]))
    array([[0.7, 1. ],
           [0.3, 0. ]])
    >>> project_on_simplex(np.array([[0.2], [-1.0]]), may_be_less=True)
    array([[0.2],
           [0. ]])
    """
    columns = points.reshape(len(points), -1)
    falling = -np.sort(-columns, axis=0)
    counts = np.arange(1, len(columns) + 1)[:, None]
    excess = (np.cumsum(falling, axis=0) - 1.0) / counts
    kept = (falling > excess).sum(axis=0)
    level = excess[kept - 1, np.arange(columns.shape[1])]
    found = np.maximum(columns - level, 0.0)
    if may_be_less:
        clipped = np.maximum(columns, 0.0)
        found = np.where(clipped.sum(axis=0) <= 1.0, clipped, found)
    return found.reshape(points.shape)


def check_column_sums(matrix: np.ndarray, name: str) -> None:
    """Refuse a noise matrix whose columns do not sum to 1; recognise one that is transposed.

    Parameters
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        Column = true class, row = observed label.
    name : str
        What to call it in an error.

    Examples
    --------
    >>> import numpy as np
    >>> check_column_sums(np.array([[0.9, 0.3], [0.1, 0.6]]), "matrix")
    Traceback (most recent call last):
    ...
    ValueError: matrix: column 1 sums to 0.9, but the labels of every true class must sum to 1. ...
    """
    sums = matrix.sum(axis=0)
    if np.abs(sums - 1.0).max() <= _SUM_TOLERANCE:
        return
    if np.abs(matrix.sum(axis=1) - 1.0).max() <= _SUM_TOLERANCE:
        raise ValueError(
            f"{name}: its rows sum to 1, its columns do not: it looks transposed. Entry (i, j) is "
            "the share of class j that is labelled i; pass matrix.T if yours has a row per true "
            "class."
        )
    worst = int(np.abs(sums - 1.0).argmax())
    raise ValueError(
        f"{name}: column {worst} sums to {sums[worst]:.6g}, but the labels of every true class "
        "must sum to 1. Divide counts by matrix.sum(axis=0)."
    )


def whole_counts(n: int, shares: ArrayLike) -> NDArray[np.intp]:
    """Divide ``n`` items in proportion, by largest remainders, at least one each.

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


def recover_priors(observed: np.ndarray, inverse: np.ndarray, floor: float = 0.0) -> np.ndarray:
    """True class frequencies from observed ones.

    ``inverse @ observed`` is unbiased, but may leave the range of probabilities in a sample: the
    nearest frequencies in that range are returned.

    Parameters
    ----------
    observed : ndarray of shape (n_classes,)
        Counts or frequencies of the observed labels.
    inverse : ndarray of shape (n_classes, n_classes)
    floor : float, default=0.0
        No class gets less than this share (before dividing by the sum), so that one may divide by
        it.

    Returns
    -------
    ndarray of shape (n_classes,)
        Sums to 1.

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.array([[0.9, 0.3], [0.1, 0.7]])
    >>> recover_priors(noise @ [0.25, 0.75], np.linalg.inv(noise)).round(9)
    array([0.25, 0.75])
    """
    raw = inverse @ (np.asarray(observed, dtype=np.float64) / np.sum(observed))
    priors = np.maximum(project_on_simplex(raw), floor)
    return np.asarray(priors / priors.sum())
