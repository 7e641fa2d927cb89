"""One classifier per view: how the methods of this package train, evaluate and validate.

A view is trained and evaluated on the rows that have it. Training returns a voter per view;
evaluation is cross-validation, in which the rows of a class are dealt out in turn.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from uneven.utils.estimators import deal_folds, seeded_clone
from uneven.utils.parallel import ThreadPool
from uneven.views.training_rows import TrainingRows, speaking_views, validate_fit_data
from uneven.voters import EstimatorVoter, TreeVoter
from uneven.votes import Vote

PUBLISHED = "published"
"""In place of an estimator: the single trees of the source."""


def validate_rows(estimator: Any, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
    """Validate the arguments of ``fit``; store columns, classes, their frequencies and views.

    Parameters
    ----------
    estimator : object
        Gets ``classes_``, ``class_prior_``, ``views_`` and what ``validate_fit_data`` stores.
    X, y, sample_weight : object
        As the user gave them.
    """
    rows = validate_fit_data(estimator, X, y, sample_weight)
    mass = np.bincount(rows.y, rows.mass, len(rows.classes))
    estimator.classes_, estimator.views_ = rows.classes, rows.views
    estimator.class_prior_ = mass / mass.sum()
    return rows


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
        One per view, trained on class indices; None for a view that cannot be trained.
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
        As in :func:`~uneven.fusion.per_view.fit_members`.
    rows : TrainingRows
    rng : RandomState
    pool : ThreadPool
        Views are evaluated in parallel threads.
    cv : int or splitter, default=5
        Folds; rows of a class are dealt out in turn, so that small classes are no obstacle.
    scoring : str, callable or None, default=None
        Any scorer of scikit-learn, larger is better; None is accuracy.

    Returns
    -------
    ndarray of shape (n_views,)
        NaN for a view that no fold can evaluate.
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


def warn_if_nothing_learnt(vote: Vote) -> None:
    """Warn of a vote between classes in which no tree has a split.

    Parameters
    ----------
    vote : Vote
        Voters that are not trees are taken to have learnt something.
    """
    voters = [term.voter for term in vote.terms()]
    if vote.n_classes > 1 and all(isinstance(v, TreeVoter) and len(v.child) == 1 for v in voters):
        warnings.warn(
            "no voter separates the classes in any view: all rows with the same views present get "
            "the same prediction.",
            stacklevel=4,
        )
