"""Printed and measured numbers as dots: a panel per row of the table, a lane per column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from uneven.report.heat import elide
from uneven.report.markup import Markup, tag
from uneven.report.numbers import plus_minus
from uneven.report.published.facts import Record, entries, number
from uneven.report.published.scale import Scale, sample
from uneven.report.published.words import apart_word

__all__ = ["dot_charts", "dot_legend"]

LANE, WIDTH, RIGHT, CHARACTER, LONGEST = 24.0, 360.0, 350.0, 6.3, 18
FAR = 2.0
"""More printed deviations than that and the dot is orange."""

Lane = tuple[str, Mapping[str, Any]]


def dot_charts(record: Record, measure: Mapping[str, Any]) -> Markup | None:
    """Panels with a ring for the print and a dot for ours, each with one deviation to its sides.

    Parameters
    ----------
    record : mapping
    measure : mapping
        One of ``record["measures"]``, whose values are numbers.

    Returns
    -------
    Markup or None
        None if the print or the measurement has no number.
    """
    found = entries(record, measure["key"])
    sides = [any(v[side] for v in found.values()) for side in ("printed", "measured")]
    if not all(sides):
        return None
    rows = [r for r in record["rows"] if any(row == r for row, _ in found)]
    columns = [c for c in record["columns"] if any(column == c for _, column in found)]
    if len(columns) <= 2 < len(rows):
        panels = {c: [(r, found[r, c]) for r in rows if (r, c) in found] for c in columns}
    else:
        panels = {r: [(c, found[r, c]) for c in columns if (r, c) in found] for r in rows}
    made = [_panel(title, lanes, measure) for title, lanes in panels.items() if lanes]
    return tag("div", made, class_="charts dots")


def dot_legend(record: Record) -> Markup:
    """What rings, dots and colours mean."""
    known = any(math.isfinite(number(value["apart"])) for value in record["values"])
    keys = [
        ("ring", "in print"),
        ("dot", "ours"),
        *[("dot far", f"ours, more than {FAR:g} printed deviations away")] * known,
    ]
    items = [
        tag(
            "li",
            sample(tag("circle", cx=13, cy=6, r=4, class_=look)),
            words,
        )
        for look, words in keys
    ]
    whiskers = tag("li", "whiskers: one deviation to each side")
    return tag("ul", items, whiskers, class_="legend")


def _panel(title: str, lanes: Sequence[Lane], measure: Mapping[str, Any]) -> Markup:
    names = [elide(name, LONGEST) for name, _ in lanes]
    left = 12 + CHARACTER * max(map(len, names))
    reach = [end for _, value in lanes for side in _sides(value) for end in _ends(side)]
    scale = Scale.over(reach, left, RIGHT)
    height = LANE * len(lanes) + 6
    if scale is None:
        return Markup("")
    marks = []
    for tick, word in scale.ticks(4):
        x = f"{scale.at(tick):.1f}"
        marks.append(tag("line", x1=x, x2=x, y1=2, y2=height, class_="gridline"))
        marks.append(tag("text", word, x=x, y=height + 12, class_="tick-x"))
    for j, (name, (full, value)) in enumerate(zip(names, lanes)):
        y = 4 + LANE * (j + 0.5)
        label = tag("text", name, tag("title", full), x=left - 8, y=y, class_="row-name")
        marks += [label, *_lane(value, scale, y, measure["digits"])]
    told = f"{measure['title']} of {title}, printed and measured"
    picture = tag(
        "svg",
        marks,
        class_="chart",
        viewBox=f"0 0 {WIDTH:g} {height + 24:g}",
        role="img",
        aria_label=told,
    )
    return tag("figure", tag("figcaption", tag("b", title), class_="figure-head"), picture)


def _lane(value: Mapping[str, Any], scale: Scale, y: float, digits: int) -> list[Markup]:
    far = "far" if abs(number(value["apart"])) > FAR else "near"
    word = apart_word(value["apart"])
    away = f", {word} printed deviations" if word else ""
    printed, own = value["printed"], value["measured"]
    return [
        *_dot(printed, scale, y - 4, digits, "ring", "in print"),
        *_dot(own, scale, y + 4, digits, f"dot {far}", "ours", away),
    ]


def _dot(
    side: Mapping[str, Any] | None,
    scale: Scale,
    y: float,
    digits: int,
    look: str,
    who: str,
    away: str = "",
) -> list[Markup]:
    if side is None or not math.isfinite(number(side["mean"])):
        return []
    mean, deviation = number(side["mean"]), number(side["deviation"])
    told = tag("title", f"{who}: {plus_minus(mean, deviation, digits)}{away}")
    marks = []
    if math.isfinite(deviation):
        x1, x2 = (f"{scale.at(mean + s * deviation):.1f}" for s in (-1, 1))
        marks.append(tag("line", x1=x1, x2=x2, y1=y, y2=y, class_=f"reach {look}"))
    marks.append(tag("circle", told, cx=f"{scale.at(mean):.1f}", cy=y, r=3.4, class_=look))
    return marks


def _sides(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [side for side in (value["printed"], value["measured"]) if side is not None]


def _ends(side: Mapping[str, Any]) -> list[float]:
    mean, deviation = number(side["mean"]), number(side["deviation"])
    half = deviation if math.isfinite(deviation) else 0.0
    return [mean - half, mean + half]
