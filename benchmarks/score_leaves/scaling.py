"""Growth of a fit with its rows and threads, its peak memory, and the first fit of a process."""

from __future__ import annotations

import tempfile
from functools import partial
from itertools import pairwise

import numpy as np

from benchmarks.data import table as made_table
from benchmarks.footprint import python
from benchmarks.lines import NOT_RUN, Line, at_most, best_of_each
from benchmarks.score_leaves.booster import Booster
from benchmarks.score_leaves.curves import timed
from benchmarks.score_leaves.data import Table
from benchmarks.score_leaves.options import Options
from benchmarks.score_leaves.peers import LIGHTGBM

SIZES, HUGE = (100_000, 1_000_000), 10_000_000
COLUMNS, CLASSES, ROUNDS = 30, 5, 20
SETTING = {"learning_rate": 0.2}
SLACK = 1.1
"""The growth may be so much steeper than that of the rows."""

MEMORY_TIMES = 2.5
FIRST_FIT = 1.0

_MEMORY = """
import sys
import numpy as np
from uneven import BalancedBoostingClassifier

def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

X, y = np.load(sys.argv[1] + "/X.npy"), np.load(sys.argv[1] + "/y.npy")
model = BalancedBoostingClassifier(n_estimators=10, early_stopping=False, n_jobs=2)
model.fit(X[:1000], y[:1000])
before = peak()
model.fit(X, y)
print(peak() - before)
"""
"""Loads its table without a temporary copy, as ``benchmarks.footprint`` does."""

_FIRST = """
import time
start = time.perf_counter()
from sklearn.datasets import load_wine
from uneven import BalancedBoostingClassifier
imported = time.perf_counter()
X, y = load_wine(return_X_y=True)
BalancedBoostingClassifier(n_estimators=50).fit(X, y).predict(X)
print(time.perf_counter() - imported, imported - start)
"""


def run(options: Options | None = None) -> list[Line]:
    options = options or Options.of_environment()
    if options.ours.absent():
        return [Line(f"growth, memory and first use: {options.ours.absent()}", NOT_RUN)]
    sizes = (*SIZES, HUGE) if options.huge else SIZES
    X, y = made_table(max(sizes), COLUMNS, CLASSES)
    X = X.astype(np.float32)
    lines = [*_growth(X, y, sizes, options), _two_threads(X, y, options.ours)]
    with tempfile.TemporaryDirectory() as folder:
        return [*lines, _memory_line(X, y, folder), _first_line(folder)]


def _part(X: np.ndarray, y: np.ndarray, n: int) -> Table:
    return Table(f"{n:,} x {COLUMNS}", X[:n], y[:n], X[:1], y[:1], ROUNDS)


def _growth(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...], options: Options) -> list[Line]:
    """Whole fits in one thread, LightGBM's beside it."""
    own = _seconds(X, y, sizes, options.ours)
    other = [] if LIGHTGBM.absent() else _seconds(X, y, sizes, LIGHTGBM)
    lines = [
        Line(
            f"{ROUNDS} rounds, {n:,} x {COLUMNS}, K={CLASSES} (processor); other: LightGBM",
            f"{own[k]:.3g} s",
            f"{other[k]:.3g} s" if other else "",
        )
        for k, n in enumerate(sizes)
    ]
    for (small, large), (short, long) in zip(pairwise(sizes), pairwise(own)):
        what = f"growth of the time: {small:,} -> {large:,} rows"
        lines.append(at_most(what, long / short, SLACK * large / small, "x"))
    return lines


def _seconds(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...], one: Booster) -> list[float]:
    one.fit(_part(X, y, 2000), SETTING, 2, 1)
    return [timed(partial(one.fit, _part(X, y, n), SETTING, ROUNDS, 1), threads=1) for n in sizes]


def _two_threads(X: np.ndarray, y: np.ndarray, ours: Booster) -> Line:
    table = _part(X, y, SIZES[-1])
    calls = [partial(ours.fit, table, SETTING, ROUNDS, threads) for threads in (2, 1)]
    two, one = best_of_each(calls, 1.0)
    what = f"{ROUNDS} rounds, {table.name}, 2 threads (wall); other: 1 thread"
    return Line(what, f"{two:.3g} s", f"{one:.3g} s", f"{one / two:.2f}x")


def _memory_line(X: np.ndarray, y: np.ndarray, folder: str) -> Line:
    n = SIZES[-1]
    np.save(f"{folder}/X.npy", X[:n])
    np.save(f"{folder}/y.npy", y[:n])
    needed = n * COLUMNS + n * CLASSES * 4
    peak = float(python(_MEMORY, folder))
    return at_most(
        f"peak memory over (codes + n x K floats), {n:,} x {COLUMNS}, K={CLASSES}",
        peak / needed,
        MEMORY_TIMES,
        "x",
        f"{peak / 2**20:.0f} of {needed / 2**20:.0f} MiB",
    )


def _first_line(folder: str) -> Line:
    """The second process in a new folder finds what the first has compiled."""
    for _ in range(2):
        fit, imports = map(float, python(_FIRST, NUMBA_CACHE_DIR=folder).split())
    what = "first fit and predict of a process, warm kernel cache"
    return at_most(what, fit, FIRST_FIT, "s", f"imports {imports:.2f} s")
