"""The columns that a model learns from, and how tables become numbers, categories and text.

What a column holds is found once (`uneven.comparison.reading`), on the table a model learns from,
and kept with the model, so that a later table is read in the same way or refused with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from uneven.comparison.dates import DateStyle, days_since_1970, find_date_style, parse_dates
from uneven.comparison.errors import InputError
from uneven.comparison.marks import MISSING_MARKS, TRUTH
from uneven.comparison.numbers import NumberStyle, find_number_style, parse_numbers
from uneven.comparison.reading import (
    CLOCK_UNIT,
    ColumnKind,
    Custom,
    Reading,
    as_text,
    distinct_texts,
    read_columns,
)
from uneven.comparison.words import MOST_DENSE_WORDS, date_columns, find_words, word_column
from uneven.utils.registry import listing

HEAD = 100
"""So many cells mostly tell whether numbers are written plainly."""


@dataclass(frozen=True)
class Column:
    """One feature column.

    Attributes
    ----------
    name : str
        Name in the table.
    kind : {"number", "boolean", "date", "category", "text"}
        Booleans count as 0 and 1, dates as days since 1970, categories and running text stay text.
    categories : tuple of str
        Values seen, for a category; words that count, for running text; empty otherwise.
    form : mapping of str to object
        How cells are written, see `uneven.comparison.reading.Reading`.
    """

    name: str
    kind: ColumnKind
    categories: tuple[str, ...] = ()
    form: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Schema:
    """The feature columns of a table, in order.

    Attributes
    ----------
    columns : tuple of Column
    sparse : bool
        Whether the table is a sparse matrix of numbers in place of a frame.

    Examples
    --------
    >>> frame = pd.DataFrame({"size": ["1,200 kg", "?", "3 kg"], "kind": ["a", "b", "a"]})
    >>> schema = Schema.of(frame)
    >>> [column.kind for column in schema.columns]
    ['number', 'category']
    >>> schema.convert(frame)["size"].tolist()
    [1200.0, nan, 3.0]
    """

    columns: tuple[Column, ...]
    sparse: bool = False

    @classmethod
    def of(cls, frame: pd.DataFrame, readings: Mapping[str, Reading] | None = None) -> Schema:
        """The schema of a table, from what its columns hold."""
        readings = read_columns(frame) if readings is None else readings
        columns = []
        for name in frame.columns:
            found = readings[str(name)]
            plain = Column(str(name), found.kind, (), found.form)
            seen: Sequence[str] = ()
            if found.kind == "category":
                seen = sorted(_categories(frame[name], plain).dropna().unique())
            elif found.kind == "text":
                seen = find_words(_texts(frame[name], plain))
            form = dict(found.form)
            if found.kind == "date" and (_days(frame[name], plain).dropna() % 1.0 > 0.0).any():
                form["time"] = True
            columns.append(Column(plain.name, found.kind, tuple(seen), form))
        return cls(tuple(columns))

    @property
    def names(self) -> list[str]:
        """Column names, in order."""
        return [column.name for column in self.columns]

    def of_kind(self, *kinds: ColumnKind) -> list[str]:
        """Names of the columns of some kinds."""
        return [column.name for column in self.columns if column.kind in kinds]

    def encoded_names(self, name: str) -> list[str]:
        """Names of the columns that a column becomes for learners that know names.

        Examples
        --------
        >>> Schema((Column("day", "date"),)).encoded_names("day")
        ['day', 'day (year)', 'day (month)', 'day (weekday)']
        """
        column = next(one for one in self.columns if one.name == name)
        if column.kind == "date":
            return date_columns(name, bool(column.form.get("time")))
        if column.kind == "text":
            return [word_column(name, word) for word in column.categories[:MOST_DENSE_WORDS]]
        return [name]

    def kind_counts(self) -> dict[str, int]:
        """How many columns there are of each kind that occurs."""
        counts = {kind: len(self.of_kind(kind)) for kind in get_args(ColumnKind)}
        return {kind: count for kind, count in counts.items() if count}

    def convert(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Take the columns of this schema out of `frame`, with the types they must have.

        Parameters
        ----------
        frame : DataFrame of shape (n, any)
            A table with at least these columns.

        Returns
        -------
        DataFrame of shape (n, n_columns)
            float64 columns with NaN where a value is missing; categories as text (object dtype),
            running text as text, empty where it is missing.

        Raises
        ------
        InputError
            If columns are missing or hold values of another kind.
        """
        missing = [name for name in self.names if name not in frame.columns]
        if missing:
            raise InputError(
                f"the table lacks {len(missing)} of the {len(self.names)} columns the model "
                f"needs: {listing(missing)}."
            )
        parts = {c.name: CONVERTERS[c.kind](frame[c.name], c) for c in self.columns}
        return pd.DataFrame(parts, index=frame.index)

    def to_list(self) -> list[dict[str, Any]]:
        """Plain data for JSON."""
        return [
            {"name": c.name, "kind": c.kind, "categories": list(c.categories)}
            | ({"form": dict(c.form)} if c.form else {})
            for c in self.columns
        ]

    @classmethod
    def from_list(cls, raw: Sequence[Mapping[str, Any]]) -> Schema:
        """Inverse of `to_list`."""
        strange = [r["kind"] for r in raw if r["kind"] not in get_args(ColumnKind)]
        if strange:
            raise ValueError(f"a column is of the kind {strange[0]!r}, which is not known")
        return cls(
            tuple(
                Column(r["name"], r["kind"], tuple(r["categories"]), dict(r.get("form", {})))
                for r in raw
            )
        )


