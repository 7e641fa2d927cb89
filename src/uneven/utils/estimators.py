"""Copies of estimators with new seeds, rows dealt out to folds, outputs aligned to all classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone


def seeded_clone(estimator: Any, rng: np.random.RandomState, keep: bool = False) -> Any:
    """Unfitted copy of an estimator with new seeds for everything in it that draws at random.

    Parameters
    ----------
    estimator : estimator
    rng : RandomState
    keep : bool, default=False
        Keep the seeds that were set, and only replace None.
    """
    model = clone(estimator)
    given = model.get_params()
    names = [name for name in given if name.split("__")[-1] == "random_state"]
    seeds = {name: int(rng.randint(2**31 - 1)) for name in sorted(names)}
    return model.set_params(
        **{name: seed for name, seed in seeds.items() if not keep or given[name] is None}
    )


def deal_folds(codes: np.ndarray, cv: int, rng: Any) -> np.ndarray:
    """Fold of each row, shape (n_samples,); every class is spread as evenly as it can be."""
    folds = np.empty(len(codes), dtype=np.intp)
    folds[rows_by_class(codes, rng)] = np.arange(len(codes)) % cv
    return folds


def rows_by_class(codes: np.ndarray, rng: Any) -> np.ndarray:
    """Positions of the rows, class after class, in random order within a class."""
    shuffled = rng.permutation(len(codes))
    return np.asarray(shuffled[np.argsort(codes[shuffled], kind="stable")])


def align_margins(margins: Any, labels: np.ndarray, n_classes: int) -> np.ndarray:
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
    >>> align_margins(np.array([3.0, -1.0]), np.array([0, 2]), 3)
    array([[-1.5, -1.5,  1.5],
           [ 0.5, -0.5, -0.5]])
    """
    values = np.asarray(margins, dtype=np.float64)
    if values.ndim == 1:
        values = np.column_stack([-values / 2.0, values / 2.0])
    scores = np.repeat(values.min(axis=1, keepdims=True), n_classes, axis=1)
    scores[:, labels] = values
    return scores


def align_probabilities(proba: Any, labels: np.ndarray, n_classes: int) -> np.ndarray:
    """Put the probabilities of some classes into the columns of all; the others get 0.

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_labels)
    labels : ndarray of int, shape (n_labels,)
    n_classes : int

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> align_probabilities(np.array([[0.25, 0.75]]), np.array([0, 2]), 3)
    array([[0.25, 0.  , 0.75]])
    """
    values = np.asarray(proba, dtype=np.float64)
    scores = np.zeros((len(values), n_classes))
    scores[:, labels] = values
    return scores


def check_margins(model: Any, margins: Any, instead: str = 'combine="votes" or predict') -> None:
    """Refuse a ``decision_function`` that does not have one column per class.

    Parameters
    ----------
    model : classifier
        Fitted.
    margins : array-like of shape (n_samples, n_columns) or (n_samples,)
        Output of its ``decision_function``.
    instead : str
        What else can be used, for the error message.

    Raises
    ------
    ValueError
        Above all if there is a column per pair of classes. For three classes this looks the same
        as one per class; there the parameter ``decision_function_shape`` decides.
    """
    shape, n_labels = np.shape(margins), len(model.classes_)
    width = shape[1] if len(shape) > 1 else 1
    per_class = 1 if n_labels == 2 and len(shape) == 1 else n_labels
    by_pairs = n_labels > 2 and width == n_labels * (n_labels - 1) // 2
    if width == per_class and not (by_pairs and _compares_pairs(model)):
        return
    reason = (
        'it compares pairs of classes. Set decision_function_shape="ovr" in it'
        if by_pairs
        else f"{per_class} are needed, one per class"
    )
    raise ValueError(
        f"the decision_function of {type(model).__name__} has {width} columns for {n_labels} "
        f"classes: {reason}, or use {instead}."
    )


def _compares_pairs(model: Any) -> bool:
    """Whether the margins of a model, or of the one that it hands over to, are those of pairs."""
    if hasattr(model, "steps"):
        return _compares_pairs(model.steps[-1][1])
    for inner in ("best_estimator_", "final_estimator_", "estimator_"):
        if hasattr(model, inner):
            return _compares_pairs(getattr(model, inner))
    return getattr(model, "decision_function_shape", None) == "ovo"
