"""A comparison as HTML: one file that needs nothing else, and a short table for a notebook."""

from __future__ import annotations

import os
from pathlib import Path

from uneven.comparison.methodresult import MethodResult
from uneven.comparison.results import Comparison
from uneven.comparison.summaries import mean
from uneven.report.confusion import confusions
from uneven.report.data import data
from uneven.report.markup import (
    Markup,
    Part,
    asset,
    averaged,
    count,
    counted,
    decimal,
    plus_minus,
    seconds,
    tag,
    text,
    whole_page,
)
from uneven.report.noise import noise
from uneven.report.outcome import leaders, verdict
from uneven.report.ranking import ranking
from uneven.report.recalls import recalls
from uneven.report.reproduce import reproduce
from uneven.report.rowchoice import keep_rows, row_data
from uneven.report.rows import rows
from uneven.report.stack import stack
from uneven.report.trade import trade, trade_data
from uneven.report.training import rounds
from uneven.report.views import views
from uneven.report.voices import voices
from uneven.utils.files import replace_file

UNFOLDED = ("ranking", "classes")
"""Sections that are open on phones, too."""

SCRIPTS = ("pictures.js", "pair.js", "rows.js", "trade.js")


def render_report(results: Comparison) -> str:
    """Text of the page.

    Parameters
    ----------
    results : Comparison
        With at least one method.

    Returns
    -------
    str
        A complete HTML document without references to anything outside it.
    """
    kept, order = keep_rows(results), results.data.by_size()
    asked = results.refit_plan.deciding if results.refit_plan else None
    trades = trade_data(results, kept, order, asked.cost if asked else None) if kept else None
    parts: list[Part] = [
        ("ranking", "Ranking", "Ranking", ranking(results)),
        ("stack", "Stack", "Which methods the stack keeps", stack(results)),
        ("noise", "Label noise", "Label noise", noise(results)),
        ("classes", "Classes", "Recall by class", recalls(results)),
        ("confusion", "Confusion", "Confusion matrices", confusions(results, kept)),
        ("rows", "Rows", "Rows behind the figures", rows(kept, results.data.classes, order)),
        ("trade", "Trade-off", "What more recall of a class costs", trade(trades, results)),
        ("training", "Training", "Training curves", rounds(results)),
        ("views", "Views", "Each view on its own", views(results)),
        ("voices", "Features", "Which features support which class", voices(results)),
        ("data", "Data", "The data", data(results)),
        ("reproduce", "Reproduce", "How to reproduce this", reproduce(results)),
    ]
    blocks = {"row-data": row_data(results, kept, order)} if kept else {}
    blocks |= {"trade-data": trades} if trades else {}
    return whole_page(
        results.title,
        _masthead(results),
        parts,
        footer=f"Made with uneven {results.versions.get('uneven', '')}".strip(),
        style=asset("controls.css"),
        script="".join(map(asset, SCRIPTS)),
        data=blocks,
        tools=True,
        folded=[key for key, *_ in parts if key not in UNFOLDED],
    )


def write_report(results: Comparison, path: str | os.PathLike[str]) -> Path:
    """Write the page to a file, whole or not at all.

    Parameters
    ----------
    results : Comparison
        With at least one method.
    path : str or path-like
        Destination, such as ``report.html``; its folder must exist.

    Returns
    -------
    Path
        The destination.
    """
    page = render_report(results)
    with replace_file(path) as draft:
        draft.write_text(page, encoding="utf-8", newline="\n")
    return Path(path)


def _masthead(results: Comparison) -> Markup:
    outcome, summary, measure = verdict(results), results.data, results.chosen
    direction = "higher" if measure.greater_is_better else "lower"
    facts = [
        f"{count(summary.rows)} rows",
        f"{len(summary.classes)} classes",
        f"{len(results.methods)} {'methods' if len(results.methods) != 1 else 'method'}",
        f"{results.folds}-fold cross-validation" if results.folds > 1 else "one part held out",
        f"ranked by {measure.label} ({direction} is better)",
    ]
    warnings = [tag("li", warning) for warning in results.warnings]
    notes = tag("ul", warnings)
    if len(warnings) > FEW_WARNINGS:
        told = tag("summary", f"{len(warnings)} notes")
        notes = tag("details", told, notes, class_="fold", open=True)
    return tag(
        "header",
        tag("h1", results.title),
        tag("p", tag("strong", outcome.headline), " ", outcome.detail, class_="verdict"),
        tag("p", Markup(" · ".join(text(fact) for fact in facts)), class_="facts-line"),
        tag("div", notes, class_="aside", role="note") if warnings else None,
    )


MOST_WARNINGS = 5
FEW_WARNINGS = 3
CELL = "padding:.25em .7em;text-align:right;border:0;white-space:nowrap;"
LEFT = CELL.replace("right", "left")
RULE = "border-bottom:1px solid currentColor;"
QUIET = "opacity:.75;font-size:.92em;"


def render_summary(found: Comparison) -> str:
    """A fragment of HTML that brings its own style."""
    outcome, data = verdict(found), found.data
    facts = (
        f"{data.name}: {data.rows} rows, {data.columns} columns, {len(data.classes)} classes; "
        f"{averaged(found.folds * found.repeats)}, bold is best of a column."
    )
    notes = [*found.warnings[:MOST_WARNINGS]]
    more = len(found.warnings) - len(notes)
    notes += [f"and {more} more: see .warnings"] if more > 0 else []
    return tag(
        "div",
        tag("p", tag("strong", outcome.headline), " ", outcome.detail, style="max-width:60em"),
        tag("div", _summary_table(found), style="overflow-x:auto"),
        tag("p", facts, style=QUIET),
        tag("ul", [tag("li", note) for note in notes], style=QUIET) if notes else None,
        class_="uneven-comparison",
    )


def _summary_table(found: Comparison) -> Markup:
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
        cells = [tag("th", _method_name(method), style=LEFT, title=method.description or None)]
        for j, measure in enumerate(measures):
            centre, width = method.mean(measure.name), method.spread(measure.name)
            shown = plus_minus(centre, width) if j == 0 else decimal(centre)
            lead = method.name in best[measure.name]
            cells.append(tag("td", tag("b", shown) if lead else shown, style=CELL))
        cells.append(tag("td", seconds(mean(method.fit_seconds)), style=CELL))
        rows.append(tag("tr", cells))
    style = "border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.4em 0;"
    return tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), style=style)


def _method_name(method: MethodResult) -> list[str | Markup]:
    failed = f" ({counted(len(method.errors), 'fit')} failed)" if method.errors else ""
    return [method.label, tag("span", failed, style=QUIET)]
