"""An uncertain noise matrix, moved towards what all classes have in common."""

from __future__ import annotations

import numpy as np


def shrink_columns(matrix: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Move each column towards that of all classes together, by how uncertain it is.

    Inverting a matrix multiplies its errors. Columns that few rows stand behind are mostly error,
    and what all classes have in common is known much better.

    Parameters
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        Column = true class, row = observed label; columns sum to 1.
    sizes : ndarray of shape (n_classes,)
        (Effective) number of rows behind each column.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        The common column keeps the share of right labels of all classes and spreads the wrong ones
        as all classes do. A column moves towards it by the ratio of its variance, with one row of
        the common column added to its own, to its squared distance from it; all the way if there
        is not more than one row, and not at all if there is none: it is assumed then.

    References
    ----------
    J. Hausser and K. Strimmer (2009), *Entropy inference and the James-Stein estimator*.

    Examples
    --------
    >>> matrix = np.array([[0.9, 0.4, 0.0], [0.1, 0.6, 0.0], [0.0, 0.0, 1.0]])
    >>> shrink_columns(matrix, np.array([1000.0, 5.0, 1000.0])).round(2)
    array([[0.9 , 0.24, 0.  ],
           [0.1 , 0.76, 0.  ],
           [0.  , 0.  , 1.  ]])
    """
    k = len(matrix)
    if k < 2 or not sizes.sum() > 0.0:
        return matrix
    joint = matrix * sizes
    right = float(np.trace(joint) / joint.sum())
    wrong = joint.sum(axis=1) - np.diag(joint)
    others = np.where(np.eye(k, dtype=bool), 0.0, wrong[:, None] + 1.0 / k)
    common = right * np.eye(k) + (1.0 - right) * others / others.sum(axis=0)
    seen = (sizes * matrix + common) / (sizes + 1.0)
    variance = (1.0 - (seen**2).sum(axis=0)) / np.maximum(sizes - 1.0, 1e-12)
    apart = ((common - matrix) ** 2).sum(axis=0)
    share = np.clip(np.divide(variance, apart, out=np.ones(k), where=apart > 0.0), 0.0, 1.0)
    share[sizes <= 0.0] = 0.0
    return np.asarray((1.0 - share) * matrix + share * common)
