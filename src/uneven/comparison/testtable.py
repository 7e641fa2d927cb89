"""A separate test table: methods are fitted to one table and predict another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from uneven.comparison.classlabels import exact_numbers
from uneven.comparison.errors import InputError
from uneven.comparison.folds import Split
from uneven.comparison.problem import Problem
from uneven.comparison.tables import AUTO, check_columns, read_table
from uneven.utils.registry import listing


def join_test(problem: Problem, test: Any, encoding: str = AUTO) -> tuple[Problem, Split]:
    """The rows of both tables, and which of them are training and test rows.

    Parameters
    ----------
    problem : Problem
        To learn from.
    test : path, frame of shape (m, any), or pair of (frame, labels)
        The test table, with the columns of the problem. A path or a single frame holds the target,
        too. Rows without a label are left out.
    encoding : str
        Of a text file.

    Returns
    -------
    problem : Problem
        Training rows, then test rows.
    split : (train, test)

    Raises
    ------
    InputError
        If columns or labels do not belong together.
    """
    from uneven.comparison.inputs import as_frame

    labels: Any = None
    if isinstance(test, str | Path):
        target, text = problem.target, problem.schema.as_written()
        given: Any = read_table(
            test, expected=[target], label=target, text_columns=text, encoding=encoding, decimal="."
        )
    elif isinstance(test, tuple) and len(test) == 2:
        given, labels = test
    else:
        given = test
    frame = as_frame(given)
    if not hasattr(given, "columns"):
        if frame.shape[1] != len(problem.given_columns):
            raise InputError(
                f"--test has {frame.shape[1]} columns, the table has {len(problem.given_columns)}."
            )
        frame.columns = pd.Index(problem.given_columns)
    if labels is None:
        check_columns(frame.columns, [problem.target], "--test: --target")
        labels = frame[problem.target]
    cells = pd.Series(np.asarray(labels, dtype=object)).reset_index(drop=True)
    if len(cells) != len(frame):
        raise InputError(f"--test has {len(frame)} rows, but {len(cells)} labels.")
    present = cells.notna().to_numpy()
    if not present.any():
        raise InputError("--test: no row has a label.")
    frame = frame.reset_index(drop=True)[present]
    return _joined(problem, frame, _labels_like(problem, cells[present]), present)


def _joined(
    problem: Problem, frame: pd.DataFrame, y: NDArray, present: NDArray[np.bool_]
) -> tuple[Problem, Split]:
    if problem.schema.sparse:
        raise InputError("--test needs columns with names, but the table is a sparse matrix.")
    told: list[str] = []
    X = problem.schema.convert(frame, told)
    n, m = len(problem.y), len(y)
    notes = [f"test table: {note}" for note in told]
    notes.append(f"{m} rows of the test table are predicted, {n} rows are used for training.")
    unknown = sorted(set(y.tolist()) - set(problem.classes.tolist()))
    if unknown:
        notes.append(
            f"the test table holds classes without training rows, {listing(map(str, unknown))}: "
            "they count as mistakes."
        )
    unlabelled = int((~present).sum())
    if unlabelled:
        notes.append(f"{unlabelled} rows of the test table have no label and are left out.")
    given, names = problem.given_table, problem.index
    named = names is not None and names.name in frame and names.name in problem.left_out
    rows = np.arange(n) if problem.rows is None else problem.rows
    both = replace(
        problem,
        X=pd.concat([problem.X, X], ignore_index=True),
        y=np.concatenate([problem.y, y]),
        notes=(*problem.notes, *notes),
        rows=np.concatenate([rows, np.flatnonzero(present)]),
        n_given=0,
        index=names.append(pd.Index(frame[names.name])) if names is not None and named else None,
        given_classes=None,
        given_table=None if given is None else pd.concat([given, frame], ignore_index=True),
        groups=None,
        times=None,
    )
    return both, (np.arange(n), np.arange(n, n + m))


def _labels_like(problem: Problem, cells: pd.Series) -> NDArray:
    """Labels spelt as those of the table to learn from."""
    if problem.y.dtype.kind in "iu":
        numbers = pd.to_numeric(exact_numbers(cells.astype(str)), errors="coerce")
        odd = numbers.isna() | (numbers % 1 != 0)
        if odd.any():
            raise InputError(
                f"--test holds the label {str(cells[odd].iloc[0])!r}, but the classes are numbers: "
                f"{listing(map(str, problem.classes))}."
            )
        return numbers.astype(problem.y.dtype).to_numpy()
    return np.array([str(cell).strip() for cell in cells])
