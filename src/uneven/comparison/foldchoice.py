"""Training and test rows, as the user chose them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from uneven.comparison.errors import InputError
from uneven.comparison.folds import (
    Split,
    fold_notes,
    past_folds,
    possible_folds,
    stratified_folds,
)
from uneven.comparison.problem import Problem
from uneven.comparison.schema import Schema
from uneven.comparison.tables import AUTO
from uneven.comparison.testtable import join_test


def given_folds(cv: Any, problem: Problem, repeats: int, seed: int) -> list[Split]:
    """Folds of a splitter, or given ones, each with training and test rows."""
    n, y = len(problem.y), problem.y
    total = problem.n_given or n
    rows = np.arange(n) if problem.rows is None else problem.rows
    kept, pairs = problem.groups, cv
    try:
        if isinstance(cv, int | np.integer):
            pairs = stratified_folds(problem, int(cv), int(repeats), seed, kept)
        elif repeats != 1:
            raise InputError(
                "--repeats belongs to a number of folds; a splitter repeats by itself."
            )
        elif hasattr(cv, "split") and not isinstance(cv, str):
            pairs = list(cv.split(problem.X, y, kept))
        elif isinstance(cv, str) or not isinstance(cv, Iterable):
            raise InputError(f"--cv must be a number, a splitter or pairs of rows, got {cv!r}.")
        found = [tuple(map(np.asarray, (train, test))) for train, test in pairs]
    except (TypeError, ValueError, IndexError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"--cv cannot split the {n} rows: {error}") from error
    if not found:
        raise InputError("--cv has no folds; give a number, a splitter or (train, test) pairs.")
    place = np.full(total, -1)
    place[rows] = np.arange(n)
    if pairs is not cv and all((part < n).all() for pair in found for part in pair):
        place = np.arange(n)  # a splitter counts the rows with a label, or all
    folds = [_fold(number, pair, place) for number, pair in enumerate(found, start=1)]
    for number, (train, _) in enumerate(folds, start=1):
        if len(np.unique(y[train])) < 2:
            raise InputError(f"fold {number} of --cv has a single class to learn from.")
    return folds


def folds_of_the_past(cv: Any, problem: Problem) -> list[Split]:
    """Folds that learn from the past."""
    if not isinstance(cv, int | np.integer):
        raise InputError("--time belongs to a number of folds; a splitter knows its own order.")
    times = np.asarray(problem.times, dtype=np.float64)
    return past_folds(problem, times, int(cv), problem.groups)


def with_order(problem: Problem, groups: Any, time: Any) -> Problem:
    """A problem with the groups and the times of its rows, if they were given as such."""
    rows = np.arange(len(problem.y)) if problem.rows is None else problem.rows
    total = problem.n_given or len(problem.y)
    if groups is not None:
        problem = replace(problem, groups=_groups(groups, total, rows))
    if time is not None:
        given = pd.Series(np.asarray(time)) if not hasattr(time, "to_numpy") else pd.Series(time)
        given = given.reset_index(drop=True)
        if given.shape != (total,):
            raise InputError(f"time must hold one value for each of the {total} rows of X.")
        schema = Schema.of(given.to_frame("time"))
        if schema.columns[0].kind not in ("date", "number"):
            raise InputError("time must hold dates or numbers.")
        times = schema.convert(given.to_frame("time"))["time"].to_numpy(np.float64)[rows]
        problem = replace(problem, times=times)
    return problem


def _fold(number: int, pair: Iterable[NDArray], place: NDArray[np.intp]) -> Split:
    """Training and test rows, counted among those with a label."""
    found = []
    for part, given in zip(("train on", "predict"), pair):
        rows = (
            np.flatnonzero(given) if given.shape == place.shape and given.dtype == bool else given
        )
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
            raise InputError(
                f"fold {number} of --cv must hold positions of rows, or one truth value for each "
                f"of the {len(place)} rows, got {given.dtype} of shape {given.shape}."
            )
        fits = rows.size and rows.min() >= 0 and rows.max() < len(place)
        rows = place[rows] if fits else rows[:0]
        found.append(rows[rows >= 0])
        if not found[-1].size:
            raise InputError(
                f"fold {number} of --cv has no rows to {part} among the {len(place)} rows."
            )
    if np.intersect1d(found[0], found[1]).size:
        raise InputError(f"fold {number} of --cv predicts rows that it is trained on.")
    if np.unique(found[1]).size < found[1].size:
        raise InputError(f"fold {number} of --cv predicts a row twice.")
    return found[0], found[1]


def _groups(given: Any, total: int, rows: NDArray[np.intp]) -> NDArray | None:
    """The groups of the rows with a label."""
    if given is None:
        return None
    groups = np.asarray(given)
    if groups.shape != (total,):
        raise InputError(
            f"groups must hold one group for each of the {total} rows of X, got "
            f"{repr(given) if groups.ndim == 0 else f'shape {groups.shape}'}."
        )
    return groups[rows]


@dataclass(frozen=True)
class ChosenFolds:
    """Rows of a comparison, and how they are divided.

    Attributes
    ----------
    problem : Problem
        All rows; those of a test table stand last.
    splits : list of (train, test) or None
        None for stratified folds, which are drawn later.
    folds, repeats : int
    notes : list of str
        What the reader should know.
    """

    problem: Problem
    splits: list[Split] | None
    folds: int
    repeats: int
    notes: list[str]


def choose_folds(
    problem: Problem, cv: Any, repeats: int, seed: int, *, test: Any = None, encoding: str = AUTO
) -> ChosenFolds:
    """Divide the rows of a problem, by a test table, its times, its groups, or a splitter.

    Parameters
    ----------
    problem : Problem
        With groups and times, if there are any.
    cv, repeats, test, encoding
        As in `uneven.compare`.
    seed : int
    """
    counted = isinstance(cv, int | np.integer)
    if counted and repeats < 1:
        raise InputError(f"--repeats is {repeats}; give 1 or more.")
    if test is not None:
        joined, pair = join_test(problem, test, encoding)
        return ChosenFolds(joined, [pair], 1, 1, [])
    if problem.times is not None:
        splits = folds_of_the_past(cv, problem)
        return ChosenFolds(problem, splits, len(splits), 1, [])
    if counted and problem.groups is None:
        told, folds = fold_notes(problem, int(cv)), possible_folds(problem, int(cv))
        return ChosenFolds(problem, None, folds, int(repeats), told)
    splits = given_folds(cv, problem, repeats, seed)
    return ChosenFolds(problem, splits, len(splits) // int(repeats), int(repeats), [])
