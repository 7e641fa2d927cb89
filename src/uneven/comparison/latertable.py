"""Tables that come after a model was fitted: read as its training table was."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from uneven.comparison.joined import join_tables
from uneven.comparison.schema import Schema
from uneven.comparison.tables import AUTO, read_table
from uneven.utils.registry import listing


def read_later_table(
    table: Any,
    schema: Schema,
    *,
    label: str | None = None,
    text_columns: Collection[str] = (),
    encoding: str = AUTO,
    sheet: str | None = None,
    on: str | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Read a file as a schema says.

    Nothing is decided anew: cells in which a mark could mean two things reach the schema as text.

    Parameters
    ----------
    table : path, or tables to join
    schema : Schema
    label : str, optional
        Column of class labels, if there is one.
    text_columns : collection of str
        Further columns to keep as text.
    encoding, sheet
        As in `read_table`.
    on : str, optional
        Column by which several tables are joined. A view of which there is no table is missing in
        every row.

    Returns
    -------
    frame : DataFrame of shape (n, any)
        The table as it is written.
    X : DataFrame of shape (n, n_columns)
        What `Schema.convert` makes of it.
    notes : list of str
        How it differs from the table of the schema, see `Schema.convert`.
    """
    text = [*schema.as_written(), *text_columns]
    notes: list[str] = []
    if on is not None:
        joined = join_tables(table, on, encoding=encoding, text_columns=text, decimal=".", fewest=1)
        frame = with_absent_views(joined, schema, notes)
    else:
        frame = read_table(
            Path(table),
            expected=schema.names if label is None else [*schema.names, label],
            text_columns=text,
            label=label,
            encoding=encoding,
            sheet=sheet,
            decimal=".",
        )
    return frame, schema.convert(frame, notes), notes


def with_absent_views(frame: pd.DataFrame, schema: Schema, notes: list[str]) -> pd.DataFrame:
    """Add empty columns for views of which a joined table has none, if it has another view.

    Parameters
    ----------
    frame : DataFrame of shape (n, any)
    schema : Schema
        Its columns are called ``view__column``.
    notes : list of str
        Gets a sentence about them.

    Examples
    --------
    >>> from uneven.comparison.schema import Column
    >>> schema = Schema((Column("words__n", "number"), Column("sound__pitch", "number")))
    >>> told = []
    >>> with_absent_views(pd.DataFrame({"words__n": [3.0]}), schema, told)
       words__n  sound__pitch
    0       3.0           NaN
    >>> told
    ["no table is given for the view 'sound': it is missing in every row."]
    """
    columns_of: dict[str, list[str]] = {}
    for name in schema.names:
        columns_of.setdefault(name.split("__")[0], []).append(name)
    absent = [view for view, own in columns_of.items() if not set(own) & set(frame.columns)]
    if not absent or len(absent) == len(columns_of):
        return frame
    views = "view" if len(absent) == 1 else "views"
    them = "it is" if len(absent) == 1 else "they are"
    notes.append(
        f"no table is given for the {views} {listing(absent)}: {them} missing in every row."
    )
    empty = [name for view in absent for name in columns_of[view]]
    attrs = frame.attrs
    frame = pd.concat([frame, pd.DataFrame(np.nan, frame.index, empty)], axis=1)
    frame.attrs = attrs
    return frame
