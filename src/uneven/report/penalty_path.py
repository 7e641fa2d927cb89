"""Error and number of kept methods against the strength of a penalty, as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from uneven.report.charts import nice_ticks
from uneven.report.markup import Markup, decimal, tag

LEFT, RIGHT, TOP, MIDDLE, LOW, BOTTOM = 42.0, 344.0, 8.0, 128.0, 146.0, 200.0
SHOWN_ERRORS = 4.0
"""Errors above so many times the smallest are cut off: they would flatten the others."""


def path_chart(
    strengths: Sequence[float],
    error_mean: Sequence[float],
    error_std: Sequence[float],
    n_selected: Sequence[float],
    *,
    chosen: int | None,
    n_members: int,
    title: str,
) -> Markup:
    """Two panels over one logarithmic axis: error with a band, and a staircase of counts.

    Parameters
    ----------
    strengths : sequence of float of length S
        Positive; in increasing order.
    error_mean, error_std : sequence of float of length S
        Error rates and their spread; NaN are left out.
    n_selected : sequence of float of length S
        How many methods are kept.
    chosen : int or None
        Position of the chosen strength.
    n_members : int
        How many methods there are.
    title : str
        Alternative text.

    Returns
    -------
    Markup
        An SVG element; empty with fewer than two strengths.
    """
    known = [j for j, e in enumerate(error_mean) if math.isfinite(e)]
    if len(strengths) < 2 or not known:
        return Markup("")
    logs = [math.log10(s) for s in strengths]
    top = _highest(error_mean, known, chosen)

    def across(log: float) -> float:
        return LEFT + (RIGHT - LEFT) * (log - logs[0]) / (logs[-1] - logs[0])

    def at(j: int, error: float) -> str:
        return f"{across(logs[j]):.1f},{MIDDLE - (MIDDLE - TOP) * max(error, 0.0) / top:.1f}"

    spreads = [s if math.isfinite(s) else 0.0 for s in error_std]
    upper = [at(j, error_mean[j] + spreads[j]) for j in known]
    lower = [at(j, error_mean[j] - spreads[j]) for j in reversed(known)]
    line = " ".join(at(j, error_mean[j]) for j in known)
    marks = [
        *_error_axis(top),
        *_count_axis(n_members),
        *_strength_axis(logs, across),
        _cut(
            tag("polygon", points=" ".join([*upper, *lower]), class_="band"),
            tag("polyline", tag("title", "error"), points=line, class_="line s0"),
        ),
        tag("polyline", points=_stairs(logs, n_selected, n_members, across), class_="line step"),
    ]
    if chosen is not None:
        x = f"{across(logs[chosen]):.1f}"
        spot = at(chosen, error_mean[chosen]).split(",")[1]
        told = f"strength {strengths[chosen]:g}: {n_selected[chosen]:.0f} of {n_members} kept"
        marks.append(tag("line", tag("title", told), x1=x, x2=x, y1=TOP, y2=BOTTOM, class_="pick"))
        marks.append(tag("circle", tag("title", told), cx=x, cy=spot, r=4, class_="picked"))
    return tag("svg", marks, class_="chart", viewBox="0 0 360 222", role="img", aria_label=title)


def _cut(*marks: Markup) -> Markup:
    """Marks of the upper panel without what lies above it."""
    width, height = RIGHT - LEFT + 4, MIDDLE - TOP + 4
    frame = {"x": LEFT - 2, "y": TOP, "width": width, "height": height}
    return tag("svg", marks, viewBox=f"{LEFT - 2:g} {TOP:g} {width:g} {height:g}", **frame)


def _highest(error_mean: Sequence[float], known: Sequence[int], chosen: int | None) -> float:
    """Top of the scale: the errors up to the choice are shown, hopeless ones are cut off."""
    smallest = min(error_mean[j] for j in known)
    weak = [error_mean[j] for j in known if chosen is None or j <= chosen]
    room = max(SHOWN_ERRORS * max(smallest, 0.01), *weak, smallest)
    return 1.06 * min(room, max(error_mean[j] for j in known)) or 0.01


def _error_axis(top: float) -> list[Markup]:
    ticks = [tick for tick in nice_ticks(0.0, 100.0 * top, 4) if tick <= 100.0 * top]
    digits = max(len(f"{tick:g}".partition(".")[2]) for tick in ticks)
    marks = []
    for tick in ticks:
        y = f"{MIDDLE - (MIDDLE - TOP) * tick / (100.0 * top):.1f}"
        marks.append(tag("line", x1=LEFT, x2=RIGHT, y1=y, y2=y, class_="gridline"))
        marks.append(tag("text", decimal(tick, digits), x=LEFT - 7, y=y, class_="tick-y"))
    return marks


def _count_axis(n_members: int) -> list[Markup]:
    marks = []
    for number in (0, n_members):
        y = f"{_height(number, n_members):.1f}"
        marks.append(tag("line", x1=LEFT, x2=RIGHT, y1=y, y2=y, class_="gridline"))
        marks.append(tag("text", number, x=LEFT - 7, y=y, class_="tick-y"))
    return marks


def _strength_axis(logs: Sequence[float], place: Callable[[float], float]) -> list[Markup]:
    powers = list(range(math.ceil(logs[0]), math.floor(logs[-1]) + 1))
    step = max(1, math.ceil(len(powers) / 6))
    shown = [power for power in powers if (power - powers[-1]) % step == 0]
    return [
        tag("text", _power(power), x=f"{place(power):.1f}", y=BOTTOM + 14, class_="tick-x")
        for power in shown
    ]


def _power(exponent: int) -> str:
    """A power of ten as people write it.

    Examples
    --------
    >>> _power(-2), _power(-11)
    ('0.01', '10⁻¹¹')
    """
    if abs(exponent) <= 3:
        return f"{10.0**exponent:g}"
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _height(number: float, n_members: int) -> float:
    return BOTTOM - (BOTTOM - LOW) * number / max(n_members, 1)


def _stairs(
    logs: Sequence[float],
    counts: Sequence[float],
    n_members: int,
    place: Callable[[float], float],
) -> str:
    """Corners of a staircase that steps half way between two strengths."""
    inner = [(a + b) / 2 for a, b in pairwise(logs)]
    edges = [logs[0], *inner, logs[-1]]
    corners = []
    for j, number in enumerate(counts):
        y = f"{_height(number, n_members):.1f}"
        corners += [f"{place(edges[j]):.1f},{y}", f"{place(edges[j + 1]):.1f},{y}"]
    return " ".join(corners)
