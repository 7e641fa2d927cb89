"""What was tried on the way to NormCoMBo, variant by variant, on two groups of small sets."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold

from benchmarks.lines import NOT_RUN, Line
from benchmarks.norm_variants import ENSEMBLES, Ensemble, Tried, unseen_factors
from uneven.boosting.norm import Boost
from uneven.datasets import fetch, make_long_tailed
from uneven.views.training_rows import encode_categories, learn_categories
from uneven_published import Context
from uneven_published.norm.folds import (
    Fold,
    draw_rows,
    judge_folds,
    read_table,
    without_tiny_classes,
)
from uneven_published.norm.groups import DEVELOPMENT

PROCESSES = 2
SEEDS = (0,)
FOLDS = 5
RATIO, LARGEST = 15.0, 300
ROWS = 1600
MORE_ROWS = {"Page-Blocks": 2500}
MEASURES = ("norm", "gmean", "balanced", "accuracy", "processor")

Rows = tuple[np.ndarray, np.ndarray]
Source = Callable[[], tuple[Any, Any]]


def _fetched(name: str) -> tuple[Any, Any]:
    whole = fetch(name, download=False)
    return whole.data, whole.target


def _tail_of(source: Source) -> Source:
    def tail() -> tuple[Any, Any]:
        X, y = source()
        largest = min(LARGEST, int(np.unique(y, return_counts=True)[1].max()))
        return make_long_tailed(X, y, ratio=RATIO, largest=largest, random_state=0)

    return tail


GROUPS: Mapping[str, Mapping[str, Source]] = {
    "development": {
        "Digits, long tail": _tail_of(lambda: load_digits(return_X_y=True)),
        "Vehicle, long tail": _tail_of(lambda: _fetched("vehicle")),
        "Vowel, long tail": _tail_of(lambda: _fetched("vowel")),
        "Waveform, long tail": _tail_of(lambda: _fetched("waveform")),
        "Robot": lambda: _fetched("robot"),
        "Nursery-s": lambda: _fetched("nursery_s"),
    },
    "table": {
        row: lambda row=row: read_table(DEVELOPMENT[row], Context())
        for row in (
            "Ecoli",
            "Glass",
            "Yeast",
            "New-Thyroid",
            "Balance",
            "Car",
            "Page-Blocks",
            "Segment, long tail",
            "Steel, long tail",
        )
    },
}
"""Sets that are in no table, and sets of the table of rare classes that are quickly learnt.

Both were looked at while the settings were chosen.
"""


def run() -> list[Line]:
    """For every group its sets, then a line per variant: means over the sets."""
    lines: list[Line] = []
    for group, sources in GROUPS.items():
        sets, absent = _load(sources)
        if sets:
            lines += _group_lines(group, sets)
        lines += absent
    return lines


def _load(sources: Mapping[str, Source]) -> tuple[dict[str, Rows], list[Line]]:
    """The sets at hand, and lines that name the others."""
    sets: dict[str, Rows] = {}
    absent = []
    for name, source in sources.items():
        try:
            sets[name] = prepare(*source(), MORE_ROWS.get(name, ROWS))
        except (OSError, ValueError) as error:
            absent.append(Line(f"{name}: {str(error).splitlines()[0][:90]}", NOT_RUN))
    return sets, absent


def prepare(X: Any, y: Any, most: int) -> Rows:
    """Numbers and labels of at most so many rows, drawn class by class, without tiny classes."""
    codes = np.asarray(encode_categories(X, learn_categories(X)), dtype=np.float64)
    codes, labels = without_tiny_classes(codes, np.asarray(y), FOLDS)
    return without_tiny_classes(*draw_rows(codes, labels, most), FOLDS)


def _group_lines(group: str, sets: Mapping[str, Rows]) -> list[Line]:
    cells = [
        delayed(measure)(ensemble, rows, seed)
        for rows in sets.values()
        for ensemble in ENSEMBLES
        for seed in SEEDS
    ]
    found: dict[str, list[list[float]]] = {}
    for cell in Parallel(PROCESSES)(cells):
        for variant, figures in cell.items():
            found.setdefault(variant, []).append(figures)
    return [
        Line(
            f"{group}: {', '.join(sets)}",
            "norm",
            "G-mean, balanced accuracy, accuracy",
            "CPU seconds",
        ),
        *(_line(variant, np.mean(figures, axis=0)) for variant, figures in found.items()),
    ]


def _line(variant: str, means: np.ndarray) -> Line:
    norm, gmean, balanced, accuracy, seconds = means
    return Line(
        variant, f"{norm:.3f}", f"{gmean:.3f}  {balanced:.3f}  {accuracy:.3f}", f"{seconds:.2f}"
    )


def measure(ensemble: Ensemble, rows: Rows, seed: int) -> dict[str, list[float]]:
    """Figures of every variant that shares an ensemble, in the order of ``MEASURES``.

    Answers of all folds are judged together; seconds are those of the processor for a fit,
    factors included.
    """
    _warm_up()
    X, y = rows
    folds: dict[str, list[Fold]] = {variant: [] for variant in ensemble.ends}
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(X, y):
        model, seconds = _fit(ensemble, X[train], y[train], seed)
        votes = model.predict_proba(X[test])
        for variant, weight in ensemble.ends.items():
            start = time.process_time()
            factors = 1.0 if weight is None else unseen_factors(model, y[train], weight)
            more = time.process_time() - start
            scores = votes * factors
            answers = model.classes_[scores.argmax(axis=1)]
            folds[variant].append(Fold(y[test], answers, scores, model.classes_, seconds + more))
    judged = {variant: judge_folds(each) for variant, each in folds.items()}
    return {variant: [found[key][0] for key in MEASURES] for variant, found in judged.items()}


def _fit(ensemble: Ensemble, X: np.ndarray, y: np.ndarray, seed: int) -> tuple[Any, float]:
    model = ensemble.make(X, y, seed)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Some inputs do not have OOB scores")
        model.fit(X, y)
    return model, time.process_time() - start


@cache
def _warm_up() -> None:
    """Load compiled code, once per process, so that its time counts for nobody."""
    y = np.arange(24) % 3
    model = Tried([Boost(2, 2, 1.0)] * 2, random_state=0).fit(y[:, None], y)
    unseen_factors(model, y, 1.0)
