"""Printed tables as text: a heading, then one line per row."""

from __future__ import annotations

import re

import numpy as np

from uneven_published.numbers import Key, Printed, Value

__all__ = ["printed_curve", "printed_methods", "printed_table"]

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
