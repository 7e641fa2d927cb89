"""Benchmark lines: what was measured, what it is compared with, what it should reach."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

NOT_RUN = "not run"
"""What stands in place of a figure that could not be measured."""


@dataclass
class Line:
    """One measured figure. ``target`` and ``met`` stay empty for figures that are only shown."""

    what: str
    ours: str
    other: str = ""
    ratio: str = ""
    target: str = ""
    met: bool | None = None


def at_least(what: str, ours: float, other: float, factor: float, unit: str = "s") -> Line:
    """Line for "ours is at least ``factor`` times faster than the other"."""
    ratio = other / ours
    return Line(
        what,
        f"{ours:.3g} {unit}",
        f"{other:.3g} {unit}",
        f"{ratio:.2f}x",
        f">= {factor:g}x",
        ratio >= factor,
    )


def at_most(what: str, value: float, limit: float, unit: str = "", other: str = "") -> Line:
    """Line for "this value is at most ``limit``"."""
    return Line(
        what, f"{value:.3g} {unit}".strip(), other, "", f"<= {limit:g} {unit}", value <= limit
    )


def best_of_each(
    calls: Sequence[Callable[[], object]],
    seconds: float = 5.0,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Shortest time of each call, in seconds.

    The calls take turns, so that a busy moment hits all alike, and each gets as many tries as fit
    into the same time (three at least).
    """
    first = [_timed(call, clock) for call in calls]
    tries = [max(3, round(seconds / one)) for one in first]
    best = list(first)
    for turn in range(max(tries)):
        for k, call in enumerate(calls):
            if turn * tries[k] // max(tries) < (turn + 1) * tries[k] // max(tries):
                best[k] = min(best[k], _timed(call, clock))
    return best


def _timed(call: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    call()
    return clock() - start


def show(title: str, lines: list[Line]) -> None:
    """Print a table of lines."""
    table = Table(title=title, title_justify="left", header_style="bold")
    for name in ("what", "ours", "other", "ratio", "target", ""):
        table.add_column(name, justify="left" if name == "what" else "right")
    for line in lines:
        mark = "" if line.met is None else ("[green]met[/]" if line.met else "[red]missed[/]")
        table.add_row(line.what, line.ours, line.other, line.ratio, line.target, mark)
    Console(width=150).print(table)


def summary(lines: list[Line]) -> str:
    """One sentence about the targets, and one about what was left out.

    Examples
    --------
    >>> summary([Line("speed", "1 s", met=True), Line("digits: no such file", NOT_RUN)])
    "every target that was measured is met; 1 line(s) not run: ['digits: no such file']"
    """
    missed = [line.what for line in lines if line.met is False]
    absent = [line.what for line in lines if line.ours == NOT_RUN]
    if missed:
        said = f"{len(missed)} target(s) missed: {missed}"
    elif absent:
        met = any(line.met for line in lines)
        said = "every target that was measured is met" if met else "no target was measured"
    else:
        said = "every target met"
    return f"{said}; {len(absent)} line(s) not run: {absent}" if absent else said
