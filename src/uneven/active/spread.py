"""The first rows to ask for, before anything is known: rows far from each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.linear.rows import row_norms, scale_rows

__all__ = ["spread_rows"]


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
        Each row is drawn with a chance in proportion to the squared distance of its unit vector
        from the nearest one chosen before; any row, if no row differs from those.

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
