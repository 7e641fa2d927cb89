"""What the first lines of a CSV file show: its columns, and in a small file its rows and labels.

Nothing but the standard library is needed, so that a wrong table is refused before anything that
takes time is imported. What is not seen here is refused by the reader of the table, in the same
words.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from uneven.comparison.csvstyle import SAMPLE_BYTES, CsvStyle, guess_style, is_number, split_rows
from uneven.comparison.errors import InputError
from uneven.comparison.formats import AUTO, PARQUET_SUFFIXES, STANDARD_INPUT, decoded, open_source
from uneven.comparison.jsonrecords import column_names, read_records
from uneven.comparison.labelcheck import check_cells, class_names
from uneven.comparison.labelfile import LABEL, OURS
from uneven.comparison.tables import (
    check_columns,
    check_complete,
    check_copied,
    check_names,
    no_rows,
)
from uneven.comparison.workbookhead import not_on_sheet, sheet_choice, sheet_head

MOST_BYTES = 1 << 22
"""So much of a table is read to see whether a file of prices names a class that nobody has."""


@dataclass(frozen=True)
class FirstLines:
    """The beginning of a CSV file.

    Attributes
    ----------
    name : str
        What to call the file.
    text : str
    is_whole : bool
        Whether this is all of it.
    """

    name: str
    text: str
    is_whole: bool

    @classmethod
    def of(cls, path: Path, encoding: str = AUTO, most: int = SAMPLE_BYTES) -> FirstLines | None:
        """The first lines of a file; None if it is no CSV file."""
        source = open_source(path, most)
        if source.kind != "csv":
            return None
        cut = not source.is_whole
        text, _ = decoded(source.data[:most], encoding, source.name, cut=cut)
        return cls(source.name, text, source.is_whole)


def check_rows(path: Path, encoding: str = AUTO) -> None:
    """Refuse a file that is not there, or that holds a line of names alone.

    Parameters
    ----------
    path : Path
        Of other files than CSV only the existence is looked at.
    encoding : str
    """
    first = FirstLines.of(path, encoding)
    if first is None or not first.is_whole or len(first.text.strip().splitlines()) != 1:
        return
    _, rows = split_rows(first.text)
    if len(rows) == 1 and not any(is_number(cell.strip()) for cell in rows[0][1]):
        raise no_rows(first.name)


def check_header(
    path: Path,
    wanted: Mapping[str, Collection[str]],
    encoding: str = AUTO,
    sheet: str | None = None,
) -> CsvStyle | None:
    """Refuse a file that is not there, that lacks columns or a sheet, or that has no rows.

    Parameters
    ----------
    path : Path
        Of packed workbooks and large JSON files only the existence is looked at.
    wanted : mapping of str to collection of str
        For each option the columns that it names; the header line has one of the first.
    encoding : str
    sheet : str, optional
        Of a workbook.

    Returns
    -------
    CsvStyle or None
        How a CSV file is written; None for other files.
    """
    first = FirstLines.of(path, encoding)
    if first is None:
        found, choice = _other_columns(path, sheet)
        for option, given in wanted.items():
            if choice and option == "--target" and not {*given} <= {*found}:
                raise not_on_sheet(next(iter(given)), choice, found)
            check_columns(found or given, given, option)
        return None
    expected = next(iter(wanted.values()))
    style = guess_style(first.text, expected, first.name, cut=not first.is_whole)
    check_names(first.name, style.renamed, [c for given in wanted.values() for c in given])
    for option, columns in wanted.items():
        check_columns(style.names, columns, option)
    check_rows(path, encoding)
    return style


def check_model_columns(
    path: Path,
    needed: Collection[str],
    copy: Collection[str] = (),
    encoding: str = AUTO,
    sheet: str | None = None,
) -> None:
    """Refuse a table that lacks columns of a model, or those to repeat.

    Parameters
    ----------
    path : Path
    needed : collection of str
        Columns of the model.
    copy : collection of str
        Columns to repeat beside the answers.
    encoding, sheet
        As in `check_header`.
    """
    first = FirstLines.of(path, encoding)
    if first is None:
        columns: Collection[str] = _other_columns(path, sheet)[0]
    else:
        columns = guess_style(first.text, needed, first.name, cut=not first.is_whole).names
    if columns:
        check_complete(columns, needed)
        check_copied(path, columns, copy)


def _other_columns(path: Path, sheet: str | None) -> tuple[list[str], str]:
    """The columns of a file that is not CSV, none if they are not known without reading it.

    Also how a sheet of a workbook was chosen, if there is a choice that nobody made.
    """
    source = open_source(path, SAMPLE_BYTES)
    if source.kind == "json" and source.is_whole:
        return column_names(read_records(source)[0]), ""
    if source.kind == "workbook":
        head = sheet_head(source.data, source.name, sheet)
        if head is None or head.columns is None:
            return [], ""
        is_open = sheet is None and len(head.seen) > 1
        return head.columns, sheet_choice(source.name, head.chosen, head.seen) if is_open else ""
    if source.kind in ("parquet", "feather"):
        import pyarrow as pa

        try:
            return _arrow_columns(source.kind, pa.BufferReader(source.data)), ""
        except (pa.ArrowException, OSError):
            return [], ""
    return [], ""


def _arrow_columns(kind: str, file: Any) -> list[str]:
    if kind == "parquet":
        from pyarrow import parquet

        return list(parquet.read_schema(file).names)
    from pyarrow import ipc

    return list(ipc.open_file(file).schema.names)


def check_target(
    path: Path, style: CsvStyle | None, target: str, encoding: str = AUTO, *, held_out: bool = False
) -> None:
    """Refuse a small table from whose labels nothing can be learnt, see `check_cells`.

    Parameters
    ----------
    path : Path
        Files of labels, and those with a quote that is not closed, are left to the reader.
    style : CsvStyle or None
        What `check_header` found.
    target : str
        Column of the labels.
    encoding : str
    held_out : bool
        Whether rows are to be held out.
    """
    first = FirstLines.of(path, encoding)
    if style is None or first is None or not first.is_whole:
        return
    cells = _labels(first, style, target)
    if cells is not None and len(style.names) > 1:
        name = first.name if path == STANDARD_INPUT else path.name
        check_cells(cells, target, name, decimal=style.decimal, held_out=held_out)


def check_matrix_classes(
    option: str,
    matrix: Path,
    path: Path,
    style: CsvStyle | None,
    target: str,
    encoding: str = AUTO,
) -> None:
    """Refuse a file of prices or shares that names a class which no row of a table has.

    Parameters
    ----------
    option : str
        That names the file.
    matrix : Path
        The file; Parquet and JSON are left to its reader.
    path, style, target, encoding
        The table, as in `check_target`.
    """
    if matrix.suffix.lower() in (*PARQUET_SUFFIXES, ".json") or style is None:
        return
    first = FirstLines.of(path, encoding, MOST_BYTES)
    cells = None if first is None or not first.is_whole else _labels(first, style, target)
    classes = None if cells is None else class_names(cells, style.decimal)
    if classes is None:
        return
    import numpy as np

    from uneven.comparison.classmatrix import matrix_cells, refuse_unknown

    try:
        refuse_unknown(matrix_cells(matrix, encoding), np.array(classes))
    except InputError as error:
        raise InputError(f"{option} {matrix}: {error}") from error


def _labels(first: FirstLines, style: CsvStyle, target: str) -> list[str] | None:
    """The target column of a file; None for files of labels and those with an open quote."""
    is_label_file = target == LABEL and set(OURS) <= set(style.names)
    if is_label_file or first.text.count(style.quote) % 2:
        return None
    place = style.names.index(target)
    _, found = split_rows(first.text, style.separator, style.quote)
    below = [[cell.strip() for cell in row] for line, row in found if line > style.skip]
    rows = [row for row in below if row != list(style.names)]  # joined exports repeat the header
    if not rows:
        raise no_rows(first.name)
    return [row[place] if place < len(row) else "" for row in rows]
