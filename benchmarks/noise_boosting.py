"""Boosting with 30 % wrong labels, beside plain boosting and cleanlab, on ten splits."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split

from benchmarks.lines import NOT_RUN, Line
from uneven import AdaBoostMMClassifier, ComboClassifier
from uneven.datasets import fetch
from uneven.noise import confusion_from_clean, corrupt_labels, cyclic_noise

DATA = ("pendigits", "segment")
SPLITS = range(10)
RATES = (0.2, 0.1)
"""Share of every class that is labelled as the next class, and as the one after it."""

CLEAN_SHARE = 0.05
ROBUST = {"max_depth": 8, "learning_rate": 0.3, "subsample": 0.5, "n_estimators": 400}
"""Chosen on the splits 100 to 102, which are not reported."""

METHODS = {"AdaBoost.MM": AdaBoostMMClassifier, "CoMBo": ComboClassifier}


def run() -> list[Line]:
    lines = []
    for name in DATA:
        try:
            data = fetch(name, download=False)
        except (OSError, ValueError) as error:
            lines.append(Line(f"{name}: {str(error).splitlines()[0][:90]}", NOT_RUN))
            continue
        jobs = (delayed(_errors_of_split)(data.data, data.target, split) for split in SPLITS)
        found = Parallel(n_jobs=2)(jobs)
        errors = {key: np.array([split[key] for split in found]) for key in found[0]}
        lines += _lines(name, errors)
    return lines


def _errors_of_split(X: Any, target: Any, split: int) -> dict[str, float]:
    """Test error of every learner on one split."""
    X, y = np.asarray(X, dtype=np.float64), np.unique(target, return_inverse=True)[1]
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, stratify=y, random_state=split
    )
    rng = np.random.default_rng(split)
    noise = cyclic_noise(y.max() + 1, RATES)
    noisy = corrupt_labels(y_train, noise, rng)
    checked, _ = train_test_split(
        np.arange(len(noisy)), train_size=CLEAN_SHARE, stratify=y_train, random_state=split
    )
    guess = confusion_from_clean(y_train[checked], noisy[checked], smoothing=1.0).matrix
    errors = {}

    def judge(what: str, model: Any, labels: np.ndarray, **fit: Any) -> None:
        errors[what] = float(np.mean(model.fit(train, labels, **fit).predict(test) != y_test))

    for name, method in METHODS.items():
        robust = {**ROBUST, "random_state": split}
        judge(f"{name}, depth 3, clean labels", method(), y_train)
        judge(f"{name}, depth 3, plain", method(), noisy)
        judge(f"{name}, depth 3, aware", method(noise_matrix=noise), noisy)
        judge(f"{name}, plain", method(**robust), noisy)
        judge(f"{name}, aware", method(**robust, noise_matrix=noise), noisy)
        judge(f"{name}, aware, matrix from 5 %", method(**robust, noise_matrix=guess), noisy)
    for name, model in _peers(split).items():
        judge(name, model, noisy, noise_matrix=noise)
    return errors


def _peers(seed: int) -> dict[str, Any]:
    """What a user would take instead: cleanlab, told the true matrix."""
    with contextlib.redirect_stdout(io.StringIO()):
        from cleanlab.classification import CleanLearning

    warnings.filterwarnings("ignore", module="cleanlab")
    one_process = {"n_jobs": 1}
    return {
        f"cleanlab, {name}": CleanLearning(
            model(random_state=seed), seed=seed, find_label_issues_kwargs=one_process
        )
        for name, model in {
            "random forest": RandomForestClassifier,
            "HistGradientBoosting": HistGradientBoostingClassifier,
        }.items()
    }


def _lines(data: str, errors: dict[str, np.ndarray]) -> list[Line]:
    peers = {key: value for key, value in errors.items() if key.startswith("cleanlab")}
    lines = [Line(f"{data}: {key}", _spread(value)) for key, value in peers.items()]
    best_peer = min(value.mean() for value in peers.values())
    for name in METHODS:
        shown = [key for key in errors if key.startswith(f"{name}, ") and key != f"{name}, aware"]
        lines += [Line(f"{data}: {key}", _spread(errors[key])) for key in shown]
        aware = errors[f"{name}, aware"]
        plain = min(errors[f"{name}, plain"].mean(), errors[f"{name}, depth 3, plain"].mean())
        lines.append(
            Line(
                f"{data}: {name}, aware; other: the better plain one",
                _spread(aware),
                f"{plain:.4f}",
                f"{aware.mean() / plain:.2f}",
                "<= 0.5",
                bool(aware.mean() <= 0.5 * plain),
            )
        )
        lines.append(
            Line(
                f"{data}: {name}, aware; other: the better cleanlab",
                _spread(aware),
                f"{best_peer:.4f}",
                f"{aware.mean() / best_peer:.2f}",
                "< 1",
                bool(aware.mean() < best_peer),
            )
        )
    return lines


def _spread(values: np.ndarray) -> str:
    return f"{values.mean():.4f} ± {values.std(ddof=1) / np.sqrt(len(values)):.4f}"
