"""The parts of the page about the methods: ranking, stack, recalls, confusions and training.

Each takes a `Comparison` and returns the content of its section, or None if it has nothing to say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from uneven.comparison.measures import Measure
from uneven.comparison.results import Comparison, MethodResult
from uneven.comparison.summaries import DataSummary, StackSummary, mean
from uneven.report.charts import (
    MANY,
    ConfusionPicture,
    elide,
    fold_strip,
    heat_cell,
    line_chart,
    named,
    path_chart,
)
from uneven.report.markup import (
    Markup,
    count,
    decimal,
    percent,
    plus_minus,
    seconds,
    tag,
    whole_percent,
)
from uneven.report.outcome import leaders

FEW_MEASURES = 5
"""Above this many measures the spreads stand below the means, so that all columns are seen."""


def ranking(results: Comparison) -> Markup:
    """Table of methods from best to worst, and what went wrong where something did."""
    low, high = _scale(results)
    measures = results.shown_measures
    best = {m.name: {leader.name for leader in leaders(results, m.name)} for m in measures}
    rows = [
        _row(results, method, measures, best, place, (low, high))
        for place, method in enumerate(results.ranked(), start=1)
    ]
    head = tag("thead", tag("tr", _headings(results, measures, low, high)))
    fits = results.folds * results.repeats
    note = (
        f"Mean ± standard deviation over {fits} {'fits' if fits != 1 else 'fit'} per method; "
        "bold is best. A dot is a fold, the upright bar the mean, the thick line one deviation "
        "to each side. Click a heading to sort."
    )
    css = "sortable ranking crowded" if len(measures) > FEW_MEASURES else "sortable ranking"
    return Markup(
        tag("div", tag("table", head, tag("tbody", rows), class_=css), class_="wide")
        + tag("p", note, class_="note")
        + _explained(measures)
        + _failures(results)
    )


def _scale(results: Comparison) -> tuple[float, float]:
    values = [v for m in results.methods for v in m.scores.get(results.metric, [])]
    finite = [v for v in values if math.isfinite(v)]
    return (min(finite), max(finite)) if finite else (0.0, 1.0)


def _headings(
    results: Comparison, measures: list[Measure], low: float, high: float
) -> list[Markup]:
    heads = [tag("th", "#", scope="col", class_="place"), tag("th", "method", scope="col")]
    for measure in measures:
        chosen = measure.name == results.metric
        arrow = "↑" if measure.greater_is_better else "↓"
        word = "higher is better" if measure.greater_is_better else "lower is better"
        label = tag("span", arrow, title=word, class_="arrow")
        css = "number chosen" if chosen else "number"
        heads.append(
            tag(
                "th",
                measure.label,
                "\N{NO-BREAK SPACE}",
                label,
                scope="col",
                class_=css,
                title=measure.description or None,
            )
        )
        if chosen:
            ends = [tag("span", decimal(low, 2)), "folds", tag("span", decimal(high, 2))]
            heads.append(tag("th", tag("span", ends, class_="ends"), scope="col", class_="fixed"))
    heads += [tag("th", word, scope="col", class_="number") for word in ("fit", "predict")]
    return heads


def _row(
    results: Comparison,
    method: MethodResult,
    measures: list[Measure],
    best: dict[str, set[str]],
    place: int,
    scale: tuple[float, float],
) -> Markup:
    cells = [tag("td", place, data_value=place, class_="place"), _name(method)]
    for measure in measures:
        values = method.scores.get(measure.name, [])
        shown = plus_minus(method.mean(measure.name), method.spread(measure.name))
        lead, _, rest = shown.partition(" ± ")
        chosen = measure.name == results.metric
        number = tag("b", lead) if method.name in best[measure.name] else lead
        tail = tag("span", f" ± {rest}", class_="spread") if rest else None
        css = "number chosen" if chosen else "number"
        cells.append(tag("td", number, tail, class_=css, data_value=_key(mean(values))))
        if chosen:
            said = f"{measure.label} of {method.label} by fold: " + ", ".join(map(decimal, values))
            cells.append(tag("td", fold_strip(values, *scale, said), class_="folds"))
    for times in (method.fit_seconds, method.predict_seconds):
        taken = mean(times)
        cells.append(tag("td", seconds(taken), class_="number", data_value=_key(taken)))
    return tag("tr", cells, class_=method.kind, data_method=method.name)


def _name(method: MethodResult) -> Markup:
    badge = tag("span", "baseline", class_="badge") if method.kind == "baseline" else None
    failed = len(method.errors)
    alarm = tag("span", f"{failed} failed", class_="badge alarm") if failed else None
    told = tag("span", "knows the noise", class_="badge good") if method.knows_noise else None
    parts = (named(method.label), " ", badge, alarm, told)
    return tag("th", *parts, scope="row", data_value=method.label)


def _key(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.9g}"


def _explained(measures: list[Measure]) -> Markup:
    items = [(tag("dt", m.label), tag("dd", m.description)) for m in measures if m.description]
    if not items:
        return Markup("")
    body = tag("dl", items, class_="terms")
    return tag("details", tag("summary", "What the measures mean"), body)


def _failures(results: Comparison) -> Markup:
    items = [
        tag("li", tag("b", m.label), f", fold {e.fold + 1}: ", tag("code", e.message))
        for m in results.methods
        for e in m.errors
    ]
    if not items:
        return Markup("")
    title = tag("b", "Some fits failed.")
    note = " A method with failed fits is ranked behind all others, since its mean skips folds."
    return tag("div", tag("p", title, note), tag("ul", items), class_="aside alarm", role="note")


STACK_NOTE = (
    "What the score of a method counts for each class when the answers are joined; the class with "
    "the largest sum wins. Blue speaks for the class, orange against it; a method without weights "
    "is never asked. From the stack that was fitted on all rows."
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
    """What is saved by not asking dropped methods, in words.

    Empty where a stack takes as long as all of its methods, or nothing was measured: it also
    pays for handing the table to each and for joining the answers.
    """
    own, everybody = stack_cost(results)
    if not own < everybody:
        return ""
    return f"a fold is predicted in {seconds(own)}; asking every method takes {seconds(everybody)}"


def _members(results: Comparison, found: StackSummary) -> list[MethodResult]:
    known = {method.name: method for method in results.methods}
    return [known[name] for name in found.members]


def _stack_remarks(
    results: Comparison, found: StackSummary, members: Sequence[MethodResult]
) -> list[str]:
    kept = [m.label for m, stays in zip(members, found.kept) if stays]
    dropped = [m.label for m, stays in zip(members, found.kept) if not stays]
    told = f"Kept: {', '.join(kept) or 'nobody'}."
    told += f" Dropped: {', '.join(dropped)}." if dropped else " Nobody is dropped."
    remarks = [told]
    if found.chosen is not None:
        error = found.error_mean[found.chosen]
        remarks.append(
            f"The strength of the penalty, {found.strength:g}, was chosen by cross-validation over "
            f"what the methods say about rows they have not seen; {percent(error, 1)} of these "
            f"were answered wrongly{', on average over the classes' if found.balanced else ''}."
        )
    if found.balanced:
        remarks.append("All classes count alike when weights are learnt, however rare they are.")
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


def is_rare(size: int, rows: int, n_classes: int) -> bool:
    """Whether a class has less than half of an equal share of the rows.

    Examples
    --------
    >>> is_rare(10, 100, 4), is_rare(13, 100, 4)
    (True, False)
    """
    return 2 * n_classes * size < rows


def recalls(results: Comparison) -> Markup:
    """Heat table: a row per class, a column per method."""
    data, methods = results.data, results.ranked()
    table = {m.name: m.recalls() for m in methods}
    total, largest = sum(data.class_counts), max(data.class_counts, default=1) or 1
    rows = []
    for c in data.by_size():
        size = data.class_counts[c]
        line = [table[m.name][c] for m in methods]
        top = max((v for v in line if math.isfinite(v)), default=math.nan)
        rare = is_rare(size, total, len(data.classes))
        badge = tag("span", "rare", class_="badge") if rare else None
        bar = tag("span", class_="bar", style=f"--v:{size / largest:.3f}", aria_hidden="true")
        rows.append(
            tag(
                "tr",
                tag("th", named(data.classes[c]), " ", badge, scope="row"),
                tag("td", tag("span", count(size), bar, class_="sized"), data_value=size),
                [
                    heat_cell(v, v * v, shown=whole_percent(v), best=v == top and len(line) > 1)
                    for v in line
                ],
            )
        )
    plain = [tag("th", word, scope="col") for word in ("class", "rows")]
    heads = plain + [tag("th", named(m.label), scope="col", class_="method") for m in methods]
    note = (
        "Percent of the held-out rows of a class that were recognised; bold is best. A class is "
        "called rare when it has less than half of an equal share of the rows."
    )
    if results.noise is not None:
        note += (
            " Recalls are corrected for the noise in the labels, over all folds together, and "
            "moved into the range from 0 to 100; the numbers of rows are not corrected. The "
            "corrected balanced accuracy in the ranking is not moved, so that it is right on "
            "average: the mean of a column may differ from it."
        )
    css = "sortable heatmap many" if len(methods) > MANY else "sortable heatmap"
    inner = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_=css)
    return Markup(tag("div", inner, class_="wide") + tag("p", note, class_="note"))


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
        ("edge", "Edge", "how much better than guessing each voter is"),
        ("log_loss", "Training loss", "log of the exponential loss"),
        ("held_out", f"Held out: {measure.label}", arrow),
    ]
    figures = [_round_panel(methods, *panel) for panel in panels]
    legend = [
        tag("li", tag("span", class_=f"key s{i % SERIES}", aria_hidden="true"), m.label)
        for i, m in enumerate(methods)
    ]
    note = "By round, in one fold. Edges are averaged over neighbouring rounds."
    return Markup(
        tag("ul", legend, class_="legend")
        + tag("div", figures, class_="charts")
        + tag("p", note, class_="note")
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
