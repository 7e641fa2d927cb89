"""What the columns of a table hold, and how they become numbers, categories and classes.

The kinds are found once, on the table a model learns from, and kept with the model, so that a
later table is read in the same way or refused with a sentence. Class labels stay exactly as the
table spells them: two values never become one class.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from uneven.comparison.errors import InputError
from uneven.utils.registry import listing

ColumnKind = Literal["number", "boolean", "date", "category"]

DATE_PATTERN = r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?"
TRUTH = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}
NA_WORDS = ("NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None")
SECONDS_PER_DAY = 86400.0


@dataclass(frozen=True)
class Column:
    """One feature column.

    Attributes
    ----------
    name : str
        Name in the table.
    kind : {"number", "boolean", "date", "category"}
        Booleans count as 0 and 1, dates as days since 1970, categories stay text.
    categories : tuple of str
        Values seen, for a category; empty otherwise.
    """

    name: str
    kind: ColumnKind
    categories: tuple[str, ...] = ()


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
    >>> frame = pd.DataFrame({"size": [1, 2, 3], "kind": ["a", "b", "a"]})
    >>> schema = Schema.of(frame)
    >>> [column.kind for column in schema.columns]
    ['number', 'category']
    >>> schema.convert(frame)["size"].tolist()
    [1.0, 2.0, 3.0]
    """

    columns: tuple[Column, ...]
    sparse: bool = False

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Schema:
        """Infer the schema of a table."""
        columns = []
        for name in frame.columns:
            kind = infer_kind(frame[name])
            seen = sorted(_as_text(frame[name]).dropna().unique()) if kind == "category" else []
            columns.append(Column(str(name), kind, tuple(seen)))
        return cls(tuple(columns))

    @property
    def names(self) -> list[str]:
        """Column names, in order."""
        return [column.name for column in self.columns]

    def of_kind(self, *kinds: ColumnKind) -> list[str]:
        """Names of the columns of some kinds."""
        return [column.name for column in self.columns if column.kind in kinds]

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
            float64 columns with NaN where a value is missing; categories as text (object dtype).

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
        parts = {c.name: CONVERTERS[c.kind](frame[c.name]) for c in self.columns}
        return pd.DataFrame(parts, index=frame.index)

    def to_list(self) -> list[dict[str, Any]]:
        """Plain data for JSON."""
        return [
            {"name": c.name, "kind": c.kind, "categories": list(c.categories)} for c in self.columns
        ]

    @classmethod
    def from_list(cls, raw: Sequence[Mapping[str, Any]]) -> Schema:
        """Inverse of `to_list`."""
        strange = [r["kind"] for r in raw if r["kind"] not in get_args(ColumnKind)]
        if strange:
            raise ValueError(f"a column is of the kind {strange[0]!r}, which is not known")
        return cls(tuple(Column(r["name"], r["kind"], tuple(r["categories"])) for r in raw))


def infer_kind(values: pd.Series) -> ColumnKind:
    """Kind of a column.

    Parameters
    ----------
    values : Series of shape (n,)
        The column.

    Returns
    -------
    {"number", "boolean", "date", "category"}
        A column without any value counts as numbers.

    Examples
    --------
    >>> infer_kind(pd.Series(["2024-01-31", None, "2024-02-29"]))
    'date'
    """
    if types.is_bool_dtype(values.dtype):
        return "boolean"
    if isinstance(values.dtype, pd.CategoricalDtype):
        return "category"
    if types.is_datetime64_any_dtype(values.dtype):
        return "date"
    present = values.dropna()
    if types.is_numeric_dtype(values.dtype) or present.empty:
        return _check_real(values)
    if types.is_timedelta64_dtype(values.dtype):
        raise InputError(
            f"column {values.name!r} holds durations; turn it into numbers, or drop it with --drop."
        )
    return _kind_of_objects(values.name, present)


