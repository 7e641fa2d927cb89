"""The published comparison of combiners, re-run, beside scikit-learn's stacking.

M. U. Şen (2011), tables 4.2, 4.3, 4.4 and 6.1: five times two halves of eight data sets, four folds
for the level-1 scores, and a strength by two folds of these. The source stacks 130 classifiers (13
kinds on ten random parts of the rows); here each kind has three parts, 39 in all. All combiners
learn from the same scores. ``UNEVEN_STACKS`` names a folder in which scores and errors are kept.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import joblib
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.lines import NOT_RUN, Line
from benchmarks.stacking_judges import (
    DESCENTS,
    ELASTIC_HINGE,
    ELASTIC_SQUARED,
    FAMILIES,
    GROUP,
    REFIT,
    SMALLEST,
    judge,
    judge_wide,
)
from benchmarks.stacks import FOLDER, N_STACKS, N_SUBSETS, NAMES, stacks
from uneven.metrics.significance import signed_rank_test
from uneven_published.numbers import Printed
from uneven_published.sen import printed
from uneven_published.sen.runs import DATA, Verdict, Verdicts

WIDEST = 700
"""Weights of "lsg" beyond which its hinges are left out here: they take minutes each."""

Found = dict[str, list[Verdicts]]

PRINTED: dict[str, tuple[Printed, str]] = {
    "soft voting": (printed.LOSSES, "EW"),
    **{f"hinge l2 {c}": (printed.LOSSES, f"{c.upper()} l2") for c in FAMILIES},
    **{f"squared l2 {c}": (printed.LOSSES, f"LS {c.upper()}") for c in FAMILIES},
    **{f"mlr {c}": (printed.LOSSES, f"MLR {c.upper()}") for c in FAMILIES},
    **{f"hinge l1 {c}": (printed.PENALTIES, f"{c.upper()} l1") for c in ("ws", "cws")},
    "hinge group cws": (printed.PENALTIES, "CWS l1-l2"),
    "descent l2": (printed.DESCENTS, "MM l2"),
    "descent l1": (printed.DESCENTS, "MM l1"),
    "descent group": (printed.DESCENTS, "MM l1-l2"),
}
"""Where the errors of a combiner are printed: tables 4.2, 4.3 and 6.1. The columns of the exact l2
solution in tables 4.3 and 6.1 contradict each other; ours is the former."""


def _published(table: Printed, column: str, measure: str) -> dict[str, float]:
    """A column of a printed table, by data set."""
    return {name: table.mean(row, column, measure) for row, name in DATA.items()}


PUBLISHED = {m: _published(table, column, "error") for m, (table, column) in PRINTED.items()}
"""Errors in percent with 130 classifiers."""

PUBLISHED_USED = {
    method: _published(printed.COUNTS, PRINTED[method][1], "kept")
    for method in ("hinge l1 ws", "hinge l1 cws", "hinge group cws")
}
"""Classifiers kept of 130, table 4.4."""

OTHERS = ("soft voting", "logistic", "ridge", "ridge, tuned")
TABLES: dict[str, tuple[str, ...]] = {
    "Fixed rules, scikit-learn's final estimators, and the default": (
        "majority",
        "best single",
        *OTHERS,
        GROUP,
        SMALLEST,
        REFIT,
        ELASTIC_HINGE,
        ELASTIC_SQUARED,
    ),
    "Losses (table 4.2; * hinge and squared l2 differ, Wilcoxon 5 %)": tuple(
        f"{kind} {family}" for kind in ("hinge l2", "squared l2", "mlr") for family in FAMILIES
    ),
    "Penalties, hinge (table 4.3)": (
        "hinge l2 ws",
        "hinge l1 ws",
        "hinge l2 cws",
        "hinge l1 cws",
        GROUP,
        "squared group cws",
    ),
    "The published descent, at the strengths of the exact solver (table 6.1)": (
        *DESCENTS,
        *DESCENTS.values(),
    ),
}
KEPT = (
    "hinge l1 ws",
    "hinge l1 cws",
    GROUP,
    SMALLEST,
    REFIT,
    "squared group cws",
    ELASTIC_HINGE,
    ELASTIC_SQUARED,
)
SPARE = 0.5
"""Points of error that dropping classifiers may cost."""


def run() -> list[Line]:
    missing, found = [], {}
    for name in NAMES:
        try:
            found[name] = measure(name)
        except (OSError, ValueError) as error:
            missing.append(Line(f"{name}: {str(error).splitlines()[0][:90]}", NOT_RUN))
    if not found:
        return missing
    for title, methods in TABLES.items():
        show_errors(title, found, methods)
    show_used(found)
    return missing + summary(found)


def measure(name: str, n_subsets: int = N_SUBSETS, n_stacks: int = N_STACKS) -> list[Verdicts]:
    """What every combiner reaches on every stack of a data set."""
    folder = os.environ.get(FOLDER)
    memory = joblib.Memory(folder, verbose=0)
    start, found = time.perf_counter(), []
    for k, stack in enumerate(stacks(name, n_subsets=n_subsets, n_stacks=n_stacks, n_jobs=2)):
        verdicts = memory.cache(judge)(stack)
        _, n_members, n_classes = stack.scores.shape
        if n_members * n_classes**2 <= WIDEST:
            verdicts = verdicts | memory.cache(judge_wide)(stack)
        found.append(verdicts)
        said = f"{name}, stack {k + 1} of {n_stacks}: error {verdicts[GROUP].error:.2f} %"
        print(f"[{time.perf_counter() - start:4.0f} s] {said}", file=sys.stderr)
    return found


def errors(found: Found, name: str, method: str) -> np.ndarray:
    """Errors in percent of a combiner on the stacks of a data set."""
    return _column(found, name, method, "error")


def mean_error(found: Found, method: str) -> float:
    """Mean over the data sets of the mean error in percent; NaN if some were not run."""
    return float(np.mean([errors(found, name, method).mean() for name in found]))


def mean_used(found: Found, method: str) -> float:
    """Mean over the data sets of the number of classifiers used."""
    return float(np.mean([_column(found, name, method, "used").mean() for name in found]))


def _column(found: Found, name: str, method: str, field: str) -> np.ndarray:
    nothing = Verdict(np.nan, 0)
    return np.array([getattr(each.get(method, nothing), field) for each in found[name]], float)


def show_errors(title: str, found: Found, methods: tuple[str, ...]) -> None:
    """Print errors in percent, mean ± deviation over the stacks, published ones in brackets."""
    rows = []
    for method in methods:
        known = PUBLISHED.get(method, {})
        cells = []
        for name in found:
            here = errors(found, name, method)
            cell = f"{here.mean():.2f} ± {here.std(ddof=1):.2f}{_star(found, name, method)}"
            old = f"\\[{known[name]:.2f}]" if name in known else ""
            cells.append(f"{cell} {old}".strip() if np.isfinite(here).all() else f"– {old}".strip())
        old = f" \\[{np.mean([known[name] for name in found]):.2f}]" if known else ""
        whole = mean_error(found, method)
        rows.append([method, *cells, (f"{whole:.2f}" if np.isfinite(whole) else "–") + old])
    _print(f"{title}: error % \\[published, 130 classifiers]", list(found), rows)


def show_used(found: Found) -> None:
    """Print how many classifiers are kept."""
    n_members = int(max(v["soft voting"].used for each in found.values() for v in each))
    rows = []
    for method in KEPT:
        known = PUBLISHED_USED.get(method, {})
        cells = []
        for name in found:
            here = _column(found, name, method, "used")
            old = f" \\[{known[name]:.0f}]" if name in known else ""
            cells.append(f"{here.mean():.1f} ± {here.std(ddof=1):.1f}{old}")
        rows.append([method, *cells, f"{mean_used(found, method):.1f}"])
    title = f"Classifiers kept of {n_members} (table 4.4) \\[published, of 130]"
    _print(title, list(found), rows)


def _print(title: str, names: list[str], rows: list[list[str]]) -> None:
    table = Table(title=title, title_justify="left", header_style="bold")
    for k, name in enumerate(["", *names, "mean"]):
        table.add_column(name, justify="right" if k else "left")
    for row in rows:
        table.add_row(*row)
    Console(width=220).print(table)


def _star(found: Found, name: str, method: str) -> str:
    """Marks hinges whose errors differ from those of least squares in the same combination."""
    if method not in {f"hinge l2 {family}" for family in FAMILIES}:
        return ""
    ours, others = (
        errors(found, name, which) for which in (method, method.replace("hinge", "squared"))
    )
    if not np.isfinite(ours).all():
        return ""
    sides = ("less", "greater")
    return "*" if min(signed_rank_test(ours, others, s).pvalue for s in sides) <= 0.05 else ""


def summary(found: Found) -> list[Line]:
    """Targets: what should be at or below what."""
    lines = [_hinge_beats_squares(found, family) for family in FAMILIES]
    lines += [_few_suffice(found), *_no_collapse(found)]
    best = min((m for m in _ours(found)), key=lambda method: mean_error(found, method))
    for method in dict.fromkeys((GROUP, ELASTIC_HINGE, ELASTIC_SQUARED, best)):
        for other in OTHERS:
            lines.append(_beside(found, method, other, has_target=other != "ridge, tuned"))
    return lines


def _ours(found: Found) -> list[str]:
    """Combiners of this library that were run everywhere."""
    kinds = ("hinge", "squared")
    methods = dict.fromkeys(method for methods in TABLES.values() for method in methods)
    return [m for m in methods if m.startswith(kinds) and np.isfinite(mean_error(found, m))]


def _hinge_beats_squares(found: Found, family: str) -> Line:
    """Mean errors over the data sets on which both were run."""
    hinge, squares = f"hinge l2 {family}", f"squared l2 {family}"
    both = {n: found[n] for n in found if np.isfinite(errors(found, n, hinge)).all()}
    if not both:
        return Line(f"hinge | squared loss, l2 {family}", NOT_RUN)
    ours, other = mean_error(both, hinge), mean_error(both, squares)
    what = f"hinge | squared loss, l2 {family}, {len(both)} sets: mean error %"
    return Line(what, f"{ours:.2f}", f"{other:.2f}", f"{ours - other:+.2f}", "<= 0", ours <= other)


def _few_suffice(found: Found) -> Line:
    sparse, full = mean_error(found, GROUP), mean_error(found, "hinge l2 cws")
    part = mean_used(found, GROUP) / mean_used(found, "hinge l2 cws")
    return Line(
        "group | l2, cws: mean error %; share of the classifiers kept",
        f"{sparse:.2f}; {part:.0%}",
        f"{full:.2f}",
        f"{sparse - full:+.2f}",
        f"<= {SPARE}; < 50 %",
        sparse <= full + SPARE and part < 0.5,
    )


def _no_collapse(found: Found) -> list[Line]:
    """Stacks whose error is more than ten points above that of the mean of all classifiers."""
    lines = []
    for descent, exact in DESCENTS.items():
        counts = [
            sum(_collapsed(found, name, method) for name in found) for method in (exact, descent)
        ]
        what = f"stacks that collapse, {exact} | published descent"
        lines.append(Line(what, str(counts[0]), str(counts[1]), "", "0", counts[0] == 0))
    return lines


def _collapsed(found: Found, name: str, method: str) -> int:
    above = errors(found, name, method) - errors(found, name, "soft voting")
    return int((above > 10.0).sum())


def _beside(found: Found, method: str, other: str, has_target: bool) -> Line:
    ours, theirs = mean_error(found, method), mean_error(found, other)
    used: Any = [mean_used(found, which) for which in (method, other)]
    return Line(
        f"{method} | {other}: mean error %, classifiers",
        f"{ours:.2f}, {used[0]:.1f}",
        f"{theirs:.2f}, {used[1]:.1f}",
        f"{ours - theirs:+.2f}",
        "<= 0" if has_target else "",
        ours <= theirs if has_target else None,
    )
