"""Which rule finds wrong labels in out-of-fold probabilities?

``python -m benchmarks label-doubt`` makes 5 and 15 % of the labels of ten tables wrong, each by
another class at random, and averages the probabilities that a forest and a logistic regression
give to rows they have not seen. Every rule ranks the rows; shown is its average precision, mean
over the tables. The rules: 1 minus the probability of the label; its margin to the best other
class; that margin after thresholds by class, as in confident learning (Northcutt, Jiang and Chuang
2021); Bayes' rule with the noise matrix that the thresholds estimate; and with the true one.

Below, how many labels are said to be wrong: the mean over the tables of the absolute logarithm of
that number over the true one, and how often the 95 % interval holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
from uneven.noise import find_label_issues
from uneven.utils.optional import require

NAMES = ("ecoli", "glass", "vehicle", "vowel", "steel", "segment", "wine", "waveform")
RATES = (0.05, 0.15)
COUNTED = (0.05, 0.15, 0.3)
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


def noisy_tables(
    rates: Sequence[float],
) -> Iterator[tuple[float, NDArray[np.bool_], NDArray[np.intp], NDArray[np.float64]]]:
    """A rate, the rows whose labels are wrong, the labels and probabilities of unseen rows."""
    for X, truth in tables():
        k = int(truth.max()) + 1
        for rate in rates:
            rng = np.random.default_rng(1)
            moved = rng.random(len(truth)) < rate
            y = np.where(moved, (truth + rng.integers(1, k, len(truth))) % k, truth)
            if np.bincount(y, minlength=k).min() >= 5:
                yield rate, moved, y, pooled(X, y)


def counted(
    moved: NDArray[np.bool_],
    y: NDArray[np.intp],
    p: NDArray[np.float64],
    noise: NDArray[np.float64],
) -> Iterator[tuple[str, float, bool | None]]:
    """Who says it, the absolute logarithm of the ratio, and whether the interval holds."""
    wrong = int(moved.sum())
    for name, matrix in (("find_label_issues", None), ("the same, true noise matrix", noise)):
        found = find_label_issues(p, y, matrix)
        yield name, _log_ratio(found.expected, wrong), found.low <= wrong <= found.high
    count = require("cleanlab.count", "cleanlab", "bench")
    yield "cleanlab", _log_ratio(count.num_label_issues(labels=y, pred_probs=p), wrong), None


def _log_ratio(said: float, true: int) -> float:
    return float(abs(np.log(max(said, 0.5) / true)))


def run() -> list[Line]:
    """Average precision of each rule beside the simplest, then numbers of wrong labels."""
    found: dict[str, list[float]] = {}
    counts: dict[tuple[float, str], list[tuple[float, bool | None]]] = {}
    for rate, moved, y, p in noisy_tables(COUNTED):
        k = p.shape[1]
        noise = np.full((k, k), rate / (k - 1))
        np.fill_diagonal(noise, 1.0 - rate)
        for name, *said in counted(moved, y, p, noise):
            counts.setdefault((rate, name), []).append((said[0], said[1]))
        for rule, doubt in doubts(p, y, noise).items() if rate in RATES else ():
            found.setdefault(rule, []).append(average_precision_score(moved, doubt))
    means = {rule: float(np.mean(values)) for rule, values in found.items()}
    best = max(means.values())
    ranked = [
        Line(
            rule,
            f"{value:.3f}",
            target="best within 0.005" if rule == RULE else "",
            met=value >= best - 0.005 if rule == RULE else None,
        )
        for rule, value in means.items()
    ]
    return ranked + [_count_line(*key, values) for key, values in counts.items()]


def _count_line(rate: float, name: str, values: Sequence[tuple[float, bool | None]]) -> Line:
    held = [inside for _, inside in values if inside is not None]
    told = f"{sum(held)} of {len(held)} intervals" if held else ""
    off = np.mean([off for off, _ in values])
    return Line(f"{100 * rate:.0f} % wrong, number by {name}", f"{off:.2f}", told)
