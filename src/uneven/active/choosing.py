"""Model selection with few labels: the simplest classifier within a standard error of the best."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from uneven.utils.estimators import deal_folds
from uneven.utils.frames import take_rows

LEAST_ROWS = 15
"""Labels below which the first classifier is taken without a look."""

_GROWTH = 1.25
"""How many times as many labels there are when the choice is made anew."""

N_TREES = 100
"""Trees of the forest that takes part."""

_FOLDS = 5
_MANY_ROWS = 100
"""Labels from which boosting takes part."""


@dataclass(frozen=True)
class Choice:
    """The classifier that was chosen.

    Attributes
    ----------
    name : str
    accuracies : dict of str to float
        Cross-validated; empty if there were too few labels to compare.
    """

    name: str
    accuracies: Mapping[str, float]


def choose_classifier(
    candidates: Mapping[str, Any], X: Any, y: Any, *, random_state: int = 0
) -> Choice:
    """Choose the simplest of several classifiers within one standard error of the best.

    Parameters
    ----------
    candidates : dict of str to classifier
        From simple to complex.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    random_state : int, default=0
        Seed of the folds.

    Returns
    -------
    Choice
        With fewer than 15 rows, the first candidate. Otherwise the first one whose accuracy in
        five-fold cross-validation is below the best by at most the standard error of the paired
        difference.

    Notes
    -----
    Queried rows are not a random sample: a classifier was uncertain about them. The accuracies are
    therefore too low; they serve for comparison only.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees (the rule of
    one standard error).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> some = {"constant": DummyClassifier(), "normal": GaussianNB()}
    >>> some["near"] = KNeighborsClassifier()
    >>> choose_classifier(some, X, y).name, choose_classifier(some, X[:3], y[:3]).name
    ('normal', 'constant')
    """
    y = np.asarray(y)
    names = list(candidates)
    if len(y) < LEAST_ROWS or len(names) == 1:
        return Choice(names[0], {})
    codes = np.unique(y, return_inverse=True)[1]
    folds = deal_folds(codes, _FOLDS, np.random.RandomState(random_state))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hits = np.array([_hits(candidates[name], X, codes, folds) for name in names])
    best = hits[hits.mean(axis=1).argmax()]
    behind = best - hits
    errors = behind.std(axis=1, ddof=1) / np.sqrt(len(y))
    first = int(np.flatnonzero(behind.mean(axis=1) <= errors)[0])
    return Choice(names[first], dict(zip(names, hits.mean(axis=1).tolist())))


def labels_to_choose_by(n_labels: int) -> int:
    """How many of the labels so far, the first ones, choose the classifier.

    The choice is made anew only when there are a quarter more labels than the last time, so that
    most answers cost one fit.

    Examples
    --------
    >>> [labels_to_choose_by(n) for n in (2, 15, 17, 18, 100)]
    [0, 15, 15, 18, 89]
    """
    if n_labels < LEAST_ROWS:
        return 0
    size = float(LEAST_ROWS)
    while int(size * _GROWTH) <= n_labels:
        size *= _GROWTH
    return int(size)


def usual_candidates(X: Any, n_labels: int, first: Any) -> dict[str, Any]:
    """Classifiers that an `uneven.ActiveLearner` chooses from, from simple to complex.

    X: ndarray or CSR, the pool; n_labels: how many labels choose; first: the simplest, a Bayes
    point.

    Examples
    --------
    >>> list(usual_candidates(np.eye(3), 3, None))
    ['bayes_point', 'logistic', 'forest']
    """
    found: dict[str, Any] = {"bayes_point": first}
    logistic = LogisticRegression(C=10.0 if sp.issparse(X) else 1.0, max_iter=300)
    found["logistic"] = logistic if sp.issparse(X) else make_pipeline(StandardScaler(), logistic)
    if not sp.issparse(X):
        found["forest"] = ExtraTreesClassifier(N_TREES, random_state=0)
        if n_labels >= _MANY_ROWS:
            found["boosting"] = HistGradientBoostingClassifier(random_state=0)
    return found


def _hits(candidate: Any, X: Any, y: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Whether each row is predicted correctly by a classifier that was not fitted to it."""
    hits = np.zeros(len(y))
    for fold in np.unique(folds):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if len(np.unique(y[train])) > 1:
            model = clone(candidate).fit(take_rows(X, train), y[train])
            hits[test] = np.asarray(model.predict(take_rows(X, test))) == y[test]
    return hits
