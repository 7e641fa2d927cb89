"""Printed and measured matrices side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from uneven.report.heat import MANY, heat_cell
from uneven.report.markup import Markup, tag
from uneven.report.numbers import decimal
from uneven_published.pages.facts import Record, entries, number

__all__ = ["matrix_figures"]


def matrix_figures(record: Record, measure: Mapping[str, Any]) -> Markup:
    """Two tinted tables, ours and the print, for every row and column of an exhibit.

    Parameters
    ----------
    record : mapping
    measure : mapping
        One of ``record["measures"]``, whose values are matrices.

    Returns
    -------
    Markup
    """
    found = entries(record, measure["key"])
    sides = [s["mean"] for v in found.values() for s in (v["measured"], v["printed"]) if s]
    top = max((abs(v) for m in sides for v in _numbers(m)), default=1.0) or 1.0
    figures = [
        _figure(f"{row}: {column}", value, measure["digits"], top)
        for (row, column), value in found.items()
    ]
    pictures = tag("div", figures, class_="matrices beside-matrices")
    return tag("div", tag("h3", measure["title"]), pictures, class_="whole")


def _figure(title: str, value: Mapping[str, Any], digits: int, top: float) -> Markup:
    pictures = [
        tag("div", tag("span", who, class_="spread"), _table(value[side]["mean"], digits, top))
        for side, who in (("measured", "ours"), ("printed", "in print"))
        if value[side] is not None
    ]
    head = tag("figcaption", tag("b", title), class_="figure-head")
    return tag("figure", head, tag("div", pictures, class_="twins wide"))


def _table(matrix: list[list[float | None]], digits: int, top: float) -> Markup:
    rows = [
        tag(
            "tr",
            [
                heat_cell(
                    number(value),
                    abs(number(value)) / top,
                    shown=decimal(number(value), digits),
                    wrong=i != j,
                )
                for j, value in enumerate(line)
            ],
        )
        for i, line in enumerate(matrix)
    ]
    look = "heatmap many" if len(matrix) > MANY else "heatmap"
    return tag("table", tag("tbody", rows), class_=look)


def _numbers(matrix: list[list[float | None]]) -> list[float]:
    return [number(v) for line in matrix for v in line if math.isfinite(number(v))]
