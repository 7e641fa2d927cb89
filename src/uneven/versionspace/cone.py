"""Cones that half-spaces cut out: projection, width, redundancy, points inside."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from uneven.utils.validation import check_array

_UNIT = 1e-6
"""How far from one the length of a cut may be."""

_LARGEST_GRAM = 2048
"""Cuts up to which their products with each other are kept."""


class EmptyVersionSpaceError(ValueError):
    """No point of the unit ball lies strictly inside all half-spaces."""


def check_cuts(cuts: Any) -> np.ndarray:
    """Refuse what is not a table of unit rows.

    cuts: (n_cuts, n_dims), may have no rows. Returns (n_cuts, n_dims), C-contiguous, of double
    precision.

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

    cuts: (n_cuts, n_dims). Returns coordinates: (n_cuts, n_inner), the cuts themselves unless they
    are fewer than their dimensions; frame: (n_dims, n_inner) or None, orthonormal columns:
    ``coordinates @ frame.T`` are the cuts. None if nothing changed.

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


def check_vector(name: str, value: Any, size: int) -> np.ndarray:
    """Refuse what is not a finite vector of a given size; return a copy of double precision.

    name: how errors call it; value: (size,). Returns (size,).

    Examples
    --------
    >>> check_vector("start", [0.5], 2)
    Traceback (most recent call last):
        ...
    ValueError: start has shape (1,); expected (2,).
    """
    vector = check_array(
        value, dtype=np.float64, ensure_2d=False, ensure_min_samples=0, copy=True, input_name=name
    )
    if vector.shape != (size,):
        raise ValueError(f"{name} has shape {vector.shape}; expected ({size},).")
    return vector


def check_offsets(cuts: np.ndarray, offsets: Any) -> np.ndarray:
    """Least products with the cuts, zeros if not given.

    cuts: (n_cuts, n_dims); offsets: (n_cuts,) or None. Returns (n_cuts,).
    """
    if offsets is None:
        return np.zeros(len(cuts))
    return check_vector("offsets", offsets, len(cuts))


def check_inside(
    cuts: np.ndarray, offsets: np.ndarray, ball: bool, start: Any, strictly: bool = True
) -> np.ndarray:
    """Refuse a start that is not inside; return a copy.

    cuts: (n_cuts, n_dims); offsets: (n_cuts,); ball: whether the unit ball bounds the body too;
    start: (n_dims,); strictly: whether a point on the boundary is refused. Returns (n_dims,).

    Examples
    --------
    >>> check_inside(np.array([[1.0, 0.0]]), np.zeros(1), True, [-0.1, 0.2])
    Traceback (most recent call last):
        ...
    ValueError: start lies outside of cut 0 (slack -0.1); pass a point inside, such as
    chebyshev_centre(cuts).point.
    """
    start = check_vector("start", start, cuts.shape[1])
    slack = cuts @ start - offsets
    advice = "pass a point inside, such as chebyshev_centre(cuts).point."
    if slack.size and (slack.min() < 0.0 or (strictly and slack.min() == 0.0)):
        worst = int(slack.argmin())
        where = "outside of" if slack[worst] < 0.0 else "on"
        raise ValueError(f"start lies {where} cut {worst} (slack {slack[worst]:.3g}); {advice}")
    length = float(np.linalg.norm(start))
    if ball and (length > 1.0 or (strictly and length == 1.0)):
        raise ValueError(f"start has length {length:.6g}, not inside of the unit ball; {advice}")
    return start


def cut_products(cuts: np.ndarray) -> np.ndarray:
    """Products of the cuts with each other, or nothing at all if there are too many of them.

    cuts: (n_cuts, n_dims). Returns (n_cuts, n_cuts) or (0, 0).
    """
    return cuts @ cuts.T if len(cuts) <= _LARGEST_GRAM else np.empty((0, 0))
