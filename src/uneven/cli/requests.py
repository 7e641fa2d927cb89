"""Requests of the user, checked before anything that takes time is imported.

Options that contradict each other, unknown names of methods and measures, files that are
not there and columns that a table does not have are refused here, without scikit-learn and pandas.
"""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uneven.comparison.deadline import read_seconds
from uneven.comparison.errors import InputError, check_fold_number, check_method_names
from uneven.comparison.firstlook import (
    check_header,
    check_matrix_classes,
    check_rows,
    check_target,
)
from uneven.comparison.joined import table_files
from uneven.comparison.labelfile import ENDINGS
from uneven.comparison.schemafile import KINDS, decide
from uneven.comparison.tables import PARQUET_SUFFIXES, check_ending, no_sheets
from uneven.comparison.viewfile import read_view_file
from uneven.utils.files import nearest_folder
from uneven.utils.registry import Registry, closest, listing, read_declarations

if TYPE_CHECKING:
    from uneven.comparison.measures import LabelNoise
    from uneven.comparison.problem import Problem


MOST_SCHEMA_BYTES = 1 << 24
"""The description of a larger model is left to the reader of the model."""


@dataclass(frozen=True)
class TableRequest:
    """A table and what to take from it.

    Attributes
    ----------
    path : Path
        CSV or Parquet file.
    target : str
        Column to predict.
    views : str or None
        ``"prefix"`` or a TOML file.
    drop, keep : sequence of str
        Columns to leave out, and to use although they look like identifiers.
    encoding : str
        Encoding of a CSV file.
    noise_matrix : Path or None
        File that says how the labels are wrong.
    text : sequence of str
        Columns of running text.
    missing : sequence of str
        Further marks of missing cells.
    schema : Path or None
        File that says how columns are read.
    sheet : str or None
        Of a workbook.
    groups, time : str or None
        Columns that hold the groups and the times of the rows.
    test : Path or None
        Table to predict.
    id : str or None
        Column that names the rows in the held-out predictions.
    others : sequence of Path
        Further tables, or none if `path` is a folder of tables.
    on : str or None
        Column by which they are joined.
    """

    path: Path
    target: str
    views: str | None = None
    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    encoding: str = "auto"
    noise_matrix: Path | None = None
    text: Sequence[str] = ()
    missing: Sequence[str] = ()
    schema: Path | None = None
    sheet: str | None = None
    groups: str | None = None
    time: str | None = None
    test: Path | None = None
    id: str | None = None
    others: Sequence[Path] = ()
    on: str | None = None

    def check(self, *, held_out: bool = False, cost: Path | None = None) -> None:
        """Refuse files that are not there, columns that the table lacks, and a single class.

        Parameters
        ----------
        held_out : bool
            Whether rows are to be held out, for which a class must have two of them.
        cost : Path, optional
            File of prices, which names classes of the table.
        """
        if self.on is not None:
            self._check_joined()
            return
        if self.others:
            raise InputError("several tables need a column that joins them; name it with --on.")
        named: dict[str, Sequence[str]]
        named = {"--target": [self.target], "--drop": self.drop, "--keep": self.keep}
        named |= {"--text": self.text, "--groups": _given(self.groups), "--time": _given(self.time)}
        named["--id"] = _given(self.id)
        style = check_header(self.path, named, self.encoding, self.sheet)
        if self.target in (self.groups, self.time, self.id):
            raise InputError(
                f"{self.target!r} is the target; --groups, --time and --id name others."
            )
        if self.test is not None:
            if self.groups or self.time:
                raise InputError("--test takes the place of folds; leave out --groups and --time.")
            check_header(self.test, {"--target": [self.target]}, self.encoding)
        decided = decide(self.schema)
        if style is not None:
            decided.check(style.names)
            if self.sheet is not None:
                raise no_sheets(self.path.name, self.sheet)
        if self.views not in (None, "prefix"):
            read_view_file(Path(str(self.views)))
        if self.noise_matrix is not None and not self.noise_matrix.exists():
            raise InputError(f"--noise-matrix {self.noise_matrix}: there is no such file.")
        in_folds = held_out and not (self.test or self.groups or self.time)
        check_target(self.path, style, self.target, self.encoding, held_out=in_folds)
        for option, matrix in (("--cost", cost), ("--noise-matrix", self.noise_matrix)):
            if matrix is not None:
                table = (self.path, style, self.target, self.encoding)
                check_matrix_classes(option, matrix, *table)

    def _check_joined(self) -> None:
        if self.test is not None:
            raise InputError("--test takes one table; leave it out, or join the tables first.")
        for path in table_files(self.tables).values():
            check_header(path, {f"{path}: --on": [str(self.on)]}, self.encoding)
        decide(self.schema)

    @property
    def tables(self) -> Path | list[Path]:
        """The files to join, or their folder."""
        return [self.path, *self.others] if self.others else self.path

    def load(self) -> Problem:
        """Read the table."""
        decisions = decide(self.schema, self.missing, self.text)
        if self.on is not None:
            from uneven.comparison.inputs import read_data

            return read_data(
                self.tables, self.target, on=self.on, views=self.views, drop=self.drop,
                keep=self.keep, encoding=self.encoding, decisions=decisions, groups=self.groups,
                time=self.time, id=self.id,
            )  # fmt: skip
        from uneven.comparison.problem import read_problem

        words = (self.views, self.drop, self.keep, self.encoding, decisions, self.sheet)
        return read_problem(self.path, self.target, *words, self.groups, self.time, self.id)

    def noise(self, problem: Problem) -> LabelNoise | None:
        """What is known about the noise in the labels of the table, if anything is."""
        if self.noise_matrix is None:
            return None
        from uneven.comparison.inputs import read_noise

        return read_noise(self.noise_matrix, problem, self.encoding)


