"""Columns that would make a comparison look better than new rows will: groups and leaks.

A group key has few rows per value, all with one label: rows of one patient, one machine, one
document. If they are in the training and in the held-out rows, a method recognises the group and
not the class. A leak is a column that tells the answer alone, as a column filled in afterwards
does. Both are only suspected: a quick forest is measured both ways, and the figures are said.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.tree import DecisionTreeClassifier

from uneven.comparison.celltexts import distinct_texts
from uneven.comparison.encoding import encode_ordinal
from uneven.comparison.folds import Split, stratified_folds
from uneven.utils.frames import take_columns

if TYPE_CHECKING:
    from uneven.comparison.problem import Problem

FEWEST_GROUPS, MOST_ROWS = 10, 3000
PURE, ALONE, LOSS = 0.95, 0.98, 0.05
"""Share of rows with the label of their group; score of a leak alone; what is lost without it."""

MOST_COLUMNS = 300


def group_keys(frame: pd.DataFrame, y: NDArray) -> dict[str, NDArray[np.intp]]:
    """Columns whose values have few rows, nearly all with one label, more than by chance.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
        Columns as they were given.
    y : ndarray of shape (n,)

    Returns
    -------
    dict of str to ndarray of shape (n,)
        Number of the group of each row.

    Examples
    --------
    >>> frame = pd.DataFrame({"patient": np.repeat(np.arange(12), 4), "age": np.arange(48) % 9})
    >>> list(group_keys(frame, np.repeat(["sick", "well"] * 6, 4)))
    ['patient']
    """
    found = {}
    classes, labels = np.unique(y, return_inverse=True)
    shuffled = np.random.default_rng(0).permutation(labels)
    for name in frame.columns:
        values = frame[name]
        if types.is_float_dtype(values.dtype) and _has_fractions(values):
            continue
        if types.is_bool_dtype(values.dtype) or types.is_datetime64_any_dtype(values.dtype):
            continue
        numeric = types.is_numeric_dtype(values.dtype)
        codes, distinct = _whole_numbers(values) if numeric else distinct_texts(values)
        n_groups = len(distinct) + bool((codes < 0).any())
        if n_groups < max(FEWEST_GROUPS, 2 * len(classes)) or len(y) < 2 * n_groups:
            continue
        codes = np.where(codes < 0, len(distinct), codes)
        purity, chance = (_purity(codes, one, len(classes)) for one in (labels, shuffled))
        if purity >= PURE and purity - chance >= (1.0 - chance) / 2:
            found[str(name)] = codes
    return found


def _whole_numbers(values: pd.Series) -> tuple[NDArray[np.intp], NDArray]:
    """Which of the different numbers each row has, and these; -1 for none."""
    if values.hasnans or not types.is_integer_dtype(values.dtype):
        codes, found = pd.factorize(values)
        return codes, np.asarray(found)
    numbers = values.to_numpy(np.int64)
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= len(numbers):
        codes, found = pd.factorize(numbers)
        return codes, found
    there = np.bincount(numbers - low) > 0
    return (np.cumsum(there) - 1)[numbers - low], np.flatnonzero(there) + low


def _has_fractions(values: pd.Series) -> bool:
    """Whether numbers are no whole ones; the first rows mostly tell."""
    return any((some.dropna() % 1 != 0).any() for some in (values.iloc[:1000], values))


def _purity(codes: NDArray[np.intp], labels: NDArray[np.intp], n_classes: int) -> float:
    """Share of the rows that have the most frequent label of their group."""
    size = (codes.max() + 1) * n_classes
    counts = np.bincount(codes * n_classes + labels, minlength=size).reshape(-1, n_classes)
    return float(counts.max(axis=1).sum() / len(labels))


def leak_notes(problem: Problem, keys: Mapping[str, NDArray[np.intp]], seed: int = 0) -> list[str]:
    """What to say about groups and leaks, with the balanced accuracy of a forest both ways.

    Parameters
    ----------
    problem : Problem
    keys : mapping of str to ndarray of shape (n,)
        Columns that look like groups.
    seed : int
    """
    if problem.schema.sparse or len(problem.schema.columns) > MOST_COLUMNS:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        few = _some_rows(problem, seed)
        return [*_group_notes(problem, few, keys, seed), *_told_answers(problem, few, keys, seed)]


def _some_rows(problem: Problem, seed: int) -> NDArray[np.intp]:
    n = len(problem.y)
    if n <= MOST_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, MOST_ROWS, replace=False))


def _group_notes(
    problem: Problem,
    rows: NDArray[np.intp],
    keys: Mapping[str, NDArray[np.intp]],
    seed: int,
) -> list[str]:
    notes = []
    for name, codes in keys.items():
        features = [c for c in problem.schema.names if c not in keys]
        if not features:
            continue
        X = _numbers(problem, features, rows)
        few = _part(problem, rows)
        known = _score(X, few, _folds(few, seed), seed)
        new = _score(X, few, _folds(few, seed, codes[rows]), seed)
        sizes = np.bincount(codes)
        notes.append(
            f"column {name!r} looks like a group: {len(sizes)} values of {np.median(sizes):g} "
            "rows, nearly all with one label. A quick forest without it has a balanced accuracy of "
            f"{known:.2f} where rows of a group are in several folds, and {new:.2f} on groups it "
            f"has not seen: --groups {name} measures this."
        )
    return notes


def _told_answers(
    problem: Problem,
    rows: NDArray[np.intp],
    keys: Mapping[str, NDArray[np.intp]],
    seed: int,
) -> list[str]:
    """Name columns that tell the class alone, where the others do not."""
    names = [c.name for c in problem.schema.columns if c.kind != "text" and c.name not in keys]
    if len(names) < 2:
        return []
    few = _part(problem, rows)
    table = _numbers(problem, names, rows)
    splits = _folds(few, seed)
    notes = []
    for name in names:
        own = table[problem.schema.encoded_names(name)]
        if _tree_score(own, few, [(np.arange(len(rows)), np.arange(len(rows)))]) < ALONE:
            continue
        alone = _tree_score(own, few, splits)
        if alone < ALONE:
            continue
        rest = _score(table.drop(columns=list(own.columns)), few, splits, seed)
        if rest < alone - LOSS:
            notes.append(
                f"column {name!r} tells the class alone (balanced accuracy {alone:.2f}; a quick "
                f"forest without it {rest:.2f}). If it is filled in when the class is known "
                f"already, leave it out: --drop {name}."
            )
    return notes


def _part(problem: Problem, rows: NDArray[np.intp]) -> Problem:
    """The labels of some rows."""
    return replace(problem, X=take_columns(problem.X, np.arange(0)).iloc[rows], y=problem.y[rows])


def _numbers(problem: Problem, names: list[str], rows: NDArray[np.intp]) -> pd.DataFrame:
    columns = tuple(c for c in problem.schema.columns if c.name in names)
    schema = replace(problem.schema, columns=columns)
    found: pd.DataFrame = encode_ordinal(schema).fit_transform(problem.X[schema.names].iloc[rows])
    return found


def _folds(few: Problem, seed: int, groups: NDArray | None = None) -> list[Split]:
    folds = 5 if groups is None else min(5, len(np.unique(groups)))
    return stratified_folds(few, folds, 1, seed, groups)


def _score(X: pd.DataFrame, few: Problem, splits: list[Split], seed: int) -> float:
    forest = RandomForestClassifier(40, class_weight="balanced", random_state=seed, n_jobs=1)
    return _held_out(forest, X, few, splits)


def _tree_score(X: pd.DataFrame, few: Problem, splits: list[Split]) -> float:
    tree = DecisionTreeClassifier(
        max_leaf_nodes=max(8, 3 * len(few.classes)), class_weight="balanced", random_state=0
    )
    return _held_out(tree, X, few, splits)


def _held_out(model: Any, X: pd.DataFrame, few: Problem, splits: list[Split]) -> float:
    """Balanced accuracy over the held-out rows of all folds together."""
    true, said = [], []
    cells = X.to_numpy(np.float64)
    for train, test in splits:
        model.fit(cells[train], few.y[train])
        true.append(few.y[test])
        said.append(model.predict(cells[test]))
    return float(balanced_accuracy_score(np.concatenate(true), np.concatenate(said)))
