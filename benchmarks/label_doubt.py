"""Which rule finds wrong labels in out-of-fold probabilities?

``python -m benchmarks label-doubt`` makes 5 and 15 % of the labels of ten tables wrong, each by
another class at random, and averages the probabilities that a forest and a logistic regression
give to rows they have not seen. Every rule ranks the rows; shown is its average precision, mean
over the tables. The rules: 1 minus the probability of the label; its margin to the best other
class; that margin after thresholds by class, as in confident learning (Northcutt, Jiang and Chuang
2021); Bayes' rule with the noise matrix that the thresholds estimate; and with the true one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.lines import Line
from uneven.datasets import fetch, load_demo

NAMES = ("ecoli", "glass", "vehicle", "vowel", "steel", "segment", "wine", "waveform")
RATES = (0.05, 0.15)
MOST_ROWS = 1200
RULE = "1 - probability of the label"

Table = tuple[NDArray[np.float64], NDArray[np.intp]]


def tables() -> Iterator[Table]:
    """Features and codes of ten tables, without classes of fewer than six rows."""
    demo = load_demo()
    yield _prepared(demo.data, demo.target)
    yield _prepared(*load_breast_cancer(return_X_y=True))
    for name in NAMES:
        found = fetch(name)
        yield _prepared(found.data[:MOST_ROWS], found.target[:MOST_ROWS])


def _prepared(data: NDArray, target: NDArray) -> Table:
    codes = np.unique(np.asarray(target), return_inverse=True)[1]
    kept = np.bincount(codes)[codes] >= 6
    X = np.nan_to_num(np.asarray(data, dtype=float)[kept])
    return X, np.unique(codes[kept], return_inverse=True)[1]


def pooled(X: NDArray[np.float64], y: NDArray[np.intp]) -> NDArray[np.float64]:
    """Mean of the out-of-fold probabilities of a forest and a logistic regression."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    models = [
        RandomForestClassifier(80, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
    ]
    said = [cross_val_predict(m, X, y, cv=folds, method="predict_proba") for m in models]
    return np.mean(said, axis=0)


def doubts(
    p: NDArray[np.float64], y: NDArray[np.intp], noise: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """What each rule says about each row; `noise` has a column per true class."""
    rows, k = np.arange(len(y)), p.shape[1]
    own = p[rows, y]
    usual = np.array([p[y == c, c].mean() for c in range(k)])
    sure = np.where(p >= usual, p, -1.0)
    known = sure.max(axis=1) >= 0.0
    counts = np.eye(k)
    np.add.at(counts, (y[known], sure.argmax(axis=1)[known]), 1.0)
    counts *= (np.bincount(y, minlength=k) / counts.sum(axis=1))[:, None]
    return {
        RULE: 1.0 - own,
        "margin": _margin(p, y),
        "margin after thresholds by class": _margin(p - usual, y),
        "Bayes, estimated noise matrix": _bayes(p, y, counts / counts.sum(axis=0)),
        "Bayes, true noise matrix": _bayes(p, y, noise),
    }


def _margin(scores: NDArray[np.float64], y: NDArray[np.intp]) -> NDArray[np.float64]:
    rows, others = np.arange(len(y)), scores.copy()
    others[rows, y] = -np.inf
    return np.asarray(others.max(axis=1) - scores[rows, y])


def _bayes(
    p: NDArray[np.float64], y: NDArray[np.intp], noise: NDArray[np.float64]
) -> NDArray[np.float64]:
    joint = np.maximum(p, 1e-6) * np.maximum(noise[y], 1e-6)
    return np.asarray(1.0 - joint[np.arange(len(y)), y] / joint.sum(axis=1))


def run() -> list[Line]:
    """Average precision of each rule beside the simplest."""
    found: dict[str, list[float]] = {}
    for X, truth in tables():
        k = int(truth.max()) + 1
        for rate in RATES:
            rng = np.random.default_rng(1)
            moved = rng.random(len(truth)) < rate
            y = np.where(moved, (truth + rng.integers(1, k, len(truth))) % k, truth)
            if np.bincount(y, minlength=k).min() < 5:
                continue
            noise = np.full((k, k), rate / (k - 1))
            np.fill_diagonal(noise, 1.0 - rate)
            for rule, doubt in doubts(pooled(X, y), y, noise).items():
                found.setdefault(rule, []).append(average_precision_score(moved, doubt))
    means = {rule: float(np.mean(values)) for rule, values in found.items()}
    best = max(means.values())
    return [
        Line(
            rule,
            f"{value:.3f}",
            target="best within 0.005" if rule == RULE else "",
            met=value >= best - 0.005 if rule == RULE else None,
        )
        for rule, value in means.items()
    ]
