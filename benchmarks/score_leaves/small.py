"""Small uneven sets of ``uneven reproduce norm``: answers and probabilities, five folds.

Log-losses are with all classes as heavy, because every method here is told to think so.
Probabilities are kept above 1e-4: a forest says 0 for what it has not seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import log_loss
from sklearn.utils.class_weight import compute_sample_weight

import uneven
from benchmarks.lines import NOT_RUN, Line
from benchmarks.score_leaves.options import Options, first_line
from uneven_published import Context
from uneven_published.norm.decisions import NumberedClasses
from uneven_published.norm.folds import Fold, Make, PooledFolds, judge_folds
from uneven_published.norm.groups import DEVELOPMENT
from uneven_published.norm.methods import METHODS

REPEATS = 3
LEAST = 1e-4
MEASURES = ("log-loss", "norm", "gmean", "balanced")
OURS = "uneven"


class EvenForest(NumberedClasses):
    """A forest with the probabilities that it would give if all classes were as frequent."""

    def predict_proba(self, X: Any) -> np.ndarray:
        found = super().predict_proba(X) / self.prior_
        return found / found.sum(axis=1, keepdims=True)


class EvenBoosting(uneven.BalancedBoostingClassifier):
    """Ours, with the probabilities that it would give if all classes were as frequent."""

    def predict_proba(self, X: Any, balanced: bool = True) -> np.ndarray:
        return super().predict_proba(X, balanced=balanced)


def _ours(X: Any, y: np.ndarray, seed: int) -> Any:
    return EvenBoosting(random_state=seed, n_jobs=1)


def _prior_forest(X: Any, y: np.ndarray, seed: int) -> Any:
    return EvenForest(METHODS["Forest / prior"].make(X, y, seed).estimator)


MAKERS: Mapping[str, Make] = {
    OURS: _ours,
    **{
        name: METHODS[name].make
        for name in ("LightGBM", "HistGradientBoosting", "Balanced forest", "NormCoMBo", "CoMBo")
    },
    "Forest divided by the prior": _prior_forest,
}


def run(options: Options | None = None) -> list[Line]:
    options = options or Options.of_environment()
    makers = {
        name: make for name, make in MAKERS.items() if name != OURS or not options.ours.absent()
    }
    lines = [Line(f"{OURS}: {options.ours.absent()}", NOT_RUN) for _ in {*MAKERS} - {*makers}]
    rows: dict[str, Mapping[str, np.ndarray]] = {}
    for item in DEVELOPMENT:
        try:
            rows[item] = _measured(item, makers, options.threads)
        except (OSError, ValueError, ImportError) as error:
            lines.append(Line(f"{item}: {first_line(error)}", NOT_RUN))
    shown = [*rows.items(), *([("mean", _mean(rows))] if rows else [])]
    return lines + [
        Line(f"{item}, {name}", " | ".join(f"{value:.4f}" for value in values))
        for item, found in shown
        for name, values in found.items()
    ]


def _measured(item: str, makers: Mapping[str, Make], jobs: int) -> Mapping[str, np.ndarray]:
    """Measures of each method, means over the repetitions."""
    cells = [(name, repeat) for name in makers for repeat in range(REPEATS)]
    found = Parallel(n_jobs=jobs)(
        delayed(_cell)(item, name, makers[name], repeat) for name, repeat in cells
    )
    values = np.array(found).reshape(len(makers), REPEATS, len(MEASURES))
    return dict(zip(makers, values.mean(axis=1)))


def _cell(item: str, name: str, make: Make, repeat: int) -> list[float]:
    folds = PooledFolds(DEVELOPMENT, name, make).folds(item, repeat, Context())
    judged = judge_folds(folds)
    return [fold_loss(folds), *(judged[key][0] for key in MEASURES[1:])]


def fold_loss(folds: list[Fold]) -> float:
    """Log-loss of all folds together with all classes as heavy.

    Examples
    --------
    >>> y, scores = np.array([0, 0, 1]), np.array([[1.0, 0.0], [1.0, 0.0], [0.5, 0.5]])
    >>> fold = Fold(y, y, scores, np.arange(2), seconds=1.0)
    >>> round(fold_loss([fold]), 3)
    0.347
    """
    found = np.clip(np.concatenate([fold.scores for fold in folds]), LEAST, 1.0)
    found /= found.sum(axis=1, keepdims=True)
    y = np.concatenate([fold.y for fold in folds])
    weights = compute_sample_weight("balanced", y)
    return float(log_loss(y, found, sample_weight=weights, labels=folds[0].classes))


def _mean(rows: Mapping[str, Mapping[str, np.ndarray]]) -> Mapping[str, np.ndarray]:
    names = next(iter(rows.values()))
    return {name: np.mean([found[name] for found in rows.values()], axis=0) for name in names}
