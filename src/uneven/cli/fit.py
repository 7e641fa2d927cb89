"""``uneven fit``: learn from all rows of a table, and write a model."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from uneven.cli import terminal
from uneven.cli.requests import DecisionRequest, TableRequest
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
from uneven.comparison.costfile import read_cost
from uneven.comparison.deciding import decide_model
from uneven.comparison.fitnotes import fit_notes
from uneven.comparison.goals import deciding_for, measures_of, ranking_measure
from uneven.comparison.measures import LabelNoise
from uneven.comparison.progress import Reporter
from uneven.comparison.schemafile import schema_text
from uneven.comparison.summaries import now, shown_params, versions
from uneven.decisions import TunedDecisionClassifier
from uneven.persistence.model_file import ModelCard, save_model
from uneven.utils.files import replace_file

SCHEMA = "schema.toml"
DEFAULT, DEFAULT_BY_NOISE = "uneven", "combo"
"""The method that is fitted if none is named, and the one with a noise matrix."""


_BY_NOISE = (
    f"{DEFAULT_BY_NOISE} is trained: {DEFAULT} does not support a noise matrix; --method selects "
    "another."
)


DEFAULT_ROUNDS = 200


def fit(
    source: TableRequest,
    names: tuple[str, ...] | None,
    settings: Settings,
    out: Path,
    command: str,
    *,
    stack: bool = False,
    decision: DecisionRequest | None = None,
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
    decision : DecisionRequest, optional
        The goal of decision rules.
    """
    noisy = source.noise_matrix is not None
    named = _named(names, stack, noisy)
    problem = source.load()
    noise = source.noise(problem)
    costs = None if decision is None else read_cost(decision.cost, problem, source.encoding)
    usual = default_methods(has_views(problem), noise is not None)
    chosen = named or [one for one in choose_methods(usual) if not one.package]
    method = stack_methods(chosen, problem.schema) if stack else chosen[0]
    own = [_BY_NOISE] if noisy and not (names or stack) else []
    terminal.notes([*problem.notes, *own, *fit_notes([method], problem, noise)])
    started = time.perf_counter()
    settings = replace(
        settings, views=problem.view_columns, noise_matrix=noise.undone.matrix if noise else None
    )
    with terminal.progress() as show:
        model = fit_method(method, problem, settings, Reporter(show, 1))
    if decision is not None:
        model = _decided(model, method, problem, settings, decision, noise, costs)
    save_model(model, model_card(method, problem, model, command), out)
    with replace_file(out.with_suffix(f".{SCHEMA}")) as draft:
        draft.write_text(schema_text(problem), encoding="utf-8", newline="\n")
    terminal.stdout().print(
        f"{method.label} fitted on {len(problem.y)} rows and {problem.X.shape[1]} columns in "
        f"{time.perf_counter() - started:.1f} s: {out}",
        soft_wrap=True,
        markup=False,
    )


def _decided(
    model: Pipeline,
    method: Method,
    problem: Problem,
    settings: Settings,
    decision: DecisionRequest,
    noise: LabelNoise | None,
    costs: NDArray[np.float64] | None,
) -> Pipeline:
    """A fitted model with a decision rule, chosen on out-of-fold probabilities of its method."""
    measures = measures_of(noise, costs)
    name = ranking_measure(None, decision.measure, costs is not None, noise is not None)
    words = (decision.measure, decision.calibrate, measures[name], noise, measures, costs)
    deciding = deciding_for(*words)
    if deciding is None:
        return model
    decided, told = decide_model(model, method, problem, settings, deciding)
    terminal.notes([told])
    return decided


def _named(names: tuple[str, ...] | None, stack: bool, noisy: bool) -> list[Method] | None:
    """The methods that were named, or the default; None where a stack takes all."""
    if names is None and stack:
        return None
    named = choose_methods(names or [DEFAULT_BY_NOISE if noisy else DEFAULT])
    if len(named) > 1 and not stack:
        raise InputError(
            f"--method names {len(named)} methods, but one is trained; add --stack to combine them."
        )
    foreign = [method.label for method in named if method.package]
    if foreign:
        raise InputError(
            f"{foreign[0]} is a baseline for comparison: it is from another package, which model "
            "files cannot contain, because they run no third-party code. Name another method."
        )
    return named


def model_card(method: Method, problem: Problem, model: Pipeline, command: str) -> ModelCard:
    """What to keep with a model."""
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
        params=_params(model[-1]),
        versions=versions(),
        created=now(),
        command=command,
    )


def _params(classifier: Any) -> dict[str, str]:
    """Parameters of the method, and the goal of its decision rule."""
    if not isinstance(classifier, TunedDecisionClassifier):
        return shown_params(classifier)
    goal = f"chosen for {classifier.decision_.measure}"
    return shown_params(classifier.estimator_) | {"decision": goal}
