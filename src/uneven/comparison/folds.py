"""Folds that estimate how methods do on new rows: stratified, by groups, or by time.

A class with fewer rows than folds is held out in as many folds as it has rows. The row of a class
of one row is used for training in every fold and never held out: it cannot be evaluated.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from uneven.comparison.errors import InputError, check_fold_number
from uneven.comparison.labelcheck import check_repeated
from uneven.utils.registry import listing

if TYPE_CHECKING:
    from uneven.comparison.problem import Problem

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def possible_folds(problem: Problem, folds: int) -> int:
    """The number of folds, or as many as the largest class can fill.

    Raises
    ------
    InputError
        If there are fewer than two folds, or if no class has two rows.
    """
    check_fold_number(folds)
    largest = int(problem.class_counts.max())
    check_repeated(largest, problem.name)
    return min(folds, largest)


def fold_notes(problem: Problem, folds: int) -> list[str]:
    """Name the classes that are too small for the folds, and say what happens to them.

    Examples
    --------
    >>> import pandas as pd
    >>> from uneven.comparison import make_problem
    >>> frame = pd.DataFrame({"x": range(7), "label": list("aaaabbc")})
    >>> for note in fold_notes(make_problem(frame, "label"), 3):
    ...     print(note)
    class 'b' has fewer rows (2) than the 3 folds; it is held out in as many folds as it has rows.
    class 'c' has a single row; it is used for training in every fold, and cannot be evaluated.
    """
    possible, counts = possible_folds(problem, folds), problem.class_counts
    notes = []
    if possible < folds:
        notes.append(
            f"the largest class has {possible} rows: {possible} folds in place of {folds}."
        )
    single = problem.classes[counts == 1]
    small = problem.classes[(counts > 1) & (counts < possible)]
    if small.size:
        rows = ", ".join(str(count) for count in counts[(counts > 1) & (counts < possible)][:8])
        what, it, has = _words(small)
        be = "is" if small.size == 1 else "are"
        notes.append(
            f"{what} {has} fewer rows ({rows}) than the {possible} folds; {it} {be} held out in as "
            f"many folds as {it} {has} rows."
        )
    if single.size:
        what, it, has = _words(single)
        row, be = ("a single row", "is") if single.size == 1 else ("a single row each", "are")
        notes.append(
            f"{what} {has} {row}; {it} {be} used for training in every fold, and cannot be "
            "evaluated."
        )
    return notes


def _words(classes: NDArray) -> tuple[str, str, str]:
    if classes.size == 1:
        return f"class {str(classes[0])!r}", "it", "has"
    return f"classes {listing(classes)}", "they", "have"


def stratified_folds(
    problem: Problem, folds: int, repeats: int, seed: int, groups: NDArray | None = None
) -> list[Split]:
    """Positions of ``folds * repeats`` pairs (train, test) in which classes have their shares.

    With `groups`, one for each row, no group is in both parts of a pair.

    Parameters
    ----------
    problem : Problem
    folds, repeats, seed : int
    groups : ndarray of shape (n,), optional

    Returns
    -------
    list of (train, test)
        Pairs that hold nothing out, or whose training part has fewer than two classes, are left
        out.
    """
    folds = possible_folds(problem, folds)
    if groups is not None and len(np.unique(groups)) < folds:
        raise InputError(
            f"there are {len(np.unique(groups))} groups, fewer than the {folds} folds; use --cv "
            f"{max(len(np.unique(groups)), 2)}."
        )
    y, blank = problem.y, np.zeros(len(problem.y))
    seeds = np.random.RandomState(seed)
    pairs: list[Split] = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        for repeat in range(repeats):
            if groups is None:
                splitter = StratifiedKFold(folds, shuffle=True, random_state=seeds)
                pairs += list(splitter.split(blank, y))
            else:
                grouped = StratifiedGroupKFold(folds, shuffle=True, random_state=seed + repeat)
                pairs += list(grouped.split(blank, y, groups))
    if groups is not None:
        return [pair for pair in pairs if len(pair[1]) and len(np.unique(y[pair[0]])) > 1]
    return _learn_single_rows(problem, pairs)


def _learn_single_rows(problem: Problem, pairs: list[Split]) -> list[Split]:
    """Move the rows of classes of one row from every test part to its training part."""
    single = problem.classes[problem.class_counts == 1]
    if not single.size:
        return pairs
    alone = np.isin(problem.y, single)
    return [
        (np.sort(np.concatenate([train, test[alone[test]]])), test[~alone[test]])
        for train, test in pairs
        if not alone[test].all()
    ]


def past_folds(
    problem: Problem, times: NDArray[np.float64], folds: int, groups: NDArray | None = None
) -> list[Split]:
    """Pairs (train, test) in which every training row is older than every test row.

    Parameters
    ----------
    problem : Problem
    times : ndarray of shape (n,)
        NaN for rows whose time is not known: they are in no fold.
    folds : int
        How many parts of the time, after the first, are predicted.
    groups : ndarray of shape (n,), optional
        Groups in the test part are left out of the training part.

    Raises
    ------
    InputError
        If the table has too few different times, or never two classes to learn from.

    Examples
    --------
    >>> import pandas as pd
    >>> from uneven.comparison import make_problem
    >>> frame = pd.DataFrame({"x": range(6), "label": list("aabbab")})
    >>> pairs = past_folds(make_problem(frame, "label"), np.array([5.0, 1, 2, 3, 4, 0]), 2)
    >>> [(train.tolist(), test.tolist()) for train, test in pairs]
    [([1, 5], [2, 3]), ([1, 2, 3, 5], [0, 4])]
    """
    check_fold_number(folds)
    known = np.flatnonzero(~np.isnan(times))
    order = known[np.argsort(times[known], kind="stable")]
    moments = times[order]
    places = [len(order) * k // (folds + 1) for k in range(1, folds + 1)]
    edges = moments[places] if len(order) else moments
    pairs = []
    for k, begin in enumerate(edges):
        end = edges[k + 1] if k + 1 < len(edges) else np.inf
        train, test = order[moments < begin], order[(moments >= begin) & (moments < end)]
        if groups is not None:
            train = train[~np.isin(groups[train], groups[test])]
        if len(test) and len(np.unique(problem.y[train])) > 1:
            pairs.append((np.sort(train), np.sort(test)))
    if not pairs:
        raise InputError(
            "--time leaves no fold with two classes to learn from in the past; the table has "
            f"{len(np.unique(moments))} different times."
        )
    return pairs
