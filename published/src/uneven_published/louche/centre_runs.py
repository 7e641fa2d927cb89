"""Centres of convex bodies, and how evenly cuts through them split the body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from uneven.bounds import grunbaum_share
from uneven.versionspace import chebyshev_centre, exact_centre, hit_and_run
from uneven.versionspace.exact import clip_hull, hull_centre
from uneven_published.description import Answers, Context

__all__ = [
    "CHEBYSHEV",
    "GRAVITY",
    "HEIGHTS",
    "BodySplits",
    "EvenSplits",
    "QuerySplits",
    "ThinTriangles",
    "TrapezoidConstructions",
    "TrapezoidHeights",
    "shares",
    "thin_triangle",
    "trapezoid",
]

GRAVITY, CHEBYSHEV = "centre of gravity", "Chebyshev centre"
HEIGHTS = ("lowest trapezoid", "the centres meet", "whole triangle")


def shares(points: np.ndarray, through: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Share of a convex hull on the positive side of cuts through a point.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_dims)
    through : ndarray of shape (n_dims,)
    normals : ndarray of shape (n_cuts, n_dims)

    Returns
    -------
    ndarray of shape (n_cuts,)

    Examples
    --------
    >>> triangle = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
    >>> shares(triangle, np.array([1.0, 1.0]), np.array([[0.0, 1.0], [0.0, -1.0]])).round(4)
    array([0.4444, 0.5556])
    """
    whole = hull_centre(points)[1]
    kept = [hull_centre(clip_hull(points, n, float(n @ through)))[1] for n in normals]
    return np.array(kept) / whole


@dataclass(frozen=True)
class QuerySplits:
    """Cuts through a central point and through one near the edge of random polygons.

    Attributes
    ----------
    bodies, cuts : int
        Polygons of a cell, and cuts through each point.
    """

    bodies: int
    cuts: int

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Least share on either side, and deviation of the share, of each polygon."""
        rng = np.random.default_rng(repeat)
        found: dict[str, list[np.ndarray]] = {"near the edge": [], "central": []}
        for _ in range(self.bodies):
            points = rng.normal(size=(10, 2))
            centre = hull_centre(points)[0]
            corner = points[np.argmax(np.linalg.norm(points - centre, axis=1))]
            normals = rng.normal(size=(self.cuts, 2))
            found["central"].append(shares(points, centre, normals))
            found["near the edge"].append(shares(points, 0.2 * centre + 0.8 * corner, normals))
        kept = {column: np.array(some) for column, some in found.items()}
        return {
            column: {
                "least": np.minimum(some, 1.0 - some).min(axis=1),
                "spread": np.concatenate([some, 1.0 - some], axis=1).std(axis=1),
            }
            for column, some in kept.items()
        }


@dataclass(frozen=True)
class BodySplits:
    """Cuts through centres of gravity: of simplices, parallel to a face; of any polytope.

    Attributes
    ----------
    bodies, cuts : int
        Bodies of each kind in a cell, and cuts through each polytope.
    """

    bodies: int
    cuts: int

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Shares that are kept; the item begins with the number of dimensions."""
        n_dims = int(item.split()[0])
        rng = np.random.default_rng((repeat, n_dims))
        kept, depths, least = [], [], []
        for _ in range(self.bodies):
            simplex = rng.normal(size=(n_dims + 1, n_dims))
            top, face = simplex[0], simplex[1:]
            normal = np.linalg.solve(face - top, np.ones(n_dims))
            normal = -normal / np.linalg.norm(normal)
            centre = hull_centre(simplex)[0]
            kept.append(float(shares(simplex, centre, normal[None])[0]))
            depths.append(float(normal @ (top - centre) / (normal @ (top - face[0]))))
            points = rng.normal(size=(n_dims + 1 + int(rng.integers(8)), n_dims))
            some = shares(points, hull_centre(points)[0], rng.normal(size=(self.cuts, n_dims)))
            least.append(float(np.minimum(some, 1.0 - some).min()))
        return {
            "simplex, cut parallel to a face": {"share": kept, "depth": depths},
            "any polytope, worst of many cuts": {
                "share": least,
                "below": [share < grunbaum_share(n_dims) - 1e-9 for share in least],
            },
        }


