"""Files of labels as tables to learn from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pandas as pd

from uneven.comparison.errors import InputError
from uneven.comparison.labelfile import LABEL, OURS, SKIP
from uneven.comparison.labels import exact_numbers
from uneven.utils.registry import listing

__all__ = ["LabelledTable", "labelled_table"]

NUMBER = "row"


@dataclass(frozen=True)
class LabelledTable:
    """What of a table is to be learnt from.

    Attributes
    ----------
    frame : DataFrame of shape (n_rows, n_columns)
        Without rows that nobody could label.
    bookkeeping : tuple of str
        Columns about the labelling: they would tell the answer, and new rows do not have them.
    notes : tuple of str
        What the reader should know.
    """

    frame: pd.DataFrame
    bookkeeping: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def labelled_table(
    frame: pd.DataFrame, target: str, keep: Collection[str] = (), name: str = "table"
) -> LabelledTable:
    """Recognise a file of labels by its columns.

    Parameters
    ----------
    frame : DataFrame of shape (n_rows, n_columns)
    target : str
        Column to predict.
    keep : collection of str
        Columns to learn from all the same.
    name : str
        What to call the table.

    Returns
    -------
    LabelledTable
        The table as it is, if it is no file of labels.

    Raises
    ------
    InputError
        If no row has a label.

    Examples
    --------
    >>> columns = ["row", "label", "guess", "votes", "why", "check", "size"]
    >>> cells = [[3, "a", "", "", "", "c1", 1.5], [1, "?", "a", "", "", "c2", 2.5]]
    >>> found = labelled_table(pd.DataFrame(cells, columns=columns), "label")
    >>> found.frame["row"].tolist(), found.bookkeeping
    ([3], ('row', 'guess', 'votes', 'why', 'check'))
    """
    if target != LABEL or not set(OURS) <= set(frame.columns):
        return LabelledTable(frame)
    about = [_key(frame), *(column for column in OURS if column != LABEL)]
    bookkeeping = tuple(column for column in about if column and column not in keep)
    notes = [f"{name} is a file of labels; not learnt from are its columns {listing(bookkeeping)}."]
    skipped = frame[LABEL].astype(str).str.strip() == SKIP
    if skipped.any():
        count = int(skipped.sum())
        notes.append(f"{count} row{'s' * (count > 1)} labelled {SKIP!r} cannot be learnt from.")
        frame = frame[~skipped].reset_index(drop=True)
        frame[LABEL] = exact_numbers(frame[LABEL])
    if not frame[LABEL].notna().any():
        raise InputError(f"{name} has no labels yet; fill in its column {LABEL!r}.")
    return LabelledTable(frame, bookkeeping, tuple(notes))


def _key(frame: pd.DataFrame) -> str | None:
    """Column that names the rows: the nearest before the label that tells them apart.

    A row may be labelled twice; then it is the column right before the label.
    """
    before = frame.columns[: frame.columns.get_loc(LABEL)]
    filled = {name: frame[name].dropna() for name in before}
    apart = [name for name, cells in filled.items() if len(cells) and cells.is_unique]
    if len(before) and (before[-1] == NUMBER or not apart):
        return str(before[-1])
    return str(apart[-1]) if apart else NUMBER if NUMBER in frame.columns else None
