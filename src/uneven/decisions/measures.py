"""Measures of a confusion matrix that a decision can be fitted for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from uneven.utils.parameters import check_choice

_POWER_STEPS = 6


@dataclass(frozen=True)
class ConfusionMeasure:
    """A measure of confusion matrices, and how carefully class factors follow it.

    Attributes
    ----------
    label : str
        Name in reports.
    loss : callable
        Takes confusion matrices of shape (..., n_classes, n_classes), row = true class, whose row
        sums are the sizes of the classes, and returns an array of shape (...): smaller is better.
    rule : {"prior", "posterior"}
        Where the search begins and what factors are drawn to: the class with the largest
        probability divided by its prior, or just with the largest probability.
    searched : bool
        Whether there is a search, unless recalls are demanded: that rule is the best one for
        balanced accuracy and for accuracy, if the probabilities are right.
    pseudo_rows : float
        Rows of each class that the model's own belief counts for.
    spread_price : float
        Penalty on the standard deviation of the logarithms of the factors.
    bound : callable or None
        Takes confusion matrices as ``loss`` does and returns numbers that are not larger than the
        losses, but found sooner.
    """

    label: str
    loss: Callable[[np.ndarray], np.ndarray]
    rule: Literal["prior", "posterior"] = "prior"
    searched: bool = True
    pseudo_rows: float = 20.0
    spread_price: float = 0.06
    bound: Callable[[np.ndarray], np.ndarray] | None = None


def _rates(confusion: np.ndarray) -> np.ndarray:
    sizes = confusion.sum(axis=-1, keepdims=True)
    return np.divide(confusion, sizes, out=np.zeros_like(confusion), where=sizes > 0.0)


def _errors(confusion: np.ndarray, prices: np.ndarray | None = None) -> np.ndarray:
    """Error rates without the diagonal, each times its cost if there are costs."""
    errors = _rates(confusion)
    diagonal = np.arange(errors.shape[-1])
    errors[..., diagonal, diagonal] = 0.0
    return errors if prices is None else errors * prices


def _recalls(confusion: np.ndarray) -> np.ndarray:
    """Recalls of the classes that have rows, which are the same in all matrices."""
    present = confusion.sum(axis=-1).reshape(-1, confusion.shape[-1]).any(axis=0)
    return np.diagonal(_rates(confusion), axis1=-2, axis2=-1)[..., present]


def confusion_norm_loss(confusion: np.ndarray, prices: np.ndarray | None = None) -> np.ndarray:
    """Operator norm of the error rates, each times its cost if there are costs.

    See :func:`uneven.metrics.confusion_norm`.
    """
    errors = _errors(confusion, prices)
    squares = np.linalg.eigvalsh(np.swapaxes(errors, -2, -1) @ errors)[..., -1]
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def confusion_norm_bound(confusion: np.ndarray, prices: np.ndarray | None = None) -> np.ndarray:
    """What the confusion norm is at least, and nearly: some steps of the power method."""
    errors = _errors(confusion, prices)
    back = np.swapaxes(errors, -2, -1)
    vector = np.ones((*errors.shape[:-1], 1))
    for _ in range(_POWER_STEPS):
        vector = back @ (errors @ vector)
        length = np.linalg.norm(vector, axis=-2, keepdims=True)
        vector /= np.where(length > 0.0, length, 1.0)
    return np.asarray(np.linalg.norm(errors @ vector, axis=-2)[..., 0])


def geometric_mean_loss(confusion: np.ndarray) -> np.ndarray:
    """One minus the geometric mean of the recalls."""
    recalls = _recalls(confusion)
    logs = np.log(np.maximum(recalls, np.finfo(float).tiny))
    return np.asarray(1.0 - np.where((recalls > 0.0).all(axis=-1), np.exp(logs.mean(-1)), 0.0))


def mean_recall_loss(confusion: np.ndarray) -> np.ndarray:
    """One minus the mean of the recalls."""
    return np.asarray(1.0 - _recalls(confusion).mean(axis=-1))


def worst_recall_loss(confusion: np.ndarray) -> np.ndarray:
    """One minus the smallest recall."""
    return np.asarray(1.0 - _recalls(confusion).min(axis=-1))


def macro_f1_loss(confusion: np.ndarray) -> np.ndarray:
    """One minus the mean F1 of the classes that have rows."""
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    sizes = confusion.sum(axis=-1)
    both = sizes + confusion.sum(axis=-2)
    f1 = np.divide(2.0 * right, both, out=np.zeros_like(right), where=both > 0.0)
    present = sizes > 0.0
    return np.asarray(1.0 - (f1 * present).sum(axis=-1) / present.sum(axis=-1))


def error_loss(confusion: np.ndarray) -> np.ndarray:
    """Error rate."""
    return np.asarray(1.0 - np.trace(confusion, axis1=-2, axis2=-1) / confusion.sum((-2, -1)))


MEASURES = {
    "norm": ConfusionMeasure(
        "confusion norm",
        confusion_norm_loss,
        pseudo_rows=60.0,
        spread_price=0.12,
        bound=confusion_norm_bound,
    ),
    "gmean": ConfusionMeasure("G-mean", geometric_mean_loss),
    "balanced_accuracy": ConfusionMeasure(
        "balanced accuracy", mean_recall_loss, searched=False, spread_price=0.01
    ),
    "worst_recall": ConfusionMeasure("worst recall", worst_recall_loss),
    "macro_f1": ConfusionMeasure(
        "macro F1", macro_f1_loss, rule="posterior", pseudo_rows=60.0, spread_price=0.01
    ),
    "accuracy": ConfusionMeasure(
        "accuracy", error_loss, rule="posterior", searched=False, spread_price=0.01
    ),
}
"""Measures by name."""


def find_measure(measure: Any) -> ConfusionMeasure:
    """The measure of a name, or of a function of one confusion matrix of which more is better.

    Parameters
    ----------
    measure : str, ConfusionMeasure, or callable
        A callable gets an array of shape (n_classes, n_classes): row = true class, column =
        prediction, (weighted) rows.

    Examples
    --------
    >>> import numpy as np
    >>> confusion = np.array([[[3.0, 1.0], [0.0, 4.0]]])
    >>> find_measure("accuracy").loss(confusion)
    array([0.125])
    >>> find_measure(lambda counts: counts[1, 1]).loss(confusion)
    array([-4.])
    """
    if isinstance(measure, ConfusionMeasure):
        return measure
    check_choice("measure", measure, MEASURES, or_callable=True)
    if isinstance(measure, str):
        return MEASURES[measure]

    def loss(confusion: np.ndarray) -> np.ndarray:
        n_classes = confusion.shape[-1]
        matrices = confusion.reshape(-1, n_classes, n_classes)
        values = np.array([_number(measure, measure(matrix)) for matrix in matrices])
        if np.isnan(values).any():
            raise ValueError(f"measure {_name(measure)} returned NaN for a confusion matrix.")
        return np.asarray(-values.reshape(confusion.shape[:-2]))

    return ConfusionMeasure(_name(measure), loss)


def _number(measure: Any, value: Any) -> float:
    if np.ndim(value) or np.asarray(value).dtype.kind not in "biuf":
        raise ValueError(
            f"measure {_name(measure)} returned {value!r} for a confusion matrix: it must return a "
            "number of which more is better."
        )
    return float(value)


def _name(measure: Any) -> str:
    return str(getattr(measure, "__name__", type(measure).__name__))
