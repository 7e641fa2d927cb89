"""Files in which people label rows: opened in a spreadsheet, filled in, read again.

Everything that a person typed is kept: labels, further columns, further rows. Only rows that wait
for a label, and in which nobody typed anything, come and go. A row labelled ``?`` is one that
nobody can label: it stays, has no class, and is not queried again.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from uneven.comparison.codepages import codepage
from uneven.comparison.csvstyle import guess_style, long_cells
from uneven.comparison.errors import InputError
from uneven.comparison.tables import check_file
from uneven.utils.files import replace_file
from uneven.utils.registry import closest, listing

LABEL, CHECK = "label", "check"
OURS = (LABEL, "guess", "votes", "why", CHECK)
"""Columns after the name of the row, in order."""

SKIP = "?"
"""Label of a row that cannot be labelled."""

ENDINGS = (".csv", ".tsv", ".txt")
MARK = "\ufeff"
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
END = "\x03"


@dataclass(frozen=True)
class LabelFile:
    """What a file of labels holds.

    Attributes
    ----------
    path : Path
    key : str
        Column that names the rows.
    columns : tuple of str
        All columns, in order.
    rows : tuple of dict of str to str
        Cells as text, stripped; empty where nothing was typed.
    lines : tuple of int
        Line of each row in the file.
    separator, encoding, newline : str
        How it is written.
    decimal : str
        Decimal mark of its numbers; empty if it has none.
    notes : tuple of str
        What the reader should know.
    digest : str
        Of the bytes that were read; empty if there was no file.
    """

    path: Path
    key: str
    columns: tuple[str, ...] = ()
    rows: tuple[dict[str, str], ...] = ()
    lines: tuple[int, ...] = ()
    separator: str = ","
    encoding: str = "utf-8"
    newline: str = "\n"
    decimal: str = ""
    notes: tuple[str, ...] = ()
    digest: str = ""

    def labels(self) -> dict[str, str]:
        """Labels by the names of the rows, in the order of the file, without rows to skip.

        Raises
        ------
        InputError
            If a row has two different labels, or a label no row.
        """
        found: dict[str, str] = {}
        where: dict[str, int] = {}
        for row, line in zip(self.rows, self.lines):
            name, label = row[self.key], row[LABEL]
            if not label:
                continue
            if not name:
                raise InputError(
                    f"{self.path}, line {line}: the label {label!r} has nothing in {self.key!r} "
                    "that says which row it is for."
                )
            if found.get(name, label) != label:
                raise InputError(
                    f"{self.path}: {self.key} {name} is labelled {found[name]!r} in line "
                    f"{where[name]} and {label!r} in line {line}; keep one of them."
                )
            found.setdefault(name, label)
            where.setdefault(name, line)
        return {name: label for name, label in found.items() if label != SKIP}

    def waiting(self) -> int:
        """How many rows wait for a label."""
        return sum(not row[LABEL] for row in self.rows)

    def skipped(self) -> set[str]:
        """Names of the rows that cannot be labelled."""
        return {row[self.key] for row in self.rows if row[LABEL] == SKIP}

    def line_of(self, name: str) -> int:
        """Line of the first label of a row."""
        rows = zip(self.rows, self.lines)
        return next(line for row, line in rows if row[self.key] == name and row[LABEL])

    def with_names(self, known: Collection[str]) -> LabelFile:
        """The file with names such as ``106.0``, as spreadsheets write 106, put right.

        So are names with a quote in front, which keeps spreadsheets from running them.
        """
        rows = []
        for row in self.rows:
            name = row[self.key]
            meant = (name, re.sub(r"[.,]0+$", "", name), name.removeprefix("'"))
            rows.append({**row, self.key: next((one for one in meant if one in known), name)})
        return replace(self, rows=tuple(rows))


def read_label_file(
    path: Path, key: str, *, separator: str = ",", encoding: str | None = None
) -> LabelFile:
    """Read a file of labels, or begin one.

    Parameters
    ----------
    path : Path
        A CSV file; it need not exist.
    key : str
        Column that names the rows.
    separator : str
        For a new file.
    encoding : str or None
        None takes UTF-8, and for a file that is something else what spreadsheets write.

    Returns
    -------
    LabelFile
        A new one is to get the mark by which spreadsheets know UTF-8.

    Raises
    ------
    InputError
        If the file is no table with these columns.
    """
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"--labels {path} must be a CSV file, so that it ends with .csv.")
    if not path.exists():
        return LabelFile(path, key, separator=separator, encoding=encoding or "utf-8-sig")
    check_file(path)
    raw = path.read_bytes()
    text, found, notes = _decoded(raw, path, encoding)
    text, told = _without_hint(text)
    style = guess_style(text, (key, LABEL), str(path))
    separator = told or style.separator
    names = style.names if separator == style.separator else _first_cells(text, separator)
    _check_header(path, names, key, style.renamed)
    try:
        with long_cells():
            rows, lines = _cells(path, text, separator, names)
    except csv.Error as error:
        raise InputError(f"{path} cannot be read as CSV: {error}.") from error
    _refuse_long_cells(path, rows, lines, key)
    cells = [cell for row in rows for cell in row.values()]
    return LabelFile(
        path,
        key,
        names,
        rows,
        tuple(line + bool(told) for line in lines),
        separator,
        found,
        "\r\n" if text.partition("\n")[0].endswith("\r") else "\n",
        _decimal_mark(separator, cells),
        notes,
        hashlib.sha256(raw).hexdigest(),
    )


def write_label_file(
    file: LabelFile, asked: Sequence[dict[str, str]], columns: Sequence[str]
) -> LabelFile:
    """Put the rows that wait for a label at the end of a file of labels.

    Parameters
    ----------
    file : LabelFile
        As it was read.
    asked : sequence of dict of str to str
        Cells of the rows to label.
    columns : sequence of str
        Columns that the file must have; those that it has already stay where they are.

    Returns
    -------
    LabelFile
        As it was written.

    Raises
    ------
    InputError
        If the file has changed since it was read.
    """
    names = [*file.columns, *(name for name in columns if name not in file.columns)]
    typed = [name for name in file.columns if name not in columns]
    waiting = {row[file.key]: row for row in file.rows if not row[LABEL]}
    fresh = {row[file.key] for row in asked}
    kept = [
        row
        for row in file.rows
        if row[LABEL] or (row[file.key] not in fresh and any(row[name] for name in typed))
    ]
    new = [{**waiting.get(row[file.key], {}), **row} for row in asked]
    rows = [{**dict.fromkeys(names, ""), **row} for row in (*kept, *new)]
    content = _encoded(file, names, rows)
    with replace_file(file.path) as draft:
        draft.write_bytes(content)
        _refuse_change(file)
    digest, lines = hashlib.sha256(content).hexdigest(), tuple(range(2, len(rows) + 2))
    return replace(file, columns=tuple(names), rows=tuple(rows), lines=lines, digest=digest)


def _encoded(file: LabelFile, names: Sequence[str], rows: Sequence[dict[str, str]]) -> bytes:
    lines: list[str] = []
    stream: Any = SimpleNamespace(write=lines.append)
    both = "\r\n"  # the writer quotes cells that hold a sign of its line end
    writer = csv.DictWriter(
        stream, names, restval="", delimiter=file.separator, lineterminator=both
    )
    writer.writeheader()
    writer.writerows({**row, file.key: quoted(row[file.key])} for row in rows)
    try:
        text = "".join(line.removesuffix(both) + file.newline for line in lines)
        return text.encode(file.encoding)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{file.path} cannot hold {error.object[error.start]!r} in {file.encoding}; save it as "
            "utf-8 and leave --labels-encoding out."
        ) from error


def quoted(cell: str) -> str:
    """A cell with a quote in front if a spreadsheet would run it as a formula that does something.

    Examples
    --------
    >>> [quoted(cell) for cell in ("=1+1", "+cmd|x", "-5 to 0", "- one (two)")]
    ["'=1+1", "'+cmd|x", '-5 to 0', '- one (two)']
    """
    runs = re.match(r"[=@].|[-+].*([|!]|\w\()", cell, re.DOTALL)
    return f"'{cell}" if runs else cell


def _refuse_change(file: LabelFile) -> None:
    now = hashlib.sha256(file.path.read_bytes()).hexdigest() if file.path.exists() else ""
    if now != file.digest:
        raise InputError(
            f"{file.path} was changed in the meantime and is left as it is; run the command again."
        )


def _decoded(raw: bytes, path: Path, encoding: str | None) -> tuple[str, str, tuple[str, ...]]:
    """The text without a mark, how to write it again, and what to say about it."""
    if encoding is not None:
        return _text(raw, path, encoding).lstrip(MARK), encoding, ()
    if raw.startswith(UTF_16_MARKS):
        return _text(raw, path, "utf-16"), "utf-16", ()
    if raw.startswith(MARK.encode()):
        return _text(raw, path, "utf-8-sig"), "utf-8-sig", ()
    try:
        return raw.decode("utf-8"), "utf-8", ()
    except UnicodeDecodeError:
        found = codepage(raw)
        note = (
            f"{path} is not UTF-8 and is read as {found}; it is now written as UTF-8. "
            "If letters come out wrong, name its --labels-encoding."
        )
        return _text(raw, path, found), "utf-8-sig", (note,)


def _text(raw: bytes, path: Path, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not {encoding} text (byte 0x{raw[error.start]:02x}); save it as CSV in "
            "UTF-8, or name its encoding, for example --labels-encoding latin-1."
        ) from error
    except LookupError as error:
        raise InputError(f"unknown encoding {encoding!r}; try utf-8 or latin-1.") from error


def _without_hint(text: str) -> tuple[str, str]:
    """The text without a first line such as ``sep=;``, and the separator that it names."""
    hint = re.match(r'"?sep=([,;\t|])"?[,;\t|]*\r?\n', text, flags=re.IGNORECASE)
    return (text[hint.end() :], hint.group(1)) if hint else (text, "")


def _first_cells(text: str, separator: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in next(csv.reader(io.StringIO(text), delimiter=separator)))


def _check_header(path: Path, names: Sequence[str], key: str, renamed: Sequence[str] = ()) -> None:
    missing = [name for name in (key, LABEL) if name not in names]
    if missing:
        meant = "".join(dict.fromkeys(closest(name, names) for name in missing))
        raise InputError(
            f"{path} has no column {listing(missing)}: {meant}a file of labels has a column "
            f"{key!r} that names the rows and a column {LABEL!r}; it has {listing(names)}."
        )
    doubled = [*renamed, *(name for name in names if list(names).count(name) > 1)]
    if doubled:
        raise InputError(
            f"{path} has columns with the same name: {listing(dict.fromkeys(doubled))}."
        )


def _cells(
    path: Path, text: str, separator: str, names: Sequence[str]
) -> tuple[tuple[dict[str, str], ...], tuple[int, ...]]:
    """Rows below the header that are not blank, and their lines; short rows are filled up."""
    stream = io.StringIO(f"{text}\n{END}", newline="")
    reader = csv.reader(stream, delimiter=separator)
    found, begin = [], 1
    for cells in reader:
        found.append((begin, cells))
        begin = reader.line_num + 1
    begin, last = found.pop()
    if last != [END]:
        raise InputError(f"{path}, line {begin}: a quote is opened here and never closed.")
    rows, lines = [], []
    for line, cells in found:
        cells = [cell.strip() for cell in cells]
        if any(cells):
            cells += [""] * (len(names) - len(cells))
            rows.append(dict(zip(names, cells)))
            lines.append(line)
    return tuple(rows[1:]), tuple(lines[1:])


def _refuse_long_cells(
    path: Path, rows: Sequence[dict[str, str]], lines: Sequence[int], key: str
) -> None:
    for row, line in zip(rows, lines):
        for name in (key, LABEL):
            if len(row[name].splitlines()) > 1:
                raise InputError(
                    f"{path}, line {line}: {name!r} goes on over several lines and begins with "
                    f"{row[name].splitlines()[0]!r}; is a quote not closed?"
                )


def _decimal_mark(separator: str, cells: Sequence[str]) -> str:
    """How numbers with a fraction are written; empty if there are none."""
    if any(re.fullmatch(r"[-+]?\d*\.\d+", cell) for cell in cells):
        return "."
    comma = separator != "," and any(re.fullmatch(r"[-+]?\d+,\d+", cell) for cell in cells)
    return "," if comma else ""
