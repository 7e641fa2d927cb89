"""Growth of a fit with its rows and threads, its peak memory, and the first fit of a process."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from benchmarks.data import table as made_table
from benchmarks.footprint import first_fit_lines, memory_line
from benchmarks.lines import NOT_RUN, Line, at_least, at_most, best_of_each
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

TWO_CLASSES, TREES = (1000, 5000, 20_000), 100
MEMORY_TIMES = 2.5
TWO_THREADS = 1.7
FIRST_FIT = 1.0


def run(options: Options | None = None) -> list[Line]:
    options = options or Options.of_environment()
    if options.ours.absent():
        return [Line(f"growth, memory and first use: {options.ours.absent()}", NOT_RUN)]
    sizes = (*SIZES, HUGE) if options.huge else SIZES
    X, y = made_table(max(sizes), COLUMNS, CLASSES)
    X = X.astype(np.float32)
    lines = [*_growth(X, y, sizes, options), *_two_threads(X, y, options.ours)]
    first = first_fit_lines("BalancedBoostingClassifier", {"warm": FIRST_FIT})
    return [*lines, *_two_classes(options.ours), _memory_line(X, y), *first]


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


def _two_classes(ours: Booster) -> list[Line]:
    """As many trees as LightGBM's where a tree costs little: what a round costs beside it."""
    lines = []
    for n in TWO_CLASSES:
        X, y = made_table(n, COLUMNS, 2)
        table = Table(f"{n:,} x {COLUMNS}", X, y, X[:1], y[:1], TREES)
        own, other = (
            np.nan if one.absent() else timed(partial(one.fit, table, SETTING, TREES, 1), threads=1)
            for one in (ours, LIGHTGBM)
        )
        what = f"{TREES} trees, {table.name}, K=2 (processor); other: LightGBM"
        lines.append(Line(what, f"{own:.3g} s", f"{other:.3g} s", f"{other / own:.2f}x"))
    return lines


def _two_threads(X: np.ndarray, y: np.ndarray, ours: Booster) -> list[Line]:
    """Wall seconds, and processor seconds of both threads: what is done twice, also if busy."""
    table = _part(X, y, SIZES[-1])
    calls = [partial(ours.fit, table, SETTING, ROUNDS, threads) for threads in (2, 1)]
    two, one = best_of_each(calls, 1.0)
    what = f"{ROUNDS} rounds, {table.name}, 2 threads (wall); other: 1 thread"
    wall = at_least(what, two, one, TWO_THREADS)
    both, alone = (timed(call, threads=1) for call in calls)
    what = f"{ROUNDS} rounds, {table.name}, 2 threads together (processor); other: 1 thread"
    return [wall, Line(what, f"{both:.3g} s", f"{alone:.3g} s", f"{both / alone:.2f}x the time")]


def _memory_line(X: np.ndarray, y: np.ndarray) -> Line:
    n = SIZES[-1]
    return memory_line(
        f"peak memory over (codes + n x K floats), {n:,} x {COLUMNS}, K={CLASSES}",
        "BalancedBoostingClassifier(n_estimators=10, early_stopping=False, n_jobs=2)",
        X[:n],
        y[:n],
        n * COLUMNS + n * CLASSES * 4,
        MEMORY_TIMES,
    )
