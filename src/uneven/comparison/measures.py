"""The measures a comparison reports, each computed from one set of held-out answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from uneven.comparison.errors import InputError, closest, listing
from uneven.metrics.scoring import MEASURES as KNOWN
from uneven.metrics.scoring import Measure

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


def _rule(entry: Measure) -> MeasureRule:
    def value(a: Answers) -> float:
        return entry.value(a.true, a.predicted, a.scores, a.classes)

    return MeasureRule(entry.name, entry.label, entry.greater_is_better, entry.description, value)


MEASURES = {name: _rule(entry) for name, entry in KNOWN.items() if entry.label}
"""The measures of `uneven.metrics` that have a label, in their order."""


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
