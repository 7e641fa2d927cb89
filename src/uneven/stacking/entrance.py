"""How the classifiers of this room begin to learn: tables stay what they are for the members.

The members are whole classifiers or pipelines, which know better what they can read: data frames
with words, sparse matrices, holes. So only arrays are checked here; frames and lists of texts are
handed on as they came.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from uneven.door import check_mass
from uneven.frames import take_rows
from uneven.stacking.tables import count_rows, open_table

__all__ = ["StackRows", "enter_stack", "enter_stack_again"]

_X_RULES: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": "numeric",
    "ensure_all_finite": "allow-nan",
}


@dataclass(frozen=True)
class StackRows:
    """Validated training rows.

    Attributes
    ----------
    X : ndarray, csr matrix, dataframe or list of length n_samples
    y : ndarray of int, shape (n_samples,)
        Positions in ``classes``.
    classes : ndarray of shape (n_classes,)
    share : ndarray of shape (n_samples,)
        Weights of the rows; they sum to 1.
    weight : ndarray of shape (n_samples,), or None
        Sample weights as they were given.
    """

    X: Any
    y: np.ndarray
    classes: np.ndarray
    share: np.ndarray
    weight: np.ndarray | None


def enter_stack(estimator: Any, X: Any, y: Any, sample_weight: Any) -> StackRows:
    """Validate what ``fit`` was given and remember its columns on the estimator.

    Parameters
    ----------
    estimator : estimator
        Gets ``n_features_in_`` and ``feature_names_in_``.
    X : array-like, sparse matrix, dataframe or list of texts, of length n_samples
    y : array-like of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,), or None
        Rows of weight zero are left out.

    Returns
    -------
    StackRows

    Raises
    ------
    ValueError
        Also if ``y`` holds one class only: there is nothing to choose from.
    """
    if _is_handed_on(X):
        validate_data(estimator, X, y, skip_check_array=True)
        labels = column_or_1d(y, warn=True)
        check_consistent_length(X, labels)
    else:
        X, labels = validate_data(estimator, X, y, **_X_RULES)
    X = open_table(X)
    check_classification_targets(labels)
    if not count_rows(X):
        raise ValueError("X has no rows: there is nothing to learn from.")
    mass = check_mass(sample_weight, len(labels))
    if not mass.all():
        kept = np.flatnonzero(mass)
        X, labels, mass = take_rows(X, kept), labels[kept], mass[kept]
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y holds only one class, {classes[0]!r}: {type(estimator).__name__} needs rows of "
            "two classes at least."
        )
    weight = None if sample_weight is None else mass
    return StackRows(X, codes.astype(np.intp, copy=False), classes, mass / mass.sum(), weight)


def enter_stack_again(estimator: Any, X: Any) -> Any:
    """Validate what ``predict`` was given against what ``fit`` saw."""
    if _is_handed_on(X):
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return X
    return open_table(validate_data(estimator, X, reset=False, **_X_RULES))


def _is_handed_on(X: Any) -> bool:
    """Whether a table is a data frame, or a list of texts."""
    if isinstance(X, list):
        return bool(X) and isinstance(X[0], str)
    return hasattr(X, "columns") and hasattr(X, "shape")
