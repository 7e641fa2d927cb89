"""The cells of a CSV file as columns of text, and columns of plain numbers as numbers.

pyarrow reads well-formed files; what it refuses is read again by pandas, which forgives blanks
before quotes and empty cells at the end of a line, or says which line is broken.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from uneven.comparison.csvstyle import SAMPLE_BYTES, CsvStyle, long_cells, style_surplus
from uneven.comparison.errors import InputError
from uneven.comparison.numbers import DAY_AND_MONTH, PHONE_NUMBER
from uneven.comparison.versions import NEEDLESS, SHORT

BLANKS = (" ", "\t", "\u00a0")
_CODE = r"^[-+]?0[0-9]|^\+"
_LONGEST = 10**15
_DOUBTFUL = r"^[-+]?[1-9][0-9]{0,2}\.[0-9]{3}$"
_WITH_COMMA = r"^[-+]?[0-9]+,[0-9]+$"
_DOUBTFUL_COMMA = r"^[-+]?[1-9][0-9]{0,2},[0-9]{3}$"
NO_FRACTION = rf"(?:0?[1-9]|1[0-2])\.(?:19|20)[0-9]{{2}}|\+{PHONE_NUMBER}|0[0-9]+\.[0-9]{{5,}}"
"""Months such as ``03.2024``, and telephone numbers."""


Cells = dict[str, pa.ChunkedArray]


def text_cells(
    name: str, data: bytes, style: CsvStyle, keep: Collection[str | None] = ()
) -> tuple[Cells, list[str]]:
    """Every column as text, null where a cell is empty, and what looks odd.

    Columns whose first cells are fractions, and which hold nothing but numbers, are numbers
    already: `plain_numbers` would make the same of their text.

    Parameters
    ----------
    name : str
        What to call the file in an error.
    data : bytes
        The whole file, in UTF-8.
    style : CsvStyle
    keep : collection of str
        Columns that are to stay text.

    Raises
    ------
    InputError
        If a line has more or fewer cells than there are columns.
    """
    blank = rf"(?:^|{re.escape(style.separator)}|\n) +{style.quote}".encode()
    spaced = re.search(blank, data[:SAMPLE_BYTES])
    n_quotes = data.count(style.quote.encode())
    n_lines = data.count(b"\n") + (not data.endswith(b"\n")) if n_quotes else 0
    cells: Cells | None = None
    if not spaced and n_quotes % 2 == 0:
        fractions = [one for one in _fraction_columns(data, style) if one not in keep]
        for numbers in ([fractions] if fractions else []) + [[]]:
            cells = _one_row_per_line(data, style, numbers, n_lines) if n_quotes else None
            try:
                cells = _by_arrow(data, style, numbers, n_quotes > 0) if cells is None else cells
                break
            except pa.ArrowInvalid:
                cells = None
    cells = _by_pandas(name, data, style) if cells is None else cells
    notes = _swallowed_lines(name, cells, style, n_lines) if n_quotes else []
    cells, repeated = _without_headers(cells) if style.has_header else (cells, 0)
    if repeated:
        notes.append(f"{name} repeats its header in {repeated} lines, which are left out.")
    return cells, notes


MOST_LINES_BELOW = 5
TOTAL = re.compile(
    r"\W*(?:grand |sub ?)?(?:totals?|sum|summe|gesamt|insgesamt|average|mean|mittelwert)\W*",
    re.IGNORECASE,
)


def without_footer(data: bytes, style: CsvStyle) -> tuple[bytes, list[str]]:
    """A file without the lines below its rows: totals, remarks, counts of rows, rulers.

    A line of a single cell in a table of several columns, or one that names a total where the
    cells above do not, is no row; nor are lines below an empty row that fill the first cell alone.

    Parameters
    ----------
    data : bytes
        The whole file, in UTF-8.
    style : CsvStyle

    Returns
    -------
    data : bytes
    lines : list of str
        How the lines begin that were left out.
    """
    end, left_out = _above_remarks(data, _end_of_text(data, len(data)), style)
    while len(style.names) > 1 and len(left_out) < MOST_LINES_BELOW:
        begin = max(data.rfind(b"\n", 0, end), data.rfind(b"\r", 0, end)) + 1
        line = data[begin:end].decode(errors="replace").strip()
        if begin < SAMPLE_BYTES and data[:begin].count(b"\n") < style.skip + 1:
            break
        if not _is_below(line, data[max(0, begin - SAMPLE_BYTES) : begin], style):
            break
        left_out.insert(0, line[:30])
        end = _end_of_text(data, begin)
    return (data[:end] + b"\n" if left_out else data), left_out


def _above_remarks(data: bytes, end: int, style: CsvStyle) -> tuple[int, list[str]]:
    """Where the rows end if an empty row and lines that fill the first cell alone follow."""
    lines, begin = list[str](), end
    while len(style.names) > 2 and len(lines) < MOST_LINES_BELOW:
        stop = begin if not lines else begin - 1 - (data[begin - 2 : begin] == b"\r\n")
        begin = max(data.rfind(b"\n", 0, stop), data.rfind(b"\r", 0, stop)) + 1
        line = data[begin:stop].decode(errors="replace").strip()
        first = line.rstrip(f"{style.separator} ")
        if begin == 0 or style.separator in first or style.quote in first:
            break
        if not first and lines:
            is_below = data[:begin].count(b"\n") > style.skip
            return (_end_of_text(data, begin), lines) if is_below else (end, [])
        lines.insert(0, first[:30])
    return end, []


def _end_of_text(data: bytes, end: int) -> int:
    tail = data[max(0, end - 4096) : end]
    return end - len(tail) + len(tail.rstrip())


def _is_below(line: str, above: bytes, style: CsvStyle) -> bool:
    if not re.search(r"[^\W_]", line):
        return bool(line.strip(style.separator + " "))
    if line.count(style.quote) % 2 or above.count(style.quote.encode()) % 2:
        return False  # a cell over several lines
    row = next(csv.reader([line], delimiter=style.separator, quotechar=style.quote))
    if len(row) == 1:
        return line.startswith("#") or re.search(r"[^\W\d_]{2}", line) is not None
    if line.startswith("#") and len(row) < len(style.names):
        return True  # a row may begin with #1001
    if len(row) < len(style.names) and re.match(r"[^\W\d_]+:", line):
        return True  # Source: our own survey, 2024
    totals = [cell.strip() for cell in row if TOTAL.fullmatch(cell)]
    return bool(totals) and totals[0].encode() not in above


def _without_headers(cells: Cells) -> tuple[Cells, int]:
    """Leave lines out that repeat the header, as in exports that were joined."""
    names = list(cells)
    if any(column.type != pa.string() for column in cells.values()):
        return cells, 0  # a header among numbers is no number
    where = pc.equal(cells[names[0]], names[0])
    if len(names) < 2 or not pc.any(where).as_py():
        return cells, 0
    for name in names[1:]:
        where = pc.and_(where, pc.fill_null(pc.equal(cells[name], name), False))
    where = pc.fill_null(where, False)
    kept = pc.invert(where)
    return {name: column.filter(kept) for name, column in cells.items()}, int(pc.sum(where).as_py())


def _swallowed_lines(name: str, cells: Cells, style: CsvStyle, n_lines: int) -> list[str]:
    """Point out cells over several lines that hold as many separators as whole rows would."""
    if n_lines <= _n_rows(cells) + style.skip:
        return []
    for column, values in cells.items():
        if values.type != pa.string():
            continue
        long = values.filter(pc.fill_null(pc.match_substring(values, "\n"), False))
        for cell in long.to_pylist():
            rows = cell.count("\n")
            if len(cells) > 2 and cell.count(style.separator) == rows * (len(cells) - 1):
                return [
                    f"{name}: a cell of column {column!r} goes over {rows + 1} lines and begins "
                    f"with {cell[:30]!r}; is a quote not closed?"
                ]
    return []


def _fraction_columns(data: bytes, style: CsvStyle) -> list[str]:
    """Columns whose first cells are numbers with a decimal point that groups no thousands."""
    if style.decimal != "." or len(data) < SAMPLE_BYTES:
        return []
    head = data[: data.rfind(b"\n", 0, SAMPLE_BYTES) + 1]
    try:
        cells = _by_arrow(head, style)
    except pa.ArrowInvalid:
        return []
    return [name for name, column in cells.items() if _are_fractions(column)]


def _are_fractions(column: pa.ChunkedArray) -> bool:
    filled = column.drop_null()
    if not len(filled) or not _all(filled, r"^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]+)?$"):
        return False
    marked = filled.filter(pc.match_substring(filled, "."))
    told = bool(len(marked)) and not _all(marked, _DOUBTFUL)
    return told and not _hides_versions(filled) and not _all_from_first(marked, NO_FRACTION)


def _one_row_per_line(
    data: bytes, style: CsvStyle, numbers: Collection[str], n_lines: int
) -> Cells | None:
    """The cells of a file with quotes if none goes over several lines, which is quicker.

    Where a cell does, pyarrow finds fewer rows than lines or refuses the file.
    """
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return None  # lines may end in another way
    head = data[: data.rfind(b"\n", 0, SAMPLE_BYTES) + 1]
    for some, n in ((head, head.count(b"\n")), (data, n_lines)):
        try:
            cells = _by_arrow(some, style, numbers, quoted=False)
        except pa.ArrowInvalid:
            return None
        if n != _n_rows(cells) + style.skip:
            return None
    return cells


def _n_rows(cells: Cells) -> int:
    return len(next(iter(cells.values())))


def _by_arrow(
    data: bytes, style: CsvStyle, numbers: Collection[str] = (), quoted: bool = True
) -> Cells:
    names = list(style.names)
    table = arrow_csv.read_csv(
        pa.BufferReader(data),
        read_options=arrow_csv.ReadOptions(
            column_names=names, skip_rows=style.skip, use_threads=True
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=style.separator,
            quote_char=style.quote,
            newlines_in_values=quoted,
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types={one: pa.float64() if one in numbers else pa.string() for one in names},
            strings_can_be_null=True,
            null_values=[""],
        ),
    )
    signs = [one for one in BLANKS if one.isascii()] if data.isascii() else BLANKS
    blanks = [sign for sign in signs if sign.encode() in data and sign != style.separator]
    cells = {one: table[one] if one in numbers else _trimmed(table[one], blanks) for one in names}
    if b"=" + 2 * style.quote.encode() in data or b"=" + style.quote.encode() in data:
        cells = {one: _without_formula(column) for one, column in cells.items()}
    return cells


def _by_pandas(name: str, data: bytes, style: CsvStyle) -> Cells:
    try:
        frame = pd.read_csv(
            io.BytesIO(data),
            sep=style.separator,
            quotechar=style.quote,
            names=list(style.names),
            header=None,
            skiprows=style.skip,
            index_col=False,
            dtype=str,
            skipinitialspace=True,
            keep_default_na=False,
            na_values=[""],
            on_bad_lines="error",
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        if isinstance(error, pd.errors.EmptyDataError):
            raise InputError(f"{name} has column names but no rows.") from error
        reason = str(error).splitlines()[0].rstrip(". ")
        reason = reason.removeprefix("Error tokenizing data. C error: ")
        raise InputError(f"{name} is a broken CSV file: {reason}.") from error
    if frame.iloc[:, -1].hasnans:
        _refuse_short_rows(name, data.decode(), style)
    return {
        column: _trimmed(pa.chunked_array([pa.array(frame[column], pa.string(), from_pandas=True)]))
        for column in style.names
    }


def _trimmed(column: pa.ChunkedArray, blanks: Iterable[str] = BLANKS) -> pa.ChunkedArray:
    """Without blanks around cells; blank cells are null."""
    ends = (
        pc.any(at_end(column, sign)).as_py()
        for sign in blanks
        for at_end in (pc.starts_with, pc.ends_with)
    )
    if not any(ends):
        return column
    trimmed = pc.utf8_trim_whitespace(column)
    return pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.string()), trimmed)


def _without_formula(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The text in cells such as ``="01067"``, by which a spreadsheet keeps zeros in front."""
    if column.type != pa.string() or not pc.any(pc.starts_with(column, '="')).as_py():
        return column
    return pc.replace_substring_regex(column, '^="(.*)"$', r"\1")


