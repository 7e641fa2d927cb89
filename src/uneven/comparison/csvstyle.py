"""How a CSV file is written: separator, quotes, decimal mark, header, lines around the table.

All is found by looking at its first lines, for which nothing but the standard library is needed.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from uneven.comparison.errors import InputError
from uneven.comparison.marks import MISSING_MARKS

SEPARATORS = (",", ";", "\t", "|")
RARE_SEPARATORS = ("~", "^", ":", "\x01")
"""Only where all lines agree and no usual separator is found."""

UNSEEN = "\ufeff\u200b\u200e\u200f\u2060"
"""Signs around names that nobody sees."""

SAMPLE_BYTES = 1 << 18
LONGEST_CELL = (1 << 31) - 1
MOST_LINES_ABOVE = 20


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
    quote : str
        What stands around cells that hold a separator.
    renamed : tuple of str
        Names that occur twice; the later ones are numbered.
    merged : bool
        Whether the names stand in two lines, the upper ones over several columns.
    below : int
        Lines below the header that are no rows, such as units.
    """

    separator: str
    decimal: str
    names: tuple[str, ...]
    has_header: bool
    skip: int = 1
    above: int = 0
    quote: str = '"'
    renamed: tuple[str, ...] = ()
    merged: bool = False
    below: int = 0


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
    text = (text[:end] or text) if cut else text
    quote = find_quote(text)
    separator, rows = split_rows(text, separator, quote, expected)
    if not rows:
        raise InputError(f"{name} holds only blank lines.")
    begin = _first_row(rows, expected)
    width = len(rows[begin][1])
    further = [row for _, row in rows[begin + 1 :]]
    if _lacks_a_name(text, rows[begin:], quote):
        rows[begin][1].insert(0, "")
        width += 1
    for (line, _), row in zip(rows[begin + 1 :], further):
        if len(row) > width and any(cell.strip() for cell in row[width:]):
            raise InputError(
                f"{name} is a broken CSV file: row {line} has {len(row)} fields, "
                f"the first line has {width}."
            )
    first = [cell.strip().strip(UNSEEN).strip() for cell in rows[begin][1]]
    has_header = bool(set(first) & set(expected)) or _are_names(first, further)
    surplus = max(map(len, further), default=width) - width if has_header else 0
    merged = has_header and not surplus and is_second_header(first, further)
    if merged:
        first = merged_names(first, further.pop(0), expected)
        begin += 1
    below = n_below_header(further) if has_header else 0
    further = further[below:]
    names = [
        cell if has_header and cell else f"column_{j}" for j, cell in enumerate(first, start=1)
    ]
    names += [f"column_{width + j}" for j in range(1, surplus + 1)]
    names, renamed = different_names(names)
    skip = rows[begin + below][0] if has_header else (rows[begin - 1][0] if begin else 0)
    cells = [cell for row in further for cell in row]
    return CsvStyle(
        separator,
        decimal_mark(separator, cells),
        tuple(names),
        has_header,
        skip,
        begin - merged,
        quote,
        tuple(renamed),
        merged,
        below,
    )


def _are_names(first: Sequence[str], further: Sequence[Sequence[str]]) -> bool:
    """Whether no cell is a number, or words stand above numbers as in ``2019,2020,rate``."""
    if not any(map(is_number, first)):
        return True
    for j, cell in enumerate(first):
        if not re.search(r"[^\W\d_]{2}", cell) or cell.lower() in MISSING_MARKS:
            continue
        below = [row[j].strip() for row in further[:100] if j < len(row)]
        filled = [other for other in below if other]
        if len(filled) > 2 and all(map(is_number, filled)):
            return True
    return False


def _lacks_a_name(text: str, rows: Sequence[tuple[int, list[str]]], quote: str) -> bool:
    """Whether the column of row names has none, as R writes tables: its cells are quoted or count.

    Every row is then one cell longer than the header.
    """
    (line, first), below = rows[0], [row for _, row in rows[1:]]
    if len(below) < 2 or not all(first) or not all(len(row) == len(first) + 1 for row in below):
        return False
    if [row[0].strip() for row in below] == [str(k) for k in range(1, len(below) + 1)]:
        return True
    quoted = [one.startswith(quote) for one in text.splitlines()[line:] if one.strip()]
    return all(quoted) and len({row[0] for row in below}) == len(below)


