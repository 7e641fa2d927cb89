"""Curves of an exhibit, arranged as they are drawn: one panel per row, one line per column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from uneven.report.published.facts import Record, entries, kind, number

__all__ = ["Curve", "Line", "Point", "picture_names", "plot_panels", "plots_of", "shown_point"]

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

    def of(self, curve: Any) -> Any:
        """Value of a curve there; None if it has none."""
        known = isinstance(curve, Sequence) and self.position < len(curve)
        return curve[self.position] if known else None


def plots_of(record: Record) -> list[Mapping[str, Any]]:
    """The plots of a record that have something to show."""
    return [plot for plot in record["plots"] if plot_panels(record, plot)]


def picture_names(record: Record) -> list[str]:
    """File names of the pictures of an exhibit: NAME.png, or NAME-1.png and so on."""
    n = len(plots_of(record))
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


def shown_point(record: Record, measure: str) -> Point | None:
    """The last place at which curves can be compared, for tables; None if they are no curves."""
    if kind(record, measure) != "curve":
        return None
    values = entries(record, measure).values()
    printed = [_last(v["printed"]["mean"]) for v in values if v["printed"]]
    own = [_last(v["measured"]["mean"]) for v in values if v["measured"]]
    known = [place for place in printed if place >= 0] or [p for p in own if p >= 0] or [0]
    position = max(known)
    for plot in record["plots"]:
        if plot["measure"] == measure and position < len(plot["x"]):
            return Point(position, f"at {plot['x_title']} = {plot['x'][position]:g}")
    return Point(position, f"(value {position + 1})")


def _last(curve: Any) -> int:
    if not isinstance(curve, list):
        return -1
    return max((j for j, v in enumerate(curve) if math.isfinite(number(v))), default=-1)


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
