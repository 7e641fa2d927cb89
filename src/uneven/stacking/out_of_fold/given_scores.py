"""Level-1 data from out-of-fold scores that are known already: no member is trained for them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from uneven.stacking.out_of_fold.level_one import (
    LevelOne,
    Training,
    list_tasks,
    resolve_for,
    scale_margins,
)
from uneven.stacking.out_of_fold.members import Member
from uneven.stacking.out_of_fold.rows import Plan, Split, StackRows, row_numbers


def given_level_one(
    members: list[tuple[str, Member]],
    table: StackRows,
    scores: Any,
    *,
    rows: Any = None,
    seconds: Any = None,
    fitted: Collection[str] = (),
    views: Any = None,
    random_state: Any = None,
) -> LevelOne:
    """Level-1 data of known scores; the trainings on all rows are put off.

    Parameters
    ----------
    members : list of (str, Member)
    table : StackRows
        All training rows.
    scores : array-like of shape (n_rows, n_members, n_classes)
        Scores of each member for rows that it was not fitted to: probabilities, or margins
        where a member has no probabilities.
    rows : array-like of int, shape (n_rows,), optional
        Which rows these are; all of them by default.
    seconds : array-like of shape (n_members,), optional
        Time that each member takes to score 1000 rows.
    fitted : collection of str
        Members whose classifier is fitted to all rows already.
    views, random_state : object
        As in :func:`~uneven.stacking.level_one`.

    Returns
    -------
    LevelOne

    Raises
    ------
    ValueError
        If scores, rows or names do not belong to the table and the members.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> said = cross_val_predict(GaussianNB(), X, y, method="predict_proba")
    >>> table = StackRows.of(X, y, None)
    >>> level = given_level_one([("bayes", Member(GaussianNB()))], table, said[:, None])
    >>> level.scores.shape, len(level.put_off)
    ((150, 1, 3), 1)
    """
    names, n_samples = [name for name, _ in members], len(table.y)
    known = np.arange(n_samples) if rows is None else row_numbers(rows, n_samples, "rows")
    said = _check_scores(scores, (len(known), len(names), len(table.classes)))
    spent = np.zeros(len(names)) if seconds is None else np.asarray(seconds, dtype=np.float64)
    if spent.shape != (len(names),) or not (spent >= 0.0).all():
        raise ValueError(f"seconds must be a time per member, each at least 0; got {seconds!r}.")
    unknown = [name for name in fitted if name not in names]
    if unknown:
        raise ValueError(f"fitted names {unknown[0]!r}, which is no member; these are {names}.")
    seeds = None if random_state is None else check_random_state(random_state)
    plan = Plan([], Split(np.arange(n_samples), np.arange(0)))
    tasks = list_tasks(members, table.X, table.y, plan, resolve_for(views, table.X), seeds)
    tasks = [
        replace(task, estimator=member.estimator, train=None) if name in fitted else task
        for task, (name, member) in zip(tasks, members)
    ]
    share = table.share[known] / table.share[known].sum()
    margins = np.array([task.method == "decision_function" for task in tasks])
    scale = scale_margins(said, share, np.tile(margins, (len(known), 1)))
    training = Training(table.X, table.classes[table.y], table.weight, table.classes)
    y = table.y[known]
    return LevelOne(said, y, share, known, [], table.classes, names, scale, spent, tasks, training)


def _check_scores(scores: Any, shape: tuple[int, int, int]) -> np.ndarray:
    """A copy of the scores, refused if they are of other rows, members or classes."""
    found = np.array(scores, dtype=np.float64)
    if found.shape != shape:
        raise ValueError(
            f"scores have shape {found.shape}, but {shape[0]} rows, {shape[1]} members and "
            f"{shape[2]} classes need {shape}."
        )
    if not found.size:
        raise ValueError("scores are of no row: there is nothing to learn from.")
    if not np.isfinite(found).all():
        raise ValueError("scores must be finite: leave out rows that a member has not scored.")
    return found
