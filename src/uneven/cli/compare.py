"""``uneven compare``: cross-validate, print, write the report and the best model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sklearn.pipeline import Pipeline

from uneven.cli import terminal
from uneven.cli.fit import deaf_notes, leak_notes, lone_view_notes, model_card
from uneven.cli.inputs import TableRequest, demo_problem
from uneven.cli.ranking import noise_table, ranking_table, stack_table, view_table
from uneven.cli.results import (
    Origin,
    collect_results,
    with_noise,
    with_shares,
    with_stack,
    with_views,
)
from uneven.comparison import (
    MEASURES,
    STACK,
    InputError,
    LabelNoise,
    MeasureRule,
    Method,
    Problem,
    Settings,
    check_folds,
    choose_measure,
    choose_methods,
    cross_validate,
    default_methods,
    diagnose_views,
    explains_itself,
    fit_method,
    has_views,
    stack_methods,
)
from uneven.persistence.model_file import save_model
from uneven.report import write_report
from uneven.report.results import CompareResults
from uneven.report.verdict import impossible
from uneven.utils.files import replace_folder

__all__ = ["CompareRequest", "compare"]

DEFAULT_ROUNDS = 200
DEMO_ROUNDS = 150
REPORT, NUMBERS, MODEL = "report.html", "results.json", "model.skops"


@dataclass(frozen=True)
class CompareRequest:
    """Everything the user asked for.

    Attributes
    ----------
    source : TableRequest or None
        The table; None for the embedded one.
    methods : tuple of str or None
        Names of methods; None takes all, those that join views only if there are several.
    metric : str or None
        Measure that ranks; None takes the default.
    folds, repeats, max_depth, seed, n_jobs : int
        As in the options.
    rounds : int or None
        None takes the default.
    diagnosis : bool
        Whether to look at each view on its own, if there are several.
    stack : bool
        Whether to join the methods in a stack, as one more method.
    out : Path
        Folder for the results.
    command : str
        The command line.
    """

    source: TableRequest | None
    methods: tuple[str, ...] | None
    metric: str | None
    folds: int
    repeats: int
    rounds: int | None
    max_depth: int
    seed: int
    n_jobs: int
    diagnosis: bool
    stack: bool
    out: Path
    command: str


def compare(request: CompareRequest) -> None:
    """Run a comparison.

    Parameters
    ----------
    request : CompareRequest
        What to compare.

    Raises
    ------
    InputError
        If the table or the request is wrong, or if every method fails.
    """
    named = None if request.methods is None else choose_methods(request.methods)
    metric = choose_measure(request.metric or _default_metric(request))
    problem = demo_problem() if request.source is None else request.source.load()
    noise = request.source.noise(problem) if request.source else None
    check_folds(problem, request.folds)
    methods = named or choose_methods(default_methods(has_views(problem), noise is not None))
    if request.stack:
        methods = [*methods, stack_methods(methods, problem.schema)]
    terminal.notes([*problem.notes, *lone_view_notes(methods, problem)])
    terminal.notes(leak_notes(problem, noise))
    terminal.notes([*deaf_notes(methods, noise), *_uncorrected_notes(metric, noise)])
    settings = Settings(
        rounds=request.rounds or (DEFAULT_ROUNDS if request.source else DEMO_ROUNDS),
        max_depth=request.max_depth,
        seed=request.seed,
        n_jobs=request.n_jobs,
        views=problem.views,
        noise_matrix=noise.undone.matrix if noise else None,
    )
    with replace_folder(request.out, names=(REPORT, NUMBERS, MODEL)) as draft:
        results, model = _run(request, problem, noise, methods, metric, settings)
        best = next(method for method in methods if method.name == results.best.name)
        save_model(model, model_card(best, problem, model, request.command), draft / MODEL)
        (draft / NUMBERS).write_text(results.to_json(), encoding="utf-8")
        write_report(results, draft / REPORT)
    _tell(results, request.out)


def _default_metric(request: CompareRequest) -> str:
    """The norm of the errors, or what can be corrected for noise without bias."""
    noisy = request.source is not None and request.source.noise_matrix is not None
    return "balanced_accuracy" if noisy else "confusion_norm"


def _run(
    request: CompareRequest,
    problem: Problem,
    noise: LabelNoise | None,
    methods: Sequence[Method],
    metric: MeasureRule,
    settings: Settings,
) -> tuple[CompareResults, Pipeline]:
    """Cross-validate, then fit the best method and ours on all rows."""
    metric = noise.judged_by(metric) if noise else metric
    measures = noise.measures if noise else MEASURES
    explained = sum(map(explains_itself, methods))
    fits = request.folds * request.repeats * len(methods) + max(explained, 1)
    diagnosed = request.diagnosis and has_views(problem)
    with terminal.progress(fits + diagnosed) as observer:
        found = diagnose_views(problem, settings, observer) if diagnosed else None
        runs = cross_validate(
            problem,
            methods,
            settings,
            metric=metric,
            measures=measures,
            folds=request.folds,
            repeats=request.repeats,
            observer=observer,
        )
        results = collect_results(problem, runs, metric, measures, _about(request, problem))
        results = results if found is None else with_views(results, found)
        results = results if noise is None else with_noise(results, noise, methods)
        best = results.best
        if math.isnan(best.mean(metric.name)):
            raise InputError(f"every method failed; {best.label} said: {best.errors[0].message}")
        wanted = [m for m in methods if m.name == best.name or _explains(m, results)]
        models = {m.name: fit_method(m, problem, settings, observer) for m in wanted}
    results = with_shares(results, models)
    if STACK in models:
        run = next(run for run in runs if run.method.name == STACK)
        results = with_stack(results, run, models[STACK])
    return results, models[best.name]


def _uncorrected_notes(metric: MeasureRule, noise: LabelNoise | None) -> list[str]:
    if noise is None or noise.judged_by(metric) is not metric:
        return []
    return [f"{metric.label} cannot be corrected for the noise: it ranks by the labels as given."]


def _explains(method: Method, results: CompareResults) -> bool:
    failed = next(m for m in results.methods if m.name == method.name).errors
    return explains_itself(method) and not failed


def _about(request: CompareRequest, problem: Problem) -> Origin:
    return Origin(
        title=f"Methods compared on {problem.name}",
        command=request.command,
        seed=request.seed,
        folds=request.folds,
        repeats=request.repeats,
    )


def _tell(results: CompareResults, out: Path) -> None:
    console = terminal.stdout()
    console.print(
        ranking_table(results, width=console.width, ascii_only=terminal.ascii_only(console))
    )
    if results.stack:
        console.print(stack_table(results))
    if results.noise:
        console.print(noise_table(results, ascii_only=terminal.ascii_only(console)))
    if results.views:
        console.print(view_table(results))
    terminal.notes(filter(None, [impossible(results)]))
    terminal.notes(
        f"{method.label} failed in {len(method.errors)} fits: {method.errors[0].message}"
        for method in results.methods
        if method.errors
    )
    for line in (
        f"Report  {out / REPORT}",
        f"Numbers {out / NUMBERS}",
        f"Model   {out / MODEL} ({results.best.label})",
    ):
        console.print(line, soft_wrap=True, markup=False)
