"""Recalls of the classes, averaged in three ways: none of them lets a rare class vanish.

Classes without true examples have no recall and are left out of every average. A class that
was never seen in training is never answered, so its recall is 0.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from uneven.metrics.confusion import confusion_counts


def class_recalls(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the recall of each class, NaN where a class has no true example.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    labels : array-like of shape (K,), optional
        Order of the classes; by default the sorted union of both.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights of the examples.

    Returns
    -------
    ndarray of shape (K,)

    Examples
    --------
    >>> class_recalls([0, 0, 1], [0, 2, 1]).tolist()
    [0.5, 1.0, nan]
    """
    counts, _ = confusion_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    sizes = counts.sum(axis=1)
    return np.divide(np.diag(counts), sizes, out=np.full(len(sizes), np.nan), where=sizes > 0)


def geometric_mean_recall(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the geometric mean of the recalls (G-mean).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    labels : array-like of shape (K,), optional
        Classes that may occur; it does not change the value.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights of the examples.

    Returns
    -------
    float
        In [0, 1]; 0 as soon as one class is never recognised.

    Examples
    --------
    >>> round(geometric_mean_recall([0, 0, 1, 1], [0, 1, 1, 1]), 3)
    0.707
    >>> geometric_mean_recall([0, 0, 1], [0, 0, 0])
    0.0
    """
    recalls = _measured(y_true, y_pred, labels, sample_weight)
    if not recalls.all():
        return 0.0
    return float(np.exp(np.log(recalls).mean()))


def mean_recall(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the arithmetic mean of the recalls (balanced accuracy).

    Equal to scikit-learn's ``balanced_accuracy_score``, without its warning when a class is
    predicted that has no true example in the fold.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    labels : array-like of shape (K,), optional
        Classes that may occur; it does not change the value.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights of the examples.

    Returns
    -------
    float
        In [0, 1]; a constant answer scores 1/K.

    Examples
    --------
    >>> mean_recall([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    return float(_measured(y_true, y_pred, labels, sample_weight).mean())


def worst_recall(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the smallest recall: one minus the ``max_row`` norm of the error matrix.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    labels : array-like of shape (K,), optional
        Classes that may occur; it does not change the value.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights of the examples.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> worst_recall([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    return float(_measured(y_true, y_pred, labels, sample_weight).min())


def _measured(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    labels: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> NDArray[np.float64]:
    recalls = class_recalls(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return recalls[~np.isnan(recalls)]
