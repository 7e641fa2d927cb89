"""Files in which people label rows: opened in a spreadsheet, filled in, read again.

Everything that a person typed is kept: labels, further columns, further rows. Only rows that wait
for a label, and in which nobody typed anything, come and go.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from uneven.atomic import replace_file
from uneven.experiments.errors import InputError, listing
from uneven.experiments.tables import check_file, guess_style

__all__ = ["CHECK", "LABEL", "OURS", "LabelFile", "read_label_file", "write_label_file"]

LABEL, CHECK = "label", "check"
OURS = (LABEL, "guess", "votes", "why", CHECK)
"""Columns that stand beside the row's name, in order."""

ENDINGS = (".csv", ".tsv", ".txt")
MARK = "\ufeff"


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
    separator, encoding : str
        How it is written.
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
    digest: str = ""

    def labels(self) -> dict[str, str]:
        """Labels by the names of the rows, in the order of the file.

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
        return found


def read_label_file(
    path: Path, key: str, *, separator: str = ",", encoding: str = "utf-8"
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
    encoding : str

    Returns
    -------
    LabelFile

    Raises
    ------
    InputError
        If the file is no table with these columns.
    """
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"--labels {path} must be a CSV file, so that it ends with .csv.")
    if not path.exists():
        return LabelFile(path, key, separator=separator, encoding=encoding)
    check_file(path)
    raw = path.read_bytes()
    text = _decoded(raw, path, encoding)
    marked = text.startswith(MARK)
    style = guess_style(text.lstrip(MARK), (key, LABEL), str(path))
    _check_header(path, style.names, key)
    rows, lines = _cells(text.lstrip(MARK), style.separator, style.names)
    return LabelFile(
        path,
        key,
        style.names,
        rows,
        lines,
        style.separator,
        "utf-8-sig" if marked else encoding,
        hashlib.sha256(raw).hexdigest(),
    )


def write_label_file(
    file: LabelFile, asked: Sequence[dict[str, str]], columns: Sequence[str]
) -> int:
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
    int
        How many rows of the file wait for a label.

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
    with replace_file(file.path) as draft:
        draft.write_bytes(_encoded(file, names, [*kept, *new]))
        _refuse_change(file)
    return len(new) + sum(not row[LABEL] for row in kept)


def _encoded(file: LabelFile, names: Sequence[str], rows: Sequence[dict[str, str]]) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(
        stream, names, restval="", delimiter=file.separator, lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(rows)
    try:
        return stream.getvalue().encode(file.encoding)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{file.path} cannot hold {error.object[error.start]!r} in {file.encoding}; save it as "
            "utf-8 and leave --encoding out."
        ) from error


def _refuse_change(file: LabelFile) -> None:
    now = hashlib.sha256(file.path.read_bytes()).hexdigest() if file.path.exists() else ""
    if now != file.digest:
        raise InputError(
            f"{file.path} was changed in the meantime and is left as it is; run the command again."
        )


def _decoded(raw: bytes, path: Path, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not {encoding} text (byte 0x{raw[error.start]:02x}); name its encoding, "
            "for example --encoding latin-1."
        ) from error
    except LookupError as error:
        raise InputError(f"unknown encoding {encoding!r}; try utf-8 or latin-1.") from error


def _check_header(path: Path, names: Sequence[str], key: str) -> None:
    missing = [name for name in (key, LABEL) if name not in names]
    if missing:
        raise InputError(
            f"{path} has no column {listing(missing)}: a file of labels has a column {key!r} that "
            f"names the rows and a column {LABEL!r}; it has {listing(names)}."
        )
    doubled = [name for name in names if list(names).count(name) > 1]
    if doubled:
        raise InputError(
            f"{path} has columns with the same name: {listing(dict.fromkeys(doubled))}."
        )


def _cells(
    text: str, separator: str, names: Sequence[str]
) -> tuple[tuple[dict[str, str], ...], tuple[int, ...]]:
    """Rows below the header that are not blank, and their lines; short rows are filled up."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    rows, lines = [], []
    for cells in reader:
        cells = [cell.strip() for cell in cells]
        if any(cells):
            cells += [""] * (len(names) - len(cells))
            rows.append(dict(zip(names, cells)))
            lines.append(reader.line_num)
    return tuple(rows[1:]), tuple(lines[1:])
