"""Rules that choose rows to label, on pools of two groups; results are kept, so a run can go on.

``python -m benchmarks.active --group report --draws 10 --out DIR`` runs what DIR does not hold yet
and prints areas under the curves of accuracy with their standard errors; ``--kept`` only prints.
``python -m benchmarks active`` is a fast run: one small pool of each group, one draw.
"""

from __future__ import annotations

import argparse
import re
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.active.pools import GROUPS, SMALL, LabelPool, Split
from benchmarks.active.strategies import (
    DEFAULT,
    PEERS,
    RANDOM,
    STRATEGIES,
    Strategy,
    make_learner,
)
from benchmarks.kept_comparison import add_cell_options, fast_lines, run_kept
from benchmarks.lines import Line
from uneven import ActiveLearner
from uneven.active import LearningCurve
from uneven.metrics import mean_recall
from uneven_published import Exhibit
from uneven_published.description import (
    Answers,
    Claim,
    Context,
    Document,
    Measure,
    Ranking,
    Study,
)
from uneven_published.norm.groups import items_of
from uneven_published.numbers import Measured, Numbers, Verdict

DRAWS = 10
DOCUMENT = Document("active", "uneven: scarce labels")
MEASURES = (
    Measure("area", "area under the curve of accuracy", "higher", 4),
    Measure("balanced", "area under the curve of balanced accuracy", "higher", 4),
    Measure("last", "accuracy when the budget is spent", "higher", 4),
    Measure("seconds", "processor seconds of all questions", "lower", 2),
)


