"""Tables with wrong labels: which noise, and what is known of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from uneven.noise import corrupt_labels, estimate_confusion, uniform_noise
from uneven_published.description import Answers, Context
from uneven_published.norm.folds import (
    Fold,
    Source,
    class_scores,
    judge_folds,
    read_table,
    without_tiny_classes,
)
from uneven_published.norm.groups import LongTail
from uneven_published.norm.registry import KeelTable, PlainTable, RTable

MOST_ROWS, MOST_TESTED = 1500, 2000
LEAST_ROWS = 10
"""Of a class; smaller ones are left out."""

KNOWLEDGE = ("known", "10 % clean", "5 % clean", "unknown")
"""The true matrix, an estimate from so many clean training rows, or nothing."""

KINDS = ("class", "uniform", "boundary")


@dataclass(frozen=True)
class Told:
    """What a method is told of the noise.

    Attributes
    ----------
    matrix : ndarray, ConfusionEstimate or None
    clean : ndarray of bool, shape (n_samples,), or None
        Rows whose label is certain.
    """

    matrix: Any
    clean: np.ndarray | None = None


@dataclass(frozen=True)
class NoisySplit:
    """One draw of a table.

    Attributes
    ----------
    X, X_test : ndarray of shape (n_samples, n_features)
    labels : ndarray of int
        Some of them are wrong.
    told : Told
    y_test : ndarray of int
    """

    X: np.ndarray
    labels: np.ndarray
    told: Told
    X_test: np.ndarray
    y_test: np.ndarray


@dataclass(frozen=True)
class NoisyTable:
    """A table whose training labels are corrupted.

    Attributes
    ----------
    source : str or callable
    kind : str
        "class": the classes differ in how often, and for which others, they are mistaken.
        "uniform": all alike. "boundary": rows near the boundary of a linear classifier are
        mistaken for its second guess, so that no matrix describes the noise exactly.
    rate : float
        Mean share of wrong labels.
    knowledge : str
        One of `KNOWLEDGE`.
    """

    source: Source
    kind: str
    rate: float
    knowledge: str

    def __call__(self, context: Context) -> Any:
        """The whole table, its labels as they are."""
        return context.fetch(self.source) if isinstance(self.source, str) else self.source(context)

    def draw(self, seed: int, context: Context) -> NoisySplit:
        """Rows to learn from, with wrong labels, and rows to judge."""
        X, y = without_tiny_classes(*read_table(self, context), LEAST_ROWS)
        X, y = np.asarray(X, dtype=np.float64), np.unique(y, return_inverse=True)[1]
        n_train = min(MOST_ROWS, int(0.6 * len(y)))
        n_test = min(MOST_TESTED, len(y) - n_train)
        splits = StratifiedShuffleSplit(1, train_size=n_train, test_size=n_test, random_state=seed)
        train, test = next(splits.split(X, y))
        rng = np.random.default_rng(seed)
        labels, told = self.corrupt(X[train], y[train], int(y.max()) + 1, rng)
        return NoisySplit(X[train], labels, told, X[test], y[test])

    def corrupt(
        self, X: np.ndarray, y: np.ndarray, n_classes: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, Told]:
        """Labels to learn from, and what is told of their noise."""
        if self.kind == "boundary":
            labels = _mistaken_near_boundary(X, y, self.rate, rng)
            joint = np.zeros((n_classes, n_classes))
            np.add.at(joint, (labels, y), 1.0)
            noise = joint / joint.sum(axis=0)
        else:
            noise = _MATRICES[self.kind](n_classes, self.rate, rng)
            labels = corrupt_labels(y, noise, rng)
        if self.knowledge == "known":
            return labels, Told(noise)
        if self.knowledge == "unknown":
            return labels, Told(None)
        clean = rng.random(len(y)) < float(self.knowledge.split()[0]) / 100.0
        clean[np.unique(y, return_index=True)[1]] = True
        estimate = estimate_confusion(y[clean], labels[clean])
        return np.where(clean, y, labels), Told(estimate, clean)


def _class_noise(n_classes: int, rate: float, rng: np.random.Generator) -> np.ndarray:
    """A share of wrong labels for each class, between half and one and a half of the rate."""
    noise = np.zeros((n_classes, n_classes))
    for j, wrong in enumerate(np.minimum(rate * rng.uniform(0.5, 1.5, n_classes), 0.6)):
        others = np.flatnonzero(np.arange(n_classes) != j)
        noise[others, j] = wrong * rng.dirichlet(np.full(n_classes - 1, 0.5))
        noise[j, j] = 1.0 - wrong
    return noise


_MATRICES: Mapping[str, Callable[[int, float, np.random.Generator], np.ndarray]] = {
    "class": _class_noise,
    "uniform": lambda n_classes, rate, rng: uniform_noise(n_classes, rate),
}


def _mistaken_near_boundary(
    X: np.ndarray, y: np.ndarray, rate: float, rng: np.random.Generator
) -> np.ndarray:
    """Second guesses of a linear classifier, more often where it is less sure."""
    judge = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)).fit(X, y)
    shares = judge.predict_proba(X)
    rows = np.arange(len(y))
    doubt = 1.0 - shares[rows, y]
    shares[rows, y] = -1.0
    second = judge.classes_[shares.argmax(axis=1)]
    chance = np.minimum(doubt + 0.02, 1.0)
    for _ in range(50):
        chance = np.minimum(chance * rate / chance.mean(), 0.9)
    return np.asarray(np.where(rng.random(len(y)) < chance, second, y))


@dataclass(frozen=True)
class NoisySplits:
    """One method on some splits into rows to learn from, with wrong labels, and rows to judge.

    Attributes
    ----------
    tables : mapping of str to NoisyTable
    column : str
    fit : callable
        ``fit(X, labels, told, seed)`` returns a fitted classifier.
    """

    tables: Mapping[str, NoisyTable]
    column: str
    fit: Callable[[np.ndarray, np.ndarray, Told, int], Any]

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Measure the method on the split of a repetition."""
        split = self.tables[item].draw(repeat, context)
        start = time.process_time()
        model = self.fit(split.X, split.labels, split.told, repeat)
        fitted = time.process_time()
        answers = np.asarray(model.predict(split.X_test))
        answered = time.process_time()
        scores = class_scores(model, split.X_test)
        known = (np.unique(split.labels), fitted - start, answered - fitted)
        return {self.column: judge_folds([Fold(split.y_test, answers, scores, *known)])}


