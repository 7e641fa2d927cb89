"""One sheet of a workbook as a table: without titles, totals and units, with merged cells filled.

pandas and openpyxl give the cells; which of them are rows is decided here as for a CSV file.
"""

from __future__ import annotations

import datetime
import io
import re
from typing import Any

import pandas as pd

from uneven.comparison.csvcells import MOST_LINES_BELOW, TOTAL
from uneven.comparison.errors import InputError
from uneven.comparison.formats import Source
from uneven.comparison.workbookhead import (
    LOOKED_AT,
    check_sheet,
    first_of_table,
    sheet_choice,
    sheet_header,
)
from uneven.utils.registry import listing


def read_workbook(source: Source, sheet: str | None) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The table on one sheet, by default the first that is not hidden.

    Parameters
    ----------
    source : Source
    sheet : str or None

    Returns
    -------
    frame : DataFrame of shape (n_rows, n_columns)
    read : dict
        What is known about the file.

    Raises
    ------
    InputError
        If the file or the sheet cannot be read, or if openpyxl is not installed.
    """
    try:
        seen, chosen, cells = _cells(source, sheet)
    except ImportError as error:
        raise InputError(
            f"{source.name} is a workbook, which needs openpyxl: pip install "
            '"uneven[excel]", or save the sheet as CSV.'
        ) from error
    except InputError:
        raise
    except Exception as error:  # of a damaged file openpyxl's parsers raise anything
        raise InputError(f"{source.name} is not a readable workbook: {error}.") from error
    if cells.empty:
        raise InputError(f"the sheet {chosen!r} of {source.name} is empty.")
    frame, told = _table(cells, source.name)
    if frame.isna().all().any():
        told += _empty_formulas(source, chosen)
    others = len(seen) > 1 and sheet is None
    notes = [sheet_choice(source.name, chosen, seen)] * others + told
    return frame, {"format": "workbook", "sheet": chosen, "notes": notes}


def _cells(source: Source, sheet: str | None) -> tuple[list[str], str, pd.DataFrame]:
    """The sheets that are not hidden, the chosen one, and its cells."""
    data, whole = io.BytesIO(source.data), {"read_only": False}
    book = pd.ExcelFile(data, engine="openpyxl", engine_kwargs=whole)
    names = [str(name) for name in book.sheet_names]
    check_sheet(sheet, names, source.name)
    seen = [name for name in names if book.book[name].sheet_state == "visible"]
    chosen = sheet or (seen or names)[0]
    cells = pd.read_excel(book, chosen, header=None, dtype=object)
    _fill_merged(cells, book.book[chosen].merged_cells.ranges)
    return seen, chosen, cells.dropna(how="all").dropna(how="all", axis=1)


def _empty_formulas(source: Source, sheet: str) -> list[str]:
    """A sentence about formulas whose results no program has written into the file yet."""
    books = (
        pd.ExcelFile(io.BytesIO(source.data), engine="openpyxl", engine_kwargs={"data_only": only})
        for only in (False, True)
    )
    written, shown = (one.book[sheet].iter_rows(values_only=True) for one in books)
    pairs = (pair for rows in zip(written, shown) for pair in zip(*rows))
    count = sum(str(cell).startswith("=") and value is None for cell, value in pairs)
    if not count:
        return []
    return [
        f"{source.name} holds {count} formulas without results, which count as empty; open it in a "
        "spreadsheet program and save it."
    ]


def _fill_merged(cells: pd.DataFrame, ranges: Any) -> None:
    """Give all rows of a cell that goes over several the value that stands in the first."""
    for one in ranges:
        top, left = one.min_row - 1, one.min_col - 1
        if one.min_col == one.max_col and top < len(cells) and left < cells.shape[1]:
            cells.iloc[top : one.max_row, left] = cells.iloc[top, left]


def _table(cells: pd.DataFrame, name: str) -> tuple[pd.DataFrame, list[str]]:
    """The rows below the names of the columns, and what was left out."""
    filled = cells.notna().sum(axis=1).to_numpy()
    top = first_of_table(filled.tolist(), cells.shape[1])
    head = cells.iloc[top : top + LOOKED_AT].to_numpy()
    header, lines, below = sheet_header([[_text(cell) for cell in row] for row in head])
    rows = cells.iloc[top + lines + below :]
    end, remarks = _end_of_rows(rows)
    frame = rows.iloc[:end].reset_index(drop=True).set_axis(header, axis=1)
    frame = frame.map(_plain)
    told = [f"{name} is read with {below} line{'s' * (below > 1)} below the header left out."]
    ends = [f"{name} ends with {listing(remarks)}, which is no row and is left out."]
    return frame.infer_objects(), told * bool(below) + ends * bool(remarks)


def _text(cell: Any) -> str:
    return "" if pd.isna(cell) else str(cell).strip()


def _plain(cell: Any) -> Any:
    """Times and durations as text, as a CSV file has them."""
    if isinstance(cell, datetime.timedelta):
        seconds = round(abs(cell.total_seconds()))
        sign = "-" * (cell < datetime.timedelta(0))
        return f"{sign}{seconds // 3600} h {seconds % 3600 // 60} min {seconds % 60} s"
    return str(cell) if isinstance(cell, datetime.time) else cell


def _end_of_rows(rows: pd.DataFrame) -> tuple[int, list[str]]:
    """How many rows stand above totals and remarks, and how these begin."""
    end, remarks = len(rows), list[str]()
    while end > 1 and rows.shape[1] > 1 and len(remarks) < MOST_LINES_BELOW:
        texts = [_text(cell) for cell in rows.iloc[end - 1]]
        filled = [cell for cell in texts if cell]
        alone = len(filled) == 1 and rows.shape[1] > 2 and bool(texts[0])
        remark = alone and re.search(r"[^\W\d_]{2}.*[\s:]|^\W.*[^\W\d_]{2}", filled[0])
        totals = [(j, cell) for j, cell in enumerate(texts) if TOTAL.fullmatch(cell)]
        new = totals and totals[0][1] not in set(map(_text, rows.iloc[: end - 1, totals[0][0]]))
        if not remark and not new:
            break
        remarks.insert(0, filled[0][:30])
        end -= 1
    return end, remarks
