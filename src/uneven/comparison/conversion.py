"""The cells of a table as numbers, categories and text, by a schema that is settled.

A later table is read in the same way as the training table. Cells that are written in another
way are read so only if none of them could mean two things, with a note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from uneven.comparison.celltexts import as_objects, as_text, distinct_texts, vary
from uneven.comparison.dates import days_since_1970, find_date_style, parse_dates
from uneven.comparison.datestyles import BY_NAME, EPOCHS, LATEST_YEAR, DateStyle
from uneven.comparison.durations import HOURS, LAPS, clock_hours, lap_hours
from uneven.comparison.errors import InputError
from uneven.comparison.marks import MISSING_MARKS, TRUTH
from uneven.comparison.numbers import (
    PLAIN_TOO,
    NumberStyle,
    find_number_style,
    parse_numbers,
    quick_numbers,
)
from uneven.comparison.reading import is_far
from uneven.comparison.spellings import plain_signs
from uneven.utils.registry import listing

if TYPE_CHECKING:
    from uneven.comparison.schema import Column

HEAD = 100
"""So many cells mostly tell whether numbers are written plainly."""


@dataclass
class Differences:
    """How a table differs from the training table of a model.

    Attributes
    ----------
    notes : list of str
        Sentences for the reader.
    decimal, order : str
        A column whose decimal mark, or order of days and months, is the other one; or empty.
    """

    notes: list[str] = field(default_factory=list)
    decimal: str = ""
    order: str = ""


def convert_columns(
    frame: pd.DataFrame, columns: Iterable[Column], notes: list[str]
) -> dict[str, pd.Series]:
    """The columns of a table by name, see `uneven.comparison.Schema.convert`."""
    differences = Differences(notes)
    found = {c.name: CONVERTERS[c.kind](frame[c.name], c, differences) for c in columns}
    for column in columns:
        _refuse_doubt(frame[column.name], column, found[column.name], differences)
    return found


def seen_categories(values: pd.Series, column: Column) -> list[str]:
    """The different categories of a column of the table that its schema was made from, sorted."""
    cells = distinct_texts(values)[1]
    return sorted(cells[~cells.isin(_marks(column))])


def one_column(values: pd.Series, column: Column) -> pd.Series:
    """A column of the table that its schema was made from."""
    return CONVERTERS[column.kind](values, column, Differences())


def _refuse_doubt(
    values: pd.Series, column: Column, found: pd.Series, differences: Differences
) -> None:
    """Refuse a column that means something else if it is written as another one is here."""
    if types.is_numeric_dtype(values.dtype) or types.is_datetime64_any_dtype(values.dtype):
        return
    if column.kind == "number" and differences.decimal not in ("", column.name):
        style = NumberStyle.from_dict(column.form)
        if style.decimal == ".,":
            return
        flipped = NumberStyle("," if style.decimal == "." else ".", style.unit)
        other, clear = _by_cell(values, column, lambda c: parse_numbers(c, flipped)), "decimal"
    elif column.kind == "date" and differences.order not in ("", column.name):
        order = {"dmy": "mdy", "mdy": "dmy"}.get(column.form.get("order", ""), "")
        if not order:
            return
        flipped_date = DateStyle(order, latest=column.form.get("latest"))
        other, clear = _by_cell(values, column, lambda c: parse_dates(c, flipped_date)), "order"
    else:
        return
    doubtful = other.notna() & (other != found)
    if doubtful.any() and not (other.isna() & found.notna()).any():
        raise InputError(
            f"column {getattr(differences, clear)!r} is written in another way than in the "
            f"training table, so that {values[doubtful].iloc[0]!r} in column {column.name!r} could "
            "mean two things. Write all columns as the training table was."
        )


def _numbers(values: pd.Series, column: Column, seen: Differences) -> pd.Series:
    style = NumberStyle.from_dict(column.form)
    if types.is_timedelta64_dtype(values.dtype):
        values = values.dt.total_seconds() / 3600.0
    if types.is_numeric_dtype(values.dtype):
        numbers = _without_marks(values.astype("float64"), column)
        if style.unit in PLAIN_TOO and numbers.notna().any():
            seen.notes.append(
                f"column {column.name!r} has no {style.unit!r} here; its numbers are taken as if "
                "it had."
            )
    else:
        quick = quick_numbers(values, style) if _is_plain(values, column, style) else None
        if quick is not None:
            return pd.Series(quick, index=values.index, name=values.name)
        typed = _typed_numbers(values)
        texts = values.mask(typed.notna()) if typed is not None else values
        numbers = _by_cell(texts, column, lambda cells: _cell_numbers(cells, column, seen))
        _refuse(texts, numbers, "a number", column)
        numbers = numbers if typed is None else _without_marks(typed.fillna(numbers), column)
    if np.isinf(numbers.to_numpy()).any():
        raise InputError(
            f"column {values.name!r} holds infinite values; replace them or leave them empty."
        )
    return numbers


def _is_plain(values: pd.Series, column: Column, style: NumberStyle) -> bool:
    """Whether to parse a column cell by cell: its texts differ, and none marks a missing cell."""
    if _marks(column) or style.decimal not in (".", ",") or style.unit in (HOURS, LAPS):
        return False
    return isinstance(values.dtype, pd.StringDtype) and vary(values)


def _without_marks(numbers: pd.Series, column: Column) -> pd.Series:
    """Numbers without those that mark a missing cell, such as 999."""
    asked = pd.to_numeric(pd.Series(_marks(column), dtype=object), errors="coerce").dropna()
    return numbers.mask(numbers.isin(asked)) if len(asked) else numbers


def _typed_numbers(values: pd.Series) -> pd.Series | None:
    """The cells of a column of objects that are numbers already, as workbooks have them."""
    if not types.is_object_dtype(values.dtype):
        return None
    kinds = values.map(type)
    numbers = kinds.isin([int, float, Decimal]) & values.notna()
    return values.where(numbers).astype(np.float64) if numbers.any() else None


def _cell_numbers(cells: pd.Series, column: Column, seen: Differences) -> NDArray[np.float64]:
    style = NumberStyle.from_dict(column.form)
    if style.unit == HOURS:
        return clock_hours(cells)
    if style.unit == LAPS:
        return lap_hours(cells)
    if style.decimal == "." and not style.unit and not np.isnan(_plain(cells[:HEAD])).any():
        plain = _plain(cells)
        if not np.isnan(plain).any():
            return plain
    numbers = parse_numbers(cells, style)
    if np.isnan(numbers).any():
        bad = np.isnan(numbers) & cells.str.lower().isin(["inf", "-inf", "infinity"]).to_numpy()
        numbers[bad] = _plain(cells[bad])
    if not np.isnan(numbers).any():
        return numbers
    other = find_number_style(cells)
    if other is None or other.doubtful or other.unit != style.unit:
        return numbers
    words = {".": "decimal points", ",": "decimal commas", ".,": "points and commas"}
    way = (words[other.decimal], words[style.decimal])
    read = _otherwise(cells, numbers, parse_numbers(cells, other), column, *way, seen)
    seen.decimal = column.name
    return read


def _otherwise(
    cells: pd.Series,
    settled: NDArray[np.float64],
    other: NDArray[np.float64],
    column: Column,
    now: str,
    was: str,
    seen: Differences,
) -> NDArray[np.float64]:
    """Cells that are written otherwise than in the training table, if none has two meanings."""
    doubtful = ~np.isnan(settled) & (settled != other)
    if doubtful.any():
        clear, doubt = cells[np.isnan(settled)].iloc[0], cells[doubtful].iloc[0]
        raise InputError(
            f"column {column.name!r} holds {clear!r}, written with {now}, where the training table "
            f"had {was}: {doubt!r} could then mean two things. Write it as in the training table."
        )
    seen.notes.append(
        f"column {column.name!r} is written with {now}; the training table had {was}."
    )
    return other


def _plain(cells: pd.Series) -> NDArray[np.float64]:
    """Numbers that need no style; NaN for other cells."""
    return pd.to_numeric(cells, errors="coerce").to_numpy(np.float64)


def _booleans(values: pd.Series, column: Column, seen: Differences) -> pd.Series:
    truth = _by_cell(
        values, column, lambda cells: cells.str.casefold().map(TRUTH).to_numpy(np.float64)
    )
    _refuse(values, truth, "true or false", column)
    return truth


def _days(values: pd.Series, column: Column, seen: Differences) -> pd.Series:
    if types.is_datetime64_any_dtype(values.dtype):
        moments = pd.to_datetime(values, utc=True)
        days = pd.Series(days_since_1970(moments), index=values.index, name=values.name)
    else:
        if types.is_numeric_dtype(values.dtype) and column.form.get("order") not in EPOCHS:
            given = values.to_numpy(np.float64, na_value=np.nan)
            whole = (np.abs(given) < 2**53) & (np.floor(given) == given)
            if (whole | np.isnan(given)).all():
                values = values.astype("Int64").astype(object)
        days = _by_cell(values, column, lambda cells: _cell_days(cells, column, seen))
        _refuse(values, days, "a date like 2024-01-31", column)
    far = is_far(days.to_numpy())
    if far.any():
        seen.notes.append(
            f"column {column.name!r} holds dates outside of 1678 to 2261, which count as missing: "
            f"{listing(map(str, values[far].unique()))}."
        )
    return days.mask(far)


def _cell_days(cells: pd.Series, column: Column, seen: Differences) -> NDArray[np.float64]:
    style = DateStyle.from_dict(column.form)
    days = parse_dates(cells, style)
    if not np.isnan(days).any():
        return days
    other = find_date_style(cells, by_name=BY_NAME, latest=style.latest or LATEST_YEAR)
    if other is None or other.doubtful:
        return days
    way = (other.in_words, style.in_words)
    read = _otherwise(cells, days, parse_dates(cells, other), column, *way, seen)
    seen.order = column.name if {other.order, style.order} == {"dmy", "mdy"} else seen.order
    return read


def _by_cell(
    values: pd.Series, column: Column, parse: Callable[[pd.Series], NDArray[np.float64]]
) -> pd.Series:
    """Parse each different cell once; NaN for missing cells and marks of them."""
    codes, cells = distinct_texts(values)
    folded = cells.str.lower() if len(cells) else cells
    marks = MISSING_MARKS | {str(mark).lower() for mark in _marks(column)}
    known = ~folded.isin(marks).to_numpy() if len(cells) else np.zeros(0, dtype=bool)
    found = np.full(len(cells) + 1, np.nan)
    if known.any():
        cells = cells if known.all() else cells[known].reset_index(drop=True)
        found[:-1][known] = parse(plain_signs(cells))
    return pd.Series(found[codes], index=values.index, name=values.name)


def _marks(column: Column) -> Sequence[str]:
    return list(column.form.get("missing", ()))


def _categories(values: pd.Series, column: Column, seen: Differences) -> pd.Series:
    codes, cells = distinct_texts(values)
    cells = cells.mask(cells.isin(_marks(column))) if _marks(column) else cells
    found = as_objects(cells)[codes]
    return pd.Series(found, index=values.index, name=values.name, dtype=object)


def _texts(values: pd.Series, column: Column, seen: Differences) -> pd.Series:
    return _categories(values, column, seen).fillna("")


def _refuse(values: pd.Series, converted: pd.Series, wanted: str, column: Column) -> None:
    """Name the first value that could not be converted."""
    lost = values.notna().to_numpy() & converted.isna().to_numpy()
    if not lost.any():
        return
    cells = as_text(values[lost])
    marks = MISSING_MARKS | {str(mark).lower() for mark in _marks(column)}
    lost[lost] = (cells.notna() & ~cells.str.lower().isin(marks)).to_numpy(dtype=bool)
    if lost.any():
        row = int(np.flatnonzero(lost)[0])
        cell = values.iloc[row]
        cell = cell.item() if isinstance(cell, np.number) else cell
        raise InputError(
            f"column {values.name!r} holds {cell!r} in row {row + 1}, "
            f"where the model expects {wanted}."
        )


CONVERTERS: Mapping[str, Callable[[pd.Series, Column, Differences], pd.Series]] = {
    "number": _numbers,
    "boolean": _booleans,
    "date": _days,
    "category": _categories,
    "text": _texts,
}
