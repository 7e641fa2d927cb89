"""One classifier per view: what all rules that join finished classifiers share."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from uneven.utils.estimators import seeded_clone
from uneven.utils.parallel import ThreadPool
from uneven.views.training_rows import TrainingRows, speaking_views
from uneven.voters import EstimatorVoter

__all__ = ["fit_members", "fit_model"]


def fit_members(
    estimator: Any, rows: TrainingRows, rng: np.random.RandomState, pool: ThreadPool
) -> list[EstimatorVoter | None]:
    """Train a clone for every view, on the rows that have it.

    Parameters
    ----------
    estimator : classifier, mapping of view name to classifier, or None
        None, and views that a mapping does not name, get a fully grown decision tree.
    rows : TrainingRows
    rng : RandomState
        Seeds everything that draws at random, view by view.
    pool : ThreadPool
        Views are trained in parallel threads.

    Returns
    -------
    list of EstimatorVoter or None
        One per view, trained on class indices; None for a view that has nothing to say.
    """
    given = rows.views.deal("estimator", estimator)
    speaking = speaking_views(rows.y, rows.view_mask, rows.views)
    seeds = rng.randint(2**31 - 1, size=len(given))
    jobs = [partial(_fit_member, given[j], rows, j, int(seeds[j])) for j in speaking]
    members: list[EstimatorVoter | None] = [None] * len(given)
    for j, member in zip(speaking, pool.map(jobs)):
        members[j] = member
    return members


def _fit_member(estimator: Any, rows: TrainingRows, view: int, seed: int) -> EstimatorVoter:
    here, columns = rows.view_mask[:, view], rows.views.columns[view]
    seen = rows if here.all() else rows.take(np.flatnonzero(here))
    table = seen.X[:, columns]
    model = fit_model(estimator, table, seen.y, seen.mass, np.random.RandomState(seed))
    answers = np.asarray(model.predict(table))
    n_classes = len(rows.classes)
    hits = np.bincount(seen.y, seen.mass * (answers == seen.y), n_classes)
    total = np.bincount(rows.y, rows.mass, n_classes)
    return EstimatorVoter(model, columns, hits / np.maximum(total, np.finfo(float).tiny))


def fit_model(
    estimator: Any, X: Any, y: np.ndarray, mass: np.ndarray, rng: np.random.RandomState
) -> Any:
    """Fit a seeded clone; None is a fully grown decision tree.

    Parameters
    ----------
    estimator : classifier or None
    X : ndarray or sparse matrix of shape (n_samples, n_columns)
    y : ndarray of int, shape (n_samples,)
    mass : ndarray of shape (n_samples,)
        Sample weights. They are passed on unless they are all 1; a classifier that takes none is
        fitted without them if they are all equal, and refused otherwise.
    rng : RandomState

    Returns
    -------
    classifier
    """
    wanted = DecisionTreeClassifier() if estimator is None else estimator
    if not hasattr(wanted, "fit") or not hasattr(wanted, "predict"):
        raise TypeError(f"estimator must be a scikit-learn classifier, got {wanted!r}.")
    model = seeded_clone(wanted, rng)
    takes_weights = has_fit_parameter(model, "sample_weight")
    if np.all(mass == 1.0) or (not takes_weights and np.ptp(mass) == 0.0):
        return model.fit(X, y)
    if not takes_weights:
        raise ValueError(
            f"{type(model).__name__}.fit takes no sample_weight; fit without weights, or choose "
            "another estimator."
        )
    return model.fit(X, y, sample_weight=mass)
