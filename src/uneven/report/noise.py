"""Section: how the labels are wrong, if a noise matrix was given."""

from __future__ import annotations

import math
from collections.abc import Sequence

from uneven.comparison.results import Comparison
from uneven.comparison.summaries import NoiseSummary
from uneven.report.charts import MANY, elide, heat_cell, named
from uneven.report.markup import Markup, count, decimal, percent, tag, whole_percent

MANY_BESIDE = 8
"""Above this many classes the cells get smaller, so that the matrix fits beside its table."""

EASY, HARD = 3.0, 30.0
"""Condition numbers up to which undoing the noise costs little, and from which it costs a lot."""

FEW_ROWS = 50
"""A column that rests on fewer rows is a rough guess: shares of it are known to about 0.1."""


def noise(results: Comparison) -> Markup | None:
    """The matrix, remarks in words, and labels beside true classes.

    None when no noise matrix was given.
    """
    found = results.noise
    if found is None:
        return None
    order = results.data.by_size()
    names = [results.data.classes[c] for c in order]
    css = "pairs" if len(names) > MANY else "two pairs"
    remarks = [*_noise_remarks(found, results.data.classes), _listeners(results)]
    return Markup(
        tag("ul", [tag("li", remark) for remark in remarks], class_="remarks")
        + tag(
            "div",
            _noise_matrix(found, names, order),
            _noise_classes(found, names, order),
            class_=css,
        )
    )


def _noise_remarks(found: NoiseSummary, classes: Sequence[str]) -> list[str]:
    worst = max(range(len(classes)), key=lambda c: found.amplification[c])
    if found.condition <= EASY:
        verdict = "undoing the noise costs little, if the matrix is right"
    elif found.condition < HARD:
        verdict = "undoing the noise makes every estimate less certain"
    else:
        verdict = "the noise hides much: corrected numbers are very uncertain"
    fewest = min(found.rows, default=math.inf)
    if fewest < FEW_ROWS and found.condition < HARD:
        rarest = elide(classes[found.rows.index(fewest)], 24)
        verdict = f"but the matrix itself is a rough guess, from {count(fewest)} rows of {rarest}"
    return [
        f"{percent(found.wrong_share)} of the labels are wrong, says the noise matrix "
        f"({elide(found.name, 60)}). Measures on the labels as they are would blame right answers "
        "for wrong labels; corrected measures estimate what they would be against the true "
        "classes.",
        f"Condition number {decimal(found.condition, 1)}: {verdict}. Chance counts up to "
        f"{decimal(found.amplification[worst], 1)} times as much as with true labels (class "
        f"{elide(classes[worst], 24)}).",
    ]


def _listeners(results: Comparison) -> str:
    told = [elide(m.label, 40) for m in results.methods if m.knows_noise]
    if not told:
        return "No method was told about the noise: all of them believe the labels."
    others = "" if len(told) == len(results.methods) else " The others believe the labels."
    return f"Told about the noise: {', '.join(told)}.{others}"


def _noise_matrix(found: NoiseSummary, names: Sequence[str], order: Sequence[int]) -> Markup:
    heads = [tag("th", named(name), scope="col", class_="method") for name in names]
    small = "" if len(names) > MANY else "<1"
    rows = [
        tag(
            "tr",
            tag("th", named(name), scope="row"),
            [_noise_cell(found.matrix[i][j], i == j, small) for j in order],
        )
        for name, i in zip(names, order)
    ]
    head = tag("thead", tag("tr", tag("th", "label", scope="col"), heads))
    css = "heatmap many" if len(names) > MANY_BESIDE else "heatmap"
    caption = tag("caption", "Which label each class gets")
    table = tag("table", caption, head, tag("tbody", rows), class_=css)
    note = (
        "A column is a true class, a row a label: a cell is the percentage of the class that gets "
        "the label, so columns sum to 100. Blue labels are right, orange ones are wrong."
    )
    return tag("div", tag("div", table, class_="wide"), tag("p", note, class_="note"))


def _noise_cell(share: float, right: bool, small: str) -> Markup:
    shown = "" if share == 0.0 else small if share < 0.005 else whole_percent(share)
    tint = share if right else share**0.5
    return heat_cell(share, tint, shown=shown, wrong=not right and share > 0.0)


def _noise_classes(found: NoiseSummary, names: Sequence[str], order: Sequence[int]) -> Markup:
    rows = [
        tag(
            "tr",
            tag("th", named(name), scope="row"),
            [
                tag("td", shown, class_="number")
                for shown in (
                    percent(found.observed[c], 1),
                    percent(found.recovered[c], 1),
                    percent(found.matrix[c][c]),
                    f"{decimal(found.amplification[c], 1)} ×",
                )
            ],
        )
        for name, c in zip(names, order)
    ]
    words = ("labels", "true", "right", "chance")
    heads = [tag("th", word, scope="col", class_="number") for word in words]
    head = tag("thead", tag("tr", tag("th", "class", scope="col"), heads))
    caption = tag("caption", "Labels, and the classes behind them")
    table = tag("table", caption, head, tag("tbody", rows), class_="sizes")
    note = (
        "Share of the rows that are labelled so; share that truly are, recovered through the "
        "inverse of the matrix; how many of the class get the right label; and how much more "
        "chance counts in what is estimated for the class."
    )
    return tag("div", tag("div", table, class_="wide"), tag("p", note, class_="note"))
