"""Section: how methods that work in rounds were built."""

from __future__ import annotations

from uneven.comparison.methodresult import MethodResult
from uneven.comparison.results import Comparison
from uneven.report.charts import (
    line_chart,
)
from uneven.report.markup import (
    Markup,
    tag,
)

SERIES = 6
EDGE_POINTS = 40


def rounds(results: Comparison) -> Markup | None:
    """Edge, training loss and held-out score by round.

    None when no method has curves.
    """
    methods = [m for m in results.ranked() if any(m.curves.values())]
    if not methods:
        return None
    measure = results.chosen
    arrow = "higher is better" if measure.greater_is_better else "lower is better"
    panels = [
        ("edge", "Edge", "how much better than random guessing each weak classifier is"),
        ("log_loss", "Training loss", "log of the exponential loss"),
        ("held_out", f"Held out: {measure.label}", arrow),
    ]
    figures = [_round_panel(methods, *panel) for panel in panels]
    legend = [
        tag("li", tag("span", class_=f"key s{i % SERIES}", aria_hidden="true"), m.label)
        for i, m in enumerate(methods)
    ]
    note = "By round, in one fold. Edges are averaged over neighbouring rounds."
    shown = "Edge, training loss and held-out score by round"
    return tag(
        "details",
        tag("summary", shown),
        tag("ul", legend, class_="legend"),
        tag("div", figures, class_="charts"),
        tag("p", note, class_="note"),
    )


def _round_panel(methods: list[MethodResult], key: str, title: str, meaning: str) -> Markup | None:
    lines = [
        (m.label, m.curves[key], f"s{i % SERIES}" + (" dashed" if i >= SERIES else ""))
        for i, m in enumerate(methods)
        if m.curves.get(key)
    ]
    if not lines:
        return None
    said = f"{title} by round for " + ", ".join(label for label, _, _ in lines)
    chart = line_chart(lines, title=said, points=EDGE_POINTS if key == "edge" else 160)
    head = tag("figcaption", tag("strong", title), tag("span", meaning, class_="worst"))
    return tag("figure", head, chart)