def without_na_words(values: pd.Series, decimal: str = ".") -> pd.Series:
    """Take words such as ``NA`` for missing cells where all others are numbers or dates.

    Beside other text such a word is text too: it may be the name of a category.

    Parameters
    ----------
    values : Series of shape (n,)
        A column of a CSV file.
    decimal : str
        Decimal mark.

    Returns
    -------
    Series of shape (n,)
        The column, with NaN for those words if the rest is numbers, dates or truth values.

    Examples
    --------
    >>> without_na_words(pd.Series(["1.5", "NA"])).tolist()
    [1.5, nan]
    >>> without_na_words(pd.Series(["x", "NA"])).tolist()
    ['x', 'NA']
    """
    words = values.isin(NA_WORDS)
    if not words.any():
        return values
    rest = values.where(~words)
    text = _as_text(rest)
    numbers = pd.to_numeric(text.str.replace(decimal, ".", regex=False), errors="coerce")
    if numbers.notna().equals(text.notna()):
        return numbers
    present = text.dropna()
    if present.str.lower().isin(("true", "false")).all():
        return text.map(lambda v: v if v != v else v.lower() == "true").astype(object)
    return rest if present.str.fullmatch(DATE_PATTERN).all() else values


def _check_real(values: pd.Series) -> ColumnKind:
    if types.is_complex_dtype(values.dtype):
        raise InputError(f"column {values.name!r} holds complex numbers; drop it with --drop.")
    return "number"


def _kind_of_objects(name: Any, present: pd.Series) -> ColumnKind:
    found = set(present.map(type).unique())
    if found == {bool}:
        return "boolean"
    if found <= {int, float, Decimal}:
        return "number"
    if any(hasattr(kind, "__len__") and kind is not str for kind in found):
        odd = next(kind.__name__ for kind in found if kind is not str)
        raise InputError(
            f"column {name!r} holds {odd} objects; give numbers, text, dates or booleans, "
            "or drop it with --drop."
        )
    text = _as_text(present)
    head = text.iloc[:100]
    if head.str.fullmatch(DATE_PATTERN).all() and text.str.fullmatch(DATE_PATTERN).all():
        return "date"
    return "category"


def _as_text(values: pd.Series) -> pd.Series:
    """Text with NaN for what is missing, in object dtype whatever the pandas version."""
    present = values.notna().to_numpy()
    out = np.full(len(values), np.nan, dtype=object)
    out[present] = [str(value).strip() for value in values[present]]
    return pd.Series(out, index=values.index, name=values.name, dtype=object)


