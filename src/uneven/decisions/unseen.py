"""Predicted probabilities of training rows by models that were not fitted to them."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import softmax
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

from uneven.decisions.rows import check_codes, check_probabilities
from uneven.utils.estimators import align_margins, align_probabilities, check_margins
from uneven.utils.frames import take_rows
from uneven.utils.model_types import check_numbers, check_whole, persisted
from uneven.utils.parallel import capped_jobs, cluster_workers, in_worker

DEFAULT_FOLDS = 5


@persisted("unseen_rows", role="unseen rows")
@dataclass(frozen=True, eq=False)
class UnseenRows:
    """Predicted probabilities of rows that the model was not fitted to.

    Attributes
    ----------
    probabilities : ndarray of shape (n_samples, n_classes)
    codes : ndarray of int, shape (n_samples,)
        Positions of their classes.
    weight : ndarray of shape (n_samples,)
    """

    probabilities: np.ndarray
    codes: np.ndarray
    weight: np.ndarray

    def _check_model_(self, n_classes: int) -> None:
        """Refuse loaded rows that no fit leaves behind."""
        check_whole(self.codes, "classes of unseen rows")
        check_codes(self.codes, len(self.codes), n_classes)
        shape = (len(self.codes), n_classes)
        check_probabilities(check_numbers(self.probabilities, shape, "probabilities"), n_classes)
        check_numbers(self.weight, (len(self.codes),), "weights of unseen rows")


def unfitted_copy(estimator: Any) -> Any:
    """A clone; a deep copy of a classifier that scikit-learn cannot clone (CatBoost with lists)."""
    try:
        return clone(estimator)
    except RuntimeError:
        return copy.deepcopy(estimator)


def class_probabilities(
    model: Any, X: Any, classes: np.ndarray, numbered: np.ndarray | None = None
) -> np.ndarray:
    """Probabilities of all classes by a fitted model.

    Parameters
    ----------
    model : classifier
        One without ``predict_proba`` gives the softmax of its margins.
    X : table of n_samples rows
    classes : ndarray of shape (n_classes,)
        Sorted; the model may have only some of them.
    numbered : ndarray, optional
        Classes that are 0, 1, 2, ... for the model; None: it has their labels.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0]], ["a", "c"])
    >>> class_probabilities(model, [[0.0]], np.array(["a", "b", "c"])).round(3)
    array([[1., 0., 0.]])
    """
    labels = model.classes_ if numbered is None else numbered[model.classes_]
    known = np.searchsorted(classes, labels)
    if hasattr(model, "predict_proba"):
        said = _checked(model, "predict_proba", model.predict_proba(X), (len(labels),))
        shares = align_probabilities(said, known, len(classes))
        total = shares.sum(axis=1, keepdims=True)
        return np.asarray(shares / np.where(total > 0.0, total, 1.0))
    margins = model.decision_function(X)
    check_margins(model, margins, instead="a classifier with predict_proba")
    margins = _checked(model, "decision_function", margins, np.shape(margins)[1:])
    return np.asarray(softmax(align_margins(margins, known, len(classes)), axis=1))


def _checked(model: Any, method: str, said: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Outputs as numbers, with this shape for each row."""
    values = np.asarray(said, dtype=np.float64)
    if values.shape[1:] != shape:
        raise ValueError(
            f"{method} of {type(model).__name__} returned the shape {values.shape} for "
            f"{len(model.classes_)} classes."
        )
    odd = np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))
    if odd.size:
        raise ValueError(
            f"{method} of {type(model).__name__} returned {values[odd[0]]} for row {odd[0]}: a "
            "decision needs finite numbers."
        )
    return values


def has_out_of_bag(model: Any) -> bool:
    """Whether a fitted model kept its out-of-bag probabilities."""
    kept = getattr(model, "oob_decision_function_", None)
    return kept is not None and np.ndim(kept) == 2 and np.shape(kept)[1] == len(model.classes_)


def out_of_bag(model: Any, codes: np.ndarray, weight: np.ndarray) -> UnseenRows:
    """The rows that a fitted ensemble has out-of-bag probabilities for."""
    shares = np.asarray(model.oob_decision_function_, dtype=np.float64)
    total = shares.sum(axis=1, keepdims=True)
    judged = np.flatnonzero(np.isfinite(total[:, 0]) & (total[:, 0] > 0.0))
    return UnseenRows(shares[judged] / total[judged], codes[judged], weight[judged])