@dataclass(frozen=True)
class Simulation:
    """One strategy on some draws of pools.

    Attributes
    ----------
    pools : mapping of str to LabelPool
    column : str
    strategy : Strategy
    """

    pools: dict[str, LabelPool]
    column: str
    strategy: Strategy

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Ask until the budget is spent, and measure the classifier on the way."""
        pool = self.pools[item]
        split = pool.draw(repeat, context)
        rng = np.random.default_rng(repeat)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learner = make_learner(self.strategy, split, repeat)
            points, seconds = [], 0.0
            while True:
                told = len(learner.labelled_) - pool.start
                if told or pool.start:
                    points.append((told, *_scores(learner, split)))
                if told >= pool.budget:
                    break
                start = time.process_time()
                rows = self._ask(learner, split, min(pool.at_once, pool.budget - told), rng)
                seconds += time.process_time() - start
                learner.tell(rows, split.y[rows])
        labels, accuracy, balanced = np.array(points).T
        found = {
            "area": _area(labels, accuracy),
            "balanced": _area(labels, balanced),
            "last": accuracy[-1],
            "seconds": seconds,
        }
        return {self.column: {key: [float(value)] for key, value in found.items()}}

    def _ask(
        self, learner: ActiveLearner, split: Split, n: int, rng: np.random.Generator
    ) -> np.ndarray:
        if self.strategy.ask is None:
            return learner.ask(n)
        return self.strategy.ask(learner, split, n, rng)


def _scores(learner: ActiveLearner, split: Split) -> tuple[float, float]:
    """Accuracy and balanced accuracy; with one class seen, of always answering it."""
    if learner.model_ is None:
        answers: Any = np.full(len(split.y_test), learner.labels_[0])
    else:
        answers = learner.model_.predict(split.X_test)
    right = float(np.mean(answers == split.y_test))
    return right, mean_recall(split.y_test, answers, labels=np.unique(split.y_test))


def _area(labels: np.ndarray, scores: np.ndarray) -> float:
    nothing = np.full(len(labels), np.nan)
    return LearningCurve(labels, scores, np.arange(0), nothing, "").area_under()


def tied_best(column: str, rivals: Sequence[str], share: float) -> Any:
    """A column is best, or within a standard error of the best, on a share of the pools."""

    def check(numbers: Numbers) -> Verdict:
        held = {}
        for row in numbers.rows:
            found = {c: numbers.values.get((row, c, "area")) for c in (column, *rivals)}
            if all(one is not None for one in found.values()):
                held[row] = _behind(found, column) <= 1.0
        if not held:
            return Verdict(None, "no numbers")
        lost = [row for row, won in held.items() if not won]
        told = f"{len(held) - len(lost)} of {len(held)} pools" + (
            f"; not {', '.join(lost)}" if lost else ""
        )
        return Verdict(len(held) - len(lost) >= share * len(held), told)

    return check


def _behind(found: dict[str, Any], column: str) -> float:
    """How many standard errors of the paired difference a column is behind the best rival."""
    rival = max((c for c in found if c != column), key=lambda c: found[c].mean)
    apart = np.asarray(found[rival].samples) - np.asarray(found[column].samples)
    if len(apart) < 2 or apart.mean() <= 0.0:
        return 0.0 if apart.mean() <= 0.0 else np.inf
    return float(apart.mean() / max(apart.std(ddof=1) / np.sqrt(len(apart)), 1e-12))


def part_of(group: str, pools: Sequence[str], strategies: Sequence[str], draws: int) -> Exhibit:
    """The comparison on a group with some pools, strategies and draws only."""
    some = {name: GROUPS[group][name] for name in pools or GROUPS[group]}
    known = {name: STRATEGIES[name] for name in STRATEGIES if name in strategies}
    studies = tuple(
        Study(
            "-".join(re.findall(r"[^\W_]+", f"active {group} {column}".lower())),
            items_of(some),
            Simulation(some, column, strategy),
            repeats=draws,
            fast_items=SMALL,
            edition=strategy.edition,
            packages=strategy.packages,
            column=column,
        )
        for column, strategy in known.items()
    )
    return Exhibit(
        DOCUMENT,
        f"{group} group",
        "Rules that choose rows to label",
        "original",
        studies=studies,
        measures=MEASURES,
        columns=tuple(known),
        claims=(
            Claim(
                "Target: the default is best or within a standard error of the best of "
                "scikit-activeml on three quarters of the pools",
                tied_best(DEFAULT, tuple(PEERS), 0.75),
            ),
            Claim(
                "Target: random rows are not",
                lambda numbers: _reversed(tied_best(RANDOM, tuple(PEERS), 0.75)(numbers)),
            ),
        ),
        ranking=Ranking(tuple(measure.key for measure in MEASURES), drawn=("area",)),
    )


def _reversed(verdict: Verdict) -> Verdict:
    return Verdict(None if verdict.held is None else not verdict.held, verdict.detail)


def show(measured: Measured, columns: Sequence[str], key: str, console: Console) -> None:
    """Means with standard errors, pools below each other."""
    rows = measured.rows
    table = Table(title=f"{key}: mean ± standard error; * the best of a pool")
    for head in ("strategy", *rows, "mean"):
        table.add_column(head, justify="right" if head != "strategy" else "left")
    found = {c: [measured.values.get((row, c, key)) for row in rows] for c in columns}
    highest = [
        max((v[j].mean for v in found.values() if v[j]), default=0) for j in range(len(rows))
    ]
    for column, values in found.items():
        told = [
            f"{v.mean:.3f} ± {v.deviation / max(v.n, 1) ** 0.5:.3f}{'*' if v.mean == top else ' '}"
            if v
            else ""
            for v, top in zip(values, highest)
        ]
        whole = f"{np.mean([v.mean for v in values]):.4f}" if all(values) else ""
        table.add_row(column, *told, whole)
    console.print(table)


def run() -> list[Line]:
    """Mean and rank by area on a small pool of each group."""
    return [
        line
        for group in GROUPS
        for line in fast_lines(group, part_of(group, (), tuple(STRATEGIES), 1), "area", "area")
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.active", description=__doc__)
    add, names = parser.add_argument, [*STRATEGIES]
    add("--group", choices=[*GROUPS], default="report")
    add("--pools", nargs="+", default=[], metavar="POOL", help="all of the group if left out")
    add("--strategies", nargs="+", choices=names, default=names, metavar="STRATEGY")
    add("--draws", type=int, default=DRAWS)
    add_cell_options(parser)
    add("--measures", nargs="+", choices=[m.key for m in MEASURES], default=["area"])
    return parser


def main(words: Sequence[str] | None = None) -> None:
    found = _parser().parse_args(words)
    console = Console(width=320, highlight=False)
    exhibit = part_of(found.group, found.pools, found.strategies, found.draws)
    whole = run_kept(exhibit, found, console)
    for key in found.measures:
        show(whole.measured, exhibit.columns, key, console)
    for claim in exhibit.claims:
        verdict = claim.check(whole.measured)
        console.print(f"{claim.text}: {verdict.held} ({verdict.detail})")


if __name__ == "__main__":
    main()
