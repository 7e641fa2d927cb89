"""Section: which class is taken for which, by the best methods."""

from __future__ import annotations

from dataclasses import replace

from uneven.comparison.results import Comparison, MethodResult
from uneven.report.charts import (
    MANY,
    elide,
    named,
)
from uneven.report.markup import (
    Markup,
    decimal,
    percent,
    tag,
)
from uneven.report.matrix import ConfusionPicture

CONFUSION_NOTE = (
    "Rows are true classes, columns answers, both from the largest class to the smallest; a "
    "cell is the percentage of its row over all held-out rows. Blue is right, orange is "
    "wrong, on the same scale in every matrix; the outlined cell is the largest error. The "
    "norm is the operator norm of the orange part: 0 is perfect. It comes from the summed "
    "counts, so it differs a little from the mean over folds in the ranking."
)


def confusions(results: Comparison) -> Markup | None:
    """Small multiples of the matrices, best method first.

    None when no method answered anything.
    """
    answered = [method for method in results.ranked() if any(map(any, method.confusion))]
    if not answered:
        return None
    if results.noise is None:
        return Markup(_matrices(results, answered) + tag("p", CONFUSION_NOTE, class_="note"))
    behind = (
        "Estimated from the noisy labels and the noise matrix: rows are true classes, as far as "
        "one can know. "
    )
    plain = [replace(method, corrected=[]) for method in answered]
    summary = tag("summary", "The same against the labels as they are")
    return Markup(
        _matrices(results, answered)
        + tag("p", behind, CONFUSION_NOTE, class_="note")
        + tag("details", summary, _matrices(results, plain))
    )


def _matrices(results: Comparison, methods: list[MethodResult]) -> Markup:
    """One picture per method, on one scale."""
    order = results.data.by_size()
    names = [results.data.classes[c] for c in order]
    pictures = []
    for method in methods:
        counts = method.corrected or method.confusion
        ordered = [[counts[r][c] for c in order] for r in order]
        pictures.append((method, ConfusionPicture(ordered, names)))
    top = max(0.2, *(float(picture.errors.max()) for _, picture in pictures))
    lowest = min(picture.norm for _, picture in pictures) if len(pictures) > 1 else None
    figures = [
        _confusion_figure(m, picture, top, picture.norm == lowest) for m, picture in pictures
    ]
    dense = " dense" if len(results.data.classes) > MANY else ""
    return tag("div", figures, class_=f"matrices{dense}")


def _confusion_figure(
    method: MethodResult, picture: ConfusionPicture, top: float, lowest: bool
) -> Markup:
    worst = "no errors"
    if picture.largest is not None:
        row, column, rate = picture.largest
        answer = " → ".join(elide(picture.classes[c], 24) for c in (row, column))
        worst = f"largest error {answer}, {percent(rate)}"
    label = f"Confusion matrix of {method.label}, norm {decimal(picture.norm)}, {worst}"
    norm = tag("span", "norm ", tag("b", decimal(picture.norm)), class_="norm")
    badge = tag("span", "lowest", class_="badge good") if lowest else None
    head = tag("span", tag("strong", named(method.label)), norm, badge, class_="figure-head")
    caption = tag("figcaption", head, tag("span", worst, class_="worst"))
    return tag("figure", caption, picture.svg(top, label))