def trapezoid(base: float, height: float, cut: float) -> np.ndarray:
    """Corners of an isosceles triangle whose top is cut off at some height, shape (4, 2)."""
    top = base * (1.0 - cut / height)
    return np.array([[-base / 2, 0.0], [base / 2, 0.0], [top / 2, cut], [-top / 2, cut]])


def _inscribed(base: float, height: float, cut: float) -> np.ndarray:
    """Chebyshev centre of such a trapezoid, by a linear program."""
    slope = np.array([height, base / 2]) / math.hypot(height, base / 2)
    legs = [[-slope[0], -slope[1]], [slope[0], -slope[1]]]
    cuts = np.array([[0.0, 1.0], [0.0, -1.0], *legs])
    reach = -slope[0] * base / 2
    return chebyshev_centre(cuts, np.array([0.0, -cut, reach, reach])).point


def _inradius(base: float, height: float) -> float:
    return base * height / (base + 2.0 * math.hypot(height, base / 2))


@dataclass(frozen=True)
class TrapezoidConstructions:
    """Both centres of trapezoids, drawn with ruler and compass and computed.

    Attributes
    ----------
    bodies : int
    """

    bodies: int

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Distances between what is drawn and what is computed."""
        rng = np.random.default_rng(repeat)
        apart: dict[str, list[float]] = {CHEBYSHEV: [], GRAVITY: []}
        for _ in range(self.bodies):
            base, height = rng.uniform(1.0, 3.0), rng.uniform(3.0, 6.0)
            cut = rng.uniform(2.0 * _inradius(base, height), height)
            corners = trapezoid(base, height, cut)
            angle = math.atan2(height, base / 2)
            bisectors = np.array([0.0, base / 2 * math.tan(angle / 2)])
            halves = corners[[0, 1, 2]], corners[[0, 2, 3]]
            areas = [hull_centre(half)[1] for half in halves]
            middle = np.average([half.mean(axis=0) for half in halves], axis=0, weights=areas)
            ball, gravity = _inscribed(base, height, cut), hull_centre(corners)[0]
            apart[CHEBYSHEV].append(float(np.linalg.norm(bisectors - ball)))
            apart[GRAVITY].append(float(np.linalg.norm(middle - gravity)))
        return {column: {"apart": some} for column, some in apart.items()}


@dataclass(frozen=True)
class TrapezoidHeights:
    """How high both centres of a trapezoid stand: one triangle, cut at three heights.

    Attributes
    ----------
    base, height : float
        Of the triangle.
    """

    base: float
    height: float

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Height of the trapezoid and of its centres; the item is one of `HEIGHTS`."""
        base, height = self.base, self.height
        lowest = 2.0 * _inradius(base, height)

        def lead(cut: float) -> float:
            gravity = hull_centre(trapezoid(base, height, cut))[0]
            return float(gravity[1] - _inscribed(base, height, cut)[1])

        cut = {HEIGHTS[0]: lowest, HEIGHTS[2]: height * (1.0 - 1e-9)}.get(item)
        if cut is None:
            cut = float(brentq(lead, lowest, 0.999 * height, xtol=1e-12))
        gravity = hull_centre(trapezoid(base, height, cut))[0]
        ball = _inscribed(base, height, cut)
        return {
            CHEBYSHEV: {"height": float(ball[1]), "cut": cut},
            GRAVITY: {"height": float(gravity[1]), "cut": cut},
        }


