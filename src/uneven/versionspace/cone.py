"""Cones that half-spaces cut out: projection, width, redundancy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls
from sklearn.utils.validation import check_array

__all__ = [
    "EmptyVersionSpaceError",
    "check_cuts",
    "own_span",
    "project_on_cone",
    "redundant_cuts",
    "support",
]

_UNIT = 1e-6
"""How far from one the length of a cut may be."""


class EmptyVersionSpaceError(ValueError):
    """No point of the unit ball lies strictly inside all half-spaces."""


def check_cuts(cuts: Any) -> np.ndarray:
    """Refuse what is not a table of unit rows.

    Parameters
    ----------
    cuts : array-like of shape (n_cuts, n_dims)
        May have no rows.

    Returns
    -------
    ndarray of shape (n_cuts, n_dims)
        C-contiguous, of double precision.

    Examples
    --------
    >>> check_cuts([[1.0, 1.0]])
    Traceback (most recent call last):
        ...
    ValueError: cut 0 has length 1.41421; cuts are unit rows, see uneven.linear.normalize_rows.
    """
    cuts = check_array(cuts, dtype=np.float64, order="C", ensure_min_samples=0)
    lengths = np.linalg.norm(cuts, axis=1)
    off = np.flatnonzero(np.abs(lengths - 1.0) > _UNIT)
    if off.size:
        raise ValueError(
            f"cut {off[0]} has length {lengths[off[0]]:.6g}; cuts are unit rows, see "
            "uneven.linear.normalize_rows."
        )
    return cuts


def own_span(cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Coordinates of fewer cuts than dimensions in their span; they leave the rest alone.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, n_dims)

    Returns
    -------
    coordinates : ndarray of shape (n_cuts, n_inner)
        The cuts themselves unless they are fewer than their dimensions.
    frame : ndarray of shape (n_dims, n_inner) or None
        Orthonormal columns: ``coordinates @ frame.T`` are the cuts. None if nothing changed.

    Examples
    --------
    >>> coordinates, frame = own_span(np.array([[0.6, 0.0, 0.8]]))
    >>> np.abs(coordinates).round(6).tolist(), (coordinates @ frame.T).round(6).tolist()
    ([[1.0]], [[0.6, 0.0, 0.8]])
    """
    if not 0 < len(cuts) < cuts.shape[1]:
        return cuts, None
    frame, coordinates = np.linalg.qr(cuts.T)
    return np.ascontiguousarray(coordinates.T), frame


def project_on_cone(cuts: np.ndarray, x: ArrayLike) -> np.ndarray:
    """The point of the cone ``cuts @ w >= 0`` that is nearest to x.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, n_dims)
    x : array-like of shape (n_dims,)

    Returns
    -------
    ndarray of shape (n_dims,)

    Notes
    -----
    The shortest ``x + mu @ cuts`` over all non-negative mu, a non-negative least-squares problem.

    Examples
    --------
    >>> project_on_cone(np.array([[1.0, 0.0]]), [-2.0, 3.0]).tolist()
    [0.0, 3.0]
    """
    x = np.asarray(x, dtype=np.float64)
    if not len(cuts):
        return x
    push, _ = nnls(cuts.T, -x)
    return x + push @ cuts


def support(cuts: np.ndarray, x: ArrayLike) -> float:
    """Largest product of x with a point of the cone in the unit ball.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, n_dims)
    x : array-like of shape (n_dims,)

    Returns
    -------
    float
        The length of the projection of x on the cone; zero if x points away from all of it.

    Examples
    --------
    >>> octant = np.eye(3)
    >>> round(support(octant, [0.6, 0.8, 0.0]), 9), support(octant, [-1.0, 0.0, 0.0])
    (1.0, 0.0)
    """
    return float(np.linalg.norm(project_on_cone(cuts, x)))


def redundant_cuts(cuts: np.ndarray, tol: float = 1e-9) -> np.ndarray:
    """Which cuts the others imply: leaving all of them out changes nothing.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, n_dims)
    tol : float, default=1e-9
        A cut no farther than this from the cone of combinations of the others is redundant.

    Returns
    -------
    ndarray of bool, shape (n_cuts,)
        Of cuts that are the same, all but the last are redundant.

    Examples
    --------
    >>> half = 0.5**0.5
    >>> redundant_cuts(np.array([[1.0, 0.0], [half, half], [0.0, 1.0]])).tolist()
    [False, True, False]
    """
    kept = np.ones(len(cuts), dtype=bool)
    for i, cut in enumerate(cuts):
        kept[i] = False
        _, distance = nnls(cuts[kept].T, cut) if kept.any() else (None, 1.0)
        kept[i] = distance > tol
    return ~kept
