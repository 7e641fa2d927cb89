"""Synthetic tables for the speed benchmarks."""

from __future__ import annotations

import numpy as np


def table(n: int, d: int, n_classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose class depends on a fifth of the columns, linearly and by products, plus noise.

    The classes are uneven: the last one holds a few percent of the rows.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    told = max(3, d // 5)
    scores = X[:, :told] @ np.random.default_rng(1).normal(size=(told, n_classes))
    scores += (X[:, :1] * X[:, 1:2]) * np.random.default_rng(2).normal(size=n_classes)
    scores += rng.gumbel(size=scores.shape) - np.linspace(0.0, 2.0, n_classes)
    return X, scores.argmax(axis=1)