@dataclass(frozen=True)
class DecisionRequest:
    """The goal of decision rules.

    Attributes
    ----------
    measure : str or None
        Measure to choose decision rules for.
    cost : Path or None
        File of the cost matrix.
    calibrate : bool or None
        Whether to calibrate probabilities; None with a measure or costs.
    """

    measure: str | None = None
    cost: Path | None = None
    calibrate: bool | None = None

    def check(self, metric: str | None = None) -> None:
        """Refuse unknown measures and a file that is not there."""
        for name in (self.measure, metric):
            if name == "cost" and self.cost is None:
                raise InputError("the measure 'cost' needs a cost matrix; give it with --cost.")
            check_names(None, None if name == "cost" else name)
        if self.cost is not None and not self.cost.is_file():
            raise InputError(f"--cost {self.cost}: there is no such file.")


@dataclass(frozen=True)
class CompareRequest:
    """All options and arguments of the call.

    Attributes
    ----------
    source : TableRequest or None
        The table; None for the embedded one.
    methods : tuple of str or None
        Names of methods; None takes all, those that join views only if there are several.
    metric : str or None
        Measure that ranks; None takes the default.
    folds, repeats, seed : int
        As in the options.
    rounds, max_depth, n_jobs, workers : int or None
        None takes the default.
    diagnosis : bool
        Whether to look at each view on its own, if there are several.
    stack : bool
        Whether to join the methods in a stack, as one more method.
    decision : DecisionRequest
        The goal of decision rules.
    csv : bool
        Whether to write the held-out predictions as CSV, too.
    out : Path
        Folder for the results.
    command : str
        The command line.
    tune : int or None
        How many settings of each method to try.
    time_limit : str or None
        When to begin no further fit.
    resume : bool
        Whether to take fits that an earlier run finished.
    """

    source: TableRequest | None
    methods: tuple[str, ...] | None
    metric: str | None
    folds: int
    repeats: int
    rounds: int | None
    max_depth: int | None
    seed: int
    n_jobs: int | None
    diagnosis: bool
    stack: bool
    decision: DecisionRequest
    csv: bool
    out: Path
    command: str
    tune: int | None = None
    time_limit: str | None = None
    resume: bool = False
    workers: int | None = None

    def __post_init__(self) -> None:
        check_names(self.methods, None)
        self.decision.check(self.metric)
        read_seconds(self.time_limit)
        if self.source is not None:
            self.source.check(held_out=True, cost=self.decision.cost)
        check_fold_number(self.folds)
        nearest_folder(self.out)


