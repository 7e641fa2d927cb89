"""Numbers by row, column and measure: as printed, read from tables of text, and as measured."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

Key = tuple[str, str, str]
"""Row, column, measure."""


@dataclass(frozen=True)
class Numbers:
    """What a claim may ask: means by row, column and measure.

    Attributes
    ----------
    values : dict of (row, column, measure) to Value or Summary
    """

    values: Mapping[Key, Any] = field(default_factory=dict)

    def mean(self, row: str, column: str, measure: str) -> Any:
        """Mean, a number or an array; None if it is unknown."""
        found = self.values.get((row, column, measure))
        return None if found is None or np.all(np.isnan(found.mean)) else found.mean

    @property
    def rows(self) -> tuple[str, ...]:
        """Rows in the order of the print or of the study."""
        return tuple(dict.fromkeys(row for row, _, _ in self.values))

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns in the order of the print or of the answers."""
        return tuple(dict.fromkeys(column for _, column, _ in self.values))


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds.

    Attributes
    ----------
    held : bool or None
        None if the numbers cannot tell.
    detail : str
        Such as "5 of 6 rows; not Wine".
    """

    held: bool | None
    detail: str = ""


@dataclass(frozen=True)
class Value:
    """A printed number.

    Attributes
    ----------
    mean : float or ndarray
        An array for curves and matrices, NaN where the print cannot be read.
    deviation : float or ndarray or None
    mark : str
        Sign of significance, if any.
    """

    mean: Any
    deviation: Any = None
    mark: str = ""


@dataclass(frozen=True)
class Printed(Numbers):
    """Everything that was printed.

    Attributes
    ----------
    values : dict of (row, column, measure) to Value
    """

    def __or__(self, other: Printed) -> Printed:
        return Printed({**self.values, **other.values})


@dataclass(frozen=True)
class Summary:
    """Samples in short.

    Attributes
    ----------
    mean, deviation : float or ndarray
        Over the samples; the deviation divides by n - 1 and is NaN for a single sample.
    n : int
        Number of samples.
    samples : ndarray of shape (n_places,) or None
        Kept for single numbers only, not for curves and matrices; NaN are samples that do not
        exist, so that the others keep their places.
    repeats : ndarray of shape (n_places,) or None
        Repetition that each of them comes from, if that is known.
    """

    mean: Any
    deviation: Any
    n: int
    samples: NDArray[np.float64] | None = None
    repeats: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, values: NDArray[np.float64], repeats: NDArray[np.int64] | None = None) -> Summary:
        """Sum up samples of shape (n_places, ...); NaN are samples that do not exist."""
        counted = np.isfinite(values).sum(axis=0)
        total = np.where(np.isfinite(values), values, 0.0).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(counted > 0, total / np.maximum(counted, 1), np.nan)
            apart = np.where(np.isfinite(values), values - mean, 0.0)
            deviation = np.where(
                counted > 1, np.sqrt((apart**2).sum(axis=0) / np.maximum(counted - 1, 1)), np.nan
            )
        if values.ndim == 1:
            return cls(float(mean), float(deviation), int(counted), values, repeats)
        return cls(mean, deviation, int(np.max(counted, initial=0)))


@dataclass(frozen=True)
class Measured(Numbers):
    """Everything that was measured.

    Attributes
    ----------
    values : dict of (row, column, measure) to Summary
    """

    @classmethod
    def gather(
        cls,
        found: Iterable[tuple[str, Mapping[str, Mapping[str, Any]]]],
        repeats: Iterable[int] | None = None,
    ) -> Measured:
        """Join the answers of cells.

        Parameters
        ----------
        found : iterable of (row, answers)
            In the order of repetitions.
        repeats : iterable of int, optional
            Repetition of each cell; if left out, the cells are one repetition each.

        Returns
        -------
        Measured
        """
        parts: dict[Key, list[tuple[int, NDArray[np.float64]]]] = {}
        for repeat, (row, answers) in zip(count() if repeats is None else repeats, found):
            for column, measures in answers.items():
                for measure, values in measures.items():
                    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
                    parts.setdefault((row, column, measure), []).append((repeat, array))
        return cls({key: _joined(some) for key, some in parts.items()})


def complete_table(
    numbers: Numbers, measure: str, order: Sequence[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray]:
    r"""Single numbers of a measure, without rows that lack one.

    Parameters
    ----------
    numbers : Numbers
    measure : str
    order : sequence of str
        Columns that take part, if they have any number; all if empty.

    Returns
    -------
    rows, columns : tuple of str
    values : ndarray of shape (n_rows, n_columns)

    Examples
    --------
    >>> from uneven_published.numbers import printed_table
    >>> table = printed_table("set | A | B\nx | 1 | 2\ny | 3 | -", "error")
    >>> complete_table(table, "error")
    (('x',), ('A', 'B'), array([[1., 2.]]))
    """
    mean = numbers.mean
    columns = tuple(
        column
        for column in order or numbers.columns
        if any(mean(row, column, measure) is not None for row in numbers.rows)
    )
    rows = tuple(
        row
        for row in numbers.rows
        if all(mean(row, column, measure) is not None for column in columns)
    )
    values = [[mean(row, column, measure) for column in columns] for row in rows]
    return rows, columns, np.array(values, dtype=np.float64).reshape(len(rows), len(columns))


def _joined(parts: list[tuple[int, NDArray[np.float64]]]) -> Summary:
    """Summary of the samples of several repetitions."""
    repeats = [np.full(len(values), repeat, dtype=np.int64) for repeat, values in parts]
    return Summary.of(np.concatenate([values for _, values in parts]), np.concatenate(repeats))


_NUMBER = re.compile(
    r"(?P<mean>[-+]?\d*\.?\d+)(?:\s*±\s*(?P<deviation>\d*\.?\d+))?\s*(?P<mark>[^\d\s.±]*)"
)
_ABSENT = {"-", ""}


def printed_table(text: str, measure: str | None = None) -> Printed:
    r"""Read a table as printed.

    Parameters
    ----------
    text : str
        Cells separated by ``|``. The first line names the columns after an empty or a naming
        cell; the others begin with the name of their row. A cell is ``mean``, ``mean ± deviation``
        or either with a mark such as ``*`` behind; ``-`` is an empty cell.
    measure : str, optional
        Measure of all cells; else each heading ends in it, as in ``CoMBo: norm``.

    Returns
    -------
    Printed

    Examples
    --------
    >>> table = printed_table("set | A | B\nwine | .50 ± .10* | -", "error")
    >>> table.values["wine", "A", "error"]
    Value(mean=0.5, deviation=0.1, mark='*')
    >>> table.mean("wine", "B", "error") is None
    True
    """
    lines = [line for line in text.strip().splitlines() if line.strip()]
    headings = [cell.strip() for cell in lines[0].split("|")][1:]
    values: dict[Key, Value] = {}
    for line in lines[1:]:
        row, *cells = (cell.strip() for cell in line.split("|"))
        if len(cells) != len(headings):
            raise ValueError(f"{len(cells)} cells for {len(headings)} headings in {line!r}.")
        for heading, cell in zip(headings, cells):
            if cell not in _ABSENT:
                values[row, *_heading(heading, measure)] = _value(cell)
    return Printed(values)


def printed_methods(text: str, row: str) -> Printed:
    r"""Read a table with a line per method and a column per measure: one row of an exhibit.

    Parameters
    ----------
    text : str
        As for `printed_table`; headings are the measures.
    row : str
        Row that all of it belongs to.

    Returns
    -------
    Printed

    Examples
    --------
    >>> printed_methods("method | error | norm\nA | .5 | .7", "wine").mean("wine", "A", "norm")
    0.7
    """
    table = printed_table(text, "")
    return Printed({(row, name, key): value for (name, key, _), value in table.values.items()})


def printed_curve(
    row: str,
    column: str,
    measure: str,
    x: tuple[float, ...],
    points: dict[float, float],
    deviations: dict[float, float] | None = None,
) -> Printed:
    """Some points of a printed curve, NaN at the other places of `x`.

    Examples
    --------
    >>> printed_curve("a", "b", "c", (0, 10, 20), {10: 0.5}).mean("a", "b", "c").tolist()
    [nan, 0.5, nan]
    """
    unknown = set(points) - set(x)
    if unknown:
        raise ValueError(f"no place for the printed points {sorted(unknown)} on the axis.")
    mean = np.array([points.get(place, np.nan) for place in x])
    apart = deviations and np.array([deviations.get(place, np.nan) for place in x])
    return Printed({(row, column, measure): Value(mean, apart)})


def _heading(heading: str, measure: str | None) -> tuple[str, str]:
    if measure is not None:
        return heading, measure
    column, _, key = heading.rpartition(":")
    return column.strip(), key.strip()


def _value(cell: str) -> Value:
    found = _NUMBER.fullmatch(cell)
    if found is None:
        raise ValueError(f"{cell!r} is not a printed number.")
    deviation = found["deviation"]
    spread = None if deviation is None else float(deviation)
    return Value(float(found["mean"]), spread, found["mark"])
