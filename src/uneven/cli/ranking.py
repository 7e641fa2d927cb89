"""The table of results for the terminal."""

from __future__ import annotations

import math

from rich.table import Table
from rich.text import Text

from uneven.cli.terminal import table
from uneven.report.averages import mean
from uneven.report.results import CompareResults, Measure, MethodResult

__all__ = ["ranking_table"]


def ranking_table(results: CompareResults, ascii_only: bool = False) -> Table:
    """Methods from best to worst, with mean and spread of every measure.

    Parameters
    ----------
    results : CompareResults
        What was found.
    ascii_only : bool
        Whether to avoid signs beyond ASCII.

    Returns
    -------
    Table
        The best value of each measure is marked by a star and by colour.
    """
    data = results.data
    title = (
        f"{data.name}: {data.rows} rows, {data.columns} columns, {len(data.classes)} classes, "
        f"imbalance {data.imbalance_ratio:.1f} : 1"
    )
    measures = sorted(results.measures, key=lambda m: m.name != results.metric)
    header = [_heading(m, results.metric, ascii_only) for m in measures]
    out = table(title, ["method", *header, "fit [s]"])
    plus = "+/-" if ascii_only else "±"
    for method in results.ranked():
        cells = [_cell(results, method, measure, plus) for measure in measures]
        name = Text(method.label, style="bold" if method.kind == "ours" else "")
        out.add_row(name, *cells, _seconds(method))
    fits = results.folds * results.repeats
    out.caption = f"mean {plus} standard deviation over {fits} fits; * best of a column"
    out.caption_justify = "left"
    return out


def _heading(measure: Measure, chosen: str, ascii_only: bool) -> str:
    arrows = ("max", "min") if ascii_only else ("↑", "↓")
    mark = arrows[0] if measure.greater_is_better else arrows[1]
    return f"{measure.label} {mark}" + (" (ranks)" if measure.name == chosen else "")


def _cell(results: CompareResults, method: MethodResult, measure: Measure, plus: str) -> Text:
    centre, width = method.mean(measure.name), method.spread(measure.name)
    if math.isnan(centre):
        return Text("failed", style="red")
    best = results.ranked(measure.name)[0] is method
    spread = "" if math.isnan(width) else f" {plus} {width:.3f}"
    return Text(f"{'* ' if best else ''}{centre:.3f}{spread}", style="bold green" if best else "")


def _seconds(method: MethodResult) -> str:
    value = mean(method.fit_seconds)
    return "-" if math.isnan(value) else f"{value:.2f}"
