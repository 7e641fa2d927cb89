"""One classifier per view: what all rules that join finished classifiers share."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from uneven.door import TrainingRows
from uneven.threads import Workers
from uneven.voters import EstimatorVoter
from uneven.voters.adapters import seeded_clone

__all__ = ["fit_members", "fit_model", "scatter", "speaking_views", "spread"]


def fit_members(
    estimator: Any, rows: TrainingRows, rng: np.random.RandomState, team: Workers
) -> list[EstimatorVoter | None]:
    """Train a clone for every view, on the rows that have it.

    Parameters
    ----------
    estimator : classifier, mapping of view name to classifier, or None
        None, and views that a mapping does not name, get a fully grown decision tree.
    rows : TrainingRows
    rng : RandomState
        Seeds everything that draws at random, view by view.
    team : Workers
        Views are trained in parallel threads.

    Returns
    -------
    list of EstimatorVoter or None
        One per view, trained on class indices; None for a view that has nothing to say.
    """
    given = rows.views.deal("estimator", estimator)
    speaking = speaking_views(rows)
    seeds = rng.randint(2**31 - 1, size=len(given))
    jobs = [partial(_fit_member, given[j], rows, j, int(seeds[j])) for j in speaking]
    members: list[EstimatorVoter | None] = [None] * len(given)
    for j, member in zip(speaking, team.each(jobs)):
        members[j] = member
    return members


def _fit_member(estimator: Any, rows: TrainingRows, view: int, seed: int) -> EstimatorVoter:
    here, columns = rows.present[:, view], rows.views.columns[view]
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
        Sample weights. They are passed on unless they are all 1.
    rng : RandomState

    Returns
    -------
    classifier
    """
    wanted = DecisionTreeClassifier() if estimator is None else estimator
    if not hasattr(wanted, "fit") or not hasattr(wanted, "predict"):
        raise TypeError(f"estimator must be a scikit-learn classifier, got {wanted!r}.")
    model = seeded_clone(wanted, rng)
    if np.all(mass == 1.0):
        return model.fit(X, y)
    if not has_fit_parameter(model, "sample_weight"):
        raise ValueError(
            f"{type(model).__name__}.fit takes no sample_weight; fit without weights, or choose "
            "another estimator."
        )
    return model.fit(X, y, sample_weight=mass)


def spread(margins: Any, labels: np.ndarray, n_classes: int) -> np.ndarray:
    """Put the margins for some classes into the columns of all classes.

    Parameters
    ----------
    margins : array-like of shape (n_samples, n_labels), or (n_samples,) for two labels
        A single margin counts half against the first label and half for the second.
    labels : ndarray of int, shape (n_labels,)
        Classes that the columns stand for.
    n_classes : int

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        A class that is not in ``labels`` gets the smallest margin of the row.

    Examples
    --------
    >>> import numpy as np
    >>> spread(np.array([3.0, -1.0]), np.array([0, 2]), 3)
    array([[-1.5, -1.5,  1.5],
           [ 0.5, -0.5, -0.5]])
    """
    values = np.asarray(margins, dtype=np.float64)
    if values.ndim == 1:
        values = np.column_stack([-values / 2.0, values / 2.0])
    scores = np.repeat(values.min(axis=1, keepdims=True), n_classes, axis=1)
    scores[:, labels] = values
    return scores


def scatter(shares: Any, labels: np.ndarray, n_classes: int) -> np.ndarray:
    """Put the probabilities of some classes into the columns of all; the others get 0.

    Parameters
    ----------
    shares : array-like of shape (n_samples, n_labels)
    labels : ndarray of int, shape (n_labels,)
    n_classes : int

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> scatter(np.array([[0.25, 0.75]]), np.array([0, 2]), 3)
    array([[0.25, 0.  , 0.75]])
    """
    values = np.asarray(shares, dtype=np.float64)
    scores = np.zeros((len(values), n_classes))
    scores[:, labels] = values
    return scores


def speaking_views(rows: TrainingRows, warn: bool = True) -> list[int]:
    """Positions of the views that show at least two classes; the others have nothing to say.

    Warns of the others if asked to, unless there is only one class at all.
    """
    counts = [len(np.unique(rows.y[here])) for here in rows.present.T]
    silent = [name for name, count in zip(rows.views.names, counts) if count < 2]
    if warn and silent and len(rows.classes) > 1:
        warnings.warn(
            f"views {silent} stay silent: the training rows that have them show fewer than two "
            "classes.",
            stacklevel=3,
        )
    return [j for j, count in enumerate(counts) if count > 1]
