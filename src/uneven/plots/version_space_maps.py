"""Flat maps of a version space: the unit disc itself, or the unit sphere by true areas."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

import numpy as np

from uneven.plots.sphere import (
    common_arc,
    equal_area_map,
    great_circle,
    middle_of,
    outline,
    polygon_sides,
)

__all__ = ["DiscMap", "SphereMap", "map_of"]

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
