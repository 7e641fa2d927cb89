"""A comparison as a notebook shows it: the verdict and a short ranking, in colours of any theme."""

from __future__ import annotations

from uneven.comparison.outcome import leaders, verdict
from uneven.comparison.results import Comparison, MethodResult
from uneven.comparison.summaries import mean
from uneven.report.markup import Markup, tag
from uneven.utils.numbers import decimal, plus_minus, seconds

__all__ = ["render_summary"]

MOST_WARNINGS = 5
CELL = "padding:.25em .7em;text-align:right;border:0;white-space:nowrap;"
LEFT = CELL.replace("right", "left")
RULE = "border-bottom:1px solid currentColor;"
QUIET = "opacity:.75;font-size:.92em;"


def render_summary(found: Comparison) -> str:
    """A fragment of HTML that brings its own style.

    Parameters
    ----------
    found : Comparison
        With at least one method.

    Returns
    -------
    str
    """
    outcome, data = verdict(found), found.data
    facts = (
        f"{data.name}: {data.rows} rows, {data.columns} columns, {len(data.classes)} classes; "
        f"mean ± standard deviation over {found.folds * found.repeats} fits, bold is best of a "
        "column."
    )
    notes = [*found.warnings[:MOST_WARNINGS]]
    more = len(found.warnings) - len(notes)
    notes += [f"and {more} more: see .warnings"] if more > 0 else []
    return tag(
        "div",
        tag("p", tag("strong", outcome.headline), " ", outcome.detail, style="max-width:60em"),
        tag("div", _table(found), style="overflow-x:auto"),
        tag("p", facts, style=QUIET),
        tag("ul", [tag("li", note) for note in notes], style=QUIET) if notes else None,
        class_="uneven-comparison",
    )


def _table(found: Comparison) -> Markup:
    measures = found.shown_measures
    best = {m.name: {leader.name for leader in leaders(found, m.name)} for m in measures}
    heads = [tag("th", "method", style=LEFT + RULE)]
    heads += [
        tag("th", f"{m.label} {'↑' if m.greater_is_better else '↓'}", style=CELL + RULE)
        for m in measures
    ]
    heads.append(tag("th", "fit", style=CELL + RULE))
    rows = []
    for method in found.ranked():
        cells = [tag("th", _name(method), style=LEFT, title=method.description or None)]
        for j, measure in enumerate(measures):
            centre, width = method.mean(measure.name), method.spread(measure.name)
            shown = plus_minus(centre, width) if j == 0 else decimal(centre)
            lead = method.name in best[measure.name]
            cells.append(tag("td", tag("b", shown) if lead else shown, style=CELL))
        cells.append(tag("td", seconds(mean(method.fit_seconds)), style=CELL))
        rows.append(tag("tr", cells))
    style = "border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.4em 0;"
    return tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), style=style)


def _name(method: MethodResult) -> list[str | Markup]:
    failed = f" ({len(method.errors)} fits failed)" if method.errors else ""
    return [method.label, tag("span", failed, style=QUIET)]
