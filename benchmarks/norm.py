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

from benchmarks import norm_tables
from benchmarks.kept_comparison import KeptComparison
from benchmarks.lines import NOT_RUN, Line
from benchmarks.norm_tables import by_rank
from uneven_published import Exhibit, Measured, Run, harvest, plan, run_cells
from uneven_published.norm.groups import GROUPS
from uneven_published.norm.methods import DECLARED, METHODS
from uneven_published.norm.tables import EXHIBITS, make_studies
from uneven_published.runner import missing_rows
from uneven_published.significance import rank_columns

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


def comparison() -> KeptComparison:
    """The comparison as the command line knows it."""
    return KeptComparison(
        "benchmarks.norm",
        __doc__,
        GROUPS,
        METHODS,
        part_of,
        (norm_tables.FOREST, norm_tables.BOOST),
    )


def parse(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What to run and to show."""
    return comparison().parse(words)


def main(words: Sequence[str] | None = None) -> None:
    for name in absent_methods():
        print(f"{name} is left out: this version of uneven does not have it.")
    comparison().main(parse(words))


if __name__ == "__main__":
    main()
