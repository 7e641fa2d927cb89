"""Which member is to learn from which rows and columns, if there are views."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from uneven.ensemble.pooling import PooledMember, scattered
from uneven.ensemble.shared_table import Learner, SharedTable
from uneven.views import ViewMap
from uneven.views.training_rows import speaking_views
from uneven.votes import ALL_VIEWS

Choose = Callable[[SharedTable, bool], Mapping[str, Learner]]
"""Members for a table, by name, and whether the table is a single view of several."""


@dataclass
class Task:
    """A member that is to learn from some rows and columns.

    Attributes
    ----------
    name : str
    learner : Learner
    table : SharedTable
        Only the rows and columns that it reads.
    rows : ndarray of int
        Their positions among all rows.
    columns : ndarray of int
    view : int
        Position of the view these columns are, or ``ALL_VIEWS``.
    """

    name: str
    learner: Learner
    table: SharedTable
    rows: np.ndarray
    columns: np.ndarray
    view: int

    def learn(self, seed: int, n_rows: int) -> tuple[PooledMember, np.ndarray]:
        """Let the member learn.

        Parameters
        ----------
        seed : int
        n_rows : int
            Number of all rows.

        Returns
        -------
        member : PooledMember
        unseen : ndarray of shape (n_rows, n_classes)
            Probabilities for rows that it was not fitted to; NaN where it abstains.
        """
        found = self.learner.learn(self.table, seed)
        member = PooledMember(self.name, found.model, self.columns, self.view)
        return member, scattered(found.unseen, self.rows, n_rows)


def deal_tasks(
    whole: SharedTable, presence: np.ndarray, views: ViewMap, choose: Choose
) -> list[Task]:
    """Who is to learn what, members that read all views first.

    Parameters
    ----------
    whole : SharedTable
    presence : ndarray of bool, shape (n_samples, n_views)
    views : ViewMap
    choose : callable
        ``choose(table, is_single_view)`` returns learners by name.
    """
    parts = [(ALL_VIEWS, "", views.used_columns, presence.any(axis=1))]
    if len(views) > 1:
        for view in speaking_views(whole.y, presence, views, warn=False):
            parts.append((view, f" of {views.names[view]}", views.columns[view], presence[:, view]))
    tasks = []
    for view, suffix, columns, here in parts:
        able = np.flatnonzero(here)
        if len(np.unique(whole.y[able])) < 2:
            continue
        is_whole = len(able) == len(whole.y) and len(columns) == whole.X.shape[1]
        table = whole if is_whole else whole.take(able, columns)
        for name, learner in choose(table, view != ALL_VIEWS).items():
            tasks.append(Task(name + suffix, learner, table, able, columns, view))
    return tasks
