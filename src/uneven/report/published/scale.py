"""Numbers to places on an axis, linear or logarithmic, with tick marks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from uneven.report.charts import nice_ticks
from uneven.report.markup import Markup, tag
from uneven.report.numbers import decimal

__all__ = ["Scale", "sample"]

LARGE = 1e5


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
    ) -> Scale | None:
        """The axis that holds all finite values, with some room; None if there is none.

        On a logarithmic axis only positive values count; without any it is linear.
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
            if max(map(abs, found)) >= LARGE:
                return [(tick, f"{tick:.3g}".replace("-", "−")) for tick in found]
            digits = max(len(f"{tick:g}".partition(".")[2]) for tick in found)
            return [(tick, decimal(tick, digits)) for tick in found]
        first = math.ceil(math.log10(self.low) - 1e-9)
        last = math.floor(math.log10(self.high) + 1e-9)
        step = max(1, math.ceil((last - first + 1) / (n + 1)))
        powers = [10.0**p for p in range(first, last + 1, step)]
        if len(powers) < 2:
            powers = [t for t in nice_ticks(self.low, self.high, n) if t > 0]
        return [(power, f"{power:g}") for power in powers]


def sample(mark: Markup) -> Markup:
    """A mark of a picture in the middle of 26 by 12 units, for a legend."""
    return tag("svg", mark, class_="sample", viewBox="0 0 26 12", aria_hidden="true")