def plain_numbers(column: pa.ChunkedArray, decimal: str = ".") -> pd.Series:
    """A column of plain numbers as numbers; any other as text.

    Codes with zeros in front, numbers too long for a float, and columns in which a mark could
    group thousands stay text.

    Parameters
    ----------
    column : ChunkedArray of shape (n,)
        Text, null where a cell is empty.
    decimal : str
        Decimal mark of the file.

    Returns
    -------
    Series of shape (n,)

    Examples
    --------
    >>> plain_numbers(pa.chunked_array([["1.5", None, "2"]])).tolist()
    [1.5, nan, 2.0]
    >>> plain_numbers(pa.chunked_array([["01067", "10115"]])).tolist()
    ['01067', '10115']
    """
    if column.type == pa.float64():
        return pd.Series(column.to_pandas())
    cells = column
    if decimal == "," and _all(column, rf"{_WITH_COMMA}|^[-+]?[0-9]+$"):
        marked = column.filter(pc.match_substring_regex(column, ","))
        if len(marked) and not _all(marked, _DOUBTFUL_COMMA):
            cells = pc.replace_substring(column, ",", ".")
    for kind in (pa.int64(), pa.float64()):
        try:
            numbers = pc.cast(cells, kind)
        except pa.ArrowInvalid:
            continue
        if numbers.null_count == len(numbers):
            return pd.Series([float("nan")] * len(column))
        if kind == pa.int64():
            hidden = _hides_code(cells, numbers)
        else:
            codes = pc.any(pc.match_substring_regex(cells, "^[0-9]+E[0-9]+$")).as_py()
            hidden = codes or _hides_thousands(cells) or _hides_versions(cells)
            hidden = hidden or _all_from_first(cells, NO_FRACTION) or _hides_days(cells)
        hidden = hidden or _is_only_mark(numbers)
        return pd.Series(as_series(column) if hidden else numbers.to_pandas())
    return as_series(column)


