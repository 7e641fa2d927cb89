"""Time until 99 % of LightGBM's best balanced accuracy on held-out rows, and the best quality.

The same for everybody: one long fit per setting gives a curve of balanced accuracy by round; the
first round at the target is taken; a fresh fit of exactly so many rounds is timed as a whole,
binning included. The quickest setting of each booster counts. On costly tables a long fit of a
peer has as many rounds as fit into a multiple of our seconds (``--cap``): a peer that is not at the
target by then needs more than that. LightGBM sets the target and is fitted to the end. With
``--goal`` and ``--limit``, only peers are fitted, to a known target within known seconds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from benchmarks.lines import NOT_RUN, Line
from benchmarks.score_leaves.booster import Booster
from benchmarks.score_leaves.curves import (
    SHARE,
    Reached,
    curves,
    quickest,
    reach,
    unreached_seconds,
)
from benchmarks.score_leaves.data import Table
from benchmarks.score_leaves.options import Options, first_line
from benchmarks.score_leaves.peers import LIGHTGBM

Found = Mapping[str, list[Reached]]
"""Settings by the name of the booster, for one table."""

Ratio = tuple[float, bool]
"""Seconds of a peer over ours, and whether it was cut off: then it is at least so many."""

HEADINGS = (
    "table",
    "booster",
    "setting",
    "best balanced accuracy @ its round / rounds fitted",
    "log-loss there",
    "least log-loss",
    "target",
    "rounds to target",
    "seconds",
)


def run(options: Options | None = None) -> list[Line]:
    options = options or Options.of_environment()
    lines: list[Line] = []
    if LIGHTGBM.absent() and options.goal is None:
        return [Line(f"time to the accuracy of LightGBM: {LIGHTGBM.absent()}", NOT_RUN)]
    ratios: dict[str, list[Ratio]] = {}
    if options.report:
        options.report.write_text(_heading(options))
    for table in options.load(lines):
        target = goal(table, options)
        found, problems = measure(table, target, options)
        lines += [*problems, *_lines(table, target, found, options, ratios)]
        if options.report:
            with options.report.open("a") as file:
                file.writelines(_rows(table, target, found))
    return lines + _means(ratios, options)


def goal(table: Table, options: Options) -> float:
    """The balanced accuracy to be reached on a table."""
    if options.goal is not None:
        return options.goal
    found = curves(LIGHTGBM, table, options.threads, options.keep)
    return SHARE * max(curve.best for _, curve in found)


def measure(table: Table, target: float, options: Options) -> tuple[Found, list[Line]]:
    """Ours and the peers on a table, and a line for each that could not run."""
    found: dict[str, list[Reached]] = {}
    problems = []
    ours = () if options.limit else (options.ours,)
    for booster in (*ours, *options.peers):
        why = booster.absent()
        if not why:
            limit = _limit(table, booster, found.get(options.ours.name, []), options)
            try:
                found[booster.name] = reach(
                    booster, table, target, options.threads, options.keep, limit
                )
            except Exception as error:  # a peer may refuse a table in any way it likes
                why = first_line(error)
        if why:
            problems.append(Line(f"{table.name}, {booster.name}: {why}", NOT_RUN))
    return found, problems


def _limit(table: Table, booster: Booster, ours: list[Reached], options: Options) -> float:
    """Seconds of the long fits of a booster."""
    if options.limit:
        return options.limit
    own = quickest(ours)
    if not table.costly or booster.sees_all_rounds or own is None or own.seconds is None:
        return math.inf
    return options.cap * own.seconds


def _lines(
    table: Table, target: float, found: Found, options: Options, ratios: dict[str, list[Ratio]]
) -> list[Line]:
    lines = []
    ours = found.get(options.ours.name)
    for peer in options.peers:
        if peer.name not in found:
            continue
        theirs = found[peer.name]
        own, other = (quickest(one) if one else None for one in (ours, theirs))
        line = Line(
            f"{table.name}: seconds ({options.clock}) to {target:.4f}; other: {peer.name}",
            _time(ours) if ours else "",
            _time(theirs),
        )
        seconds = other.seconds if other else unreached_seconds(theirs)
        if own and own.seconds and seconds:
            ratio = seconds / own.seconds
            ratios.setdefault(peer.name, []).append((ratio, other is None))
            line.ratio = f"{ratio:.2f}x" if other else f"> {ratio:.1f}x"
        best = f"{table.name}: best balanced accuracy | log-loss there; other: {peer.name}"
        lines += [line, Line(best, _best(ours) if ours else "", _best(theirs))]
    return lines


def _time(found: list[Reached]) -> str:
    one = quickest(found)
    if one is not None:
        return f"{one.seconds:.3g} s ({one.rounds} x {one.label})"
    over = unreached_seconds(found)
    return f"> {over:.3g} s" if over else "not reached"


def _best(found: list[Reached]) -> str:
    curve = max((one.curve for one in found), key=lambda curve: curve.best)
    return f"{curve.best:.4f} | {curve.loss_at_best:.4f}"


def _means(ratios: Mapping[str, list[Ratio]], options: Options) -> list[Line]:
    """Geometric means; a lower bound if a peer was cut off on some tables."""
    lines = []
    for name, those in ratios.items():
        n_cut = sum(is_cut for _, is_cut in those)
        mean = math.exp(sum(math.log(ratio) for ratio, _ in those) / len(those))
        tables = f"{len(those)} tables" + (f", cut off on {n_cut}" if n_cut else "")
        what = f"geometric mean of the ratios, {tables}, {options.clock}; other: {name}"
        lines.append(Line(what, f"> {mean:.2f}x" if n_cut else f"{mean:.2f}x"))
    return lines


def _heading(options: Options) -> str:
    rule = "|".join("---" for _ in HEADINGS)
    return (
        f"Seconds: {options.clock}, whole fresh fits; those with ~ are shares of the long fit. "
        "Setting: learning rate / leaves or depth. Log-losses are with all classes as heavy.\n\n"
        f"| {' | '.join(HEADINGS)} |\n|{rule}|\n"
    )


def _rows(table: Table, target: float, found: Found) -> list[str]:
    """A row for each setting of each booster."""
    rows = []
    for name, settings in found.items():
        for one in settings:
            curve = one.curve
            seconds = f"> {curve.seconds:.3g}" if one.is_cut else ""
            seconds = seconds if one.rounds is None else f"~{one.estimate:.3g}"
            cells = (
                table.name,
                name,
                one.label,
                f"{curve.best:.4f} @ {curve.best_round} / {curve.rounds[-1]}",
                f"{curve.loss_at_best:.4f}",
                f"{min(curve.loss):.4f}",
                f"{target:.4f}",
                _rounds(one),
                seconds if one.seconds is None else f"{one.seconds:.3g}",
            )
            rows.append(f"| {' | '.join(cells)} |\n")
    return rows


def _rounds(one: Reached) -> str:
    if one.rounds is not None:
        return str(one.rounds)
    return f"> {one.curve.rounds[-1]}" if one.is_cut else "not reached"
