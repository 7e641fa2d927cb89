"""What the multi-view methods reach: partial views, handwritten digits, missing views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold

from benchmarks.lines import NOT_RUN, Line
from uneven import (
    AdaBoostMMClassifier,
    CarakoClassifier,
    ComboClassifier,
    LateFusionClassifier,
    MuComboClassifier,
    MumboClassifier,
)
from uneven.boosting import ShareBoostClassifier
from uneven.datasets import fetch, make_imbalanced_views
from uneven.metrics import confusion_norm, geometric_mean_recall

Models = dict[str, Callable[[], Any]]


def late(model: Any) -> LateFusionClassifier:
    return LateFusionClassifier(model, combine="margins")


def partial_views(n_draws: int = 10) -> list[Line]:
    """Six classes, four views that know a few of them each; stumps, 100 rounds, new draws."""
    boost = {"n_estimators": 100, "max_depth": 1}
    models: Models = {
        "µCoMBo": lambda: MuComboClassifier(**boost),
        "µCoMBo, simplified": lambda: MuComboClassifier(coefficients="simplified", **boost),
        "MuMBo": lambda: MumboClassifier(**boost),
        "MuMBo, combination or best": lambda: MumboClassifier(
            selection="combination_or_best", **boost
        ),
        "ShareBoost": lambda: ShareBoostClassifier(**boost),
        "2-Boost": lambda: ShareBoostClassifier(selection="combination", **boost),
        "CoMBo, early fusion": lambda: ComboClassifier(**boost),
        "CoMBo, late fusion": lambda: late(ComboClassifier(**boost)),
        "AdaBoost.MM, early fusion": lambda: AdaBoostMMClassifier(**boost),
        "AdaBoost.MM, late fusion": lambda: late(AdaBoostMMClassifier(**boost)),
        "Carako": lambda: CarakoClassifier("published", max_depth=5, random_state=0),
        "best single view, AdaBoost.MM": lambda: AdaBoostMMClassifier(**boost),
    }
    scores: dict[str, list[tuple[float, float, float]]] = {name: [] for name in models}
    for seed in range(n_draws):
        data = make_imbalanced_views(2400, random_state=seed)
        for name, make in models.items():
            views = [data.views]
            if name.startswith("best single"):
                views = [{view: columns} for view, columns in data.views.items()]
            found = [_half_and_half(make().set_params(views=v), data) for v in views]
            scores[name].append(max(found))
    mean = {name: np.mean(values, axis=0) for name, values in scores.items()}
    return _partial_lines(mean)


def _half_and_half(model: Any, data: Any) -> tuple[float, float, float]:
    """Accuracy, G-mean and norm on the second half of a draw."""
    half = len(data.target) // 2
    model.fit(data.data[:half], data.target[:half])
    answers, y = model.predict(data.data[half:]), data.target[half:]
    return (
        float(np.mean(answers == y)),
        geometric_mean_recall(y, answers),
        confusion_norm(y, answers),
    )


def _partial_lines(mean: dict[str, np.ndarray]) -> list[Line]:
    beaten = ("MuMBo", "CoMBo, early fusion", "AdaBoost.MM, late fusion")
    lines = []
    for name, (accuracy, gmean, norm) in mean.items():
        line = Line(
            f"{name}: accuracy",
            f"{accuracy:.3f}",
            f"G-mean {gmean:.3f}",
            f"norm {norm:.3f}",
        )
        if name in ("µCoMBo", "µCoMBo, simplified"):
            line.target = "G-mean, norm better than " + ", ".join(beaten)
            line.met = all(gmean > mean[o][1] and norm < mean[o][2] for o in beaten)
        if name == "MuMBo":
            line.target = "accuracy >= best single view"
            line.met = bool(accuracy >= mean["best single view, AdaBoost.MM"][0])
        lines.append(line)
    return lines


def _digit_models() -> Models:
    """Depth-3 trees, 200 rounds; gradient boosting as scikit-learn offers it."""
    return {
        "MuMBo": lambda: MumboClassifier(n_jobs=2),
        "µCoMBo": lambda: MuComboClassifier(n_jobs=2),
        "µCoMBo, simplified": lambda: MuComboClassifier(coefficients="simplified", n_jobs=2),
        "AdaBoost.MM, early fusion": lambda: AdaBoostMMClassifier(n_jobs=2),
        "CoMBo, early fusion": lambda: ComboClassifier(n_jobs=2),
        "AdaBoost.MM, late fusion": lambda: late(AdaBoostMMClassifier(n_jobs=2)),
        "CoMBo, late fusion": lambda: late(ComboClassifier(n_jobs=2)),
        "gradient boosting, class-weighted": lambda: HistGradientBoostingClassifier(
            class_weight="balanced", random_state=0
        ),
    }


def digits() -> list[Line]:
    """Accuracy on the six views of mfeat, whole and with 30 % of every view's rows missing."""
    try:
        data = fetch("mfeat", download=False)
    except (OSError, ValueError) as error:
        return [Line(f"mfeat: {str(error).splitlines()[0][:90]}", NOT_RUN)]
    X, y = data.data.to_numpy(dtype=np.float64), np.asarray(data.target)
    names = [column.split("__")[0] for column in data.data.columns]
    views = {view: np.array(names) == view for view in dict.fromkeys(names)}
    holes = with_missing_views(X, views, share=0.3)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    found = {}
    for name, make in _digit_models().items():
        found[name] = [_accuracy(make, table, y, views, folds) for table in (X, holes)]
    nan_aware = ("AdaBoost.MM, early fusion", "CoMBo, early fusion")
    nan_aware = (*nan_aware, "gradient boosting, class-weighted")
    least = min(found[name][0] - found[name][1] for name in nan_aware)
    lines = []
    for name, (whole, partly) in found.items():
        line = Line(
            f"{name}: accuracy; other: 30 % missing",
            f"{whole:.4f}",
            f"{partly:.4f}",
            f"{partly - whole:+.4f}",
        )
        if name in ("MuMBo", "µCoMBo", "µCoMBo, simplified"):
            line.target, line.met = ">= .97", bool(whole >= 0.97)
        if name == "µCoMBo":
            line.target += f", loss < {least:.4f} (early fusion)"
            line.met = line.met and bool(whole - partly < least)
        lines.append(line)
    return lines


def with_missing_views(X: np.ndarray, views: dict[str, np.ndarray], share: float) -> np.ndarray:
    """A copy of the table in which each view is missing in some rows, independently."""
    rng = np.random.default_rng(0)
    holes = X.copy()
    for columns in views.values():
        holes[np.ix_(rng.random(len(X)) < share, columns)] = np.nan
    return holes


def _accuracy(make: Callable[[], Any], X: Any, y: Any, views: Any, folds: Any) -> float:
    right = []
    for train, test in folds:
        model = make()
        if "views" in model.get_params():
            model.set_params(views=views)
        right.append(model.fit(X[train], y[train]).score(X[test], y[test]))
    return float(np.mean(right))
