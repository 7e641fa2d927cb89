"""Many classes in several views: trees of depth 3, of the default depth, and other classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.lines import Line
from benchmarks.views.groups import GROUPS, row_of
from benchmarks.views.methods import forest_per_view
from uneven import LateFusionClassifier, MuComboClassifier, MumboClassifier
from uneven.boosting import ShareBoostClassifier
from uneven_published import Context

FOLDS = 3


def run() -> list[Line]:
    """Balanced accuracy of each method with trees of depth 3 and with its default."""
    tables = {"100 classes, three views": _clusters(100)} | {
        name: _letters(name) for name in ("Letters", row_of("Letters", 30))
    }
    return [
        Line(f"{table}: {name}", f"{_balanced(model, X, y):.3f}")
        for table, (X, y) in tables.items()
        for name, model in _methods(y).items()
    ]


def _methods(y: np.ndarray) -> dict[str, Any]:
    shared: dict[str, Any] = {"views": "prefix", "random_state": 0}
    boosting = {
        "MuMBo": MumboClassifier(**shared),
        "µCoMBo": MuComboClassifier(**shared),
        "ShareBoost": ShareBoostClassifier(**shared),
    }
    found = {}
    for name, model in boosting.items():
        found |= {f"{name}, depth 3": clone(model).set_params(max_depth=3), name: model}
    forest = forest_per_view(None, y, 0, divide_by_prior=False)
    return found | {"late fusion": LateFusionClassifier(**shared), "forest per view": forest}


def _balanced(model: Any, X: pd.DataFrame, y: np.ndarray) -> float:
    """Mean balanced accuracy of the folds."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y)
    scores = []
    for train, test in folds:
        fitted = clone(model).fit(X.iloc[train], y[train])
        scores.append(balanced_accuracy_score(y[test], fitted.predict(X.iloc[test])))
    return float(np.mean(scores))


def _clusters(n_classes: int, rows: int = 9, width: int = 10) -> tuple[pd.DataFrame, np.ndarray]:
    """A Gaussian for each class in each of three views."""
    rng = np.random.default_rng(0)
    y = np.arange(n_classes * rows) % n_classes
    blocks = {}
    for view in ("a", "b", "c"):
        block = rng.normal(size=(len(y), width)) + 2.0 * rng.normal(size=(n_classes, width))[y]
        blocks |= {f"{view}__{k}": block[:, k] for k in range(width)}
    return pd.DataFrame(blocks), y


def _letters(row: str) -> tuple[pd.DataFrame, np.ndarray]:
    found = GROUPS["development"][row](Context())
    return found.data, np.asarray(found.target)