@dataclass(frozen=True)
class NoiseRequest:
    """What to estimate from which table.

    Attributes
    ----------
    path : Path
        CSV or Parquet file.
    observed : str or None
        Column of noisy labels; with annotators one of them, None for what most of them say.
    clean : str or None
        Column of true labels, empty where they are not known.
    annotators : tuple of str
        Columns of labels none of which is certain.
    id : str or None
        Column that names what a line is about: lines of the same name label it several times.
    confidence : float
        Of the intervals.
    smoothing, laplace : float
        Rows to add to the right labels of every class, and to every cell.
    on_empty : {"raise", "identity", "uniform"}
        What to assume about a class without rows.
    encoding : str
        Encoding of a CSV file.
    out : Path
        File to write.
    labels_out : Path or None
        With annotators: where to write the table with the labels that most of them give, and with
        the most probable classes.
    """

    path: Path
    observed: str | None
    clean: str | None
    annotators: tuple[str, ...] = ()
    id: str | None = None
    confidence: float = 0.95
    smoothing: float = 0.0
    laplace: float = 0.0
    on_empty: str = "raise"
    encoding: str = "auto"
    out: Path = Path("noise.csv")
    labels_out: Path | None = None

    def __post_init__(self) -> None:
        known = [bool(self.clean), bool(self.annotators), bool(self.id)]
        if sum(known) > 1 or not (any(known) or self.observed):
            raise InputError(
                "give --observed and --clean (noisy and true labels of the same rows), or "
                "--annotators (columns that label the same rows, none of them known to be right), "
                "or --observed and --id (lines that label the same thing again), or --observed "
                "alone (no label is known to be right)."
            )
        for option, value in (("--clean", self.clean), ("--id", self.id)):
            if value and self.observed is None:
                raise InputError(
                    f"give the column of noisy labels with --observed, next to {option}."
                )
        if self.is_alone and (self.smoothing or self.laplace or self.on_empty != "raise"):
            raise InputError(
                "--smoothing, --laplace and --on-empty need rows to count: give --clean, "
                "--annotators or --id, too."
            )
        if self.clean and self.observed == self.clean:
            raise InputError(
                f"--observed and --clean both name {self.clean!r}; a column says nothing about "
                "its own mistakes. Name the noisy labels with --observed, the checked with --clean."
            )
        if self.labels_out and not self.annotators:
            raise InputError("--labels-out writes what --annotators agree on; give their columns.")
        if self.annotators and len(set(self.annotators)) < 2:
            raise InputError("--annotators needs two columns or more, better three.")
        if self.annotators and self.observed not in (None, *self.annotators):
            raise InputError(f"--observed {self.observed!r} must be one of the --annotators.")
        self._check_files()
        check_header(self.path, {"column": self.columns}, self.encoding)

    def _check_files(self) -> None:
        check_ending(self.out)
        for option, path in (("--out", self.out), ("--labels-out", self.labels_out)):
            if path is None:
                continue
            if path.is_dir() or not path.absolute().parent.is_dir():
                raise InputError(f"{option} {path} must name a file in a folder that exists.")
            if path.absolute() == self.path.absolute():
                raise InputError(f"{option} {path} is the table itself; name another file.")
        if self.labels_out and self.labels_out.absolute() == self.out.absolute():
            raise InputError(f"--out and --labels-out both name {self.out}; name two files.")
        if self.labels_out and self.labels_out.suffix.lower() not in (".csv", *PARQUET_SUFFIXES):
            raise InputError(f"--labels-out {self.labels_out} must end with .csv or .parquet.")

    @property
    def options(self) -> dict[str, Any]:
        """How to count."""
        names = ("confidence", "smoothing", "laplace", "on_empty")
        return {name: getattr(self, name) for name in names}

    @property
    def columns(self) -> list[str]:
        """Columns to read."""
        if self.annotators:
            return list(dict.fromkeys(self.annotators))
        return [name for name in (self.observed, self.clean, self.id) if name is not None]

    @property
    def is_alone(self) -> bool:
        """Whether there is one label for each row, and none is certain."""
        return not (self.clean or self.annotators or self.id)


