"""Wide tables: processor time of a fit beside LightGBM, with as many trees and columns."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import lightgbm
import numpy as np
import scipy.sparse as sp

from benchmarks.lines import Line, at_most
from uneven import ComboClassifier, MuComboClassifier, MumboClassifier, NormComboClassifier

TREES, CLASSES, DEPTH = 100, 5, 3


def run() -> list[Line]:
    tables = {"150 x 10 000": _dense(150, 10_000), "2000 x 100 000, 1 %": _sparse(0.01)}
    lines = []
    for name, (X, y) in tables.items():
        other = _seconds(partial(_lightgbm().fit, X, y))
        for label, model in _methods(X.shape[1]).items():
            model.fit(X[:100], y[:100])
            ours = _seconds(partial(model.fit, X, y))
            what = f"{name}, {TREES} trees: {label}; other: LightGBM"
            line = at_most(what, ours, 2 * other, "s", f"{other:.3g} s")
            line.ratio = f"{ours / other:.2f}x"
            lines.append(line)
    few, many = (
        _seconds(partial(_methods(100_000)["CoMBo"].fit, *_sparse(f))) for f in (0.01, 0.02)
    )
    lines.append(at_most("CoMBo: twice the stored entries take so much longer", many / few, 2.5))
    return lines


def _methods(n_columns: int) -> dict[str, Any]:
    halves = [0, n_columns // 2, n_columns]
    shared = {"max_depth": DEPTH, "random_state": 0}
    return {
        "CoMBo": ComboClassifier(n_estimators=TREES, **shared),
        "CoMBo, a tenth of the columns": ComboClassifier(
            n_estimators=TREES, max_features=0.1, **shared
        ),
        "CoMBo, score leaves": ComboClassifier(n_estimators=TREES, leaves="scores", **shared),
        "NormCoMBo": NormComboClassifier(n_estimators=TREES, **shared),
        "MuMBo, 2 views": MumboClassifier(views=halves, n_estimators=TREES // 2, **shared),
        "µCoMBo, 2 views": MuComboClassifier(views=halves, n_estimators=TREES // 2, **shared),
    }


def _lightgbm() -> lightgbm.LGBMClassifier:
    """As many trees (one per class and round), as deep, that may use every column and bin."""
    return lightgbm.LGBMClassifier(
        n_estimators=TREES // CLASSES,
        num_leaves=2**DEPTH,
        max_depth=DEPTH,
        min_child_samples=1,
        min_data_in_bin=1,
        n_jobs=1,
        verbose=-1,
    )


def _dense(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % CLASSES
    X = rng.normal(size=(n_rows, n_columns))
    for k in range(CLASSES):
        X[y == k, 20 * k : 20 * k + 20] += 0.8
    return X, y


def _sparse(fill: float) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(0)
    n_rows, n_columns = 2000, 100_000
    y = np.arange(n_rows) % CLASSES
    counts = sp.random_array(
        (n_rows, n_columns), density=fill, rng=rng, data_sampler=lambda size: _counts(rng, size)
    )
    marked = rng.random((n_rows, 20)) < 0.2
    row, place = np.nonzero(marked)
    hints = sp.coo_array((np.ones(len(row)), (row, 20 * y[row] + place)), shape=counts.shape)
    return sp.csr_array(counts + hints), y


def _counts(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.integers(1, 6, size).astype(float)


def _seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start
