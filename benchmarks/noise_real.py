"""Cheap labels on real data: digits and letters through narrow and wide Gaussian kernels.

U. Louche (2016), figures 4.2 and 4.3. The source does not say how wide its kernels were, and
everything depends on it: learners are shown at every width, and all rows of the table at two of
them, one that gives errors like the published ones and the one with the lowest error of UMA on the
labelled 5 %, mean over the first draws. Kernel-PCA reads the training inputs only.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from matplotlib import pyplot as plt

from benchmarks.cheap_labels import NAMES, judge, validation_error
from benchmarks.lines import NOT_RUN, Line
from uneven.datasets import DatasetUnavailableError
from uneven.plots.drawing import BLUE, GRID, INK, MUTED, ORANGE, SERIES
from uneven_published import Context
from uneven_published.louche import noise_studies as published
from uneven_published.louche.cheap_labels import (
    CHEAP,
    CLEAN,
    CORE,
    ROUGH,
    SAMPLE,
    UMA,
    KernelImages,
    draw_labelled,
)

FIRST_SEED = 200
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "uma-widths.png"
Errors = dict[str, np.ndarray]


@dataclass(frozen=True)
class Problem:
    """A data set and how it is treated.

    Widths are tried with ``trial_steps`` steps of UMA on ``n_shown`` draws. Of ``n_draws`` draws,
    all are run at the two main widths, ``n_full`` of them with all learners, and ``n_shown`` at the
    other widths.
    """

    source: KernelImages
    widths: tuple[float, ...]
    trial_steps: int
    published: dict[str, float]
    n_full: int
    n_shown: int
    n_draws: int = 10

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def published_like(self) -> float:
        return self.source.width


DIGITS = Problem(
    published.DIGITS,
    widths=(0.5, 0.575, 0.65, 0.8, 1.0, 2.0, 4.0),
    trial_steps=500,
    published={CHEAP: 0.25, SAMPLE: 0.21, CLEAN: 0.04, UMA: 0.16},
    n_full=10,
    n_shown=3,
)
LETTERS = Problem(
    published.LETTERS,
    widths=(0.1, 0.15, 0.2),
    trial_steps=200,
    published={CHEAP: 0.35, SAMPLE: 0.36, CLEAN: 0.23, UMA: 0.33},
    n_full=1,
    n_shown=2,
    n_draws=5,
)


def run() -> list[Line]:
    lines: list[Line] = []
    curves: list[tuple[Problem, dict[float, Errors]]] = []
    for problem in (DIGITS, LETTERS):
        try:
            found, chosen = measure(problem)
        except DatasetUnavailableError as error:
            lines.append(Line(f"{problem.name}: {str(error).splitlines()[0][:90]}", NOT_RUN))
            continue
        lines += _lines(problem, found, chosen)
        curves.append((problem, found))
    if curves:
        draw_widths(curves)
    return lines


def measure(problem: Problem) -> tuple[dict[float, Errors], float]:
    """Errors (n_draws,) of all learners by width, NaN where not run, and the chosen width."""
    start = time.perf_counter()
    source, context = problem.source, Context()
    t = source.plain(context)[1][: source.n_train]
    draws = [draw_labelled(t, source.n_per_class, FIRST_SEED + k) for k in range(problem.n_draws)]
    spaces = {}
    visible = []
    for width in problem.widths:
        spaces[width] = source.at_width(width).rows(context, 0)
        trials = (
            delayed(validation_error)(spaces[width], draw, problem.trial_steps)
            for draw in draws[: problem.n_shown]
        )
        visible.append(np.mean(Parallel(n_jobs=2)(trials)))
        _say(problem, start, f"width {width}: UMA's error {visible[-1]:.3f} on the 5 %")
    chosen = problem.widths[int(np.argmin(visible))]
    found = {}
    for width, rows in spaces.items():
        jobs = list(_jobs(problem, width, chosen))
        results = Parallel(n_jobs=2)(
            delayed(judge)(rows, draws[k], source.steps, everybody) for k, everybody in jobs
        )
        names = dict.fromkeys(name for result in results for name in result)
        found[width] = {name: np.full(problem.n_draws, np.nan) for name in names}
        for (k, _), result in zip(jobs, results):
            for name, error in result.items():
                found[width][name][k] = error
        means = ", ".join(f"{name} {np.nanmean(found[width][name]):.3f}" for name in CORE)
        _say(problem, start, f"width {width}: {means}")
    return found, chosen


def _jobs(problem: Problem, width: float, chosen: float) -> Iterator[tuple[int, bool]]:
    """Which draws are run at a width, and whether with all learners."""
    main = width in (problem.published_like, chosen)
    for k in range(problem.n_draws if main else problem.n_shown):
        yield k, main and k < problem.n_full


def _say(problem: Problem, start: float, what: str) -> None:
    print(f"[{time.perf_counter() - start:4.0f} s] {problem.name}, {what}", file=sys.stderr)


def spread(errors: np.ndarray) -> str:
    """Mean and its standard error over the draws that were run."""
    if np.isfinite(errors).sum() < 2:
        return f"{np.nanmean(errors):.3f} (one draw)"
    return f"{np.nanmean(errors):.3f} ± {_standard_error(errors):.3f}"


def _standard_error(errors: np.ndarray) -> float:
    run = errors[~np.isnan(errors)]
    return float(run.std(ddof=1) / np.sqrt(len(run)))


def _lines(problem: Problem, found: dict[float, Errors], chosen: float) -> list[Line]:
    lines = []
    for width, errors in found.items():
        values = "  ".join(f"{np.nanmean(errors[name]):.3f}" for name in (CHEAP, UMA, SAMPLE))
        gap = spread(errors[UMA] - errors[CHEAP])
        what = f"{problem.name}, width {width:g}: h_Sy, UMA, h_Sconf | UMA - h_Sy"
        lines.append(Line(what, values, gap, f"h_St {np.nanmean(errors[CLEAN]):.3f}"))
    mains = {"published-like": problem.published_like, "chosen": chosen}
    for title, width in mains.items():
        errors = found[width]
        for name, values in errors.items():
            what = f"{problem.name}, {title} width {width:g}: {NAMES.get(name, name)}"
            line = Line(what, spread(values))
            if name in problem.published:
                line.other = f"published {problem.published[name]:.2f}"
            if name == UMA:
                _compare(problem, line, errors, title == "chosen")
            lines.append(line)
    return lines


def _compare(problem: Problem, line: Line, errors: Errors, has_target: bool) -> None:
    """Add how far UMA is below the perceptron and, where there is one, the target."""
    gap = errors[UMA] - errors[CHEAP]
    line.ratio = f"UMA - h_Sy {spread(gap)}"
    if has_target and problem is DIGITS:
        line.target = "<= 0.17, far below h_Sy"
        bound = gap.mean() + 3.0 * _standard_error(gap)
        line.met = bool(errors[UMA].mean() <= 0.17 and bound < 0.0)


def draw_widths(curves: list[tuple[Problem, dict[float, Errors]]]) -> None:
    """Errors over the kernel widths, one panel per data set."""
    figure, panels = plt.subplots(
        1, len(curves), figsize=(4.5 * len(curves), 3.6), layout="constrained", squeeze=False
    )
    colours = {CHEAP: ORANGE, UMA: BLUE, SAMPLE: SERIES[2], ROUGH: MUTED, CLEAN: INK}
    words = {
        CHEAP: "perceptron, cheap labels",
        UMA: "UMA, cheap labels",
        SAMPLE: "perceptron, the 5 %",
        ROUGH: "rough classifier",
        CLEAN: "perceptron, true labels",
    }
    for axes, (problem, found) in zip(panels[0], curves):
        for name, colour in colours.items():
            means = np.array([np.nanmean(errors[name]) for errors in found.values()])
            error = np.array([_standard_error(errors[name]) for errors in found.values()])
            widths = list(found)
            style = "--" if name in (ROUGH, CLEAN) else "-"
            axes.plot(widths, means, style, color=colour, label=words[name], lw=1.8)
            axes.fill_between(widths, means - error, means + error, color=colour, alpha=0.15, lw=0)
        axes.axvline(problem.published_like, color=GRID, zorder=0)
        axes.set_xscale("log")
        axes.set_xticks(list(found), [f"{width:g}" for width in found], fontsize=8, rotation=60)
        axes.minorticks_off()
        axes.set_ylim(0.0, None)
        axes.set_title(problem.name, color=INK)
        axes.set_xlabel("width of the kernel")
        axes.grid(axis="y", color=GRID)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0, 0].set_ylabel("error on clean test rows")
    lines, names = panels[0, 0].get_legend_handles_labels()
    figure.legend(lines, names, frameon=False, ncols=3, loc="outside lower center")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=110)
    plt.close(figure)