MOST_LINES_BELOW_HEADER = 2


def n_below_header(further: Sequence[Sequence[str]]) -> int:
    """How many rows below the header are none, but units or questions above columns of numbers.

    Examples
    --------
    >>> n_below_header([["s", "°C", "-"], ["0.5", "20", "a"], ["1", "21", "b"], ["2", "19", "a"]])
    1
    """
    count = 0
    while count < MOST_LINES_BELOW_HEADER:
        first, rest = further[count : count + 1], further[count + 1 : count + 40]
        beside = rest[MOST_LINES_BELOW_HEADER - 1 - count :]
        if len(beside) < 2 or not _is_above_numbers(first[0], beside):
            break
        count += 1
    return count


def _is_above_numbers(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether words stand where all rows below hold numbers or dates, in several columns."""
    n_words = 0
    for j, cell in enumerate(row):
        column = [other[j].strip() for other in below if j < len(other)]
        filled = [other for other in column if other]
        if len(filled) < 2 or not all(re.match(_BEGINS_AS_NUMBER, other) for other in filled):
            continue
        if re.match(_BEGINS_AS_NUMBER, cell.strip()):
            return False
        word = cell.strip().lower()
        n_words += bool(word) and word not in MISSING_MARKS
    return n_words > 1


_BEGINS_AS_NUMBER = r"[-+(]?\W?\d"


def is_second_header(first: Sequence[str], further: Sequence[Sequence[str]]) -> bool:
    """Whether the row below the header names the columns whose name above spans several."""
    if len(further) < 3 or len(further[0]) != len(first):
        return False
    if all(first[1:]) and len(set(first)) == len(first):
        return False
    second = [cell.strip() for cell in further[0]]
    complete = all(below for above, below in zip(first, second) if not above)
    if not complete or any(map(is_number, second)):
        return False
    columns = [[row[j].strip() for row in further[1:20] if j < len(row)] for j in range(len(first))]
    named = [cells for below, cells in zip(second, columns) if below]
    return any(all(map(is_number, filter(None, cells))) and any(cells) for cells in named)


def merged_names(
    first: Sequence[str], second: Sequence[str], expected: Collection[str]
) -> list[str]:
    """One name for each column: that above, which reaches to the next one, and that below.

    Examples
    --------
    >>> merged_names(["Blood", "", "Outcome"], ["hb", "wbc", ""], ())
    ['Blood hb', 'Blood wbc', 'Outcome']
    """
    names, above = [], ""
    for upper, lower in zip(first, second):
        above = upper or above
        whole = f"{above} {lower.strip()}".strip() if lower.strip() else above
        names.append(upper if upper in expected else whole)
    return names


def different_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Number repeated names, and return which these are.

    Examples
    --------
    >>> different_names(["x", "y", "x"])
    (['x', 'y', 'x (2)'], ['x'])
    """
    found: list[str] = []
    for name in names:
        tries = (name, *(f"{name} ({k})" for k in range(2, len(names) + 2)))
        free = (one for one in tries if one not in found and (one == name or one not in names))
        found.append(next(free))
    return found, [name for name, count in Counter(names).items() if count > 1]


def find_quote(text: str) -> str:
    r"""The sign around cells: an apostrophe if cells begin and end with it, and nothing else tells.

    Examples
    --------
    >>> find_quote("name,size\n'a, b',1\n'c',2\n"), find_quote("name\n'twas\n")
    ("'", '"')
    """
    edge = rf"[{re.escape(''.join(SEPARATORS))}]"
    begins = len(re.findall(rf"(?:^|{edge}) *'", text, flags=re.MULTILINE))
    whole = len(re.findall(rf"(?:^|{edge}) *'(?:[^'\n]|'')*' *(?={edge}|\r?$)", text, re.MULTILINE))
    return "'" if whole and whole == begins and '"' not in text else '"'


def _first_row(rows: list[tuple[int, list[str]]], expected: Collection[str]) -> int:
    """Where the header or the first row is: below titles, which are shorter than the rows."""
    for place, (_, row) in enumerate(rows[:MOST_LINES_ABOVE]):
        if {cell.strip() for cell in row} & set(expected):
            return place
    width = _usual_width([row for _, row in rows])
    for place, (_, row) in enumerate(rows[:MOST_LINES_ABOVE]):
        filled = sum(bool(cell.strip()) for cell in row)
        titled = bool(row and row[0].strip())  # a header may lack names, but a title begins
        whole = titled and len(row) >= width
        is_row = whole and (is_number(row[0].strip()) or bool(row[-1].strip()))
        if width <= 2 or filled > max(1, width // 2) or not titled or is_row:
            return place if len(row) >= width or place == 0 or filled >= width - 1 else 0
    return 0


def _usual_width(rows: list[list[str]]) -> int:
    counts = Counter(map(len, rows))
    return max(counts, key=lambda width: (counts[width], width), default=0)


def decimal_mark(separator: str, cells: Collection[str]) -> str:
    """Decimal mark of the numbers among some cells."""
    comma = separator != "," and _any_match(
        r"[-+]?(\d+|\d{1,3}(\.\d{3})+),(\d{1,2}|\d{4,})|[-+]?0,\d+", cells
    )
    return "," if comma and not _any_match(r"[-+]?\d*\.(\d{1,2}|\d{4,})", cells) else "."


def split_rows(
    text: str, given: str | None = None, quote: str = '"', expected: Collection[str] = ()
) -> tuple[str, list[tuple[int, list[str]]]]:
    """Cut the lines at the separator that gives the most, equally long, rows.

    Each row comes with the number of its last line. A first line ``sep=;`` is believed, and so is
    a separator that makes a cell of an expected name.
    """
    hint = re.match(r'"?sep=([,;\t|])"?[,;\t|]*\r?\n', text, flags=re.IGNORECASE)
    best = (-1.0, SEPARATORS[0], list[tuple[int, list[str]]]())
    usual = [given or hint.group(1)] if given or hint else [*SEPARATORS, *RARE_SEPARATORS]  # type: ignore[union-attr]
    for separator in usual:
        if separator in RARE_SEPARATORS and best[0] > 0.0 and not given:
            break
        lines = io.StringIO(text, newline=None)
        reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, quotechar=quote)
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
        above = (cell.strip() for _, row in rows[:MOST_LINES_ABOVE] for cell in row)
        quality += 1.0 if width > 1 and set(above) & set(expected) else 0.0
        if separator in RARE_SEPARATORS and (agreement < 1.0 or len(rows) < 3) and not given:
            continue
        if quality > best[0]:
            best = (quality, separator, rows)
    at_blanks = _rows_at_blanks(text) if given == " " or (best[0] <= 0.0 and not hint) else []
    return (" ", at_blanks) if at_blanks else best[1:]


def _rows_at_blanks(text: str) -> list[tuple[int, list[str]]]:
    """Rows of a table whose cells stand between blanks; none if they are not all equally long."""
    lines = enumerate(io.StringIO(text, newline=None), start=1)
    cells = re.compile(r'"(?:[^"]|"")*"|[^\s"]+')
    rows = [
        (number, [cell.strip('"') for cell in cells.findall(line)])
        for number, line in lines
        if line.strip()
    ]
    widths = {len(row) for _, row in rows[1:]}
    if len(rows) < 3 or len(widths) > 1 or min(widths) < 3:
        return []
    return rows if len(rows[0][1]) in (min(widths), min(widths) - 1) else []


def _clean_share(separator: str, rows: list[tuple[int, list[str]]]) -> float:
    """Share of the cells that hold no other separator, unless it is a mark of a number or text."""
    others = "".join(sign for sign in SEPARATORS if sign != separator)
    within = re.compile(rf"[{re.escape(others)}](?! )")  # December 16, 2023
    cells = [cell for _, row in rows[:200] for cell in row]
    clean = [not within.search(cell) or is_number(cell.strip()) for cell in cells]
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


def is_number(cell: str) -> bool:
    """Whether a cell is a number with or without a decimal mark."""
    return re.fullmatch(r"[-+]?(\d{1,3}(\.\d{3})+,)?\d*[.,]?\d+([eE][-+]?\d+)?", cell) is not None


def style_surplus(style: CsvStyle) -> int:
    """How many columns at the end have no name of their own."""
    count = 0
    for number, name in reversed(list(enumerate(style.names, start=1))):
        if not style.has_header or name != f"column_{number}":
            break
        count += 1
    return count
