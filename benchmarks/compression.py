"""Cuts and updates of the compression perceptron beside the author's own curves.

U. Louche (2016), figures 6.3 and 6.4. Squares of 1000 points, margins from .01 to .30, 1000 draws
of each. The author's curves are means of 1000 draws as well; updates have heavy tails, so each
difference is also given in standard errors.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from benchmarks.lines import Line
from uneven.datasets.cache import cache_folder
from uneven_published.louche.active_compression import (
    CYCLIC,
    LOWEST,
    ORACLES,
    counted,
    draw,
)

CURVES = "louche_result_curves.json"
MARGINS = np.arange(1, 31) / 100
SHOWN = (0, 4, 9, 14, 19, 24, 29)
N_RUNS = 1000
OURS = dict(zip(("Biggest", "Smallest", "Random", "Perc"), (*ORACLES, LOWEST)))
"""Our name of each of the author's curves."""


def many_runs(margin: float, n_runs: int) -> dict[str, np.ndarray]:
    """Several draws of a margin; the first axis is the draw."""
    with threadpool_limits(1):
        runs = [draw(margin, seed) for seed in range(n_runs)]
    return {name: np.array([run[name] for run in runs]) for name in runs[0]}


def measure(n_runs: int = N_RUNS) -> list[dict[str, np.ndarray]]:
    """All draws of each margin."""
    jobs = Parallel(n_jobs=os.cpu_count(), return_as="generator")(
        delayed(many_runs)(margin, n_runs) for margin in MARGINS
    )
    results = []
    for k, result in enumerate(jobs):
        print(f"\rmargin {MARGINS[k]:.2f} done", end="", file=sys.stderr, flush=True)
        results.append(result)
    print(file=sys.stderr)
    return results


def centre(values: np.ndarray) -> tuple[float, float]:
    """Mean and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def curve(results: list[dict[str, np.ndarray]], name: str, what: str) -> np.ndarray:
    """Mean and standard error at each margin, shape (30, 2)."""
    return np.array([centre(counted(result[name], what)) for result in results])


def curve_lines(name: str, what: str, ours: np.ndarray, theirs: np.ndarray) -> list[Line]:
    """Some margins of a curve, and what is to be said about all of them."""
    ratio = ours[:, 0] / theirs
    apart = (ours[:, 0] - theirs) / (np.sqrt(2.0) * ours[:, 1])
    lines = [
        Line(
            f"{what}, {name}, margin {MARGINS[k]:.2f}",
            f"{ours[k, 0]:.2f} ± {ours[k, 1]:.2f}",
            f"{theirs[k]:.2f}",
            f"{ratio[k]:.3f} ({apart[k]:+.1f} s.e.)",
        )
        for k in SHOWN
    ]
    near = int((np.abs(ratio - 1.0) <= 0.1).sum())
    fits = int((np.abs(apart) <= 2.0).sum())
    worst = int(np.abs(ratio - 1.0).argmax())
    whole = f"{ratio.mean():.3f} ± {(ours[:, 1] * np.sqrt(2) / theirs).mean() / np.sqrt(30):.3f}"
    lines.append(
        Line(
            f"{what}, {name}: {near}/30 within 10 %, {fits}/30 within 2 s.e.",
            f"worst {100 * (ratio[worst] - 1):+.0f} % at {MARGINS[worst]:.2f}",
            "",
            whole,
            "mean ratio within 10 %",
            bool(abs(ratio.mean() - 1.0) <= 0.1),
        )
    )
    return lines


def steps_lines(result: dict[str, np.ndarray], published: list[list[float]]) -> list[Line]:
    """Share of runs with so many cuts, and updates after each, at margin .10."""
    lines = []
    for row, name in enumerate(ORACLES):
        updates = result[name]
        for i in range(8):
            reached = updates[:, i] > 0
            if reached.sum() < 10:
                continue
            mean, error = centre(updates[reached, i])
            theirs = published[row][i]
            lines.append(
                Line(
                    f"margin 0.10, {name}, cut {i + 1} (in {reached.mean():.1%} of the runs)",
                    f"{mean:.1f} ± {error:.1f} updates",
                    f"{theirs:.1f}",
                    f"{mean / theirs:.2f}",
                )
            )
        used = counted(updates, "cuts")
        few, most = np.mean(used <= 4), used.max()
        told = "80 %, 6" if row == 0 else ""
        lines.append(
            Line(f"margin 0.10, {name}: at most 4 cuts, longest", f"{few:.1%}, {most}", told)
        )
    return lines


def run() -> list[Line]:
    path = Path(cache_folder()) / CURVES
    if not path.is_file():
        return [Line(f"{CURVES} is not in the data folder (UNEVEN_DATA)", "skipped")]
    published = json.loads(path.read_text())
    results = measure()
    lines = []
    for what, key in (("cuts", "NbCP"), ("updates", "NbUp")):
        for name, values in published[key].items():
            ours = curve(results, OURS[name], what)
            lines += curve_lines(OURS[name], what, ours, np.array(values))
    cyclic = curve(results, CYCLIC, "updates")
    lines += [
        Line(
            f"updates, perceptron in the order of rows, margin {MARGINS[k]:.2f}",
            f"{cyclic[k, 0]:.1f} ± {cyclic[k, 1]:.1f}",
        )
        for k in SHOWN
    ]
    return lines + steps_lines(results[9], published["UpPerCP"])
