"""``uneven fit``: fit one method on a table and save it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.pipeline import Pipeline

from uneven.cli import terminal
from uneven.cli.inputs import TableRequest
from uneven.cli.provenance import now, shown_params, versions
from uneven.comparison import (
    InputError,
    LabelNoise,
    Method,
    Problem,
    Settings,
    choose_methods,
    default_methods,
    fit_method,
    has_views,
    knows_noise,
    stack_methods,
)
from uneven.persistence.model_file import ModelCard, save_model

__all__ = ["deaf_notes", "fit", "leak_notes", "lone_view_notes", "model_card"]

MOSTLY = 0.5
"""Numbers that agree with the label in more than this share of the rows look like labels."""


DEFAULT = "combo"
"""The method that is fitted if none is named."""


def fit(
    source: TableRequest,
    names: tuple[str, ...] | None,
    settings: Settings,
    out: Path,
    command: str,
    *,
    stack: bool = False,
) -> None:
    """Fit and save.

    Parameters
    ----------
    source : TableRequest
        The table.
    names : tuple of str or None
        Name of the method, or of those to stack; None takes the default, or all to stack.
    settings : Settings
        Its parameters; views are taken from the table.
    out : Path
        Model file to write.
    command : str
        The command line, kept with the model.
    stack : bool
        Whether to join several methods in a stack.
    """
    named = _named(names, stack)
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise InputError(f"--out {out} must name a file in a folder that exists.")
    problem = source.load()
    noise = source.noise(problem)
    chosen = named or choose_methods(default_methods(has_views(problem), noise is not None))
    method = stack_methods(chosen, problem.schema) if stack else chosen[0]
    terminal.notes([*problem.notes, *lone_view_notes([method], problem)])
    terminal.notes([*deaf_notes([method], noise), *leak_notes(problem, noise)])
    started = time.perf_counter()
    with terminal.progress(1) as observer:
        settings = replace(
            settings, views=problem.views, noise_matrix=noise.undone.matrix if noise else None
        )
        model = fit_method(method, problem, settings, observer)
    save_model(model, model_card(method, problem, model, command), out)
    terminal.stdout().print(
        f"{method.label} fitted on {len(problem.y)} rows and {problem.X.shape[1]} columns in "
        f"{time.perf_counter() - started:.1f} s: {out}",
        soft_wrap=True,
        markup=False,
    )


def _named(names: tuple[str, ...] | None, stack: bool) -> list[Method] | None:
    """The methods that were named; None where a stack takes all."""
    if names is None and stack:
        return None
    named = choose_methods(names or [DEFAULT])
    if len(named) > 1 and not stack:
        raise InputError(
            f"--method names {len(named)} methods, but one is fitted; add --stack to join them."
        )
    return named


def lone_view_notes(methods: Iterable[Method], problem: Problem) -> list[str]:
    """Tell which methods have nothing to join because the table is one view."""
    if has_views(problem):
        return []
    return [
        f"{method.label} joins views, but there is one view only; say with --views how the "
        "columns group."
        for method in methods
        if method.joins_views
    ]


def deaf_notes(methods: Iterable[Method], noise: LabelNoise | None) -> list[str]:
    """Tell which methods learn from noisy labels as if they were true."""
    if noise is None:
        return [
            f"{method.label} is meant for labels that are wrong in a known way; without "
            "--noise-matrix it believes them."
            for method in methods
            if method.needs_noise
        ]
    deaf = [method.label for method in methods if not knows_noise(method)]
    if not deaf:
        return []
    return [f"no noise matrix can be given to {', '.join(deaf)}: the labels are believed as given."]


def leak_notes(problem: Problem, noise: LabelNoise | None) -> list[str]:
    """Tell which columns may hold the checked labels, from which methods would read the answer.

    Columns of class names, and columns of numbers that are classes and mostly agree with the
    label.
    """
    if noise is None:
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
        f"column {name!r} holds nothing but classes; if these are checked labels, the methods read "
        f"the answer there: --drop {name}."
        for name in suspects
    ]


def _class_name(cell: object) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell)) if whole else str(cell)  # type: ignore[call-overload]


def model_card(method: Method, problem: Problem, model: Pipeline, command: str) -> ModelCard:
    """What to keep with a model.

    Parameters
    ----------
    method : Method
        Which method was fitted.
    problem : Problem
        On what.
    model : Pipeline
        The fitted pipeline.
    command : str
        The command line.

    Returns
    -------
    ModelCard
        The card.
    """
    return ModelCard(
        method=method.name,
        label=method.label,
        target=problem.target,
        classes=[str(label) for label in problem.classes],
        class_counts=[int(count) for count in problem.class_counts],
        columns=problem.schema.to_list(),
        rows=len(problem.y),
        data=problem.name,
        sha256=problem.sha256,
        missing_share=problem.missing_share,
        params=shown_params(model[-1]),
        versions=versions(),
        created=now(),
        command=command,
    )
