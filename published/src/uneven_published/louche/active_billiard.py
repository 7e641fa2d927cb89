"""The billiard that finds a Bayes point."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.spatial import HalfspaceIntersection

from uneven.versionspace import BilliardRun, billiard
from uneven.versionspace.exact import hull_centre
from uneven_published.claims import asked, within
from uneven_published.description import (
    Answers,
    Claim,
    Context,
    Exhibit,
    Item,
    Measure,
    Plot,
    Study,
)
from uneven_published.documents import LOUCHE

BALL = "billiard"
BOUNCES = 5000
GRID = 10
"""Cells of the box around a body, along each side."""

_STEP = 0.003
"""Length of way between two samples."""


@dataclass(frozen=True)
class Polygon:
    """The points w with ``cuts @ w >= offsets``.

    Attributes
    ----------
    cuts : ndarray of shape (n_cuts, 2)
    offsets : ndarray of shape (n_cuts,)
    """

    cuts: np.ndarray
    offsets: np.ndarray

    @property
    def corners(self) -> np.ndarray:
        """Corners, shape (n_corners, 2)."""
        planes = np.column_stack([-self.cuts, self.offsets])
        return HalfspaceIntersection(planes, np.zeros(2)).intersections

    def play(self, bounces: int, rng: np.random.Generator) -> BilliardRun:
        """Let a ball bounce, from a random point near the middle."""
        return billiard(
            self.cuts,
            0.1 * rng.normal(size=2),
            offsets=self.offsets,
            ball=False,
            bounces=bounces,
            rng=rng,
        )

    def contain(self, low: np.ndarray, side: float) -> np.ndarray:
        """Whether squares, given by their lowest corners of shape (n, 2), lie inside."""
        steps = np.array([[0, 0], [0, side], [side, 0], [side, side]])
        slack = (low[:, None] + steps) @ self.cuts.T - self.offsets
        return (slack >= 0.0).all(axis=(1, 2))


def random_polygon(rng: np.random.Generator, n_cuts: int = 7) -> Polygon:
    """An irregular polygon around the origin.

    Examples
    --------
    >>> polygon = random_polygon(np.random.default_rng(0))
    >>> bool((polygon.offsets < 0).all()), polygon.corners.shape[1]
    (True, 2)
    """
    angles = 2.0 * math.pi * (np.arange(n_cuts) + rng.uniform(0.0, 0.8, n_cuts)) / n_cuts
    cuts = np.column_stack([np.cos(angles), np.sin(angles)])
    return Polygon(cuts, -rng.uniform(0.6, 1.0, n_cuts))


def time_per_cell(
    places: np.ndarray, polygon: Polygon, low: np.ndarray, side: float, cells: int
) -> np.ndarray:
    """How many places lie in each cell of a square that is wholly inside the polygon."""
    edges = [np.linspace(start, start + side, cells + 1) for start in low]
    counts = np.histogram2d(places[:, 0], places[:, 1], bins=edges)[0]
    corners = np.stack(np.meshgrid(edges[0][:-1], edges[1][:-1], indexing="ij"), axis=-1)
    inside = polygon.contain(corners.reshape(-1, 2), side / cells)
    return counts.ravel()[inside]


def _box(polygon: Polygon) -> tuple[np.ndarray, float]:
    """Lowest corner and side of a square around a polygon."""
    corners = polygon.corners
    return corners.min(axis=0), float(np.ptp(corners, axis=0).max())


def _on_the_way(run: BilliardRun, bounces: int | None = None) -> np.ndarray:
    """Places at constant time steps, shape (n_places, n_dims)."""
    points, lengths = run.points[:bounces], run.lengths[:bounces]
    ends = np.cumsum(lengths)
    times = np.arange(_STEP / 2, ends[-1], _STEP)
    chord = np.minimum(np.searchsorted(ends, times), len(ends) - 1)
    share = 1.0 - (ends[chord] - times) / lengths[chord]
    return points[chord, 0] + share[:, None] * (points[chord, 1] - points[chord, 0])


def _unevenness(counts: np.ndarray) -> float:
    return float(counts.std() / counts.mean())


@dataclass(frozen=True)
class BilliardCoverage:
    """Share of a polygon that a ball has visited; the item begins with the number of bounces."""

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Share of the cells of a grid that the way enters."""
        rng = np.random.default_rng(repeat)
        polygon = random_polygon(rng)
        places = _on_the_way(polygon.play(int(item.split()[0]), rng))
        counts = time_per_cell(places, polygon, *_box(polygon), GRID)
        return {BALL: {"visited": float((counts > 0).mean())}}


