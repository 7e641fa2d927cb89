"""Chapters 1 to 3: figures that illustrate a notion and can be computed again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from uneven.linear import NotSeparableError, add_constant, hard_margin, normal_form
from uneven.metrics import confusion_norm, confusion_rates
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
from uneven_published.numbers import printed_table

Floats = NDArray[np.float64]
MARGINS = tuple(np.round(np.linspace(-2.0, 2.0, 81), 2).tolist())
ANGLES = tuple(float(angle) for angle in range(-180, 181, 5))
_TRIES = 4000


def zero_one(margins: Floats) -> Floats:
    """1 where the margin is negative; a margin of zero counts as right."""
    return (margins < 0.0).astype(np.float64)


def quadratic(margins: Floats) -> Floats:
    """Squared distance of the margin to 1."""
    return (1.0 - margins) ** 2


def hinge(margins: Floats) -> Floats:
    """How much the margin lacks to 1."""
    return np.maximum(0.0, 1.0 - margins)


def logistic(margins: Floats) -> Floats:
    """Logistic loss, natural logarithm."""
    return np.logaddexp(0.0, -margins)


LOSSES = {"0-1": zero_one, "quadratic": quadratic, "hinge": hinge, "logistic": logistic}


@dataclass(frozen=True)
class LossCurves:
    """Losses over the signed margin."""

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """One curve per loss."""
        margins = np.array(MARGINS)
        return {name: {"loss": loss(margins)[None]} for name, loss in LOSSES.items()}


@dataclass(frozen=True)
class RiskSurface:
    """Empirical risk of all w in a square, on points in the plane.

    Attributes
    ----------
    flipped : dict of str to float
        Item to share of wrong labels.
    n_points, n_grid : int
    """

    flipped: dict[str, float]
    n_points: int = 60
    n_grid: int = 41

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Lowest risk, test of convexity and a walk around the origin, for two losses."""
        rng = np.random.default_rng(repeat)
        Z = _points(rng, self.n_points, self.flipped[item])
        axis = np.linspace(-1.0, 1.0, self.n_grid)
        grid = np.array([w for w in product(axis, axis) if np.any(w)])
        turns = np.radians(ANGLES)
        circle = np.column_stack([np.cos(turns), np.sin(turns)])
        ends = rng.uniform(-1.0, 1.0, (2, _TRIES, 2))
        found = {}
        for name in ("0-1", "hinge"):
            risks = _risk(grid, Z, name)
            chord = (_risk(ends[0], Z, name) + _risk(ends[1], Z, name)) / 2
            middle = _risk(ends.mean(axis=0), Z, name)
            best = grid[risks.argmin()][None]
            found[name] = {
                "risk": _risk(circle, Z, name)[None],
                "lowest": risks.min(),
                "bent": np.mean(middle > chord + 1e-12),
                "mistakes": _risk(best, Z, "0-1"),
            }
        return found


def _points(rng: np.random.Generator, n: int, flipped: float) -> Floats:
    """Points in normal form: labels by a line through the origin, some of them flipped."""
    X = rng.uniform(-1.0, 1.0, (4 * n, 2))
    scores = X @ np.array([0.6, 0.8])
    kept = np.flatnonzero(np.abs(scores) > 0.1)[:n]
    t = np.where(scores[kept] > 0, 1, -1)
    t[rng.permutation(n)[: round(flipped * n)]] *= -1
    return np.asarray(normal_form(X[kept], t))


def _risk(w: Floats, Z: Floats, loss: str) -> Floats:
    """Mean loss (n_w,) of each w, given points in normal form."""
    return LOSSES[loss](w @ Z.T).mean(axis=1)


@dataclass(frozen=True)
class Shattering:
    """How many labellings of points in the plane a line with an offset can produce.

    Attributes
    ----------
    sizes : dict of str to int
        Item to number of points.
    """

    sizes: dict[str, int]

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Try all labellings of random points."""
        n = self.sizes[item]
        X = add_constant(np.random.default_rng(repeat).uniform(-1.0, 1.0, (n, 2)))
        labellings = list(product((-1, 1), repeat=n))
        produced = sum(_separable(normal_form(X, np.array(t))) for t in labellings)
        return {"lines": {"labellings": len(labellings), "produced": produced}}


def _separable(Z: Floats) -> bool:
    try:
        hard_margin(Z)
    except NotSeparableError:
        return False
    return True


@dataclass(frozen=True)
class Compression:
    """A Gaussian SVM, and one that learns from its support vectors only."""

    n_points: int = 50
    gamma: float = 1.0
    C: float = 1e6

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Two moons; agreement is measured on a grid around them."""
        X, t = make_moons(self.n_points, noise=0.15, random_state=repeat)
        full = SVC(C=self.C, gamma=self.gamma).fit(X, t)
        again = SVC(C=self.C, gamma=self.gamma).fit(X[full.support_], t[full.support_])
        axes = np.meshgrid(np.linspace(-1.5, 2.5, 81), np.linspace(-1.0, 1.5, 51))
        grid = np.column_stack([axis.ravel() for axis in axes])
        agreement = np.mean(full.predict(grid) == again.predict(grid))
        sizes = {"points": len(X), "support": len(full.support_)}
        return {"Gaussian SVM": {**sizes, "agreement": agreement}}


@dataclass(frozen=True)
class TwoConfusions:
    """Error and norms of answers with given counts.

    Attributes
    ----------
    counts : mapping of str to tuple of tuple of int
        Item to confusion counts, row = true class.
    """

    counts: Mapping[str, tuple[tuple[int, ...], ...]]

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Write out labels and answers, and measure."""
        counts = np.array(self.counts[item])
        true, answered = (np.repeat(side.ravel(), counts.ravel()) for side in np.indices((3, 3)))
        norm = confusion_norm(true, answered, norm="fro")
        wrong = confusion_rates(true, answered) * (1 - np.eye(3))
        return {
            "classifier": {
                "error": np.mean(true != answered),
                "norm": norm,
                "square": np.sum(wrong**2),
            }
        }


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