_PLAIN: Mapping[str, Mapping[str, Source]] = {
    "development": {
        "Vehicle": "vehicle",
        "Segment": "segment",
        "Waveform": "waveform",
        "Vowel": "vowel",
        "Steel": "steel",
    },
    "report": {
        "Letter": "letter",
        "Pendigits": "pendigits",
        "Optdigits, long tail": LongTail("optdigits", 300),
        "Robot": "robot",
        "Banana": "banana",
        "Satimage": PlainTable(("satimage/sat.trn.txt", "satimage/sat.tst.txt")),
        "Page-Blocks": KeelTable("page-blocks"),
        "Hand signs": KeelTable("movement_libras"),
        "Breast cells": KeelTable("wdbc"),
        "Radar": KeelTable("ionosphere"),
        "Display": KeelTable("led7digit"),
        "Diabetes": KeelTable("pima"),
        "Cells": RTable("modeldata", "cells", "class", ("case",)),
    },
}

NOISES = (
    ("class", 0.3),
    ("class", 0.1),
    ("class", 0.2),
    ("class", 0.4),
    ("uniform", 0.3),
    ("boundary", 0.3),
)


def group_name(group: str, knowledge: str) -> str:
    """Name of a group of tables with the same knowledge of the noise."""
    return f"{group}, {knowledge}"


def row_name(table: str, kind: str, rate: float) -> str:
    """Name of a table with noise."""
    return f"{table}, {100 * rate:.0f} % {kind}"


GROUPS: Mapping[str, Mapping[str, NoisyTable]] = {
    group_name(group, knowledge): {
        row_name(name, kind, rate): NoisyTable(source, kind, rate, knowledge)
        for kind, rate in NOISES
        for name, source in tables.items()
    }
    for group, tables in _PLAIN.items()
    for knowledge in KNOWLEDGE
}
"""Noisy tables by group and knowledge, and by row."""

SMALL = (row_name("Radar", "class", 0.3), row_name("Vehicle", "class", 0.3))
"""Rows of a fast run."""
