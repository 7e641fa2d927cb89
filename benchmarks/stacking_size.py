"""Learning to combine many scores: processor time beside one ridge solve, and memory."""

from __future__ import annotations

import time
import tracemalloc
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge

from benchmarks.lines import Line, at_most
from uneven.datasets import make_level_one
from uneven.stacking import StackCombiner, solve
from uneven.stacking.model.losses import class_targets

SHAPE = (20_000, 100, 20)
WARMUP = (200, 10, 20)
STRENGTH = 1e-3


def ours(scores: np.ndarray, y: np.ndarray) -> StackCombiner:
    """The default: thirteen strengths, five folds, weights, and the link to probabilities."""
    return StackCombiner(random_state=0).fit(scores, y)


def one_ridge(scores: np.ndarray, y: np.ndarray) -> object:
    """The same combination with squared weights and one strength, in closed form."""
    options = {"combination": "cws", "loss": "squared", "penalty": "l2"}
    return solve(scores, y, strength=STRENGTH, solver="closed form", **options)


def ridge_per_class(scores: np.ndarray, y: np.ndarray) -> list[Ridge]:
    """The same by scikit-learn: a regression for every class."""
    targets = class_targets(y, scores.shape[2], "01")
    model = {"alpha": STRENGTH * len(y), "fit_intercept": False}
    return [Ridge(**model).fit(scores[:, :, n], targets[:, n]) for n in range(scores.shape[2])]


def logistic(scores: np.ndarray, y: np.ndarray) -> LogisticRegression:
    """What scikit-learn's StackingClassifier learns by default."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LogisticRegression().fit(scores.reshape(len(scores), -1), y)


def processor_seconds(call: Callable[[], object], tries: int = 3) -> float:
    """The shortest of some times."""
    found = []
    for _ in range(tries):
        begun = time.process_time()
        call()
        found.append(time.process_time() - begun)
    return min(found)


def run() -> list[Line]:
    small = make_level_one(*WARMUP, random_state=0)
    ours(small.scores, small.target)
    level = make_level_one(*SHAPE, random_state=0)
    scores, y = level.scores, level.target
    spent = processor_seconds(lambda: ours(scores, y))
    lines = []
    for what, call, factor, tries in (
        ("one ridge solve, closed form", one_ridge, 3.0, 3),
        ("one ridge solve, scikit-learn", ridge_per_class, 3.0, 3),
        ("scikit-learn's logistic regression", logistic, 2.0, 1),
    ):
        other = processor_seconds(lambda call=call: call(scores, y), tries)
        line = at_most(f"combine; other: {what}", spent, factor * other, "s", f"{other:.3g} s")
        line.ratio = f"{spent / other:.2f}x"
        lines.append(line)
    tracemalloc.start()
    ours(scores, y)
    peak = tracemalloc.get_traced_memory()[1] / scores.nbytes
    tracemalloc.stop()
    return [*lines, at_most("peak memory beside the scores, in sizes of the scores", peak, 3.0)]
