"""Methods on groups of tables: results are kept, so that a run can go on, and shown with tests."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.lines import NOT_RUN, Line
from benchmarks.norm_tables import (
    TESTED,
    by_rank,
    show_duels,
    show_ranks,
    show_rows,
    show_times,
)
from uneven_published import Context, Exhibit, Harvest, Run, harvest, plan, run_cells
from uneven_published.description import Measure
from uneven_published.kept import KEPT
from uneven_published.norm.folds import FOLDS, Source, read_table
from uneven_published.norm.tables import MEASURES, REPEATS
from uneven_published.numbers import Measured
from uneven_published.runner import made_now, missing_rows
from uneven_published.significance import rank_columns
from uneven_published.terminal import cell_progress

_WORDS = {True: "yes", False: "no", None: "cannot be told"}


@dataclass(frozen=True)
class KeptComparison:
    """A comparison that is run and shown from the command line.

    Attributes
    ----------
    prog, description : str
        For the help.
    groups : mapping of str to mapping of str to source
        Tables by group and name.
    methods : mapping of str to Method, or to what has its ``own``
    part_of : callable
        ``part_of(group, tables, methods, folds, repeats)`` is the exhibit of some of them.
    bases : tuple of str
        Methods whose seconds are the unit of the others'.
    repeats : int
        Repetitions if none are told.
    measures : tuple of Measure
    tested : tuple of str
        Measures by which methods are tested against others.
    untimed : tuple of str
        Methods that run in another process, whose seconds are not counted.
    """

    prog: str
    description: str | None
    groups: Mapping[str, Mapping[str, Source]]
    methods: Mapping[str, Any]
    part_of: Callable[[str, Sequence[str], Sequence[str], int, int], Exhibit]
    bases: tuple[str, ...]
    repeats: int = REPEATS
    measures: tuple[Measure, ...] = MEASURES
    tested: tuple[str, ...] = TESTED
    untimed: tuple[str, ...] = ()

    def parser(self) -> argparse.ArgumentParser:
        """What can be said on the command line."""
        parser = argparse.ArgumentParser(prog=self.prog, description=self.description)
        add, names = parser.add_argument, [*self.methods]
        add("--group", choices=[*self.groups], default="report")
        add("--tables", nargs="+", default=[], metavar="TABLE", help="all of the group if left out")
        add("--methods", nargs="+", choices=[*names, "peers"], default=names, metavar="METHOD")
        add("--folds", type=int, default=FOLDS)
        add("--repeats", type=int, default=self.repeats)
        add_cell_options(parser)
        add("--beside", nargs="+", choices=names, default=[], metavar="METHOD", help="to test")
        add("--rows", nargs="+", default=[], metavar="MEASURE", help="to show table by table")
        add("--claims", action="store_true", help="check the targets")
        add("--list", action="store_true", help="name tables and methods")
        return parser

    def parse(
        self, words: Sequence[str] | None = None, parser: argparse.ArgumentParser | None = None
    ) -> argparse.Namespace:
        """What to run and to show, by a parser that may know more words."""
        parser = parser or self.parser()
        found = parser.parse_args(words)
        if "peers" in found.methods:
            peers = [name for name, method in self.methods.items() if not method.own]
            found.methods = [*peers, *found.methods]
        tables = self.groups[found.group]
        unknown = [name for name in found.tables if name not in tables]
        if unknown:
            parser.error(f"no table {unknown[0]!r} in {found.group}: {', '.join(tables)}")
        keys = [measure.key for measure in self.measures]
        strange = {*found.rows} - {*keys}
        if strange:
            parser.error(f"no measure {min(strange)!r}: {', '.join(keys)}")
        return found

    def main(self, found: argparse.Namespace) -> Measured:
        """Run what is not finished, show means, average ranks and tests, and return the numbers."""
        console = Console(width=320, highlight=False)
        tables = self.groups[found.group]
        if found.list:
            console.print("tables:", ", ".join(tables))
            console.print("methods:", ", ".join(self.methods))
            return Measured()
        exhibit = self.part_of(found.group, found.tables, found.methods, found.folds, found.repeats)
        whole = run_kept(exhibit, found, console)
        show_ranks(exhibit, whole.measured, console)
        if found.claims:
            show_claims(exhibit, whole.measured, console)
        part = 1.0 - 1.0 / found.folds
        sizes = {
            row: int(part * len(read_table(tables[row], Context())[1]))
            for row in whole.measured.rows
        }
        timed = {
            key: value for key, value in whole.measured.values.items() if key[1] not in self.untimed
        }
        show_times(Measured(timed), sizes, console, self.bases)
        for column in found.beside:
            show_duels(whole.measured, column, console, self.measures, self.tested)
        for key in found.rows:
            show_rows(whole.measured, key, console, self.measures)
        return whole.measured


def show_claims(exhibit: Exhibit, measured: Measured, console: Console) -> None:
    """Say which claims hold."""
    for claim in exhibit.claims:
        verdict = claim.check(measured)
        console.print(f"{claim.text}: {_WORDS[verdict.held]} ({verdict.detail})")


def add_cell_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `run_kept` reads."""
    add = parser.add_argument
    add("--jobs", type=int, default=1, help="processes")
    add("--out", type=Path, default=Path("uneven-published") / "cells", help="new cells")
    add("--kept", action="store_true", help="run nothing, show what is finished")
    add("--keep", action="store_true", help="add the finished cells to those of the repository")


def run_kept(exhibit: Exhibit, found: argparse.Namespace, console: Console) -> Harvest:
    """Run the cells of an exhibit that are neither kept nor in ``--out``, and gather all."""
    cells = Run(found.out, n_jobs=found.jobs, made=made_now(), download=False, kept=KEPT)
    planned = plan([exhibit], fast=False)
    if not found.kept:
        with cell_progress(len(planned)) as observer:
            missing, failed = run_cells(planned, cells, observer)
        for name, why in {**missing_rows(exhibit, False, missing), **failed}.items():
            console.print(f"{name}: {why}")
    if found.keep:
        console.print(f"{cells.store.keep(planned)} new cells are kept in {KEPT}")
    whole = harvest(exhibit, cells)
    console.print(f"{whole.done} of {whole.planned} cells are finished, {whole.seconds:.0f} s")
    return whole


def fast_lines(group: str, exhibit: Exhibit, key: str, title: str) -> list[Line]:
    """Mean and average rank of every method by a measure, on the small tables of a group."""
    with tempfile.TemporaryDirectory() as folder:
        cells = Run(Path(folder), fast=True, n_jobs=2, download=False)
        missing, failed = run_cells(plan([exhibit], fast=True), cells)
        measured = harvest(exhibit, cells).measured
    gone = {**missing_rows(exhibit, True, missing), **failed}
    ranks = {found.measure: found for found in rank_columns(exhibit, measured)}[key]
    return [
        *(Line(f"{group}, {name}: {why}", NOT_RUN) for name, why in gone.items()),
        *(
            Line(f"{group}, {name}: {title}; rank", f"{mean:.3f}", f"{rank:.2f}")
            for name, mean, rank in by_rank(ranks)
        ),
    ]
