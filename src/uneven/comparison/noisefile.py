"""Noise matrices as a person writes them: a small table with a row per observed label.

In the usual form the first line names the true classes and the first column the observed labels::

    observed,cat,dog
    cat,0.9,0.3
    dog,0.1,0.7

Of all cats, 90 % are labelled cat: columns sum to 1. A square of bare numbers is taken in the
sorted order of the classes. JSON files hold either a list of rows, or for each true class an
object with the share of each observed label.

An estimated matrix also contains the number of rows of each true class that it is based on: in the
first cell, as in ``observed (rows: 40 10)``, where programs that read tables look for nothing, or
in JSON as ``{"matrix": ..., "rows": {"cat": 40, "dog": 10}}``.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from uneven.comparison.classmatrix import Cells, Words, in_class_order, matrix_cells, number_of
from uneven.comparison.errors import InputError
from uneven.comparison.tables import AUTO, PARQUET_SUFFIXES, check_ending, check_file
from uneven.noise import check_noise_matrix
from uneven.utils.files import replace_file

CORNER = "observed"
"""What stands above the names of the observed labels."""

ROWS = re.compile(r"\(rows: ([0-9.e+ ]+)\)$")
"""How the cell above these names tells the rows behind each column."""

ROUNDING, MOST_ROUNDING = 0.005, 0.05
"""What rounding may cost a column for each of its cells, and altogether."""

WORDS = Words("noise matrix", "the true classes", "the observed labels", "a share between 0 and 1")


@dataclass(frozen=True)
class NoiseFile:
    """Label noise as read from a file.

    Attributes
    ----------
    matrix : ndarray of shape (K, K)
        Row = observed label, column = true class, in the order of the classes; columns sum to 1.
    rows : ndarray of shape (K,) or None
        How many rows of each true class it was estimated from; None if the file does not tell.
    """

    matrix: NDArray[np.float64]
    rows: NDArray[np.float64] | None = None


def read_noise_matrix(
    path: str | Path, classes: NDArray, encoding: str = AUTO
) -> NDArray[np.float64]:
    """The matrix of `read_noise_file`.

    Parameters
    ----------
    path, classes, encoding
        As there.

    Returns
    -------
    ndarray of shape (K, K)
    """
    return read_noise_file(path, classes, encoding).matrix


def read_noise_file(path: str | Path, classes: NDArray, encoding: str = AUTO) -> NoiseFile:
    r"""Read a noise matrix from a CSV, TSV, JSON or Parquet file.

    Parameters
    ----------
    path : str or Path
        The file.
    classes : ndarray of shape (K,)
        Class labels of the table that the matrix belongs to, sorted.
    encoding : str
        Encoding of a text file.

    Returns
    -------
    NoiseFile
        Column sums that are off by at most 0.005 for each class (and 0.05 altogether) count as
        rounding and are made 1.

    Raises
    ------
    InputError
        If the file cannot be read, names other classes, or does not hold such a matrix.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "noise.csv"
    >>> _ = path.write_text("observed (rows: 10 40),dog,cat\ndog,0.7,0.1\ncat,0.3,0.9\n")
    >>> found = read_noise_file(path, np.array(["cat", "dog"]))
    >>> found.matrix
    array([[0.9, 0.3],
           [0.1, 0.7]])
    >>> found.rows
    array([40., 10.])
    """
    path = Path(path)
    try:
        return check_noise(_cells(path, encoding), classes)
    except InputError as error:
        told = _about_it(str(error), path).removeprefix("--noise-matrix: ")
        raise InputError(f"--noise-matrix {path}: {told}") from error


def check_noise(cells: Cells, classes: NDArray) -> NoiseFile:
    """The noise matrix of a table with or without names, in the order of the classes.

    Parameters
    ----------
    cells : list of lists
        Numbers, in the order of the classes; or the true classes in the first row, the observed
        labels in the first column.
    classes : ndarray of shape (K,)
        Class labels, sorted.

    Raises
    ------
    InputError
        If it names other classes or is no such matrix.
    """
    try:
        found = _in_class_order(cells, classes)
        matrix = _without_rounding(found.matrix)
        _check_shares(matrix, classes)
        return replace(found, matrix=check_noise_matrix(matrix))
    except InputError as error:
        raise InputError(f"--noise-matrix: {error}") from error
    except ValueError as error:
        reason = str(error).removeprefix("noise_matrix: ").removeprefix("noise_matrix ")
        reason = reason.replace("pass matrix.T", "swap rows and columns")
        raise InputError(f"--noise-matrix: {reason}") from error


def write_noise_matrix(
    matrix: NDArray[np.float64],
    classes: Sequence[object],
    path: str | Path,
    rows: NDArray[np.float64] | None = None,
) -> None:
    """Write a noise matrix in the form that `read_noise_matrix` reads, whole or not at all.

    Parameters
    ----------
    matrix : ndarray of shape (K, K)
        Row = observed label, column = true class.
    classes : sequence of length K
        Class labels, in order.
    path : str or Path
        ``.json``, ``.parquet`` and ``.tsv`` choose the format; ``.csv``, ``.txt`` and no ending
        are written as CSV.
    rows : ndarray of shape (K,), optional
        Number of rows of each true class that the matrix was estimated from.

    Raises
    ------
    InputError
        If the ending of the file is another one.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "noise.csv"
    >>> write_noise_matrix(np.array([[0.9, 0.3], [0.1, 0.7]]), ["cat", "dog"], path)
    >>> print(path.read_text())
    observed,cat,dog
    cat,0.9,0.3
    dog,0.1,0.7
    """
    path, names = Path(path), [str(label) for label in classes]
    check_ending(path)
    sizes = [] if rows is None else [float(f"{size:.4g}") for size in rows]
    corner = f"{CORNER} (rows: {' '.join(f'{size:g}' for size in sizes)})" if sizes else CORNER
    frame = pd.DataFrame(matrix, index=pd.Index(names, name=corner), columns=names)
    kind = path.suffix.lower()
    with replace_file(path) as draft:
        if kind in PARQUET_SUFFIXES:
            buffer = io.BytesIO()
            frame.reset_index().to_parquet(buffer, index=False)
            draft.write_bytes(buffer.getvalue())
        elif kind == ".json":
            content: dict[Any, Any] = frame.to_dict()
            if sizes:
                content = {"matrix": content, "rows": dict(zip(names, sizes))}
            text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
            draft.write_text(text, encoding="utf-8")
        else:
            text = frame.to_csv(sep="\t" if kind == ".tsv" else ",", lineterminator="\n")
            draft.write_text(text, encoding="utf-8", newline="")


def _about_it(message: str, path: Path) -> str:
    return message.replace(f"file {path}", "such file").replace(str(path), "it")


def _cells(path: Path, encoding: str) -> Cells:
    json_file = path.suffix.lower() == ".json"
    return _json_cells(path, encoding) if json_file else matrix_cells(path, encoding)


def _json_cells(path: Path, encoding: str) -> Cells:
    check_file(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig" if encoding == AUTO else encoding))
    except (ValueError, LookupError, RecursionError) as error:
        raise InputError(f"it is not a JSON file: {error}.") from None
    corner = ""
    if isinstance(content, dict) and isinstance(content.get("matrix"), dict | list):
        inner, sizes = content["matrix"], content.get("rows")
        nested = isinstance(inner, list) or all(isinstance(v, dict) for v in inner.values())
        if nested and set(content) <= {"matrix", "rows"}:
            content, corner = inner, _json_corner(inner, sizes)
    if content and isinstance(content, dict) and all(isinstance(p, dict) for p in content.values()):
        labels = list(dict.fromkeys(label for part in content.values() for label in part))
        body = [[label, *(part.get(label, 0.0) for part in content.values())] for label in labels]
        return [[corner, *content], *body]
    if isinstance(content, list) and all(isinstance(row, list) for row in content):
        return content
    raise InputError(
        "a JSON file must hold a list of rows, or an object with the shares of the labels of each "
        'true class, as in {"cat": {"cat": 0.9, "dog": 0.1}, ...}.'
    )


def _json_corner(matrix: Any, sizes: Any) -> str:
    """What would stand in the first cell of a CSV file."""
    known = isinstance(matrix, dict) and isinstance(sizes, dict) and set(sizes) == set(matrix)
    return f"(rows: {' '.join(str(sizes[name]) for name in matrix)})" if known else ""


def _in_class_order(cells: Cells, classes: NDArray) -> NoiseFile:
    """Numbers of a table with or without names, in the order of the classes."""
    matrix, order = in_class_order(cells, classes, WORDS)
    sizes = None if order is None else _sizes(str(cells[0][0]), len(order))
    return NoiseFile(matrix, None if sizes is None else sizes[order])


def _sizes(corner: str, n_classes: int) -> NDArray[np.float64] | None:
    """How many rows stand behind each column, if the first cell tells."""
    told = ROWS.search(corner)
    numbers = [number_of(word) for word in told.group(1).split()] if told else []
    sizes = np.array([np.nan if number is None else number for number in numbers])
    return sizes if len(sizes) == n_classes and np.isfinite(sizes).all() else None


def _without_rounding(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Let the columns, or else the rows, sum to 1 where rounding may be what is missing."""
    most = min(ROUNDING * len(matrix), MOST_ROUNDING) + 1e-9
    for axis in (0, 1):
        sums = matrix.sum(axis=axis, keepdims=True)
        if np.isfinite(sums).all() and np.abs(sums - 1.0).max() <= most:
            return matrix / sums
    return matrix


def _check_shares(matrix: NDArray[np.float64], classes: NDArray) -> None:
    """Say of which kind numbers are that are no shares, and which column does not sum to 1."""
    sums = matrix.sum(axis=0)
    across = np.abs(matrix.sum(axis=1) - 1.0).max()
    if not np.isfinite(matrix).all() or (matrix < 0.0).any() or across <= 1e-8:
        return
    if np.abs(sums - 100.0).max() <= 100.0 * MOST_ROUNDING:
        raise InputError("its columns sum to 100, as percentages do; divide every number by 100.")
    if (matrix == np.round(matrix)).all() and sums.max() > 1.0:
        raise InputError(
            "it holds whole numbers, as counts are; divide every number by the sum of its column."
        )
    worst = int(np.abs(sums - 1.0).argmax())
    if abs(sums[worst] - 1.0) > 1e-8:
        raise InputError(
            f"the column of class {str(classes[worst])!r} sums to {sums[worst]:.6g}, but the "
            "labels of every true class must sum to 1."
        )
