"""Methods for wrong labels on tables of two groups; results are kept, so that a run can go on.

``python -m benchmarks.noise --group "report, known" --noise 30class --repeats 3 --out DIR`` runs
what DIR does not hold yet and prints means, average ranks and tests; ``--kept`` only prints. Groups
differ in their tables and in what is known of the noise. Where several kinds or rates of noise are
shown, the targets are checked on their means, with a row for each table. ``python -m benchmarks
noise`` is a fast run: one small table of each group.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from rich.console import Console

from benchmarks.kept_comparison import KeptComparison, fast_lines, show_claims
from benchmarks.lines import Line
from benchmarks.noise.methods import METHODS, NOISE_AWARE, PEERS
from benchmarks.noise.settings import GROUPS, NOISES, SMALL, NoisySplits, row_name
from benchmarks.norm_tables import show_duels, show_ranks
from uneven_published import Exhibit, Measured
from uneven_published.claims import best_overall, significantly_ahead
from uneven_published.description import Claim, Document, Study
from uneven_published.norm.tables import MEASURES, RANKING, items_of
from uneven_published.numbers import Summary

REPEATS = 3
DOCUMENT = Document("noise", "uneven: wrong labels")
CLAIMS = (
    Claim(
        "Target: NoiseAwareClassifier has the best average rank by accuracy",
        best_overall(NOISE_AWARE, "accuracy", "higher", by="rank"),
    ),
    Claim(
        "Target: by accuracy it is significantly ahead of every rival (Wilcoxon's test, Holm's "
        "correction, level .05)",
        significantly_ahead(NOISE_AWARE, "accuracy", "higher", PEERS),
    ),
)


def part_of(
    group: str, tables: Sequence[str], methods: Sequence[str], folds: int, repeats: int
) -> Exhibit:
    """The comparison on a group with some tables, methods and repetitions only."""
    sources = {name: GROUPS[group][name] for name in tables or GROUPS[group]}
    known = {name: METHODS[name] for name in METHODS if name in methods}
    studies = tuple(
        Study(
            "-".join(re.findall(r"[^\W_]+", f"noise {group} {column}".lower())),
            items_of(sources),
            NoisySplits(sources, column, method.fit),
            repeats=repeats,
            fast_repeats=1,
            fast_items=SMALL,
            edition=method.edition,
            packages=method.packages,
            column=column,
        )
        for column, method in known.items()
    )
    return Exhibit(
        DOCUMENT,
        f"{group} group",
        "Methods for wrong labels",
        "original",
        studies=studies,
        measures=MEASURES,
        columns=tuple(known),
        claims=CLAIMS,
        ranking=RANKING,
    )


def mean_over_noises(measured: Measured, noises: Sequence[str]) -> Measured:
    """One row for each table: means over the noises, where all of them are measured.

    noises: ends of the names of rows.
    """
    found = defaultdict(list)
    for (row, column, measure), one in measured.values.items():
        table = next(row.removesuffix(end) for end in noises if row.endswith(end))
        found[table, column, measure].append(float(one.mean))
    return Measured(
        {
            key: Summary.of(np.array([np.mean(means)]))
            for key, means in found.items()
            if len(means) == len(noises)
        }
    )


def run() -> list[Line]:
    """Mean and rank by accuracy on a small table of every group."""
    return [
        line
        for group in GROUPS
        for line in fast_lines(
            group, part_of(group, (), tuple(METHODS), 0, 1), "accuracy", "accuracy"
        )
    ]


def comparison() -> KeptComparison:
    """The comparison as the command line knows it."""
    return KeptComparison(
        "benchmarks.noise", __doc__, GROUPS, METHODS, part_of, ("Forest", "LightGBM"), REPEATS
    )


def main(words: Sequence[str] | None = None) -> None:
    parser = comparison().parser()
    noises = {f"{100 * rate:.0f}{kind}": (kind, rate) for kind, rate in NOISES}
    parser.set_defaults(group="report, known")
    parser.add_argument("--noise", nargs="+", choices=[*noises], default=[*noises], metavar="NOISE")
    found = comparison().parse(words, parser)
    ends = tuple(row_name("", *noises[name]) for name in found.noise)
    found.tables = [row for row in found.tables or GROUPS[found.group] if row.endswith(ends)]
    measured = comparison().main(found)
    if len(ends) < 2 or found.list:
        return
    console = Console(width=320, highlight=False)
    console.print(f"means over {len(ends)} noises: {', '.join(found.noise)}")
    exhibit, whole = part_of(found.group, (), found.methods, 0, 1), mean_over_noises(measured, ends)
    show_ranks(exhibit, whole, console)
    show_claims(exhibit, whole, console)
    for column in found.beside:
        show_duels(whole, column, console)


if __name__ == "__main__":
    main()
