"""Ten times five folds on small imbalanced sets: CoMBo, AdaBoost.MM, the published values."""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed

from benchmarks.lines import NOT_RUN, Line
from uneven import AdaBoostMMClassifier, ComboClassifier
from uneven.datasets import fetch
from uneven.voters import CostTree
from uneven_published import Context
from uneven_published.koco.rare_classes import GMEANS, TABLES
from uneven_published.protocols import CrossValidated, pick

PUBLISHED = {
    TABLES[row]: GMEANS.values[row, "CoMBo", "gmean"]
    for row in ("Car", "Balance", "Ecoli", "Glass", "Nursery-s")
}
"""G-mean of CoMBo in the thesis of Koço (2013), Table 3.2: mean and deviation."""


def run() -> list[Line]:
    lines = []
    for name, printed in PUBLISHED.items():
        mean, deviation = printed.mean, printed.deviation
        try:
            data = fetch(name, download=False)
        except (OSError, ValueError) as error:
            lines.append(Line(f"{name}: {str(error).splitlines()[0][:90]}", NOT_RUN))
            continue
        combo = cross_validated(ComboClassifier(), data)
        plain = cross_validated(AdaBoostMMClassifier(), data)
        lines.append(_norm_line(name, combo[:, 0], plain[:, 0]))
        gmean = combo[:, 1].mean()
        lines.append(
            Line(
                f"{name}: G-mean of CoMBo; other: published",
                f"{gmean:.3f} ± {combo[:, 1].std():.3f}",
                f"{mean:.3f} ± {deviation:.3f}",
                "",
                f">= {mean - deviation:.3f}",
                bool(gmean >= mean - deviation),
            )
        )
    return lines


def criteria() -> list[Line]:
    """Split criteria of the cost trees, CoMBo at depth 3: norm and G-mean of each."""
    lines = []
    for name in PUBLISHED:
        try:
            data = fetch(name, download=False)
        except (OSError, ValueError) as error:
            lines.append(Line(f"{name}: {str(error).splitlines()[0][:90]}", NOT_RUN))
            continue
        for criterion in ("least_squares", "cost"):
            scores = cross_validated(ComboClassifier(CostTree(3, criterion)), data)
            means = scores.mean(axis=0)
            lines.append(
                Line(f"{name}, {criterion}", f"norm {means[0]:.3f}", f"G-mean {means[1]:.3f}")
            )
    return lines


def _norm_line(name: str, combo: np.ndarray, plain: np.ndarray) -> Line:
    return Line(
        f"{name}: confusion norm, 10 x 5-fold; other: AdaBoost.MM",
        f"{combo.mean():.4f} ± {combo.std():.3f}",
        f"{plain.mean():.4f} ± {plain.std():.3f}",
        f"{combo.mean() - plain.mean():+.4f}",
        "below" if plain.mean() > 0 else "0",
        bool(combo.mean() < plain.mean() or combo.mean() == 0),
    )


def cross_validated(model, data, n_repeats: int = 10) -> np.ndarray:
    """Norm and G-mean of every fold, shape (5 * n_repeats, 2)."""
    protocol = CrossValidated({"": lambda context: data}, {"": model}, pick("norm", "gmean"))
    runs = Parallel(n_jobs=2)(delayed(protocol)("", k, Context()) for k in range(n_repeats))
    folds = [np.column_stack([found[""]["norm"], found[""]["gmean"]]) for found in runs]
    return np.concatenate(folds)
