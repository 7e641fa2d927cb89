"""``uneven label-next``: which rows of a table should a person label next?"""

from __future__ import annotations

import difflib
import shlex
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.text import Text

from uneven.active import RULES, ActiveLearner, Budget, StablePredictions
from uneven.atomic import replace_file
from uneven.cli import terminal
from uneven.cli.pool import PoolTable, read_pool
from uneven.experiments import InputError, LabelFile, read_label_file, write_label_file
from uneven.experiments.errors import closest, listing
from uneven.experiments.labelfile import CHECK, LABEL, OURS
from uneven.experiments.tables import PARQUET_SUFFIXES
from uneven.versionspace import BayesPointClassifier

__all__ = ["LabelRequest", "label_next"]

MOST_COLUMNS = 5
LONGEST_CELL = 32
ALIKE = 0.8
FREQUENT = 5


@dataclass(frozen=True)
class LabelRequest:
    """What to ask about which table.

    Attributes
    ----------
    pool : Path
        CSV or Parquet file.
    labels : Path
        CSV file of the labels so far.
    n : int
        How many rows to ask for.
    key : str or None
        Column that names the rows; None to number them from 1.
    output : Path or None
        Where to write the next rows besides.
    query : str
        Query rule.
    kernel, gamma : str and float or None
        Of the classifier; None lets the table decide.
    flip : float
        Chance that a label is wrong.
    budget : int or None
        After how many labels to propose to stop.
    text, drop, keep : tuple of str
        Columns of running text, columns to leave out, and to use although they look like ids.
    seed : int
    encoding : str
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
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        if self.query not in RULES:
            raise InputError(
                f"unknown --query {self.query!r}; {closest(self.query, RULES)}the rules are "
                f"{listing(RULES, limit=20)}."
            )
        if self.gamma is not None and not 0.0 < self.gamma < np.inf:
            raise InputError(f"--gamma must be a number above 0, got {self.gamma:g}.")
        for option, path in (("--labels", self.labels), ("--output", self.output)):
            if path is None:
                continue
            if path.is_dir() or not path.absolute().parent.is_dir():
                raise InputError(f"{option} {path} must name a file in a folder that exists.")
            if path.absolute() == self.pool.absolute():
                raise InputError(f"{option} {path} is the table itself; name another file.")
        if self.output and self.output.absolute() == self.labels.absolute():
            raise InputError(f"--labels and --output both name {self.labels}; name two files.")


def label_next(request: LabelRequest) -> None:
    """Learn from the labels so far, and ask for the next ones.

    Parameters
    ----------
    request : LabelRequest

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
            encoding=request.encoding,
        )
        file = read_label_file(
            request.labels, pool.key, separator=pool.separator, encoding=request.encoding
        )
    labels = _checked_labels(file, pool)
    terminal.notes([*pool.notes, *_label_notes(labels)])
    if len(labels) == len(pool.names):
        terminal.stdout().print(f"Every row of {request.pool} has a label.", markup=False)
        return
    with terminal.busy(f"learning from {len(labels)} labels"):
        learner = _learn(request, pool, labels)
        asked = _questions(learner, pool, learner.ask(request.n))
        reason = learner.stop_reason()
    columns = [pool.key, *OURS, *pool.shown]
    waiting = write_label_file(file, asked, columns)
    if request.output is not None:
        _write(asked, request.output, columns, file)
    _print(asked, pool)
    _closing_lines(request, labels, waiting, reason)


def _checked_labels(file: LabelFile, pool: PoolTable) -> dict[str, str]:
    """Labels by the names of rows that are in the pool, and are the rows that were asked for."""
    labels = file.labels()
    unknown = [name for name in labels if name not in pool.where]
    if unknown:
        raise InputError(
            f"{file.path} has labels for {pool.key} {listing(unknown)}, not in {pool.path}: "
            "correct them, or name the right table or --id column."
        )
    for row, line in zip(file.rows, file.lines):
        seen, name = row.get(CHECK, ""), row[file.key]
        if row[LABEL] and seen and seen != pool.check(pool.where[name]):
            raise InputError(
                f"{file.path}, line {line}: {pool.key} {name} is not the row that was asked for; "
                f"has {pool.path} changed, or is it another table? Empty the column {CHECK!r} if "
                "the labels are right all the same."
            )
    return labels


def _label_notes(labels: dict[str, str]) -> list[str]:
    """Labels that occur once and look like a frequent one, but for numbers in them."""
    counts = Counter(labels.values())
    usual = {label.lower(): label for label, count in counts.items() if count >= FREQUENT}
    notes = []
    for label in (label for label, count in counts.items() if count == 1):
        near = difflib.get_close_matches(label.lower(), usual, n=1, cutoff=ALIKE)
        if near and _letters(near[0]) != _letters(label.lower()):
            notes.append(f"the label {label!r} occurs once; did you mean {usual[near[0]]!r}?")
    return notes


def _letters(label: str) -> str:
    return "".join(sign for sign in label if not sign.isdigit())


