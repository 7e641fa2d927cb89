"""Cheap labels on sparse text: Reuters-21578 (nine largest classes) and 20 Newsgroups.

The cheap-label protocol on tf-idf words, no kernel, official training and test
rows. The published row is of another, larger Reuters collection (RCV1), with nine classes too.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from joblib import Parallel, delayed

from benchmarks.cheap_labels import NAMES, SELF_LABELLING, judge, judge_recommended
from benchmarks.lines import NOT_RUN, Line, at_most
from benchmarks.noise_real import spread
from uneven.datasets import fetch
from uneven_published.louche.cheap_labels import (
    CHEAP,
    CLEAN,
    SAMPLE,
    UMA,
    Draw,
    Rows,
    draw_labelled,
    largest_classes,
    seen_matrix,
    uma,
)

N_DRAWS = 10
FIRST_SEED = 100
N_PER_CLASS = 20
STEPS = 500
TARGETS = {"reuters21578": 10.0}
"""Seconds for one fit."""

PUBLISHED = {CHEAP: 0.30, SAMPLE: 0.17, CLEAN: 0.01, UMA: 0.21}


def run() -> list[Line]:
    lines: list[Line] = []
    for name, n_largest in (("reuters21578", 9), ("newsgroups20", 20)):
        rows = _read(name, n_largest)
        lines += (
            [rows] if isinstance(rows, Line) else [_one_fit(name, rows), *_learners(name, rows)]
        )
    return lines


def _read(name: str, n_largest: int) -> Rows | Line:
    """The rows of the largest classes, or a line that says why they are not there."""
    try:
        return largest_classes(fetch(name, download=False), n_largest)
    except (OSError, ValueError) as error:
        return Line(f"{name}: {str(error).splitlines()[0][:90]}", NOT_RUN)


def run_recommended() -> list[Line]:
    """Errors of what the pages recommend: fewer draws of the larger table."""
    lines: list[Line] = []
    for name, n_largest, n_draws in (("reuters21578", 9, 10), ("newsgroups20", 20, 3)):
        rows = _read(name, n_largest)
        if isinstance(rows, Line):
            lines.append(rows)
            continue
        draws = [draw_labelled(rows.t, N_PER_CLASS, FIRST_SEED + k) for k in range(n_draws)]
        results = [judge_recommended(rows, draw) for draw in draws]
        errors = {learner: np.array([one[learner] for one in results]) for learner in results[0]}
        best = min(errors[rival].mean() for rival in (CHEAP, SAMPLE))
        for learner, found in errors.items():
            line = Line(f"{name}: {NAMES.get(learner, learner)}", spread(found))
            if learner == SELF_LABELLING:
                line.target, line.met = "< h_Sy, h_Sconf", bool(found.mean() < best)
            lines.append(line)
    return lines


def _one_fit(name: str, rows: Rows) -> Line:
    labelled = draw_labelled(rows.t, N_PER_CLASS, FIRST_SEED)
    draw = Draw.of(rows, labelled)
    matrix = seen_matrix(draw)
    start = time.perf_counter()
    model = uma(STEPS, matrix).fit(rows.X, draw.cheap)
    seconds = time.perf_counter() - start
    n, d = rows.X.shape
    what = f"{name}: one UMA fit, {n} x {d} sparse, {len(matrix)} classes, {model.n_iter_} steps"
    if name in TARGETS:
        return at_most(what, seconds, TARGETS[name], "s")
    return Line(what, f"{seconds:.3g} s")


def _learners(name: str, rows: Rows) -> list[Line]:
    draws = [draw_labelled(rows.t, N_PER_CLASS, FIRST_SEED + k) for k in range(N_DRAWS)]
    print(f"{name}: {N_DRAWS} draws ...", file=sys.stderr)
    results = Parallel(n_jobs=2)(delayed(judge)(rows, draw, STEPS, True) for draw in draws)
    lines = []
    for learner in results[0]:
        errors = np.array([result[learner] for result in results])
        line = Line(f"{name}: {NAMES.get(learner, learner)}", spread(errors))
        if name.startswith("reuters") and learner in PUBLISHED:
            line.other = f"published (RCV1) {PUBLISHED[learner]:.2f}"
        if learner == UMA:
            line.ratio = f"UMA - h_Sy {spread(errors - [result[CHEAP] for result in results])}"
        lines.append(line)
    return lines
