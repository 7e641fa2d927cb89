"""``uneven compare`` and ``uneven fit``: learn, print, and write report and model."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text
from sklearn.pipeline import Pipeline

from uneven.cli import terminal
from uneven.cli.requests import CompareRequest, DecisionRequest, TableRequest
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
from uneven.comparison.crossval import Reporter
from uneven.comparison.deciding import decide_model
from uneven.comparison.goals import deciding_for, measures_of, ranking_measure
from uneven.comparison.kept_folds import FOLDER, KeptFolds
from uneven.comparison.measures import Measure
from uneven.comparison.plan import OUT_OF_TIME, Plan, fit_notes, plan_comparison
from uneven.comparison.problem import demo_problem
from uneven.comparison.results import Comparison, MethodResult
from uneven.comparison.schemafile import schema_text
from uneven.comparison.summaries import mean, now, shown_params, versions
from uneven.decisions import TunedDecisionClassifier
from uneven.persistence.model_file import ModelCard, save_model
from uneven.report import write_report
from uneven.report.markup import averaged, counted
from uneven.report.outcome import impossible, leaders, matrix_doubt
from uneven.report.stack import told_cost
from uneven.utils.files import replace_file, replace_folder

FULL_WIDTH = 120
TIMED_WIDTH = 90
FEW_MEASURES, NAME_WIDTH, MEASURE_WIDTH = 5, 35, 17
"""A terminal shows so many measures, and more if it is wide enough for their columns."""
VERDICT_STYLES = {"strong": "green", "weak": "yellow", "absent": "red"}
DEFAULT, DEFAULT_BY_NOISE = "uneven", "combo"
"""The method that is fitted if none is named; and where a noise matrix is to be heeded."""
_BY_NOISE = (
    f"{DEFAULT_BY_NOISE} is fitted: {DEFAULT} cannot be told how labels are wrong; --method names "
    "another."
)
DEFAULT_ROUNDS = 200
DEMO_ROUNDS = 150
NOT_IN_DEMO = ("catboost",)
"""What takes longest of the methods of other packages; with it the demo takes a tenth longer."""
REPORT, NUMBERS, MODEL, SCHEMA = "report.html", "results.json", "model.skops", "schema.toml"
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
        If it is interrupted; says how to go on.
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
        f"To go on: {again}"
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
    return plan_comparison(
        problem,
        methods=named,
        metric=metric,
        noise=source.noise(problem) if source else None,
        cv=request.folds,
        repeats=request.repeats,
        test=source.test if source else None,
        encoding=source.encoding if source else "auto",
        settings=Settings(rounds, request.max_depth, request.seed, request.n_jobs),
        stack=request.stack,
        measure=decision.measure,
        cost=decision.cost,
        calibrate=decision.calibrate,
        diagnosis=request.diagnosis,
        tune=request.tune,
        time_limit=request.time_limit,
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
        f"Rows    {out / ROWS} (held-out answers and scores)",
        f"Model   {_told_model(found, out, kept)}",
        f"Schema  {out / SCHEMA} (how the table was read; change it and give it to --schema)",
    ):
        console.print(line, soft_wrap=True, markup=False)


def _told_model(found: Comparison, out: Path, kept: Method | None) -> str:
    if kept is not None and kept.name == found.best_:
        return f"{out / MODEL} ({kept.label})"
    why = f"{found.winner.label} is of another package, which model files do not hold"
    return f"none: {why}" if kept is None else f"{out / MODEL} ({kept.label}; {why})"


def _searched(method: MethodResult) -> str:
    """The parameters that a search chose most often, and in how many folds."""
    told = Counter(
        ", ".join(f"{name}={value}" for name, value in chosen.items()) or "as it stands"
        for chosen in method.tuned
    )
    chosen, folds = told.most_common(1)[0]
    return f"Tuned   {method.label}: {chosen} ({folds} of {len(method.tuned)} folds)"


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
        What answers are to be good for.
    """
    noisy = source.noise_matrix is not None
    named = _named(names, stack, noisy)
    problem = source.load()
    noise = source.noise(problem)
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
        model = _decided(model, method, problem, settings, decision, source)
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
    source: TableRequest,
) -> Pipeline:
    """A fitted model with a decision rule, chosen on out-of-fold probabilities of its method."""
    noise, costs = source.noise(problem), read_cost(decision.cost, problem, source.encoding)
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
            f"--method names {len(named)} methods, but one is fitted; add --stack to join them."
        )
    foreign = [method.label for method in named if method.package]
    if foreign:
        raise InputError(
            f"{foreign[0]} is there to compare with: it is of another package, which model files "
            "do not hold, because they run no foreign code. Name another method."
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
    """Parameters of the method, and what its answers are chosen for."""
    if not isinstance(classifier, TunedDecisionClassifier):
        return shown_params(classifier)
    goal = f"chosen for {classifier.decision_.measure}"
    return shown_params(classifier.estimator_) | {"decision": goal}


def ranking_table(
    results: Comparison, *, width: int = FULL_WIDTH, ascii_only: bool = False
) -> Table:
    """Methods and guesses from best to worst, with mean and spread of every measure.

    The best value of each measure is marked by a star and by colour, ties included. A narrow
    terminal shows the spread of the ranking measure only, and a very narrow one no times.
    """
    data = results.data
    title = (
        f"{data.name}: {data.rows} rows, {data.columns} columns, {len(data.classes)} classes, "
        f"imbalance {data.imbalance_ratio:.1f} : 1"
    )
    measures = results.shown_measures[: max(FEW_MEASURES, (width - NAME_WIDTH) // MEASURE_WIDTH)]
    header = [_heading(m, ascii_only) for m in measures]
    timed, noisy = width >= TIMED_WIDTH, results.noise is not None
    out = terminal.table(title, ["method", *["knows\nnoise"] * noisy, *header, *["fit s"] * timed])
    plus = "+/-" if ascii_only else "±"
    for method in results.ranked(dummies=True):
        cells = [
            _cell(results, method, measure, plus if width >= FULL_WIDTH or j == 0 else "")
            for j, measure in enumerate(measures)
        ]
        styles = {"ours": "bold", "dummy": "dim"}
        name = Text(method.label, style=styles.get(method.kind, ""))
        told = "yes" if method.knows_noise else "no" if method.kind != "dummy" else "-"
        out.add_row(name, *[told] * noisy, *cells, *[_seconds(method)] * timed)
    figures = averaged(results.folds * results.repeats, plus)
    out.caption = f"ranked by {results.chosen.label}; {figures}; * best of a column"
    if len(measures) < len(results.shown_measures):
        others = [m.label for m in results.shown_measures[len(measures) :]]
        out.caption += f"\nin the report, too: {', '.join(others)}"
    doubt = matrix_doubt(results)
    out.caption += f"\n{doubt}" if doubt else ""
    out.caption_justify = "left"
    return out


def view_table(results: Comparison) -> Table:
    """What each view knows on its own.

    One row per view, in the order of the views.
    """
    header = ["view", "columns", "present", "accuracy", "balanced\naccuracy", "confusion\nnorm"]
    out = terminal.table("Each view on its own", [*header, "verdict"])
    for view in results.views:
        measures = (view.accuracy, view.balanced_accuracy, view.confusion_norm)
        out.add_row(
            Text(view.name),
            str(view.columns),
            f"{100 * view.presence:.0f}%",
            *("-" if math.isnan(value) else f"{value:.3f}" for value in measures),
            Text(view.verdict, style=VERDICT_STYLES.get(view.verdict, "")),
        )
    out.caption = f"held-out rows of a forest per view, {results.view_rows} rows looked at"
    out.caption_justify = "left"
    return out


def noise_table(results: Comparison, *, ascii_only: bool = False) -> Table:
    """Labels beside the classes behind them.

    One row per class, from the most frequent label to the rarest.
    """
    noise = results.noise
    if noise is None:
        raise ValueError("the results hold no noise matrix.")
    header = ["class", "labelled so", "truly so", "labels right", "chance"]
    out = terminal.table("Label noise", [*header, *["rows"] * bool(noise.rows)])
    times = "x" if ascii_only else "×"
    for c in results.data.by_size():
        right = noise.matrix[c][c]
        out.add_row(
            Text(results.data.classes[c]),
            f"{100 * noise.observed[c]:.1f}%",
            f"{100 * noise.recovered[c]:.1f}%",
            Text(f"{100 * right:.0f}%", style="red" if right < 0.5 else ""),
            f"{noise.amplification[c]:.1f} {times}",
            *[f"{rows:.4g}" for rows in noise.rows[c : c + 1]],
        )
    out.caption = (
        f"{100 * noise.wrong_share:.0f}% of the labels are wrong; condition number "
        f"{noise.condition:.1f}; chance: how much more it counts than with true labels"
    )
    if noise.rows:
        out.caption += "; rows: those that the matrix was estimated from"
    out.caption_justify = "left"
    return out


def stack_table(results: Comparison) -> Table:
    """Which methods a stack keeps, and what they count in it.

    One row per method, in their order.
    """
    found = results.stack
    if found is None:
        raise ValueError("the results hold no stack.")
    labels = {method.name: method.label for method in results.methods}
    header = ["method", "kept", *["kept in"] * bool(found.kept_folds), "mean weight", "most for"]
    verb = "is" if found.n_kept == 1 else "are"
    out = terminal.table(
        f"Stack: {found.n_kept} of {len(found.members)} methods {verb} kept", header
    )
    for m, (name, weights) in enumerate(zip(found.members, found.weights)):
        kept = found.kept[m]
        strongest = max(range(len(weights)), key=lambda c: abs(weights[c]))
        out.add_row(
            Text(labels[name], style="" if kept else "dim"),
            Text("yes", style="green") if kept else Text("no", style="dim"),
            *[f"{folds} of {found.fits} folds" for folds in found.kept_folds[m : m + 1]],
            f"{math.fsum(weights) / len(weights):.2f}" if kept else "-",
            Text(results.data.classes[strongest] if kept else "-"),
        )
    told = [f"penalty of strength {found.strength:g}", told_cost(results)]
    out.caption = "; ".join(part for part in told if part)
    out.caption_justify = "left"
    return out


def _heading(measure: Measure, ascii_only: bool) -> str:
    """Label and direction of a measure, one word per line."""
    arrows = ("max", "min") if ascii_only else ("↑", "↓")
    mark = arrows[0] if measure.greater_is_better else arrows[1]
    return f"{measure.label} {mark}".replace(" ", "\n", measure.label.count(" "))


def _cell(results: Comparison, method: MethodResult, measure: Measure, plus: str) -> Text:
    centre, width = method.mean(measure.name), method.spread(measure.name)
    if math.isnan(centre):
        return Text("failed", style="red")
    best = method in leaders(results, measure.name)
    spread = f" {plus} {width:.3f}" if plus and not math.isnan(width) else ""
    return Text(f"{'*' if best else ''}{centre:.3f}{spread}", style="bold green" if best else "")


def _seconds(method: MethodResult) -> str:
    value = mean(method.fit_seconds)
    return "-" if math.isnan(value) else f"{value:.2f}"
