"""The confusion matrix as rates, and its norm as one number.

Conventions: row = true class, column = prediction. Rows are divided by the size of the true
class, so that a rare class weighs as much as a frequent one. A class without true examples
keeps a row of zeros.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from uneven.metrics._checks import (
    as_labels,
    as_scores,
    as_weights,
    class_list,
    encode,
    of_answers,
    pair_counts,
    scored_classes,
)
from uneven.metrics.scoring import measure

Norm = Literal["operator", "fro", "l1", "max_row"]


@of_answers
def confusion_rates(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the row-normalised confusion matrix, diagonal (recalls) included.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    ndarray of shape (K, K)
        Entry (l, j): share of class l that is predicted as j. Each row sums to 1, or to 0 for a
        class without (weighted) true examples.

    Examples
    --------
    >>> confusion_rates(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    counts, _ = confusion_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    sizes = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, sizes, out=np.zeros_like(counts), where=sizes > 0)


@of_answers
def error_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the row-normalised confusion matrix with a zero diagonal: mistakes only.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    ndarray of shape (K, K)
        Row sums are the error rates of the classes.

    Examples
    --------
    >>> error_matrix(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    array([[0. , 0.5],
           [0. , 0. ]])
    """
    rates = confusion_rates(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    np.fill_diagonal(rates, 0.0)
    return rates


@measure(
    "confusion_norm",
    "confusion norm",
    "Largest singular value of the matrix of error rates between classes; 0 is perfect, and errors "
    "on a rare class count as much as errors on a frequent one.",
    order=10,
    greater_is_better=False,
    highest=lambda n_classes: (n_classes - 1) ** 0.5,
)
@measure("confusion_norm_fro", greater_is_better=False, norm="fro")
@measure("confusion_norm_l1", greater_is_better=False, norm="l1")
@of_answers
def confusion_norm(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    norm: Norm = "operator",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return a norm of the error matrix: 0 is perfect, whatever the class sizes.

    Parameters
    ----------
    {parameters}
    norm : {"operator", "fro", "l1", "max_row"}, default="operator"
        Largest singular value, Frobenius norm, sum of all entries, or largest row sum (the
        error rate of the worst class).

    Returns
    -------
    float
        The operator norm is in [0, sqrt(K - 1)]; a constant prediction has the maximum. It is
        not limited to 1. With two classes it is the larger of the two error rates.

    References
    ----------
    Koço and Capponi (2013), On multi-class learning through the minimization of the
    confusion matrix norm. Koço (2013), doctoral thesis, Aix-Marseille.

    Examples
    --------
    >>> confusion_norm([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    >>> round(confusion_norm([0, 1, 2], [0, 0, 0]) ** 2, 6)
    2.0
    """
    errors = error_matrix(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return matrix_norm(errors, norm)


@measure("confusion_rate", greater_is_better=False)
@of_answers
def confusion_rate(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the Frobenius norm of the error matrix over the root of the number of classes.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    float
        Between 0 and 1: the root of the mean squared row of the error matrix. Only classes with
        true examples count. The norm itself is ``confusion_norm(..., norm="fro")``.

    Notes
    -----
    Corrections of the source: its figures above 1 are norms that were not divided; one caption
    shows squared norms.

    References
    ----------
    U. Louche (2016), From confusion noise to active learning: playing on label availability in
    linear classification problems, PhD thesis, Aix-Marseille Université.

    Examples
    --------
    >>> confusion_rate([0, 0, 1, 1], [0, 1, 0, 1])
    0.5
    >>> round(confusion_rate([0, 1, 2], [0, 0, 0]) ** 2, 6)
    0.666667
    """
    rates = confusion_rates(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    present = int(rates.any(axis=1).sum())
    np.fill_diagonal(rates, 0.0)
    return matrix_norm(rates, "fro") / float(np.sqrt(present))


def matrix_norm(matrix: ArrayLike, norm: Norm = "operator") -> float:
    """Return a norm of a non-negative error matrix that has been computed already.

    Parameters
    ----------
    matrix : array-like of shape (K, K)
        Row-normalised errors, for instance from `error_matrix` or `gibbs_error_matrix`.
    norm : {"operator", "fro", "l1", "max_row"}, default="operator"
        See `confusion_norm`.

    Returns
    -------
    float

    Examples
    --------
    >>> matrix_norm([[0, 0.3], [0.4, 0]], "fro")
    0.5
    """
    errors = np.asarray(matrix, dtype=np.float64)
    if errors.ndim != 2 or errors.size == 0:
        raise ValueError(f"matrix has shape {errors.shape}; expected a non-empty (K, K) array.")
    if norm == "operator":
        return float(np.linalg.norm(errors, 2))
    if norm == "fro":
        return float(np.linalg.norm(errors, "fro"))
    if norm == "l1":
        return float(np.abs(errors).sum())
    if norm == "max_row":
        return float(np.abs(errors).sum(axis=1).max())
    raise ValueError(f"norm={norm!r} is unknown; choose 'operator', 'fro', 'l1' or 'max_row'.")


def gibbs_error_matrix(
    y_true: ArrayLike, vote_shares: ArrayLike, *, labels: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return the error matrix of the Gibbs classifier behind a weighted vote.

    The Gibbs classifier draws one voter at random, with the vote's weights as probabilities. Its
    rate of predicting j for class l is the mean vote share of j over the examples of class l.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    vote_shares : array-like of shape (n, K)
        Non-negative shares whose rows sum to at most 1, such as ``predict_proba`` of a vote.
    labels : array-like of shape (K,), optional
        Class of each column; by default the sorted labels of ``y_true``.

    Returns
    -------
    ndarray of shape (K, K)

    Examples
    --------
    >>> gibbs_error_matrix([0, 0, 1], [[1, 0], [0.5, 0.5], [0.2, 0.8]])
    array([[0.  , 0.25],
           [0.2 , 0.  ]])
    """
    y = as_labels(y_true, "y_true")
    shares = as_scores(vote_shares, len(y))
    if (shares < 0).any() or (shares.sum(axis=1) > 1 + 1e-9).any():
        raise ValueError(
            "vote_shares must be non-negative with rows that sum to at most 1; "
            "pass predict_proba, not decision_function."
        )
    classes = scored_classes(y, shares.shape[1], labels)
    membership = encode(y, classes)[None, :] == np.arange(len(classes))[:, None]
    sizes = membership.sum(axis=1, keepdims=True)
    errors = membership @ shares / np.maximum(sizes, 1)
    np.fill_diagonal(errors, 0.0)
    return errors


@of_answers
def confusion_counts(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the (weighted) counts of each true and predicted class, with the classes.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    counts : ndarray of shape (K, K)
    classes : ndarray of shape (K,)

    Examples
    --------
    >>> counts, classes = confusion_counts(["a", "a", "b"], ["a", "b", "b"])
    >>> counts.tolist(), classes.tolist()
    ([[1.0, 1.0], [0.0, 1.0]], ['a', 'b'])
    """
    true = as_labels(y_true, "y_true")
    predicted = as_labels(y_pred, "y_pred")
    classes = class_list(labels, true, predicted)
    weights = as_weights(sample_weight, len(true))
    counts = pair_counts(encode(true, classes), encode(predicted, classes), len(classes), weights)
    return counts, classes
