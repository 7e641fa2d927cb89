"""Time to fit NormCoMBo, as a multiple of CoMBo with as many trees."""

from __future__ import annotations

import time

import numpy as np
from sklearn.datasets import make_classification

from benchmarks.lines import Line
from uneven import ComboClassifier, NormComboClassifier
from uneven_published.norm.tables import TIMES

TABLES = {"small": (200, 9, 6), "middle": (3000, 16, 26), "large": (50_000, 20, 5)}
"""Rows, columns and classes; the first class has eight times the rows of the last."""

TREES = (200, 600)
REPEATS = {"small": 9, "middle": 3, "large": 3}


def uneven_table(n: int, d: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal clouds, one per class, in six tenths of the columns."""
    sizes = np.geomspace(8.0, 1.0, n_classes)
    return make_classification(
        n,
        d,
        n_informative=round(0.6 * d),
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=1,
        weights=sizes / sizes.sum(),
        random_state=0,
    )


def fit_times(X: np.ndarray, y: np.ndarray, n_trees: int, repeats: int) -> np.ndarray:
    """Seconds of NormCoMBo and of CoMBo, which take turns; medians, shape (2,)."""
    models = (
        NormComboClassifier(n_estimators=n_trees, random_state=0, n_jobs=1),
        ComboClassifier(n_estimators=n_trees, random_state=0, n_jobs=1),
    )
    times = np.empty((repeats, 2))
    for turn in range(repeats):
        for k, model in enumerate(models):
            start = time.perf_counter()
            model.fit(X, y)
            times[turn, k] = time.perf_counter() - start
    return np.median(times, axis=0)


def run() -> list[Line]:
    fit_times(*uneven_table(*TABLES["small"]), 30, 1)
    lines = []
    for name, shape in TABLES.items():
        X, y = uneven_table(*shape)
        for n_trees in TREES:
            ours, plain = fit_times(X, y, n_trees, REPEATS[name])
            n, d, n_classes = shape
            lines.append(
                Line(
                    f"{n_trees} trees, {n} x {d}, K={n_classes}; other: CoMBo",
                    f"{ours:.3g} s",
                    f"{plain:.3g} s",
                    f"{ours / plain:.2f}x",
                    f"<= {TIMES:g}x",
                    bool(ours <= TIMES * plain),
                )
            )
    return lines
