"""UMA on ten classes on a circle: robust to how much noise, and to how wrong a noise matrix?"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.lines import Line
from uneven_published.louche.noise_toy import FULL, LEVELS, TOLD, Circle

FIGURE = Path(__file__).parent.parent / "docs" / "images" / "uma-toy.png"
RULES = ("error", "confusion", "random")
SEEDS = range(100, 130)
N_CLASSES, N_TRAIN, N_TEST, N_STEPS = 10, 1000, 10_000, 500
MUST_WIN = (3, 5, 7)
PUBLISHED = {1: "0.5 / 1.7", 10: "1.8 / -", 20: "2.25 / 2.75"}


def one_seed(seed: int) -> dict[str, np.ndarray]:
    """Norms of the test confusion for every level, of both experiments."""
    with threadpool_limits(1):
        circle = Circle.draw(seed, N_CLASSES, N_TRAIN, N_TEST)
        return {
            "size": np.array([circle.noise_size(level) for level in LEVELS]),
            "noise": np.array([rules_at(circle, level) for level in LEVELS]),
            "wrong": wrong_matrix(circle),
        }


def rules_at(circle: Circle, level: int) -> list[list[float]]:
    """For each rule: UMA with the matrix of the noise, and with the identity."""
    labels = circle.noisy(level)
    return [[circle.norm(labels, told, rule, N_STEPS) for told in (level, None)] for rule in RULES]


def wrong_matrix(circle: Circle) -> np.ndarray:
    """Noise at level 10 throughout; UMA is told that of level 0, 1, ..., 20."""
    labels = circle.noisy(FULL)
    return np.array([circle.norm(labels, level, "error", N_STEPS) for level in TOLD])


def measure(seeds=SEEDS) -> dict[str, np.ndarray]:
    """All seeds, on all processors; the first axis is the seed."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        found = list(pool.map(one_seed, seeds))
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def centre(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean over the seeds and its standard error."""
    counted = np.isfinite(values).sum(axis=0)
    spread = np.nanstd(values, axis=0, ddof=1) / np.sqrt(counted)
    return np.nanmean(values, axis=0), spread


def run() -> list[Line]:
    found = measure()
    draw_figure(found)
    lines = []
    for r, rule in enumerate(RULES):
        mean, error = centre(found["noise"][:, :, r])
        gap, gap_error = centre(found["noise"][:, :, r, 0] - found["noise"][:, :, r, 1])
        for k, level in enumerate(LEVELS):
            targeted = rule == "error" and level in MUST_WIN
            lines.append(
                Line(
                    f"{rule}, level {level} (noise {found['size'][:, k].mean():.2f})",
                    f"{mean[k, 0]:.2f} ± {error[k, 0]:.2f}",
                    f"{mean[k, 1]:.2f} ± {error[k, 1]:.2f}",
                    f"{gap[k]:+.2f} ± {gap_error[k]:.2f}",
                    "difference < 0 by 2 s.e." if targeted else PUBLISHED.get(level, ""),
                    bool(gap[k] + 2 * gap_error[k] < 0) if targeted else None,
                )
            )
    return lines + wrong_lines(found["wrong"])


def wrong_lines(wrong: np.ndarray) -> list[Line]:
    mean, error = centre(wrong)
    lines = []
    for level in (0, 2, 5, 8, 10, 12, 15, 20):
        gap, gap_error = centre(wrong[:, level] - wrong[:, 10])
        told = "identity" if not level else f"level {level}"
        lines.append(
            Line(
                f"noise of level 10, UMA is told {told} (rho {1 - level / 10:+.1f})",
                f"{mean[level]:.2f} ± {error[level]:.2f}",
                f"{mean[10]:.2f} ± {error[10]:.2f}",
                f"{gap:+.2f} ± {gap_error:.2f}",
            )
        )
    return lines


def draw_figure(found: dict[str, np.ndarray], path: Path = FIGURE) -> None:
    """One panel per rule, one for wrong matrices; bands are two standard errors."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    from uneven.plots.drawing import BLUE, INK, MUTED, ORANGE, soft_grid

    figure, axes = plt.subplots(1, 4, figsize=(11, 3.3), sharey=True, layout="constrained")
    levels = np.array(LEVELS)
    for r, rule in enumerate(RULES):
        for k, (colour, name) in enumerate(((BLUE, "UMA, true matrix"), (ORANGE, "identity"))):
            _band(axes[r], levels, found["noise"][:, :, r, k], colour, name)
        axes[r].set_title(f'selection="{rule}"', fontsize=10, color=INK)
        axes[r].set_xlabel("level of the noise", fontsize=9, color=MUTED)
        axes[r].set_xticks([1, 5, 10, 15, 20])
    rho = 1 - np.arange(21) / 10
    _band(axes[3], rho, found["wrong"], BLUE, "")
    axes[3].axvline(0.0, color=MUTED, linewidth=0.8, linestyle=":")
    axes[3].invert_xaxis()
    axes[3].set_title("wrong matrix", fontsize=10, color=INK)
    axes[3].set_xlabel("noise under- (+) or overestimated (−)", fontsize=9, color=MUTED)
    axes[0].set_ylabel("norm of the test confusion", fontsize=9, color=MUTED)
    axes[0].legend(frameon=False, fontsize=8.5, loc="lower right")
    for axis in axes:
        soft_grid(axis)
        axis.set_ylim(0, 3.2)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _band(axis, x, values, colour, name) -> None:
    mean, error = centre(values)
    axis.plot(x, mean, color=colour, linewidth=1.8, label=name)
    axis.fill_between(x, mean - 2 * error, mean + 2 * error, color=colour, alpha=0.18, linewidth=0)
