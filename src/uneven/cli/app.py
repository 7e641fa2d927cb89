"""The commands and their options; the work is done in the file named after each command."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any

import typer

import uneven
from uneven.cli import texts
from uneven.cli.options import (
    TABLE_HELP,
    Calibrated,
    Debug,
    Depth,
    Drop,
    Encoding,
    GivenTable,
    GivenTables,
    GoodFor,
    Jobs,
    Keep,
    Kernel,
    Missing,
    ModelPath,
    NoiseMatrix,
    On,
    OnEmpty,
    Prices,
    Query,
    Rounds,
    SchemaFile,
    Seed,
    Sheet,
    Tables,
    Target,
    TextColumns,
    Views,
    as_declared,
    check_jobs,
)
from uneven.utils.registry import spelled

app = typer.Typer(
    name="uneven",
    help=texts.MAIN,
    epilog=texts.EXIT_CODES,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

INTERRUPTED = 130
"""What the parser returns, without a word, if it is interrupted while a command is loaded."""

Work = Callable[[], Any]
"""What a command returns: the parser only prepares, the work is done outside of it."""


@dataclass
class Invocation:
    """How a command was called."""

    command: str
    debug: bool = False


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"uneven {uneven.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Hold the options that stand before a command."""


@app.command("compare", cls=texts.HelpCommand, help=texts.COMPARE, epilog=texts.EXIT_CODES)
def _compare(
    context: typer.Context,
    tables: Tables = None,
    target: Target = None,
    demo: Annotated[bool, typer.Option("--demo", help="Use the built-in example table.")] = False,
    views: Views = None,
    on: On = None,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Methods, separated by commas; by default all that are suitable for the table."
        ),
    ] = None,
    metric: Annotated[str | None, typer.Option(help=texts.METRIC, callback=as_declared)] = None,
    measure: GoodFor = None,
    cost: Prices = None,
    calibrate: Calibrated = None,
    cv: Annotated[int, typer.Option(help=texts.CV)] = 5,
    repeats: Annotated[int, typer.Option(help="Repetitions with new folds.", min=1)] = 1,
    groups: Annotated[str | None, typer.Option(metavar="COLUMN", help=texts.GROUPS)] = None,
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help=texts.TIME)] = None,
    test: Annotated[Path | None, typer.Option(metavar="FILE", help=texts.TEST)] = None,
    id: Annotated[str | None, typer.Option(metavar="COLUMN", help=texts.ID)] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            help="Boosting rounds of this library's methods; 200, or 150 with --demo.", min=1
        ),
    ] = None,
    max_depth: Depth = None,
    seed: Seed = 0,
    n_jobs: Annotated[int | None, typer.Option(help=texts.JOBS, callback=check_jobs)] = None,
    workers: Annotated[int | None, typer.Option(help=texts.WORKERS, min=1)] = None,
    diagnosis: Annotated[
        bool, typer.Option(help="Also analyse each view on its own, if there are several.")
    ] = True,
    stack: Annotated[bool, typer.Option("--stack", help=texts.STACK)] = False,
    drop: Drop = None,
    keep: Keep = None,
    text: TextColumns = None,
    missing: Missing = None,
    schema: SchemaFile = None,
    sheet: Sheet = None,
    noise_matrix: NoiseMatrix = None,
    encoding: Encoding = "auto",
    csv: Annotated[bool, typer.Option("--csv", help=texts.CSV)] = False,
    tune: Annotated[int | None, typer.Option(metavar="N", help=texts.TUNE, min=2)] = None,
    time_limit: Annotated[str | None, typer.Option(metavar="TIME", help=texts.TIME_LIMIT)] = None,
    resume: Annotated[bool, typer.Option("--resume", help=texts.RESUME)] = False,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("uneven-report"),
    debug: Debug = False,
) -> Work:
    from uneven.cli.requests import CompareRequest, DecisionRequest, compare_source

    source = compare_source(
        tables[0] if tables else None,
        target,
        demo,
        others=(tables or ())[1:],
        on=on,
        views=views,
        drop=drop,
        keep=keep,
        encoding=encoding,
        noise_matrix=noise_matrix,
        text=text,
        missing=missing,
        schema=schema,
        sheet=sheet,
        groups=groups,
        time=time,
        test=test,
        id=id,
    )
    request = CompareRequest(
        source=source,
        methods=None if methods is None else tuple(map(spelled, _split(methods))),
        metric=metric,
        folds=cv,
        repeats=repeats,
        rounds=rounds,
        max_depth=max_depth,
        seed=seed,
        n_jobs=n_jobs,
        workers=workers,
        diagnosis=diagnosis,
        stack=stack,
        decision=DecisionRequest(measure, cost, calibrate),
        csv=csv,
        out=out,
        command=context.find_root().obj.command,
        tune=tune,
        time_limit=time_limit,
        resume=resume,
    )
    from uneven.cli.compare import compare

    return partial(compare, request)


