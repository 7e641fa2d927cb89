"""Tables from files that are not CSV: Parquet, Feather, workbooks and JSON, all read by pandas."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pandas as pd

from uneven.comparison.errors import InputError
from uneven.comparison.formats import Source
from uneven.comparison.workbooks import read_workbook

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


def _read_json(source: Source, sheet: str | None) -> Read:
    """One record per line, one list of records, or one object that holds either or columns.

    The reader of pandas turns cells into dates by the names of their columns, cell by cell.
    Records inside of records become columns such as ``user.age``.
    """
    notes: list[str] = []
    try:
        text = source.data.decode("utf-8-sig").strip()
        try:
            found = json.loads(text)
        except ValueError:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise InputError(f"{source.name} is not a readable file of JSON lines: {error}.") from error
    if isinstance(found, dict):
        found = _records_of(found, source.name, notes)
    if not all(isinstance(record, dict) for record in found):
        raise InputError(f"{source.name} holds no records; give one JSON object per line.")
    nested = any(isinstance(value, dict) for record in found for value in record.values())
    frame = pd.json_normalize(found) if nested else pd.DataFrame(found)
    return frame, {"format": "json", "notes": notes}


def _records_of(found: dict[str, Any], name: str, notes: list[str]) -> list[Any]:
    """The records of one object: columns, records below one of its names, or itself."""
    kinds = {type(value) for value in found.values()}
    rows, columns = found.get("data"), found.get("columns")
    if isinstance(columns, list) and isinstance(rows, list):  # pandas' orient="split"
        return [dict(zip(map(str, columns), row)) for row in rows if isinstance(row, list)]
    if kinds in ({list}, {dict}) and len({len(value) for value in found.values()}) == 1:
        if kinds == {list} and not any(
            isinstance(cell, dict) for cell in next(iter(found.values()))
        ):
            return [dict(zip(found, row)) for row in zip(*found.values())]
        keys = {tuple(value) for value in found.values()}
        if kinds == {dict} and len(keys) == 1 and len(found) > 1:  # orient="columns"
            return [{one: found[one][key] for one in found} for key in keys.pop()]
    lists = [one for one, value in found.items() if isinstance(value, list) and value]
    of_records = [one for one in lists if all(isinstance(row, dict) for row in found[one])]
    if len(of_records) != 1:
        return [found]
    notes.append(f"{name} is read from its list {of_records[0]!r}.")
    records: list[Any] = found[of_records[0]]
    return records


def _refuse_old_workbook(source: Source, sheet: str | None) -> Read:
    raise InputError(f"{source.name} is an old workbook (.xls); save it as .xlsx or CSV.")


READERS: dict[str, Callable[[Source, str | None], Read]] = {
    "parquet": _read_parquet,
    "feather": _read_feather,
    "workbook": read_workbook,
    "old workbook": _refuse_old_workbook,
    "json": _read_json,
}
