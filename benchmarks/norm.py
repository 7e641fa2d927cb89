"""Methods for rare classes on tables of two groups; results are kept, so that a run can go on.

``python -m benchmarks.norm --group report --repeats 1 --out DIR`` runs what DIR does not hold yet
and prints means, average ranks and tests; ``--kept`` only prints. ``python -m benchmarks norm`` is
a fast run: one repetition on small tables of both groups.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from benchmarks.lines import NOT_RUN, Line
from benchmarks.norm_tables import by_rank, show_duels, show_ranks, show_rows, show_times
from uneven_published import Context, Exhibit, Measured, Run, harvest, plan, run_cells
from uneven_published.norm.folds import FOLDS, read_table
from uneven_published.norm.groups import GROUPS
from uneven_published.norm.methods import DECLARED, METHODS, PEERS
from uneven_published.norm.tables import EXHIBITS, MEASURES, REPEATS, make_studies
from uneven_published.runner import missing_rows
from uneven_published.significance import rank_columns
from uneven_published.terminal import cell_progress

TABLES = dict(zip(GROUPS, EXHIBITS))
"""Exhibits by group."""


def run() -> list[Line]:
    """Every claim about both groups, and mean and rank by the norm of every method."""
    lines: list[Line] = []
    for group, exhibit in TABLES.items():
        with tempfile.TemporaryDirectory() as folder:
            cells = Run(Path(folder), fast=True, n_jobs=2, download=False)
            missing, failed = run_cells(plan([exhibit], fast=True), cells)
            measured = harvest(exhibit, cells).measured
        gone = {**missing_rows(exhibit, True, missing), **failed}
        lines += [Line(f"{group}, {name}: {why}", NOT_RUN) for name, why in gone.items()]
        lines += _lines(group, exhibit, measured)
    return lines + [Line(f"{name}: not in this version", NOT_RUN) for name in absent_methods()]


def _lines(group: str, exhibit: Exhibit, measured: Measured) -> list[Line]:
    checked = [(claim.text, claim.check(measured)) for claim in exhibit.claims]
    shown = [
        Line(f"{group}: {text} ({verdict.detail})", "", met=verdict.held)
        for text, verdict in checked
        if verdict.held is not None
    ]
    for ranks in rank_columns(exhibit, measured)[:1]:
        shown += [
            Line(f"{group}, {name}: mean norm; rank", f"{mean:.3f}", f"{rank:.2f}")
            for name, mean, rank in by_rank(ranks)
        ]
    return shown


def absent_methods() -> list[str]:
    """Methods that the tables have a place for and this version of the library lacks."""
    return [name for name in DECLARED if name not in METHODS]


def part_of(
    group: str, tables: Sequence[str], methods: Sequence[str], folds: int, repeats: int
) -> Exhibit:
    """The exhibit of a group with some tables, methods and repetitions only."""
    sources = {name: GROUPS[group][name] for name in tables or GROUPS[group]}
    names = [name for name in METHODS if name in methods]
    studies = make_studies(group, sources, names, folds=folds, repeats=repeats)
    return replace(TABLES[group], studies=studies, columns=tuple(names))


def parse(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What to run and to show."""
    parser = argparse.ArgumentParser(prog="benchmarks.norm", description=__doc__)
    add = parser.add_argument
    add("--group", choices=[*GROUPS], default="report")
    add("--tables", nargs="+", default=[], metavar="TABLE", help="all of the group if left out")
    add("--methods", nargs="+", choices=[*METHODS, "peers"], default=[*METHODS], metavar="METHOD")
    add("--folds", type=int, default=FOLDS)
    add("--repeats", type=int, default=REPEATS)
    add("--jobs", type=int, default=1, help="processes")
    add("--out", type=Path, default=Path("uneven-published") / "cells", help="finished cells")
    add("--kept", action="store_true", help="run nothing, show what is finished")
    add("--beside", nargs="+", choices=[*METHODS], default=[], metavar="METHOD", help="to test")
    add("--rows", nargs="+", default=[], metavar="MEASURE", help="measures to show table by table")
    add("--list", action="store_true", help="name tables and methods")
    found = parser.parse_args(words)
    if "peers" in found.methods:
        found.methods = [*PEERS, *found.methods]
    unknown = [name for name in found.tables if name not in GROUPS[found.group]]
    if unknown:
        parser.error(f"no table {unknown[0]!r} in {found.group}: {', '.join(GROUPS[found.group])}")
    strange = {*found.rows} - {measure.key for measure in MEASURES}
    if strange:
        parser.error(f"no measure {min(strange)!r}: {', '.join(m.key for m in MEASURES)}")
    return found


def main(words: Sequence[str] | None = None) -> None:
    found = parse(words)
    console = Console(width=320, highlight=False)
    if found.list:
        console.print("tables:", ", ".join(GROUPS[found.group]))
        console.print("methods:", ", ".join(METHODS))
        return
    for name in absent_methods():
        console.print(f"{name} is left out: this version of uneven does not have it.")
    exhibit = part_of(found.group, found.tables, found.methods, found.folds, found.repeats)
    cells = Run(found.out, n_jobs=found.jobs, download=False)
    if not found.kept:
        planned = plan([exhibit], fast=False)
        with cell_progress(len(planned)) as observer:
            missing, failed = run_cells(planned, cells, observer)
        for name, why in {**missing_rows(exhibit, False, missing), **failed}.items():
            console.print(f"{name}: {why}")
    whole = harvest(exhibit, cells)
    console.print(f"{whole.done} of {whole.planned} cells are finished, {whole.seconds:.0f} s")
    show_ranks(exhibit, whole.measured, console)
    sizes = {
        row: len(read_table(GROUPS[found.group][row], Context())[1]) for row in whole.measured.rows
    }
    show_times(whole.measured, sizes, console)
    for column in found.beside:
        show_duels(whole.measured, column, console)
    for key in found.rows:
        show_rows(whole.measured, key, console)


if __name__ == "__main__":
    main()