@app.command("fit", cls=texts.HelpCommand, help=texts.FIT, epilog=texts.EXIT_CODES)
def _fit(
    context: typer.Context,
    tables: GivenTables,
    target: Target = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.")] = Path("model.skops"),
    method: Annotated[str | None, typer.Option(help=texts.METHOD)] = None,
    stack: Annotated[bool, typer.Option("--stack", help=texts.STACK_FIT)] = False,
    measure: GoodFor = None,
    cost: Prices = None,
    calibrate: Calibrated = None,
    views: Views = None,
    on: On = None,
    rounds: Rounds = 200,
    max_depth: Depth = None,
    seed: Seed = 0,
    n_jobs: Jobs = -1,
    drop: Drop = None,
    keep: Keep = None,
    text: TextColumns = None,
    missing: Missing = None,
    schema: SchemaFile = None,
    sheet: Sheet = None,
    noise_matrix: NoiseMatrix = None,
    encoding: Encoding = "auto",
    cluster: Annotated[
        str | None, typer.Option(metavar="local|ADDRESS", help=texts.CLUSTER)
    ] = None,
    memory: Annotated[str | None, typer.Option(metavar="SIZE", help=texts.MEMORY)] = None,
    debug: Debug = False,
) -> Work:
    from uneven.cli.requests import DecisionRequest, TableRequest, check_names, check_out

    names = None if method is None else tuple(map(spelled, _split(method)))
    check_names(names, None)
    decision = DecisionRequest(measure, cost, calibrate)
    decision.check()
    check_out(out)
    table = tables[0]
    if on is None and table.is_dir():
        from uneven.cli.label import labelled_table

        table, target, text, drop = labelled_table(table, target, text, drop)
    if target is None:
        raise typer.BadParameter("give the column to predict.", param_hint="--target")
    columns = (drop or (), keep or (), encoding, noise_matrix, text or (), missing or ())
    source = TableRequest(table, target, views, *columns, schema, sheet, others=tables[1:], on=on)
    if cluster is not None or memory is not None:
        one_by_one = (stack, measure, cost, calibrate, on, noise_matrix, len(names or "") > 1)
        return _fit_large(context, source, tables, names, cluster, memory, any(one_by_one), (
            out, rounds, max_depth, seed, n_jobs
        ))  # fmt: skip
    source.check(cost=cost)
    from uneven.cli.fit import fit
    from uneven.utils.methods import Settings

    settings = Settings(rounds=rounds, max_depth=max_depth, seed=seed, n_jobs=n_jobs)
    command = context.find_root().obj.command
    return partial(fit, source, names, settings, out, command, stack=stack, decision=decision)


