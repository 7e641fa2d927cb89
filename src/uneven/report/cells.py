"""Cells of a table for the report: short text, dates as dates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from uneven.comparison.problem import Problem
from uneven.comparison.results import Comparison
from uneven.comparison.schema import Column

MOST_COLUMNS = 40
LONGEST_CELL = 200


def shown_columns(results: Comparison, problem: Problem) -> list[Column]:
    """Columns that are shown for a row: all, or the ones that count most if they are many.

    In the order of the table. Importances are those of the best method that has any.
    """
    columns = list(problem.schema.columns)
    if len(columns) <= MOST_COLUMNS:
        return columns
    shares = (m.feature_share for m in results.ranked() if m.feature_share)
    telling = next((set(share.names) for share in shares), set())
    first = [c for c in columns if telling & {c.name, *problem.schema.encoded_names(c.name)}]
    rest = [c for c in columns if c not in first]
    chosen = {c.name for c in [*first, *rest][:MOST_COLUMNS]}
    return [c for c in columns if c.name in chosen]


def cell_texts(problem: Problem, column: Column, places: NDArray[np.intp]) -> list[str]:
    """The cells of a column in some rows.

    Parameters
    ----------
    problem : Problem
    column : Column
        One of its schema.
    places : ndarray of int, shape (n,)
        Positions among the rows of the problem.

    Returns
    -------
    list of str of length n
        As they were given if a frame was, else as they were read; empty if nothing is there.
    """
    if problem.given_table is not None:
        known = {str(name): name for name in problem.given_table.columns}
        if column.name in known:
            cells = problem.given_table[known[column.name]].iloc[places]
            return [cell_text(cell) for cell in cells.astype(object)]
    if problem.schema.sparse:
        j = problem.schema.names.index(column.name)
        values: Sequence[Any] = problem.X[places][:, [j]].toarray().ravel().tolist()
    else:
        values = problem.X[column.name].iloc[places].astype(object).tolist()
    if column.kind == "date":
        return [_date(value, bool(column.form.get("time"))) for value in values]
    if column.kind == "boolean":
        return ["" if pd.isna(v) else "true" if v else "false" for v in values]
    return [cell_text(value) for value in values]


def cell_text(value: Any) -> str:
    r"""A cell as short text.

    Examples
    --------
    >>> cell_text(1200.0), cell_text(float("nan")), cell_text(0.1 + 0.2), cell_text(" a\n b")
    ('1200', '', '0.3', 'a b')
    >>> len(cell_text("x" * 100_000))
    200
    """
    if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return ""
    if isinstance(value, float | np.floating):
        number = float(value)
        whole = number.is_integer() and abs(number) < 1e15
        return f"{number:.0f}" if whole else f"{number:.6g}"
    if isinstance(value, pd.Timestamp):
        return str(value.date()) if value == value.normalize() else str(value)
    plain = " ".join(str(value)[: 4 * LONGEST_CELL].split())
    return plain if len(plain) <= LONGEST_CELL else plain[: LONGEST_CELL - 1] + "…"


def column_title(column: Column) -> str:
    """Name of a column, with its unit."""
    unit = column.form.get("unit")
    return f"{column.name} ({unit})" if unit else column.name


def _date(days: float, clock: bool) -> str:
    if pd.isna(days):
        return ""
    seconds = np.datetime64(round(float(days) * 86400), "s")
    return str(seconds).replace("T", " ") if clock else str(seconds.astype("datetime64[D]"))
