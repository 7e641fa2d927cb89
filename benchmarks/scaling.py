"""Cost per round as the table grows."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from benchmarks.data import table
from benchmarks.lines import Line, best_of_each
from uneven import ComboClassifier

FEW, MANY = 5, 45
SIZES = (100_000, 200_000, 400_000)


def run() -> list[Line]:
    X, y = table(max(SIZES), 50, 7)
    lines = []
    for depth in (1, 3):
        calls = [
            partial(
                ComboClassifier(n_estimators=rounds, max_depth=depth, n_jobs=2).fit, X[:n], y[:n]
            )
            for n in SIZES
            for rounds in (FEW, MANY)
        ]
        best = best_of_each(calls, 2.0)
        per_round = [(many - few) / (MANY - FEW) for few, many in zip(best[::2], best[1::2])]
        for (small, large), (short, long) in zip(pairwise(SIZES), pairwise(per_round)):
            growth = long / short
            lines.append(
                Line(
                    f"round of depth {depth}: {small:,} -> {large:,} rows",
                    f"{1e3 * long:.3g} ms",
                    f"{1e3 * short:.3g} ms",
                    f"{growth:.2f}x",
                    "<= 2.1x",
                    growth <= 2.1,
                )
            )
    return lines
