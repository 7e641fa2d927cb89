"""The measures a comparison reports, each computed from one set of held-out answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score

from uneven.comparison.errors import InputError, closest, listing
from uneven.metrics import confusion_norm, geometric_mean_recall, mauc, mean_recall

__all__ = ["MEASURES", "Answers", "MeasureRule", "choose_measure"]


@dataclass(frozen=True)
class Answers:
    """What a fitted method said about held-out rows.

    Attributes
    ----------
    true, predicted : ndarray of shape (n,)
        Labels.
    scores : ndarray of shape (n, K)
        Score of each class.
    classes : ndarray of shape (K,)
        Labels of the columns of `scores`.
    """

    true: NDArray
    predicted: NDArray
    scores: NDArray[np.float64]
    classes: NDArray


@dataclass(frozen=True)
class MeasureRule:
    """A measure, in words and as a function of `Answers`.

    Attributes
    ----------
    name, label : str
        Key and what a reader sees.
    greater_is_better : bool
        Direction.
    description : str
        One sentence.
    value : callable
        Takes `Answers`, returns a float with its natural sign.
    corrects : str
        Name of the measure whose bias under label noise it removes; empty for most.
    """

    name: str
    label: str
    greater_is_better: bool
    description: str
    value: Callable[[Answers], float]
    corrects: str = ""


MEASURES = {
    rule.name: rule
    for rule in (
        MeasureRule(
            "confusion_norm",
            "confusion norm",
            False,
            "Largest stretch of the matrix of error rates per class; 0 is perfect, and errors on "
            "a rare class weigh as much as errors on a frequent one.",
            lambda a: confusion_norm(a.true, a.predicted, labels=a.classes),
        ),
        MeasureRule(
            "gmean",
            "G-mean",
            True,
            "Geometric mean of the recalls of all classes; 1 is perfect, and one class that is "
            "never found makes it 0.",
            lambda a: geometric_mean_recall(a.true, a.predicted),
        ),
        MeasureRule(
            "balanced_accuracy",
            "balanced accuracy",
            True,
            "Mean of the recalls of all classes; 1 is perfect, 1/K is guessing.",
            lambda a: mean_recall(a.true, a.predicted),
        ),
        MeasureRule(
            "accuracy",
            "accuracy",
            True,
            "Share of right answers; a rare class hardly counts.",
            lambda a: float(accuracy_score(a.true, a.predicted)),
        ),
        MeasureRule(
            "mauc",
            "MAUC",
            True,
            "Mean area under the ROC curve over all pairs of classes; how well the scores rank, "
            "whatever the threshold; 0.5 is guessing.",
            lambda a: mauc(a.true, a.scores, labels=a.classes),
        ),
    )
}


def choose_measure(name: str) -> MeasureRule:
    """Look a measure up by name.

    Examples
    --------
    >>> choose_measure("gmean").greater_is_better
    True
    """
    if name not in MEASURES:
        raise InputError(
            f"unknown metric {name!r}; {closest(name, MEASURES)}the metrics are "
            f"{listing(MEASURES)}."
        )
    return MEASURES[name]
