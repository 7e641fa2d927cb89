"""Flat maps of a version space: the unit disc itself, or the unit sphere by true areas.

On the sphere the space is a polygon whose sides are parts of great circles.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

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


_ROUND = np.linspace(-np.pi, np.pi, 361)
_FAR = 1.9
_PIECES = 24


class DiscMap:
    """The unit disc: the space is a sector, a hyperplane is a line through the middle.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, 2)
    """

    scale_bar = False
    free_ends: ClassVar = [-1]
    """Which ends of a crossing are on the outer border."""

    def __init__(self, cuts: np.ndarray) -> None:
        self.cuts = cuts
        found = common_arc(np.arctan2(cuts[:, 1], cuts[:, 0]))
        self.sector = (0.0, 0.0) if found is None else found
        self.rim = _circle(_ROUND)
        self.limits = ((-1.12, 1.12), (-1.12, 1.12))

    @property
    def empty(self) -> bool:
        """Whether the cuts leave no sector."""
        return self.sector[1] <= self.sector[0]

    def region(self) -> np.ndarray:
        """Border of the sector."""
        arc = _circle(np.linspace(*self.sector, 361))
        return arc if not len(self.cuts) else np.vstack([[0.0, 0.0], arc, [0.0, 0.0]])

    def place(self, points: np.ndarray) -> np.ndarray:
        """Points as they are; those beyond the disc move to its rim."""
        lengths = np.linalg.norm(points, axis=1, keepdims=True)
        return points / np.maximum(lengths, 1.0)

    def path(self, points: np.ndarray) -> np.ndarray:
        """Line from point to point."""
        return self.place(points)

    def line(self, normal: np.ndarray) -> np.ndarray:
        """The hyperplane of a normal, from rim to rim."""
        along = np.array([-normal[1], normal[0]])
        return 1.06 * np.array([-along, along])

    def crossing(self, normal: np.ndarray) -> np.ndarray | None:
        """The part of a hyperplane inside the space."""
        along = np.array([-normal[1], normal[0]])
        for side in (along, -along):
            if (self.cuts @ side > 0.0).all():
                return np.array([[0.0, 0.0], side])
        return None

    def ball(self, point: np.ndarray) -> np.ndarray:
        """The largest circle around a point that fits into the space."""
        (middle,) = self.place(point[None, :])
        radius = min(np.min(self.cuts @ middle, initial=1.0), 1.0 - float(np.linalg.norm(middle)))
        return middle + max(radius, 0.0) * _circle(_ROUND)


class SphereMap:
    """The unit sphere around the middle of the space; areas are shares of the volume.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, 3)
    """

    scale_bar = True
    free_ends: ClassVar = [-1, 0]

    def __init__(self, cuts: np.ndarray) -> None:
        self.cuts = cuts
        self.sides = polygon_sides(cuts)
        self.rim = 2.0 * _circle(_ROUND)
        self.frame = np.roll(np.eye(3), -1, axis=0)
        if self.sides:
            self.frame = self._turned()
        corners = self.region()
        low, high = corners.min(axis=0), corners.max(axis=0)
        wide, tall = 1.24 * (high - low) + 0.16 * (high - low).max()
        reach = 0.5 * np.array([wide, max(tall, 0.42 * wide)])
        middle = 0.5 * (low + high)
        self.limits = tuple(zip(middle - reach, middle + reach))

    @property
    def empty(self) -> bool:
        """Whether the cuts leave no polygon."""
        return len(self.cuts) > 0 and not self.sides

    def _turned(self) -> np.ndarray:
        """A frame around the middle in which the polygon is wider than high."""
        middle = middle_of(self.sides)
        border = outline(self.sides)
        flat = border - np.outer(border @ middle, middle)
        _, _, axes = np.linalg.svd(flat - flat.mean(axis=0))
        right = axes[0] - (axes[0] @ middle) * middle
        right *= np.sign(right[np.abs(right).argmax()]) / np.linalg.norm(right)
        return np.array([right, np.cross(middle, right), middle])

    def region(self) -> np.ndarray:
        """Border of the polygon."""
        return self.place(outline(self.sides)) if self.sides else self.rim

    def place(self, points: np.ndarray) -> np.ndarray:
        """Where the directions of points are on the map."""
        return equal_area_map(points, self.frame)

    def path(self, points: np.ndarray) -> np.ndarray:
        """Straight lines from point to point, as they look from the origin."""
        shares = np.linspace(0.0, 1.0, _PIECES, endpoint=False)[:, None]
        pieces = [a + shares * (b - a) for a, b in pairwise(points)]
        return self._unbroken(self.place(np.vstack([*pieces, points[-1:]])))

    def line(self, normal: np.ndarray) -> np.ndarray:
        """The great circle of a normal, without the far side of the sphere."""
        return self._unbroken(self.place(great_circle(normal, _ROUND)))

    def crossing(self, normal: np.ndarray) -> np.ndarray | None:
        """The part of a great circle inside the space."""
        inner = self.cuts @ great_circle(normal, np.array([0.0, np.pi / 2])).T
        apart = np.hypot(*inner.T) > 1e-9
        found = common_arc(np.arctan2(inner[apart, 1], inner[apart, 0]))
        if found is None:
            return None
        return self.place(great_circle(normal, np.linspace(*found, 181)))

    def ball(self, point: np.ndarray) -> np.ndarray:
        """The largest circle on the sphere around a point that fits into the space."""
        middle = point / np.linalg.norm(point)
        angle = np.arcsin(np.clip(np.min(self.cuts @ middle, initial=1.0), 0.0, 1.0))
        around = great_circle(middle, _ROUND)
        return self.place(np.cos(angle) * middle + np.sin(angle) * around)

    def _unbroken(self, line: np.ndarray) -> np.ndarray:
        """Leave out points near the rim, where neighbours may be on opposite sides."""
        return np.where(np.linalg.norm(line, axis=1, keepdims=True) > _FAR, np.nan, line)


def map_of(cuts: np.ndarray) -> DiscMap | SphereMap:
    """The map for cuts in two or three dimensions."""
    return DiscMap(cuts) if cuts.shape[1] == 2 else SphereMap(cuts)


def _circle(angles: np.ndarray) -> np.ndarray:
    return np.column_stack([np.cos(angles), np.sin(angles)])
