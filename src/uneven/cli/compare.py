"""``uneven compare``: cross-validate, print, write the report and the best model."""

from __future__ import annotations

from pathlib import Path

from uneven.cli import terminal
from uneven.cli.fit import model_card
from uneven.cli.ranking import noise_table, ranking_table, stack_table, view_table
from uneven.cli.requests import CompareRequest
from uneven.comparison import Comparison, Settings, choose_measure, choose_methods
from uneven.comparison.inputs import Data, TableSource, demo_problem
from uneven.comparison.outcome import impossible
from uneven.comparison.plan import Plan, default_metric, plan_comparison
from uneven.persistence.model_file import save_model
from uneven.report import write_report
from uneven.utils.files import replace_folder

__all__ = ["compare"]

DEFAULT_ROUNDS = 200
DEMO_ROUNDS = 150
REPORT, NUMBERS, MODEL = "report.html", "results.json", "model.skops"


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
    plan = _plan(request)
    terminal.notes([*plan.data.problem.notes, *plan.notes])
    with replace_folder(request.out, names=(REPORT, NUMBERS, MODEL)) as draft:
        with terminal.progress() as show:
            found = plan.run(show)
        best = next(method for method in plan.methods if method.name == found.best_)
        model = found.workshop.models[best.name]  # type: ignore[union-attr]
        card = model_card(best, plan.data.problem, model, request.command)
        save_model(model, card, draft / MODEL)
        found.to_json(draft / NUMBERS)
        write_report(found, draft / REPORT)
    _tell(found, request.out)


def _plan(request: CompareRequest) -> Plan:
    asked = request.source
    source = None if asked is None else TableSource(**vars(asked))
    noisy = source is not None and source.noise_matrix is not None
    named = None if request.methods is None else choose_methods(request.methods)
    metric = choose_measure(request.metric or default_metric(noisy))
    problem = demo_problem() if source is None else source.load()
    rounds = request.rounds or (DEFAULT_ROUNDS if source else DEMO_ROUNDS)
    return plan_comparison(
        Data.of(problem),
        methods=named,
        metric=metric,
        noise=source.noise(problem) if source else None,
        cv=request.folds,
        repeats=request.repeats,
        settings=Settings(rounds, request.max_depth, request.seed, request.n_jobs),
        stack=request.stack,
        diagnosis=request.diagnosis,
        command=request.command,
    )


def _tell(found: Comparison, out: Path) -> None:
    console = terminal.stdout()
    console.print(
        ranking_table(found, width=console.width, ascii_only=terminal.ascii_only(console))
    )
    if found.stack:
        console.print(stack_table(found))
    if found.noise:
        console.print(noise_table(found, ascii_only=terminal.ascii_only(console)))
    if found.views:
        console.print(view_table(found))
    terminal.notes(filter(None, [impossible(found)]))
    terminal.notes(
        f"{method.label} failed in {len(method.errors)} fits: {method.errors[0].message}"
        for method in found.methods
        if method.errors
    )
    for line in (
        f"Report  {out / REPORT}",
        f"Numbers {out / NUMBERS}",
        f"Model   {out / MODEL} ({found.winner.label})",
    ):
        console.print(line, soft_wrap=True, markup=False)
