"""One version space for the vectors of ten classes, beside one for each class against the rest.

``python -m benchmarks joint`` fits a Bayes point to some rows of the digits and shows processor
seconds of the fit, and accuracy and log-loss on other digits.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss

from benchmarks.lines import Line
from uneven import BayesPointClassifier

SIZES: tuple[tuple[int, int | None], ...] = ((60, None), (120, None), (240, None), (480, 60))
"""Rows, and dimensions of the kernel that are kept."""

TESTED = 500


def run() -> list[Line]:
    """Both kinds of version spaces on the same rows."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order] / 16.0, y[order]
    for kind in ("joint", "ovr"):
        BayesPointClassifier(multi_class=kind).fit(X[:30], y[:30])
    return [
        Line(
            f"{n} rows, max_rank={rank}: seconds, accuracy, log-loss; one against the rest",
            _told(X, y, n, BayesPointClassifier(multi_class="joint", max_rank=rank)),
            _told(X, y, n, BayesPointClassifier(max_rank=rank)),
        )
        for n, rank in SIZES
    ]


def _told(X: np.ndarray, y: np.ndarray, n: int, model: Any) -> str:
    start = time.process_time()
    model.fit(X[:n], y[:n])
    seconds = time.process_time() - start
    shares = np.clip(model.predict_proba(X[-TESTED:]), 1e-6, 1.0)
    shares /= shares.sum(axis=1, keepdims=True)
    right = float(np.mean(model.predict(X[-TESTED:]) == y[-TESTED:]))
    loss = log_loss(y[-TESTED:], shares, labels=model.classes_)
    return f"{seconds:.2f} s, {right:.3f}, {loss:.3f}"
