"""Cost per round as the table grows."""

from __future__ import annotations

from benchmarks.data import table
from benchmarks.lines import Line, best_of
from uneven import ComboClassifier


def run() -> list[Line]:
    X, y = table(400_000, 50, 7)
    lines = []
    for depth in (1, 3):
        times = {n: _round_time(X[:n], y[:n], depth) for n in (100_000, 200_000, 400_000)}
        for n in (200_000, 400_000):
            growth = times[n] / times[n // 2]
            lines.append(
                Line(
                    f"round of depth {depth}: {n // 2:,} -> {n:,} rows",
                    f"{1e3 * times[n]:.3g} ms",
                    f"{1e3 * times[n // 2]:.3g} ms",
                    f"{growth:.2f}x",
                    "<= 2.1x",
                    growth <= 2.1,
                )
            )
    return lines


def _round_time(X, y, depth):
    """Seconds per round, without what a fit costs once."""
    few, many = 5, 45

    def fit(rounds: int) -> float:
        model = ComboClassifier(n_estimators=rounds, max_depth=depth, n_jobs=2)
        return best_of(lambda: model.fit(X, y), 3)

    return (fit(many) - fit(few)) / (many - few)
