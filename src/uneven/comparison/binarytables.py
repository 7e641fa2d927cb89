"""Tables from files that are not CSV: Parquet, Feather, workbooks and JSON, all read by pandas."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pandas as pd

from uneven.comparison.errors import InputError
from uneven.comparison.formats import Source
from uneven.utils.registry import closest, listing

Read = tuple[pd.DataFrame, dict[str, Any]]


def _read_parquet(source: Source, sheet: str | None) -> Read:
    return _with_index(source, pd.read_parquet, "Parquet"), {"format": "parquet"}


def _read_feather(source: Source, sheet: str | None) -> Read:
    return _with_index(source, pd.read_feather, "Feather"), {"format": "feather"}


def _with_index(source: Source, read: Callable[[Any], pd.DataFrame], word: str) -> pd.DataFrame:
    """The table with named levels of its index as columns."""
    try:
        frame = read(io.BytesIO(source.data))
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"{source.name} is not a readable {word} file: {reason}.") from error
    levels = [name for name in frame.index.names if name is not None]
    index = frame.index.to_frame(index=False)[levels]
    names = [str(name) for name in (*levels, *frame.columns)]
    frame = pd.concat([index, frame.reset_index(drop=True)], axis=1)
    frame.columns = pd.Index(names)
    return frame


def _read_workbook(source: Source, sheet: str | None) -> Read:
    """One sheet, without empty rows and columns around the table."""
    try:
        book = pd.ExcelFile(io.BytesIO(source.data), engine="openpyxl")
    except ImportError as error:
        raise InputError(
            f"{source.name} is a workbook, which needs openpyxl: pip install "
            '"uneven[excel]", or save the sheet as CSV.'
        ) from error
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise InputError(f"{source.name} is not a readable workbook: {error}.") from error
    names = [str(name) for name in book.sheet_names]
    if sheet is not None and sheet not in names:
        raise InputError(
            f"--sheet {sheet!r} is not in {source.name}; {closest(sheet, names)}"
            f"the sheets are {listing(names)}."
        )
    chosen = sheet or names[0]
    cells = pd.read_excel(book, chosen, header=None, dtype=object)
    cells = cells.dropna(how="all").dropna(how="all", axis=1)
    if cells.empty:
        raise InputError(f"the sheet {chosen!r} of {source.name} is empty.")
    filled = cells.notna().sum(axis=1).to_numpy()
    top = int((filled > cells.shape[1] // 2).argmax())
    header = [
        str(cell).strip() if pd.notna(cell) else f"column_{j}"
        for j, cell in enumerate(cells.iloc[top], start=1)
    ]
    frame = cells.iloc[top + 1 :].reset_index(drop=True).set_axis(header, axis=1)
    others = [name for name in names if name != chosen]
    notes = [f"{source.name} is read from its sheet {chosen!r}; --sheet chooses another."]
    read = {"format": "workbook", "sheet": chosen, "notes": notes if others and not sheet else []}
    return frame.infer_objects(), read


def _read_json(source: Source, sheet: str | None) -> Read:
    """One record per line, or one list of records.

    The reader of pandas turns cells into dates by the names of their columns, cell by cell.
    """
    try:
        text = source.data.decode("utf-8-sig")
        if text.lstrip().startswith("["):
            records = json.loads(text)
        else:
            records = [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise InputError(f"{source.name} is not a readable file of JSON lines: {error}.") from error
    if not all(isinstance(record, dict) for record in records):
        raise InputError(f"{source.name} holds no records; give one JSON object per line.")
    return pd.DataFrame(records), {"format": "json"}


def _refuse_old_workbook(source: Source, sheet: str | None) -> Read:
    raise InputError(f"{source.name} is an old workbook (.xls); save it as .xlsx or CSV.")


READERS: dict[str, Callable[[Source, str | None], Read]] = {
    "parquet": _read_parquet,
    "feather": _read_feather,
    "workbook": _read_workbook,
    "old workbook": _refuse_old_workbook,
    "json": _read_json,
}
