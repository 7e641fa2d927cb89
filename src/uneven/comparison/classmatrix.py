"""Square tables of numbers with a row and a column per class, as a person writes them.

The first line and the first column name the classes, in any order; a square of bare numbers is
taken in the sorted order of the classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven.comparison.errors import InputError
from uneven.comparison.tables import PARQUET_SUFFIXES, check_file, read_cells, read_table
from uneven.utils.registry import closest, listing

Cells = list[list[Any]]


@dataclass(frozen=True)
class Words:
    """What errors call the table.

    Attributes
    ----------
    what : str
        Such as "noise matrix".
    first_line, first_column : str
        What they name.
    cell : str
        What a cell must hold.
    """

    what: str
    first_line: str
    first_column: str
    cell: str


def matrix_cells(path: Path, encoding: str) -> Cells:
    """Cells of a CSV, TSV or Parquet file.

    A file without commas is cut at its blanks, and a first line that lacks the cell above the
    first column gets it.
    """
    check_file(path)
    if path.suffix.lower() in PARQUET_SUFFIXES:
        frame = read_table(path)
        rows = frame.to_numpy(dtype=object).tolist()
        numbers = all(isinstance(cell, int | float) for row in rows for cell in row)
        return rows if numbers and len(rows) == frame.shape[1] else [list(frame.columns), *rows]
    rows = read_cells(path, encoding)
    if all(len(row) == 1 for row in rows):
        rows = [row[0].split() for row in rows]
    short = len(rows) > 1 and len(rows[0]) == len(rows[1]) - 1
    return [["", *rows[0]], *rows[1:]] if short else rows


def in_class_order(
    cells: Cells, classes: NDArray, words: Words
) -> tuple[NDArray[np.float64], list[int] | None]:
    """Numbers of a table with or without names, in the order of the classes.

    Parameters
    ----------
    cells : list of lists
    classes : ndarray of shape (K,)
        Class labels, sorted.
    words : Words

    Returns
    -------
    matrix : ndarray of shape (K, K)
    columns : list of int or None
        Which column of the table each class has; None without names.

    Raises
    ------
    InputError
        If it is not square, names other classes, or holds anything but numbers.

    Examples
    --------
    >>> words = Words("cost matrix", "the predicted classes", "the true classes", "a price")
    >>> in_class_order([["", "b", "a"], ["a", 5, 0], ["b", 0, 1]], np.array(["a", "b"]), words)[0]
    array([[0., 5.],
           [1., 0.]])
    """
    widths = sorted({len(row) for row in cells})
    if not cells or widths == [0]:
        raise InputError("it holds no numbers.")
    if len(widths) > 1:
        raise InputError(f"its rows differ in length: {listing(widths)} cells.")
    if isinstance(cells[0][0], bool) or number_of(cells[0][0]) is not None:
        return _bare(cells, classes, words), None
    columns, body = cells[0][1:], cells[1:]
    if not columns or not body or len(body) != len(columns):
        raise InputError(
            f"it has {len(body)} rows and {len(columns)} columns next to its names, but a "
            f"{words.what} is square: its first line must name {words.first_line}, its first "
            f"column {words.first_column}."
        )
    rows = _positions([row[0] for row in body], classes, "first column")
    order = _positions(columns, classes, "first line")
    values = [[_value(cell, words) for cell in row[1:]] for row in body]
    return np.array(values)[np.ix_(rows, order)], order


def refuse_unknown(cells: Cells, classes: NDArray) -> None:
    """Refuse a table that names a class which is none of some classes.

    Examples
    --------
    >>> refuse_unknown([["", "b", "c"], ["b", 5, 0], ["c", 0, 1]], np.array(["a", "b"]))
    Traceback (most recent call last):
    ...
    uneven.comparison.errors.InputError: its first column names 'c', which no row of the table ...
    """
    if not cells or not cells[0] or number_of(cells[0][0]) is not None:
        return
    _refuse_unknown([row[0] for row in cells[1:] if row], classes, "first column")
    _refuse_unknown(cells[0][1:], classes, "first line")


def number_of(cell: Any) -> float | None:
    """The number in a cell; None if it holds none."""
    try:
        return float(cell) if not isinstance(cell, bool) else None
    except (TypeError, ValueError):
        return None


def _bare(cells: Cells, classes: NDArray, words: Words) -> NDArray[np.float64]:
    n_classes = len(classes)
    if len(cells) != n_classes or len(cells[0]) != n_classes:
        raise InputError(
            f"it holds {len(cells)} x {len(cells[0])} numbers without names, but the table has "
            f"{n_classes} classes ({listing(classes)}); give {n_classes} x {n_classes}, or name "
            "the classes in the first line and the first column."
        )
    return np.array([[_value(cell, words) for cell in row] for row in cells])


def _positions(names: Sequence[Any], classes: NDArray, where: str) -> list[int]:
    """Where each class of the table stands among the names of the file."""
    found = [_spelling(name, classes) for name in names]
    wanted = [str(label) for label in classes]
    doubled = [name for name, count in Counter(found).items() if count > 1]
    if doubled:
        raise InputError(f"its {where} names {listing(doubled)} twice.")
    _refuse_unknown(names, classes, where)
    missing = [name for name in wanted if name not in found]
    if missing:
        raise InputError(f"its {where} lacks {listing(missing)}; name every class of the table.")
    return [found.index(name) for name in wanted]


def _refuse_unknown(names: Sequence[Any], classes: NDArray, where: str) -> None:
    wanted = [str(label) for label in classes]
    unknown = [name for name in (_spelling(one, classes) for one in names) if name not in wanted]
    if unknown:
        raise InputError(
            f"its {where} names {listing(unknown)}, which no row of the table is labelled; "
            f"{closest(unknown[0], wanted)}the classes are {listing(wanted)}."
        )


def _spelling(name: Any, classes: NDArray) -> str:
    """A name as the table spells its classes: ``1.0`` is the class 1 where classes are numbers."""
    number = number_of(name)
    if classes.dtype.kind in "iu" and number is not None and number.is_integer():
        return str(int(number))
    return str(name).strip()


def _value(cell: Any, words: Words) -> float:
    number = number_of(cell)
    if number is None:
        what = f"holds {str(cell)!r}" if str(cell).strip() else "has an empty cell"
        raise InputError(f"it {what} where {words.cell} must stand.")
    return number
