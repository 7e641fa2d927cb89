"""Polygons on the unit sphere: their sides, their middle, their share, a flat map of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = [
    "Arc",
    "common_arc",
    "equal_area_map",
    "great_circle",
    "middle_of",
    "outline",
    "polygon_share",
    "polygon_sides",
]

_PARALLEL = 1e-9
_STEP = np.deg2rad(1.0)


@dataclass(frozen=True)
class Arc:
    """Part of a great circle, with the polygon to its left.

    Parameters
    ----------
    normal : ndarray of shape (3,)
        The cut whose great circle it is.
    low, high : float
        Angles at which the arc begins and ends, in the frame of `great_circle`.
    """

    normal: np.ndarray
    low: float
    high: float

    def points(self) -> np.ndarray:
        """Unit vectors along the arc, about a degree apart, both ends included."""
        n = max(2, int(np.ceil((self.high - self.low) / _STEP)) + 1)
        return great_circle(self.normal, np.linspace(self.low, self.high, n))


def common_arc(angles: np.ndarray) -> tuple[float, float] | None:
    """Angles that lie within a right angle of all given ones.

    Parameters
    ----------
    angles : ndarray of shape (n,)

    Returns
    -------
    (low, high), or None if there are none
        The whole circle if nothing was given.

    Examples
    --------
    >>> import numpy as np
    >>> np.rad2deg(common_arc(np.deg2rad([10.0, 60.0, -20.0]))).round(6).tolist()
    [-30.0, 70.0]
    """
    if not len(angles):
        return -np.pi, np.pi
    turned = angles - angles[0]
    turned = np.arctan2(np.sin(turned), np.cos(turned))
    low = angles[0] + max(turned.max(), 0.0) - np.pi / 2
    high = angles[0] + min(turned.min(), 0.0) + np.pi / 2
    return (float(low), float(high)) if high - low > _PARALLEL else None


def great_circle(normal: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Points of the great circle around a normal, counter-clockwise if seen from its tip.

    Parameters
    ----------
    normal : ndarray of shape (3,)
    angles : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n, 3)
    """
    frame = _frame(normal)
    return np.column_stack([np.cos(angles), np.sin(angles)]) @ frame


def polygon_sides(cuts: np.ndarray) -> list[Arc]:
    """Sides of the polygon of unit vectors that have no negative product with any cut.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, 3)
        Unit rows.

    Returns
    -------
    list of Arc
        In order around the polygon; redundant cuts have none. Empty if the polygon has no inside.

    Examples
    --------
    >>> import numpy as np
    >>> [round(np.rad2deg(side.high - side.low)) for side in polygon_sides(np.eye(3))]
    [90, 90, 90]
    """
    sides = []
    for i, cut in enumerate(cuts):
        inner = cuts @ _frame(cut).T
        parallel = np.hypot(*inner.T) <= _PARALLEL
        along = cuts @ cut > 0.0
        if (parallel & ~along).any():
            return []
        if parallel[:i].any():
            continue
        found = common_arc(np.arctan2(inner[~parallel, 1], inner[~parallel, 0]))
        if found is not None:
            sides.append(Arc(cut, *found))
    if len(sides) < 2:
        return sides
    east, north = _frame(middle_of(sides))
    halfway = np.array([side.points()[len(side.points()) // 2] for side in sides])
    order = np.argsort(np.arctan2(halfway @ north, halfway @ east))
    return [sides[i] for i in order]


def middle_of(sides: list[Arc]) -> np.ndarray:
    """Direction of the centre of gravity of a polygon.

    Parameters
    ----------
    sides : list of Arc

    Returns
    -------
    ndarray of shape (3,)
        A unit vector: the normals of the sides, weighed by their lengths.
    """
    total = np.sum([(side.high - side.low) * side.normal for side in sides], axis=0)
    return np.asarray(total / np.linalg.norm(total))


def polygon_share(cuts: np.ndarray) -> float:
    """Share of the sphere, and of the ball, that cuts leave.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, 2) or (n_cuts, 3)
        Unit rows.

    Returns
    -------
    float
        From the angles between neighbouring sides (Girard's theorem).

    Examples
    --------
    >>> import numpy as np
    >>> float(round(polygon_share(np.eye(3)), 6)), float(round(polygon_share(np.eye(2)), 6))
    (0.125, 0.25)
    """
    if not len(cuts):
        return 1.0
    if cuts.shape[1] == 2:
        found = common_arc(np.arctan2(cuts[:, 1], cuts[:, 0]))
        return 0.0 if found is None else (found[1] - found[0]) / (2 * np.pi)
    sides = polygon_sides(cuts)
    if not sides:
        return 0.0
    normals = np.array([side.normal for side in sides])
    following = np.roll(normals, -1, axis=0)
    sines = np.linalg.norm(np.cross(normals, following), axis=1)
    turns = np.arctan2(sines, np.einsum("ij,ij->i", normals, following))
    return float((2 * np.pi - turns.sum()) / (4 * np.pi))


def outline(sides: list[Arc]) -> np.ndarray:
    """Unit vectors along the whole border of a polygon.

    Parameters
    ----------
    sides : list of Arc

    Returns
    -------
    ndarray of shape (n, 3)
    """
    return np.vstack([side.points() for side in sides])


def equal_area_map(points: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """Flat map of the sphere in which areas are true (Lambert's azimuthal projection).

    Parameters
    ----------
    points : ndarray of shape (n, 3)
        Their lengths do not matter.
    frame : ndarray of shape (3, 3)
        Orthonormal rows: what points right, what points up, and the middle of the map.

    Returns
    -------
    ndarray of shape (n, 2)
        Within a disc of radius 2, whose rim is the point opposite to the middle.
    """
    units = points / np.linalg.norm(points, axis=1, keepdims=True)
    right, up, depth = frame @ units.T
    scale = np.sqrt(2.0 / np.maximum(1.0 + depth, 1e-12))
    return np.column_stack([scale * right, scale * up])


def _frame(normal: np.ndarray) -> np.ndarray:
    """Two unit rows that span what is orthogonal to a unit vector, right-handed with it."""
    first = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    first = first / np.linalg.norm(first)
    return np.array([first, np.cross(normal, first)])
