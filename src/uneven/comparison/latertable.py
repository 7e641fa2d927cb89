"""Tables that come after a model was fitted: read as the one that it learnt from."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pandas as pd

from uneven.comparison.joined import join_tables
from uneven.comparison.schema import Schema
from uneven.comparison.tables import AUTO, read_table


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
        Column by which several tables are joined.

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
    if on is not None:
        frame = join_tables(table, on, encoding=encoding, text_columns=text, decimal=".")
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
    notes: list[str] = []
    return frame, schema.convert(frame, notes), notes