def cross_fit(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    codes: np.ndarray,
    classes: np.ndarray,
    weight: np.ndarray,
    *,
    cv: Any,
    fit_params: Mapping[str, Any],
    split_params: Mapping[str, Any],
    n_jobs: int | None = None,
) -> UnseenRows:
    """Fit on the training part of each fold, and predict its test part.

    Rows of a class that the training part lacks are left out: the model cannot know it.

    Parameters
    ----------
    estimator : classifier
        Cloned for each fold.
    X : table of n_samples rows
    y : ndarray of shape (n_samples,)
        Labels.
    codes : ndarray of int, shape (n_samples,)
        Their positions in ``classes``.
    classes : ndarray of shape (n_classes,)
    weight : ndarray of shape (n_samples,)
        Kept with the probabilities.
    cv : int, splitter or iterable of (train, test)
        A row that is tested more than once gets the mean; one that never is, is left out.
    fit_params, split_params : mapping of str to object
        For ``fit``, cut to the training rows if they have an entry per row, and for ``split``.
    n_jobs : int or None

    Returns
    -------
    UnseenRows
    """
    folds = [
        (train, test[np.isin(codes[test], codes[train])])
        for train, test in _folds(cv, X, codes, split_params)
        if len(np.unique(codes[train])) > min(1, len(classes) - 1)
    ]
    folds = [(train, test) for train, test in folds if len(test)]
    parent = os.getpid()
    with cluster_workers():
        said = Parallel(n_jobs=capped_jobs(n_jobs, len(folds)))(
            delayed(in_worker)(
                parent,
                _fit_and_ask,
                unfitted_copy(estimator),
                X,
                y,
                train,
                test,
                classes,
                fit_params,
            )
            for train, test in folds
        )
    total, times = np.zeros((len(codes), len(classes))), np.zeros(len(codes))
    for (_, test), shares in zip(folds, said):
        total[test] += shares
        times[test] += 1.0
    judged = np.flatnonzero(times)
    return UnseenRows(total[judged] / times[judged, None], codes[judged], weight[judged])


def _fit_and_ask(
    model: Any,
    X: Any,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    classes: np.ndarray,
    fit_params: Mapping[str, Any],
) -> np.ndarray:
    """Probabilities of the test rows."""
    params = {name: cut(value, train, len(y)) for name, value in fit_params.items()}
    numbered = fit_numbered(model, take_rows(X, train), y[train], params)
    return class_probabilities(model, take_rows(X, test), classes, numbered)


def fit_numbered(
    model: Any, X: Any, labels: np.ndarray, params: Mapping[str, Any]
) -> np.ndarray | None:
    """Fit a classifier; one that refuses the labels gets them as 0, 1, 2, ... (as XGBoost needs).

    Parameters
    ----------
    model : classifier
    X : table of n_samples rows
    labels : ndarray of shape (n_samples,)
    params : mapping of str to object
        Further arguments of ``fit``.

    Returns
    -------
    ndarray of shape (n_labels,), or None
        The labels that are numbers for it; None if it has them as they are.
    """
    try:
        model.fit(X, labels, **params)
    except ValueError:
        numbered, codes = np.unique(labels, return_inverse=True)
        by_label = isinstance(getattr(model, "class_weight", None), Mapping)
        if by_label or np.array_equal(numbered, np.arange(len(numbered))):
            raise
        model.fit(X, codes, **params)
        return numbered
    return None


def cut(value: Any, rows: np.ndarray, n_samples: int) -> Any:
    """Some rows of a value that has an entry for each of ``n_samples`` rows; others as they are."""
    is_listing = hasattr(value, "__len__") and not isinstance(value, str | Mapping)
    return take_rows(value, rows) if is_listing and len(value) == n_samples else value


def renumber_splits(cv: Any, kept: np.ndarray, n_samples: int) -> Any:
    """Splits of a table of which only some rows are kept.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        A number or a splitter is returned as it is.
    kept : ndarray of int
        Rows that are kept, ascending.
    n_samples : int
        Rows of the whole table.

    Examples
    --------
    >>> import numpy as np
    >>> renumber_splits([([0, 1], [2, 3])], np.array([1, 2, 3]), 4)
    [(array([0]), array([1, 2]))]
    """
    if isinstance(cv, Integral) or hasattr(cv, "split"):
        return cv
    places = np.full(n_samples, -1)
    places[kept] = np.arange(len(kept))
    moved = (
        (places[_positions(train, n_samples)], places[_positions(test, n_samples)])
        for train, test in cv
    )
    return [(train[train >= 0], test[test >= 0]) for train, test in moved]


def _folds(
    cv: Any, X: Any, codes: np.ndarray, split_params: Mapping[str, Any]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds of a number are stratified, and keep groups together; fewer if classes are smaller."""
    if isinstance(cv, Integral):
        groups = split_params.get("groups")
        most = int(np.bincount(codes).max())
        most = most if groups is None else min(most, len(np.unique(groups)))
        if most < 2:
            return []
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        cv = kind(min(int(cv), most))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        folds = list(check_cv(cv, codes, classifier=True).split(X, codes, **split_params))
    return [(_positions(train, len(codes)), _positions(test, len(codes))) for train, test in folds]


def _positions(rows: Any, n_samples: int) -> np.ndarray:
    """Rows of a split as positions; a mask is turned into them."""
    rows = np.asarray(rows, dtype=None if len(rows) else np.intp)
    if rows.dtype == bool and len(rows) == n_samples:
        return np.flatnonzero(rows)
    if rows.dtype.kind not in "iu":
        raise ValueError(f"cv must hold row numbers or masks of all rows, got {rows[:3].tolist()}.")
    odd = rows[(rows < -n_samples) | (rows >= n_samples)]
    if odd.size:
        raise ValueError(f"cv names row {odd[0]}, but the table has {n_samples} rows.")
    return rows
