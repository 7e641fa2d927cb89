"""Level-1 scores as the source makes them: halves of a data set, ensembles, folds inside a half."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from uneven.metrics.significance import five_by_two
from uneven.stacking import level_one, score_members
from uneven_published.description import Item
from uneven_published.sen.ensembles import diverse_ensemble, svm_ensemble

__all__ = [
    "DATA",
    "Stack",
    "build_stack",
    "diverse_stack",
    "halves",
    "items",
    "rows_of",
    "sample_rows",
    "svm_stack",
]

Rows = tuple[NDArray[np.float64], NDArray[np.intp]]

DATA = {
    "Segment": "segment",
    "Waveform": "waveform",
    "Robot": "robot",
    "Statlog": "vehicle",
    "Vowel": "vowel",
    "Wine": "wine",
    "Yeast": "yeast",
    "Steel": "steel",
}
"""Names in print, and those of `uneven.datasets.fetch`."""

_TOO_RARE = 6
"""Yeast has a class of five rows. The source speaks of nine classes, not ten: it is left out."""


@dataclass(frozen=True)
class Stack:
    """Level-1 scores of training rows, and scores of new rows by members fitted on all of them.

    Attributes
    ----------
    scores : ndarray of shape (n_train, n_members, n_classes)
    y : ndarray of int, shape (n_train,)
    new_scores : ndarray of shape (n_test, n_members, n_classes)
    new_y : ndarray of int, shape (n_test,)
    names : ndarray of str, shape (n_members,)
    """

    scores: NDArray[np.float64]
    y: NDArray[np.intp]
    new_scores: NDArray[np.float64]
    new_y: NDArray[np.intp]
    names: NDArray[np.str_]


def items(*names: str) -> tuple[Item, ...]:
    """Data sets by their names in print; all eight if none is given."""
    return tuple(Item(name, (DATA[name],)) for name in names or DATA)


def rows_of(data: Any) -> Rows:
    """Numbers and class positions of a data set, without classes of five rows or fewer.

    Examples
    --------
    >>> from sklearn.utils import Bunch
    >>> data = Bunch(data=np.arange(10.0)[:, None], target=["b"] * 7 + ["a"] * 3)
    >>> X, y = rows_of(data)
    >>> X.shape, y.tolist()
    ((7, 1), [0, 0, 0, 0, 0, 0, 0])
    """
    classes, y = np.unique(np.asarray(data.target), return_inverse=True)
    kept = np.bincount(y, minlength=len(classes))[y] >= _TOO_RARE
    X = np.asarray(data.data, dtype=np.float64)[kept]
    return np.ascontiguousarray(X), np.unique(y[kept], return_inverse=True)[1]


def sample_rows(X: NDArray, y: NDArray, n_rows: int, random_state: int) -> Rows:
    """At most so many rows, drawn from every class in proportion."""
    if len(y) <= n_rows:
        return X, y
    draw = StratifiedShuffleSplit(n_splits=1, train_size=n_rows, random_state=random_state)
    kept = np.sort(next(draw.split(X, y))[0])
    return np.ascontiguousarray(X[kept]), y[kept]


def halves(X: NDArray, y: NDArray, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Training and test rows of the k-th of the ten splits of five times two halves."""
    return list(five_by_two(0).split(X, y))[k]


def build_stack(
    members: Any, new: Rows, train: Rows, *, cv: int = 4, seed: int = 0, n_jobs: int | None = None
) -> Stack:
    """Scores of the training rows by folds, and of new rows by members fitted on all of them.

    Parameters
    ----------
    members : list of (str, classifier or Member)
    new, train : (ndarray of shape (n, d), ndarray of int, shape (n,))
        Rows and class positions.
    cv : int, default=4
        Folds for the level-1 scores.
    seed : int, default=0
    n_jobs : int, optional

    Returns
    -------
    Stack
    """
    level = level_one(members, *train, cv=cv, random_state=seed, n_jobs=n_jobs)
    new_scores = score_members(level.members, new[0], n_jobs=n_jobs)
    return Stack(level.scores, level.y, new_scores, new[1], np.array(level.names))


def diverse_stack(
    X: NDArray, y: NDArray, k: int, n_subsets: int, n_jobs: int | None = None
) -> Stack:
    """The k-th stack with 13 kinds of classifiers, each on several random parts of its rows."""
    train, test = halves(X, y, k)
    members = diverse_ensemble(n_subsets, random_state=k)
    return build_stack(members, (X[test], y[test]), (X[train], y[train]), seed=k, n_jobs=n_jobs)


def svm_stack(X: NDArray, y: NDArray, k: int, max_iter: int) -> Stack:
    """The k-th stack with 154 support vector machines of at most so many steps each."""
    train, test = halves(X, y, k)
    members = svm_ensemble(max_iter=max_iter)
    return build_stack(members, (X[test], y[test]), (X[train], y[train]), seed=k)
