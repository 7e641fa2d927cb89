"""The cheap-label protocol: a rough classifier labels everything, and learners make do with that.

Some rows of every class are labelled and train the rough classifier (a batch perceptron). A uniform
sample of other training rows is labelled too, to see how the rough classifier confuses classes. It
labels the whole training set; who knows the confusion matrix may use it. Errors are measured on
clean test rows.

References
----------
U. Louche (2016), *From confusion noise to active learning: playing on label availability in linear
classification problems*, PhD thesis, Aix-Marseille Université, section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven.linear import UltraconservativeClassifier
from uneven.noise import UMAClassifier, confusion_from_clean

__all__ = [
    "BATCH",
    "CHEAP",
    "CLEAN",
    "CONFUSION_SHARE",
    "CORE",
    "ROUGH",
    "SAMPLE",
    "UMA",
    "Draw",
    "Labelled",
    "Rows",
    "core_learners",
    "draw_labelled",
    "perceptron",
    "rough_classifier",
    "seen_matrix",
    "uma",
]

Labels = NDArray[Any]

CONFUSION_SHARE = 0.05
_MANY = 2000
ROUGH, CHEAP, BATCH, UMA = "rough", "h_Sy", "h_Sy, batch", "UMA"
SAMPLE, CLEAN = "h_Sconf", "h_St"
CORE = (ROUGH, CHEAP, BATCH, UMA, SAMPLE, CLEAN)


@dataclass(frozen=True)
class Rows:
    """Features (n, d) and true labels (n,) of the training and the test rows."""

    X: Any
    t: Labels
    X_test: Any
    t_test: Labels

    @property
    def classes(self) -> Labels:
        """Sorted classes of the training rows."""
        return np.unique(self.t)

    def shuffled(self, seed: int) -> Rows:
        """The same with training rows in random order, for learners that read them one by one."""
        order = np.random.default_rng(seed).permutation(len(self.t))
        return Rows(self.X[order], self.t[order], self.X_test, self.t_test)

    def error(self, model: Any) -> float:
        """Share of the test rows that a model gets wrong."""
        return float(np.mean(model.predict(self.X_test) != self.t_test))


@dataclass(frozen=True)
class Labelled:
    """Which training rows have a true label: to learn from, and to see the confusion."""

    few: NDArray[np.intp]
    sample: NDArray[np.intp]


@dataclass(frozen=True)
class Draw:
    """One run: the rows, which of them are labelled, and what the rough classifier says of all."""

    rows: Rows
    labelled: Labelled
    rough: UMAClassifier
    cheap: Labels

    @classmethod
    def of(cls, rows: Rows, labelled: Labelled) -> Draw:
        """Let the rough classifier label the training rows."""
        rough = rough_classifier(rows, labelled)
        return cls(rows, labelled, rough, rough.predict(rows.X))


def draw_labelled(
    t: Labels, n_per_class: int, seed: int, share: float = CONFUSION_SHARE, whole: bool = True
) -> Labelled:
    """Draw the labelled rows of one run: the same number of every class, then a share of the rest.

    Parameters
    ----------
    t : ndarray of shape (n,)
        True labels of the training rows.
    n_per_class : int
    seed : int
    share : float
        Size of the sample, relative to all training rows; at most the rows that are left.
    whole : bool
        Draw a sample that lacks a class again: it shows nothing of its column of the matrix.

    Returns
    -------
    Labelled
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(t))
    few = np.concatenate([order[t[order] == c][:n_per_class] for c in np.unique(t)])
    rest = np.setdiff1d(order, few)
    size = min(round(share * len(t)), len(rest))
    while True:
        sample = rng.choice(rest, size, replace=False)
        if not whole or len(np.unique(t[sample])) == len(np.unique(t)):
            return Labelled(few, sample)


def rough_classifier(rows: Rows, labelled: Labelled) -> UMAClassifier:
    """Batch perceptron on the few labelled rows."""
    return UMAClassifier(max_iter=500).fit(rows.X[labelled.few], rows.t[labelled.few])


def seen_matrix(draw: Draw, sample: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
    """Confusion of the rough classifier on the sample; a class not seen counts as never mistaken.

    Parameters
    ----------
    draw : Draw
    sample : ndarray of int, optional
        Another sample than that of the draw.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Column = true class.
    """
    rows = draw.labelled.sample if sample is None else sample
    truth, said = draw.rows.t[rows], draw.cheap[rows]
    found = confusion_from_clean(truth, said, classes=draw.rows.classes, on_empty="identity")
    return found.matrix


def core_learners(
    draw: Draw, steps: int, names: tuple[str, ...] = CORE
) -> list[tuple[str, Callable[[], Any]]]:
    """The learners of the source that need no other package, as functions that fit them.

    Parameters
    ----------
    draw : Draw
    steps : int
        Of UMA.
    names : tuple of str

    Returns
    -------
    list of (str, callable)
    """
    X, t, sample = draw.rows.X, draw.rows.t, draw.labelled.sample
    cheap, n = draw.cheap, len(t)
    fits: dict[str, Callable[[], Any]] = {
        ROUGH: lambda: draw.rough,
        CHEAP: lambda: perceptron(n).fit(X, cheap),
        BATCH: lambda: uma(steps).fit(X, cheap),
        UMA: lambda: uma(steps, seen_matrix(draw)).fit(X, cheap),
        SAMPLE: lambda: perceptron(len(sample)).fit(X[sample], t[sample]),
        CLEAN: lambda: perceptron(n).fit(X, t),
    }
    return [(name, fits[name]) for name in names]


def uma(steps: int, matrix: Any = None, **options: Any) -> UMAClassifier:
    """UMA; a matrix without a useful inverse is drawn towards the identity."""
    return UMAClassifier(matrix, max_iter=steps, on_singular="shrink", **options)


def perceptron(n_rows: int) -> UltraconservativeClassifier:
    """Multi-class perceptron that goes over many rows 10 times, over few 50 times."""
    return UltraconservativeClassifier(max_epochs=10 if n_rows > _MANY else 50)