def _hides_code(cells: pa.ChunkedArray, numbers: pa.ChunkedArray) -> bool:
    """Whether whole numbers have zeros or a plus in front, or too many digits for a float."""
    ends = pc.min_max(numbers).as_py()
    if max(-ends["min"], ends["max"]) >= _LONGEST:
        return True
    if pc.sum(pc.binary_length(cells)).as_py() == _shortest_length(numbers):
        return False
    begins = (pc.fill_null(pc.starts_with(cells, sign), False) for sign in ("0", "-0", "+"))
    return any(
        pc.any(pc.match_substring_regex(cells.filter(one), _CODE)).as_py() is True for one in begins
    )


def _shortest_length(numbers: pa.ChunkedArray) -> int:
    """How many signs whole numbers take if nothing stands in front but a minus."""
    whole = numbers.drop_null().to_numpy()
    size = np.abs(whole)
    powers = (10**k for k in range(1, len(str(size.max()))))
    return len(whole) + int((whole < 0).sum()) + sum(int((size >= ten).sum()) for ten in powers)


def _hides_thousands(cells: pa.ChunkedArray) -> bool:
    """Whether the points of all numbers could group thousands; the first cells mostly tell."""
    for some in (cells.slice(0, 1000), cells):
        marked = some.filter(pc.fill_null(pc.match_substring(some, "."), False))
        if len(marked) and not _all(marked, _DOUBTFUL):
            return False
    return bool(len(marked))


