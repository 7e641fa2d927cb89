"""Kernel combinations beside linear ones on Nyström features, on development tables.

The Nyström features of the scores for a class stand in place of the scores of the members for that
class, so that any linear combination of them is a non-linear one of the scores. Both ways choose
their kernel parameter from the same three values and their strength from the same grid, by the
same two folds. The linear combination of the scores themselves is beside them.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.lines import Line
from benchmarks.stacking.scores import Scores, scores_of
from benchmarks.stacking.tables import DEVELOPMENT
from uneven.stacking import choose_kernel_parameters, choose_strength, fit_kernel_combiner, solve
from uneven_published.description import Context

TABLES = ("Wine", "Vehicle", "Glass", "Ecoli", "Balance", "Car", "Cleveland", "Dermatology")
WIDTHS = (2.0**-5, 2.0**-3, 2.0**-1)
"""Gamma times the median squared distance."""
STRENGTHS = tuple(np.logspace(-5, 0, 6))
LANDMARKS = 200
SPLITS = 1


def examples(P: np.ndarray) -> np.ndarray:
    """What the members say of a class, a row per row and class."""
    return np.ascontiguousarray(P.transpose(0, 2, 1)).reshape(-1, P.shape[1])


def middle(P: np.ndarray) -> float:
    """Median squared distance of examples."""
    some = examples(P)[:: max(1, P.shape[0] * P.shape[2] // 500)]
    apart = pairwise_distances(some, metric="sqeuclidean")[np.triu_indices(len(some), 1)]
    return float(np.median(apart[apart > 0.0]))


def nystroem(P: np.ndarray, gamma: float) -> Callable[[np.ndarray], np.ndarray]:
    """Map scores (n, M, K) to features (n, at most LANDMARKS, K) of a Gaussian kernel."""
    every = np.unique(examples(P), axis=0)
    marks = every[np.random.default_rng(0).permutation(len(every))[:LANDMARKS]]
    values, vectors = np.linalg.eigh(rbf_kernel(marks, gamma=gamma))
    kept = values > 1e-8 * values[-1]
    root = vectors[:, kept] / np.sqrt(values[kept])

    def features(new: np.ndarray) -> np.ndarray:
        told = rbf_kernel(examples(new), marks, gamma=gamma) @ root
        return np.ascontiguousarray(told.reshape(len(new), new.shape[2], -1).transpose(0, 2, 1))

    return features


def by_kernel(held: Scores, combination: str, loss: str) -> np.ndarray:
    """Answers of a kernel combination."""
    gammas = [width / middle(held.level) for width in WIDTHS]
    words = {"combination": combination, "kernel": "rbf", "loss": loss}
    choice = choose_kernel_parameters(
        held.level, held.y, strengths=STRENGTHS, gammas=gammas, **words
    )
    found = fit_kernel_combiner(held.level, held.y, loss=loss, **choice.options)
    return np.asarray(found.predict(held.new))


def by_features(held: Scores, combination: str, loss: str) -> np.ndarray:
    """Answers of a linear combination of Nyström features."""
    words = {"combination": combination, "loss": loss, "penalty": "l2"}
    best = None
    for width in WIDTHS:
        features = nystroem(held.level, width / middle(held.level))
        P = features(held.level)
        choice = choose_strength(P, held.y, STRENGTHS, random_state=0, **words)
        error = choice.error_mean[choice.index]
        if best is None or error < best[0]:
            best = error, features, P, choice.strength
    assert best is not None
    _, features, P, strength = best
    found = solve(P, held.y, strength=strength, tol=1e-4, **words)
    return np.asarray(found.predict(features(held.new)))


def by_sum(held: Scores, combination: str, loss: str) -> np.ndarray:
    """Answers of a linear combination of the scores."""
    words = {"combination": combination, "loss": loss, "penalty": "l2"}
    choice = choose_strength(held.level, held.y, STRENGTHS, random_state=0, **words)
    found = solve(held.level, held.y, strength=choice.strength, tol=1e-4, **words)
    return np.asarray(found.predict(held.new))


WAYS = {"kernel": by_kernel, "Nyström features": by_features, "linear": by_sum}
CASES = (("ws", "squared"), ("cws", "squared"), ("cws", "hinge"))


def run(folder: Path | None = None) -> list[Line]:
    """Mean errors and processor seconds, and on how many tables the features err less."""
    found: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as empty, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in TABLES:
            for split in range(SPLITS):
                where = Path(empty) if folder is None else folder
                held = scores_of(name, DEVELOPMENT[name], split, Context(), where)
                for case in CASES:
                    for way, answers in WAYS.items():
                        start = time.process_time()
                        wrong = float(np.mean(answers(held, *case) != held.truth))
                        spent = time.process_time() - start
                        found.setdefault((*case, way), []).append((wrong, spent))
    lines = []
    for case in CASES:
        parts = {way: np.array(found[(*case, way)]) for way in WAYS}
        kernel = parts["kernel"]
        for way, part in parts.items():
            less = int((part[:, 0] < kernel[:, 0]).sum()), int((part[:, 0] > kernel[:, 0]).sum())
            lines.append(
                Line(
                    f"{', '.join(case)}: {way}",
                    f"{100.0 * part[:, 0].mean():.2f} %",
                    f"{part[:, 1].mean():.2f} s",
                    "" if way == "kernel" else f"{less[0]} : {less[1]}",
                )
            )
    return lines
