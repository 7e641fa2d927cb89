"""The sheets of a workbook and the first rows of one, for which the standard library is enough.

A workbook is a zip archive of XML files. openpyxl reads all of it, which takes seconds where a
wrong name of a sheet or of a column shows in the first rows.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import IO
from xml.etree import ElementTree

from uneven.comparison.csvstyle import is_second_header, merged_names, n_below_header
from uneven.comparison.errors import InputError
from uneven.utils.registry import closest, listing

LOOKED_AT = 40
"""So many rows below the header tell what it is."""

MOST_ROWS = 2 * LOOKED_AT
"""So many filled rows are read for a first look."""


@dataclass(frozen=True)
class SheetHead:
    """The beginning of a sheet.

    Attributes
    ----------
    seen : list of str
        Sheets that are not hidden.
    chosen : str
        The sheet that is read.
    columns : list of str or None
        Names of its columns; None if only a reader of the whole sheet can tell.
    """

    seen: list[str]
    chosen: str
    columns: list[str] | None


def sheet_head(data: bytes, name: str, sheet: str | None) -> SheetHead | None:
    """Look at the first rows of a sheet.

    Parameters
    ----------
    data : bytes
        The workbook.
    name : str
        What to call it in an error.
    sheet : str or None
        None takes the first that is not hidden.

    Returns
    -------
    SheetHead or None
        None if the file is damaged or unusual, which its reader explains.

    Raises
    ------
    InputError
        If there is no such sheet.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            sheets = _sheets(book)
            check_sheet(sheet, list(sheets), name)
            seen = [one for one, (_, hidden) in sheets.items() if not hidden]
            chosen = sheet or (seen or list(sheets))[0]
            columns = _columns(*_first_rows(book, sheets[chosen][0]))
    except InputError:
        raise
    except Exception:  # whatever is wrong with the file, its reader says it better
        return None
    return SheetHead(seen, chosen, columns)


def check_sheet(sheet: str | None, names: Collection[str], name: str) -> None:
    """Refuse a sheet that a workbook does not have."""
    if sheet is not None and sheet not in names:
        raise InputError(
            f"--sheet {sheet!r} is not in {name}; {closest(sheet, list(names))}"
            f"the sheets are {listing(names)}."
        )


def sheet_choice(name: str, chosen: str, seen: Sequence[str]) -> str:
    """A sentence about a sheet that nobody named."""
    rest = listing([one for one in seen if one != chosen])
    return f"{name} is read from its sheet {chosen!r}; --sheet chooses another, {rest}."


def not_on_sheet(target: str, choice: str, columns: Collection[str]) -> InputError:
    """What is wrong with a target that may stand on another sheet."""
    return InputError(
        f"--target {target!r} is not a column: {choice} It has {listing([*map(str, columns)])}."
    )


