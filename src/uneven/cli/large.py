"""``uneven fit`` on Parquet files that are larger than memory, or with the help of a cluster.

The types of the columns are found in a sample of the rows; categories are collected from all rows.
Every row group is then encoded on its own, and boosting learns from the row groups.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from uneven.boosting.sharded import ParquetRows
from uneven.boosting.sharded.parquet import bytes_per_row, find_files, open_parquet
from uneven.cli import terminal
from uneven.cli.fit import model_card
from uneven.cli.requests import TableRequest
from uneven.comparison.crossval import open_pipeline
from uneven.comparison.errors import InputError
from uneven.comparison.methods import choose_methods
from uneven.comparison.problem import Problem
from uneven.comparison.schema import Schema
from uneven.ensemble.shared_table import VERY_MANY_ROWS
from uneven.persistence.model_file import save_model
from uneven.utils.methods import Method, Settings
from uneven.utils.optional import require

_SAMPLE_ROWS, _SAMPLE_GROUPS = 100_000, 40
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def parquet_files(given: Sequence[Path]) -> list[str]:
    """The files that paths, addresses and patterns stand for, in the order of their names."""
    found: list[str] = []
    for path in given:
        pattern = re.sub(r"^(\w+):/+", r"\1://", str(path))  # a path has lost a slash of s3://
        pattern = pattern.replace("file://", "file:///", 1)
        matching = find_files(pattern)
        if not matching:
            raise InputError(f"{pattern}: there is no such file.")
        found += matching
    for name in found:
        try:
            open_parquet(name)
        except ValueError as error:
            raise InputError(
                f"{name} is no Parquet file; --cluster and --memory need them."
            ) from error
    return found


def parse_size(text: str) -> int:
    """Bytes that a size such as 4GB stands for.

    Examples
    --------
    >>> parse_size("1.5 GB"), parse_size("800m")
    (1500000000, 800000000)
    """
    match = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?)i?B?\s*", text.upper())
    number = 0.0
    with suppress(ValueError):
        number = float(match[1]) if match else 0.0
    if not match or number <= 0.0:
        raise InputError(f"--memory {text}: give a size such as 4GB.")
    return int(number * _UNITS[match[2]])


@dataclass(frozen=True)
class Encoder:
    """Turns a frame of raw columns into features; sent to the workers of a cluster."""

    schema: Schema
    steps: Any

    def __call__(self, frame: pd.DataFrame) -> Any:
        """Encode some rows."""
        raw = self.schema.convert(frame)
        if not len(raw):
            return np.zeros((0, self.n_columns))
        return raw if self.steps is None else self.steps.transform(raw)

    @property
    def n_columns(self) -> int:
        """Columns after encoding."""
        return len(self.steps.get_feature_names_out()) if self.steps else len(self.schema.names)


def fit(
    source: TableRequest,
    files: list[str],
    name: str | None,
    settings: Settings,
    out: Path,
    command: str,
    *,
    cluster: str | None,
    memory: int | None,
) -> None:
    """Fit and save.

    Parameters
    ----------
    source : TableRequest
        How the columns are to be read; its path is not looked at.
    files : list of str
    name : str or None
        Of the method; None is uneven from 20 000 rows on, unless there are views, and combo below.
    settings : Settings
    out : Path
        Model file to write.
    command : str
        The command line, kept with the model.
    cluster : str or None
        Address of a Dask scheduler, or "local".
    memory : int or None
        Bytes above which codes and costs are kept in temporary files.
    """
    started = time.perf_counter()
    problem = _read_sample(source, files)
    _check_columns(files, [*problem.schema.names, source.target])
    problem = _with_all_categories(problem, files)
    name = _choose_method(name, problem, source.target, files)
    method = choose_methods([name])[0]
    settings = replace(settings, views=problem.view_columns)
    pipeline, table = open_pipeline(method, problem, settings)
    classifier = pipeline[-1]
    if not hasattr(classifier, "_needs_all_rows"):
        raise InputError(
            f"--method {name} needs all rows in memory; uneven, balanced_boosting and combo do not."
        )
    steps = pipeline[:-1].fit(table) if len(pipeline) > 1 else None
    encoder = Encoder(problem.schema, steps)
    rows = ParquetRows(files, source.target, problem.schema.names, encoder)
    terminal.notes([*problem.notes, _told(rows, problem, encoder, classifier, memory)])
    with _client(cluster) as client:
        classifier.fit(rows if client is None else rows.on_cluster(client), None)
    _save(method, problem, pipeline, rows, command, out)
    terminal.stdout().print(
        f"{method.label} fitted on {rows.n_rows} rows and {len(problem.schema.names)} columns in "
        f"{time.perf_counter() - started:.1f} s: {out}",
        soft_wrap=True,
        markup=False,
    )


def _choose_method(name: str | None, problem: Problem, target: str, files: list[str]) -> str:
    """The method that is named, or else the usual one for so many rows with a label."""
    has_many = sum(_n_labelled(path, target) for path in files) >= VERY_MANY_ROWS
    if name is None:
        return "uneven" if has_many and not problem.view_columns else "combo"
    if name == "uneven" and not has_many:
        raise InputError(
            f"--method uneven learns fewer than {VERY_MANY_ROWS} rows in memory: leave out "
            "--cluster and --memory, or take --method balanced_boosting."
        )
    return name


def _n_labelled(path: str, target: str) -> int:
    """Rows of a file that have a label, as far as its footer says."""
    known = open_parquet(path).metadata
    groups = [known.row_group(k) for k in range(known.num_row_groups)]
    columns = [group.column(k) for group in groups for k in range(known.num_columns)]
    missing = sum(
        column.statistics.null_count
        for column in columns
        if column.path_in_schema == target
        and column.is_stats_set
        and column.statistics.has_null_count
    )
    return int(known.num_rows - missing)


def _check_columns(files: list[str], names: Sequence[str]) -> None:
    """Refuse files that lack a column."""
    for path in files:
        lacking = sorted({*names} - {*open_parquet(path).schema_arrow.names})
        if lacking:
            raise InputError(f"{path} has no column {lacking[0]!r}, which other files have.")


def _read_sample(source: TableRequest, files: list[str]) -> Problem:
    """What the columns hold, from some rows of all files."""
    parquet = require("pyarrow.parquet", "a Parquet file")
    groups = [(path, group) for path in files for group in range(open_parquet(path).num_row_groups)]
    chosen = groups[:: -(-len(groups) // _SAMPLE_GROUPS)]
    most = -(-_SAMPLE_ROWS // len(chosen))
    parts = [open_parquet(path).read_row_group(group)[:most] for path, group in chosen]
    arrow = require("pyarrow", "a Parquet file")
    try:
        rows = arrow.concat_tables(parts, promote_options="permissive")
    except (arrow.ArrowTypeError, arrow.ArrowInvalid) as error:
        raise InputError(f"the files do not belong together: {error}.") from error
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(folder) / f"{Path(files[0]).stem}.parquet"
        parquet.write_table(rows, sample)
        return replace(source, path=sample, others=()).load()


def _with_all_categories(problem: Problem, files: list[str]) -> Problem:
    """The same problem with the categories of all rows."""
    named = problem.schema.of_kind("category")
    if problem.schema.of_kind("text"):
        raise InputError(
            "--cluster and --memory take no running text: leave out "
            f"{problem.schema.of_kind('text')[0]!r} with --drop."
        )
    if not named:
        return problem
    part = Schema(tuple(c for c in problem.schema.columns if c.name in named))
    seen: dict[str, set] = {c.name: set(c.categories) for c in part.columns}
    for block in ParquetRows(files, problem.target, named, part.convert).blocks:
        raw = part.convert(block.frame())
        for column in named:
            seen[column].update(raw[column].dropna().unique())
    columns = tuple(
        replace(c, categories=tuple(sorted(seen[c.name]))) if c.name in seen else c
        for c in problem.schema.columns
    )
    return replace(problem, schema=Schema(columns))


def _told(
    rows: ParquetRows, problem: Problem, encoder: Encoder, classifier: Any, memory: int | None
) -> str:
    """Decide whether codes and costs are kept in files, and say so."""
    known = (encoder.n_columns, len(problem.classes), getattr(classifier, "leaves", "scores"))
    size = bytes_per_row(*known) * rows.n_rows
    rows.on_disk = memory is not None and size > memory
    where = "temporary files" if rows.on_disk else "memory"
    return f"Codes and costs of {rows.n_rows} rows take {size / 1e9:.2f} GB, kept in {where}."


@contextmanager
def _client(cluster: str | None) -> Iterator[Any]:
    """A client of a cluster, or None."""
    if cluster is None:
        yield None
        return
    try:
        with require("uneven.distributed", "--cluster", "dask").open_client(cluster) as client:
            yield client
    except ConnectionError as error:
        raise InputError(f"--cluster {cluster}: {error}") from error


def _save(
    method: Method, problem: Problem, pipeline: Any, rows: ParquetRows, command: str, out: Path
) -> None:
    """Write the model with what is known of all rows."""
    classifier = pipeline[-1]
    card = model_card(method, problem, pipeline, command)
    shares = classifier.class_prior_ * rows.n_rows
    card = replace(
        card,
        rows=rows.n_rows,
        classes=[str(label) for label in classifier.classes_],
        class_counts=[round(float(count)) for count in shares],
    )
    save_model(pipeline, card, out)
