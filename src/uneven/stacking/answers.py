"""What one classifier says about rows, as one number per class."""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.fusion.class_columns import check_margins, scatter, spread
from uneven.utils.parameters import check_choice

__all__ = ["METHODS", "class_scores", "positions_of", "score_method"]

METHODS = ("predict_proba", "decision_function", "predict")
"""Where scores may come from, the best first."""


def score_method(model: Any, wanted: str = "auto", *, fitted: bool = False) -> str:
    """Which method of a classifier is asked for scores.

    Parameters
    ----------
    model : classifier
    wanted : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        "auto" is the first of them that it has.
    fitted : bool, default=False
        Whether it must have one by now. Some classifiers show what they have once they are fitted.

    Returns
    -------
    str
        As wanted, if the classifier does not show yet what it has.

    Examples
    --------
    >>> from sklearn.linear_model import Perceptron
    >>> score_method(Perceptron())
    'decision_function'
    """
    check_choice("score", wanted, ("auto", *METHODS))
    found = [method for method in METHODS if hasattr(model, method)]
    if not found and not fitted:
        return wanted
    if not found:
        raise TypeError(
            f"{type(model).__name__} has none of {', '.join(METHODS)}: it is no classifier."
        )
    if wanted == "auto":
        return found[0]
    if wanted not in found:
        raise ValueError(
            f"{type(model).__name__} has no {wanted} to be asked for scores; it has "
            f"{', '.join(found)}."
        )
    return wanted


def positions_of(labels: Any, classes: np.ndarray) -> np.ndarray:
    """Where labels stand among the classes.

    Parameters
    ----------
    labels : array-like of shape (n,)
    classes : ndarray of shape (n_classes,)
        Sorted.

    Returns
    -------
    ndarray of int, shape (n,)

    Examples
    --------
    >>> positions_of(["b", "a"], np.array(["a", "b"])).tolist()
    [1, 0]
    """
    given = np.asarray(labels)
    known = np.isin(given, classes)
    if not known.all():
        raise ValueError(
            f"the label {given[~known].tolist()[0]!r} is not among the classes "
            f"{classes[:8].tolist()}."
        )
    return np.searchsorted(classes, given)


def class_scores(
    model: Any, X: Any, method: str, labels: np.ndarray, classes: np.ndarray
) -> np.ndarray:
    """Scores of a fitted classifier in the columns of all classes.

    Parameters
    ----------
    model : classifier
        Fitted.
    X : table of n_samples rows
        The columns that it learnt from.
    method : {"predict_proba", "decision_function", "predict"}
        Answers of ``predict`` become a 1 for the class and 0 for the others.
    labels : ndarray of int, shape (n_labels,)
        Positions of ``model.classes_`` in ``classes``.
    classes : ndarray of shape (n_classes,)
        Sorted. A class that the model does not know gets the probability 0, or the smallest
        margin of the row.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [9.0]], ["a", "c"])
    >>> classes = np.array(["a", "b", "c"])
    >>> class_scores(model, [[0.0]], "predict_proba", np.array([0, 2]), classes).round(3)
    array([[1., 0., 0.]])
    """
    said = np.asarray(getattr(model, method)(X))
    if method == "predict":
        return np.eye(len(classes))[positions_of(said, classes)]
    if method == "decision_function":
        check_margins(model, said, 'score="predict"')
        return spread(said, labels, len(classes))
    if said.ndim != 2 or said.shape[1] != len(labels):
        raise ValueError(
            f"predict_proba of {type(model).__name__} has shape {said.shape}; {len(labels)} "
            "columns are needed, one per class that it knows."
        )
    return scatter(said, labels, len(classes))
