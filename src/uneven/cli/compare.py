"""``uneven compare``: evaluate methods on one table, print, and write report and model."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from joblib import cpu_count
from rich.text import Text

from uneven.cli import terminal
from uneven.cli.fit import DEFAULT_ROUNDS, SCHEMA, model_card
from uneven.cli.requests import CompareRequest
from uneven.cli.resulttables import noise_table, ranking_table, stack_table, view_table
from uneven.comparison import (
    Method,
    Settings,
    choose_methods,
    default_methods,
)
from uneven.comparison.goals import ranking_measure
from uneven.comparison.kept_folds import FOLDER, KeptFolds
from uneven.comparison.methodresult import MethodResult
from uneven.comparison.plan import OUT_OF_TIME, Plan, plan_comparison
from uneven.comparison.problem import demo_problem
from uneven.comparison.results import Comparison
from uneven.persistence.model_file import save_model
from uneven.report import write_report
from uneven.report.markup import counted
from uneven.report.outcome import impossible
from uneven.utils.files import replace_folder

DEMO_ROUNDS, MOST_DEMO_WORKERS = 150, 4
NOT_IN_DEMO = ("catboost",)
"""What takes longest of the methods of other packages; with it the demo takes a tenth longer."""
REPORT, NUMBERS, MODEL = "report.html", "results.json", "model.skops"
ROWS, ROWS_CSV = "predictions.parquet", "predictions.csv"
FILES = (REPORT, NUMBERS, MODEL, SCHEMA, ROWS, ROWS_CSV)


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
    KeyboardInterrupt
        If it is interrupted; says how to continue.
    """
    plan = _plan(request)
    terminal.notes([*plan.problem.notes, *plan.notes])
    kept = KeptFolds(request.out / FOLDER, take=request.resume)
    try:
        _run(plan, request, kept)
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(_how_to_go_on(request, kept)) from stop
    kept.clear()


def _run(plan: Plan, request: CompareRequest, kept: KeptFolds) -> None:
    with replace_folder(request.out, names=FILES) as draft:
        with terminal.progress() as show:
            found = plan.run(show, kept)
        best = _kept_method(found, plan)
        if best is not None:
            model = found._decided(best.name)
            card = model_card(best, plan.training or plan.problem, model, request.command)
            save_model(model, card, draft / MODEL)
        found.to_json(draft / NUMBERS)
        write_report(found, draft / REPORT)
        found.schema_text(draft / SCHEMA)
        found.write_predictions(draft / ROWS)
        if request.csv:
            found.write_predictions(draft / ROWS_CSV)
    _tell(found, request.out, best)


def _kept_method(found: Comparison, plan: Plan) -> Method | None:
    """The best method that a model file can hold: none of another package."""
    known = {method.name: method for method in plan.methods}
    return next((known[m.name] for m in found.ranked() if not known[m.name].package), None)


def _how_to_go_on(request: CompareRequest, kept: KeptFolds) -> str:
    """What to say after Ctrl-C."""
    done = kept.taken + kept.written
    if not done:
        return "interrupted; nothing was written."
    again = request.command + " --resume" * (not request.resume)
    return (
        f"interrupted; {done} finished fit{'s are' if done > 1 else ' is'} kept in {kept.folder}. "
        f"To continue: {again}"
    )


def _plan(request: CompareRequest) -> Plan:
    source = request.source
    noisy = source is not None and source.noise_matrix is not None
    names = request.methods
    if names is None and source is None:
        names = tuple(name for name in default_methods(True) if name not in NOT_IN_DEMO)
    named = None if names is None else choose_methods(names)
    decision = request.decision
    priced = decision.cost is not None
    metric = ranking_measure(request.metric, decision.measure, priced, noisy)
    problem = demo_problem() if source is None else source.load()
    rounds = request.rounds or (DEFAULT_ROUNDS if source else DEMO_ROUNDS)
    workers = request.workers or (1 if source else min(cpu_count(), MOST_DEMO_WORKERS))
    n_jobs = request.n_jobs or (-1 if workers == 1 else 1)
    return plan_comparison(
        problem,
        methods=named,
        metric=metric,
        noise=source.noise(problem) if source else None,
        cv=request.folds,
        repeats=request.repeats,
        test=source.test if source else None,
        encoding=source.encoding if source else "auto",
        settings=Settings(rounds, request.max_depth, request.seed, n_jobs),
        stack=request.stack,
        measure=decision.measure,
        cost=decision.cost,
        calibrate=decision.calibrate,
        diagnosis=request.diagnosis,
        tune=request.tune,
        time_limit=request.time_limit,
        workers=workers,
        command=request.command,
    )


def _tell(found: Comparison, out: Path, kept: Method | None) -> None:
    console, outcome = terminal.stdout(), found.verdict
    console.print(
        ranking_table(found, width=console.width, ascii_only=terminal.ascii_only(console))
    )
    console.print(Text.assemble((outcome.headline, "bold"), f" {outcome.detail}\n"))
    if found.stack:
        console.print(stack_table(found))
    if found.noise:
        console.print(noise_table(found, ascii_only=terminal.ascii_only(console)))
    if found.views:
        console.print(view_table(found))
    terminal.notes(filter(None, [impossible(found)]))
    terminal.notes(note for note in found.warnings if note.startswith(OUT_OF_TIME))
    terminal.notes(
        f"{method.label} failed in {counted(len(method.errors), 'fit')}: {method.errors[0].message}"
        for method in found.methods
        if method.errors
    )
    for line in (
        *map(_searched, filter(lambda method: method.tuned, found.ranked())),
        f"Report  {out / REPORT}",
        f"Numbers {out / NUMBERS}",
        f"Rows    {out / ROWS} (out-of-fold predictions and scores)",
        f"Model   {_told_model(found, out, kept)}",
        f"Schema  {out / SCHEMA} (how the table was read; edit it and pass it to --schema)",
    ):
        console.print(line, soft_wrap=True, markup=False)


def _told_model(found: Comparison, out: Path, kept: Method | None) -> str:
    if kept is not None and kept.name == found.best_:
        return f"{out / MODEL} ({kept.label})"
    why = f"{found.winner.label} is from another package, which model files cannot contain"
    return f"none: {why}" if kept is None else f"{out / MODEL} ({kept.label}; {why})"


def _searched(method: MethodResult) -> str:
    """The parameters that a search chose most often, and in how many folds."""
    told = Counter(
        ", ".join(f"{name}={value}" for name, value in chosen.items()) or "as it stands"
        for chosen in method.tuned
    )
    chosen, folds = told.most_common(1)[0]
    return f"Tuned   {method.label}: {chosen} ({folds} of {len(method.tuned)} folds)"
