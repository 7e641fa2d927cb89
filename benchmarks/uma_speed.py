"""The time of one UMA step, beside the matrix products that it contains or avoids."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.lines import Line, best_of_each
from uneven.linear import row_norms
from uneven.noise import UMAClassifier, corrupt_labels, uniform_noise
from uneven.noise.matrices import invert_noise
from uneven.noise.uma.algorithm import Rules, Run, iterate
from uneven.noise.uma.groups import label_weights, top_classes
from uneven.noise.uma.spaces import PrimalSpace

N_SETTLING, N_TOGETHER = 50, 5
"""Steps before the clock starts, and steps (or products) that are timed together."""


def dense() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 1600))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, *labels(X, 26, rng)


def sparse() -> tuple[sp.csr_array, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = sp.random_array((11_000, 18_000), density=0.003, rng=rng, format="csr")
    return sp.csr_array(X), *labels(X, 9, rng)


def labels(X, n_classes, rng) -> tuple[np.ndarray, np.ndarray]:
    truth = (X @ rng.standard_normal((X.shape[1], n_classes))).argmax(axis=1)
    noise = uniform_noise(n_classes, 0.3)
    return corrupt_labels(truth, noise, rng, classes=np.arange(n_classes)), noise


def opened(X, y, noise) -> Run:
    """A run that has settled: in the first steps most rows change their predicted class."""
    inverted = invert_noise(noise)
    weights = label_weights(y, len(noise))
    space = PrimalSpace(X, weights, inverted.inverse)
    coef = space.zeros(len(noise))
    scores = np.zeros((X.shape[0], len(noise)))
    run = Run(
        space,
        weights / X.shape[0],
        inverted,
        coef,
        lag=np.zeros_like(coef),
        scores=scores,
        lengths=row_norms(X),
    )
    steps(run, N_SETTLING)
    return run


def steps(run: Run, n_steps: int = N_TOGETHER) -> None:
    prior = np.full(len(run.coef), 1.0 / len(run.coef))
    for _ in range(n_steps):
        iterate(run, Rules(), prior)


def lines(what: str, data, limit: float | None) -> list[Line]:
    X, y, noise = data
    run, vector = opened(X, y, noise), np.ones(X.shape[1])
    fresh = PrimalSpace(X, label_weights(y, len(noise)), invert_noise(noise).inverse)
    group = top_classes(run.scores)

    def all_sums() -> None:
        fresh.regroup(None)
        fresh.regroup(group)

    def products() -> None:
        for _ in range(N_TOGETHER):
            X @ vector

    step, product, matrix, sums = best_of_each(
        [lambda: steps(run), products, lambda: X @ run.coef.T, all_sums], 3.0
    )
    step, product = step / N_TOGETHER, product / N_TOGETHER
    found = [
        Line(
            f"{what}: one step; other: the product X @ x that it contains",
            f"{1e3 * step:.1f} ms",
            f"{1e3 * product:.1f} ms",
            f"{step / product:.2f}x",
            f"<= {limit:g}x" if limit else "",
            step <= limit * product if limit else None,
        ),
        Line(
            f"{what}: one step; other: the product X @ W of all classes, which it avoids",
            f"{1e3 * step:.1f} ms",
            f"{1e3 * matrix:.1f} ms",
            f"{step / matrix:.2f}x",
        ),
        Line(
            f"{what}: all sums and vectors from nothing, twice; other: X @ W",
            f"{1e3 * sums:.1f} ms",
            f"{1e3 * matrix:.1f} ms",
            f"{sums / matrix:.2f}x",
        ),
    ]
    return found


def run() -> list[Line]:
    UMAClassifier(max_iter=2).fit(np.eye(3), [0, 1, 2])
    return [
        *lines("20 000 x 1600, 26 classes", dense(), 3.0),
        *lines("11 000 x 18 000 sparse (0.3 %), 9 classes", sparse(), None),
    ]
