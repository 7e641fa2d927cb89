"""Many columns: time against LightGBM. Many classes of few rows: accuracy against a forest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.lines import NOT_RUN, Line
from benchmarks.score_leaves.booster import Booster
from benchmarks.score_leaves.curves import timed
from benchmarks.score_leaves.data import Table
from benchmarks.score_leaves.options import Options, first_line
from benchmarks.score_leaves.peers import LIGHTGBM, OURS
from uneven import ComboClassifier

ROUNDS = 200
TIMES = 2.0
"""Ours may take so many times the seconds of LightGBM."""

SETTINGS = {OURS.name: {"learning_rate": 0.2}, LIGHTGBM.name: {"learning_rate": 0.1}}
JUDGED = 500
"""Rows to judge by."""


def genome(n: int = 135, d: int = 10_259) -> Table:
    """Correlated columns, forty of which are shifted in some of four uneven classes."""
    rng = np.random.default_rng(0)
    rows, n_groups = n + JUDGED, 200
    y = rng.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1])
    y[:8] = np.arange(8) % 4
    groups = rng.normal(size=(rows, n_groups)).astype(np.float32)
    X = 0.6 * groups[:, rng.integers(n_groups, size=d)]
    X += 0.8 * rng.normal(size=(rows, d)).astype(np.float32)
    told = rng.choice(d, 40, replace=False)
    X[:, told] += rng.choice([-1.2, 0.0, 1.2], size=(4, 40)).astype(np.float32)[y]
    return Table("135 x 10 259 dense, K=4", X[:n], y[:n], X[n:], y[n:], ROUNDS)


def text(n: int = 2000, d: int = 100_000) -> Table:
    """Sparse rows of unit length, about a hundred words each, whose topics prefer some words."""
    rng = np.random.default_rng(0)
    rows, n_classes, length = n + JUDGED, 6, 140
    y = rng.choice(n_classes, rows, p=[0.3, 0.25, 0.2, 0.12, 0.08, 0.05])
    common = 1.0 / np.arange(10.0, d + 10.0)
    orders = [rng.permutation(2000) + 100 for _ in range(n_classes)]
    indices = rng.choice(d, (rows, length), p=common / common.sum())
    own = rng.random((rows, length)) < 0.06
    drawn = np.minimum(rng.geometric(0.02, (rows, length)), 1999)
    topical = np.array(orders)[y[:, None], drawn]
    indices = np.where(own, topical, indices)
    counts = sparse.csr_array(
        (np.ones(indices.size), (np.repeat(np.arange(rows), length), indices.ravel())),
        shape=(rows, d),
    )
    counts.sum_duplicates()
    seen = np.bincount(counts.indices, minlength=d)
    counts.data = (1.0 + np.log(counts.data)) * np.log((1 + rows) / (1 + seen[counts.indices]))
    norms = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    X = sparse.csr_matrix(sparse.diags_array(1.0 / norms) @ counts)
    return Table(f"{n} x {d:,} sparse, K={n_classes}", X[:n], y[:n], X[n:], y[n:], ROUNDS)


def prototypes(n_classes: int = 100, each: int = 16, d: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """A normal cloud of few rows round the prototype of each class."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), each)
    return rng.normal(size=(n_classes, d))[y] + rng.normal(size=(len(y), d)), y


def run(options: Options | None = None) -> list[Line]:
    options = options or Options.of_environment()
    lines = []
    for make in (genome, text):
        lines += _times(make(), options)
    return lines + _many_classes(options)


def _times(table: Table, options: Options) -> list[Line]:
    """A line of as many rounds, with the target, and one of as many trees."""
    gone = [b.absent() for b in (options.ours, LIGHTGBM) if b.absent()]
    if gone:
        return [Line(f"{table.name}: {why}", NOT_RUN) for why in gone]
    trees_alike = -(-ROUNDS // table.n_classes)
    try:
        own, score = _fitted(options.ours, table, ROUNDS, options.threads)
    except Exception as error:  # such as a refusal of sparse rows
        return [Line(f"{table.name}, {options.ours.name}: {first_line(error)}", NOT_RUN)]
    lines = []
    for rounds in (ROUNDS, trees_alike):
        other, their_score = _fitted(LIGHTGBM, table, rounds, options.threads)
        ratio = own / other
        line = Line(
            f"{table.name}: {ROUNDS} trees ({options.clock}); other: LightGBM, {rounds} rounds",
            f"{own:.3g} s ({score:.3f})",
            f"{other:.3g} s ({their_score:.3f})",
            f"{ratio:.2f}x the time",
        )
        if rounds == ROUNDS:
            line.target, line.met = f"<= {TIMES:g}x", ratio <= TIMES
        lines.append(line)
    return lines


def _fitted(booster: Booster, table: Table, rounds: int, threads: int) -> tuple[float, float]:
    """Seconds of a fit, and balanced accuracy of the rows to judge by."""
    setting = SETTINGS[booster.name]
    booster.fit(table, setting, 2, threads)
    models: list[Any] = []
    fit = partial(booster.fit, table, setting, rounds, threads)
    seconds = timed(lambda: models.append(fit()), threads)
    answers = booster.probabilities(models[-1], table.X_new).argmax(axis=1)
    return seconds, float(balanced_accuracy_score(table.y_new, answers))


def _many_classes(options: Options) -> list[Line]:
    """Accuracy on 100 classes of 16 rows each, five folds."""
    X, y = prototypes()
    makers: Mapping[str, Callable[[], Any]] = {
        "random forest, 300 trees": lambda: RandomForestClassifier(300, random_state=0),
        "CoMBo, depth 3": lambda: ComboClassifier(max_depth=3, random_state=0, n_jobs=1),
    }
    what = f"{len(y)} x {X.shape[1]}, K={y.max() + 1}: accuracy, five folds"
    if options.ours.absent():
        own, found = None, NOT_RUN
    else:
        own = _accuracy(lambda: _Fixed(options.ours, options.threads), X, y)
        found = f"{own:.4f}"
    lines = []
    for name, make in makers.items():
        other = _accuracy(make, X, y)
        line = Line(f"{what}; other: {name}", found, f"{other:.4f}")
        if own is not None:
            line.ratio = f"{own - other:+.4f}"
        lines.append(line)
    return lines


class _Fixed:
    """A booster with its rounds and setting of this page, as an estimator."""

    def __init__(self, booster: Booster, threads: int) -> None:
        self.booster, self.threads = booster, threads

    def fit(self, X: np.ndarray, y: np.ndarray) -> _Fixed:
        table = Table("fold", X, y, X, y, ROUNDS)
        self.model = self.booster.fit(table, SETTINGS[self.booster.name], ROUNDS, self.threads)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.booster.probabilities(self.model, X).argmax(axis=1)


def _accuracy(make: Callable[[], Any], X: np.ndarray, y: np.ndarray) -> float:
    splits = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
    right = [make().fit(X[train], y[train]).predict(X[test]) == y[test] for train, test in splits]
    return float(np.mean(np.concatenate(right)))