def _learn(request: LabelRequest, pool: PoolTable, labels: dict[str, str]) -> ActiveLearner:
    """A learner that was told the labels in the order of the file, the last ones by themselves."""
    kernel = request.kernel or ("linear" if request.text else "rbf")
    gamma = "scale" if request.gamma is None else request.gamma
    model = BayesPointClassifier(kernel, gamma=gamma, flip=request.flip)
    stop: list[Any] = [StablePredictions(request.n)]
    if request.budget is not None:
        stop.insert(0, Budget(request.budget))
    learner = ActiveLearner(model, request.query, stop=stop, random_state=request.seed)
    learner.start(pool.matrix(constant=kernel == "linear"))
    rows = np.array([pool.where[name] for name in labels], dtype=np.intp)
    told = np.array(list(labels.values()), dtype=object)
    for part in (slice(None, -request.n), slice(-request.n, None)):
        if len(rows[part]):
            learner.tell(rows[part], told[part])
    return learner


def _questions(learner: ActiveLearner, pool: PoolTable, rows: np.ndarray) -> list[dict[str, str]]:
    """Cells of the rows to ask for."""
    guesses = _guesses(learner, pool, rows)
    cells = pool.cells(rows)
    return [
        {
            pool.key: pool.names[row],
            LABEL: "",
            **guess,
            CHECK: pool.check(row),
            **dict(zip(pool.shown, cell)),
        }
        for row, guess, cell in zip(rows, guesses, cells)
    ]


def _guesses(learner: ActiveLearner, pool: PoolTable, rows: np.ndarray) -> list[dict[str, str]]:
    if learner.model_ is None:
        why = "spread over the table, before two classes are known"
        return [{"guess": "", "votes": "", "why": why} for _ in rows]
    shares = learner.model_.predict_proba(learner.state().pool.X[rows])
    guesses = []
    for share in shares:
        first, second = np.argsort(-share, kind="stable")[:2]
        names = [str(learner.classes_[k]) for k in (first, second)]
        votes = ", ".join(f"{name} {share[k]:.0%}" for name, k in zip(names, (first, second)))
        if learner.query == "random":
            why = "drawn at random"
        else:
            why = f"{names[0]} or {names[1]}?"
        guesses.append({"guess": names[0], "votes": votes, "why": why})
    return guesses


def _write(asked: list[dict[str, str]], out: Path, columns: list[str], file: LabelFile) -> None:
    frame = pd.DataFrame(asked, columns=columns)
    with replace_file(out) as draft:
        if out.suffix.lower() in PARQUET_SUFFIXES:
            frame.to_parquet(draft, index=False)
        else:
            frame.to_csv(draft, index=False, sep=file.separator, encoding=file.encoding)


def _print(asked: list[dict[str, str]], pool: PoolTable) -> None:
    """The next rows, the first columns of the table beside them."""
    shown = pool.shown[:MOST_COLUMNS]
    guessed = any(row["guess"] for row in asked)
    header = [pool.key, *(["guess", "votes"] if guessed else []), *shown]
    out = terminal.table(f"Next to label: {len(asked)} rows", header)
    for column in out.columns[1:]:
        column.justify = "left"
    for row in asked:
        guess = [Text(row["guess"], style="bold green"), Text(row["votes"])] if guessed else []
        out.add_row(Text(row[pool.key]), *guess, *(Text(_short(row[name])) for name in shown))
    more = len(pool.shown) - len(shown)
    if more > 0:
        out.caption = f"and {more} more columns"
        out.caption_justify = "left"
    terminal.stdout().print(out)


def _short(cell: str) -> str:
    cell = " ".join(cell.split())
    return cell if len(cell) <= LONGEST_CELL else cell[: LONGEST_CELL - 1] + "…"


def _closing_lines(
    request: LabelRequest, labels: dict[str, str], waiting: int, reason: str | None
) -> None:
    """What is there, where it was written, and how to go on."""
    counts = Counter(labels.values()).most_common(8)
    found = ", ".join(f"{label}: {count}" for label, count in counts)
    lines = [f"Labels so far  {len(labels)} ({found})" if labels else "Labels so far  none"]
    if reason:
        lines.append(f"You may stop   {reason}.")
    lines.append(f"Next rows      {request.labels} ({waiting} rows wait for a label)")
    if request.output:
        lines.append(f"               {request.output}")
    lines.append(f"Go on          fill in the column {LABEL!r}, save as CSV, and run it again:")
    lines.append(f"               {_command(request)}")
    for line in lines:
        terminal.stdout().print(line, soft_wrap=True, markup=False)


def _command(request: LabelRequest) -> str:
    words = ["uneven", "label-next", str(request.pool), "--labels", str(request.labels)]
    words += ["--n", str(request.n)]
    usual = LabelRequest(request.pool, request.labels)
    names = {"--id": "key", "--query": "query", "--kernel": "kernel", "--gamma": "gamma"}
    names |= {"--flip": "flip", "--budget": "budget", "--seed": "seed", "--encoding": "encoding"}
    for option, name in names.items():
        if (value := getattr(request, name)) != getattr(usual, name):
            words += [option, str(value)]
    for option in ("text", "drop", "keep"):
        words += [word for name in getattr(request, option) for word in (f"--{option}", name)]
    return shlex.join(words)
