"""Ways to check what the thesis says about its tables and curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven.experiments.published.claims import counted
from uneven.experiments.published.description import Significance
from uneven.experiments.published.numbers import Numbers, Verdict

__all__ = ["Apart", "BestOf", "Close", "Curves", "wilcoxon"]


def wilcoxon(*pairs: tuple[str, str]) -> Significance:
    """The test of the source, for pairs of columns."""
    return Significance("signed_rank", 0.05, ("error",), pairs, "one-sided")


@dataclass(frozen=True)
class BestOf:
    """The lowest number of a row is in one group of columns, ties included.

    Attributes
    ----------
    group, others : tuple of str
        A row counts if it has a number of each.
    at_least : int or None
        In how many rows; in all if None.
    rows : tuple of str
    measure : str
    """

    group: tuple[str, ...]
    others: tuple[str, ...]
    at_least: int | None = None
    rows: tuple[str, ...] = ()
    measure: str = "error"

    def __call__(self, numbers: Numbers) -> Verdict:
        """Count the rows."""
        outcome = {}
        for row in self.rows or numbers.rows:
            own, rest = (
                [v for c in some if (v := numbers.mean(row, c, self.measure)) is not None]
                for some in (self.group, self.others)
            )
            if own and rest:
                outcome[row] = bool(min(own) <= min(rest))
        return counted(outcome, self.at_least)


@dataclass(frozen=True)
class Close:
    """Two columns differ little on average over the rows that have both.

    Attributes
    ----------
    first, second : str
    most : float
        The mean difference is below it, in absolute value.
    measure : str
    """

    first: str
    second: str
    most: float
    measure: str = "error"

    def __call__(self, numbers: Numbers) -> Verdict:
        """Mean of first minus second."""
        pairs = [
            [numbers.mean(row, column, self.measure) for column in (self.first, self.second)]
            for row in numbers.rows
        ]
        apart = [a - b for a, b in pairs if a is not None and b is not None]
        if not apart:
            return Verdict(None, "no numbers")
        mean = float(np.mean(apart))
        return Verdict(abs(mean) < self.most, f"{mean:+.2f} on average, {len(apart)} rows")


@dataclass(frozen=True)
class Apart(Close):
    """One column is above another by at least ``most`` on average."""

    def __call__(self, numbers: Numbers) -> Verdict:
        """Mean of first minus second."""
        found = super().__call__(numbers)
        return found if found.held is None else Verdict(not found.held, found.detail)


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
