r"""Evaluate a classifier by noisy labels, given the matrix of their noise.

Count how often the classifier predicts ``p`` while the observed label is ``k``. Each observed label
stands, on average, for the true classes that column ``k`` of the inverse noise matrix names (with
negative weights, too). Replacing labels by these columns gives an unbiased estimate of the joint
frequencies of predicted and true class, and of everything that can be computed from them.

The estimates hold for a classifier that was fixed before the labels were looked at: use rows that
it was not trained on. They may be negative or above 1, by chance; their standard errors show by how
much. They are unbiased only if the matrix is right: a matrix that was itself estimated
(:class:`~uneven.noise.ConfusionEstimate`) adds its own uncertainty to the error rate.

References
----------
U. Louche (2016), chapter 4: the update vectors of UMA, with the constant 1 in the place of the
example.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from uneven.metrics._checks import as_labels, as_weights, encode, pair_counts
from uneven.noise.matrices import invert_noise, match_classes


class Estimate(NamedTuple):
    """A value with its standard error.

    Attributes
    ----------
    value : float or ndarray
    standard_error : float or ndarray
        Of the same shape; NaN if there is a single row.

    Examples
    --------
    >>> found = corrected_error([0, 0, 1, 1], [0, 1, 1, 1], [[1.0, 0.0], [0.0, 1.0]])
    >>> value, standard_error = found
    >>> value, round(found.standard_error, 3)
    (0.25, 0.25)
    """

    value: Any
    standard_error: Any


@dataclass(frozen=True)
class _Counts:
    """Counts of predictions and observed labels.

    Attributes
    ----------
    shares : ndarray of shape (n_classes, n_classes)
        Entry (p, k): share of the rows with prediction p and observed label k. Sums to 1.
    squares : ndarray of shape (n_classes, n_classes)
        Sums of the squared weights of these rows, with factors that make variances unbiased.
    inverse : ndarray of shape (n_classes, n_classes)
        Inverse of the noise matrix.
    smallest : float
        Mean weight of a row: nothing is divided by less.
    """

    shares: np.ndarray
    squares: np.ndarray
    inverse: np.ndarray
    smallest: float

    @property
    def joint(self) -> np.ndarray:
        return self.shares @ self.inverse.T


def estimated_joint(
    y_pred: ArrayLike,
    y_observed: ArrayLike,
    noise_matrix: Any,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    on_singular: str = "raise",
) -> Estimate:
    """Joint frequencies of the prediction and the true class, from noisy labels.

    Parameters
    ----------
    y_pred : array-like of shape (n_samples,)
        Predictions of a classifier.
    y_observed : array-like of shape (n_samples,)
        Noisy labels.
    noise_matrix : array-like, dataframe or ConfusionEstimate of shape (n_classes, n_classes)
        Column = true class, row = observed label.
    classes : array-like of shape (n_classes,), optional
        The class of each row and column of the matrix. By default the names of a dataframe, else
        the sorted labels.
    sample_weight : array-like of shape (n_samples,), optional
    on_singular : {"raise", "shrink", "pinv"}, default="raise"
        See :func:`invert_noise`.

    Returns
    -------
    Estimate
        Two arrays of shape (n_classes, n_classes). Entry (p, q) is about prediction p and true
        class q. Rows of the value sum to the shares of the predictions, columns to the recovered
        class frequencies (before they are moved into the range of probabilities), everything to 1.

    Examples
    --------
    >>> noise = [[0.8, 0.1, 0.2], [0.1, 0.7, 0.1], [0.1, 0.2, 0.7]]
    >>> found = estimated_joint([0, 0, 0, 1, 1, 2, 2, 0], [0, 1, 1, 0, 2, 2, 1, 0], noise)
    >>> found.value.round(3)
    array([[ 0.306,  0.333, -0.139],
           [ 0.118, -0.042,  0.174],
           [-0.056,  0.167,  0.139]])
    """
    counts = _count(y_pred, y_observed, noise_matrix, classes, sample_weight, on_singular)
    joint = counts.joint
    own = counts.squares @ (counts.inverse.T**2) - 2.0 * joint * (counts.squares @ counts.inverse.T)
    variance = own + joint**2 * counts.squares.sum()
    return Estimate(joint, np.sqrt(np.maximum(variance, 0.0)))


def corrected_error(
    y_pred: ArrayLike,
    y_observed: ArrayLike,
    noise_matrix: Any,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    on_singular: str = "raise",
) -> Estimate:
    """Error rate with respect to the true classes, estimated from noisy labels.

    Parameters
    ----------
    y_pred, y_observed, noise_matrix, classes, sample_weight, on_singular
        As in :func:`estimated_joint`.

    Returns
    -------
    Estimate
        Two floats. If the noise matrix is a ``ConfusionEstimate``, the standard error includes
        that of the matrix, to first order.

    Examples
    --------
    Labels are wrong in 20 % of the rows, the classifier in 10 %. Against the labels it looks
    wrong in 0.1 + 0.2 - 2 * 0.1 * 0.2 = 26 %.

    >>> from uneven.noise import corrupt_labels, uniform_noise
    >>> rng = np.random.default_rng(0)
    >>> noise = uniform_noise(2, 0.2)
    >>> truth = rng.integers(2, size=5000)
    >>> answers = np.where(rng.random(5000) < 0.1, 1 - truth, truth)
    >>> labels = corrupt_labels(truth, noise, rng)
    >>> found = corrected_error(answers, labels, noise)
    >>> round(float(np.mean(answers != labels)), 3), round(found.value, 3)
    (0.26, 0.099)
    >>> round(found.standard_error, 3)
    0.01
    """
    counts = _count(y_pred, y_observed, noise_matrix, classes, sample_weight, on_singular)
    error = 1.0 - float(np.trace(counts.joint))
    variance = float((counts.squares * (1.0 - counts.inverse - error) ** 2).sum())
    if hasattr(noise_matrix, "variance_along"):
        variance += noise_matrix.variance_along(counts.inverse.T @ counts.joint)
    return Estimate(error, float(np.sqrt(variance)))


def corrected_confusion(
    y_pred: ArrayLike,
    y_observed: ArrayLike,
    noise_matrix: Any,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    on_singular: str = "raise",
) -> Estimate:
    """Confusion rates of a classifier against the true classes, from noisy labels.

    Parameters
    ----------
    y_pred, y_observed, noise_matrix, classes, sample_weight, on_singular
        As in :func:`estimated_joint`.

    Returns
    -------
    Estimate
        Two arrays of shape (n_classes, n_classes), laid out like those of ``uneven.metrics``: **row
        = true class**, column = prediction (the noise matrix has it the other way round). Rows of
        the value sum to 1, unless the noisy labels leave nothing to that class. The standard errors
        are those of a ratio to first order.

    Examples
    --------
    >>> from uneven.noise import corrupt_labels, uniform_noise
    >>> rng = np.random.default_rng(0)
    >>> noise = uniform_noise(2, 0.2)
    >>> truth = np.repeat([0, 1], [4000, 2000])
    >>> answers = np.where(truth == 0, 0, rng.integers(2, size=6000))
    >>> labels = corrupt_labels(truth, noise, rng)
    >>> corrected_confusion(answers, labels, noise).value.round(2)
    array([[1.  , 0.  ],
           [0.52, 0.48]])
    """
    counts = _count(y_pred, y_observed, noise_matrix, classes, sample_weight, on_singular)
    joint = counts.joint
    prior = np.maximum(joint.sum(axis=0), counts.smallest)
    rates = joint / prior
    weights = counts.inverse.T**2
    own = (counts.squares @ weights) * (1.0 - 2.0 * rates)
    everyone = rates**2 * (counts.squares.sum(axis=0) @ weights)
    deviation = np.sqrt(np.maximum(own + everyone, 0.0)) / prior
    return Estimate(rates.T, deviation.T)


def _count(
    y_pred: ArrayLike,
    y_observed: ArrayLike,
    noise_matrix: Any,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
    on_singular: str,
) -> _Counts:
    answers = as_labels(y_pred, "y_pred")
    observed = as_labels(y_observed, "y_observed")
    noise, order = match_classes(noise_matrix, classes, observed, answers)
    inverse = invert_noise(noise, on_singular).inverse
    weights = as_weights(sample_weight, len(answers))
    weights = weights / weights.sum()
    codes = encode(answers, order), encode(observed, order)
    lost = 1.0 - float(weights @ weights)
    spread = weights**2 / lost if lost > 1e-12 else np.full(len(weights), np.nan)
    return _Counts(
        shares=pair_counts(*codes, len(order), weights),
        squares=pair_counts(*codes, len(order), spread),
        inverse=inverse,
        smallest=1.0 / len(weights),
    )
