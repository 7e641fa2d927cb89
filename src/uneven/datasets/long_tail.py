"""Any table with its classes thinned, so that a few are frequent and most are rare."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from uneven.metrics._checks import as_labels
from uneven.utils.frames import take_rows


def make_long_tailed(
    X: Any,
    y: Any,
    *,
    ratio: float = 20.0,
    largest: int | None = None,
    least: int = 10,
    random_state: int | np.random.RandomState | None = 0,
) -> tuple[Any, Any]:
    """Thin the classes of a table, so that their sizes fall geometrically.

    The classes are put in a random order. The first is meant to keep ``largest`` rows, the last
    ``largest / ratio``, and each of those between the same share of the one before.

    Parameters
    ----------
    X : ndarray, sparse matrix, frame or list of shape (n, d)
    y : array-like of shape (n,)
        Labels of two or more classes.
    ratio : float, default=20.0
        How many times larger the first class is than the last, at least 1.
    largest : int, optional
        Rows of the first class; None takes the size of the largest class.
    least : int, default=10
        Rows below which no class is thinned, so that none is lost.
    random_state : int, RandomState or None, default=0
        Draws the order of the classes and the rows to keep. Under the same number, a larger ratio
        keeps some of the rows that a smaller one keeps.

    Returns
    -------
    X : of the kind that was given, of shape (m, d)
        Rows in their old order. A sparse matrix that cannot give rows comes back as CSR.
    y : of the kind that was given, of shape (m,)

    Notes
    -----
    A class with fewer rows than it is meant to have keeps all of them, so that classes which are
    uneven already need not end with the ratio.

    References
    ----------
    Y. Cui, M. Jia, T.-Y. Lin, Y. Song and S. Belongie (2019), *Class-balanced loss based on
    effective number of samples*, CVPR, where image sets are thinned by a geometric profile.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = make_long_tailed(X, y, ratio=10, largest=150)
    >>> X.shape, sorted(np.bincount(y).tolist(), reverse=True)
    ((613, 64), [150, 116, 90, 70, 54, 42, 32, 25, 19, 15])
    """
    labels = as_labels(y, "y")
    check_consistent_length(X, labels)
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    _check(ratio, largest, least, len(sizes))
    rng = check_random_state(random_state)
    top = int(sizes.max()) if largest is None else int(largest)
    wanted = np.maximum(np.round(np.geomspace(top, top / ratio, len(sizes))), least)
    kept = _draw(codes, wanted[rng.permutation(len(sizes))].astype(np.intp), rng)
    if sp.issparse(X) and not hasattr(X, "__getitem__"):
        X = X.tocsr()
    return take_rows(X, kept), take_rows(y, kept)


def _draw(
    codes: NDArray[np.intp], wanted: NDArray[np.intp], rng: np.random.RandomState
) -> NDArray[np.intp]:
    """Positions of the rows to keep, in order: so many of each class, or all it has."""
    parts = [
        rng.permutation(np.flatnonzero(codes == code))[:count] for code, count in enumerate(wanted)
    ]
    return np.sort(np.concatenate(parts))


def _check(ratio: Any, largest: Any, least: Any, n_classes: int) -> None:
    if n_classes < 2:
        raise ValueError("y holds a single class: sizes can only fall over two or more.")
    if not isinstance(ratio, Real) or not 1.0 <= float(ratio) < np.inf:
        raise ValueError(f"ratio={ratio!r}: give a finite number, 1 or more.")
    for name, count in (("largest", largest), ("least", least)):
        if name == "largest" and count is None:
            continue
        if not isinstance(count, Integral) or isinstance(count, bool) or count < 1:
            raise ValueError(f"{name}={count!r}: give a whole number of rows, 1 or more.")
