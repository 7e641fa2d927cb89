"""Figures 1.1 to 3.3: illustrations, redrawn where they show something computed."""

from __future__ import annotations

from uneven_published.claims import asked, within
from uneven_published.description import Claim, Exhibit, Item, Measure, Plot, Study
from uneven_published.documents import LOUCHE
from uneven_published.louche.illustration_runs import (
    ANGLES,
    MARGINS,
    Compression,
    LossCurves,
    RiskSurface,
    Shattering,
    TwoConfusions,
)
from uneven_published.reading import printed_table

__all__ = ["EXHIBITS"]

_OWN_POINTS = "The points of the figure are not given; ours are drawn at random."

LOSS_CURVES = Study("louche-losses", (Item("Losses"),), LossCurves())
CLEAN_SURFACE = Study(
    "louche-risk-separable",
    (Item("Separable"),),
    RiskSurface({"Separable": 0.0}),
    repeats=10,
    fast_repeats=10,
)
NOISY_SURFACE = Study(
    "louche-risk-noisy",
    (Item("Noisy"),),
    RiskSurface({"Noisy": 0.15}),
    repeats=10,
    fast_repeats=10,
)
_SIZES = {"3 points": 3, "4 points": 4}
SHATTERING = Study(
    "louche-shattering",
    tuple(Item(name) for name in _SIZES),
    Shattering(_SIZES),
    repeats=10,
    fast_repeats=10,
)
COMPRESSION = Study(
    "louche-support-vectors", (Item("50 points"),), Compression(), repeats=10, fast_repeats=10
)
_COUNTS = {
    "top": ((10, 8, 2), (0, 10, 0), (0, 0, 10)),
    "bottom": ((20, 0, 0), (5, 5, 0), (0, 5, 5)),
}
CONFUSIONS = Study(
    "louche-two-confusions", tuple(Item(name) for name in _COUNTS), TwoConfusions(_COUNTS)
)

_SURFACE_MEASURES = (
    Measure("lowest", "lowest risk in the square", "lower", 3),
    Measure("bent", "share of chords that lie below their middle", None, 3),
    Measure("mistakes", "0-1 risk at the lowest point", "lower", 3),
    Measure("risk", "risk by direction of w", "lower", 3),
)
_SURFACE_PLOT = Plot(
    "risk", ANGLES, "direction of w, length 1 (degrees; the true one is 53)", "empirical risk"
)
_SURFACE_PROTOCOL = (
    "60 points uniform in a square, labelled by a line through the origin with a margin of 0.1{}. "
    "Risks on a grid of 41 x 41 classifiers w in [-1, 1] x [-1, 1]. A function is convex if no "
    "chord lies below it at its middle: 4000 random chords are tried. 10 draws. Where the source "
    "draws a surface, we draw the risk along a circle around the origin."
)


def _schema(place: str, title: str, why: str, *errata: str) -> Exhibit:
    return Exhibit(LOUCHE, place, title, "impossible", why, errata=errata)


