"""The columns that a model learns from, and how tables become numbers, categories and text.

What a column holds is found once (`uneven.comparison.reading`), on the table a model learns from,
and kept with the model, so that a later table is read in the same way or refused with a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import pandas as pd

from uneven.comparison.conversion import convert_columns, one_column, seen_categories
from uneven.comparison.durations import HOURS, LAPS
from uneven.comparison.reading import (
    ColumnKind,
    Custom,
    Reading,
    read_columns,
)
from uneven.comparison.tables import check_complete
from uneven.comparison.words import MOST_DENSE_WORDS, date_columns, find_words, word_column


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
                seen = seen_categories(frame[name], plain)
            elif found.kind == "text":
                seen = find_words(one_column(frame[name], plain))
            form = dict(found.form)
            if found.kind == "date" and (one_column(frame[name], plain).dropna() % 1.0 > 0.0).any():
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

    def as_written(self) -> list[str]:
        """Columns whose cells must be looked at as text: a number could be another one."""
        texts = self.of_kind("category", "text")
        times = (HOURS, LAPS)  # 9.30 is no 9:30
        hours = [c.name for c in self.columns if c.form.get("unit") in times]
        return texts + hours + [c.name for c in self.columns if c.form.get("decimal", ".") != "."]

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

    def convert(self, frame: pd.DataFrame, notes: list[str] | None = None) -> pd.DataFrame:
        """Take the columns of this schema out of `frame`, with the types they must have.

        Parameters
        ----------
        frame : DataFrame of shape (n, any)
            A table with at least these columns.
        notes : list of str, optional
            Gets a sentence about each column that is written in another way than it was in the
            table of the schema.

        Returns
        -------
        DataFrame of shape (n, n_columns)
            float64 columns with NaN where a value is missing; categories as text (object dtype),
            running text as text, empty where it is missing.

        Raises
        ------
        InputError
            If columns are missing, hold values of another kind, or are written in another way
            that leaves two meanings.
        """
        check_complete(frame.columns, self.names)
        parts = convert_columns(frame, self.columns, [] if notes is None else notes)
        return pd.DataFrame(parts, index=frame.index, copy=False)

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


__all__ = ["Column", "ColumnKind", "Custom", "Reading", "Schema", "infer_kind"]
