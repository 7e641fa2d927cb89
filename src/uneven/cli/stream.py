"""``uneven predict --stream``: predictions for rows as they come, in constant memory."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd

from uneven.cli import terminal
from uneven.cli.predict import _answers, _refuse_doubles, _share_names
from uneven.comparison import InputError, Schema
from uneven.comparison.csvstyle import SEPARATORS
from uneven.persistence.model_file import in_use, load_model
from uneven.utils.files import replace_file
from uneven.utils.registry import listing

CHUNK = 1 << 16
"""Most bytes that are read at a time; rows that are there together are predicted together."""

LONGEST_ROW = 1 << 24


def predict_stream(
    model_path: Path, out: Path | None, *, proba: bool = False, copy: Sequence[str] = ()
) -> None:
    """Predict the rows of standard input one after another.

    Parameters
    ----------
    model_path : Path
    out : Path or None
        CSV file to write; None for standard output.
    proba : bool
        Whether to add the share of each class.
    copy : sequence of str
        Columns to repeat.
    """
    model, card = load_model(model_path)
    if proba and not hasattr(model, "predict_proba"):
        raise InputError(f"{card.label} predicts no class probabilities; leave --proba out.")
    answers = [f"predicted_{card.target}", *_share_names(model, proba)]
    _refuse_doubles(tuple(copy), answers)
    with in_use(model_path):
        schema = Schema.from_list(card.columns)
    blocks = _rows(sys.stdin.buffer.fileno())
    names, separator = _header(next(blocks, []), schema, copy)
    n_rows = 0
    with _opened(out) as target:
        csv.writer(target, lineterminator="\n").writerow([*copy, *answers])
        target.flush()
        for lines in blocks:
            frame = _frame(lines, names, separator, n_rows)
            X = _converted(schema, frame, n_rows)
            with in_use(model_path):
                said = _answers(model, card, X, frame[list(copy)], proba)
            said.to_csv(target, index=False, header=False)
            target.flush()
            n_rows += len(frame)
    if out is not None:
        terminal.stderr().print(f"{n_rows} rows: {out}", markup=False, soft_wrap=True)


def _rows(source: int) -> Iterator[list[str]]:
    """Lines of a file descriptor: the first alone, then all that are whole at a time.

    A line break inside quotes does not end a row.
    """
    rest, is_first = b"", True
    while chunk := os.read(source, CHUNK):
        rest += chunk
        if len(rest) > LONGEST_ROW:
            raise InputError("a row of the stream is longer than 16 MB; is a quote left open?")
        whole = _whole_rows(rest)
        lines, rest = _split(rest[:whole]), rest[whole:]
        if lines and is_first:
            yield lines[:1]
            lines, is_first = lines[1:], False
        if lines:
            yield lines
    lines = _split(rest)
    if lines and is_first:
        yield lines[:1]
        lines = lines[1:]
    if lines:
        yield lines


def _whole_rows(data: bytes) -> int:
    """Length of the rows at the beginning that are complete."""
    end, quotes = len(data), data.count(b'"')
    while (last := data.rfind(b"\n", 0, end)) >= 0:
        quotes -= data.count(b'"', last, end)
        if quotes % 2 == 0:
            return last + 1
        end = last
    return 0


def _split(data: bytes) -> list[str]:
    """Rows of complete text, without empty ones; line breaks in quotes stay."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"the stream is not UTF-8 ({error.reason}); use iconv first.") from None
    rows: list[list[str]] = []
    is_open = False
    for line in text.splitlines(keepends=True):
        if is_open:
            rows[-1].append(line)
        elif line.strip():
            rows.append([line])
        is_open ^= line.count('"') % 2 == 1
    return ["".join(row) for row in rows]


def _header(lines: list[str], schema: Schema, copy: Sequence[str]) -> tuple[list[str], str]:
    """Names of the columns, and what separates them."""
    if not lines:
        raise InputError("standard input is empty: its first line must name the columns.")
    found = {mark: _cells(lines, mark)[0] for mark in SEPARATORS}
    known = {*schema.names, *copy}
    separator = max(found, key=lambda mark: (len(known & set(found[mark])), len(found[mark])))
    names = [name.strip() for name in found[separator]]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"the stream has two columns of the name {listing(twice)}.")
    missing = [name for name in [*schema.names, *copy] if name not in names]
    if missing:
        raise InputError(f"the stream lacks columns that are needed: {listing(missing)}.")
    return names, separator


def _cells(lines: list[str], separator: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO("".join(lines), newline=""), delimiter=separator))


def _frame(lines: list[str], names: list[str], separator: str, before: int) -> pd.DataFrame:
    """Rows as a frame of text, NaN for empty cells."""
    cells = _cells(lines, separator)
    for k, row in enumerate(cells):
        if len(row) != len(names):
            raise InputError(
                f"row {before + k + 1} of the stream has {len(row)} cells, the header {len(names)}."
            )
    frame = pd.DataFrame(cells, columns=names, dtype=object)
    return frame.map(str.strip).replace("", np.nan)


def _converted(schema: Schema, frame: pd.DataFrame, before: int) -> Any:
    try:
        return schema.convert(frame)
    except InputError as error:
        where = f" (rows counted from row {before + 1} of the stream)" if before else ""
        raise InputError(f"{error}{where}") from error


@contextmanager
def _opened(out: Path | None) -> Iterator[TextIO]:
    """Where predictions go: standard output, or a file that appears when all are there."""
    if out is None:
        yield sys.stdout
        return
    with replace_file(out) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        yield file
