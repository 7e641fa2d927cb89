"""What the first lines of a CSV file show: its columns, and in a small file its rows and labels.

Nothing but the standard library is needed, so that a wrong table is refused before anything that
takes time is imported. What is not seen here is refused by the reader of the table, in the same
words.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from uneven.comparison.csvstyle import SAMPLE_BYTES, CsvStyle, guess_style, is_number, split_rows
from uneven.comparison.formats import AUTO, STANDARD_INPUT, decoded, open_source
from uneven.comparison.jsonrecords import column_names, read_records
from uneven.comparison.labelcheck import check_cells
from uneven.comparison.labelfile import LABEL, OURS
from uneven.comparison.tables import check_columns, check_names, no_rows


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
    def of(cls, path: Path, encoding: str = AUTO) -> FirstLines | None:
        """The first lines of a file; None if it is no CSV file."""
        source = open_source(path, SAMPLE_BYTES)
        if source.kind != "csv":
            return None
        cut = not source.is_whole
        text, _ = decoded(source.data[:SAMPLE_BYTES], encoding, source.name, cut=cut)
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
    path: Path, wanted: Mapping[str, Collection[str]], encoding: str = AUTO
) -> CsvStyle | None:
    """Refuse a file that is not there, that lacks columns, or that has no rows.

    Parameters
    ----------
    path : Path
        Of workbooks and Feather files only the existence is looked at.
    wanted : mapping of str to collection of str
        For each option the columns that it names; the header line has one of the first.
    encoding : str

    Returns
    -------
    CsvStyle or None
        How a CSV file is written; None for other files.
    """
    first = FirstLines.of(path, encoding)
    if first is None:
        found = _other_columns(path)
        for option, given in wanted.items():
            check_columns(found or given, given, option)
        return None
    expected = next(iter(wanted.values()))
    style = guess_style(first.text, expected, first.name, cut=not first.is_whole)
    check_names(first.name, style.renamed, [c for given in wanted.values() for c in given])
    for option, columns in wanted.items():
        check_columns(style.names, columns, option)
    check_rows(path, encoding)
    return style


def _other_columns(path: Path) -> list[str]:
    """The columns of a small JSON file or of a Parquet file; none if they are not known."""
    source = open_source(path, SAMPLE_BYTES)
    if source.kind == "json" and source.is_whole:
        return column_names(read_records(source)[0])
    if source.kind == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        try:
            return list(parquet.read_schema(pa.BufferReader(source.data)).names)
        except (pa.ArrowException, OSError):
            return []
    return []


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
    is_label_file = target == LABEL and set(OURS) <= set(style.names)
    if is_label_file or first.text.count(style.quote) % 2:
        return
    place = style.names.index(target)
    _, found = split_rows(first.text, style.separator, style.quote)
    below = [[cell.strip() for cell in row] for line, row in found if line > style.skip]
    rows = [row for row in below if row != list(style.names)]  # joined exports repeat the header
    if not rows:
        raise no_rows(first.name)
    if len(style.names) > 1:
        cells = [row[place] if place < len(row) else "" for row in rows]
        name = first.name if path == STANDARD_INPUT else path.name
        check_cells(cells, target, name, decimal=style.decimal, held_out=held_out)