def _numbers(values: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(values, errors="coerce").astype("float64")
    _refuse(values, numbers, "a number")
    if np.isinf(numbers.to_numpy()).any():
        raise InputError(
            f"column {values.name!r} holds infinite values; replace them or leave them empty."
        )
    return numbers


def _booleans(values: pd.Series) -> pd.Series:
    truth = _as_text(values).map(lambda v: v if v != v else TRUTH.get(v.lower(), np.nan))
    truth = truth.astype("float64")
    _refuse(values, truth, "true or false")
    return truth


def _days(values: pd.Series) -> pd.Series:
    if not types.is_datetime64_any_dtype(values.dtype):
        values = _as_text(values)
    moments = pd.to_datetime(values, errors="coerce", utc=True, format="ISO8601")
    _refuse(values, moments, "a date like 2024-01-31")
    outside = (moments < pd.Timestamp.min.tz_localize("UTC")) | (
        moments > pd.Timestamp.max.tz_localize("UTC")
    )
    if outside.any():
        raise InputError(
            f"column {values.name!r} holds {str(values[outside].iloc[0])!r}; dates must lie "
            "between 1678 and 2261. Correct it, leave it empty, or drop the column with --drop."
        )
    return (moments - pd.Timestamp(0, tz="UTC")).dt.total_seconds() / SECONDS_PER_DAY


def _refuse(values: pd.Series, converted: pd.Series, wanted: str) -> None:
    """Name the first value that could not be converted."""
    lost = values.notna().to_numpy() & converted.isna().to_numpy()
    if lost.any():
        row = int(np.flatnonzero(lost)[0])
        raise InputError(
            f"column {values.name!r} holds {values.iloc[row]!r} in row {row + 1}, "
            f"where the model expects {wanted}."
        )


CONVERTERS = {
    "number": _numbers,
    "boolean": _booleans,
    "date": _days,
    "category": _as_text,
}


MOST_NUMERIC_CLASSES = 50
MOST_FRACTIONAL_CLASSES = 10
WHOLE = re.compile(r"[-+]?\d{1,300}")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
INT64 = np.iinfo(np.int64)


def exact_numbers(texts: pd.Series, decimal: str = ".") -> pd.Series:
    """Turn a column of text into Python numbers if every cell is a number, without rounding.

    Parameters
    ----------
    texts : Series of shape (n,)
        Text, NaN where a cell is empty.
    decimal : str
        Decimal mark.

    Returns
    -------
    Series of shape (n,)
        Objects: int for whole numbers of any size, float for others; or the text as it was.

    Examples
    --------
    >>> exact_numbers(pd.Series(["9007199254740993", "1.5"])).tolist()
    [9007199254740993, 1.5]
    >>> exact_numbers(pd.Series(["1", "NA"])).tolist()
    ['1', 'NA']
    """
    present = texts.notna().to_numpy()
    cells = [str(cell).strip().replace(decimal, ".") for cell in texts[present]]
    if not all(map(NUMBER.fullmatch, cells)):
        return texts
    numbers = [int(cell) if WHOLE.fullmatch(cell) else float(cell) for cell in cells]
    if any(isinstance(number, float) and math.isinf(number) for number in numbers):
        return texts
    out = np.full(len(texts), np.nan, dtype=object)
    out[present] = numbers
    return pd.Series(out, index=texts.index, name=texts.name, dtype=object)


def class_labels(values: pd.Series, name: str = "table") -> NDArray:
    """Labels of a target column without missing cells.

    Parameters
    ----------
    values : Series of shape (n,)
        The target column.
    name : str
        What to call the table in an error.

    Returns
    -------
    ndarray of shape (n,)
        Integers where the column holds whole numbers of 64 bits, else text without blanks
        around it.

    Raises
    ------
    InputError
        If there is a single class, if cells are lists, or if it looks like regression.

    Examples
    --------
    >>> class_labels(pd.Series([2.0, 1.0])).tolist()
    [2, 1]
    >>> class_labels(pd.Series([1e20, 2e20])).tolist()
    ['100000000000000000000', '200000000000000000000']
    """
    cells = values.tolist()
    nested = next((cell for cell in cells if types.is_list_like(cell)), None)
    if nested is not None:
        raise InputError(
            f"the target column {values.name!r} of {name} holds {type(nested).__name__} objects; "
            "give text, whole numbers or booleans, or name another --target."
        )
    numeric = _all_numbers(values, cells)
    labels = cells if numeric else [str(cell).strip() for cell in cells]
    distinct = set(labels)
    if len(distinct) < 2:
        raise InputError(
            f"the target column {values.name!r} of {name} holds a single class "
            f"({str(labels[0])!r}); at least two are needed."
        )
    return _number_labels(labels, distinct, values.name) if numeric else np.array(labels)


def _all_numbers(values: pd.Series, cells: list[Any]) -> bool:
    if types.is_object_dtype(values.dtype):
        return all(type(cell) in (int, float, Decimal) for cell in cells)
    return types.is_numeric_dtype(values.dtype) and not types.is_bool_dtype(values.dtype)


def _number_labels(numbers: list[Any], distinct: set[Any], target: Any) -> NDArray:
    whole = all(_is_whole(number) for number in distinct)
    if len(distinct) > (MOST_NUMERIC_CLASSES if whole else MOST_FRACTIONAL_CLASSES):
        raise InputError(
            f"the target column {target!r} holds {len(distinct)} different numbers, which looks "
            "like regression; group them into classes first, or name another --target."
        )
    if not whole:
        return np.array([_spelling(number) for number in numbers])
    integers = [int(number) for number in numbers]
    small = min(integers) >= INT64.min and max(integers) <= INT64.max
    return np.array(integers, dtype=np.int64) if small else np.array([str(i) for i in integers])


def _is_whole(number: Any) -> bool:
    return isinstance(number, int) or (math.isfinite(number) and number == int(number))


def _spelling(number: Any) -> str:
    """One text for one value: ``1`` and ``1.0`` are the same class."""
    return str(float(number)) if float(number) == number else str(number)
