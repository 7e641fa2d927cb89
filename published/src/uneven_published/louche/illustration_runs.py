"""What the illustrations of chapters 1 to 3 show, computed on points of our own."""

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
from uneven_published.description import Answers, Context

__all__ = [
    "ANGLES",
    "LOSSES",
    "MARGINS",
    "Compression",
    "LossCurves",
    "RiskSurface",
    "Shattering",
    "TwoConfusions",
]

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
