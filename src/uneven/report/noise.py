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
    """The matrix, remarks in words, and labels next to true classes.

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
        verdict = "correcting for the noise costs little, if the matrix is right"
    elif found.condition < HARD:
        verdict = "correcting for the noise makes every estimate less certain"
    else:
        verdict = "the noise is strong: corrected metrics are very uncertain"
    fewest = min(found.rows, default=math.inf)
    if fewest < FEW_ROWS and found.condition < HARD:
        rarest = elide(classes[found.rows.index(fewest)], 24)
        verdict = f"but the matrix itself is a rough guess, from {count(fewest)} rows of {rarest}"
    return [
        f"{percent(found.wrong_share)} of the labels are wrong according to the noise matrix "
        f"({elide(found.name, 60)}). On noisy labels, correct predictions count as errors; "
        "corrected metrics estimate the value on the true classes.",
        f"Condition number {decimal(found.condition, 1)}: {verdict}. Standard errors are up to "
        f"{decimal(found.amplification[worst], 1)} times as large as with true labels (class "
        f"{elide(classes[worst], 24)}).",
    ]


def _listeners(results: Comparison) -> str:
    told = [elide(m.label, 40) for m in results.methods if m.knows_noise]
    if not told:
        return "No method uses the noise matrix: all of them treat the labels as correct."
    others = "" if len(told) == len(results.methods) else " The others treat the labels as correct."
    return f"Methods that use the noise matrix: {', '.join(told)}.{others}"


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
    caption = tag("caption", "Labels of each class")
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
    caption = tag("caption", "Labels and true classes")
    table = tag("table", caption, head, tag("tbody", rows), class_="sizes")
    note = (
        "Share of the rows with the label; estimated share of the true class, by the inverse of "
        "the matrix; share of the class with the correct label; and the factor by which the "
        "standard error of estimates for the class grows."
    )
    return tag("div", tag("div", table, class_="wide"), tag("p", note, class_="note"))
