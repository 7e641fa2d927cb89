"""What the reader should know before methods are fitted: what they cannot use or must not."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp

from uneven.comparison.crossval import has_views
from uneven.comparison.measures import LabelNoise, Measure
from uneven.comparison.methods import (
    knows_noise,
)
from uneven.comparison.problem import Problem
from uneven.utils.methods import Method
from uneven.utils.registry import listing

MOSTLY = 0.5
"""Numbers that agree with the label in more than this share of the rows look like labels."""


OFTEN_MISSING = 0.05
"""A view that is missing in this share of the rows is worth a note."""


def fit_notes(methods: Iterable[Method], problem: Problem, noise: LabelNoise | None) -> list[str]:
    """What the reader should know before methods are fitted: what they cannot use or must not."""
    found = list(methods)
    return [
        *_single_view_notes(found, problem),
        *_missing_view_notes(found, problem),
        *_leak_notes(problem, noise),
        *_unaware_notes(found, noise),
    ]


def _single_view_notes(methods: Iterable[Method], problem: Problem) -> list[str]:
    """Note methods that have nothing to combine because the table is one view."""
    if has_views(problem):
        return []
    return [
        f"{method.label} joins views, but there is one view only; say with --views how the "
        "columns group."
        for method in methods
        if method.joins_views
    ]


def untuned_notes(methods: Iterable[Method]) -> list[str]:
    """Note methods without parameters to search."""
    plain = [method.label for method in methods if not method.tunes]
    return [f"--tune: nothing is searched for {listing(plain)}."] if plain else []


def _missing_view_notes(methods: Iterable[Method], problem: Problem) -> list[str]:
    """Note views that are often missing, if a method reads the columns of all views at once."""
    early = [m.label for m in methods if not (m.joins_views or m.name == "uneven")]
    if not has_views(problem) or sp.issparse(problem.X) or not early:
        return []
    shares = {
        view: float(problem.X[columns].isna().all(axis=1).mean())
        for view, columns in (problem.views or {}).items()
    }
    often = [f"{view} ({share:.0%})" for view, share in shares.items() if share >= OFTEN_MISSING]
    if not often:
        return []
    return [
        f"rows lack whole views: {', '.join(often)}. {', '.join(early)} read all columns at once "
        "and lose most there; uneven and late_fusion learn each view from the rows that have it."
    ]


def _unaware_notes(methods: Iterable[Method], noise: LabelNoise | None) -> list[str]:
    """Note methods that treat noisy labels as correct."""
    if noise is None:
        return [
            f"{method.label} is meant for label noise with a known noise matrix; without "
            "--noise-matrix it treats the labels as correct."
            for method in methods
            if method.needs_noise
        ]
    unaware = [method.label for method in methods if not knows_noise(method)]
    if not unaware:
        return []
    names = ", ".join(unaware)
    return [f"no noise matrix can be given to {names}: the labels are treated as correct."]


def _leak_notes(problem: Problem, noise: LabelNoise | None) -> list[str]:
    """Note columns that may hold the checked labels, which would leak the class.

    Columns of class names, and columns of numbers that are classes and mostly agree with the
    label.
    """
    if noise is None or problem.schema.sparse:
        return []
    classes, labels = set(problem.classes.astype(str)), problem.y.astype(str)
    suspects = []
    for column in problem.schema.columns:
        cells = problem.X[column.name]
        present = cells.notna().to_numpy()
        names = np.array([_class_name(cell) for cell in cells[present]])
        if len(set(names)) < 2 or not set(names) <= classes:
            continue
        if column.kind == "category" or np.mean(names == labels[present]) > MOSTLY:
            suspects.append(column.name)
    return [
        f"column {name!r} holds nothing but classes; if these are checked labels, they give the "
        f"class away (target leakage): --drop {name}."
        for name in suspects
    ]


def _class_name(cell: object) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell)) if whole else str(cell)  # type: ignore[call-overload]


def uncorrected_notes(metric: Measure, noise: LabelNoise | None) -> list[str]:
    """Note that the ranking is by noisy labels, although the noise is known."""
    if noise is None or noise.judged_by(metric) is not metric:
        return []
    return [f"{metric.label} cannot be corrected for the noise: it ranks by the labels as given."]
