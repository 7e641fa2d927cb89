"""Rows per second of prediction at equal quality, against LightGBM."""

from __future__ import annotations

from benchmarks.lines import NOT_RUN, Line
from benchmarks.score_leaves.booster import Booster
from benchmarks.score_leaves.curves import Keep, Reached, curves, timed
from benchmarks.score_leaves.data import Table
from benchmarks.score_leaves.leaves import goal
from benchmarks.score_leaves.options import Options, first_line
from benchmarks.score_leaves.peers import LIGHTGBM

FACTOR = 3.0
QUALITY = "letter", "synthetic", "mnist", "mixed"
"""Tables with enough rows to predict."""


def run(options: Options | None = None) -> list[Line]:
    options = options or Options.of_environment()
    pair = (options.ours, LIGHTGBM)
    gone = [f"{booster.name}: {booster.absent()}" for booster in pair if booster.absent()]
    if gone:
        return [Line(f"rows per second at equal quality, {why}", NOT_RUN) for why in gone]
    lines: list[Line] = []
    for table in options.load(lines):
        if table.name in QUALITY:
            try:
                lines.append(_line(table, options))
            except Exception as error:  # whatever a booster has against a table
                lines.append(Line(f"{table.name}: {first_line(error)}", NOT_RUN))
    return lines


def _line(table: Table, options: Options) -> Line:
    target = goal(table, options)
    ours = _smallest(options.ours, table, target, options.threads, Keep())
    other = _smallest(LIGHTGBM, table, target, options.threads, options.keep)
    what = f"{table.name}: probabilities at {target:.4f} ({options.clock}); other: LightGBM"
    if ours is None or other is None:
        said = ["not reached" if one is None else "" for one in (ours, other)]
        return Line(what, said[0], said[1])
    speeds = [_speed(one, table, options.threads) for one in (ours, other)]
    ratio = speeds[0] / speeds[1]
    own, theirs = (
        f"{speed:,.0f} rows/s ({one.rounds} x {one.label})"
        for speed, one in zip(speeds, (ours, other))
    )
    return Line(what, own, theirs, f"{ratio:.2f}x", f">= {FACTOR:g}x", ratio >= FACTOR)


def _smallest(
    booster: Booster, table: Table, target: float, threads: int, keep: Keep
) -> Reached | None:
    """The setting at the target with the fewest rounds."""
    found = [
        Reached(booster, setting, curve, curve.rounds_to(target), None)
        for setting, curve in curves(booster, table, threads, keep)
    ]
    reached = [one for one in found if one.rounds is not None]
    return min(reached, key=lambda one: one.rounds or 0, default=None)


def _speed(one: Reached, table: Table, threads: int) -> float:
    """Rows per second, the shortest of seven passes over the held-out rows."""
    assert one.rounds is not None
    model = one.booster.fit(table, one.setting, one.rounds, threads)
    one.booster.probabilities(model, table.X_new)
    seconds = timed(lambda: one.booster.probabilities(model, table.X_new), threads, 7)
    return len(table.y_new) / seconds
