"""Charts as inline SVG, and tables whose cells are tinted.

Colours come from the style sheet of the page, so that pictures follow its light and dark themes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from uneven.comparison.summaries import mean, spread
from uneven.metrics import matrix_norm
from uneven.report.markup import Markup, count, decimal, percent, tag


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
        marks += [tag("circle", cx=x(v), cy=middle, r=3, class_="fold") for v in finite]
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
        Shares of wrong answers and their spread; NaN are left out.
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


MANY = 12
"""Above this many classes or methods, cells get smaller."""

CHARACTER = 6.6
LARGEST_SCALE = 1.35


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
    value: float, tint: float, *, shown: str, best: bool = False, wrong: bool = False
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

    Returns
    -------
    Markup
        A ``td`` element.
    """
    strength = min(max(tint, 0.0), 1.0) if math.isfinite(tint) else 0.0
    return tag(
        "td",
        tag("b", shown) if best else shown,
        class_="heat error" if wrong else "heat",
        style=f"--v:{strength:.3f}",
        data_value="" if math.isnan(value) else f"{value:.6g}",
    )


class ConfusionPicture:
    """One confusion matrix: its rates, its norm and its picture.

    Parameters
    ----------
    counts : nested sequence of float of shape (K, K)
        Row = true class, column = answer.
    classes : sequence of str of length K
        Class names.

    Examples
    --------
    >>> picture = ConfusionPicture([[3, 1], [0, 4]], ["a", "b"])
    >>> picture.norm
    0.25
    >>> picture.largest
    (0, 1, 0.25)
    """

    def __init__(self, counts: Sequence[Sequence[float]], classes: Sequence[str]) -> None:
        self.counts = np.asarray(counts, dtype=float)
        self.classes = list(classes)
        totals = self.counts.sum(axis=1, keepdims=True)
        self.rates = np.divide(
            self.counts, totals, out=np.zeros_like(self.counts), where=totals > 0
        )
        self.errors = self.rates - np.diag(np.diag(self.rates))
        self.norm = matrix_norm(self.errors)

    @property
    def largest(self) -> tuple[int, int, float] | None:
        """True class, answer and rate of the largest error; None when there is none."""
        if not self.errors.any():
            return None
        row, column = np.unravel_index(int(self.errors.argmax()), self.errors.shape)
        return int(row), int(column), float(self.errors[row, column])

    def svg(self, top: float, label: str) -> Markup:
        """Picture of the matrix.

        Parameters
        ----------
        top : float
            Error rate with the full tint, the same for all matrices that are compared.
        label : str
            Alternative text.

        Returns
        -------
        Markup
            An SVG element; hovering over a cell shows its count.
        """
        n = len(self.classes)
        cell = 30 if n <= MANY else 18
        names = [elide(name, 12 if n <= MANY else 8) for name in self.classes]
        margin = 12 + CHARACTER * max(map(len, names))
        turned = max(map(len, names)) * CHARACTER > cell - 2
        foot = margin if turned else 22
        marks = [tag("rect", x=margin, y=0, width=n * cell, height=n * cell, class_="floor")]
        for i, name in enumerate(names):
            middle = (i + 0.5) * cell
            full = tag("title", self.classes[i])
            marks.append(tag("text", name, full, x=margin - 6, y=middle, class_="row-name"))
            x, y = margin + middle, n * cell + (6 if turned else 14)
            turn = f"rotate(-90 {x:g} {y:g})" if turned else None
            css = "column-name turned" if turned else "column-name"
            marks.append(
                tag("text", name, full, x=f"{x:g}", y=f"{y:g}", transform=turn, class_=css)
            )
        marks += [
            self._cell(int(r), int(c), margin, cell, top) for r, c in np.argwhere(self.counts > 0)
        ]
        width = margin + n * cell + 2
        frame = {"viewBox": f"0 0 {width:g} {n * cell + foot:g}"}
        frame["style"] = f"max-width:{LARGEST_SCALE * width:.0f}px"
        return tag("svg", marks, class_="matrix", role="img", aria_label=label, **frame)

    def _cell(self, row: int, column: int, margin: float, size: int, top: float) -> Markup:
        rate, right = float(self.rates[row, column]), row == column
        tint = 0.10 + 0.45 * rate if right else min(1.0, (rate / top) ** 0.7)
        place = {"x": f"{margin + column * size + 1:g}", "y": row * size + 1}
        said = (
            f"{self.classes[row]} answered {self.classes[column]}: "
            f"{count(self.counts[row, column])} ({percent(rate)})"
        )
        largest = self.largest is not None and self.largest[:2] == (row, column)
        css = ("right" if right else "wrong") + (" largest" if largest else "")
        box = tag(
            "rect",
            tag("title", said),
            width=size - 2,
            height=size - 2,
            rx=2,
            class_=css,
            style=f"fill-opacity:{tint:.2f}",
            **place,
        )
        if size < 30 or rate < 0.005:
            return box
        middle = {"x": f"{margin + (column + 0.5) * size:g}", "y": (row + 0.5) * size}
        css = "number on-strong" if not right and tint > 0.88 else "number"
        return Markup(box + tag("text", f"{100 * rate:.0f}", class_=css, **middle))
