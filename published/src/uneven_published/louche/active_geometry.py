"""Chapter 5: centres of version spaces and the cuts through them, measured or only drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from uneven.bounds import grunbaum_share
from uneven.versionspace import chebyshev_centre, exact_centre, hit_and_run
from uneven.versionspace.exact import clip_hull, hull_centre
from uneven_published.claims import asked, compare, within
from uneven_published.description import Answers, Claim, Context, Exhibit, Item, Measure, Study
from uneven_published.documents import LOUCHE
from uneven_published.numbers import printed_table

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


SIMPLEX, ANY = "simplex, cut parallel to a face", "any polytope, worst of many cuts"
POLYGONS = "The polygon of the picture is not given; random ones stand in."

FIGURE_5_5 = Exhibit(
    LOUCHE,
    "Figure 5.5",
    "What cuts through a central point, and through one near the edge, leave of a body",
    "substitute",
    POLYGONS,
    "Hulls of 10 normal points in the plane. The central point is the centre of gravity; the other "
    "one lies four fifths of the way from there to the farthest corner. 60 cuts through each.",
    (
        Study(
            "louche-central-cuts",
            (Item("random polygons"),),
            QuerySplits(bodies=25, cuts=60),
            repeats=8,
            fast_repeats=2,
        ),
    ),
    (
        Measure("least", "least share on either side of a cut", "higher", 3),
        Measure("spread", "deviation of the share that is kept", "lower", 3),
    ),
    columns=("near the edge", "central"),
    claims=(
        Claim(
            "Cuts through a point near the edge split the body unevenly (0.1 at most on a side).",
            within("near the edge", "least", high=0.1),
        ),
        Claim(
            "By theory: cuts through a central point split it almost evenly, whatever their "
            "direction (0.4 at least on either side).",
            within("central", "least", low=0.4),
        ),
        Claim(
            "What a cut through a central point leaves is more reliable.",
            compare("central", "near the edge", "spread", "<"),
        ),
    ),
)

FIGURE_5_6 = Exhibit(
    LOUCHE,
    "Figure 5.6",
    "The worst case of a cut through the centre of gravity",
    "original",
    protocol=(
        "Random simplices, cut through the centre of gravity parallel to a face: the share on the "
        "side of the opposite corner, and how deep the centre lies from that corner as a share of "
        "the height. Beside them hulls of random points, with the least share of 60 random cuts "
        "through the centre of gravity. The printed share in three dimensions is the bound of "
        "theorem 5.1; the picture shows two."
    ),
    studies=(
        Study(
            "louche-worst-cuts",
            (Item("2 dimensions"), Item("3 dimensions")),
            BodySplits(bodies=25, cuts=60),
            repeats=8,
            fast_repeats=2,
        ),
    ),
    measures=(
        Measure("share", "share of the volume", None, 4),
        Measure("depth", "depth of the centre of gravity", None, 4),
        Measure("below", "share of bodies with a cut below the bound", "lower", 3),
    ),
    printed=printed_table(
        f"""
        body | {SIMPLEX}: share | {SIMPLEX}: depth
        2 dimensions | .4444 | .6667
        3 dimensions | .4219 | -
        """
    ),
    columns=(SIMPLEX, ANY),
    claims=(
        Claim(
            "In the plane the centre of gravity lies at 2/3 of the height from the corner.",
            within(SIMPLEX, "depth", 0.66661, 0.66675, rows=("2 dimensions",)),
        ),
        Claim(
            "In the plane exactly 4/9 of the triangle are on the side of the corner.",
            within(SIMPLEX, "share", 0.44439, 0.44450, rows=("2 dimensions",)),
        ),
        *(
            Claim(
                f"By theory: in {d} dimensions no cut through a centre of gravity leaves less than "
                f"{grunbaum_share(d):.4f} on a side.",
                within(ANY, "below", high=0.0, rows=(f"{d} dimensions",)),
            )
            for d in (2, 3)
        ),
    ),
)

FIGURE_5_7 = Exhibit(
    LOUCHE,
    "Figure 5.7",
    "How both centres of a trapezoid are constructed",
    "substitute",
    "The trapezoid of the picture is not given; random ones stand in.",
    "Isosceles triangles of random base and height, cut off at a random height above the inscribed "
    "circle. The Chebyshev centre is drawn where the bisectors of the base angles meet, and "
    "computed by a linear program; the centre of gravity is drawn as the weighted mean of those of "
    "two triangles, and computed from the hull.",
    (
        Study(
            "louche-trapezoids",
            (Item("random trapezoids"),),
            TrapezoidConstructions(bodies=50),
            repeats=2,
            fast_repeats=1,
        ),
    ),
    (Measure("apart", "distance between construction and computation", "lower", 9),),
    columns=(CHEBYSHEV, GRAVITY),
    claims=(
        Claim(
            "By theory: the bisectors of the base angles meet in the Chebyshev centre.",
            within(CHEBYSHEV, "apart", high=1e-7),
        ),
        Claim(
            "By theory: the centre of gravity is the weighted mean of those of the two triangles.",
            within(GRAVITY, "apart", high=1e-9),
        ),
    ),
)


def same(*heights: float) -> tuple[bool, str]:
    """Whether heights are equal."""
    return max(heights) - min(heights) < 1e-6, f"{min(heights):.6f} to {max(heights):.6f}"


FIGURE_5_8 = Exhibit(
    LOUCHE,
    "Figure 5.8",
    "Three trapezoids with one Chebyshev centre and three centres of gravity",
    "substitute",
    "The triangle of the picture is not given; here its base is 2 and its height 4.",
    "A triangle, cut off at the diameter of its inscribed circle, where both centres meet, and not "
    "at all.",
    (
        Study(
            "louche-trapezoid-heights",
            tuple(Item(height) for height in HEIGHTS),
            TrapezoidHeights(base=2.0, height=4.0),
        ),
    ),
    (
        Measure("height", "height of the centre above the base", None, 4),
        Measure("cut", "height of the trapezoid", None, 4),
    ),
    columns=(CHEBYSHEV, GRAVITY),
    claims=(
        Claim(
            "By theory: all three have the same Chebyshev centre.",
            asked(tuple((row, CHEBYSHEV, "height") for row in HEIGHTS), same),
        ),
        Claim(
            "Cutting off the top moves the centre of gravity towards the base.",
            asked(
                tuple((row, GRAVITY, "height") for row in HEIGHTS),
                lambda low, middle, whole: low < middle < whole,
            ),
        ),
        Claim(
            "By theory: in between there is a trapezoid in which both centres are the same point.",
            asked(tuple((HEIGHTS[1], c, "height") for c in (CHEBYSHEV, GRAVITY)), same),
        ),
        Claim(
            "In the lowest trapezoid the centre of gravity is below the Chebyshev centre.",
            compare(GRAVITY, CHEBYSHEV, "height", "<", rows=HEIGHTS[:1]),
        ),
        Claim(
            "In the whole triangle it is above.",
            compare(GRAVITY, CHEBYSHEV, "height", ">", rows=HEIGHTS[2:]),
        ),
    ),
)

SHAPES = {
    "0.5 long, 0.2 wide": (0.5, 0.10),
    "1.0 long, 0.2 wide": (1.0, 0.10),
    "1.4 long, 0.4 wide": (1.4, 0.20),
    "1.4 long, 0.1 wide": (1.4, 0.05),
}

FIGURE_5_9 = Exhibit(
    LOUCHE,
    "Figure 5.9",
    "A version space whose Chebyshev centre is far from its centre of gravity",
    "substitute",
    "The cuts of the picture are not given; long and thin triangles of the sphere stand in.",
    "Version spaces in three dimensions between three cuts, of some length and width in radians. "
    "Exact centres and volumes; the worst of 360 cuts through each centre.",
    (
        Study(
            "louche-thin-spaces",
            tuple(Item(shape) for shape in SHAPES),
            ThinTriangles(SHAPES, cuts=360),
        ),
    ),
    (
        Measure("angle", "degrees from the centre of gravity", None, 1),
        Measure("least", "least share on either side of a cut", "higher", 3),
    ),
    columns=(GRAVITY, CHEBYSHEV),
    claims=(
        Claim(
            "The Chebyshev centre can be far from the centre of gravity (over 10 degrees in one of "
            "the spaces).",
            within(CHEBYSHEV, "angle", low=10.0, at_least=1),
        ),
        Claim(
            "By theory: a cut through the centre of gravity never leaves less than (3/4)³ on a "
            "side.",
            within(GRAVITY, "least", low=grunbaum_share(3)),
        ),
        Claim(
            "A cut through the Chebyshev centre has no such guarantee.",
            within(CHEBYSHEV, "least", high=grunbaum_share(3), at_least=1),
        ),
    ),
    errata=(
        "The caption calls the light blue point the Chebyshev centre and the dark blue one the "
        "centre of gravity; the text has it the other way round.",
        "As printed, the Chebyshev centre is the point of least distance from the farthest one "
        "outside; the middle of the largest ball inside is meant.",
    ),
)

MEMBER, BALL_CENTRE, MASS_CENTRE, EVEN = (
    "closest to some classifier",
    "closest to the Chebyshev centre",
    "closest to the centre of gravity",
    "most even split",
)

FIGURE_7_3 = Exhibit(
    LOUCHE,
    "Figure 7.3",
    "The example nearest to the classifier, and the one that splits the version space most evenly",
    "substitute",
    "The version space and the examples of the picture are not given; random ones stand in.",
    "Random version spaces of six cuts in three dimensions, twelve random examples that they leave "
    "open, exact volumes. Uncertainty asks for the example whose hyperplane is nearest to the "
    "classifier: some classifier (a random one of the space), the Chebyshev centre, or the centre "
    "of gravity. Expected model change asks for the most even split.",
    (
        Study(
            "louche-even-splits",
            (Item("random version spaces"),),
            EvenSplits(spaces=50, cuts=6, pool=12),
            repeats=10,
            fast_repeats=2,
        ),
    ),
    (
        Measure("smaller", "share of the smaller part", "higher", 3),
        Measure("agrees", "how often it is the most even split", "higher", 3),
    ),
    columns=(MEMBER, BALL_CENTRE, MASS_CENTRE, EVEN),
    claims=(
        Claim(
            "The example nearest to some classifier need not be the most even split.",
            within(MEMBER, "agrees", high=0.5),
        ),
        Claim(
            "With a well chosen classifier the nearest example is very likely the most even split "
            "(centre of gravity, more often than not).",
            within(MASS_CENTRE, "agrees", low=0.5),
        ),
        Claim(
            "The centre of gravity is better at that than the Chebyshev centre.",
            compare(MASS_CENTRE, BALL_CENTRE, "agrees", ">"),
        ),
        Claim(
            "Asked besides: asking near the centre of gravity splits about as evenly as the best "
            "choice (0.02).",
            asked(
                tuple(("random version spaces", c, "smaller") for c in (MASS_CENTRE, EVEN)),
                lambda near, best: (best - near <= 0.02, f"{near:.3f} and {best:.3f}"),
            ),
        ),
    ),
)

_MEASURED: tuple[Exhibit, ...] = (
    FIGURE_5_5,
    FIGURE_5_6,
    FIGURE_5_7,
    FIGURE_5_8,
    FIGURE_5_9,
    FIGURE_7_3,
)


def sketch(place: str, title: str, why: str, *errata: str) -> Exhibit:
    """A picture that there is nothing to run for."""
    return Exhibit(LOUCHE, place, title, "impossible", why, errata=errata)


_SKETCHED: tuple[Exhibit, ...] = (
    sketch(
        "Figure 5.1",
        "A learning problem and the localisation problem that it is",
        "A drawing of four points without coordinates; nothing is measured.",
    ),
    sketch(
        "Figure 5.2",
        "A version space with and without the unit ball",
        "A drawing without numbers.",
    ),
    sketch(
        "Figure 5.3",
        "A cutting-plane method at work",
        "A schematic drawing without numbers; figures 6.3 and 6.4 measure such runs.",
    ),
    sketch(
        "Figure 5.4",
        "A neutral and a deep cut",
        "A drawing without numbers.",
    ),
    sketch(
        "Figure 5.13",
        "The distances in theorem 5.2",
        "A schematic drawing without numbers.",
        "Theorem 5.2 as printed cannot hold, since its two sides do not scale alike; the form in "
        "the appendix can, with one dimension fewer.",
    ),
    sketch(
        "Figure 6.1",
        "Bayes lines, and three of them that do not meet in a point",
        "A drawing of a version space that is not given; nothing is measured.",
    ),
    sketch(
        "Figure 6.2",
        "How the perceptron and cutting planes feed each other",
        "A flow chart.",
    ),
    sketch(
        "Figure 7.1",
        "Uncertainty asks for the point nearest to the classifier",
        "A drawing without coordinates; the run for figure 7.3 measures what it shows.",
    ),
    sketch(
        "Figure 7.2",
        "Expected model change asks for the point that halves the space",
        "A drawing without coordinates; the run for figure 7.3 measures what it shows.",
    ),
    sketch(
        "Figure 7.4",
        "A cut that misses the centre of gravity",
        "A schematic drawing without numbers.",
    ),
)

EXHIBITS = _MEASURED + _SKETCHED