def infer_kind(values: pd.Series) -> ColumnKind:
    """Kind of a column.

    Parameters
    ----------
    values : Series of shape (n,)
        The column.

    Returns
    -------
    {"number", "boolean", "date", "category", "text"}
        A column without any value counts as numbers.

    Examples
    --------
    >>> infer_kind(pd.Series(["2024-01-31", None, "2024-02-29"]))
    'date'
    """
    return read_columns(values.to_frame("x" if values.name is None else str(values.name)))[
        "x" if values.name is None else str(values.name)
    ].kind


def _numbers(values: pd.Series, column: Column) -> pd.Series:
    style = NumberStyle.from_dict(column.form)
    if types.is_numeric_dtype(values.dtype):
        found = values.astype("float64")
        asked = pd.to_numeric(pd.Series(_marks(column), dtype=object), errors="coerce").dropna()
        numbers = found.mask(found.isin(asked)) if len(asked) else found
    else:
        numbers = _by_cell(values, column, lambda cells: _cell_numbers(cells, style))
        _refuse(values, numbers, "a number", column)
    if np.isinf(numbers.to_numpy()).any():
        raise InputError(
            f"column {values.name!r} holds infinite values; replace them or leave them empty."
        )
    return numbers


def _cell_numbers(cells: pd.Series, style: NumberStyle) -> NDArray[np.float64]:
    if style.unit == CLOCK_UNIT:
        whole = cells.where(cells.str.count(":") > 1, cells + ":00")
        spans = pd.to_timedelta(whole, errors="coerce")
        return (spans.dt.total_seconds() / 3600.0).to_numpy(np.float64)
    if style.decimal == "." and not np.isnan(_plain(cells[:HEAD])).any():
        plain = _plain(cells)
        if not np.isnan(plain).any():
            return plain
    numbers = parse_numbers(cells, style)
    if np.isnan(numbers).any():
        bad = np.isnan(numbers) & cells.str.lower().isin(["inf", "-inf", "infinity"]).to_numpy()
        numbers[bad] = _plain(cells[bad])
    if np.isnan(numbers).any():
        other = find_number_style(cells)  # another table may be written in another way
        if other is not None and not other.doubtful and other.unit == style.unit:
            return parse_numbers(cells, other)
    return numbers


def _plain(cells: pd.Series) -> NDArray[np.float64]:
    """Numbers that need no style; NaN for other cells."""
    return pd.to_numeric(cells, errors="coerce").to_numpy(np.float64)


def _booleans(values: pd.Series, column: Column) -> pd.Series:
    truth = _by_cell(
        values, column, lambda cells: cells.str.casefold().map(TRUTH).to_numpy(np.float64)
    )
    _refuse(values, truth, "true or false", column)
    return truth


def _days(values: pd.Series, column: Column) -> pd.Series:
    if types.is_datetime64_any_dtype(values.dtype):
        moments = pd.to_datetime(values, utc=True)
        days = pd.Series(days_since_1970(moments), index=values.index, name=values.name)
    else:
        if types.is_numeric_dtype(values.dtype):  # 20240131
            values = values.astype("Int64").astype(object)
        days = _by_cell(values, column, lambda cells: _cell_days(cells, column))
        _refuse(values, days, "a date like 2024-01-31", column)
    outside = (days < EARLIEST) | (days > LATEST)
    if outside.any():
        raise InputError(
            f"column {values.name!r} holds {str(values[outside].iloc[0])!r}; dates must lie "
            "between 1678 and 2261. Correct it, leave it empty, or drop the column with --drop."
        )
    return days


EARLIEST, LATEST = -106_650.0, 106_650.0
"""Days that fit nanoseconds, 1678 to 2261."""


def _cell_days(cells: pd.Series, column: Column) -> NDArray[np.float64]:
    days = parse_dates(cells, DateStyle.from_dict(column.form))
    if np.isnan(days).any():
        other = find_date_style(cells, compact=True)
        if other is not None and not other.doubtful:
            return parse_dates(cells, other)
    return days


def _by_cell(
    values: pd.Series, column: Column, parse: Callable[[pd.Series], NDArray[np.float64]]
) -> pd.Series:
    """Parse each different cell once; NaN for missing cells and marks of them."""
    codes, distinct = distinct_texts(values)
    cells = pd.Series(distinct, dtype=str)
    folded = cells.str.lower() if len(cells) else cells
    marks = MISSING_MARKS | {str(mark).lower() for mark in _marks(column)}
    known = ~folded.isin(marks).to_numpy() if len(cells) else np.zeros(0, dtype=bool)
    found = np.full(len(cells) + 1, np.nan)
    if known.any():
        found[:-1][known] = parse(cells[known].reset_index(drop=True))
    return pd.Series(found[codes], index=values.index, name=values.name)


def _marks(column: Column) -> Sequence[str]:
    return list(column.form.get("missing", ()))


def _categories(values: pd.Series, column: Column) -> pd.Series:
    codes, cells = distinct_texts(values)
    cells = np.where(np.isin(cells, _marks(column)), np.nan, cells) if _marks(column) else cells
    found = np.append(cells, np.nan)[codes]
    return pd.Series(found, index=values.index, name=values.name, dtype=object)


def _texts(values: pd.Series, column: Column) -> pd.Series:
    return _categories(values, column).fillna("")


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
        raise InputError(
            f"column {values.name!r} holds {values.iloc[row]!r} in row {row + 1}, "
            f"where the model expects {wanted}."
        )


CONVERTERS: Mapping[str, Callable[[pd.Series, Column], pd.Series]] = {
    "number": _numbers,
    "boolean": _booleans,
    "date": _days,
    "category": _categories,
    "text": _texts,
}

__all__ = ["Column", "ColumnKind", "Custom", "Reading", "Schema", "infer_kind"]