def _fit_large(
    context: typer.Context,
    source: Any,
    tables: list[Path],
    names: tuple[str, ...] | None,
    cluster: str | None,
    memory: str | None,
    is_too_much: bool,
    rest: tuple[Path, int, int | None, int, int],
) -> Work:
    """Fit on Parquet files that need not fit into memory."""
    if is_too_much:
        raise typer.BadParameter(
            "they train one method without options: leave out --stack, --measure, --cost, "
            "--calibrate, --on and --noise-matrix.",
            param_hint="--cluster / --memory",
        )
    from uneven.cli.large import fit, parquet_files, parse_size
    from uneven.utils.methods import Settings

    out, rounds, max_depth, seed, n_jobs = rest
    size = None if memory is None else parse_size(memory)
    settings = Settings(rounds=rounds, max_depth=max_depth, seed=seed, n_jobs=n_jobs)
    name = names[0] if names else None
    files = parquet_files(tables)
    command = context.find_root().obj.command
    known = (source, files, name, settings, out, command)
    return partial(fit, *known, cluster=cluster, memory=size)


@app.command("predict", cls=texts.HelpCommand, help=texts.PREDICT, epilog=texts.EXIT_CODES)
def _predict(
    model: ModelPath,
    tables: Tables = None,
    on: On = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="CSV or Parquet file; standard output by default."),
    ] = None,
    proba: Annotated[
        bool,
        typer.Option(
            "--proba", help="Add one column per class with its probability or vote share."
        ),
    ] = False,
    copy: Annotated[
        list[str] | None,
        typer.Option(help="Column of the table to copy next to the prediction, such as an id."),
    ] = None,
    stream: Annotated[bool, typer.Option("--stream", help=texts.STREAM)] = False,
    sheet: Sheet = None,
    encoding: Encoding = "auto",
    debug: Debug = False,
) -> Work:
    from uneven.cli.requests import check_model, check_out, check_stream, check_tables
    from uneven.comparison.firstlook import check_model_columns
    from uneven.comparison.tables import TABLE_SUFFIXES, check_ending

    check_out(out)
    check_ending(out or Path(), TABLE_SUFFIXES)
    columns = check_model(model)
    copied = tuple(copy or ())
    if stream:
        check_stream(tables, on, sheet, encoding)
        from uneven.cli.stream import predict_stream

        return partial(predict_stream, model, out, proba=proba, copy=copied)
    if not tables:
        raise typer.BadParameter("give the table with the rows to predict.", param_hint="TABLE")
    table = check_tables(tables, on, encoding)
    if on is None:
        check_model_columns(tables[0], columns, copied, encoding, sheet)
    from uneven.cli.predict import predict

    words: dict[str, Any] = {"proba": proba, "copy": copied, "encoding": encoding}
    words |= {"sheet": sheet, "on": on}
    return partial(predict, model, table, out, **words)


@app.command("serve", cls=texts.HelpCommand, help=texts.SERVE, epilog=texts.EXIT_CODES)
def _serve(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A file of uneven fit, compare or export.")
    ],
    port: Annotated[int, typer.Option(help="0 takes a free one.", min=0, max=65535)] = 8000,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    consent: Annotated[bool, typer.Option("--i-know", help=texts.I_KNOW)] = False,
    debug: Debug = False,
) -> Work:
    from uneven.cli.requests import check_model, check_model_file

    check = check_model_file if model.suffix.lower() == ".onnx" else check_model
    check(model)
    from uneven.cli.label import require_server

    require_server("uneven serve")
    from uneven.serving.service import serve

    return partial(serve, model, host, port, consent)


@app.command("export", cls=texts.HelpCommand, help=texts.EXPORT, epilog=texts.EXIT_CODES)
def _export(
    model: ModelPath,
    out: Annotated[Path, typer.Argument(metavar="FILE.onnx", help="ONNX file to write.")],
    debug: Debug = False,
) -> Work:
    from uneven.cli.requests import check_model, check_out

    check_out(out)
    check_model(model)
    from uneven.cli.export import export

    return partial(export, model, out)


@app.command("warmup", cls=texts.HelpCommand, help=texts.WARMUP, epilog=texts.EXIT_CODES)
def _warmup(
    methods: Annotated[
        str | None,
        typer.Option(help="Methods, separated by commas; by default all of this library."),
    ] = None,
    debug: Debug = False,
) -> Work:
    from uneven.cli.warmup import warmup

    return partial(warmup, None if methods is None else list(map(spelled, _split(methods))))


