"""What a classifier says about the classes that it knows, in the columns of all classes."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC, NuSVC

__all__ = ["check_margins", "importance", "scatter", "spread"]


def check_margins(model: Any, margins: Any, instead: str = 'combine="votes" or predict') -> None:
    """Refuse a ``decision_function`` that does not have one column per class.

    Parameters
    ----------
    model : classifier
        Fitted.
    margins : array-like of shape (n_samples, n_columns) or (n_samples,)
        What its ``decision_function`` says.
    instead : str
        What else can be used, for the error message.

    Raises
    ------
    ValueError
        Above all if there is a column per pair of classes. For three classes this looks the same
        as one per class; there the parameter ``decision_function_shape`` tells.
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
    """Whether the margins of a model, or of the one that it hands over to, stand for pairs."""
    if hasattr(model, "steps"):
        return _compares_pairs(model.steps[-1][1])
    for inner in ("best_estimator_", "final_estimator_", "estimator_"):
        if hasattr(model, inner):
            return _compares_pairs(getattr(model, inner))
    return getattr(model, "decision_function_shape", None) == "ovo"


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


def importance(model: Any) -> np.ndarray:
    """How much a model leans on each of its inputs for each class that it knows.

    Parameters
    ----------
    model : classifier
        Fitted.

    Returns
    -------
    ndarray of shape (n_inputs, n_labels)
        From its own ``explain``, else its absolute ``coef_``, else its ``feature_importances_``.
        Coefficients per pair of classes count for both classes of the pair.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import LinearSVC
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [5.0, 0.0], [5.0, 1.0]])
    >>> share = importance(LinearSVC().fit(X, [0, 0, 1, 1]))
    >>> bool(np.all(share[0] > share[1]))
    True
    """
    n_labels = len(model.classes_)
    if hasattr(model, "explain"):
        return np.asarray(model.explain().feature_share)
    if hasattr(model, "coef_"):
        given = model.coef_.toarray() if sp.issparse(model.coef_) else model.coef_
        sizes = np.abs(np.atleast_2d(np.asarray(given, dtype=np.float64)))
        if isinstance(model, SVC | NuSVC):
            pairs = list(combinations(range(n_labels), 2))
            belongs = np.array([[c in pair for pair in pairs] for c in range(n_labels)])
            return np.asarray((belongs @ sizes).T)
        return sizes.T if len(sizes) == n_labels else _for_all(sizes.mean(axis=0), n_labels)
    if hasattr(model, "feature_importances_"):
        return _for_all(np.asarray(model.feature_importances_), n_labels)
    raise AttributeError(
        f"explain: {type(model).__name__} has neither explain, coef_ nor feature_importances_."
    )


def _for_all(sizes: np.ndarray, n_labels: int) -> np.ndarray:
    """The same for every class, shape (n_inputs, n_labels)."""
    return np.tile(sizes, (n_labels, 1)).T
