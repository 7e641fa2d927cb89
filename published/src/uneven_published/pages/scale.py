"""Numbers to places on an axis, linear or logarithmic, with tick marks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from uneven.report.charts import nice_ticks
from uneven.report.markup import Markup, tag
from uneven.report.numbers import decimal

__all__ = ["Scale", "inside", "sample"]

LARGE = 1e5
LETTER = 6.2
"""Width of a letter of a label."""


@dataclass(frozen=True)
class Scale:
    """An axis from one place of a picture to another.

    Attributes
    ----------
    low, high : float
        Numbers at its ends; ``low < high``, both positive if it is logarithmic.
    start, end : float
        Places of its ends.
    log : bool

    Examples
    --------
    >>> scale = Scale.over([1.0, 100.0, float("nan")], 0.0, 10.0, log=True, room=0.0)
    >>> scale.at(10.0)
    5.0
    >>> scale.ticks()
    [(1.0, '1'), (10.0, '10'), (100.0, '100')]
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    @classmethod
    def over(
        cls,
        values: Iterable[float],
        start: float,
        end: float,
        *,
        log: bool = False,
        room: float = 0.06,
        least: float = 0.0,
    ) -> Scale | None:
        """The axis that holds all finite values, with some room; None if there is none.

        On a logarithmic axis only positive values count; without any it is linear. A linear axis
        is at least `least` long.
        """
        known = [v for v in values if math.isfinite(v)]
        positive = [v for v in known if v > 0]
        log = log and bool(positive)
        known = positive if log else known
        if not known:
            return None
        low, high = (
            (math.log10(min(known)), math.log10(max(known))) if log else (min(known), max(known))
        )
        short = 0.0 if log else max(least - (high - low), 0.0) / 2
        low, high = low - short, high + short
        air = room * (high - low) if high > low else 0.05 * max(abs(high), 1.0)
        low, high = low - air, high + air
        return cls(10.0**low, 10.0**high, start, end, True) if log else cls(low, high, start, end)

    def at(self, value: float) -> float:
        """Place of a number; what lies beyond an end is put outside by at most the axis' length."""
        if self.log:
            low, high = math.log10(self.low), math.log10(self.high)
            share = (math.log10(value) - low) / (high - low) if value > 0 else -1.0
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * min(max(share, -1.0), 2.0)

    def ticks(self, n: int = 4, *, whole: bool = False) -> list[tuple[float, str]]:
        """About n round numbers on the axis, with their words; `whole` leaves out fractions."""
        if not self.log:
            found = nice_ticks(self.low, self.high, n)
            integers = [tick for tick in found if tick == round(tick)]
            found = integers if whole and integers else found
            short = [f"{tick:.3g}".replace("-", "−") for tick in found]
            if max(map(abs, found)) >= LARGE and len(set(short)) == len(short):
                return list(zip(found, short))
            digits = max(len(f"{tick:.10f}".rstrip("0").partition(".")[2]) for tick in found)
            return [(tick, decimal(tick, digits)) for tick in found]
        return self._powers(n)

    def fitting_ticks(self, most: int = 4) -> list[tuple[float, str]]:
        """Ticks of a horizontal axis whose words do not touch each other, at most about `most`."""
        ticks = self.ticks(most)
        for n in range(most - 1, 1, -1):
            gaps = [abs(self.at(b) - self.at(a)) for (a, _), (b, _) in pairwise(ticks)]
            if len(gaps) < 2 or min(gaps) > LETTER * (1 + max(len(word) for _, word in ticks)):
                break
            ticks = self.ticks(n)
        return ticks

    def _powers(self, n: int) -> list[tuple[float, str]]:
        first = math.ceil(math.log10(self.low) - 1e-9)
        last = math.floor(math.log10(self.high) + 1e-9)
        step = max(1, math.ceil((last - first + 1) / (n + 1)))
        powers = [10.0**p for p in range(first, last + 1, step)]
        if len(powers) < 2:
            powers = [t for t in nice_ticks(self.low, self.high, n) if t > 0]
        return [(power, f"{power:g}") for power in powers]


def inside(place: float, word: str, width: float) -> float:
    """Middle of a word near a place, so that it stays in a picture of that width.

    Examples
    --------
    >>> inside(50.0, "0.5", 360.0), inside(359.0, "0.5", 360.0)
    (50.0, 349.7)
    """
    half = 0.5 * LETTER * len(word) + 1.0
    return min(max(place, half), width - half)


def sample(mark: Markup) -> Markup:
    """A mark of a picture in the middle of 26 by 12 units, for a legend."""
    return tag("svg", mark, class_="sample", viewBox="0 0 26 12", aria_hidden="true")
