"""How uneven the classes are."""

import numpy as np
from numpy.typing import ArrayLike

from uneven.metrics._checks import as_labels, as_weights


def imbalance_ratio(y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Return the size of the largest class divided by that of the smallest.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels; classes that do not occur cannot be counted.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; a class whose weights are all zero does not occur.

    Returns
    -------
    float
        At least 1; 1 for equal classes and for a single class.

    Examples
    --------
    >>> imbalance_ratio(["a", "a", "a", "b"])
    3.0
    """
    labels = as_labels(y, "y")
    weights = as_weights(sample_weight, len(labels))
    _, codes = np.unique(labels, return_inverse=True)
    sizes = np.bincount(codes, weights=weights)
    present = sizes[sizes > 0]
    return float(present.max() / present.min())
