"""How good a classifier of each view is, by cross-validation on the rows that have the view."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from uneven.fusion.members import fit_model
from uneven.utils.estimators import deal_folds
from uneven.utils.parallel import ThreadPool
from uneven.views.training_rows import TrainingRows, speaking_views

__all__ = ["check_folds", "view_scores"]


def check_folds(cv: Any) -> None:
    """Refuse what is neither a number of folds nor a splitter."""
    whole = isinstance(cv, Integral) and not isinstance(cv, bool)
    if (whole and cv < 2) or not (whole or hasattr(cv, "get_n_splits")):
        raise ValueError(
            f"cv must be a whole number at least 2 or a splitter of scikit-learn, got {cv!r}."
        )


def view_scores(
    estimator: Any,
    rows: TrainingRows,
    rng: np.random.RandomState,
    pool: ThreadPool,
    *,
    cv: Any = 5,
    scoring: Any = None,
) -> np.ndarray:
    """Score of a classifier on every view, averaged over folds of the rows that have the view.

    Parameters
    ----------
    estimator : classifier, mapping of view name to classifier, or None
        As in :func:`~uneven.fusion.members.fit_members`.
    rows : TrainingRows
    rng : RandomState
    pool : ThreadPool
        Views are judged in parallel threads.
    cv : int or splitter, default=5
        Folds; rows of a class are dealt out in turn, so that small classes are no obstacle.
    scoring : str, callable or None, default=None
        Any scorer of scikit-learn, larger is better; None is accuracy.

    Returns
    -------
    ndarray of shape (n_views,)
        NaN for a view that no fold can judge.
    """
    given = rows.views.deal("estimator", estimator)
    scores = np.full(len(given), np.nan)
    seeds = rng.randint(2**31 - 1, size=len(given))
    speaking = speaking_views(rows.y, rows.view_mask, rows.views, warn=False)
    jobs = [partial(_score, given[j], rows, j, int(seeds[j]), cv, scoring) for j in speaking]
    scores[speaking] = pool.map(jobs)
    return scores


def _score(
    estimator: Any, rows: TrainingRows, view: int, seed: int, cv: Any, scoring: Any
) -> float:
    rng = np.random.RandomState(seed)
    here = rows.take(np.flatnonzero(rows.view_mask[:, view]))
    table, labels = here.X[:, rows.views.columns[view]], here.classes[here.y]
    values = []
    for train, test in _folds(cv, here, table, rng):
        if len(np.unique(here.y[train])) < 2:
            continue
        model = fit_model(estimator, table[train], labels[train], here.mass[train], rng)
        weighted = {} if np.ptp(here.mass) == 0.0 else {"sample_weight": here.mass[test]}
        scorer = check_scoring(model, scoring=scoring)
        values.append(scorer(model, table[test], labels[test], **weighted))
    return float(np.mean(values)) if values else np.nan


def _folds(
    cv: Any, here: TrainingRows, table: Any, rng: np.random.RandomState
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the positions of training and test rows."""
    if not isinstance(cv, Integral):
        yield from cv.split(table, here.y)
        return
    folds = deal_folds(here.y, min(int(cv), len(here.y)), rng)
    for fold in range(int(folds.max()) + 1):
        yield np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