@app.command("explain", cls=texts.HelpCommand, help=texts.EXPLAIN, epilog=texts.EXIT_CODES)
def _explain(
    model: ModelPath,
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="[TABLE]", help="Table with the rows to explain, or to evaluate on."
        ),
    ] = None,
    row: Annotated[list[int] | None, typer.Option(help=texts.ROW, min=1)] = None,
    metric: Annotated[
        str, typer.Option(help="Metric for permutation importance.", callback=as_declared)
    ] = "balanced_accuracy",
    json: Annotated[bool, typer.Option("--json", help="Write everything as JSON.")] = False,
    top: Annotated[int, typer.Option(help="How many columns to show.", min=1)] = 15,
    sheet: Sheet = None,
    encoding: Encoding = "auto",
    debug: Debug = False,
) -> Work:
    from uneven.cli.requests import check_explanation, check_model
    from uneven.comparison.firstlook import check_model_columns

    columns = check_model(model)
    check_explanation(table, row, metric, encoding)
    if table is not None:
        check_model_columns(table, columns, (), encoding, sheet)
    from uneven.cli.explain import ExplainRequest, explain

    return partial(
        explain, ExplainRequest(model, table, tuple(row or ()), metric, json, top, sheet, encoding)
    )


@app.command("noise", cls=texts.HelpCommand, help=texts.NOISE, epilog=texts.EXIT_CODES)
def _noise(
    table: GivenTable,
    observed: Annotated[
        str | None, typer.Option(help="Column of noisy labels, or one of the annotators.")
    ] = None,
    clean: Annotated[
        str | None, typer.Option(help="Column of true labels; empty where unknown.")
    ] = None,
    annotators: Annotated[
        str | None,
        typer.Option(metavar="A,B,C", help="Columns of labels by several annotators."),
    ] = None,
    id: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help=texts.REPEATED_LABELS)
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="File to write: CSV, TSV, JSON or Parquet.")
    ] = Path("noise.csv"),
    confidence: Annotated[
        float, typer.Option(help="Confidence level of the intervals.", min=0.5, max=0.9999)
    ] = 0.95,
    smoothing: Annotated[
        float, typer.Option(help="Correct labels to add to every class.", min=0.0)
    ] = 0.0,
    laplace: Annotated[
        float, typer.Option(help="Rows to add to every cell (Laplace smoothing).", min=0.0)
    ] = 0.0,
    on_empty: Annotated[OnEmpty, typer.Option(help=texts.ON_EMPTY)] = "raise",
    labels_out: Annotated[Path | None, typer.Option(metavar="FILE", help=texts.LABELS_OUT)] = None,
    encoding: Encoding = "auto",
    debug: Debug = False,
) -> Work:
    from uneven.cli.requests import NoiseRequest

    columns = tuple(_split(annotators or ""))
    counting = (columns, id, confidence, smoothing, laplace, on_empty)
    files = (encoding, out, labels_out)
    request = NoiseRequest(table, observed, clean, *counting, *files)
    from uneven.cli.noise import estimate_noise

    return partial(estimate_noise, request)