@dataclass(frozen=True)
class BilliardScales:
    """How evenly a ball covers a body, at two scales; and a version space.

    Attributes
    ----------
    polygon, magnified, space : str
        Items.
    zoom : float
        How much smaller the square is that is magnified.
    """

    polygon: str
    magnified: str
    space: str
    zoom: float = 20.0

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Deviation of the time per cell over its mean; share of the body never visited."""
        rng = np.random.default_rng(repeat)
        if item == self.space:
            return {BALL: {"unvisited": _radius_never_reached(rng) ** 3}}
        polygon = random_polygon(rng)
        run = polygon.play(BOUNCES, rng)
        low, side = _box(polygon)
        if item == self.magnified:
            side /= self.zoom
            low = hull_centre(polygon.corners)[0] - side / 2
        counts = time_per_cell(_on_the_way(run), polygon, low, side, GRID)
        return {BALL: {"uneven": _unevenness(counts), "unvisited": float((counts == 0).mean())}}


def _radius_never_reached(rng: np.random.Generator) -> float:
    """Least distance from the origin of a ball between random cuts through it and the sphere."""
    target = rng.normal(size=3)
    rows = rng.normal(size=(6, 3))
    cuts = rows * np.where(rows @ target > 0.0, 1.0, -1.0)[:, None]
    cuts /= np.linalg.norm(cuts, axis=1, keepdims=True)
    points = billiard(cuts, bounces=BOUNCES, rng=rng).points
    begin, along = points[:, 0], points[:, 1] - points[:, 0]
    squared = np.maximum((along**2).sum(axis=1), np.finfo(float).tiny)
    nearest = np.clip(-(begin * along).sum(axis=1) / squared, 0.0, 1.0)
    return float(np.linalg.norm(begin + nearest[:, None] * along, axis=1).min())


@dataclass(frozen=True)
class BilliardEstimates:
    """Estimates of the centre of gravity of a polygon, bounce by bounce.

    Attributes
    ----------
    shown : int
        Length of the curve.
    """

    shown: int

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Distance from the exact centre, in square roots of the area; evenness of midpoints."""
        rng = np.random.default_rng(repeat)
        polygon = random_polygon(rng)
        run = polygon.play(BOUNCES, rng)
        centre, area = hull_centre(polygon.corners)
        midpoints = run.points.mean(axis=1)
        moments = np.cumsum(run.lengths[:, None] * midpoints, axis=0)
        estimates = moments / np.cumsum(run.lengths)[:, None]
        off = np.linalg.norm(estimates - centre, axis=1) / math.sqrt(area)
        low, side = _box(polygon)
        way = time_per_cell(_on_the_way(run), polygon, low, side, GRID)
        middles = time_per_cell(midpoints, polygon, low, side, GRID)
        return {
            BALL: {
                "off": off[None, : self.shown],
                "off_100": float(off[99]),
                "off_5000": float(off[-1]),
                "way": _unevenness(way),
                "midpoints": _unevenness(middles),
            }
        }


POLYGONS = "The polygon of the picture is not given; random ones stand in."

FIGURE_5_10 = Exhibit(
    LOUCHE,
    "Figure 5.10",
    "The way of a billiard ball after 5 and after 300 bounces",
    "substitute",
    POLYGONS,
    "Irregular polygons of seven sides, a ball from near the middle in a random direction; the "
    "share of the cells inside the polygon that the way enters, of a grid of 10 by 10.",
    (
        Study(
            "louche-billiard-ways",
            (Item("5 bounces"), Item("300 bounces")),
            BilliardCoverage(),
            repeats=40,
            fast_repeats=10,
        ),
    ),
    (Measure("visited", "share of the polygon that is visited", "higher", 3),),
    columns=(BALL,),
    claims=(
        Claim(
            "After 300 bounces the way goes nearly everywhere (over 95 % of the cells).",
            within(BALL, "visited", low=0.95, rows=("300 bounces",)),
        ),
        Claim(
            "After 5 bounces it does not.",
            within(BALL, "visited", high=0.6, rows=("5 bounces",)),
        ),
    ),
)

WHOLE, MAGNIFIED, SPACE = "whole polygon", "magnified square", "version space in 3 dimensions"


