"""Balanced accuracy against seconds of fitting, a panel per table: a picture of kept curves.

``python -m benchmarks.score_leaves.figure --keep FOLDER`` reads what ``score-leaves`` has kept
there in one thread, fits ours where it is not kept, and writes ``docs/images/score-leaves.png``.

A curve is one long fit, looked at as it grows. Rounds are taken to last equally long, so a round
of ``n`` stands at its share of the seconds. Of all settings of a booster the best one so far
counts at every moment.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.score_leaves.curves import Curve, Keep, curves, kept_curves
from benchmarks.score_leaves.data import TABLES
from benchmarks.score_leaves.options import KEEP
from benchmarks.score_leaves.peers import OURS, PEERS

PANELS = {
    "pendigits": "pendigits\n7694 × 16, 10 classes",
    "letter": "letter\n14 000 × 16, 26 classes",
    "mnist": "MNIST\n20 000 × 784, 10 classes",
    "synthetic": "synthetic\n100 000 × 50, 7 classes",
    "mixed": "mixed, with categories\n1 000 000 × 30, 5 classes",
}
"""Titles by the name of the table."""

SHOWN = (OURS.name, "LightGBM", "XGBoost", "HistGradientBoosting", "CatBoost")
PICTURE = Path("docs/images/score-leaves.png")
BEST_SHARE = 0.9
"""A panel begins at this share of the way to the best balanced accuracy."""


@dataclass(frozen=True)
class Reach:
    """The best balanced accuracy that a booster has reached by each moment.

    Attributes
    ----------
    seconds, balanced : ndarray of shape (n,)
        Both increase.
    """

    seconds: np.ndarray
    balanced: np.ndarray

    @classmethod
    def of(cls, found: Iterable[Curve]) -> Reach:
        """The upper edge of several curves.

        Examples
        --------
        >>> slow = Curve([1, 2], [0.5, 0.9], [1.0, 0.8], seconds=8.0)
        >>> fast = Curve([1, 2], [0.6, 0.7], [1.0, 0.9], seconds=2.0)
        >>> reach = Reach.of([slow, fast])
        >>> reach.seconds.tolist(), reach.balanced.tolist()
        ([1.0, 2.0, 8.0], [0.6, 0.7, 0.9])
        """
        points = [
            (curve.seconds * step / curve.rounds[-1], value)
            for curve in found
            for step, value in zip(curve.rounds, curve.balanced)
        ]
        seconds, balanced = np.array(sorted(points)).reshape(-1, 2).T
        best = np.maximum.accumulate(balanced)
        rises = np.diff(best, prepend=-np.inf) > 0.0
        return cls(seconds[rises], best[rises])


def collect(keep: Keep, tables: Iterable[str]) -> dict[str, dict[str, Reach]]:
    """What each booster reaches on each table; ours is fitted where it is not kept."""
    by_name = {one.name: one for one in (OURS, *PEERS)}
    found: dict[str, dict[str, Reach]] = {}
    for table in tables:
        those = {name: kept_curves(by_name[name], table, keep) for name in SHOWN}
        if not those[OURS.name]:
            those[OURS.name] = [curve for _, curve in curves(OURS, TABLES[table](), 1, keep)]
        found[table] = {name: Reach.of(some) for name, some in those.items() if some}
    return found


def draw(found: Mapping[str, Mapping[str, Reach]]) -> Any:
    """A panel per table, and the names of the boosters in the last place."""
    from matplotlib import pyplot as plt

    from uneven.plots.drawing import INK, MUTED

    n_columns = 3
    n_rows = -(-(len(found) + 1) // n_columns)
    figure, axes = plt.subplots(
        n_rows, n_columns, figsize=(10.5, 3.25 * n_rows), layout="constrained", squeeze=False
    )
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1, wspace=0.03, hspace=0.05)
    for ax, (table, those) in zip(axes.flat, found.items()):
        _panel(ax, PANELS.get(table, table), those)
    rest = axes.flat[len(found) :]
    for ax in rest:
        ax.axis("off")
    named = [name for name in SHOWN if any(name in those for those in found.values())]
    _names(rest[0], named)
    figure.suptitle(
        "Balanced accuracy on held-out rows, by processor seconds of fitting",
        x=0.01,
        ha="left",
        color=INK,
        fontsize=14,
        fontweight="bold",
    )
    figure.supxlabel("processor seconds, one thread (logarithmic)", color=MUTED, fontsize=10)
    return figure


def _style(name: str) -> dict[str, Any]:
    """Colour, dashes and width of a booster: ours is heavy, and all differ without colour."""
    from uneven.plots.drawing import SERIES

    place = SHOWN.index(name)
    dashes = ("-", "-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
    width, above = (3.0, 4) if place == 0 else (1.7, 3)
    return {"color": SERIES[place], "linestyle": dashes[place], "linewidth": width, "zorder": above}


def _panel(ax: Any, title: str, those: Mapping[str, Reach]) -> None:
    from uneven.plots.drawing import GRID, INK, MUTED, soft_grid

    soft_grid(ax)
    ax.set_xscale("log")
    ax.grid(axis="x", color=GRID, linewidth=0.8)
    best = max(reach.balanced[-1] for reach in those.values())
    start = min(reach.balanced[0] for reach in those.values())
    low = start + BEST_SHARE * (best - start)
    end = max(reach.seconds[-1] for reach in those.values())
    for name, reach in those.items():
        ends = np.append(reach.seconds, max(end, reach.seconds[-1]))
        ax.plot(ends, np.append(reach.balanced, reach.balanced[-1]), **_style(name))
        ax.plot(reach.seconds[-1], reach.balanced[-1], "o", markersize=4.5 if name == OURS.name
                else 3.5, color=_style(name)["color"], zorder=5)  # fmt: skip
    entered = [reach.seconds[reach.balanced >= low] for reach in those.values()]
    first = min(float(seconds[0]) for seconds in entered if len(seconds))
    ax.set_xlim(first / 1.25, end * 1.15)
    ax.set_ylim(low, best + 0.06 * (best - low))
    _plain_ticks(ax)
    head, _, size = title.partition("\n")
    ax.set_title(head, loc="left", color=INK, fontsize=12, fontweight="bold", pad=20)
    ax.annotate(
        size, (0, 1), xytext=(0, 6), xycoords="axes fraction", textcoords="offset points",
        color=MUTED, fontsize=9,
    )  # fmt: skip


def _plain_ticks(ax: Any) -> None:
    """Seconds as 0.1, 1, 10, with numbers between them where there is room; shares as .95."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    low, high = ax.get_xlim()
    parts = (1.0, 2.0, 5.0) if high / low < 60 else (1.0, 3.0) if high / low < 1000 else (1.0,)
    ax.xaxis.set_major_locator(LogLocator(subs=parts))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    ticks = ax.get_yticks()
    digits = max(2, int(np.ceil(-np.log10(ticks[1] - ticks[0]) - 1e-9)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:.{digits}f}".lstrip("0")))


def _names(ax: Any, named: list[str]) -> None:
    """The key, as lines of text beside their strokes."""
    from uneven.plots.drawing import INK, MUTED

    ax.set(xlim=(0, 1), ylim=(0, 1))
    for k, name in enumerate(named):
        y = 0.92 - 0.13 * k
        ax.plot([0.04, 0.2], [y, y], **_style(name))
        shown = "uneven, score leaves" if name == OURS.name else name
        weight = "bold" if name == OURS.name else "normal"
        ax.text(0.25, y, shown, va="center", color=INK, fontsize=11, fontweight=weight)
    note = (
        "Upper left is better. Each line is the best of\n"
        "several learning rates and tree sizes so far;\n"
        "a dot marks its last gain. All classes weigh\n"
        "the same for everybody."
    )
    ax.text(0.04, 0.92 - 0.13 * len(named), note, va="top", color=MUTED, fontsize=9)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="benchmarks.score_leaves.figure",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    folder = os.environ.get(KEEP)
    parser.add_argument(
        "--keep", type=Path, default=folder, required=not folder, help="folder of kept curves"
    )
    parser.add_argument("--tables", nargs="+", choices=[*PANELS], default=[*PANELS])
    parser.add_argument("--out", type=Path, default=PICTURE)
    chosen = parser.parse_args(words)

    import matplotlib

    matplotlib.use("agg")
    from uneven.plots.drawing import write_png

    found = collect(Keep(Path(chosen.keep)), chosen.tables)
    write_png(draw(found), chosen.out, dpi=160)
    for table, those in found.items():
        for name, reach in those.items():
            print(f"{table}, {name}: {reach.balanced[-1]:.4f} after {reach.seconds[-1]:.3g} s")
    print(f"wrote {chosen.out}")


if __name__ == "__main__":
    main()
