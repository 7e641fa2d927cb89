"""Curves of an exhibit, arranged as they are drawn: one panel per row, one line per column."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from uneven_published.pages.facts import Record, entries, kind, number
from uneven_published.pages.ranks import drawn_ranks

__all__ = [
    "Curve",
    "Line",
    "Point",
    "has_printed_points",
    "picture_names",
    "plot_panels",
    "plots_of",
    "shown_point",
]

Curve = list[float]
Line = dict[str, Curve | None]
"""``mean``, ``deviation``, ``printed`` and ``printed_deviation``; each a curve or None."""


@dataclass(frozen=True)
class Point:
    """A place on curves.

    Attributes
    ----------
    position : int
    words : str
        Where that is, such as "at labels = 50".
    """

    position: int
    words: str


def plots_of(record: Record) -> list[Mapping[str, Any]]:
    """The plots of a record that have something to show."""
    return [plot for plot in record["plots"] if plot_panels(record, plot)]


def picture_names(record: Record) -> list[str]:
    """File names of the pictures of an exhibit: NAME.png, or NAME-1.png and so on.

    Plots first, then critical-difference diagrams.
    """
    n = len(plots_of(record)) + len(drawn_ranks(record))
    if n <= 1:
        return [f"{record['name']}.png"] * n
    return [f"{record['name']}-{j + 1}.png" for j in range(n)]


def plot_panels(record: Record, plot: Mapping[str, Any]) -> dict[str, dict[str, Line]]:
    """Curves of a plot by panel and line.

    Parameters
    ----------
    record : mapping
    plot : mapping
        One of ``record["plots"]``.

    Returns
    -------
    dict of str to dict of str to dict
        Row to column to ``mean``, ``deviation``, ``printed`` and ``printed_deviation``: lists with
        one number per place on the x axis, NaN where nothing is known, or None. Curves of another
        length than the axis are left out.
    """
    found = entries(record, plot["measure"])
    panels: dict[str, dict[str, Line]] = {}
    for row in plot["rows"] or record["rows"]:
        lines = {
            column: _line(found[row, column], len(plot["x"]))
            for column in plot["columns"] or record["columns"]
            if (row, column) in found
        }
        known = {c: line for c, line in lines.items() if line["mean"] or line["printed"]}
        if known:
            panels[row] = known
    return panels


def has_printed_points(record: Record, measure: str) -> bool:
    """Whether a point of some curve of a measure is printed."""
    return any(_known(value["printed"]) for value in entries(record, measure).values())


def shown_point(record: Record, measure: str) -> Point | None:
    """Where most curves can be compared, the last such place; None if they are no curves."""
    if kind(record, measure) != "curve":
        return None
    values = entries(record, measure).values()
    printed = Counter(j for v in values for j in _known(v["printed"]))
    own = Counter(j for v in values for j in _known(v["measured"]))
    both = Counter({j: n for j, n in printed.items() if j in own})
    counted = both or printed or own or Counter({0: 1})
    position = max(counted, key=lambda j: (counted[j], j))
    for plot in record["plots"]:
        if plot["measure"] == measure and position < len(plot["x"]):
            return Point(position, f"at {plot['x_title']} = {plot['x'][position]:g}")
    return Point(position, f"(value {position + 1})")


def _known(side: Mapping[str, Any] | None) -> list[int]:
    """Places at which a curve is known."""
    curve = side["mean"] if side else None
    if not isinstance(curve, list):
        return []
    return [j for j, v in enumerate(curve) if math.isfinite(number(v))]


def _line(value: Mapping[str, Any], n: int) -> Line:
    own, printed = value["measured"] or {}, value["printed"] or {}
    return {
        "mean": _curve(own.get("mean"), n),
        "deviation": _curve(own.get("deviation"), n),
        "printed": _curve(printed.get("mean"), n),
        "printed_deviation": _curve(printed.get("deviation"), n),
    }


def _curve(values: Any, n: int) -> Curve | None:
    if not isinstance(values, list) or len(values) != n:
        return None
    curve = [number(v) for v in values]
    return curve if any(map(math.isfinite, curve)) else None