@app.command("label", cls=texts.HelpCommand, help=texts.LABEL, epilog=texts.EXIT_CODES)
def _label(
    pool: Annotated[Path | None, typer.Argument(metavar="POOL", help=TABLE_HELP)] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Label embedded messages.")] = False,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", "-l", help="CSV label file; in the project folder by default."),
    ] = None,
    classes: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Classes; more can be added on the page.")
    ] = None,
    text: TextColumns = None,
    image: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of image file names, relative to POOL."),
    ] = None,
    annotators: Annotated[
        str, typer.Option(metavar="N|A,B,C", help="Number of annotators, or their names.")
    ] = "1",
    overlap: Annotated[float, typer.Option(help=texts.OVERLAP, min=0.0, max=1.0)] = 0.2,
    random_share: Annotated[float, typer.Option(help=texts.RANDOM_SHARE, min=0.0, max=1.0)] = 0.1,
    project: Annotated[
        Path | None, typer.Option(help="Project folder; POOL-labelling by default.")
    ] = None,
    port: Annotated[
        int, typer.Option(help="By default that of the last run, or a free one.", min=0, max=65535)
    ] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    consent: Annotated[bool, typer.Option("--i-know", help=texts.I_KNOW)] = False,
    browser: Annotated[bool, typer.Option(help="Open the page.")] = True,
    key: Annotated[
        str | None,
        typer.Option("--id", help="Column that identifies the rows; row numbers by default."),
    ] = None,
    query: Query = "centre_of_gravity",
    kernel: Annotated[
        Kernel | None, typer.Option(help="Kernel of the classifier; rbf, or linear with text.")
    ] = None,
    gamma: Annotated[
        float | None, typer.Option(help="Kernel parameter; by default from the variance.")
    ] = None,
    flip: Annotated[
        float, typer.Option(help="Expected share of wrong labels.", min=0.0, max=0.49)
    ] = 0.0,
    budget: Annotated[
        int | None, typer.Option(help="Number of labels after which to suggest to stop.", min=1)
    ] = None,
    drop: Drop = None,
    keep: Keep = None,
    missing: Missing = None,
    schema: SchemaFile = None,
    label_column: Annotated[
        str | None, typer.Option(help="Column of POOL with labels that are already known.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.", min=0, max=2**32 - 1)] = 0,
    encoding: Annotated[str, typer.Option(help="Encoding of POOL, if a text file.")] = "auto",
    debug: Debug = False,
) -> Work:
    given = {name: value for name, value in locals().items() if name != "debug"}
    from uneven.cli.label import label, page_request

    return partial(label, page_request(**given))


@app.command("label-next", cls=texts.HelpCommand, help=texts.LABEL_NEXT, epilog=texts.EXIT_CODES)
def _label_next(
    pool: Annotated[Path, typer.Argument(metavar="POOL", help=TABLE_HELP)],
    labels: Annotated[
        Path, typer.Option("--labels", "-l", help="CSV label file; created if it does not exist.")
    ] = Path("labels.csv"),
    n: Annotated[int, typer.Option("--n", "-n", help="Number of rows to select.", min=1)] = 10,
    key: Annotated[
        str | None,
        typer.Option("--id", help="Column that identifies the rows; row numbers by default."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Also write the next rows to a file.")
    ] = None,
    query: Query = "centre_of_gravity",
    kernel: Annotated[
        Kernel | None, typer.Option(help="Kernel of the classifier; rbf, or linear with --text.")
    ] = None,
    gamma: Annotated[
        float | None, typer.Option(help="Kernel parameter; by default from the variance.")
    ] = None,
    flip: Annotated[
        float, typer.Option(help="Expected share of wrong labels.", min=0.0, max=0.49)
    ] = 0.0,
    budget: Annotated[
        int | None, typer.Option(help="Number of labels after which to suggest to stop.", min=1)
    ] = None,
    text: Annotated[
        list[str] | None, typer.Option(help="Column of free text. May be given several times.")
    ] = None,
    drop: Drop = None,
    keep: Keep = None,
    missing: Missing = None,
    schema: SchemaFile = None,
    label_column: Annotated[
        str | None, typer.Option(help="Column of POOL with labels that are already known.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.", min=0, max=2**32 - 1)] = 0,
    encoding: Annotated[str, typer.Option(help="Encoding of POOL, if a text file.")] = "auto",
    labels_encoding: Annotated[
        str | None, typer.Option(help="Encoding of the label file; detected by default.")
    ] = None,
    debug: Debug = False,
) -> Work:
    from uneven.cli.requests import LabelRequest

    files = (pool, labels, n, key, output)
    model = (query, kernel, gamma, flip, budget)
    columns = (tuple(text or ()), tuple(drop or ()), tuple(keep or ()))
    encodings = (encoding, label_column, labels_encoding)
    marks = tuple(missing or ())
    request = LabelRequest(*files, *model, *columns, seed, *encodings, missing=marks, schema=schema)
    from uneven.cli.label_next import label_next

    return partial(label_next, request)


@app.command("reproduce", cls=texts.HelpCommand, help=texts.REPRODUCE, epilog=texts.EXIT_CODES)
def _reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Tables, figures or documents.")
    ] = None,
    show_list: Annotated[
        bool, typer.Option("--list", help="List what can be rerun, and what cannot and why.")
    ] = False,
    fast: Annotated[bool, typer.Option("--fast", help="Fewer repetitions.")] = False,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of data sets.")] = None,
    n_jobs: Annotated[
        int, typer.Option(help="Processes; -1 means one per core.", callback=check_jobs)
    ] = -1,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for pages and finished cells.")
    ] = Path("uneven-published"),
    kept: Annotated[
        bool, typer.Option("--kept", help="Run nothing; show what is finished.")
    ] = False,
    page: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Run nothing; write one page of all results in --out."),
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Download no data sets.")] = False,
    debug: Debug = False,
) -> Work:
    plugin = _plugin("reproduce", "uneven-published")
    wanted = tuple(names or ())
    if show_list:
        return partial(plugin.list_exhibits, wanted)
    if page is not None:
        return partial(plugin.write_page, page, out)
    request = plugin.ReproduceRequest(wanted, fast, data, n_jobs, out, kept, offline)
    return partial(plugin.reproduce, request)


