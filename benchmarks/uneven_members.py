"""Members of `UnevenClassifier`: how many folds its boost needs, and what extra trees add.

Small development tables with rare classes, five folds; every variant differs from the default in
one thing.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from benchmarks.lines import Line
from uneven import UnevenClassifier
from uneven.ensemble.tasks import Task
from uneven_published import Context
from uneven_published.norm.folds import PooledFolds, judge_folds
from uneven_published.norm.groups import GROUPS

TABLES = (
    "Ecoli", "Glass", "New-Thyroid", "Balance", "Automobile", "Cleveland", "Dermatology",
    "Flare", "Hayes-Roth", "Zoo", "Segment, long tail", "Vehicle, long tail",
    "Vowel, long tail", "Steel, long tail", "Waveform, long tail",
)  # fmt: skip
REPEATS = 2
DEFAULT = "as it is"
SHOWN = {"norm": -1, "gmean": 1, "log_loss": -1, "processor": -1}
"""Measures, and whether more of them is better."""


@dataclass(frozen=True)
class Variant:
    """Other settings of some members.

    Attributes
    ----------
    settings : mapping of str to mapping of str to object
        By member; None leaves the member out.
    """

    settings: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)

    def __call__(self, X: Any, y: np.ndarray, seed: int) -> Any:
        """The classifier."""
        return VariedClassifier(self, random_state=seed)

    def of(self, task: Task) -> Task:
        """The task with the settings of the variant."""
        return replace(task, learner=replace(task.learner, **self.settings.get(task.name) or {}))

    def leaves_out(self, task: Task) -> bool:
        """Whether the variant is without this member."""
        return self.settings.get(task.name, {}) is None


class VariedClassifier(UnevenClassifier):
    """`UnevenClassifier` with members of a variant."""

    def __init__(self, variant: Variant, *, random_state: Any = None) -> None:
        super().__init__(random_state=random_state)
        self.variant = variant

    def _tasks(self, *told: Any) -> list[Task]:
        tasks = super()._tasks(*told)
        return [self.variant.of(task) for task in tasks if not self.variant.leaves_out(task)]


VARIANTS: Mapping[str, Variant] = {
    DEFAULT: Variant(),
    "boost of 2 folds": Variant({"boost": {"n_folds": 2}}),
    "boost of 5 folds": Variant({"boost": {"n_folds": 5}}),
    "boost of 10 folds": Variant({"boost": {"n_folds": 10}}),
    "forest of 300 trees, no extra trees": Variant(
        {"forest": {"n_trees": 300}, "extra_trees": None}
    ),
    "300 extra trees, no forest": Variant({"extra_trees": {"n_trees": 300}, "forest": None}),
    "forest of 300 trees, and extra trees": Variant({"forest": {"n_trees": 300}}),
}


def measure(variant: Variant) -> dict[str, np.ndarray]:
    """Mean over the repetitions by measure, one number for each table."""
    tables = {name: GROUPS["development"][name] for name in TABLES}
    folds = PooledFolds(tables, "", variant)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            [judge_folds(folds.folds(name, repeat, Context())) for repeat in range(REPEATS)]
            for name in TABLES
        ]
    return {key: np.array([np.mean([r[key] for r in row]) for row in found]) for key in SHOWN}


def run() -> list[Line]:
    """Means of every variant, and its wins and losses against the default."""
    base: dict[str, np.ndarray] = {}
    lines = []
    for name, variant in VARIANTS.items():
        found = measure(variant)
        base = base or found
        for key, sign in SHOWN.items():
            better = sign * (found[key] - base[key])
            told = ""
            if name != DEFAULT:
                wins, losses = int((better > 0).sum()), int((better < 0).sum())
                told = f"{wins}-{losses}, p {wilcoxon(better).pvalue:.2f}"
            lines.append(Line(f"{name}: {key}", f"{found[key].mean():.3f}", "", told))
    return lines
