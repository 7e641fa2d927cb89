"""``uneven label-next``: which rows of a table should a person label next?"""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.text import Text

from uneven.active import RULES, ActiveLearner, Budget, StablePredictions
from uneven.cli import terminal
from uneven.cli.requests import LabelRequest
from uneven.comparison import LabelFile, read_label_file, write_label_file
from uneven.comparison.labelfile import CHECK, LABEL, OURS, SKIP, quoted
from uneven.comparison.schemafile import decide
from uneven.comparison.tables import PARQUET_SUFFIXES
from uneven.labelling.labels import cells_beside, check_rows, complete, decimal_of, unused_columns
from uneven.labelling.pool import PoolTable, read_pool
from uneven.labelling.spelling import label_notes
from uneven.utils.files import replace_file
from uneven.versionspace import BayesPointClassifier

MOST_COLUMNS = 5
LONGEST_CELL = 32


def label_next(request: LabelRequest) -> None:
    """Learn from the labels so far, and select the next rows.

    Raises
    ------
    InputError
        If the table and the labels do not fit together.
    """
    with terminal.busy(f"reading {request.pool}"):
        pool = read_pool(
            request.pool,
            request.key,
            text=request.text,
            drop=request.drop,
            keep=request.keep,
            label_column=request.label_column,
            encoding=request.encoding,
            decisions=decide(request.schema, request.missing, request.text),
        )
        file = read_label_file(
            request.labels, pool.key, separator=pool.separator, encoding=request.labels_encoding
        )
        file = file.with_names(pool.where)
    changed = check_rows(file, pool)
    file = complete(file, pool)
    labels = file.labels()
    terminal.notes([*pool.notes, *file.notes, *changed, *label_notes(labels.values())])
    skipped = sorted(pool.where[name] for name in file.skipped())
    open_rows = np.delete(np.arange(len(pool.names)), skipped)
    asked, reason = [], None
    if len(labels) < len(open_rows):
        with terminal.busy(f"learning from {len(labels)} labels"):
            learner = _learn(request, pool, labels, open_rows)
            rows = learner.ask(request.n)
            asked = _questions(learner, pool, rows, open_rows, decimal_of(file, pool))
            reason = learner.stop_reason()
    columns = [pool.key, *OURS, *pool.shown]
    waiting = write_label_file(file, asked, columns).waiting()
    if request.output is not None:
        _write(asked, request.output, columns, file)
    if asked:
        _print(asked, pool)
    _closing_lines(request, file, pool, waiting, reason)


def _learn(
    request: LabelRequest, pool: PoolTable, labels: dict[str, str], open_rows: np.ndarray
) -> ActiveLearner:
    """A learner with the labels in the order of the file, the last ones in a step of their own.

    Its pool has the open rows only, without those that cannot be labelled.
    """
    kernel = request.kernel or ("linear" if pool.text else "rbf")
    gamma = "scale" if request.gamma is None else request.gamma
    model = BayesPointClassifier(kernel, gamma=gamma, flip=request.flip)
    stop: list[Any] = [StablePredictions(request.n)]
    if request.budget is not None:
        stop.insert(0, Budget(request.budget))
    learner = ActiveLearner(model, request.query, stop=stop, random_state=request.seed)
    learner.start(pool.matrix(constant=kernel == "linear")[open_rows])
    rows = np.searchsorted(open_rows, [pool.where[name] for name in labels])
    told = np.array(list(labels.values()), dtype=object)
    for part in (slice(None, -request.n), slice(-request.n, None)):
        if len(rows[part]):
            learner.tell(rows[part], told[part])
    return learner


def _questions(
    learner: ActiveLearner,
    pool: PoolTable,
    asked: np.ndarray,
    open_rows: np.ndarray,
    decimal: str,
) -> list[dict[str, str]]:
    """Cells of the rows to label, given by their places among the open rows."""
    rows = open_rows[asked]
    guesses = _guesses(learner, asked)
    return [
        {pool.key: pool.names[row], LABEL: "", **guess, CHECK: pool.check(row), **cells}
        for row, guess, cells in zip(rows, guesses, cells_beside(pool, rows, decimal))
    ]


def _guesses(learner: ActiveLearner, rows: np.ndarray) -> list[dict[str, str]]:
    if learner.model_ is None:
        why = "spread over the table, before two classes are known"
        return [{"guess": "", "votes": "", "why": why} for _ in rows]
    shares = learner.model_.predict_proba(learner.state().pool.X[rows])
    guesses = []
    for share in shares:
        first, second = np.argsort(-share, kind="stable")[:2]
        names = [str(learner.classes_[k]) for k in (first, second)]
        votes = ", ".join(f"{name} {share[k]:.0%}" for name, k in zip(names, (first, second)))
        blind = RULES[learner.query].needs == "nothing"  # type: ignore[attr-defined]
        why = "drawn at random" if blind else f"{names[0]} or {names[1]}?"
        guesses.append({"guess": names[0], "votes": votes, "why": why})
    return guesses


