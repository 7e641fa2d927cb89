"""Printed and measured numbers as dots: a panel per row of the table, a lane per column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from uneven.report.heat import elide
from uneven.report.markup import Markup, tag
from uneven.report.numbers import plus_minus
from uneven_published.pages.blocks import Block
from uneven_published.pages.facts import Record, number
from uneven_published.pages.scale import Scale, inside, sample
from uneven_published.pages.words import apart_word

__all__ = ["dot_charts", "dot_legend"]

LANE, WIDTH, RIGHT, CHARACTER, LONGEST = 24.0, 360.0, 350.0, 5.8, 32
UNITS = 6
"""An axis is at least so many units of the last digit long."""
FEW, FAR = 2, 2.0
"""More printed deviations than that and the dot is orange."""

Lane = tuple[str, Mapping[str, Any]]


def dot_charts(block: Block) -> Markup | None:
    """Panels with a ring for the print and a dot for ours, each with one deviation to its sides.

    Parameters
    ----------
    block : Block

    Returns
    -------
    Markup or None
        A panel per line of the block with a lane per column, or the other way round if there are
        few columns of the same measure. None if the print or the measurement has no number.
    """
    if not all(any(v[side] for v in block.values) for side in ("printed", "measured")):
        return None
    digits = {line.measure["key"]: line.measure["digits"] for line in block.lines}
    if len(block.columns) <= FEW < len(block.lines) and len(digits) == 1:
        panels = {
            c: [(line.name, line.cells[c]) for line in block.lines if c in line.cells]
            for c in block.columns
        }
        made = [_panel(c, lanes, block.title, *digits.values()) for c, lanes in panels.items()]
    else:
        made = [
            _panel(line.name, list(line.cells.items()), block.title, line.measure["digits"])
            for line in block.lines
        ]
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


def _panel(title: str, lanes: Sequence[Lane], what: str, digits: int) -> Markup:
    names = [elide(name, LONGEST) for name, _ in lanes]
    left = 12 + CHARACTER * max(map(len, names))
    reach = [end for _, value in lanes for side in _sides(value) for end in _ends(side, digits)]
    scale = Scale.over(reach, left, RIGHT, least=UNITS * 10.0**-digits)
    height = LANE * len(lanes) + 6
    if scale is None:
        return Markup("")
    marks = []
    for tick, word in scale.fitting_ticks():
        x, middle = scale.at(tick), inside(scale.at(tick), word, WIDTH)
        ends = {"x1": f"{x:.1f}", "x2": f"{x:.1f}"}
        marks.append(tag("line", y1=2, y2=height, class_="gridline", **ends))
        marks.append(tag("text", word, x=f"{middle:.1f}", y=height + 12, class_="tick-x"))
    for j, (name, (full, value)) in enumerate(zip(names, lanes)):
        y = 4 + LANE * (j + 0.5)
        label = tag("text", name, tag("title", full), x=left - 8, y=y, class_="row-name")
        marks += [label, *_lane(value, scale, y, digits)]
    told = f"{what} of {title}, printed and measured"
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
    if half := _half(side, digits):
        x1, x2 = (f"{scale.at(mean + s * half):.1f}" for s in (-1, 1))
        marks.append(tag("line", x1=x1, x2=x2, y1=y, y2=y, class_=f"reach {look}"))
    marks.append(tag("circle", told, cx=f"{scale.at(mean):.1f}", cy=y, r=3.4, class_=look))
    return marks


def _sides(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [side for side in (value["printed"], value["measured"]) if side is not None]


def _half(side: Mapping[str, Any], digits: int) -> float:
    """Deviation of a number; none where it is unknown or shown as zero."""
    deviation = number(side["deviation"])
    return deviation if deviation >= 0.5 * 10.0**-digits else 0.0


def _ends(side: Mapping[str, Any], digits: int) -> list[float]:
    mean, half = number(side["mean"]), _half(side, digits)
    return [mean - half, mean + half]
