"""The stump histogram against a bare loop that streams the same bytes and adds as many numbers."""

from __future__ import annotations

from functools import partial

import numpy as np
from numba import njit

from benchmarks.data import table
from benchmarks.lines import Line, best_of_each
from uneven.costs._simd import add_lanes8
from uneven.costs.matrices import RunningCosts
from uneven.utils.parallel import ThreadPool
from uneven.voters import _split_loops
from uneven.voters.binned_tables import Level
from uneven.voters.training_table import bin_table


@njit(nogil=True, error_model="numpy")
def stream(codes, matrix, sums):
    """Read every code and every cost row as often as the histogram does; one running sum."""
    n = matrix.shape[0]
    read = 0
    for first in range(0, n, 4096):
        for f in range(codes.shape[0]):
            for i in range(first, min(n, first + 4096)):
                read += codes[f, i]
                add_lanes8(sums, 0, matrix, i * 8)
    return read


def run() -> list[Line]:
    X, y = table(100_000, 50, 7)
    binned = bin_table(X)
    costs = RunningCosts(y, 7, np.ones(len(y)))
    matrix = costs.matrix
    everyone = np.zeros(0, dtype=np.int32)
    level = Level(everyone, matrix, costs.sums[None], 7, _split_loops.COST, 0.0)
    pool = ThreadPool()

    def histogram() -> None:
        binned.best_splits(level, np.arange(50), pool)

    sums = np.zeros(8)
    stream(binned.codes, matrix, sums)
    histogram()
    ours, bare = best_of_each([histogram, partial(stream, binned.codes, matrix, sums)], 1.0)
    updates = binned.codes.size
    return [
        Line(
            "stump search (histogram and scan), 1 thread; other: bare loop over the same bytes",
            f"{ours / updates * 1e9:.2f} ns/update",
            f"{bare / updates * 1e9:.2f} ns/update",
            f"{ours / bare:.2f}x",
            "<= 2x",
            ours <= 2 * bare,
        )
    ]
