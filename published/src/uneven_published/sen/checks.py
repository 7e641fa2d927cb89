"""Ways to check what the thesis says about its tables and curves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven_published.claims import counted
from uneven_published.description import Significance
from uneven_published.numbers import Numbers, Verdict

__all__ = ["Apart", "BestOf", "Close", "Costs", "Curves", "wilcoxon"]


def wilcoxon(*pairs: tuple[str, str]) -> Significance:
    """The test of the source, for pairs of columns."""
    return Significance("signed_rank", 0.05, ("error",), pairs, "one-sided")


@dataclass(frozen=True)
class BestOf:
    """The lowest number of a row is in one group of columns.

    Attributes
    ----------
    group, others : tuple of str
        A row counts if it has a number of each.
    at_least : int or None
        In how many rows; in all if None.
    rows : tuple of str
    measure : str
    strict : bool
        Whether equal numbers are not enough.
    paired : bool
        Whether a column takes part in a row only if its fellow in the other group, which stands at
        the same place, has a number there too.
    """

    group: tuple[str, ...]
    others: tuple[str, ...]
    at_least: int | None = None
    rows: tuple[str, ...] = ()
    measure: str = "error"
    strict: bool = False
    paired: bool = False

    def __call__(self, numbers: Numbers) -> Verdict:
        """Count the rows."""
        outcome = {}
        for row in self.rows or numbers.rows:
            own, rest = (
                [numbers.mean(row, column, self.measure) for column in some]
                for some in (self.group, self.others)
            )
            if self.paired:
                both = [pair for pair in zip(own, rest) if None not in pair]
                own, rest = [a for a, _ in both], [b for _, b in both]
            own, rest = ([v for v in some if v is not None] for some in (own, rest))
            if own and rest:
                low, other = min(own), min(rest)
                outcome[row] = bool(low < other or (low == other and not self.strict))
        return counted(outcome, self.at_least)


@dataclass(frozen=True)
class _Difference(ABC):
    """Of two columns, on average over the rows that have both.

    Attributes
    ----------
    first, second : str
    most : float
    measure : str
    """

    first: str
    second: str
    most: float
    measure: str = "error"

    def differences(self, numbers: Numbers) -> list[float]:
        """First minus second, by row."""
        pairs = [
            [numbers.mean(row, column, self.measure) for column in (self.first, self.second)]
            for row in numbers.rows
        ]
        return [float(a - b) for a, b in pairs if a is not None and b is not None]

    def __call__(self, numbers: Numbers) -> Verdict:
        """Judge the differences."""
        found = self.differences(numbers)
        if not found:
            return Verdict(None, "no numbers")
        mean, size = float(np.mean(found)), float(np.mean(np.abs(found)))
        told = f"{mean:+.2f} on average ({size:.2f} in size), {len(found)} rows"
        return Verdict(self.holds(mean, size), told)

    @abstractmethod
    def holds(self, mean: float, size: float) -> bool:
        """Whether the mean difference, and the mean of absolute differences, are as said."""


@dataclass(frozen=True)
class Close(_Difference):
    """Two columns differ little: the mean of their absolute differences is below ``most``."""

    def holds(self, mean: float, size: float) -> bool:
        """Differences of either sign count."""
        return size < self.most


@dataclass(frozen=True)
class Costs(_Difference):
    """One column is above another by less than ``most`` on average, or below it."""

    def holds(self, mean: float, size: float) -> bool:
        """A gain is no cost."""
        return mean < self.most


@dataclass(frozen=True)
class Apart(_Difference):
    """One column is above another by at least ``most`` on average."""

    def holds(self, mean: float, size: float) -> bool:
        """The other direction does not count."""
        return mean >= self.most


@dataclass(frozen=True)
class Curves:
    """A condition on curves of some columns, row by row.

    Attributes
    ----------
    needs : tuple of (column, measure)
    condition : callable
        Called with one curve each, in order; returns a bool.
    """

    needs: tuple[tuple[str, str], ...]
    condition: Callable[..., bool]

    def __call__(self, numbers: Numbers) -> Verdict:
        """Count the rows that have all curves."""
        outcome = {}
        for row in numbers.rows:
            curves: list[NDArray[np.float64] | Any] = [
                numbers.mean(row, column, measure) for column, measure in self.needs
            ]
            if all(curve is not None for curve in curves):
                outcome[row] = bool(self.condition(*curves))
        return counted(outcome)