def _write(asked: list[dict[str, str]], out: Path, columns: list[str], file: LabelFile) -> None:
    frame = pd.DataFrame(asked, columns=columns)
    with replace_file(out) as draft:
        if out.suffix.lower() in PARQUET_SUFFIXES:
            frame.to_parquet(draft, index=False)
        else:
            frame[file.key] = frame[file.key].map(quoted)
            frame.to_csv(draft, index=False, sep=file.separator, encoding=file.encoding)


def _print(asked: list[dict[str, str]], pool: PoolTable) -> None:
    """The next rows, with the first columns of the table."""
    shown = pool.shown[:MOST_COLUMNS]
    guessed = any(row["guess"] for row in asked)
    header = [pool.key, *(["guess", "votes"] if guessed else []), *shown]
    out = terminal.table(f"Next to label: {_count(len(asked), 'row')}", header)
    for column in out.columns[1:]:
        column.justify = "left"
    for row in asked:
        guess = [Text(row["guess"], style="bold green"), Text(row["votes"])] if guessed else []
        out.add_row(Text(row[pool.key]), *guess, *(Text(_short(row[name])) for name in shown))
    more = len(pool.shown) - len(shown)
    if more > 0:
        out.caption = f"and {_count(more, 'more column')}"
        out.caption_justify = "left"
    terminal.stdout().print(out)


def _short(cell: str) -> str:
    cell = " ".join(cell.split())
    return cell if len(cell) <= LONGEST_CELL else cell[: LONGEST_CELL - 1] + "…"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _closing_lines(
    request: LabelRequest, file: LabelFile, pool: PoolTable, waiting: int, reason: str | None
) -> None:
    """What is there, where it was written, and how to continue."""
    labels, skipped = file.labels(), len(file.skipped())
    counts = Counter(labels.values()).most_common(8)
    found = ", ".join(f"{label}: {count}" for label, count in counts)
    lines = [f"Labels so far  {len(labels)} ({found})" if labels else "Labels so far  none"]
    if skipped:
        lines.append(f"Skipped        {_count(skipped, 'row')} labelled {SKIP!r}")
    if reason:
        lines.append(f"You may stop   {reason}.")
    if waiting:
        waits = "waits" if waiting == 1 else "wait"
        lines.append(f"Next rows      {file.path} ({_count(waiting, 'row')} {waits} for a label)")
        if request.output:
            lines.append(f"               {request.output}")
        lines.append(f"Go on          fill in the column {LABEL!r}, save as CSV, and run it again:")
        lines.append(f"               {_command(request)}")
    else:
        besides = ", but for those skipped" if skipped else ""
        lines.append(f"Every row of {request.pool} has a label{besides}.")
    if len(set(labels.values())) > 1 and pool.features.schema.columns:
        lines.append(f"Learn          {_fit_command(file, pool)}")
        lines.append(f"               {_predict_command(request)}")
    for line in lines:
        terminal.stdout().print(line, soft_wrap=True, markup=False)


def _fit_command(file: LabelFile, pool: PoolTable) -> str:
    """How to fit a model to the labels, with the columns that are used here."""
    words = ["uneven", "fit", str(file.path), "--target", LABEL]
    words += [word for name in unused_columns(file.columns, pool) for word in ("--drop", name)]
    words += [word for name in pool.text for word in ("--text", name)]
    if file.encoding not in ("utf-8", "utf-8-sig"):
        words += ["--encoding", file.encoding]
    return shlex.join(words)


def _predict_command(request: LabelRequest) -> str:
    words = ["uneven", "predict", "model.skops", str(request.pool), "--out", "predictions.csv"]
    if request.encoding != LabelRequest.encoding:
        words += ["--encoding", request.encoding]
    return shlex.join(words)


def _command(request: LabelRequest) -> str:
    words = ["uneven", "label-next", str(request.pool), "--labels", str(request.labels)]
    words += ["--n", str(request.n)]
    names = {"--id": "key", "--label-column": "label_column", "--query": "query"}
    names |= {"--kernel": "kernel", "--gamma": "gamma", "--flip": "flip", "--budget": "budget"}
    names |= {"--seed": "seed", "--encoding": "encoding", "--labels-encoding": "labels_encoding"}
    for option, name in names.items():
        if (value := getattr(request, name)) != getattr(LabelRequest, name):
            words += [option, str(value)]
    if request.schema is not None:
        words += ["--schema", str(request.schema)]
    for option in ("text", "drop", "keep", "missing"):
        words += [word for name in getattr(request, option) for word in (f"--{option}", name)]
    return shlex.join(words)