@dataclass(frozen=True)
class LabelRequest:
    """What to label in which table.

    Attributes
    ----------
    pool : Path
        CSV or Parquet file.
    labels : Path
        CSV file of the labels so far.
    n : int
        How many rows to select.
    key : str or None
        Column that names the rows; None to number them from 1.
    output : Path or None
        Where to write the next rows besides.
    query : str
        Query rule, a name of `uneven.active.RULES`.
    kernel, gamma : str and float or None
        Of the classifier; None lets the table decide.
    flip : float
        Probability that a label is wrong.
    budget : int or None
        After how many labels to propose to stop.
    text, drop, keep : tuple of str
        Columns of running text, columns to leave out, and to use although they look like ids.
    seed : int
    encoding : str
        Of the table.
    label_column : str or None
        Column of the table whose filled cells are the first labels.
    labels_encoding : str or None
        Of the labels; None finds it out.
    missing : tuple of str
        Further marks of missing cells.
    schema : Path or None
        File that says how columns are read.
    """

    pool: Path
    labels: Path
    n: int = 10
    key: str | None = None
    output: Path | None = None
    query: str = "centre_of_gravity"
    kernel: str | None = None
    gamma: float | None = None
    flip: float = 0.0
    budget: int | None = None
    text: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    seed: int = 0
    encoding: str = "auto"
    label_column: str | None = None
    labels_encoding: str | None = None
    missing: tuple[str, ...] = ()
    schema: Path | None = None

    def __post_init__(self) -> None:
        rules = [rule["name"] for rule in read_declarations("rule", "name")]
        if self.query not in rules:
            raise InputError(
                f"unknown --query {self.query!r}; {closest(self.query, rules)}the rules are "
                f"{listing(rules, limit=20)}."
            )
        if self.gamma is not None and not 0.0 < self.gamma < math.inf:
            raise InputError(f"--gamma must be a number above 0, got {self.gamma:g}.")
        for option, path in (("--labels", self.labels), ("--output", self.output)):
            if path is None:
                continue
            if path.is_dir() or not self._has_folder(path):
                raise InputError(f"{option} {path} must name a file in a folder that exists.")
            if path.absolute() == self.pool.absolute():
                raise InputError(f"{option} {path} is the table itself; name another file.")
        if self.output and self.output.suffix.lower() not in (*ENDINGS, *PARQUET_SUFFIXES):
            raise InputError(f"--output {self.output} must end with .csv or .parquet.")
        if self.output and self.output.absolute() == self.labels.absolute():
            raise InputError(f"--labels and --output both name {self.labels}; name two files.")
        self._check_pool()
        decide(self.schema)

    def _check_pool(self) -> None:
        check_rows(self.pool, self.encoding)

    def _has_folder(self, path: Path) -> bool:
        return path.absolute().parent.is_dir()


@dataclass(frozen=True)
class PageRequest(LabelRequest):
    """What to label on a page, and who may.

    Attributes
    ----------
    classes : tuple of str
        Classes that are known from the start.
    image : str or None
        Column of image files.
    annotators : str
        How many people label, or their names.
    project : Path or None
        Project folder; named after the table by default.
    random_share, overlap : float
        Share of random rows, and of rows that up to three people label.
    host, port : str and int
        Where the page is served.
    consent : bool
        Whether others may reach it.
    browser : bool
        Whether to open it.
    demo : bool
        Whether the embedded table is written if it is not there.
    """

    classes: tuple[str, ...] = ()
    image: str | None = None
    annotators: str = "1"
    project: Path | None = None
    random_share: float = 0.1
    overlap: float = 0.2
    host: str = "127.0.0.1"
    port: int = 0
    consent: bool = False
    browser: bool = True
    demo: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"--project {self.folder} is a file; name a folder.")

    @property
    def folder(self) -> Path:
        """Folder of the answers."""
        return self.project or Path(f"{self.pool.name.partition('.')[0]}-labelling")

    def _check_pool(self) -> None:
        if not self.demo or self.pool.exists():
            super()._check_pool()

    def _has_folder(self, path: Path) -> bool:
        """That of the answers is made when all else is right."""
        return super()._has_folder(path) or path.absolute().parent == self.folder.absolute()


def check_tables(
    tables: Sequence[Path], on: str | None, encoding: str = "auto"
) -> Path | list[Path]:
    """Refuse tables that are not there or have no rows, or several without a column to join by.

    Returns
    -------
    Path or list of Path
        One table, a folder, or the tables to join.
    """
    if on is None and len(tables) > 1:
        raise InputError("several tables need a column that joins them; name it with --on.")
    is_list = len(tables) > 1 or (on is not None and not tables[0].is_dir())
    given = list(tables) if is_list else tables[0]
    for path in table_files(given).values() if on is not None else [tables[0]]:
        check_rows(path, encoding)
    return given


