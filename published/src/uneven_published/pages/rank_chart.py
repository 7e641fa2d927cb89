"""Average ranks as inline SVG: a lane per column, and lines that join those which do not differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uneven.metrics import groups_alike
from uneven.report.heat import elide
from uneven.report.markup import Markup, tag
from uneven_published.pages.facts import Record
from uneven_published.pages.ranks import drawn_ranks
from uneven_published.pages.scale import Scale

__all__ = ["rank_figures"]

LANE, WIDTH, RIGHT, CHARACTER, LONGEST, GAP = 20.0, 420.0, 330.0, 5.8, 32, 9.0
WORDS = "Lines on the right join columns whose average ranks are less than the critical difference"


def rank_figures(record: Record) -> Markup | None:
    """A chart for every measure that asks for one; None if none does."""
    drawn = drawn_ranks(record)
    if not drawn:
        return None
    titles = {measure["key"]: measure["title"] for measure in record["measures"]}
    made = [_chart(ranks, titles[ranks["measure"]]) for ranks in drawn]
    return Markup(
        tag("div", made, class_="charts dots") + tag("p", f"{WORDS} apart.", class_="note")
    )


def _chart(ranks: Mapping[str, Any], title: str) -> Markup:
    order = sorted(range(len(ranks["ranks"])), key=lambda j: (ranks["ranks"][j], j))
    names = [elide(ranks["columns"][j], LONGEST) for j in order]
    left = 12 + CHARACTER * max(map(len, names))
    scale = Scale(1.0, float(len(order)), left, RIGHT)
    height = LANE * len(order) + 6
    marks = []
    for tick, word in scale.ticks(9, whole=True):
        x = f"{scale.at(tick):.1f}"
        marks.append(tag("line", x1=x, x2=x, y1=2, y2=height, class_="gridline"))
        marks.append(tag("text", word, x=x, y=height + 12, class_="tick-x"))
    for lane, (j, name) in enumerate(zip(order, names)):
        rank, y = ranks["ranks"][j], _middle(lane)
        told = tag("title", f"{ranks['columns'][j]}: {rank:.2f}")
        marks.append(tag("text", name, x=left - 8, y=y, class_="row-name"))
        marks.append(
            tag("circle", told, cx=f"{scale.at(rank):.1f}", cy=y, r=3.6, class_="dot near")
        )
    picture = tag(
        "svg",
        marks,
        _joins(ranks, order),
        class_="chart",
        viewBox=f"0 0 {WIDTH:g} {height + 24:g}",
        role="img",
        aria_label=f"Average ranks by {title}",
    )
    head = f"Average ranks by {title}; critical difference {ranks['difference']:.2f}"
    return tag("figure", tag("figcaption", tag("b", head), class_="figure-head"), picture)


def _joins(ranks: Mapping[str, Any], order: list[int]) -> list[Markup]:
    """A vertical line for every group that the test cannot tell apart."""
    lanes = {j: lane for lane, j in enumerate(order)}
    made = []
    for k, group in enumerate(groups_alike(ranks["ranks"], ranks["difference"])):
        x = RIGHT + GAP * (k + 1.5)
        first, last = (_middle(pick(lanes[j] for j in group)) for pick in (min, max))
        made.append(tag("line", x1=x, x2=x, y1=first - 5, y2=last + 5, class_="line s0 d0"))
    return made


def _middle(lane: int) -> float:
    return 4 + LANE * (lane + 0.5)
