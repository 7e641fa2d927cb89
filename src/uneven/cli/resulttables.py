"""Tables of a comparison for a terminal: ranking, views, noise, stack."""

from __future__ import annotations

import math

from rich.table import Table
from rich.text import Text

from uneven.cli import terminal
from uneven.comparison.measures import Measure
from uneven.comparison.methodresult import MethodResult
from uneven.comparison.results import Comparison
from uneven.comparison.summaries import mean
from uneven.report.markup import averaged
from uneven.report.outcome import leaders, matrix_doubt
from uneven.report.stack import told_cost

FULL_WIDTH = 120


TIMED_WIDTH = 90


FEW_MEASURES, NAME_WIDTH, MEASURE_WIDTH = 5, 35, 17
"""A terminal shows so many measures, and more if it is wide enough for their columns."""


VERDICT_STYLES = {"strong": "green", "weak": "yellow", "absent": "red"}


def ranking_table(
    results: Comparison, *, width: int = FULL_WIDTH, ascii_only: bool = False
) -> Table:
    """Methods and guesses from best to worst, with mean and spread of every measure.

    The best value of each measure is marked by a star and by colour, ties included. A narrow
    terminal shows the spread of the ranking measure only, and a very narrow one no times.
    """
    data = results.data
    title = (
        f"{data.name}: {data.rows} rows, {data.columns} columns, {len(data.classes)} classes, "
        f"imbalance {data.imbalance_ratio:.1f} : 1"
    )
    measures = results.shown_measures[: max(FEW_MEASURES, (width - NAME_WIDTH) // MEASURE_WIDTH)]
    header = [_heading(m, ascii_only) for m in measures]
    timed, noisy = width >= TIMED_WIDTH, results.noise is not None
    out = terminal.table(title, ["method", *["knows\nnoise"] * noisy, *header, *["fit s"] * timed])
    plus = "+/-" if ascii_only else "±"
    for method in results.ranked(dummies=True):
        cells = [
            _cell(results, method, measure, plus if width >= FULL_WIDTH or j == 0 else "")
            for j, measure in enumerate(measures)
        ]
        styles = {"ours": "bold", "dummy": "dim"}
        name = Text(method.label, style=styles.get(method.kind, ""))
        told = "yes" if method.knows_noise else "no" if method.kind != "dummy" else "-"
        out.add_row(name, *[told] * noisy, *cells, *[_seconds(method)] * timed)
    figures = averaged(results.folds * results.repeats, plus)
    out.caption = f"ranked by {results.chosen.label}; {figures}; * best of a column"
    if len(measures) < len(results.shown_measures):
        others = [m.label for m in results.shown_measures[len(measures) :]]
        out.caption += f"\nin the report, too: {', '.join(others)}"
    doubt = matrix_doubt(results)
    out.caption += f"\n{doubt}" if doubt else ""
    out.caption_justify = "left"
    return out


def view_table(results: Comparison) -> Table:
    """How informative each view is on its own.

    One row per view, in the order of the views.
    """
    header = ["view", "columns", "present", "accuracy", "balanced\naccuracy", "confusion\nnorm"]
    out = terminal.table("Each view on its own", [*header, "verdict"])
    for view in results.views:
        measures = (view.accuracy, view.balanced_accuracy, view.confusion_norm)
        out.add_row(
            Text(view.name),
            str(view.columns),
            f"{100 * view.presence:.0f}%",
            *("-" if math.isnan(value) else f"{value:.3f}" for value in measures),
            Text(view.verdict, style=VERDICT_STYLES.get(view.verdict, "")),
        )
    out.caption = f"held-out rows of a forest per view, {results.view_rows} rows looked at"
    out.caption_justify = "left"
    return out


def noise_table(results: Comparison, *, ascii_only: bool = False) -> Table:
    """Labels next to the estimated true classes.

    One row per class, from the most frequent label to the rarest.
    """
    noise = results.noise
    if noise is None:
        raise ValueError("the results hold no noise matrix.")
    header = ["class", "labelled so", "truly so", "labels right", "chance"]
    out = terminal.table("Label noise", [*header, *["rows"] * bool(noise.rows)])
    times = "x" if ascii_only else "×"
    for c in results.data.by_size():
        right = noise.matrix[c][c]
        out.add_row(
            Text(results.data.classes[c]),
            f"{100 * noise.observed[c]:.1f}%",
            f"{100 * noise.recovered[c]:.1f}%",
            Text(f"{100 * right:.0f}%", style="red" if right < 0.5 else ""),
            f"{noise.amplification[c]:.1f} {times}",
            *[f"{rows:.4g}" for rows in noise.rows[c : c + 1]],
        )
    out.caption = (
        f"{100 * noise.wrong_share:.0f}% of the labels are wrong; condition number "
        f"{noise.condition:.1f}; chance: how much more it counts than with true labels"
    )
    if noise.rows:
        out.caption += "; rows: those that the matrix was estimated from"
    out.caption_justify = "left"
    return out


def stack_table(results: Comparison) -> Table:
    """Which methods a stack keeps, and what they count in it.

    One row per method, in their order.
    """
    found = results.stack
    if found is None:
        raise ValueError("the results hold no stack.")
    labels = {method.name: method.label for method in results.methods}
    header = ["method", "kept", *["kept in"] * bool(found.kept_folds), "mean weight", "most for"]
    verb = "is" if found.n_kept == 1 else "are"
    out = terminal.table(
        f"Stack: {found.n_kept} of {len(found.members)} methods {verb} kept", header
    )
    for m, (name, weights) in enumerate(zip(found.members, found.weights)):
        kept = found.kept[m]
        strongest = max(range(len(weights)), key=lambda c: abs(weights[c]))
        out.add_row(
            Text(labels[name], style="" if kept else "dim"),
            Text("yes", style="green") if kept else Text("no", style="dim"),
            *[f"{folds} of {found.fits} folds" for folds in found.kept_folds[m : m + 1]],
            f"{math.fsum(weights) / len(weights):.2f}" if kept else "-",
            Text(results.data.classes[strongest] if kept else "-"),
        )
    told = [f"penalty of strength {found.strength:g}", told_cost(results)]
    out.caption = "; ".join(part for part in told if part)
    out.caption_justify = "left"
    return out


def _heading(measure: Measure, ascii_only: bool) -> str:
    """Label and direction of a measure, one word per line."""
    arrows = ("max", "min") if ascii_only else ("↑", "↓")
    mark = arrows[0] if measure.greater_is_better else arrows[1]
    return f"{measure.label} {mark}".replace(" ", "\n", measure.label.count(" "))


def _cell(results: Comparison, method: MethodResult, measure: Measure, plus: str) -> Text:
    centre, width = method.mean(measure.name), method.spread(measure.name)
    if math.isnan(centre):
        return Text("failed", style="red")
    best = method in leaders(results, measure.name)
    spread = f" {plus} {width:.3f}" if plus and not math.isnan(width) else ""
    return Text(f"{'*' if best else ''}{centre:.3f}{spread}", style="bold green" if best else "")


def _seconds(method: MethodResult) -> str:
    value = mean(method.fit_seconds)
    return "-" if math.isnan(value) else f"{value:.2f}"
