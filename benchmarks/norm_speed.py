"""Time to fit NormCoMBo beside CoMBo with as many trees, and UnevenClassifier beside LightGBM."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.datasets import make_classification

from benchmarks.lines import Line, at_least, best_of_each
from uneven import ComboClassifier, NormComboClassifier, UnevenClassifier
from uneven_published.norm.tables import TIMES

TABLES = {"small": (200, 9, 6), "middle": (3000, 16, 26), "large": (50_000, 20, 5)}
"""Rows, columns and classes; the first class has eight times the rows of the last."""

TREES = (200, 600)
REPEATS = {"small": 9, "middle": 3, "large": 3}

MANY_ROWS = (20_000, 30, 5)
"""From so many rows on, UnevenClassifier is one boost."""


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
    return lines + many_rows()


def many_rows() -> list[Line]:
    """Fit and predict by UnevenClassifier and LightGBM, one thread."""
    X, y = uneven_table(*MANY_ROWS)
    ours = UnevenClassifier(random_state=0, n_jobs=1)
    other = LGBMClassifier(random_state=0, n_jobs=1, verbose=-1)
    fits = best_of_each([partial(one.fit, X, y) for one in (ours, other)])
    answers = best_of_each([partial(one.predict, X) for one in (ours, other)])
    n, d, n_classes = MANY_ROWS
    what = f"by UnevenClassifier, {n} x {d}, K={n_classes}; other: LightGBM"
    return [
        at_least(f"fit {what}", fits[0], fits[1], 1.0),
        at_least(f"predict {what}", answers[0], answers[1], 0.5),
    ]
