"""Exact centres of gravity and volumes in one, two and three dimensions."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

from uneven.versionspace.cone import EmptyVersionSpaceError, check_cuts

_SAME = 1e-12
"""Cuts that differ by less are one; arcs below are points."""


class ExactCentre(NamedTuple):
    """Centre of gravity and size of a version space.

    Attributes
    ----------
    centre : ndarray of shape (n_dims,)
        Centre of gravity.
    share : float
        Part of the volume of the unit ball.
    """

    centre: np.ndarray
    share: float


def exact_centre(cuts: Any) -> ExactCentre:
    """Centre of gravity and volume of a version space in at most three dimensions.

    Parameters
    ----------
    cuts : array-like of shape (n_cuts, n_dims)
        Unit rows in one, two or three dimensions.

    Returns
    -------
    ExactCentre

    Raises
    ------
    EmptyVersionSpaceError
        If the cuts leave nothing.

    Notes
    -----
    In a plane the space is a sector. In space it is a polygon of the sphere: its mean is half the
    sum of the cuts, each times the length of its edge, over the area. An edge is again a sector,
    of the circle in which its cut meets the sphere, so half-balls, lunes and polygons need no
    cases of their own. The area is a fan of spherical triangles around the mean. The centre of
    gravity of the body is ``n_dims / (n_dims + 1)`` of the mean of the surface. In more
    dimensions, exact volumes are #P-hard.

    References
    ----------
    Van Oosterom and Strackee (1983), The solid angle of a plane triangle.
    Louche (2016), section 5.2.

    Examples
    --------
    >>> octant = exact_centre(np.eye(3))
    >>> octant.centre.round(6).tolist(), round(octant.share, 6)
    ([0.375, 0.375, 0.375], 0.125)
    """
    cuts = _distinct(check_cuts(cuts))
    n_dims = cuts.shape[1]
    if n_dims > 3:
        raise ValueError(
            f"exact centres exist for at most 3 dimensions, got {n_dims}; sample instead, "
            "see uneven.versionspace.centre_of_gravity."
        )
    if not len(cuts):
        return ExactCentre(np.zeros(n_dims), 1.0)
    if n_dims == 1:
        if len(cuts) > 1:
            raise _empty(len(cuts))
        return ExactCentre(0.5 * cuts[0], 0.5)
    return _of_sector(cuts) if n_dims == 2 else _of_polygon(cuts)


def _of_sector(cuts: np.ndarray) -> ExactCentre:
    low, high = _arc(cuts)
    if high - low <= _SAME:
        raise _empty(len(cuts))
    half, middle = (high - low) / 2, (high + low) / 2
    bisector = np.array([np.cos(middle), np.sin(middle)])
    return ExactCentre(2 / 3 * np.sin(half) / half * bisector, float(half / np.pi))


def _of_polygon(cuts: np.ndarray) -> ExactCentre:
    edges = []
    for k, cut in enumerate(cuts):
        frame = np.linalg.svd(cut[None])[2][1:]
        shadows = np.delete(cuts, k, axis=0) @ frame.T
        parallel = np.linalg.norm(shadows, axis=1) <= _SAME
        if parallel.any():
            raise _empty(len(cuts))
        low, high = _arc(shadows) if len(shadows) else (0.0, 2 * np.pi)
        if high - low > _SAME:
            angles = np.linspace(low, high, 5)
            corners = np.column_stack([np.cos(angles), np.sin(angles)]) @ frame
            edges.append((cut, high - low, corners))
    if not edges:
        raise _empty(len(cuts))
    total = sum(length * cut for cut, length, _ in edges)
    middle = total / np.linalg.norm(total)
    if (cuts @ middle).min() <= 0.0:
        raise _empty(len(cuts))
    area = sum(_fan(middle, corners) for _, _, corners in edges)
    return ExactCentre(3 / 8 * total / area, float(area / (4 * np.pi)))


def _arc(cuts: np.ndarray) -> tuple[float, float]:
    """Angles between which a direction of the plane has no negative product with any cut."""
    angles = np.arctan2(cuts[:, 1], cuts[:, 0])
    turned = np.remainder(angles - angles[0] + np.pi, 2 * np.pi) - np.pi
    return angles[0] + turned.max() - np.pi / 2, angles[0] + turned.min() + np.pi / 2


def _fan(top: np.ndarray, corners: np.ndarray) -> float:
    """Area of the spherical triangles between a point and the pieces of an arc."""
    area = 0.0
    for a, b in pairwise(corners):
        volume = abs(top @ np.cross(a, b))
        area += 2.0 * np.arctan2(volume, 1.0 + top @ a + a @ b + b @ top)
    return area


def _distinct(cuts: np.ndarray) -> np.ndarray:
    kept: list[np.ndarray] = []
    for cut in cuts:
        if all(np.linalg.norm(cut - other) > _SAME for other in kept):
            kept.append(cut)
    return np.array(kept).reshape(-1, cuts.shape[1])


def _empty(n_cuts: int) -> EmptyVersionSpaceError:
    return EmptyVersionSpaceError(f"the {n_cuts} different cuts leave nothing of the ball.")


def hull_centre(points: Any) -> tuple[np.ndarray, float]:
    """Centre of gravity and volume of the convex hull of points.

    points: (n_points, n_dims), in general position: at least ``n_dims + 1``, not in a plane.
    Returns centre: (n_dims,).

    Examples
    --------
    >>> centre, volume = hull_centre([[0, 0], [3, 0], [0, 3]])
    >>> centre.round(9).tolist(), round(volume, 9)
    ([1.0, 1.0], 4.5)
    """
    points = np.asarray(points, dtype=np.float64)
    hull = ConvexHull(points)
    inner = points[hull.vertices].mean(axis=0)
    simplices = points[hull.simplices]
    volumes = np.abs(np.linalg.det(simplices - inner))
    middles = (simplices.sum(axis=1) + inner) / (points.shape[1] + 1)
    return volumes @ middles / volumes.sum(), float(hull.volume)


def clip_hull(points: Any, normal: Any, offset: float = 0.0) -> np.ndarray:
    """Points whose hull is the part of a hull on the positive side of a hyperplane.

    points: (n_points, n_dims); normal: (n_dims,); offset: the part with ``points @ normal >=
    offset`` is kept. Returns (n_kept, n_dims).

    Examples
    --------
    >>> clip_hull([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]], [1.0, 0.0], 1.0).tolist()
    [[2.0, 0.0], [2.0, 2.0], [1.0, 0.0], [1.0, 1.0]]
    """
    points = np.asarray(points, dtype=np.float64)
    inside = points @ np.asarray(normal, dtype=np.float64) >= offset
    return np.vstack([points[inside], hull_slice(points, normal, offset)])


def hull_slice(points: Any, normal: Any, offset: float = 0.0) -> np.ndarray:
    """Points whose hull is where a hyperplane meets a hull.

    points: (n_points, n_dims); normal: (n_dims,). Returns (n_crossings, n_dims), where the
    hyperplane meets the segments between points on different sides.

    Examples
    --------
    >>> hull_slice([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]], [1.0, 0.0], 1.0).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    points = np.asarray(points, dtype=np.float64)
    heights = points @ np.asarray(normal, dtype=np.float64) - offset
    above, below = points[heights >= 0.0], points[heights < 0.0]
    up, down = heights[heights >= 0.0], heights[heights < 0.0]
    share = up[:, None] / (up[:, None] - down)
    crossings = above[:, None] + share[..., None] * (below[None] - above[:, None])
    return crossings.reshape(-1, points.shape[1])