def _plugin(command: str, distribution: str) -> Any:
    """The module that carries a command out; other distributions offer it as an entry point."""
    for entry in entry_points(group="uneven.commands", name=command):
        return entry.load()
    from uneven.comparison.errors import InputError

    raise InputError(f"uneven {command} needs {distribution}; pip install {distribution}")


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def invoke(arguments: Sequence[str]) -> int:
    """Run one command and turn every failure into an exit code and one line."""
    call = Invocation(shlex.join(["uneven", *arguments]))
    words = list(arguments) or ["--help"]
    try:
        work = app(args=words, prog_name="uneven", standalone_mode=False, obj=call)
        if work == INTERRUPTED:
            raise KeyboardInterrupt
        code = _carry_out(work)
        sys.stdout.flush()
        return int(code or 0)
    except (KeyboardInterrupt, typer.Abort) as stop:
        told = str(stop) or "interrupted; nothing was written."
        return _fail(told, INTERRUPTED, call.debug)
    except BrokenPipeError:
        return _end_quietly()
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):
            return _end_quietly()
        raise
    except Exception as error:
        return _explain_failure(error, call.debug)


def _carry_out(work: Any) -> Any:
    """Do the work that the parser prepared, or pass its exit code on."""
    if not callable(work):
        return work
    from uneven.cli.terminal import warnings_as_notes

    with warnings_as_notes():
        return work()


def _end_quietly() -> int:
    """The reader of the output is gone, which is no failure; typer and rich exit in their own way.

    Standard output is pointed nowhere, so that the interpreter does not complain when it ends.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def _explain_failure(error: Exception, debug: bool) -> int:
    from uneven.comparison.errors import InputError

    models = sys.modules.get("uneven.persistence.model_file")
    if isinstance(error, InputError) or (models and isinstance(error, models.ModelFileError)):
        return _fail(str(error), 2, debug)
    if hasattr(error, "format_message"):
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "uneven"
        said = error.format_message()
        stop = "" if said.endswith((".", "?", "!")) else "."
        return _fail(f"{said}{stop} Try: {command} --help", 2, debug)
    if isinstance(error, OSError):
        reason = f"{error.filename}: {error.strerror}." if error.filename else str(error)
        return _fail(reason, 2, debug)
    return _fail(f"unexpected {type(error).__name__}: {error} (--debug shows where)", 1, debug)


def _fail(message: str, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    print(f"uneven: {' '.join(message.split())}", file=sys.stderr)
    return code
