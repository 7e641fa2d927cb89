"""A perceptron that needs no margin: it projects its vector away from the mistakes."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from uneven.linear.base import squared_lengths
from uneven.utils.validation import check_array

_PER_ATTEMPT = 6.5
"""Attempts per unit of ln(1 / delta): a random start is good enough with probability 0.15."""


def modified_perceptron(
    Z: Any,
    sigma: float = 0.1,
    *,
    delta: float = 0.05,
    start: ArrayLike | None = None,
    rng: np.random.Generator | int | None = None,
) -> tuple[np.ndarray, int]:
    """Find a vector that misclassifies only rows near its boundary, without a margin.

    Each step makes the vector orthogonal to the row that it mistakes most. From a start that has
    a product of at least ``1 / sqrt(n_features)`` with a separating unit vector,
    ``ln(n_features) / sigma ** 2`` steps are enough; random starts are tried until one is.

    Parameters
    ----------
    Z : array-like or sparse matrix of shape (n_samples, n_features)
        Rows in normal form that some vector separates. Rows of zeros are passed over.
    sigma : float, default=0.1
        Largest cosine of a mistake, above 0 and below 1.
    delta : float, default=0.05
        Probability to fail, above 0 and below 1.
    start : array-like of shape (n_features,), optional
        The first vector to start from.
    rng : Generator, int or None, default=None

    Returns
    -------
    w : ndarray of shape (n_features,)
        Of length 1.
    n_updates : int
        Over all starts.

    Raises
    ------
    ValueError
        If no start led there: the rows are hardly separable. If all rows are zero.

    Notes
    -----
    Corrections of the source: the projection divides by the squared length of the row (without
    that it diverges on long rows); there are restarts, which the bound needs; the bound has the
    logarithm of the number of features, not of rows.

    References
    ----------
    A. Blum, A. Frieze, R. Kannan and S. Vempala (1998), *A polynomial-time algorithm for learning
    noisy linear threshold functions*.

    Examples
    --------
    >>> Z = np.array([[1.0, 0.2], [0.2, 1.0], [1.0, -0.5]])
    >>> w, _ = modified_perceptron(Z, sigma=0.01, rng=0)
    >>> bool((Z @ w > 0).all())
    True
    """
    check_within("sigma", sigma, 0.0, 1.0, above=True)
    check_within("delta", delta, 0.0, 1.0, above=True)
    Z, rng, n_updates = _directed(Z), np.random.default_rng(rng), 0
    lengths, n_features = lengths_of(Z), Z.shape[1]

    def mistaken_most(w: np.ndarray) -> np.ndarray | None:
        leads = cosines(Z, lengths, w)
        worst = int(leads.argmin())
        return None if leads[worst] >= -sigma else np.asarray(Z[[worst]].sum(axis=0)).ravel()

    given = None if start is None else _nonzero(as_vector("start", start, n_features))
    for _ in range(n_attempts(delta)):
        w = rng.standard_normal(n_features) if given is None else given
        given = None
        w, steps, found = project(mistaken_most, w / np.linalg.norm(w), n_steps(Z, sigma))
        n_updates += steps
        if found:
            return w, n_updates
    raise ValueError(
        f"no vector found in {n_updates} steps that mistakes only rows within sigma={sigma} of "
        "its boundary: the rows may not be separable; raise sigma or lower delta."
    )


def n_steps(Z: Any, sigma: float) -> int:
    """Steps that are enough from a good start."""
    return math.ceil(math.log(max(2, Z.shape[1])) / sigma**2)


def n_attempts(delta: float) -> int:
    """Random starts of which one is good with probability ``1 - delta``."""
    return max(1, math.ceil(_PER_ATTEMPT * math.log(1.0 / delta)))


def project(
    mistakes: Callable[[np.ndarray], np.ndarray | None], w: np.ndarray, max_steps: int
) -> tuple[np.ndarray, int, bool]:
    """Make a vector orthogonal to its mistakes, one after the other, until it has none.

    mistakes: the mistake of a unit vector, of shape (n_features,), or None; w: (n_features,), of
    length 1. Returns w: (n_features,); found: whether no mistake is left.
    """
    for steps in range(max_steps + 1):
        x = mistakes(w)
        if x is None:
            return w, steps, True
        w = turn_away(w, x)
        length = np.linalg.norm(w)
        if steps == max_steps or length < 1e-12:
            break
        w = w / length
    return w, min(steps + 1, max_steps), False


def turn_away(w: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The part of w that is orthogonal to x.

    w, x: (n_features,). Returns (n_features,), if w has a cosine below ``-sigma`` with x, its
    squared length shrinks by ``sigma ** 2`` at least; the product with vectors on the side of x
    grows.

    Examples
    --------
    >>> turn_away(np.array([1.0, 1.0]), np.array([-2.0, 0.0])).tolist()
    [0.0, 1.0]
    """
    return np.asarray(w - (w @ x) / (x @ x) * x)


def cosines(Z: Any, lengths: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Cosines of the rows with w, shape (n_samples,); 0 if w or the row is zero."""
    products, scale = np.asarray(Z @ w), lengths * np.linalg.norm(w)
    return np.divide(products, scale, out=np.zeros_like(products), where=scale > 0.0)


def lengths_of(Z: Any) -> np.ndarray:
    """Lengths of the rows, shape (n_samples,)."""
    return np.sqrt(squared_lengths(Z))


def check_within(name: str, value: Any, low: float, high: float, above: bool = False) -> None:
    """Refuse what is no number from ``low`` (or above it) to below ``high``."""
    fits = isinstance(value, Real) and not isinstance(value, bool) and low <= float(value) < high
    if not fits or (above and value == low):
        bound = "above" if above else "at least"
        raise ValueError(f"{name} must be {bound} {low:g} and below {high:g}, got {value!r}.")


def as_vector(name: str, w: ArrayLike, n_features: int) -> np.ndarray:
    """A finite vector of so many features, shape (n_features,)."""
    vector = np.asarray(w, dtype=np.float64)
    if vector.shape != (n_features,):
        raise ValueError(f"{name} has shape {vector.shape}; Z has {n_features} features.")
    if not np.isfinite(vector).all():
        raise ValueError(f"{name} must be finite, got {vector[:5].tolist()}.")
    return vector


def _nonzero(start: np.ndarray) -> np.ndarray:
    if not start.any():
        raise ValueError("start is zero: it must point somewhere, or be None for a random one.")
    return start


def _directed(Z: Any) -> Any:
    """Rows of a table without those of zeros."""
    Z = check_array(Z, accept_sparse="csr", dtype=np.float64)
    kept = np.flatnonzero(lengths_of(Z))
    if not len(kept):
        raise ValueError(f"all {Z.shape[0]} rows of Z are zero: there is nothing to separate.")
    return Z[kept]
