"""Chapters 5 and 7: pictures of centres and of cuts, with numbers behind them."""

from __future__ import annotations

from uneven.bounds import grunbaum_share
from uneven_published.claims import asked, compare, within
from uneven_published.description import Claim, Exhibit, Item, Measure, Study
from uneven_published.documents import LOUCHE
from uneven_published.louche.centre_runs import (
    CHEBYSHEV,
    GRAVITY,
    HEIGHTS,
    BodySplits,
    EvenSplits,
    QuerySplits,
    ThinTriangles,
    TrapezoidConstructions,
    TrapezoidHeights,
)
from uneven_published.reading import printed_table

__all__ = ["EXHIBITS"]

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

EXHIBITS: tuple[Exhibit, ...] = (
    FIGURE_5_5,
    FIGURE_5_6,
    FIGURE_5_7,
    FIGURE_5_8,
    FIGURE_5_9,
    FIGURE_7_3,
)
