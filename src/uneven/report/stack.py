"""Section: which methods a stack keeps, and how long their predictions take."""

from __future__ import annotations

import math
from collections.abc import Sequence

from uneven.comparison.methodresult import MethodResult
from uneven.comparison.results import Comparison
from uneven.comparison.summaries import DataSummary, StackSummary, mean
from uneven.report.charts import (
    MANY,
    heat_cell,
    named,
)
from uneven.report.markup import (
    Markup,
    decimal,
    percent,
    seconds,
    tag,
)
from uneven.report.penalty_path import path_chart

STACK_NOTE = (
    "Weight of the scores of each method for each class; the class with the largest weighted sum "
    "is predicted. Blue is for the class, orange against it; a method without weights is not "
    "needed for prediction. From the stack that was trained on all rows."
)


def stack(results: Comparison) -> Markup | None:
    """Remarks in words, weights per class, and the error against the strength of the penalty.

    None when nothing was stacked.
    """
    found = results.stack
    if found is None:
        return None
    members = _members(results, found)
    remarks = [tag("li", remark) for remark in _stack_remarks(results, found, members)]
    return Markup(
        tag("ul", remarks, class_="remarks")
        + _weights(found, members, results.data)
        + tag("p", STACK_NOTE, class_="note")
        + _penalty_path(found)
    )


def stack_cost(results: Comparison) -> tuple[float, float]:
    """Seconds that a fold of rows takes the stack, and all of its methods together.

    Means over the folds; NaN where nothing was measured.
    """
    if results.stack is None:
        raise ValueError("the results hold no stack.")
    own = next(m for m in results.methods if m.name == results.stack.name)
    members = _members(results, results.stack)
    return mean(own.predict_seconds), math.fsum(mean(m.predict_seconds) for m in members)


def told_cost(results: Comparison) -> str:
    """Time saved by leaving out dropped methods, in words.

    Empty where a stack takes as long as all of its methods, or nothing was measured: it also
    outweighs handing the table to each and joining the predictions.
    """
    own, everybody = stack_cost(results)
    if not own < everybody:
        return ""
    return f"predicting a fold takes {seconds(own)}; with every method {seconds(everybody)}"


def _members(results: Comparison, found: StackSummary) -> list[MethodResult]:
    known = {method.name: method for method in results.methods}
    return [known[name] for name in found.members]


def _stack_remarks(
    results: Comparison, found: StackSummary, members: Sequence[MethodResult]
) -> list[str]:
    kept = [m.label for m, stays in zip(members, found.kept) if stays]
    dropped = [m.label for m, stays in zip(members, found.kept) if not stays]
    told = f"Kept: {', '.join(kept) or 'none'}."
    told += f" Dropped: {', '.join(dropped)}." if dropped else " None is dropped."
    remarks = [told]
    if found.chosen is not None:
        error = found.error_mean[found.chosen]
        remarks.append(
            f"The strength of the penalty, {found.strength:g}, was chosen by cross-validation on "
            f"out-of-fold scores; the error is {percent(error, 1)}"
            f"{', on average over the classes' if found.balanced else ''}."
        )
    if found.balanced:
        remarks.append("All classes have the same weight in training, however rare they are.")
    cost = told_cost(results)
    if cost:
        remarks.append(f"{cost[0].upper()}{cost[1:]}.")
    return remarks


def _weights(found: StackSummary, members: Sequence[MethodResult], data: DataSummary) -> Markup:
    order = data.by_size()
    classes = [data.classes[c] for c in order]
    top = max((abs(v) for row in found.weights for v in row), default=1.0) or 1.0
    counted, digits = bool(found.kept_folds), 1 if len(classes) > MANY else 2
    heads = [tag("th", named(name), scope="col", class_="method") for name in classes]
    kept_in = tag("th", "kept in", scope="col", class_="number") if counted else None
    rows = []
    for m, (method, weights) in enumerate(zip(members, found.weights)):
        folds = f"{found.kept_folds[m]} of {found.fits}" if counted else ""
        rows.append(
            tag(
                "tr",
                tag("th", named(method.label), scope="row"),
                tag("td", folds, class_="number") if counted else None,
                [_weight(weights[c], top, digits) for c in order],
            )
        )
    head = tag("thead", tag("tr", tag("th", "method", scope="col"), kept_in, heads))
    css = "heatmap many" if len(classes) > MANY else "heatmap"
    caption = tag("caption", "What each method counts for each class")
    table = tag("table", caption, head, tag("tbody", rows), class_=css)
    return tag("div", table, class_="wide")


def _weight(value: float, top: float, digits: int) -> Markup:
    shown = "" if value == 0.0 else decimal(value, digits)
    return heat_cell(value, abs(value) / top, shown=shown, wrong=value < 0.0)


def _penalty_path(found: StackSummary) -> Markup:
    chart = path_chart(
        found.strengths,
        found.error_mean,
        found.error_std,
        found.n_selected,
        chosen=found.chosen,
        n_members=len(found.members),
        title="Error and number of kept methods against the strength of the penalty",
    )
    if not chart:
        return chart
    meaning = "upper: error in percent, with its spread; lower: methods kept"
    head = tag(
        "figcaption",
        tag("strong", "Strength of the penalty"),
        tag("span", meaning, class_="worst"),
    )
    return tag("div", tag("figure", head, chart), class_="charts path")
