"""Few labels, several views: do rows without labels help, and more than by the simplest rival?

Three labels of each class; balanced accuracy on a third of the rows that nobody sees.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier

from benchmarks.lines import Line
from benchmarks.views.groups import GROUPS
from uneven import LateFusionClassifier
from uneven.fusion import CoTrainingClassifier
from uneven_published.description import Context
from uneven_published.norm.folds import read_table

LABELS_PER_CLASS, DRAWS, UNLABELLED = 3, 5, -1
TABLES = [name for name in GROUPS["development"] if ", " not in name]


def _late() -> LateFusionClassifier:
    return LateFusionClassifier(views="prefix", random_state=0)


def _logistic() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def _forest() -> RandomForestClassifier:
    return RandomForestClassifier(random_state=0)


METHODS: Mapping[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "co-training of late fusion": (_late, lambda: CoTrainingClassifier(_late())),
    "self-training, forest on all columns": (_forest, lambda: SelfTrainingClassifier(_forest())),
    "self-training, logistic on all columns": (
        _logistic,
        lambda: SelfTrainingClassifier(_logistic()),
    ),
}
"""What learns from labelled rows only, and the same with the other rows."""


def few_labels(y: np.ndarray, seed: int) -> np.ndarray:
    """The labels with all but a few of each class replaced; shape (n,)."""
    order = np.random.default_rng(seed).permutation(len(y))
    known = [order[y[order] == label][:LABELS_PER_CLASS] for label in np.unique(y)]
    some = np.full(len(y), UNLABELLED)
    some[np.concatenate(known)] = y[np.concatenate(known)]
    return some


def judge(X: pd.DataFrame, y: np.ndarray, seed: int) -> dict[str, tuple[float, float]]:
    """Balanced accuracy without and with rows without labels, by method."""
    seen, held = train_test_split(np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=seed)
    some, rows, new = few_labels(y[seen], seed), X.iloc[seen], X.iloc[held]
    labelled = some != UNLABELLED
    found = {}
    for name, (alone, helped) in METHODS.items():
        models = alone().fit(rows[labelled], some[labelled]), helped().fit(rows, some)
        found[name] = tuple(balanced_accuracy_score(y[held], m.predict(new)) for m in models)
    return found


def run() -> list[Line]:
    """Mean over the draws for each table, and over the tables."""
    means: dict[str, list[np.ndarray]] = {name: [] for name in METHODS}
    lines = []
    for table in TABLES:
        X, y = read_table(GROUPS["development"][table], Context())
        y = np.unique(y, return_inverse=True)[1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            draws = [judge(X, y, seed) for seed in range(DRAWS)]
        for name in METHODS:
            means[name].append(np.mean([draw[name] for draw in draws], axis=0))
            lines.append(_line(f"{table}: {name}", means[name][-1]))
    total = {name: np.mean(some, axis=0) for name, some in means.items()}
    ours, *rivals = (float(both[1]) for both in total.values())
    for name, both in total.items():
        lines.append(_line(f"mean of {len(TABLES)} tables: {name}", both))
    lines[-len(METHODS)].target, lines[-len(METHODS)].met = "best", ours > max(rivals)
    return lines


def _line(what: str, both: np.ndarray) -> Line:
    return Line(what, f"{both[1]:.3f}", f"{both[0]:.3f} without", f"{both[1] - both[0]:+.3f}")
