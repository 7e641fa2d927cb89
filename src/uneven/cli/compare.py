"""``uneven compare``: cross-validate, print, write the report and the best model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from uneven.cli import terminal
from uneven.cli.fit import model_card
from uneven.cli.ranking import noise_table, ranking_table, stack_table, view_table
from uneven.comparison import Comparison, InputError, Settings, choose_measure, choose_methods
from uneven.comparison.inputs import Data, TableSource, demo_problem
from uneven.comparison.outcome import impossible
from uneven.comparison.plan import Plan, default_metric, plan_comparison
from uneven.persistence.model_file import save_model
from uneven.report import write_report
from uneven.utils.files import replace_folder

__all__ = ["CompareRequest", "compare", "compare_source"]

DEFAULT_ROUNDS = 200
DEMO_ROUNDS = 150
REPORT, NUMBERS, MODEL = "report.html", "results.json", "model.skops"


@dataclass(frozen=True)
class CompareRequest:
    """Everything the user asked for.

    Attributes
    ----------
    source : TableSource or None
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

    source: TableSource | None
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
    source = request.source
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


def compare_source(
    path: Path | None, target: str | None, demo: bool, **choices: Any
) -> TableSource | None:
    """Build the request of a comparison, None for the embedded table.

    Parameters
    ----------
    path, target : Path and str, or None
        What the user gave.
    demo : bool
        Whether the embedded table was asked for.
    **choices : object
        Further attributes of `TableSource`; None for those that were not given.

    Raises
    ------
    InputError
        If there is no table, no target, or one too many.
    """
    if demo:
        given = {"TABLE": path, "--target": target}
        given |= {f"--{name}": choices.get(name) for name in ("views", "drop", "keep")}
        given["--noise-matrix"] = choices.get("noise_matrix")
        extra = [name for name, value in given.items() if value]
        if extra:
            raise InputError(
                "--demo brings its own table and takes no table options; "
                f"leave out {', '.join(extra)}."
            )
        return None
    if path is None:
        raise InputError("give a TABLE and its --target, or --demo. Try: uneven compare --help")
    if target is None:
        raise InputError("give the column to predict with --target. Try: uneven compare --help")
    return TableSource.of(path, target, **choices)


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
