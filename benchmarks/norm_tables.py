"""What a run of methods for rare classes found, on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from uneven_published import Exhibit, Measured
from uneven_published.description import Measure
from uneven_published.norm.tables import MEASURES
from uneven_published.numbers import complete_table
from uneven_published.significance import Ranks, duels, rank_columns

TESTED = ("norm", "norm.folds", "gmean", "balanced", "macro_f1", "accuracy", "log_loss")
SECONDS = ("processor", "predict")
FOREST, BOOST = "Forest / prior", "LightGBM / prior"
TINY = 1e-9
LARGE = 5000


def by_rank(ranks: Ranks) -> list[tuple[str, float, float]]:
    """Names, means and ranks, the best rank first."""
    found = zip(ranks.columns, ranks.means.tolist(), ranks.ranks.tolist())
    return sorted(found, key=lambda one: one[2])


def show_ranks(exhibit: Exhibit, measured: Measured, console: Console) -> None:
    """Mean and average rank of every method by every measure, and the tests of the ranks."""
    found = {ranks.measure: ranks for ranks in rank_columns(exhibit, measured)}
    if not found:
        console.print("nothing to compare yet: fewer than two methods have a table in common.")
        return
    first = next(iter(found.values()))
    table = Table(title=f"means over {len(first.rows)} tables, average ranks behind")
    table.add_column("method")
    keys = [measure.key for measure in exhibit.measures if measure.key in found]
    for key in keys:
        table.add_column(key, justify="right")
    for name in (name for name, *_ in by_rank(first)):
        table.add_row(name, *(_cell(found[key], name) for key in keys))
    table.add_section()
    table.add_row("Friedman's p", *(f"{found[key].p:.1g}" for key in keys))
    table.add_row("critical difference", *(f"{found[key].difference:.2f}" for key in keys))
    console.print(table)


def _cell(ranks: Ranks, name: str) -> str:
    if name not in ranks.columns:
        return ""
    k = ranks.columns.index(name)
    return f"{ranks.means[k]:.3f} {ranks.ranks[k]:5.2f}"


def show_duels(
    measured: Measured,
    column: str,
    console: Console,
    measures: Sequence[Measure] = MEASURES,
    tested: Sequence[str] = TESTED,
) -> None:
    """Wins and losses of a method against every other, with Holm's corrected p-values."""
    better = {measure.key: measure.better or "lower" for measure in measures}
    found = {key: duels(measured, column, key, better[key]) for key in tested}
    if not any(found.values()):
        return
    table = Table(title=f"{column}: wins-losses, corrected p; * ahead, ! behind at .05")
    table.add_column("against")
    for key in tested:
        table.add_column(key, justify="right")
    for k, rival in enumerate(duel.rival for duel in found[tested[0]]):
        told = (found[key][k] for key in tested)
        table.add_row(
            rival,
            *(
                f"{one.wins}-{one.losses} {one.corrected:.3f}"
                f"{' ' if one.corrected >= 0.05 else '*' if one.ahead else '!'}"
                for one in told
            ),
        )
    console.print(table)


def show_times(
    measured: Measured,
    sizes: Mapping[str, int],
    console: Console,
    peers: Sequence[str] = (FOREST, BOOST),
) -> None:
    """Median over small and large tables of the seconds as multiples of those of some peers.

    ``sizes`` are the numbers of rows that a fit to each table learns from.
    """
    small = {row for row in measured.rows if sizes[row] < LARGE}
    for which, rows in (("below", small), ("from", {*measured.rows} - small)):
        part = Measured({key: value for key, value in measured.values.items() if key[0] in rows})
        found = {base: [_time_ratios(part, base, key) for key in SECONDS] for base in peers}
        bases = [base for base, ratios in found.items() if all(ratios)]
        if not bases:
            continue
        console.print(f"median multiple of seconds, fit | predict, fits {which} {LARGE} rows")
        table = Table()
        for head in ("method", *bases):
            table.add_column(head)
        for name in found[bases[0]][0]:
            told = (" | ".join(f"{one[name]:.2f}" for one in found[base]) for base in bases)
            table.add_row(name, *told)
        console.print(table)


def _time_ratios(measured: Measured, base: str, key: str) -> Mapping[str, float]:
    _, columns, seconds = complete_table(measured, key)
    if base not in columns or not len(seconds):
        return {}
    ratios = seconds / np.maximum(seconds[:, [columns.index(base)]], TINY)
    return dict(zip(columns, np.median(ratios, axis=0).tolist()))


def show_rows(
    measured: Measured, key: str, console: Console, measures: Sequence[Measure] = MEASURES
) -> None:
    """One measure of every method on every table."""
    higher = next(one.better for one in measures if one.key == key) == "higher"
    rows, columns, values = complete_table(measured, key)
    table = Table(title=key)
    for head in ("table", *columns):
        table.add_column(head, justify="right" if head != "table" else "left")
    for row, numbers in zip(rows, values):
        best = numbers.max() if higher else numbers.min()
        table.add_row(row, *(f"{v:.3f}{'*' if v == best else ' '}" for v in numbers))
    console.print(table)
