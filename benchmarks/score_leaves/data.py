"""The tables: made ones, and real ones from the data folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.utils.class_weight import compute_sample_weight

from uneven.datasets import fetch

LEVELS = (5, 20, 100, 5, 20, 100)
"""Levels of the category columns of the largest table."""


@dataclass(frozen=True)
class Table:
    """Rows to learn from and rows to judge by; labels are 0..K-1.

    Attributes
    ----------
    X, X_new : ndarray or DataFrame
        A frame if there are category columns.
    y, y_new : ndarray of int
    rounds : int
        Longest fit, with learning rate 0.1.
    costly : bool
        Whether the peers get fewer settings here.
    """

    name: str
    X: Any
    y: np.ndarray
    X_new: Any
    y_new: np.ndarray
    rounds: int
    costly: bool = False

    @cached_property
    def weights(self) -> np.ndarray:
        """A weight per row that makes all classes as heavy, of mean one; shape (n,)."""
        return compute_sample_weight("balanced", self.y)

    @cached_property
    def weights_new(self) -> np.ndarray:
        """The same for the rows to judge by."""
        return compute_sample_weight("balanced", self.y_new)

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1

    @property
    def categories(self) -> list[str]:
        """Names of the category columns."""
        if not hasattr(self.X, "columns"):
            return []
        return [name for name in self.X.columns if self.X[name].dtype.name == "category"]

    def head(self, n: int) -> Table:
        """The same with ``n`` rows to learn from, for a first fit that compiles."""
        keep = self.X.iloc[:n] if hasattr(self.X, "iloc") else self.X[:n]
        return Table(self.name, keep, self.y[:n], self.X_new, self.y_new, self.rounds)


def mixed_table(n: int, n_numbers: int = 24, seed: int = 0) -> tuple[Any, np.ndarray]:
    """Numbers and categories; five uneven classes.

    A category adds to the scores of the classes what was drawn for its level, so its effect does
    not follow its code, and two categories and a number act together. Of the numbers a third acts:
    alone, by products, and by thresholds. The last class holds a few percent of the rows.

    Returns
    -------
    X : DataFrame of shape (n, n_numbers + 6)
    y : ndarray of shape (n,)
    """
    import pandas as pd

    n_classes = 5
    world, rows = np.random.default_rng(11), np.random.default_rng(seed)
    numbers = rows.normal(size=(n, n_numbers)).astype(np.float32)
    told = n_numbers // 3
    scores = numbers[:, :told] @ world.normal(scale=0.5, size=(told, n_classes))
    for a, b in ((0, 1), (2, 3), (4, 5)):
        scores += np.outer(numbers[:, a] * numbers[:, b], world.normal(scale=0.6, size=n_classes))
    for a in (0, 6, 7):
        scores += np.outer(np.abs(numbers[:, a]) > 0.7, world.normal(scale=1.0, size=n_classes))
    codes = [_skewed_codes(rows, n, levels) for levels in LEVELS]
    for levels, column in zip(LEVELS, codes):
        scores += world.normal(scale=0.8, size=(levels, n_classes))[column]
    scores += world.normal(scale=0.8, size=(LEVELS[0], LEVELS[1], n_classes))[codes[0], codes[1]]
    slopes = world.normal(scale=0.5, size=(LEVELS[4], n_classes))
    scores += slopes[codes[4]] * numbers[:, 1:2]
    scores += rows.gumbel(size=scores.shape) - np.linspace(0.0, 2.5, n_classes)
    frame = pd.DataFrame({f"x{j}": numbers[:, j] for j in range(n_numbers)})
    for j, (levels, column) in enumerate(zip(LEVELS, codes)):
        frame[f"c{j}"] = pd.Categorical.from_codes(column, [f"v{k}" for k in range(levels)])
    return frame, scores.argmax(axis=1)


def _skewed_codes(rng: np.random.Generator, n: int, levels: int) -> np.ndarray:
    """Codes of which some are a few times as frequent as others; shape (n,)."""
    shares = np.random.default_rng(levels).uniform(0.2, 1.0, levels)
    return rng.choice(levels, n, p=shares / shares.sum())


def synthetic() -> Table:
    X, y = make_classification(125_000, 50, n_informative=15, n_classes=7, random_state=0)
    cut = 100_000
    return Table("synthetic", X[:cut], y[:cut], X[cut:], y[cut:], 1000, costly=True)


def mixed() -> Table:
    X, y = mixed_table(1_100_000)
    cut = 1_000_000
    X_new = X.iloc[cut:].reset_index(drop=True)
    return Table("mixed", X.iloc[:cut], y[:cut], X_new, y[cut:], 150, costly=True)


def mnist() -> Table:
    bunch = fetch("mnist", download=False)
    images = np.asarray(bunch.data, np.float32).reshape(len(bunch.target), -1)
    y = np.unique(bunch.target, return_inverse=True)[1]
    train, test = bunch.train_rows[:20_000], bunch.test_rows
    return Table("mnist", images[train], y[train], images[test], y[test], 150, costly=True)


@dataclass(frozen=True)
class Fetched:
    """A set of the data folder, three tenths of it held out."""

    name: str
    rounds: int

    def __call__(self) -> Table:
        bunch = fetch(self.name, download=False)
        y = np.unique(bunch.target, return_inverse=True)[1]
        X, X_new, y, y_new = train_test_split(
            np.asarray(bunch.data, float), y, test_size=0.3, stratify=y, random_state=0
        )
        return Table(self.name, X, y, X_new, y_new, self.rounds)


TABLES: Mapping[str, Callable[[], Table]] = {
    "waveform": Fetched("waveform", 300),
    "pendigits": Fetched("pendigits", 300),
    "letter": Fetched("letter", 300),
    "synthetic": synthetic,
    "mnist": mnist,
    "mixed": mixed,
}
"""Makers by name, the quick ones first."""
