"""Ways to check a sentence about curves, at some of their places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uneven_published.claims import counted
from uneven_published.numbers import Numbers, Verdict

__all__ = ["Levelled", "Ordered"]


@dataclass(frozen=True)
class Ordered:
    """The curves of some columns of a row lie one above the other.

    Attributes
    ----------
    row : str
    columns : tuple of str
        From the lowest to the highest; ties are fine.
    measure : str
    x : tuple of float
        Axis of the curves.
    places : tuple of float
        Where to look on it; places at which one of the curves is unknown are left out.
    unit : str
        What the axis counts.
    """

    row: str
    columns: tuple[str, ...]
    measure: str
    x: tuple[float, ...]
    places: tuple[float, ...]
    unit: str = ""

    def __call__(self, numbers: Numbers) -> Verdict:
        """Count the places."""
        curves = [numbers.mean(self.row, column, self.measure) for column in self.columns]
        if any(curve is None for curve in curves):
            return Verdict(None, "not given as numbers")
        outcome = {}
        for place in self.places:
            heights = np.array([curve[self.x.index(place)] for curve in curves])
            if np.isfinite(heights).all():
                outcome[f"{self.unit} {place:g}".strip()] = bool((np.diff(heights) >= 0).all())
        return counted(outcome)


@dataclass(frozen=True)
class Levelled:
    """From one place of its curve to another, a column stays near where it was, in every row.

    Attributes
    ----------
    column : str
    measure : str
    x : tuple of float
        Axis of the curve.
    first, last : float
        Places on it; unknown points in between are left out.
    most : float
        Largest distance from the first of them.
    """

    column: str
    measure: str
    x: tuple[float, ...]
    first: float
    last: float
    most: float

    def __call__(self, numbers: Numbers) -> Verdict:
        """Count the rows."""
        start, stop = self.x.index(self.first), self.x.index(self.last) + 1
        outcome, said = {}, {}
        for row in numbers.rows:
            curve = numbers.mean(row, self.column, self.measure)
            if curve is not None and np.isfinite(curve[start]):
                off = float(np.nanmax(np.abs(curve[start:stop] - curve[start])))
                outcome[row], said[row] = bool(off <= self.most), f"{off:.3f} at most"
        return counted(outcome, said=said)
