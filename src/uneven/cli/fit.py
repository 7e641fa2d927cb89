"""``uneven fit``: fit one method on a table and save it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from sklearn.pipeline import Pipeline

from uneven.cli import terminal
from uneven.cli.requests import TableRequest
from uneven.comparison import (
    InputError,
    Method,
    Problem,
    Settings,
    choose_methods,
    default_methods,
    fit_method,
    has_views,
    stack_methods,
)
from uneven.comparison.inputs import TableSource
from uneven.comparison.plan import fit_notes
from uneven.comparison.progress import Reporter
from uneven.comparison.provenance import now, shown_params, versions
from uneven.persistence.model_file import ModelCard, save_model

__all__ = ["fit", "model_card"]

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
    table = TableSource(**vars(source))
    problem = table.load()
    noise = table.noise(problem)
    chosen = named or choose_methods(default_methods(has_views(problem), noise is not None))
    method = stack_methods(chosen, problem.schema) if stack else chosen[0]
    terminal.notes([*problem.notes, *fit_notes([method], problem, noise)])
    started = time.perf_counter()
    settings = replace(
        settings, views=problem.views, noise_matrix=noise.undone.matrix if noise else None
    )
    with terminal.progress() as show:
        model = fit_method(method, problem, settings, Reporter(show, 1))
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