EXHIBITS: tuple[Exhibit, ...] = (
    Exhibit(
        LOUCHE,
        "Figure 1.1",
        "Losses over the margin of a point",
        "original",
        protocol="Formulas; the logistic loss, which the source only draws, with the natural "
        "logarithm.",
        studies=(LOSS_CURVES,),
        measures=(Measure("loss", "loss by margin", None, 2),),
        plots=(Plot("loss", MARGINS, "margin, signed by the label", "loss", steps=("0-1",)),),
        errata=("The margin of a point is defined without the label; every use of it needs it.",),
    ),
    Exhibit(
        LOUCHE,
        "Figure 1.2",
        "0-1 and hinge risk of every classifier in the plane, separable points",
        "substitute",
        _OWN_POINTS,
        protocol=_SURFACE_PROTOCOL.format(""),
        studies=(CLEAN_SURFACE,),
        measures=_SURFACE_MEASURES,
        claims=(
            Claim(
                "Some classifier makes no mistake.",
                within("0-1", "lowest", high=0.0, rows=("Separable",)),
            ),
            Claim(
                "By theory: the hinge risk is convex.",
                within("hinge", "bent", high=0.0, rows=("Separable",)),
            ),
        ),
        plots=(_SURFACE_PLOT,),
    ),
    Exhibit(
        LOUCHE,
        "Figure 1.3",
        "Lines with an offset shatter three points",
        "substitute",
        _OWN_POINTS,
        protocol="Random points in a square, all labellings, each tried with a hard-margin SVM. "
        "10 draws. The row of 4 points is ours.",
        studies=(SHATTERING,),
        measures=(
            Measure("labellings", "labellings", None, 0),
            Measure("produced", "labellings that a line produces", None, 1),
        ),
        printed=printed_table(
            """
            | lines: labellings | lines: produced
            3 points | 6 | 6
            """
        ),
        claims=(
            Claim(
                "A line can produce every labelling of three points.",
                asked(
                    (("3 points", "lines", "labellings"), ("3 points", "lines", "produced")),
                    lambda a, b: a == b,
                ),
            ),
        ),
        errata=("The caption counts 6 labellings of 3 points; there are 8.",),
    ),
    _schema(
        "Figure 1.4",
        "Margin and support vectors of an SVM",
        "A drawing without numbers; its points are not given.",
    ),
    Exhibit(
        LOUCHE,
        "Figure 2.1",
        "Support vectors are enough to find an SVM again",
        "substitute",
        _OWN_POINTS + " Neither the width of the kernel nor C is given.",
        protocol="50 points on two noisy half-moons, Gaussian kernel exp(-|x - z|^2), C = 1e6. A "
        "second SVM learns from the support vectors of the first; agreement is the share of a grid "
        "on which both answer alike. 10 draws.",
        studies=(COMPRESSION,),
        measures=(
            Measure("points", "points", None, 0),
            Measure("support", "support vectors", None, 1),
            Measure("agreement", "agreement of the second SVM", "higher", 4),
        ),
        printed=printed_table(
            """
            | Gaussian SVM: points | Gaussian SVM: support
            50 points | 50 | 15
            """
        ),
        claims=(
            Claim(
                "Asked besides: the support vectors are fewer than half of the points.",
                within("Gaussian SVM", "support", high=25.0),
            ),
            Claim(
                "The support vectors alone give the same classifier.",
                within("Gaussian SVM", "agreement", low=0.999),
            ),
        ),
    ),
    Exhibit(
        LOUCHE,
        "Figure 3.1",
        "0-1 and hinge risk of every classifier in the plane, noisy points",
        "substitute",
        _OWN_POINTS,
        protocol=_SURFACE_PROTOCOL.format(", 15 % of the labels flipped"),
        studies=(NOISY_SURFACE,),
        measures=_SURFACE_MEASURES,
        claims=(
            Claim(
                "No classifier is perfect.",
                within("0-1", "lowest", low=1e-9, rows=("Noisy",)),
            ),
            Claim("The 0-1 risk is not convex.", within("0-1", "bent", low=1e-9, rows=("Noisy",))),
            Claim(
                "By theory: the hinge risk is convex.",
                within("hinge", "bent", high=0.0, rows=("Noisy",)),
            ),
            Claim(
                "Asked besides: the classifier with the lowest hinge risk makes more mistakes than "
                "needed, so that the two risks are lowest at different places.",
                asked(
                    (("Noisy", "hinge", "mistakes"), ("Noisy", "0-1", "lowest")),
                    lambda a, b: (a > b, f"{a:.3f} and {b:.3f}"),
                ),
            ),
        ),
        plots=(_SURFACE_PLOT,),
    ),
    _schema(
        "Figure 3.2",
        "Four kinds of right and wrong answers",
        "A drawing without numbers; its points are not given.",
        "The caption defines the recall (true positives among all positives) and calls it "
        "precision.",
    ),
    Exhibit(
        LOUCHE,
        "Figure 3.3",
        "Two classifiers with the same error and different confusion",
        "substitute",
        "The matrices of the figure are lost: ours are the simplest that fit its caption.",
        protocol="Three classes of 20, 10 and 10 points. Top: the largest class loses 8 points to "
        "one and 2 to another class. Bottom: two classes lose half of their points.",
        studies=(CONFUSIONS,),
        measures=(
            Measure("error", "error rate", "lower", 2),
            Measure("norm", "Frobenius norm of the confusion", "lower", 3),
            Measure("square", "its square", "lower", 3),
        ),
        printed=printed_table(
            """
            | classifier: error | classifier: square
            top | 0.25 | 0.17
            bottom | 0.25 | 0.50
            """
        ),
        claims=(
            Claim(
                "The errors are equal.",
                asked(
                    (("top", "classifier", "error"), ("bottom", "classifier", "error")),
                    lambda a, b: a == b,
                ),
            ),
            Claim(
                "The norms are not: that of the bottom classifier is larger.",
                asked(
                    (("top", "classifier", "square"), ("bottom", "classifier", "square")),
                    lambda a, b: a < b,
                ),
            ),
        ),
        errata=(
            "The numbers called norms are squares of norms, and stand there: half of two "
            "classes wrong gives a norm of 0.71, whose square is 0.50.",
        ),
    ),
)
