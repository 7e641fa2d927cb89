"""Points of curves as rows of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from uneven_published.pages.facts import Record, entries, number

__all__ = ["at_place", "point_record"]

MOST = 8
"""Curves without print show so many of their points."""


def point_record(record: Record, measure: str) -> dict[str, Any]:
    """A record whose rows are points of the curves of a measure.

    Parameters
    ----------
    record : mapping
    measure : str
        Whose values are curves.

    Returns
    -------
    dict
        Like ``record``, with one row for every row and every place that is printed, or for a few
        places if nothing is printed; its values are numbers.
    """
    found = entries(record, measure)
    length = max(len(side["mean"]) for v in found.values() for side in _sides(v))
    titles = _titles(record, measure, length)
    rows, values = [], []
    for row in record["rows"]:
        here = {column: v for (r, column), v in found.items() if r == row}
        for place in _places(here, length):
            name = f"{row}, {titles[place]}"
            rows.append(name)
            values += [at_place(value, place) | {"row": name} for value in here.values()]
    return {**record, "rows": rows, "values": values, "tests": []}


def _titles(record: Record, measure: str, length: int) -> list[str]:
    for plot in record["plots"]:
        if plot["measure"] == measure and len(plot["x"]) == length:
            return [f"{plot['x_title']} = {x:g}" for x in plot["x"]]
    return [str(j + 1) for j in range(length)]


def _places(values: Mapping[str, Mapping[str, Any]], length: int) -> list[int]:
    printed = {
        j
        for value in values.values()
        if value["printed"]
        for j, one in enumerate(value["printed"]["mean"])
        if math.isfinite(number(one))
    }
    if printed or not values:
        return sorted(printed)
    n = min(length, MOST)
    return sorted({round(j * (length - 1) / max(n - 1, 1)) for j in range(n)})


def at_place(value: Mapping[str, Any], place: int) -> dict[str, Any]:
    """One number of a value that is a curve."""
    point: dict[str, Any] = {**value, "apart": _one(value["apart"], place)}
    for side in ("printed", "measured"):
        if value[side]:
            parts = {k: _one(value[side][k], place) for k in ("mean", "deviation")}
            point[side] = {**value[side], **parts}
    return point


def _one(curve: Any, place: int) -> Any:
    return curve[place] if isinstance(curve, list) and place < len(curve) else None


def _sides(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [side for side in (value["printed"], value["measured"]) if side is not None]