def _is_only_mark(numbers: pa.ChunkedArray) -> bool:
    """Whether cells hold one number or nothing."""
    ends = pc.min_max(numbers).as_py()
    return numbers.null_count > 0 and ends["min"] == ends["max"]


def _hides_versions(cells: pa.ChunkedArray) -> bool:
    """Whether ``1.10`` stands beside ``1.9``, so that it may not be 1.1."""
    both = (pc.match_substring_regex(cells, f"^{kind}$") for kind in (NEEDLESS, SHORT))
    return all(pc.any(found).as_py() is True for found in both)


def _hides_days(cells: pa.ChunkedArray) -> bool:
    """Whether all numbers could be days and months, some with a zero in front."""
    found = _all_from_first(cells, DAY_AND_MONTH)
    return found and pc.any(pc.match_substring_regex(cells, r"^0")).as_py() is True


def _all_from_first(cells: pa.ChunkedArray, pattern: str) -> bool:
    """Whether all cells follow a pattern; the first ones mostly tell."""
    return all(_all(some, f"^(?:{pattern})$") for some in (cells.slice(0, 1000), cells))


def _all(cells: pa.ChunkedArray, pattern: str) -> bool:
    return pc.all(pc.match_substring_regex(cells, pattern)).as_py() is not False


def has_points(column: pa.ChunkedArray) -> bool:
    """Whether cells hold a point."""
    return column.type == pa.float64() or pc.any(pc.match_substring(column, ".")).as_py() is True


def as_series(column: pa.ChunkedArray, decimal: str = ".") -> pd.Series:
    """A column of text as it is."""
    return pd.Series(column.to_pandas())


def _refuse_short_rows(name: str, text: str, style: CsvStyle) -> None:
    """Name the first line with fewer cells than there are columns; pandas would fill it up."""
    width = len(style.names) - style_surplus(style)
    with long_cells():
        lines = io.StringIO(text, newline="")
        reader = csv.reader(
            lines, delimiter=style.separator, quotechar=style.quote, skipinitialspace=True
        )
        for row in reader:
            if reader.line_num <= style.skip:
                continue
            if len(row) < width and any(cell.strip() for cell in row):
                raise InputError(
                    f"{name} is a broken CSV file: line {reader.line_num} has {len(row)} "
                    f"field{'s' * (len(row) > 1)}, the first line has {width}; "
                    "write a separator for each empty cell."
                )
