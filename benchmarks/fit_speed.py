"""Time to fit: against LightGBM and scikit-learn's AdaBoost, per round and per accuracy reached."""

from __future__ import annotations

import time
from functools import partial

import lightgbm
import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data import table
from benchmarks.lines import Line, at_least, best_of_each
from uneven import ComboClassifier

THREADS = 2
ROUNDS = 50


def run() -> list[Line]:
    X, y = table(100_000, 50, 7)
    lines = []
    for depth, factor in ((1, 4.0), (3, 2.0)):
        ours = ComboClassifier(n_estimators=ROUNDS, max_depth=depth, n_jobs=THREADS)
        other = _lightgbm(2**depth, ROUNDS)
        ours.fit(X[:2000], y[:2000])
        lines.append(
            at_least(
                f"{ROUNDS} rounds of depth {depth}, 100k x 50, K=7; LightGBM {2**depth} leaves",
                *best_of_each([partial(ours.fit, X, y), partial(other.fit, X, y)]),
                factor,
            )
        )
    lines.append(_against_adaboost())
    for depth in (1, 3):
        lines.append(_time_to_accuracy(depth))
    return lines


def _lightgbm(leaves: int, rounds: int) -> lightgbm.LGBMClassifier:
    return lightgbm.LGBMClassifier(
        n_estimators=rounds,
        num_leaves=leaves,
        max_bin=255,
        class_weight="balanced",
        n_jobs=THREADS,
        verbose=-1,
    )


def _against_adaboost() -> Line:
    X, y = table(20_000, 16, 26)
    ours = ComboClassifier(n_estimators=ROUNDS, max_depth=1, n_jobs=THREADS)
    other = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=ROUNDS)
    ours.fit(X[:2000], y[:2000])
    return at_least(
        f"{ROUNDS} stumps, 20k x 16, K=26; other: scikit-learn AdaBoost",
        *best_of_each([partial(ours.fit, X, y), partial(other.fit, X, y)]),
        20.0,
    )


def _time_to_accuracy(depth: int, limit: int = 400) -> Line:
    """Time each needs to reach the balanced accuracy that both reach on held-out rows."""
    X, y = table(125_000, 50, 7)
    X, y, X_new, y_new = X[:100_000], y[:100_000], X[100_000:], y[100_000:]
    ours = ComboClassifier(n_estimators=limit, max_depth=depth, n_jobs=THREADS).fit(X, y)
    other = _lightgbm(2**depth, limit).fit(X, y)
    our_curve = [balanced_accuracy_score(y_new, answers) for answers in ours.staged_predict(X_new)]
    steps = list(range(5, limit + 1, 5))
    other_curve = [
        balanced_accuracy_score(y_new, other.predict(X_new, num_iteration=k)) for k in steps
    ]
    goal = min(max(our_curve), max(other_curve))
    our_rounds = int(np.argmax(np.array(our_curve) >= goal)) + 1
    other_rounds = steps[int(np.argmax(np.array(other_curve) >= goal))]
    ours.set_params(n_estimators=our_rounds)
    other.set_params(n_estimators=other_rounds)
    times = []
    for model in (ours, other):
        start = time.perf_counter()
        model.fit(X, y)
        times.append(time.perf_counter() - start)
    return Line(
        f"time to balanced accuracy {goal:.3f}, depth {depth} "
        f"(best: ours {max(our_curve):.3f}, LightGBM {max(other_curve):.3f})",
        f"{times[0]:.3g} s ({our_rounds} rounds)",
        f"{times[1]:.3g} s ({other_rounds} x 7 trees)",
        f"{times[1] / times[0]:.2f}x",
    )
