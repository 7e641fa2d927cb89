"""Methods for several views on tables of two groups; results are kept, so that a run can go on.

``python -m benchmarks.views --group report --repeats 1 --out DIR`` runs what DIR does not hold yet
and prints means, average ranks and tests; ``--kept`` only prints, ``--missing 30`` only for tables
with 30 % of the rows of each view missing. ``python -m benchmarks views`` is a fast run: two small
tables of each group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from benchmarks.kept_comparison import KeptComparison, fast_lines
from benchmarks.lines import Line
from benchmarks.views.groups import GROUPS, MISSING, SMALL, row_of
from benchmarks.views.methods import METHODS, PEERS, UNEVEN
from uneven_published import Exhibit
from uneven_published.claims import best_overall, significantly_ahead
from uneven_published.description import Claim, Document
from uneven_published.norm.folds import FOLDS
from uneven_published.norm.tables import MEASURES, RANKING, studies_of

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
    return [
        line
        for group in GROUPS
        for line in fast_lines(
            group, part_of(group, (), tuple(METHODS), FOLDS, 1), "balanced", "balanced accuracy"
        )
    ]


def comparison() -> KeptComparison:
    """The comparison as the command line knows it."""
    return KeptComparison(
        "benchmarks.views",
        __doc__,
        GROUPS,
        METHODS,
        part_of,
        BASES,
        REPEATS,
        untimed=tuple(name for name in METHODS if name.startswith("multimodallearn")),
    )


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
