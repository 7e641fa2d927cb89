"""Tables from files: CSV with any usual separator, Parquet, Feather, workbooks, JSON lines.

How a CSV file is written is found by looking at its first lines, for which nothing but the
standard library is needed; the whole file is then read once. pyarrow's parser reads all cells as
text, so that nothing is lost (zeros in front of a code, a thousands point); columns of plain
numbers are then cast. What a column of text holds is left to `uneven.comparison.reading`.

Looked at before this was written: the sniffer of the ``csv`` module, which
``pandas.read_csv(sep=None)`` asks, takes ``1,5;2,5`` apart at its commas; pyarrow and polars must
be told the separator; none of them looks for the encoding, for lines above the header, or for a
decimal mark. Type inference of pandas, pyarrow and polars turns ``01067`` into 1067 before anyone
can see it.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uneven.comparison.errors import InputError
from uneven.comparison.formats import AUTO as AUTO
from uneven.comparison.formats import (
    DAMAGED,
    STANDARD_INPUT,
    Source,
    decoded,
    open_source,
    source_name,
)
from uneven.comparison.formats import PARQUET_SUFFIXES as PARQUET_SUFFIXES
from uneven.comparison.formats import check_file as check_file
from uneven.utils.registry import closest, listing

if TYPE_CHECKING:
    import pandas as pd


SEPARATORS = (",", ";", "\t", "|")
SAMPLE_BYTES = 1 << 18
LONGEST_CELL = (1 << 31) - 1
MOST_LINES_ABOVE = 20
MATRIX_SUFFIXES = ("", ".csv", ".json", ".tsv", ".txt", *PARQUET_SUFFIXES)
READ = "uneven"
"""Key of what is known about the file, in the attributes of a frame."""


@dataclass(frozen=True)
class CsvStyle:
    """How a CSV file is written.

    Attributes
    ----------
    separator : str
        One character.
    decimal : str
        ``"."`` or ``","``.
    names : tuple of str
        Column names: the header line, or ``column_1 …`` where there is none.
    has_header : bool
        Whether there is a line that holds the names.
    skip : int
        Lines above the first row, the header among them.
    above : int
        Lines above the header that belong to no row, such as a title.
    """

    separator: str
    decimal: str
    names: tuple[str, ...]
    has_header: bool
    skip: int = 1
    above: int = 0


def file_digest(path: str | Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    if Path(path) == STANDARD_INPUT:
        return hashlib.sha256(open_source(path).data).hexdigest()
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_table(
    path: str | Path,
    *,
    expected: Collection[str] = (),
    text_columns: Collection[str] = (),
    label: str | None = None,
    encoding: str = AUTO,
    sheet: str | None = None,
    separator: str | None = None,
) -> pd.DataFrame:
    """Read a table from a file.

    Parameters
    ----------
    path : str or Path
        CSV with any usual separator, Parquet, Feather, Excel (.xlsx) or JSON lines, also packed
        (gzip, zip, zstandard, bzip2, xz); ``-`` is standard input. The content decides, not the
        ending of the name.
    expected : collection of str
        Names one of which is in the header line, if there is a header line.
    text_columns : collection of str
        Columns to keep as text even if they look like numbers.
    label : str, optional
        Column of class labels: its numbers are kept without rounding, and only an empty cell of
        a CSV file is missing.
    encoding : str
        Encoding of a text file; ``"auto"`` finds it out.
    sheet : str, optional
        Which sheet of a workbook; the first by default.
    separator : str, optional
        What stands between the cells of a text file; found out by default.

    Returns
    -------
    DataFrame of shape (n_rows, n_columns)
        With text column names. Columns of plain numbers are numbers, other columns of text files
        are text. Its ``attrs["uneven"]`` tell how the file is written.

    Raises
    ------
    InputError
        If the file is missing, empty, broken or not a table.
    """
    source = open_source(path)
    if source.kind == "csv":
        frame, read = _read_csv(source, expected, text_columns, label, encoding, separator)
    else:
        from uneven.comparison.binarytables import READERS

        frame, read = READERS[source.kind](source, sheet)
        _check_names(source.name, [str(name) for name in frame.columns])
        frame.columns = frame.columns.map(str)
    if sheet is not None and source.kind != "workbook":
        raise InputError(f"--sheet {sheet!r}: {source.name} is no workbook and has no sheets.")
    if frame.shape[0] == 0:
        raise InputError(f"{source.name} has column names but no rows.")
    frame.attrs[READ] = {**read, "notes": [*source.notes, *read.get("notes", ())]}
    return frame


def read_cells(path: str | Path, encoding: str = AUTO) -> list[list[str]]:
    """Read the cells of a small CSV file as text, without deciding which line is a header.

    Parameters
    ----------
    path : str or Path
        With any usual separator; it may be packed.
    encoding : str
        Encoding of the file.

    Returns
    -------
    list of list of str
        Lines that are not blank; a decimal comma is turned into a point.

    Raises
    ------
    InputError
        If the file is missing, empty or not text.
    """
    source = open_source(path)
    text, _ = decoded(source.data, encoding, source.name)
    separator, rows = _split(text)
    if not rows:
        raise InputError(f"{path} holds only blank lines.")
    comma = _decimal(separator, [cell for _, row in rows for cell in row]) == ","
    return [
        [cell.replace(",", ".") if comma and _is_number(cell) else cell for cell in cells]
        for cells in ([cell.strip() for cell in row] for _, row in rows)
    ]


def _read_csv(
    source: Source,
    expected: Collection[str],
    text_columns: Collection[str],
    label: str | None,
    encoding: str,
    separator: str | None,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    import pandas as pd

    from uneven.comparison.classlabels import exact_numbers
    from uneven.comparison.csvcells import as_series, plain_numbers, text_cells

    data, text, found, damaged = _utf_8(source, encoding)
    cut = len(data) > SAMPLE_BYTES
    style = guess_style(text[:SAMPLE_BYTES], expected, source.name, cut=cut, separator=separator)
    _check_names(source.name, style.names)
    del text
    keep = {*text_columns, label}
    cells, odd = text_cells(source.name, data.removeprefix(codecs.BOM_UTF8), style, keep)
    del data
    if damaged:
        odd.append(f"{source.name} holds {damaged} damaged letters.")
    frame = pd.DataFrame(
        {
            name: (plain_numbers if name not in keep else as_series)(cells.pop(name), style.decimal)
            for name in list(cells)
        }
    )
    if label in frame:
        frame[label] = exact_numbers(frame[label], style.decimal)
    unnamed = style.names[len(style.names) - style_surplus(style) :]
    frame = frame.drop(columns=[name for name in unnamed if frame[name].isna().all()])
    read = _how_written(source.name, style, found)
    return frame, {**read, "notes": [*read["notes"], *odd]}


def _utf_8(source: Source, encoding: str) -> tuple[bytes, str, str, int]:
    """A file in UTF-8, its beginning as text, its encoding, and how many letters are damaged."""
    plain = encoding.lower() in (AUTO, "utf-8", "utf-8-sig", "ascii")
    if plain and source.data.isascii() and b"\x00" not in source.data:
        return source.data, source.data[: SAMPLE_BYTES + 1].decode(), "utf-8-sig", 0
    text, found = decoded(source.data, encoding, source.name)
    damaged = text.count(DAMAGED)
    whole = found == "utf-8-sig" and not damaged
    return source.data if whole else text.encode(), text, found, damaged


def style_surplus(style: CsvStyle) -> int:
    """How many columns at the end have no name of their own."""
    count = 0
    for number, name in reversed(list(enumerate(style.names, start=1))):
        if not style.has_header or name != f"column_{number}":
            break
        count += 1
    return count


def _how_written(name: str, style: CsvStyle, encoding: str) -> dict[str, Any]:
    """What was found about a text file, and one line about it unless it is the usual."""
    encoding = encoding.removesuffix("-sig")
    words = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
    told = []
    if style.separator != "," and not name.lower().endswith(".tsv"):
        told.append(f"{words[style.separator]} between cells")
    if encoding != "utf-8":
        told.append(f"encoding {encoding} (--encoding to change it)")
    if style.decimal == ",":
        told.append("decimal commas")
    if style.above:
        told.append(f"{style.above} line{'s' * (style.above > 1)} above the header left out")
    return {
        "format": "csv",
        "separator": style.separator,
        "encoding": encoding,
        "decimal": style.decimal,
        "header": style.has_header,
        "notes": [f"{name} is read with {', '.join(told)}."] if told else [],
    }


def check_columns(columns: Collection[str], names: Collection[str], option: str) -> None:
    """Refuse names that no column of a table has."""
    for name in names:
        if name not in columns:
            raise InputError(
                f"{option} {name!r} is not a column of the table; {closest(name, columns)}"
                f"the columns are {listing(columns)}."
            )


def check_header(path: Path, wanted: Mapping[str, Collection[str]], encoding: str = AUTO) -> None:
    """Refuse a file that is not there, or whose first line lacks columns.

    Parameters
    ----------
    path : Path
        Of other files than CSV only the existence is looked at.
    wanted : mapping of str to collection of str
        For each option the columns that it names; the header line has one of the first.
    encoding : str
    """
    source = open_source(path, SAMPLE_BYTES)
    if source.kind != "csv":
        return
    names = table_style(path, next(iter(wanted.values())), encoding).names
    _check_names(source.name, names)
    for option, columns in wanted.items():
        check_columns(names, columns, option)


def check_ending(path: Path) -> None:
    """Refuse a file whose ending promises a format that is not written."""
    if path.suffix.lower() not in MATRIX_SUFFIXES:
        raise InputError(
            f"--out {path}: {path.suffix} files are not written; end the name with .csv, .tsv, "
            ".json or .parquet."
        )


def table_style(path: str | Path, expected: Collection[str] = (), encoding: str = AUTO) -> CsvStyle:
    """How a CSV file is written, see `guess_style`.

    Parameters
    ----------
    path : str or Path
    expected : collection of str
        Names one of which is in the header line, if there is one.
    encoding : str
    """
    source = open_source(path, SAMPLE_BYTES)
    cut = len(source.data) >= SAMPLE_BYTES
    text, _ = decoded(source.data[:SAMPLE_BYTES], encoding, source_name(Path(path)), cut=cut)
    return guess_style(text, expected, source.name, cut=cut)


def guess_style(
    text: str,
    expected: Collection[str] = (),
    name: str = "table",
    *,
    cut: bool = False,
    separator: str | None = None,
) -> CsvStyle:
    r"""Find separator, decimal mark and header of a CSV from its first lines.

    Parameters
    ----------
    text : str
        First lines.
    expected : collection of str
        Names one of which is in the header line, if there is one.
    name : str
        What to call the file in an error.
    cut : bool
        Whether the last line may be cut.
    separator : str, optional
        Found out by default.

    Returns
    -------
    CsvStyle
        What was found.

    Examples
    --------
    >>> style = guess_style("size;kind\n1,5;a\n2,5;b\n")
    >>> style.separator, style.decimal, style.names
    (';', ',', ('size', 'kind'))
    >>> guess_style("5.1,3.5,setosa\n4.9,3.0,setosa\n").names
    ('column_1', 'column_2', 'column_3')
    """
    end = max(text.rfind("\n"), text.rfind("\r")) + 1
    separator, rows = _split((text[:end] or text) if cut else text, separator)
    if not rows:
        raise InputError(f"{name} holds only blank lines.")
    begin = _first_row(rows, expected)
    width = len(rows[begin][1])
    further = [row for _, row in rows[begin + 1 :]]
    for (line, _), row in zip(rows[begin + 1 :], further):
        if len(row) > width and any(cell.strip() for cell in row[width:]):
            raise InputError(
                f"{name} is a broken CSV file: row {line} has {len(row)} fields, "
                f"the first line has {width}."
            )
    first = [cell.strip() for cell in rows[begin][1]]
    has_header = bool(set(first) & set(expected)) or not any(map(_is_number, first))
    surplus = max(map(len, further), default=width) - width if has_header else 0
    names = [
        cell if has_header and cell else f"column_{j}" for j, cell in enumerate(first, start=1)
    ]
    names += [f"column_{width + j}" for j in range(1, surplus + 1)]
    skip = rows[begin][0] if has_header else (rows[begin - 1][0] if begin else 0)
    cells = [cell for row in further for cell in row]
    return CsvStyle(separator, _decimal(separator, cells), tuple(names), has_header, skip, begin)


def _first_row(rows: list[tuple[int, list[str]]], expected: Collection[str]) -> int:
    """Where the header or the first row is: below titles, which are shorter than the rows."""
    for place, (_, row) in enumerate(rows[:MOST_LINES_ABOVE]):
        if {cell.strip() for cell in row} & set(expected):
            return place
    width = _usual_width([row for _, row in rows])
    for place, (_, row) in enumerate(rows[:MOST_LINES_ABOVE]):
        filled = sum(bool(cell.strip()) for cell in row)
        titled = bool(row and row[0].strip())  # a header may lack names, but a title begins
        if width <= 2 or filled > max(1, width // 2) or not titled:
            return place if len(row) >= width or place == 0 or filled >= width - 1 else 0
    return 0


def _usual_width(rows: list[list[str]]) -> int:
    counts = Counter(map(len, rows))
    return max(counts, key=lambda width: (counts[width], width), default=0)


def _decimal(separator: str, cells: Collection[str]) -> str:
    comma = separator != "," and _any_match(
        r"[-+]?(\d+|\d{1,3}(\.\d{3})+),(\d{1,2}|\d{4,})|[-+]?0,\d+", cells
    )
    return "," if comma and not _any_match(r"[-+]?\d*\.(\d{1,2}|\d{4,})", cells) else "."


def _split(text: str, given: str | None = None) -> tuple[str, list[tuple[int, list[str]]]]:
    """Cut the lines at the separator that gives the most, equally long, rows.

    Each row comes with the number of its last line. A first line ``sep=;`` is believed.
    """
    hint = re.match(r'"?sep=([,;\t|])"?[,;\t|]*\r?\n', text, flags=re.IGNORECASE)
    best = (-1.0, SEPARATORS[0], list[tuple[int, list[str]]]())
    for separator in [given or hint.group(1)] if given or hint else SEPARATORS:  # type: ignore[union-attr]
        lines = io.StringIO(text, newline=None)
        reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
        try:
            with long_cells():
                found = [(reader.line_num, row) for row in reader]
        except csv.Error:
            continue
        rows = [(line, row) for line, row in found if any(cell.strip() for cell in row)]
        rows = rows[1:] if hint else rows
        width = _usual_width([row for _, row in rows])
        agreement = sum(len(row) == width for _, row in rows) / max(len(rows), 1)
        quality = agreement + _clean_share(separator, rows) + 1.0 if width > 1 else 0.0
        if quality > best[0]:
            best = (quality, separator, rows)
    at_blanks = _rows_at_blanks(text) if given == " " or (best[0] <= 0.0 and not hint) else []
    return (" ", at_blanks) if at_blanks else best[1:]


def _rows_at_blanks(text: str) -> list[tuple[int, list[str]]]:
    """Rows of a table whose cells stand between blanks; none if they are not all equally long."""
    lines = enumerate(io.StringIO(text, newline=None), start=1)
    rows = [(number, line.split()) for number, line in lines if line.strip()]
    widths = {len(row) for _, row in rows}
    return (
        rows if len(rows) > 2 and len(widths) == 1 and min(widths) > 2 and '"' not in text else []
    )


def _clean_share(separator: str, rows: list[tuple[int, list[str]]]) -> float:
    """Share of the cells that hold no other separator, unless it is a mark of a number."""
    others = "".join(sign for sign in SEPARATORS if sign != separator)
    cells = [cell for _, row in rows[:200] for cell in row]
    clean = [not any(s in cell for s in others) or _is_number(cell.strip()) for cell in cells]
    return sum(clean) / max(len(clean), 1)


@contextmanager
def long_cells() -> Iterator[None]:
    """Let the csv module read cells of any length for a while."""
    usual = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def _any_match(pattern: str, cells: Iterable[str]) -> bool:
    whole = re.compile(pattern)
    return any(whole.fullmatch(cell.strip()) for cell in cells)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[-+]?(\d{1,3}(\.\d{3})+,)?\d*[.,]?\d+([eE][-+]?\d+)?", cell) is not None


def _check_names(path: str | Path, names: Iterable[str]) -> None:
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise InputError(f"{path} has columns with the same name: {listing(doubled)}; rename them.")
