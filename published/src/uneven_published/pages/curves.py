"""Published figures redrawn as inline SVG: ours as lines with a band, the print as rings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from uneven.report.markup import Markup, tag
from uneven_published.pages.facts import Record
from uneven_published.pages.panels import Curve, Line, plot_panels
from uneven_published.pages.scale import Scale, inside, sample

__all__ = ["plot_figure"]

LEFT, RIGHT, TOP, BOTTOM, WIDTH, HEIGHT = 44.0, 350.0, 20.0, 190.0, 360.0, 230.0
COLOURS, UNITS = 6, 6
"""An axis is at least so many units of the last digit of its measure long."""
MANY_POINTS = 30
"""Printed curves with more points are thin broken lines, without rings."""


def plot_figure(record: Record, plot: Mapping[str, Any]) -> Markup | None:
    """All panels of a plot under one legend.

    Parameters
    ----------
    record : mapping
    plot : mapping
        One of ``record["plots"]``.

    Returns
    -------
    Markup or None
        None if there is nothing to draw.
    """
    panels = plot_panels(record, plot)
    if not panels:
        return None
    names = list(dict.fromkeys(column for lines in panels.values() for column in lines))
    looks = {name: f"s{j % COLOURS} d{j // COLOURS % 3}" for j, name in enumerate(names)}
    digits = [m["digits"] for m in record["measures"] if m["key"] == plot["measure"]]
    least = UNITS * 10.0 ** -digits[0] if digits else 0.0
    made = [_panel(title, lines, plot, looks, least) for title, lines in panels.items()]
    heading = tag("h3", plot["title"]) if plot["title"] else None
    legend = _legend(looks, panels, plot["kind"] == "bar")
    look = "plot lone" if len(made) == 1 else "plot"
    return tag("div", heading, legend, tag("div", made, class_="charts"), class_=look)


def _legend(
    looks: Mapping[str, str], panels: Mapping[str, Mapping[str, Line]], bars: bool
) -> Markup:
    keys = [
        tag("li", sample(tag("line", x1=1, x2=25, y1=6, y2=6, class_=f"line {look}")), name)
        for name, look in looks.items()
    ]
    lines = [line for some in panels.values() for line in some.values()]
    printed = [sum(map(math.isfinite, line["printed"])) for line in lines if line["printed"]]
    if any(n <= MANY_POINTS for n in printed) or (bars and printed):
        ring = tag("circle", cx=13, cy=6, r=3.6, class_="point")
        keys.append(tag("li", sample(ring), "in print"))
    if any(n > MANY_POINTS for n in printed) and not bars:
        thin = tag("line", x1=1, x2=25, y1=6, y2=6, class_="line thin grey")
        keys.append(tag("li", sample(thin), "in print"))
    if any(line["deviation"] for line in lines) and not bars:
        band = tag("rect", x=1, y=1, width=24, height=10, class_="shade")
        keys.append(tag("li", sample(band), "one deviation"))
    return tag("ul", keys, class_="legend")


def _panel(
    title: str,
    lines: Mapping[str, Line],
    plot: Mapping[str, Any],
    looks: Mapping[str, str],
    least: float,
) -> Markup:
    bars = plot["kind"] == "bar"
    x = Scale.over(_reach_x(plot), LEFT, RIGHT, log=plot["x_log"], room=0.0 if bars else 0.02)
    y = Scale.over(_reach_y(lines, bars), BOTTOM, TOP, log=plot["y_log"], least=least)
    if x is None or y is None:
        return Markup("")
    drawn = []
    for j, (name, line) in enumerate(lines.items()):
        shift = (j - (len(lines) - 1) / 2) / (len(lines) + 1) if bars else 0.0
        places = [place + shift * _step(plot["x"]) for place in plot["x"]]
        width = 0.9 * _step(plot["x"]) / (len(lines) + 1) if bars else 0.0
        kind = "step" if name in plot.get("steps", ()) else plot["kind"]
        pen = _Pen(x, y, places, looks[name], name, kind, width)
        drawn.append(pen.line(line))
    frame = {"x": LEFT - 4, "y": TOP - 6, "width": RIGHT - LEFT + 8, "height": BOTTOM - TOP + 10}
    box = " ".join(f"{side:g}" for side in frame.values())
    inside = tag("svg", drawn, viewBox=box, **frame)
    picture = tag(
        "svg",
        _axes(x, y, plot),
        inside,
        class_="chart",
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        role="img",
        aria_label=f"{plot['y_title']} against {plot['x_title']}, {title}",
    )
    return tag("figure", tag("figcaption", tag("b", title), class_="figure-head"), picture)


class _Pen:
    """Draws one line of a panel."""

    def __init__(
        self,
        x: Scale,
        y: Scale,
        places: Sequence[float],
        look: str,
        name: str,
        kind: str,
        width: float,
    ) -> None:
        self.x, self.y, self.places, self.look = x, y, places, look
        self.name, self.kind, self.width = name, kind, width

    def line(self, line: Line) -> list[Markup]:
        """Everything about a column."""
        own, spread = line["mean"], line["deviation"]
        marks = []
        if own and self.kind == "bar":
            marks += self._bars(own)
        elif own:
            marks += [self._band(own, spread)] if spread else []
            title = tag("title", self.name)
            path = self._path(own)
            marks.append(tag("polyline", title, points=path, class_=f"line {self.look}"))
        if line["printed"]:
            marks += self._printed(line["printed"], line["printed_deviation"])
        return marks

    def _known(self, curve: Curve) -> list[tuple[float, float]]:
        return [(a, b) for a, b in zip(self.places, curve) if math.isfinite(b)]

    def _at(self, a: float, b: float) -> str:
        return f"{self.x.at(a):.1f},{self.y.at(b):.1f}"

    def _path(self, curve: Curve) -> str:
        known = self._known(curve)
        corners = []
        for j, (a, b) in enumerate(known):
            if self.kind == "step" and j:
                corners.append(self._at(a, known[j - 1][1]))
            corners.append(self._at(a, b))
        return " ".join(corners)

    def _band(self, own: Curve, spread: Curve) -> Markup:
        edges = []
        for sign in (1, -1):
            edge = [m + sign * (s if math.isfinite(s) else 0.0) for m, s in zip(own, spread)]
            corners = self._path(edge).split(" ")
            edges += corners if sign > 0 else corners[::-1]
        return tag("polygon", points=" ".join(edges), class_=f"shade {self.look}")

    def _bars(self, own: Curve) -> list[Markup]:
        half, floor = self.width / 2, self.y.at(max(0.0, self.y.low))
        marks = []
        for a, b in self._known(own):
            left, right, top = self.x.at(a - half), self.x.at(a + half), self.y.at(b)
            size = {"width": f"{max(right - left, 0.5):.1f}", "height": f"{abs(floor - top):.1f}"}
            spot = {"x": f"{left:.1f}", "y": f"{min(top, floor):.1f}"}
            title = tag("title", f"{self.name}: {b:.4g}")
            marks.append(tag("rect", title, class_=f"column {self.look}", **spot, **size))
        return marks

    def _whisker(self, a: float, b: float, half: float, look: str) -> list[Markup]:
        if not math.isfinite(half):
            return []
        x = f"{self.x.at(a):.1f}"
        ends = {"y1": f"{self.y.at(b - half):.1f}", "y2": f"{self.y.at(b + half):.1f}"}
        return [tag("line", x1=x, x2=x, class_=look, **ends)]

    def _printed(self, printed: Curve, spread: Curve | None) -> list[Markup]:
        known = self._known(printed)
        if len(known) > MANY_POINTS and self.kind != "bar":
            path = self._path(printed)
            return [tag("polyline", points=path, class_=f"line thin {self.look}")]
        marks = []
        reach = dict(zip(self.places, spread)) if spread else {}
        for a, b in known:
            marks += self._whisker(a, b, reach.get(a, math.nan), f"reach {self.look}")
            told = tag("title", f"{self.name} in print: {b:g} at {a:g}")
            spot = {"cx": f"{self.x.at(a):.1f}", "cy": f"{self.y.at(b):.1f}"}
            marks.append(tag("circle", told, r=3.4, class_=f"point {self.look}", **spot))
        return marks


def _axes(x: Scale, y: Scale, plot: Mapping[str, Any]) -> list[Markup]:
    marks = []
    for tick, word in y.ticks(5):
        at = f"{y.at(tick):.1f}"
        marks.append(tag("line", x1=LEFT, x2=RIGHT, y1=at, y2=at, class_="gridline"))
        marks.append(tag("text", word, x=LEFT - 7, y=at, class_="tick-y"))
    whole = all(place == round(place) for place in plot["x"])
    for tick, word in x.ticks(5, whole=whole):
        middle = inside(x.at(tick), word, WIDTH)
        marks.append(tag("text", word, x=f"{middle:.1f}", y=BOTTOM + 14, class_="tick-x"))
    marks.append(tag("text", plot["y_title"], x=4, y=7, class_="axis"))
    marks.append(tag("text", plot["x_title"], x=RIGHT, y=BOTTOM + 29, class_="axis end"))
    return marks


def _reach_x(plot: Mapping[str, Any]) -> list[float]:
    edge = _step(plot["x"]) / 2 if plot["kind"] == "bar" else 0.0
    return [place + side * edge for place in plot["x"] for side in (-1, 1)]


def _reach_y(lines: Mapping[str, Line], bars: bool) -> list[float]:
    """Means and printed points with their bars; bands may leave the picture."""
    found = [0.0] if bars else []
    for line in lines.values():
        found += line["mean"] or []
        printed = line["printed"] or []
        reach = line["printed_deviation"] or [0.0] * len(printed)
        for value, half in zip(printed, reach):
            wide = half if math.isfinite(half) else 0.0
            found += [value - wide, value + wide]
    return found


def _step(x: Sequence[float]) -> float:
    return min((b - a for a, b in pairwise(x)), default=1.0)
