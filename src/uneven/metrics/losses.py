"""Losses of a linear classifier, as functions of the margin, and their mean: the empirical risk.

The margin of a row is its label, -1 or 1, times its score: positive if the prediction is right,
large if it is right by far. For more than two classes the margin is the lead of the true class over
its strongest rival, see `uneven.metrics.margins`.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from uneven.metrics._checks import as_weights
from uneven.utils.parameters import check_choice

Values = NDArray[np.float64]


def zero_one_loss(margin: ArrayLike) -> Values:
    """1 for a misclassification, 0 for a correct prediction.

    Parameters
    ----------
    margin : array-like of shape (n,)

    Returns
    -------
    ndarray of shape (n,)
        A margin of zero is wrong, so that a classifier whose scores are all zero is never right.

    Examples
    --------
    >>> zero_one_loss([-1.0, 0.0, 0.5]).tolist()
    [1.0, 1.0, 0.0]
    """
    return (_margins(margin) <= 0.0).astype(np.float64)


def quadratic_loss(margin: ArrayLike) -> Values:
    """Squared distance of the score from the label: (1 - margin)².

    Parameters
    ----------
    margin : array-like of shape (n,)

    Returns
    -------
    ndarray of shape (n,)
        Scores that are right by more than 1 are punished, too.

    Examples
    --------
    >>> quadratic_loss([-1.0, 1.0, 3.0]).tolist()
    [4.0, 0.0, 4.0]
    """
    return (1.0 - _margins(margin)) ** 2


def exponential_loss(margin: ArrayLike) -> Values:
    """exp(-margin), the loss of AdaBoost.

    Parameters
    ----------
    margin : array-like of shape (n,)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> exponential_loss([0.0, 1.0]).round(4).tolist()
    [1.0, 0.3679]
    """
    with np.errstate(over="ignore"):
        return np.exp(-_margins(margin))


def hinge_loss(margin: ArrayLike) -> Values:
    """max(0, 1 - margin), the loss of the support vector machine.

    Parameters
    ----------
    margin : array-like of shape (n,)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> hinge_loss([-1.0, 0.5, 2.0]).tolist()
    [2.0, 0.5, 0.0]
    """
    return np.maximum(0.0, 1.0 - _margins(margin))


def logistic_loss(margin: ArrayLike) -> Values:
    """log(1 + exp(-margin)), the loss of logistic regression.

    Parameters
    ----------
    margin : array-like of shape (n,)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> logistic_loss([0.0, 800.0, -800.0]).round(4).tolist()
    [0.6931, 0.0, 800.0]
    """
    return np.logaddexp(0.0, -_margins(margin))


MARGIN_LOSSES: dict[str, Callable[[ArrayLike], Values]] = {
    "zero_one": zero_one_loss,
    "quadratic": quadratic_loss,
    "exponential": exponential_loss,
    "hinge": hinge_loss,
    "logistic": logistic_loss,
}
"""The losses by name. All but the first are convex; all but the logistic one bound it from above,
and so does that divided by log 2."""


def empirical_risk(
    margin: ArrayLike,
    loss: str | Callable[[ArrayLike], Values] = "zero_one",
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean loss of a sample.

    Parameters
    ----------
    margin : array-like of shape (n,)
        Labels, -1 or 1, times scores; or `uneven.metrics.margins` for more than two classes.
    loss : {"zero_one", "quadratic", "exponential", "hinge", "logistic"} or callable, \
default="zero_one"
        A callable maps margins to losses.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights of the rows.

    Returns
    -------
    float

    Notes
    -----
    The source leaves the label out of the margin, and then no classifier has a positive one for
    both classes.

    References
    ----------
    Louche (2016), From confusion noise to active learning: playing on label availability in linear
    classification problems, section 1.2.

    Examples
    --------
    >>> X, y = np.array([[1.0, 2.0], [-1.0, 0.5], [0.2, -1.0]]), np.array([1, -1, 1])
    >>> margin = y * (X @ [1.0, 0.5])
    >>> round(empirical_risk(margin), 3), round(empirical_risk(margin, "hinge"), 3)
    (0.333, 0.517)
    """
    if not callable(loss):
        check_choice("loss", loss, MARGIN_LOSSES)
        loss = MARGIN_LOSSES[loss]
    values = np.asarray(loss(margin), dtype=np.float64)
    return float(np.average(values, weights=as_weights(sample_weight, len(values))))


def _margins(margin: ArrayLike) -> Values:
    values = np.asarray(margin, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"margin has shape {values.shape}; expected one number for each row.")
    if np.isnan(values).any():
        raise ValueError(f"margin is NaN in row {int(np.isnan(values).argmax())}.")
    return values
