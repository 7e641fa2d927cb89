"""Methods for several views on tables of two groups; results are kept, so that a run can go on.

``python -m benchmarks.views --group report --repeats 1 --out DIR`` runs what DIR does not hold yet
and prints means, average ranks and tests; ``--kept`` only prints, ``--missing 30`` only for tables
with 30 % of the rows of each view missing. ``python -m benchmarks views`` is a fast run: two small
tables of each group.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from benchmarks.kept_comparison import KeptComparison
from benchmarks.lines import NOT_RUN, Line
from benchmarks.norm_tables import by_rank
from benchmarks.views.groups import GROUPS, MISSING, SMALL, row_of
from benchmarks.views.methods import METHODS, PEERS, UNEVEN
from uneven_published import Exhibit, Run, harvest, plan, run_cells
from uneven_published.claims import best_overall, significantly_ahead
from uneven_published.description import Claim, Document
from uneven_published.norm.folds import FOLDS
from uneven_published.norm.tables import MEASURES, RANKING, studies_of
from uneven_published.runner import missing_rows
from uneven_published.significance import rank_columns

REPEATS = 3
BASES = ("Forest per view / prior", "Early LightGBM")
DOCUMENT = Document("views", "uneven: several views, whole and missing")


def _targets(key: str, title: str, better: Literal["lower", "higher"]) -> tuple[Claim, Claim]:
    return (
        Claim(
            f"Target: UnevenClassifier has the best average rank by {title}",
            best_overall(UNEVEN, key, better, by="rank"),
        ),
        Claim(
            f"Target: by {title} it is significantly ahead of every rival (Wilcoxon's test, "
            "Holm's correction, level .05)",
            significantly_ahead(UNEVEN, key, better, PEERS),
        ),
    )


CLAIMS = (
    *_targets("balanced", "balanced accuracy", "higher"),
    *_targets("norm", "norm", "lower"),
)


def part_of(
    group: str, tables: Sequence[str], methods: Sequence[str], folds: int, repeats: int
) -> Exhibit:
    """The comparison on a group with some tables, methods and repetitions only."""
    sources = {name: GROUPS[group][name] for name in tables or GROUPS[group]}
    known = {name: METHODS[name] for name in METHODS if name in methods}
    return Exhibit(
        DOCUMENT,
        f"{group} group",
        "Methods for several views",
        "original",
        studies=studies_of(
            f"views-{group}", sources, known, SMALL[group], folds=folds, repeats=repeats
        ),
        measures=MEASURES,
        columns=tuple(known),
        claims=CLAIMS,
        ranking=RANKING,
    )


def run() -> list[Line]:
    """Mean and rank by balanced accuracy on the small tables of both groups, and the targets."""
    lines: list[Line] = []
    for group in GROUPS:
        exhibit = part_of(group, (), tuple(METHODS), FOLDS, 1)
        with tempfile.TemporaryDirectory() as folder:
            cells = Run(Path(folder), fast=True, n_jobs=2, download=False)
            missing, failed = run_cells(plan([exhibit], fast=True), cells)
            measured = harvest(exhibit, cells).measured
        gone = {**missing_rows(exhibit, True, missing), **failed}
        lines += [Line(f"{group}, {name}: {why}", NOT_RUN) for name, why in gone.items()]
        ranks = {found.measure: found for found in rank_columns(exhibit, measured)}["balanced"]
        lines += [
            Line(f"{group}, {name}: balanced accuracy; rank", f"{mean:.3f}", f"{rank:.2f}")
            for name, mean, rank in by_rank(ranks)
        ]
    return lines


def comparison() -> KeptComparison:
    """The comparison as the command line knows it."""
    return KeptComparison("benchmarks.views", __doc__, GROUPS, METHODS, part_of, BASES, REPEATS)


def main(words: Sequence[str] | None = None) -> None:
    parser = comparison().parser()
    add = parser.add_argument
    add("--missing", nargs="+", type=int, choices=MISSING, metavar="PERCENT", help="0, 30 or 60")
    found = comparison().parse(words, parser)
    if found.missing:
        names = [name for name in GROUPS[found.group] if ", " not in name]
        wanted = [row_of(name, percent) for percent in found.missing for name in names]
        found.tables = [name for name in wanted if name in (found.tables or wanted)]
    comparison().main(found)


if __name__ == "__main__":
    main()