def first_of_table(n_filled: Sequence[int], width: int) -> int:
    """Which row is the header: the first that fills more than half of the columns."""
    return next((place for place, filled in enumerate(n_filled) if filled > width // 2), 0)


def sheet_header(texts: Sequence[Sequence[str]]) -> tuple[list[str], int, int]:
    """Names of the columns of a sheet.

    Parameters
    ----------
    texts : sequence of sequence of str
        The rows from the header on, or the first of them.

    Returns
    -------
    names : list of str
    lines : int
        How many rows hold the names: two if the upper ones stand over several columns.
    below : int
        How many rows below the names are no rows of the table, such as units.

    Examples
    --------
    >>> sheet_header([["size", ""], ["1", "2"], ["3", "4"]])
    (['size', 'column_2'], 1, 0)
    """
    names, further, lines = list(texts[0]), [list(row) for row in texts[1:]], 1
    second = further[0] if further else []
    spanned = [lower if upper == lower else "" for upper, lower in zip(names, second)]
    if is_second_header(names, [_without(spanned, row) for row in further[:1]] + further[1:]):
        names = merged_names(names, _without(spanned, further.pop(0)), ())
        lines = 2
    names = [cell or f"column_{j}" for j, cell in enumerate(names, start=1)]
    return names, lines, n_below_header(further)


def _without(spanned: list[str], row: list[str]) -> list[str]:
    """A second line of names without those that reach down into it from the first."""
    return ["" if cell and cell == one else cell for cell, one in zip(row, spanned)]


def _columns(rows: list[list[str]], words: set[str]) -> list[str] | None:
    """The names in the first rows of a sheet, all of them words; None if no row holds such."""
    width = max(map(len, rows), default=0)
    table = [row + [""] * (width - len(row)) for row in rows]
    used = [j for j in range(width) if any(row[j] for row in table)]
    texts = [[row[j] for j in used] for row in table]
    n_filled = [sum(map(bool, row)) for row in texts]
    top = first_of_table(n_filled, len(used))
    if not used or n_filled[top] <= len(used) // 2 or not {*texts[top]} <= words | {""}:
        return None
    return sheet_header(texts[top : top + LOOKED_AT])[0]


def _sheets(book: zipfile.ZipFile) -> dict[str, tuple[str, bool]]:
    """For each sheet of cells the file that holds it, and whether it is hidden."""
    kinds, places = dict[str, str](), dict[str, str]()
    for link in _parts(book.open("xl/_rels/workbook.xml.rels"), "Relationship"):
        kinds[link.attrib["Id"]] = link.attrib["Type"].rpartition("/")[2]
        target = link.attrib["Target"]
        places[link.attrib["Id"]] = target[1:] if target.startswith("/") else f"xl/{target}"
    found = {}
    for sheet in _parts(book.open("xl/workbook.xml"), "sheet"):
        link_id = next(value for key, value in sheet.attrib.items() if key.endswith("}id"))
        if kinds[link_id] == "worksheet":
            hidden = sheet.attrib.get("state", "visible") != "visible"
            found[sheet.attrib["name"]] = (places[link_id], hidden)
    return found


def _first_rows(book: zipfile.ZipFile, place: str) -> tuple[list[list[str]], set[str]]:
    """The first rows of a sheet that hold anything, as text, and which cells are no numbers."""
    cells: list[list[tuple[int, str, str]]] = []
    for row in _parts(book.open(place), "row"):
        found, column = list[tuple[int, str, str]](), -1
        for cell in row:
            where = re.match("[A-Z]+", cell.attrib.get("r", ""))
            column = _column_number(where.group()) if where else column + 1
            found.append((column, cell.attrib.get("t", "n"), _value(cell)))
        if any(value for *_, value in found):
            cells.append(found)
        if len(cells) == MOST_ROWS:
            break
    asked = {int(value) for line in cells for _, kind, value in line if kind == "s" and value}
    shared = _shared_texts(book, asked) if asked else {}
    rows, words = list[list[str]](), set[str]()
    for line in cells:
        texts = [""] * (1 + max(column for column, *_ in line))
        for column, kind, value in line:
            texts[column] = (shared[int(value)] if kind == "s" and value else value).strip()
            words |= {texts[column]} if kind in ("s", "str", "inlineStr") else set()
        rows.append(texts)
    return rows, words


def _shared_texts(book: zipfile.ZipFile, asked: set[int]) -> dict[int, str]:
    """The texts of some numbers among those that cells share."""
    found = dict[int, str]()
    for number, text in enumerate(_parts(book.open("xl/sharedStrings.xml"), "si")):
        if number in asked:
            found[number] = _joined(text)
        if len(found) == len(asked):
            break
    return found


def _value(cell: ElementTree.Element) -> str:
    return "".join(
        _joined(part) if _tag(part) == "is" else part.text or ""
        for part in cell
        if _tag(part) in ("v", "is")
    )


def _joined(text: ElementTree.Element) -> str:
    """A text without the pronunciation that may stand beside it."""
    parts = [text, *(part for part in text if _tag(part) == "r")]
    return "".join(one.text or "" for part in parts for one in part if _tag(one) == "t")


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number - 1


def _parts(file: IO[bytes], tag: str) -> Iterator[ElementTree.Element]:
    """Elements of a name in an XML file, one after another."""
    with file:
        for _, element in ElementTree.iterparse(file):
            if _tag(element) == tag:
                yield element
                element.clear()


def _tag(element: ElementTree.Element) -> str:
    """Name of an element without its name space."""
    return element.tag.rpartition("}")[2]
