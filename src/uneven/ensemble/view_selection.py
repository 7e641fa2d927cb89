"""Which views an ensemble reads: added one by one, as long as they help on unseen rows.

Quick members learn from each view alone. The first view is the one whose pool of members has the
smallest log-loss on rows not seen; the next is the one that lowers the loss of the joint pool most,
and so on. A view that repeats what is there already lowers nothing, and is never read again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from uneven.decisions.rows import share_of_classes
from uneven.ensemble.members import quick_learners
from uneven.ensemble.pooling import PooledRows, scattered
from uneven.ensemble.shared_table import SharedTable
from uneven.utils.parallel import ThreadPool
from uneven.views import ViewMap
from uneven.views.training_rows import TrainingRows, speaking_views


def choose_views(rows: TrainingRows, max_views: int, pool: ThreadPool, seed: int) -> TrainingRows:
    """The same rows with the views that help, in the order in which they were given.

    Parameters
    ----------
    rows : TrainingRows
    max_views : int
        Most views that are kept.
    pool : ThreadPool
    seed : int
        Seeds the members, and the halves on which pools are evaluated.
    """
    speaking = speaking_views(rows.y, rows.view_mask, rows.views, warn=False)
    if len(speaking) < 2:
        return rows
    said, members_of = _ask_views(rows, speaking, pool, seed)
    prior = share_of_classes(rows.y, rows.mass, len(rows.classes))
    pooled = PooledRows(said, rows.y, rows.mass, prior)
    chosen: list[int] = []
    asked: list[int] = []
    so_far = np.full(len(rows.y), np.inf)
    while len(chosen) < min(max_views, len(speaking)):
        losses = {
            view: pooled.losses(asked + members_of[view], np.random.RandomState(seed))
            for view in speaking
            if view not in chosen
        }
        best = min(losses, key=lambda view: np.average(losses[view], weights=rows.mass))
        if chosen and not _is_clear(so_far - losses[best], rows.mass):
            break
        so_far = losses[best]
        chosen.append(best)
        asked += members_of[best]
    return _with_views(rows, sorted(chosen))


def _is_clear(gains: np.ndarray, mass: np.ndarray) -> bool:
    """Whether the mean gain is more than two standard errors: the best of many may be luck."""
    share = mass / mass.sum()
    mean = share @ gains
    error = np.sqrt(share**2 @ (gains - mean) ** 2)
    return bool(mean > 2.0 * error)


def _ask_views(
    rows: TrainingRows, views: list[int], pool: ThreadPool, seed: int
) -> tuple[list[np.ndarray], dict[int, list[int]]]:
    """Unseen predictions of quick members of each view, and which members a view has."""
    whole = SharedTable(rows.X, rows.y, rows.mass, len(rows.classes), rows.n_codes, pool)
    said: list[np.ndarray] = []
    members_of: dict[int, list[int]] = {}
    for view in views:
        able = np.flatnonzero(rows.view_mask[:, view])
        table = whole.take(able, rows.views.columns[view])
        members_of[view] = []
        for learner in quick_learners(table).values():
            members_of[view].append(len(said))
            said.append(scattered(learner.learn(table, seed).unseen, able, len(rows.y)))
    return said, members_of


def _with_views(rows: TrainingRows, kept: list[int]) -> TrainingRows:
    views = ViewMap(
        tuple(rows.views.names[view] for view in kept),
        tuple(rows.views.columns[view] for view in kept),
        rows.views.n_features,
    )
    return replace(rows, views=views, view_mask=rows.view_mask[:, kept])
