"""Section 5.3: pictures of billiards, with numbers behind them."""

from __future__ import annotations

from uneven_published.claims import asked, within
from uneven_published.description import Claim, Exhibit, Item, Measure, Plot, Study
from uneven_published.documents import LOUCHE
from uneven_published.louche.billiard_runs import (
    BALL,
    BilliardCoverage,
    BilliardEstimates,
    BilliardScales,
)

__all__ = ["EXHIBITS"]

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

BOUNCES = tuple(float(k) for k in range(1, 101))
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
            BilliardEstimates(shown=len(BOUNCES)),
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
    plots=(Plot("off", BOUNCES, "bounces", "distance from the centre of gravity", y_log=True),),
)


EXHIBITS: tuple[Exhibit, ...] = (FIGURE_5_10, FIGURE_5_11, FIGURE_5_12)
