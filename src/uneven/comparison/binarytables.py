"""Tables from files that are not CSV: Parquet, Feather, workbooks and JSON, all read by pandas."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pandas as pd

from uneven.comparison.errors import InputError
from uneven.comparison.formats import Source
from uneven.comparison.jsonrecords import read_records
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
    """Records; those inside of records become columns such as ``user.age``.

    The reader of pandas turns cells into dates by the names of their columns, cell by cell.
    """
    found, notes = read_records(source)
    nested = any(isinstance(value, dict) for record in found for value in record.values())
    frame = pd.json_normalize(found) if nested else pd.DataFrame(found)
    return frame, {"format": "json", "notes": notes}


def _refuse_old_workbook(source: Source, sheet: str | None) -> Read:
    raise InputError(f"{source.name} is an old workbook (.xls); save it as .xlsx or CSV.")


READERS: dict[str, Callable[[Source, str | None], Read]] = {
    "parquet": _read_parquet,
    "feather": _read_feather,
    "workbook": read_workbook,
    "old workbook": _refuse_old_workbook,
    "json": _read_json,
}