def coarser(whole: float, magnified: float) -> tuple[bool, str]:
    """Whether the magnified square is covered less evenly, by a factor of two."""
    return magnified > 2.0 * whole, f"{whole:.3f} and {magnified:.3f}"


FIGURE_5_11 = Exhibit(
    LOUCHE,
    "Figure 5.11",
    "How evenly 5000 bounces cover a polygon, at large and at small scale",
    "substitute",
    f"{POLYGONS} The version space in the last row is ours.",
    "Irregular polygons of seven sides, 5000 bounces. Time spent in each cell of a grid of 10 by "
    "10: its deviation over its mean, for the whole polygon and for a square in its middle that is "
    "20 times smaller. The last row is a billiard between six random cuts through the origin and "
    "the unit sphere: the share of the volume that lies nearer to the origin than the ball ever "
    "comes.",
    (
        Study(
            "louche-billiard-scales",
            (Item(WHOLE), Item(MAGNIFIED), Item(SPACE)),
            BilliardScales(WHOLE, MAGNIFIED, SPACE),
            repeats=30,
            fast_repeats=5,
        ),
    ),
    (
        Measure("uneven", "deviation of the time per cell over its mean", "lower", 3),
        Measure("unvisited", "share of the body that is not visited", "lower", 3),
    ),
    columns=(BALL,),
    claims=(
        Claim(
            "At large scale the polygon is covered evenly (deviation under a tenth of the mean).",
            within(BALL, "uneven", high=0.1, rows=(WHOLE,)),
        ),
        Claim(
            "When magnified, the coverage is irregular (more than twice as uneven).",
            asked(((WHOLE, BALL, "uneven"), (MAGNIFIED, BALL, "uneven")), coarser),
        ),
        Claim(
            "A ball covers any version space evenly, near enough: nothing is left out.",
            within(BALL, "unvisited", high=0.001, rows=(SPACE,)),
        ),
    ),
    errata=(
        "The caption says twice that the left picture is shown; the second one is on the right.",
        "Between cuts through the origin and the sphere a ball conserves its angular momentum: it "
        "never comes nearer to the origin than at the start, so it does not cover a version space. "
        "Only the direction of its mean can be used.",
    ),
    explanation=(
        "What is shown, a polygon without the sphere, holds. What the text concludes about version "
        "spaces does not, for the reason in the second footnote."
    ),
)

SHOWN = tuple(float(k) for k in range(1, 101))
POLYGON = "random polygons"

FIGURE_5_12 = Exhibit(
    LOUCHE,
    "Figure 5.12",
    "The centre of gravity as estimated after each bounce, and the midpoints of the bounces",
    "substitute",
    POLYGONS,
    "Irregular polygons of seven sides, 5000 bounces. The estimate is the mean of the midpoints of "
    "the chords, weighted by their lengths; its distance from the exact centre of gravity is given "
    "in square roots of the area. Evenness as in figure 5.11, of the way and of the midpoints.",
    (
        Study(
            "louche-billiard-estimates",
            (Item(POLYGON),),
            BilliardEstimates(shown=len(SHOWN)),
            repeats=40,
            fast_repeats=10,
        ),
    ),
    (
        Measure("off_100", "distance from the centre after 100 bounces", "lower", 4),
        Measure("off_5000", "distance from the centre after 5000 bounces", "lower", 4),
        Measure("way", "unevenness of the way", "lower", 3),
        Measure("midpoints", "unevenness of the midpoints", "lower", 3),
        Measure("off", "distance from the centre", "lower", 4),
    ),
    columns=(BALL,),
    claims=(
        Claim(
            "After 100 bounces the estimate is already good (within 0.05).",
            within(BALL, "off_100", high=0.05),
        ),
        Claim(
            "After 5000 bounces it is better.",
            asked(
                ((POLYGON, BALL, "off_5000"), (POLYGON, BALL, "off_100")),
                lambda last, early: last < early,
            ),
        ),
        Claim(
            "The way covers the polygon evenly, the midpoints do not.",
            asked(((POLYGON, BALL, "way"), (POLYGON, BALL, "midpoints")), coarser),
        ),
    ),
    plots=(Plot("off", SHOWN, "bounces", "distance from the centre of gravity", y_log=True),),
)


EXHIBITS: tuple[Exhibit, ...] = (FIGURE_5_10, FIGURE_5_11, FIGURE_5_12)
