"""Rows per second when predicting, against LightGBM with as many trees."""

from __future__ import annotations

from functools import partial

import lightgbm

from benchmarks.data import table
from benchmarks.lines import Line, best_of_each
from uneven import ComboClassifier


def run() -> list[Line]:
    X, y = table(200_000, 50, 7)
    lines = []
    for depth in (1, 3):
        rounds = 50
        n_trees = 7 * rounds
        ours = ComboClassifier(n_estimators=n_trees, max_depth=depth, n_jobs=2)
        ours.fit(X[:20_000], y[:20_000])
        other = lightgbm.LGBMClassifier(
            n_estimators=rounds, num_leaves=2**depth, n_jobs=2, verbose=-1
        ).fit(X[:20_000], y[:20_000])
        ours.predict(X[:100])
        times = best_of_each([partial(ours.predict, X), partial(other.predict, X)])
        speed, their_speed = (len(X) / seconds for seconds in times)
        lines.append(
            Line(
                f"predict, {n_trees} trees of depth {depth}; other: LightGBM, as many trees",
                f"{speed:,.0f} rows/s",
                f"{their_speed:,.0f} rows/s",
                f"{speed / their_speed:.2f}x",
                ">= 1x",
                speed >= their_speed,
            )
        )
    return lines