def thin_triangle(length: float, half_width: float) -> np.ndarray:
    """Cuts whose version space is a long and thin triangle of the sphere, shape (3, 3).

    Its corners have longitude 0 and latitude ± `half_width`, and longitude `length` and latitude 0.
    """
    low, high = math.cos(half_width), math.sin(half_width)
    corners = np.array([[low, 0, -high], [math.cos(length), math.sin(length), 0], [low, 0, high]])
    normals = np.cross(corners, np.roll(corners, -1, axis=0))
    normals *= np.sign(normals @ corners.mean(axis=0))[:, None]
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


@dataclass(frozen=True)
class ThinTriangles:
    """Both centres of thin version spaces, and the worst cut through each.

    Attributes
    ----------
    shapes : dict of str to (float, float)
        Length and half the width of each item, in radians.
    cuts : int
        Directions that are tried.
    """

    shapes: dict[str, tuple[float, float]]
    cuts: int = 720

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Least share that a cut through a centre leaves, and the angle from one to the other."""
        cuts = thin_triangle(*self.shapes[item])
        centres = {GRAVITY: exact_centre(cuts).centre, CHEBYSHEV: chebyshev_centre(cuts).point}
        units = {name: point / np.linalg.norm(point) for name, point in centres.items()}
        turn = np.linspace(0.0, math.pi, self.cuts, endpoint=False)
        answers: dict[str, dict[str, Any]] = {}
        for name, unit in units.items():
            across = np.linalg.svd(unit[None])[2][1:]
            normals = np.cos(turn)[:, None] * across[0] + np.sin(turn)[:, None] * across[1]
            kept = [_smaller_part(cuts, normal) for normal in normals]
            angle = math.degrees(math.acos(min(1.0, float(unit @ units[GRAVITY]))))
            answers[name] = {"least": min(kept), "angle": angle}
        return answers


def _smaller_part(cuts: np.ndarray, normal: np.ndarray) -> float:
    """Share of a version space on the smaller side of a hyperplane that meets it."""
    whole = exact_centre(cuts).share
    part = exact_centre(np.vstack([cuts, normal])).share / whole
    return min(part, 1.0 - part)


@dataclass(frozen=True)
class EvenSplits:
    """Which of some examples is asked for, and how evenly it splits the version space.

    Attributes
    ----------
    spaces : int
        Random version spaces of a cell, in three dimensions.
    cuts, pool : int
        Labelled examples, and examples to choose from whose labels are open.
    """

    spaces: int
    cuts: int
    pool: int

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Share of the smaller part, and whether the choice is the most even split."""
        rng = np.random.default_rng(repeat)
        found: dict[str, list[tuple[float, bool]]] = {}
        for _ in range(self.spaces):
            cuts, pool = self._draw(rng)
            parts = np.array([_smaller_part(cuts, x) for x in pool])
            best = int(np.argmax(parts))
            centres = {
                "closest to some classifier": hit_and_run(cuts, n_samples=1, rng=rng)[0],
                "closest to the Chebyshev centre": chebyshev_centre(cuts).point,
                "closest to the centre of gravity": exact_centre(cuts).centre,
            }
            for name, centre in centres.items():
                row = int(np.argmin(np.abs(pool @ centre)))
                found.setdefault(name, []).append((float(parts[row]), row == best))
            found.setdefault("most even split", []).append((float(parts[best]), True))
        return {
            name: {"smaller": [part for part, _ in some], "agrees": [same for _, same in some]}
            for name, some in found.items()
        }

    def _draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Cuts that a random classifier agrees with, and examples that it leaves open."""
        target = _units(rng.normal(size=(1, 3)))[0]
        rows = _units(rng.normal(size=(self.cuts, 3)))
        cuts = rows * np.where(rows @ target > 0.0, 1.0, -1.0)[:, None]
        inside = hit_and_run(cuts, start=0.5 * target, n_samples=200, rng=rng)
        pool: list[np.ndarray] = []
        while len(pool) < self.pool:
            row = _units(rng.normal(size=(1, 3)))[0]
            if 0.0 < np.mean(inside @ row > 0.0) < 1.0:
                pool.append(row)
        return cuts, np.array(pool)


def _units(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
