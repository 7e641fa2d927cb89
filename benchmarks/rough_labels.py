"""Labels of a rough classifier: a noise matrix, or noise near its boundary?

``python -m benchmarks rough-labels`` labels 15 rows of each class, lets naive Bayes or a strongly
regularised logistic regression label up to 1000 others, and fits boosted trees and UMA by
`LabelRepairPipeline` with either model of the noise. Shown are errors on rows that nobody labelled,
means of two draws. The model of noise near the boundary was
tried on the first group of tables only.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from benchmarks.lines import Line
from uneven import ComboClassifier
from uneven.datasets import fetch
from uneven.noise import LabelRepairPipeline, UMAClassifier

GROUPS = {
    "development": ("vehicle", "segment", "vowel", "waveform", "pendigits"),
    "report": ("letter", "optdigits", "robot", "steel", "mfeat"),
}
DRAWS, LABELS, ROWS, TESTED = 2, 15, 1000, 800

ROUGH = {
    "naive Bayes": GaussianNB(var_smoothing=0.01),
    "logistic": LogisticRegression(C=0.1, max_iter=200),
}
LEARNERS = {
    "CoMBo": ComboClassifier(
        n_estimators=30, max_depth=6, subsample=0.5, learning_rate=0.3, random_state=0
    ),
    "UMA": UMAClassifier(max_iter=300, random_state=0),
}


def run() -> list[Line]:
    """Errors of the rough classifier and of both learners with both models of the noise."""
    return [line for group, names in GROUPS.items() for line in _group(group, names)]


def _group(group: str, names: tuple[str, ...]) -> list[Line]:
    found = {
        name: np.mean([_errors(name, seed) for seed in range(DRAWS)], axis=0) for name in names
    }
    columns = [
        f"{rough}, {what}"
        for rough in ROUGH
        for what in ("alone", *(f"{one}, {noise}" for one in LEARNERS for noise in _NOISES))
    ]
    table = np.array(list(found.values()))
    lines = [
        Line(f"{group}, {column}", f"{table[:, j].mean():.3f}", " ".join(map(_short, table[:, j])))
        for j, column in enumerate(columns)
    ]
    return [*lines, *_wins(group, columns, table)]


def _wins(group: str, columns: list[str], table: np.ndarray) -> list[Line]:
    """On how many tables and rough classifiers the boundary is better than the matrix."""
    lines = []
    for one in LEARNERS:
        pairs = [j for j, column in enumerate(columns) if column.endswith(f"{one}, class")]
        ahead = sum(int((table[:, j + 1] < table[:, j]).sum()) for j in pairs)
        label = f"{group}, {one}: boundary better than class"
        lines.append(Line(label, f"{ahead} of {len(pairs) * len(table)}"))
    return lines


_NOISES = ("class", "boundary")


def _short(error: float) -> str:
    return f"{error:.3f}"


def _errors(name: str, seed: int) -> list[float]:
    X, codes, few, rest, test = _draw(name, seed)
    y = np.full(len(codes), -1)
    y[few] = codes[few]
    train, errors = np.concatenate([few, rest]), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rough in ROUGH.values():
            errors.append(_error(clone(rough).fit(X[few], y[few]), X[test], codes[test]))
            for learner in LEARNERS.values():
                for noise in _NOISES:
                    model = LabelRepairPipeline(rough, learner, noise=noise)
                    errors.append(_error(model.fit(X[train], y[train]), X[test], codes[test]))
    return errors


def _draw(name: str, seed: int) -> tuple[np.ndarray, ...]:
    """Scaled columns, codes, and rows that are labelled, labelled cheaply, and judged."""
    found = fetch(name)
    X = np.asarray(found.data, dtype=np.float64)
    codes = np.unique(np.asarray(found.target), return_inverse=True)[1]
    order = np.random.default_rng(seed).permutation(len(codes))
    n_test = min(TESTED, len(codes) // 3)
    test, train = order[:n_test], order[n_test : n_test + ROWS]
    few = np.concatenate([train[codes[train] == k][:LABELS] for k in range(codes.max() + 1)])
    scaled = StandardScaler().fit(X[train]).transform(X)
    return scaled, codes, few, np.setdiff1d(train, few), test


def _error(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean(model.predict(X) != y))
