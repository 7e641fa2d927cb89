"""NormCoMBo beside what is used for rare classes: a fast run of ``uneven reproduce norm``."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.lines import NOT_RUN, Line
from uneven_published import Run, harvest, plan, run_cells
from uneven_published.norm.methods import COMBO, NORM
from uneven_published.norm.tables import ONE_POINT, SAME_TREES, TABLE, TIMES
from uneven_published.runner import missing_rows
from uneven_published.significance import Ranks, rank_columns


def run() -> list[Line]:
    with tempfile.TemporaryDirectory() as folder:
        cells = Run(Path(folder), fast=True, n_jobs=2, download=False)
        missing, failed = run_cells(plan([TABLE], fast=True), cells)
        found = {one.measure: one for one in rank_columns(TABLE, harvest(TABLE, cells).measured)}
    gone = {**missing_rows(TABLE, True, missing), **failed}
    absent = [Line(f"{name}: {why}", NOT_RUN) for name, why in gone.items()]
    if not found or NORM not in found["norm"].columns:
        return absent
    return [*_targets(found), *_shown(found), *absent]


def _targets(found: Mapping[str, Ranks]) -> list[Line]:
    norm, gmean, accuracy, seconds = (
        found[key] for key in ("norm", "gmean", "accuracy", "processor")
    )
    own, plain = (_figures(accuracy, "means")[name] for name in (NORM, COMBO))
    slow, quick = (_figures(seconds, "means")[name] for name in (NORM, COMBO))
    ratio = slow / quick / SAME_TREES
    return [
        _beside_best("mean norm", _figures(norm, "means")),
        _beside_best("average rank by norm", _figures(norm, "ranks")),
        _beside_best("average rank by G-mean", _figures(gmean, "ranks")),
        Line(
            "mean accuracy; other: CoMBo",
            f"{own:.3f}",
            f"{plain:.3f}",
            f"{own - plain:+.3f}",
            f">= {-ONE_POINT:+.3f}",
            own >= plain - ONE_POINT,
        ),
        Line(
            "seconds of a fit, ratio for the same number of trees; other: CoMBo",
            f"{slow:.2f} s",
            f"{quick:.2f} s",
            f"{ratio:.2f}x",
            f"<= {TIMES:g}x",
            ratio <= TIMES,
        ),
    ]


def _beside_best(what: str, figures: dict[str, float]) -> Line:
    own = figures.pop(NORM)
    best = min(figures, key=lambda name: figures[name])
    return Line(
        f"{what}; other: {best}",
        f"{own:.3f}",
        f"{figures[best]:.3f}",
        f"{own / figures[best]:.2f}x",
        "<= 1x",
        own <= figures[best],
    )


def _shown(found: Mapping[str, Ranks]) -> list[Line]:
    """Every method: mean norm and rank, and rank by G-mean behind."""
    means, places = (_figures(found["norm"], figure) for figure in ("means", "ranks"))
    by_gmean = _figures(found["gmean"], "ranks")
    return [
        Line(
            f"{name}: mean norm; ranks by norm and by G-mean",
            f"{means[name]:.3f}",
            f"{places[name]:.2f}",
            f"{by_gmean[name]:.2f}",
        )
        for name in sorted(places, key=lambda name: places[name])
    ]


def _figures(ranks: Ranks, figure: str) -> dict[str, Any]:
    return dict(zip(ranks.columns, getattr(ranks, figure).tolist()))
