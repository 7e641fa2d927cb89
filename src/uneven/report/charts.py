"""Charts as inline SVG, and tables whose cells are tinted.

Colours come from the style sheet of the page, so that pictures follow its light and dark themes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from uneven.comparison.summaries import mean, spread
from uneven.report.markup import Markup, decimal, tag


def nice_ticks(low: float, high: float, n: int = 4) -> list[float]:
    """About `n` round numbers between two values.

    Examples
    --------
    >>> nice_ticks(0.03, 0.91)
    [0.25, 0.5, 0.75]
    """
    if not high > low:
        return [low]
    raw = (high - low) / n
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{i * step:.10g}") for i in range(first, last + 1)]


def thin(values: Sequence[float], points: int) -> list[tuple[float, float]]:
    """At most `points` (round, value) pairs, each the mean of neighbouring rounds.

    Examples
    --------
    >>> thin([1.0, 3.0, 5.0, 7.0], 2)
    [(1.5, 2.0), (3.5, 6.0)]
    """
    n = len(values)
    edges = [i * n // min(points, n) for i in range(min(points, n) + 1)] if n else [0]
    blocks = [(a, b) for a, b in pairwise(edges) if b > a]
    pairs = [((a + b + 1) / 2, mean(values[a:b])) for a, b in blocks]
    return [(x, y) for x, y in pairs if math.isfinite(y)]


def fold_strip(values: Sequence[float], low: float, high: float, label: str) -> Markup:
    """Small dot-and-whisker picture: a dot per fold, the mean and one spread to each side.

    Parameters
    ----------
    values : sequence of float
        One value per fold; NaN are left out.
    low, high : float
        Ends of the scale, the same for all strips that are compared.
    label : str
        Alternative text.

    Returns
    -------
    Markup
        An SVG element.
    """
    width, middle = 150.0, 11.0
    finite = [v for v in values if math.isfinite(v)]

    def x(value: float) -> str:
        share = (value - low) / (high - low) if high > low else 0.5
        return f"{6 + (width - 12) * min(max(share, 0.0), 1.0):.1f}"

    marks = [tag("line", x1=0, x2=width, y1=middle, y2=middle, class_="rail")]
    if finite:
        centre, half = mean(finite), spread(finite)
        if math.isfinite(half):
            ends = {"x1": x(centre - half), "x2": x(centre + half)}
            marks.append(tag("line", y1=middle, y2=middle, class_="whisker", **ends))
        marks += [tag("circle", cx=x(v), cy=middle, r=3, class_="fold-dot") for v in finite]
        marks.append(tag("line", x1=x(centre), x2=x(centre), y1=3, y2=19, class_="mean"))
    return tag("svg", marks, class_="strip", viewBox="0 0 150 22", role="img", aria_label=label)


def line_chart(
    lines: Sequence[tuple[str, Sequence[float], str]], *, title: str, points: int = 160
) -> Markup:
    """Lines over rounds with round tick marks.

    Parameters
    ----------
    lines : sequence of (label, values, css_class)
        One value per round.
    title : str
        Alternative text.
    points : int
        Rounds are averaged down to this many points.

    Returns
    -------
    Markup
        An SVG element.
    """
    thinned = [(label, thin(values, points), css) for label, values, css in lines]
    heights = [y for _, pairs, _ in thinned for _, y in pairs]
    if not heights:
        return Markup("")
    low, high = _padded(min(heights), max(heights))
    rounds = max(len(values) for _, values, _ in lines)
    left, right, top, bottom = 42.0, 344.0, 8.0, 176.0

    def at(x: float, y: float) -> str:
        across = left + (right - left) * (x - 1) / max(rounds - 1, 1)
        return f"{across:.1f},{bottom - (bottom - top) * (y - low) / (high - low):.1f}"

    marks = []
    ticks = nice_ticks(low, high, 5)
    digits = max(len(f"{tick:g}".partition(".")[2]) for tick in ticks)
    for tick in ticks:
        y = at(1, tick).split(",")[1]
        marks.append(tag("line", x1=left, x2=right, y1=y, y2=y, class_="gridline"))
        marks.append(tag("text", decimal(tick, digits), x=left - 7, y=y, class_="tick-y"))
    for tick in [1, *(t for t in nice_ticks(1, rounds, 4) if t >= rounds / 8)]:
        x = at(tick, low).split(",")[0]
        marks.append(tag("text", f"{tick:g}", x=x, y=bottom + 16, class_="tick-x"))
    for label, pairs, css in thinned:
        path = " ".join(at(x, y) for x, y in pairs)
        marks.append(tag("polyline", tag("title", label), points=path, class_=f"line {css}"))
    return tag("svg", marks, class_="chart", viewBox="0 0 360 200", role="img", aria_label=title)


def _padded(low: float, high: float) -> tuple[float, float]:
    room = 0.06 * (high - low) or 0.05 * max(abs(high), 1.0)
    return low - room, high + room


MANY = 12
"""Above this many classes or methods, cells get smaller."""


def elide(name: object, length: int) -> str:
    """Leave out the end of a name that is too long for its place.

    Examples
    --------
    >>> elide("caterpillar", 6)
    'cater…'
    """
    plain = " ".join(str(name).split())
    return plain if len(plain) <= length else plain[: length - 1].rstrip() + "…"


def named(name: object) -> Markup:
    """Name of a class, view, column or method in a table: long ones wrap and are cut at last."""
    return tag("span", name if isinstance(name, str) else str(name), class_="name", title=name)


def heat_cell(
    value: float,
    tint: float,
    *,
    shown: str,
    best: bool = False,
    wrong: bool = False,
    below: str | None = None,
) -> Markup:
    """Tinted table cell, with its number for those who do not see the tint.

    Parameters
    ----------
    value : float
        What the column is sorted by; NaN comes last.
    tint : float
        Strength of the colour between 0 and 1; NaN gives none.
    shown : str
        What to write.
    best : bool
        Set it in bold.
    wrong : bool
        Tint it orange in place of blue.
    below : str, optional
        What to write in small below it.

    Returns
    -------
    Markup
        A ``td`` element.
    """
    strength = min(max(tint, 0.0), 1.0) if math.isfinite(tint) else 0.0
    return tag(
        "td",
        tag("b", shown) if best else shown,
        tag("small", below) if below else None,
        class_="heat error" if wrong else "heat",
        style=f"--v:{strength:.3f}",
        data_value="" if math.isnan(value) else f"{value:.6g}",
    )
