"""Weights that are not negative and add up to 1."""

from __future__ import annotations

import numpy as np

__all__ = ["project_on_simplex"]


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
