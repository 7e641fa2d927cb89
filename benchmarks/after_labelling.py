"""Which classifier to fit to the labels that active learning asked for: accuracy on unseen rows.

The default rule of `ActiveLearner` around a Bayes point asks for the budget of each pool; then
every classifier learns from these labels alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score

from benchmarks.active.pools import GROUPS, LabelPool, Split
from benchmarks.active.strategies import STRATEGIES, make_learner
from benchmarks.lines import NOT_RUN, Line
from uneven import BayesPointClassifier, UnevenClassifier
from uneven_published.description import Context

DRAWS = 5


def _bayes_point(X: Any) -> BayesPointClassifier:
    return BayesPointClassifier("linear" if sp.issparse(X) else "rbf", random_state=0)


CLASSIFIERS: Mapping[str, Callable[[Any], Any]] = {
    "UnevenClassifier": lambda X: UnevenClassifier(random_state=0),
    "UnevenClassifier, accuracy": lambda X: UnevenClassifier(measure="accuracy", random_state=0),
    "Bayes point": _bayes_point,
    "forest": lambda X: RandomForestClassifier(random_state=0),
    "logistic regression": lambda X: LogisticRegression(max_iter=1000),
}
"""What learns from the labels, given the rows of the pool."""


def judge(split: Split, pool: LabelPool, seed: int) -> np.ndarray:
    """Accuracy and balanced accuracy of every classifier; shape (n_classifiers, 2)."""
    learner = make_learner(STRATEGIES["Default"], split, seed)
    while (left := pool.start + pool.budget - len(learner.labelled_)) > 0:
        rows = learner.ask(min(pool.at_once, left))
        learner.tell(rows, split.y[rows])
    known = learner.labelled_
    found = []
    for make in CLASSIFIERS.values():
        predicted = make(split.X).fit(split.X[known], split.y[known]).predict(split.X_test)
        judges = accuracy_score, balanced_accuracy_score
        found.append([judge(split.y_test, predicted) for judge in judges])
    return np.array(found)


def run() -> list[Line]:
    """Mean over the draws for each pool of the report group, and over the pools."""
    lines, means = [], []
    for name, pool in GROUPS["report"].items():
        try:
            splits = [pool.draw(seed, Context()) for seed in range(DRAWS)]
        except (ImportError, OSError, ValueError) as error:
            lines.append(Line(f"{name}: {str(error).splitlines()[0][:90]}", NOT_RUN))
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [judge(split, pool, seed) for seed, split in enumerate(splits)]
        means.append(np.mean(found, axis=0))
        lines += _lines(name, means[-1])
    return lines + (_lines(f"mean of {len(means)} pools", np.mean(means, axis=0)) if means else [])


def _lines(title: str, means: np.ndarray) -> list[Line]:
    return [
        Line(f"{title}: {name}", f"{accuracy:.3f}", f"{balanced:.3f}")
        for name, (accuracy, balanced) in zip(CLASSIFIERS, means)
    ]
