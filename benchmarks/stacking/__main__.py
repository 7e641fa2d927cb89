"""Ways of joining 28 classifiers on tables of two groups; results are kept, so a run can go on.

``python -m benchmarks.stacking --group report --repeats 3 --scores DIR --out DIR`` trains the
classifiers of every table and split that the folder of scores does not hold yet, judges all
combiners on the same scores, and prints means, average ranks and tests; ``--kept`` only prints.
The function `run` is a fast run: two small tables of each group.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from benchmarks.kept_comparison import KeptComparison, fast_lines
from benchmarks.lines import Line
from benchmarks.stacking.combiners import COMBINERS, GREEDY, LOGISTIC, OURS, SOFT, Combine
from benchmarks.stacking.scores import scores_of
from benchmarks.stacking.tables import GROUPS, SMALL
from uneven_published import Exhibit
from uneven_published.claims import average, best_overall, significantly_ahead
from uneven_published.description import (
    Answers,
    Claim,
    Context,
    Document,
    Measure,
    Ranking,
    Study,
)
from uneven_published.norm.folds import LEAST_PROBABILITY, Source
from uneven_published.norm.tables import items_of

REPEATS = 3
DOCUMENT = Document("stacking", "uneven: many classifiers")
MEASURES = (
    Measure("error", "share of wrong answers", "lower"),
    Measure("log_loss", "log-loss", "lower"),
    Measure("brier", "Brier score", "lower"),
    Measure("members", "members that are asked", "lower", 1),
    Measure("predict", "processor time of the members that are asked, as a share of all", "lower"),
    Measure("processor", "processor seconds of learning how to combine", "lower", 3),
)
TESTED = ("error", "log_loss", "brier")
BEHIND = (SOFT, LOGISTIC, GREEDY)


@dataclass(frozen=True)
class CombinedSplits:
    """One combiner on the scores of some splits.

    Attributes
    ----------
    tables : mapping of str to source
    column : str
    combine : callable
    folder : Path
        Where scores are kept.
    """

    tables: Mapping[str, Source]
    column: str
    combine: Combine
    folder: Path

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Measure the combiner on the split of a repetition."""
        held = scores_of(item, self.tables[item], repeat, context, self.folder)
        warm_up(self.combine)
        start = time.process_time()
        joined = self.combine(held.level, held.y, held.seconds, repeat)
        seconds = time.process_time() - start
        shares, rows = joined.probabilities(held.new), np.arange(len(held.truth))
        hits = held.truth[:, None] == np.arange(shares.shape[1])
        own = np.maximum(shares[rows, held.truth], LEAST_PROBABILITY)
        found = {
            "error": np.mean(shares.argmax(axis=1) != held.truth),
            "log_loss": -np.log(own).mean(),
            "brier": ((shares - hits) ** 2).sum(axis=1).mean(),
            "members": joined.kept.sum(),
            "predict": held.seconds[joined.kept].sum() / held.seconds.sum(),
            "processor": seconds,
        }
        return {self.column: {key: [float(value)] for key, value in found.items()}}


@cache
def warm_up(combine: Combine) -> None:
    """Combine a few rows, so that no time is taken while compiled loops are loaded."""
    rng = np.random.default_rng(0)
    combine(rng.dirichlet(np.ones(3), (30, 4)), np.arange(30) % 3, np.ones(4), 0)


CLAIMS = (
    *(
        Claim(
            f"Target: {OURS} has the best average rank by {title}",
            best_overall(OURS, key, "lower", by="rank"),
        )
        for key, title in (("error", "error"), ("log_loss", "log-loss"))
    ),
    *(
        Claim(
            f"Target: by {title} it is significantly ahead of {', '.join(BEHIND)} (Wilcoxon's "
            "test, Holm's correction, level .05)",
            significantly_ahead(OURS, key, "lower", BEHIND),
        )
        for key, title in (("error", "error"), ("log_loss", "log-loss"))
    ),
    Claim(
        "Target: it asks at most half of the members",
        average(OURS, SOFT, "members", "<=", share=0.5),
    ),
    Claim(
        "Target: its members take at most a third of the time of all",
        average(OURS, SOFT, "predict", "<=", share=1.0 / 3.0),
    ),
    Claim(
        "Target: learning how to combine takes at most twice the time of logistic regression",
        average(OURS, LOGISTIC, "processor", "<=", share=2.0),
    ),
)


def part_of(
    group: str,
    tables: Sequence[str],
    methods: Sequence[str],
    folds: int,
    repeats: int,
    *,
    folder: Path,
) -> Exhibit:
    """The comparison on a group with some tables, combiners and repetitions only."""
    sources = {name: GROUPS[group][name] for name in tables or GROUPS[group]}
    known = {name: COMBINERS[name] for name in COMBINERS if name in methods}
    studies = tuple(
        Study(
            "-".join(re.findall(r"[^\W_]+", f"stacking {group} {column}".lower())),
            items_of(sources),
            CombinedSplits(sources, column, combiner.combine, folder),
            repeats=repeats,
            fast_repeats=1,
            fast_items=SMALL,
            edition=combiner.edition,
            packages=combiner.packages,
            column=column,
        )
        for column, combiner in known.items()
    )
    return Exhibit(
        DOCUMENT,
        f"{group} group",
        "Ways of joining many classifiers",
        "original",
        studies=studies,
        measures=MEASURES,
        columns=tuple(known),
        claims=CLAIMS,
        ranking=Ranking(tuple(measure.key for measure in MEASURES), drawn=TESTED),
    )


def run() -> list[Line]:
    """Mean and rank by log-loss on small tables of both groups."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            line
            for group in GROUPS
            for line in fast_lines(
                group,
                part_of(group, (), tuple(COMBINERS), 0, 1, folder=Path(folder)),
                "log_loss",
                "log-loss",
            )
        ]


def comparison(folder: Path) -> KeptComparison:
    """The comparison as the command line knows it."""
    return KeptComparison(
        "benchmarks.stacking",
        __doc__,
        GROUPS,
        COMBINERS,
        partial(part_of, folder=folder),
        (LOGISTIC,),
        REPEATS,
        MEASURES,
        TESTED,
    )


def main(words: Sequence[str] | None = None) -> None:
    plan = comparison(Path())
    parser = plan.parser()
    home = Path("uneven-published") / "stacking-scores"
    parser.add_argument("--scores", type=Path, default=home, help="finished level-1 scores")
    found = plan.parse(words, parser)
    comparison(found.scores).main(found)


if __name__ == "__main__":
    main()
