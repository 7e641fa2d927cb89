"""One factor per class on the votes, chosen to lower the norm of the confusion matrix."""

from __future__ import annotations

import numpy as np

from uneven.boosting.norm import kernels

__all__ = ["fit_class_factors"]

_GRID = np.exp(np.linspace(-2.0, 2.0, 41))
_SPREAD_PRICE = 0.02
_GAIN = 1e-9


def fit_class_factors(
    votes: np.ndarray,
    y: np.ndarray,
    mass: np.ndarray,
    *,
    prices: np.ndarray | None = None,
    accuracy_weight: float = 1.0,
    start: np.ndarray | None = None,
    turns: int = 5,
) -> np.ndarray:
    """Search factors whose products with the votes give answers with a small norm of the errors.

    The classes take turns: each one tries 41 factors between exp(-2) and exp(2) on what it has,
    until nobody gains or all turns are over. What is minimised is the norm of the error rates,
    plus ``accuracy_weight`` times the share of wrong answers, plus 0.02 times the standard
    deviation of the logarithms of the factors, so that factors move only for a reason.

    Parameters
    ----------
    votes : ndarray of shape (n_samples, n_classes)
        Votes by voters that have not seen these rows.
    y : ndarray of int, shape (n_samples,)
    mass : ndarray of shape (n_samples,)
    prices : ndarray of shape (n_classes, n_classes), optional
        Factor on each entry of the error matrix.
    accuracy_weight : float, default=1.0
        How much the norm may rise for one unit of accuracy.
    start : ndarray of shape (n_classes,), optional
        Factors to begin with; all alike if None.
    turns : int, default=5
        How often every class may try.

    Returns
    -------
    ndarray of shape (n_classes,)
        Geometric mean 1. A class without rows, for which nobody can speak, gets the largest factor
        of the others.

    Examples
    --------
    >>> import numpy as np
    >>> votes = np.array([[0.6, 0.4], [0.9, 0.1], [0.8, 0.2], [0.5, 0.5], [0.7, 0.3]])
    >>> y = np.array([0, 0, 0, 1, 1])
    >>> factors = fit_class_factors(votes, y, np.ones(5))
    >>> (votes * factors).argmax(axis=1)
    array([1, 0, 0, 1, 1])
    """
    n_classes = votes.shape[1]
    sizes = np.bincount(y, weights=mass, minlength=n_classes)
    per_mass = np.where(sizes > 0.0, 1.0 / np.where(sizes > 0.0, sizes, 1.0), 0.0)
    weighed = np.ones((n_classes, n_classes)) if prices is None else prices
    units = weighed * per_mass[:, None]
    np.fill_diagonal(units, 0.0)
    votes = np.ascontiguousarray(votes, dtype=np.float64)
    rows = (votes, y.astype(np.int64), np.asarray(mass, dtype=np.float64), units)
    factors = np.ones(n_classes) if start is None else start.copy()
    best = np.inf
    wrong_price = accuracy_weight / max(sizes.sum(), np.finfo(float).tiny)
    norms, wrongs = np.empty(len(_GRID)), np.empty(len(_GRID))
    for _ in range(turns):
        before = best
        for column in np.flatnonzero(sizes):
            kernels.sweep_factor(*rows, factors, column, _GRID, wrong_price, best, norms, wrongs)
            tried = np.repeat(np.log(factors)[None, :], len(_GRID), axis=0)
            tried[:, column] += np.log(_GRID)
            values = norms + wrong_price * wrongs
            values += _SPREAD_PRICE * tried.std(axis=1)
            if values.min() < best - _GAIN:
                best = float(values.min())
                factors = np.exp(tried[values.argmin()])
        if best > before - _GAIN:
            break
    if sizes.any():
        factors[sizes == 0.0] = factors[sizes > 0.0].max()
    return np.asarray(factors / np.exp(np.log(factors).mean()))
