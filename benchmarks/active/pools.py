"""Pools to ask about, in two groups: settings were chosen on one, and reported on the other.

Pools differ in what is known at the start (nothing, or some random rows), in how many rows are
asked for at once, and in how many labels can be paid for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from uneven_published.description import Context
from uneven_published.norm.folds import Source, read_table, without_tiny_classes
from uneven_published.norm.registry import KeelTable, PlainTable, RTable

MOST_ROWS, MOST_TESTED = 1000, 1000
LEAST_ROWS = 10
"""Of a class; smaller ones are left out."""

DIRECTIONS = 50
"""Of words, for strategies of scikit-activeml that measure distances: it takes no sparse rows."""


@dataclass(frozen=True)
class Split:
    """One draw of a pool.

    Attributes
    ----------
    X, X_test : ndarray or CSR
    y, y_test : ndarray of int
    places : ndarray of shape (n_rows, n_places)
        The rows of the pool as dense numbers of few columns.
    start : ndarray of int
        Rows whose labels are known from the start.
    """

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray
    places: np.ndarray
    start: np.ndarray


@dataclass(frozen=True)
class LabelPool:
    """A table whose labels are asked for.

    Attributes
    ----------
    source : str or callable
    start : int
        Random rows whose labels are known; two classes at least are among them if it is not 0.
    at_once : int
        Rows that are asked for together.
    budget : int
        Labels that are paid for.
    """

    source: Source
    start: int
    at_once: int
    budget: int

    @property
    def data(self) -> tuple[str, ...]:
        """Data sets it needs."""
        if isinstance(self.source, str):
            return (self.source,)
        return tuple(getattr(self.source, "data", ()))

    @property
    def packages(self) -> tuple[str, ...]:
        """Modules that bring its table along."""
        return tuple(getattr(self.source, "packages", ()))

    def draw(self, seed: int, context: Context) -> Split:
        """Rows of a draw, columns scaled by those of the pool."""
        X, y = _read(self.source, context)
        n_pool = min(MOST_ROWS, int(0.6 * len(y)))
        n_test = min(MOST_TESTED, len(y) - n_pool)
        splits = StratifiedShuffleSplit(1, train_size=n_pool, test_size=n_test, random_state=seed)
        pool, test = next(splits.split(np.zeros(len(y)), y))
        scaler = TfidfTransformer(sublinear_tf=True) if sp.issparse(X) else StandardScaler()
        rows, tested = scaler.fit_transform(X[pool]), scaler.transform(X[test])
        places = rows
        if sp.issparse(rows):
            places = TruncatedSVD(DIRECTIONS, random_state=0).fit_transform(rows)
        start = _first_rows(y[pool], self.start, np.random.default_rng(seed))
        return Split(rows, y[pool], tested, y[test], places, start)


@cache
def _read(source: Source, context: Context) -> tuple[Any, np.ndarray]:
    """Columns and classes of a table, which many cells share."""
    X, y = without_tiny_classes(*read_table(source, context), LEAST_ROWS)
    X = X if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    return X, np.unique(y, return_inverse=True)[1]


def _first_rows(y: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Random rows of two classes at least."""
    while True:
        rows = rng.choice(len(y), n, replace=False)
        if not n or len(np.unique(y[rows])) > 1:
            return rows


def digits(context: Context) -> Any:
    """Handwritten digits that scikit-learn brings along."""
    return load_digits()


def breast_cancer(context: Context) -> Any:
    """Cells that scikit-learn brings along."""
    return load_breast_cancer()


@dataclass(frozen=True)
class Words:
    """Rows of counted words.

    Attributes
    ----------
    name : str
    view : str
        The columns of one language; all if empty.
    classes : int or None
        The largest classes that are kept.
    only : tuple of str
        The classes that are kept.
    """

    name: str
    view: str = ""
    classes: int | None = None
    only: tuple[int, ...] = ()

    @property
    def data(self) -> tuple[str, ...]:
        """Data sets it needs."""
        return (self.name,)

    def __call__(self, context: Context) -> Any:
        """Read it, without words that no row has."""
        found = context.fetch(self.name)
        X, y = sp.csr_matrix(found.data), np.asarray(found.target)
        if self.view:
            X = X[:, found.views[self.view]]
        names, sizes = np.unique(y, return_counts=True)
        kept = names[np.argsort(-sizes, kind="stable")[: self.classes]]
        rows = np.flatnonzero(np.isin(y, names[list(self.only)] if self.only else kept))
        X = X[rows]
        found.data, found.target = X[:, np.flatnonzero(X.getnnz(axis=0))], y[rows]
        return found


GROUPS: Mapping[str, Mapping[str, LabelPool]] = {
    "development": {
        "Vehicle": LabelPool("vehicle", 0, 4, 60),
        "Vowel": LabelPool("vowel", 11, 5, 80),
        "Segment": LabelPool("segment", 0, 2, 40),
        "Banana": LabelPool("banana", 2, 2, 40),
        "Breast cells": LabelPool(breast_cancer, 0, 1, 25),
        "Waveform": LabelPool("waveform", 3, 5, 60),
        "Letter": LabelPool("letter", 20, 10, 100),
        "Reuters": LabelPool(Words("reuters21578", classes=10), 0, 5, 60),
        "Two topics": LabelPool(Words("reuters21578", only=(2, 3)), 0, 2, 40),
        "Eight topics": LabelPool(Words("reuters21578", only=tuple(range(2, 10))), 8, 5, 60),
        "Rare topics": LabelPool(Words("reuters21578", only=tuple(range(10, 22))), 0, 10, 100),
    },
    "report": {
        "Digits": LabelPool(digits, 0, 5, 80),
        "Satimage": LabelPool(
            PlainTable(("satimage/sat.trn.txt", "satimage/sat.tst.txt")), 6, 2, 50
        ),
        "Hand signs": LabelPool(KeelTable("movement_libras"), 0, 5, 70),
        "Page-Blocks": LabelPool(KeelTable("page-blocks"), 5, 5, 60),
        "Robot": LabelPool("robot", 4, 10, 120),
        "Steel": LabelPool("steel", 0, 5, 80),
        "Radar": LabelPool(KeelTable("ionosphere"), 0, 2, 40),
        "Diabetes": LabelPool(KeelTable("pima"), 2, 5, 60),
        "Cells": LabelPool(RTable("modeldata", "cells", "class", ("case",)), 2, 2, 50),
        "Newsgroups": LabelPool(Words("newsgroups20"), 20, 10, 120),
        "Two newsgroups": LabelPool(Words("newsgroups20", only=(3, 4)), 0, 2, 40),
        "News in English": LabelPool(Words("reuters_multilingual_1200", view="english"), 6, 5, 60),
    },
}
"""Pools by group and name."""

SMALL = ("Breast cells", "Radar")
"""Pools of a fast run."""
