"""Whether a method is better than guessing.

Two conditions. On the chosen measure it must be better than the better of two guesses: the most
frequent class, and classes drawn by their shares. And some method must use the features: whatever
predicts without looking at the columns has the balanced accuracy 1/K on average, in whatever way,
so one of the methods must have a higher one by more than chance over the rows; the p-value is
multiplied by the number of methods (Bonferroni).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from uneven.comparison.methodresult import MethodResult
from uneven.comparison.results import Comparison
from uneven.report.markup import decimal, percent

SURE = 0.05


@dataclass(frozen=True)
class Guessing:
    """A method compared with guesses.

    Attributes
    ----------
    best : MethodResult
        The better guess on the chosen measure.
    value : float
        What it reaches.
    pvalue : float
        At most so likely, of as many guesses as there are methods, one has a balanced accuracy as
        high as the methods have.
    better : bool
        Whether the method is better than the guess on the chosen measure.
    sentence : str
        What to say first if the method is not better; else empty.
    """

    best: MethodResult
    value: float
    pvalue: float
    better: bool
    sentence: str = ""

    @property
    def beaten(self) -> bool:
        """Whether the method is better than guessing."""
        return self.better and self.pvalue < SURE


def compared_with_guessing(results: Comparison, method: MethodResult) -> Guessing | None:
    """Compare a method with the guesses of a comparison; None if it has none."""
    measure = results.chosen
    guesses = [m for m in results.ranked(dummies=True) if m.kind == "dummy"]
    if not guesses or math.isnan(guesses[0].mean(measure.name)):
        return None
    first = guesses[0]
    value, own = first.mean(measure.name), method.mean(measure.name)
    better = measure.better(own, value) > 1e-9
    chances = {m.name: _by_chance(results, m) for m in results.methods}
    surest = min(results.methods, key=lambda m: chances[m.name])
    pvalue = min(1.0, len(results.methods) * chances[surest.name])
    words, known = "", percent(1.0 / max(_known(surest).size, 1))
    if pvalue >= SURE:
        words = (
            "No method is better than guessing on this table: the balanced accuracy of "
            f"{surest.label} is {percent(_balanced(surest))}, that of guessing {known}, and the "
            f"difference is not significant (p = {decimal(pvalue, 2)})."
        )
    elif not better:
        words = (
            f"No method is better than guessing by {measure.label}: {first.label.lower()} has "
            f"{decimal(value)}, {method.label} has {decimal(own)}. The features do carry "
            f"information about the classes: the balanced accuracy of {surest.label} is "
            f"{percent(_balanced(surest))}, that of guessing {known}; rank by another metric."
        )
    return Guessing(first, value, pvalue, better, words)


def _known(method: MethodResult) -> np.ndarray:
    """Classes that have held-out rows."""
    return np.flatnonzero(np.array(method.confusion).sum(axis=1))


def _balanced(method: MethodResult) -> float:
    """Mean recall over all folds together, of the labels as they are."""
    known, counts = _known(method), np.array(method.confusion)
    recalls = counts.diagonal()[known] / counts.sum(axis=1)[known]
    return float(recalls.mean()) if known.size else 0.0


def _by_chance(results: Comparison, method: MethodResult) -> float:
    """How likely a guess has the balanced accuracy of the method, or a higher one.

    Recalls vary as shares of the rows of their class, each held out once; one row of each kind is
    added, so that classes of a few rows are not certain.
    """
    known = _known(method)
    if known.size < 2:
        return 1.0
    counts = np.array(method.confusion)[known] / results.repeats
    sizes = counts.sum(axis=1)
    smooth = (counts[np.arange(known.size), known] + 1.0) / (sizes + 2.0)
    deviation = np.sqrt((smooth * (1.0 - smooth) / sizes).sum()) / known.size
    return float(ndtr((1.0 / known.size - _balanced(method)) / deviation))
