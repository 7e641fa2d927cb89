"""Section: methods from best to worst, and what went wrong."""

from __future__ import annotations

import math

from uneven.comparison.measures import Measure
from uneven.comparison.methodresult import MethodResult
from uneven.comparison.results import Comparison
from uneven.comparison.summaries import mean
from uneven.report.charts import (
    fold_strip,
    named,
)
from uneven.report.markup import (
    Markup,
    averaged,
    decimal,
    plus_minus,
    seconds,
    tag,
)
from uneven.report.outcome import leaders

FEW_MEASURES = 5
"""Above this many measures only the chosen one shows its spread, so that all columns are seen."""


def ranking(results: Comparison) -> Markup:
    """Table of methods from best to worst, and what went wrong where something did."""
    low, high = _scale(results)
    measures = results.shown_measures
    best = {m.name: {leader.name for leader in leaders(results, m.name)} for m in measures}
    rows, place = [], 0
    for method in results.ranked(dummies=True):
        place += method.kind != "dummy"
        rows.append(_row(results, method, measures, best, place, (low, high)))
    head = tag("thead", tag("tr", _headings(results, measures, low, high)))
    figures = averaged(results.folds * results.repeats)
    note = (
        f"{figures.capitalize()} per method; "
        "bold is best. A dot is a fold, the upright bar the mean, the thick line one deviation "
        "to each side. Click a heading to sort."
    )
    if len(measures) > FEW_MEASURES:
        note += " Point at a figure to see its deviation."
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
    guess = method.kind == "dummy"
    shown_place = (None, place + 0.5) if guess else (place, place)
    at = tag("td", shown_place[0], data_value=shown_place[1], class_="place")
    cells = [at, _name(method)]
    for measure in measures:
        values = method.scores.get(measure.name, [])
        shown = plus_minus(method.mean(measure.name), method.spread(measure.name))
        lead, _, rest = shown.partition(" ± ")
        chosen = measure.name == results.metric
        number = tag("b", lead) if method.name in best[measure.name] else lead
        tail = tag("span", f" ± {rest}", class_="spread") if rest else None
        css = "number chosen" if chosen else "number"
        cells.append(
            tag("td", number, tail, class_=css, data_value=_key(mean(values)), title=shown)
        )
        if chosen:
            said = f"{measure.label} of {method.label} by fold: " + ", ".join(map(decimal, values))
            strip = None if guess else fold_strip(values, *scale, said)
            cells.append(tag("td", strip, class_="folds"))
    for times in (method.fit_seconds, method.predict_seconds):
        taken = mean(times)
        cells.append(tag("td", seconds(taken), class_="number", data_value=_key(taken)))
    return tag("tr", cells, class_=method.kind, data_method=method.name)


def _name(method: MethodResult) -> Markup:
    kinds = {"baseline": "baseline", "dummy": "guess"}
    badge = tag("span", kinds[method.kind], class_="badge") if method.kind in kinds else None
    failed = len(method.errors)
    alarm = tag("span", f"{failed} failed", class_="badge alarm") if failed else None
    told = tag("span", "uses the noise matrix", class_="badge good") if method.knows_noise else None
    parts = (named(method.label), " ", badge, alarm, told)
    return tag("th", *parts, scope="row", data_value=method.label)


def _key(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.9g}"


def _explained(measures: list[Measure]) -> Markup:
    items = [(tag("dt", m.label), tag("dd", m.description)) for m in measures if m.description]
    if not items:
        return Markup("")
    body = tag("dl", items, class_="terms")
    return tag("details", tag("summary", "Definitions of the metrics"), body)


def _failures(results: Comparison) -> Markup:
    items = [
        tag("li", tag("b", m.label), f", fold {e.fold + 1}: ", tag("code", e.message))
        for m in results.methods
        for e in m.errors
    ]
    if not items:
        return Markup("")
    title = tag("b", "Some fits failed.")
    note = " A method with failed fits is ranked below all others, since its mean skips folds."
    return tag("div", tag("p", title, note), tag("ul", items), class_="aside alarm", role="note")
