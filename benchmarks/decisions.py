"""A fitted decision around three classifiers, beside the most probable class and the prior rule."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.lines import NOT_RUN, Line
from uneven import TunedDecisionClassifier
from uneven.datasets import fetch, make_long_tailed
from uneven.decisions import fit_decision
from uneven.metrics import confusion_norm, geometric_mean_recall, mean_recall, worst_recall

NATURAL = ("balance", "car", "ecoli5", "glass", "steel", "robot")
THINNED = ("vehicle", "vowel", "segment", "waveform", "wine", "optdigits", "pendigits", "letter")
FOLDS = 3
SHUFFLES = {"LightGBM": 1, "forest": 1, "logistic": 5}
"""Of the rows before they are cut into folds; gains of logistic regression are near the noise."""
NOISE = 0.005
"""Means over tables that differ by less are alike."""

MODELS: dict[str, Callable[[], Any]] = {
    "LightGBM": lambda: LGBMClassifier(n_jobs=1, verbose=-1, random_state=0),
    "forest": lambda: RandomForestClassifier(300, oob_score=True, random_state=0),
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
}
MEASURES: dict[str, Callable[[Any, Any], float]] = {
    "norm": confusion_norm,
    "gmean": geometric_mean_recall,
    "balanced_accuracy": mean_recall,
    "worst_recall": worst_recall,
    "macro_f1": lambda y, said: float(f1_score(y, said, average="macro")),
    "accuracy": lambda y, said: float(np.mean(y == said)),
}


@dataclass
class Judged:
    """What a wrapped model says of the test rows of a fold."""

    tuned: TunedDecisionClassifier
    raw: np.ndarray
    said: np.ndarray
    codes: np.ndarray

    @classmethod
    def of(cls, model: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Judged:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            warnings.filterwarnings("ignore", "Some inputs do not have OOB scores")
            tuned = TunedDecisionClassifier(model).fit(X[train], y[train])
            raw = tuned.estimator_.predict_proba(X[test])
            return cls(tuned, raw, tuned.predict_proba(X[test]), y[test])

    def answers(self, **decision: Any) -> np.ndarray:
        rows = self.tuned.unseen_
        return fit_decision(rows.probabilities, rows.codes, **decision).answers(self.said)


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Small real tables with uneven classes; sets of even classes are thinned."""
    for name in (*NATURAL, *THINNED):
        bunch = fetch(name, download=False)
        X, y = bunch.data, np.asarray(bunch.target)
        if name in THINNED:
            X, y = make_long_tailed(X, y, ratio=20, largest=min(300, len(y)))
        words = make_column_selector(dtype_exclude="number")
        encoder = make_column_transformer(
            (OneHotEncoder(sparse_output=False), words), remainder="passthrough"
        )
        rows = np.random.default_rng(0).permutation(len(y))[:2500]
        codes = np.unique(y[rows], return_inverse=True)[1]
        yield name, np.asarray(encoder.fit_transform(X.iloc[rows]), dtype=float), codes


def run() -> list[Line]:
    lines: list[Line] = []
    found: dict[tuple[str, str, str], list[float]] = {}
    try:
        given = list(tables())
    except OSError as error:
        return [Line(f"tables: {error}", NOT_RUN)]
    for _, X, y in given:
        for kind, make in MODELS.items():
            folds = [_measure(Judged.of(make(), X, y, *split)) for split in _splits(kind, y)]
            for measure, rule in folds[0]:
                values = [fold[measure, rule] for fold in folds]
                found.setdefault((kind, measure, rule), []).append(float(np.mean(values)))
    for kind in MODELS:
        lines += _compare(kind, found)
    return lines


def _splits(kind: str, y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of every fold of every shuffle."""
    for shuffle in range(SHUFFLES[kind]):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=1 + shuffle)
        yield from folds.split(y, y)


def _measure(judged: Judged) -> dict[tuple[str, str], float]:
    """Every measure of the three rules on the test rows of a fold."""
    y, prior = judged.codes, judged.tuned.decision_.prior
    plain, divided = judged.raw.argmax(axis=1), (judged.raw / prior).argmax(axis=1)
    values: dict[tuple[str, str], float] = {}
    for name, measure in MEASURES.items():
        fitted = judged.answers(measure=name)
        for rule, said in (("plain", plain), ("prior", divided), ("fitted", fitted)):
            values[name, rule] = measure(y, said)
    cost = _costs(prior)
    labels = np.arange(len(prior))
    for rule, said in (("plain", plain), ("fitted", judged.answers(cost=cost))):
        values["cost", rule] = float(cost[y, said].mean())
    for rule, shares in (("plain", judged.raw), ("fitted", judged.said)):
        values["log_loss", rule] = float(log_loss(y, shares, labels=labels))
    return values


def _costs(prior: np.ndarray) -> np.ndarray:
    """Mistakes on rare classes cost more, each pair of classes by its own amount."""
    spread = np.random.default_rng(0).uniform(0.5, 1.5, (len(prior), len(prior)))
    cost = np.sqrt(prior.max() / prior)[:, None] * spread
    np.fill_diagonal(cost, 0.0)
    return cost


def _compare(kind: str, found: dict[tuple[str, str, str], list[float]]) -> list[Line]:
    lines = []
    for measure in (*MEASURES, "cost", "log_loss"):
        less = measure in ("norm", "cost", "log_loss")
        own = np.array(found[kind, measure, "fitted"])
        plain = np.array(found[kind, measure, "plain"])
        others = {"plain": plain}
        if measure in MEASURES:
            others["prior"] = np.array(found[kind, measure, "prior"])
        best = min(np.mean(v) if less else -np.mean(v) for v in others.values())
        reached = (own.mean() if less else -own.mean()) <= best + NOISE
        gains = {name: (v - own if less else own - v) for name, v in others.items()}
        games = ", ".join(
            f"{name} {(gain > 1e-9).sum()}-{(gain < -1e-9).sum()}" for name, gain in gains.items()
        )
        lines.append(
            Line(
                f"{kind}, {measure}: fitted; other: {' / '.join(others)}",
                f"{own.mean():.3f}",
                " / ".join(f"{v.mean():.3f}" for v in others.values()),
                games,
                "as good as the better",
                bool(reached),
            )
        )
    return lines
