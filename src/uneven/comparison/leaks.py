"""What to say about columns that would make figures look better than new rows will.

Groups are found by `uneven.comparison.groupkeys`. A leak is a column that predicts the class alone,
as a column filled in afterwards does. Both are only suspected: a quick forest is measured both
ways, and the figures are reported.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.tree import DecisionTreeClassifier

from uneven.comparison.encoding import encode_ordinal
from uneven.comparison.folds import Split, stratified_folds
from uneven.comparison.groupkeys import is_pure
from uneven.utils.frames import take_columns

if TYPE_CHECKING:
    from uneven.comparison.problem import Problem

MOST_ROWS = 3000
ALONE, LOSS = 0.98, 0.05
"""Score of a leak alone; what is lost without it, or on new groups."""

FEWEST_ROWS = 5
MOST_COLUMNS = 300
N_TREES = 40


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
    """Rows to look at, without those of tiny classes, which no single column predicts."""
    _, codes, counts = np.unique(problem.y, return_inverse=True, return_counts=True)
    large = counts >= FEWEST_ROWS
    rows = np.flatnonzero(large[codes]) if large.sum() > 1 else np.arange(len(codes))
    if len(rows) <= MOST_ROWS:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, MOST_ROWS, replace=False))


def _group_notes(
    problem: Problem,
    rows: NDArray[np.intp],
    keys: Mapping[str, NDArray[np.intp]],
    seed: int,
) -> list[str]:
    notes = []
    labels = np.unique(problem.y, return_inverse=True)[1]
    pure = {name for name, codes in keys.items() if is_pure(codes, labels)}
    for name, codes in keys.items():
        features = [c for c in problem.schema.names if c != name and c not in pure]
        if not features:
            continue
        X = _numbers(problem, features, rows)
        few = _part(problem, rows)
        known = _score(X, few, _folds(few, seed), seed)
        new = _score(X, few, _folds(few, seed, codes[rows]), seed)
        if name not in pure and known - new < LOSS:
            continue
        sizes = np.bincount(codes)
        alike = "nearly all with one label" if name in pure else "which resemble each other"
        notes.append(
            f"column {name!r} looks like a group: {len(sizes)} values of {np.median(sizes):g} "
            f"rows, {alike}. A quick forest without it has a balanced accuracy of "
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
    """Name columns that predict the class alone, where the others do not."""
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
                f"column {name!r} predicts the class alone (balanced accuracy {alone:.2f}; a quick "
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
    forest = RandomForestClassifier(N_TREES, class_weight="balanced", random_state=seed, n_jobs=1)
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
