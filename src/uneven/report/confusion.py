"""Section: confusion matrices and calibration, two methods side by side."""

from __future__ import annotations

from dataclasses import replace

from uneven.comparison.methodresult import MethodResult
from uneven.comparison.results import Comparison
from uneven.report.calibration import calibration
from uneven.report.charts import MANY, elide, named
from uneven.report.markup import Markup, count, decimal, percent, tag
from uneven.report.matrix import MOST_DRAWN, ConfusionPicture
from uneven.report.rowchoice import KeptRows

CONFUSION_NOTE = (
    "Rows are true classes, columns predicted classes, both from the largest class to the "
    "smallest; a cell is the percentage of its row over all held-out rows. Blue is correct, orange "
    "is wrong, on the same scale in every matrix; the outlined cell is the largest error. The "
    "norm is the operator norm of the orange part: 0 is perfect. It is computed from the summed "
    "counts and is mostly smaller than the mean over folds in the ranking, where a single error "
    "weighs more."
)
CALIBRATION_NOTE = (
    " Calibration: predictions are grouped by their probability; on the diagonal, predictions with "
    "80 % are correct in 80 % of the rows. Vertical lines are 95 % intervals."
)
HINT = "Click a cell, or press Enter on it, to see its rows. Arrow keys move between cells."
MOST_CELLS = 4000
"""Cells that are drawn in all matrices together; the best two are always drawn."""


def confusions(results: Comparison, kept: KeptRows | None = None) -> Markup | None:
    """The matrices of the best two methods, and a menu for the others.

    None when no method predicted anything.
    """
    answered = [method for method in results.ranked() if any(map(any, method.confusion))]
    if not answered:
        return None
    note = CONFUSION_NOTE + (CALIBRATION_NOTE if kept and kept.probable else "")
    explained = tag("details", tag("summary", "How to read this"), tag("p", note, class_="note"))
    hint = tag("p", HINT, class_="note") if kept else None
    if results.noise is None:
        return Markup(_matrices(results, answered, kept) + (hint or "") + explained)
    behind = (
        "Estimated from the noisy labels and the noise matrix: rows are (estimated) true classes. "
    )
    plain = [replace(method, corrected=[]) for method in answered]
    summary = tag("summary", "The same on the noisy labels")
    return Markup(
        _matrices(results, answered, None)
        + tag("p", behind, CONFUSION_NOTE, class_="note")
        + tag("details", summary, _matrices(results, plain, kept), hint, explained)
    )


def _matrices(results: Comparison, methods: list[MethodResult], kept: KeptRows | None) -> Markup:
    """One picture per method, on one scale; all but two are folded away."""
    order = results.data.by_size()
    names = [results.data.classes[c] for c in order]
    pictures: list[tuple[MethodResult, ConfusionPicture]] = []
    cells = 0
    for method in methods:
        counts = method.corrected or method.confusion
        ordered = [[counts[r][c] for c in order] for r in order]
        picture = ConfusionPicture(ordered, names)
        cells += picture.n_cells
        if len(pictures) < 2 or cells <= MOST_CELLS:
            pictures.append((method, picture))
    top = max(0.2, *(float(picture.errors.max()) for _, picture in pictures))
    lowest = min(picture.norm for _, picture in pictures) if len(pictures) > 1 else None
    figures = [
        _confusion_figure(m, picture, top, picture.norm == lowest, kept) for m, picture in pictures
    ]
    dense = " dense" if len(results.data.classes) > MANY else ""
    first = tag("div", figures[:2], class_=f"matrices{dense}")
    left = len(methods) - len(pictures)
    more = f"{count(left)} more methods are not drawn, to keep the page small." if left else None
    others = None
    if figures[2:] or more:
        others = tag(
            "details",
            tag("summary", "The other methods"),
            tag("div", figures[2:], class_=f"matrices{dense}"),
            tag("p", more, class_="note") if more else None,
            class_="others",
        )
    return tag("div", first, others, class_="pair")


def _confusion_figure(
    method: MethodResult,
    picture: ConfusionPicture,
    top: float,
    lowest: bool,
    kept: KeptRows | None,
) -> Markup:
    worst = "no errors"
    if picture.largest is not None:
        row, column, rate = picture.largest
        answer = " → ".join(elide(picture.classes[c], 24) for c in (row, column))
        worst = f"largest error {answer}, {percent(rate)}"
    if picture.n_cells == MOST_DRAWN:
        worst += f"; only the {count(MOST_DRAWN)} largest cells are drawn"
    label = f"Confusion matrix of {method.label}, norm {decimal(picture.norm)}, {worst}"
    norm = tag("span", "norm ", tag("b", decimal(picture.norm)), class_="norm")
    badge = tag("span", "lowest", class_="badge good") if lowest else None
    head = tag("span", tag("strong", named(method.label)), norm, badge, class_="figure-head")
    caption = tag("figcaption", head, tag("span", worst, class_="worst"))
    place = kept.methods.index(method.name) if kept and method.name in kept.methods else None
    return tag(
        "figure",
        caption,
        picture.svg(top, label),
        _calibration(method, kept),
        data_label=method.label,
        data_method_at=place,
    )


def _calibration(method: MethodResult, kept: KeptRows | None) -> Markup | None:
    if kept is None or method.name not in kept.probable:
        return None
    held = kept.held
    return calibration(held.scores[method.name], held.answers[method.name], held.truth)
