"""The measures a comparison reports, each computed from one set of held-out answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from uneven.comparison.errors import InputError
from uneven.metrics import scoring

__all__ = ["MEASURES", "Answers", "Measure", "choose_measure"]


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
class Measure:
    """A measure of quality, in words and as a function of `Answers`.

    Attributes
    ----------
    name : str
        Key under which scores are kept, such as ``"confusion_norm"``.
    label : str
        What a reader sees, such as ``"confusion norm"``.
    greater_is_better : bool
        Direction.  Scores are kept with their natural sign, never negated.
    description : str
        One sentence for the reader of a report; may be empty.
    corrects : str
        Name of the measure whose bias under label noise this one removes; empty for most.
    value : callable or None
        Takes `Answers`, returns a float; None for a measure that was read from a file.
    """

    name: str
    label: str
    greater_is_better: bool = True
    description: str = ""
    corrects: str = ""
    value: Callable[[Answers], float] = field(default=None, compare=False, repr=False)  # type: ignore[assignment]

    def better(self, a: float, b: float) -> float:
        """By how much `a` is better than `b` (negative: worse)."""
        return a - b if self.greater_is_better else b - a

    def possible(self, value: float) -> float:
        """The nearest value that the measure can have; corrected estimates may leave its range."""
        if not self.corrects or math.isnan(value):
            return value
        return min(max(value, 0.0), 1.0) if self.greater_is_better else max(value, 0.0)


def _measure(entry: scoring.Measure) -> Measure:
    def value(a: Answers) -> float:
        return entry.value(a.true, a.predicted, a.scores, a.classes)

    words = (entry.name, entry.label, entry.greater_is_better, entry.description)
    return Measure(*words, value=value)


MEASURES = {name: _measure(entry) for name, entry in scoring.MEASURES.items()}
"""The measures that `uneven.metrics` declares with a label, in their order."""


def choose_measure(name: str) -> Measure:
    """Look a measure up by name.

    Examples
    --------
    >>> choose_measure("gmean").greater_is_better
    True
    """
    if name not in MEASURES:
        raise InputError(scoring.MEASURES.unknown(name))
    return MEASURES[name]