def compare_source(
    path: Path | None, target: str | None, demo: bool, **choices: Any
) -> TableRequest | None:
    """Build the request of a comparison, None for the embedded table.

    Parameters
    ----------
    path, target : Path and str, or None
        What the user gave.
    demo : bool
        Whether the embedded table was requested.
    **choices : object
        Further attributes of `TableRequest`; None for those that were not given.

    Raises
    ------
    InputError
        If there is no table, no target, or one too many.
    """
    if demo:
        given = {"TABLE": path, "--target": target}
        columns = ("drop", "keep", "text", "groups", "time", "id", "on")
        tables = ("views", *columns, "missing", "schema", "sheet", "test")
        given |= {f"--{name}": choices.get(name) for name in tables}
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
    given_ones = {name: value for name, value in choices.items() if value is not None}
    return TableRequest(path, target, **given_ones)


def _given(column: str | None) -> list[str]:
    return [] if column is None else [column]


def check_names(methods: Iterable[str] | None, metric: str | None) -> None:
    """Refuse names of methods and measures that are not declared anywhere."""
    if methods is not None:
        known: Registry[Any] = Registry("method")
        for one in read_declarations("method", "name", "label", "description"):
            known.register(one["name"], one, one.get("order", 50.0))
        check_method_names(methods, known)
    if metric is not None:
        known = Registry("metric")
        for one in read_declarations("measure", "name", "label", "description"):
            if one.get("label"):
                known.register(one["name"], one, one.get("order", 50.0))
        if metric not in known:
            raise InputError(known.unknown(metric))


def check_out(out: Path | None) -> None:
    """Refuse a file that cannot be written because of its folder."""
    if out is not None and (out.is_dir() or not out.absolute().parent.is_dir()):
        raise InputError(f"--out {out} must name a file in a folder that exists.")
    if out is not None and not (out.exists() and os.access(out, os.W_OK)):
        nearest_folder(out.absolute().parent)


def check_stream(
    tables: Sequence[Path] | None, on: str | None, sheet: str | None, encoding: str
) -> None:
    """Refuse what a stream of rows cannot have: files, sheets, joins, other encodings."""
    if tables and [str(table) for table in tables] != ["-"]:
        raise InputError("--stream reads standard input; leave the TABLE out, or give -.")
    if on is not None or sheet is not None:
        raise InputError("--stream reads one CSV table; leave --on and --sheet out.")
    if encoding.lower().replace("_", "-") not in ("auto", "utf-8", "utf8"):
        raise InputError(f"--stream reads UTF-8; turn {encoding} into it first, as with iconv.")


def check_explanation(
    table: Path | None, rows: Sequence[int] | None, metric: str, encoding: str = "auto"
) -> None:
    """Refuse rows without a table, a table that is not there or empty, and unknown measures."""
    if rows and table is None:
        raise InputError("--row names a row of a table; give the TABLE after the model.")
    check_names(None, metric)
    if table is not None:
        check_rows(table, encoding)


def check_model(path: Path) -> list[str]:
    """Refuse a model file that is not there, and a file that is no archive of a model.

    Returns
    -------
    list of str
        The columns that the model needs; none where only its reader can tell.
    """
    check_model_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            archive.getinfo("schema.json")
            return _columns_of_model(archive)
    except (zipfile.BadZipFile, KeyError, ValueError, OSError, NotImplementedError) as error:
        raise InputError(
            f"{path} is not a model file of uneven, or it is damaged "
            f"({type(error).__name__}: {str(error.args[0]).rstrip('.')})."
        ) from error


def check_model_file(path: Path) -> None:
    """Refuse a model file that is not there."""
    if not path.is_file():
        raise InputError(f"there is no model file {path}.")


def _columns_of_model(archive: zipfile.ZipFile) -> list[str]:
    """The card of a model, as data; the reader of the file checks the rest."""
    if archive.getinfo("schema.json").file_size > MOST_SCHEMA_BYTES:
        return []
    try:
        nodes = json.loads(archive.read("schema.json"))["content"]
        card = json.loads(json.loads(nodes["card"]["content"]))
        columns = card["columns"]
        sound = [one for one in columns if one["kind"] in KINDS and "categories" in one]
        return [str(one["name"]) for one in sound] if len(sound) == len(columns) else []
    except Exception:  # a damaged or forged file can hold anything
        return []
