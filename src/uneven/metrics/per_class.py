"""The classes one by one: how large, how well recognised, taken for what; and their recalls as one.

The recalls are averaged in three ways, none of which lets a rare class vanish. Classes without true
examples have no recall and are left out of every average. A class that was never seen in training
is never predicted, so its recall is 0.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from uneven.metrics._checks import as_labels, as_weights, of_answers
from uneven.metrics.confusion import confusion_counts
from uneven.metrics.scoring import measure


@of_answers
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
    {parameters}

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


@measure(
    "gmean",
    "G-mean",
    "Geometric mean of the recalls of all classes; 1 is perfect, and a class that is never "
    "predicted correctly makes it 0.",
    order=20,
)
@of_answers
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
    {parameters}

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


@measure(
    "balanced_accuracy",
    "balanced accuracy",
    "Mean of the recalls of all classes; 1 is perfect, 1/K is random guessing.",
    order=30,
)
@of_answers
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
    {parameters}

    Returns
    -------
    float
        In [0, 1]; a constant prediction scores 1/K.

    Examples
    --------
    >>> mean_recall([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    return float(_measured(y_true, y_pred, labels, sample_weight).mean())


@measure(
    "worst_recall",
    "worst recall",
    "Smallest recall of all classes; 1 is perfect.",
    order=52,
)
@of_answers
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
    {parameters}

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


@measure(
    "macro_f1",
    "macro F1",
    "Mean over the classes of F1, the harmonic mean of recall and precision; 1 is perfect.",
    order=50,
)
@of_answers
def mean_f1(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean over the classes of F1 (macro F1).

    Parameters
    ----------
    {parameters}

    Returns
    -------
    float
        In [0, 1]. Classes with neither true examples nor predictions are left out.

    Examples
    --------
    >>> mean_f1([0, 0, 0, 1], [0, 0, 1, 1])
    0.733...
    """
    counts, _ = confusion_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    sizes = counts.sum(axis=0) + counts.sum(axis=1)
    return float((2.0 * counts.diagonal()[sizes > 0] / sizes[sizes > 0]).mean())


def _measured(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    labels: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> NDArray[np.float64]:
    recalls = class_recalls(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return recalls[~np.isnan(recalls)]


@dataclass(frozen=True, eq=False)
class PerClassTable:
    """Measures of each class, as columns of equal length.

    Attributes
    ----------
    label : ndarray of shape (K,)
        The classes.
    support : ndarray of shape (K,)
        (Weighted) number of true examples.
    recall : ndarray of shape (K,)
        Share of the true examples that is recognised; NaN for a class without examples.
    precision : ndarray of shape (K,)
        Precision; 0 for a class that is never predicted.
    f1 : ndarray of shape (K,)
        Harmonic mean of the two; NaN for a class without examples.
    confused_with : list of length K
        The wrong class most often predicted, ``None`` if there is no mistake.
    confused_rate : ndarray of shape (K,)
        Share of the true examples predicted as that class.

    Examples
    --------
    ``to_dict`` is what data frames are built from: ``pandas.DataFrame(table.to_dict())``.

    >>> table = per_class_table(["a", "a", "b"], ["a", "b", "b"])
    >>> table.to_dict()["recall"]
    [0.5, 1.0]
    """

    label: NDArray[Any]
    support: NDArray[np.float64]
    recall: NDArray[np.float64]
    precision: NDArray[np.float64]
    f1: NDArray[np.float64]
    confused_with: list[Any]
    confused_rate: NDArray[np.float64]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists of plain Python values, ``None`` for NaN.

        Returns
        -------
        dict of str to list of length K

        Examples
        --------
        >>> per_class_table([0, 0], [0, 1]).to_dict()["recall"]
        [0.5, None]
        """
        columns = {
            "label": self.label.tolist(),
            "support": self.support.tolist(),
            "recall": self.recall.tolist(),
            "precision": self.precision.tolist(),
            "f1": self.f1.tolist(),
            "confused_with": list(self.confused_with),
            "confused_rate": self.confused_rate.tolist(),
        }
        return {name: [None if v != v else v for v in values] for name, values in columns.items()}

    def __str__(self) -> str:
        columns = self.to_dict()
        columns["support"] = [f"{size:g}" for size in columns["support"]]
        lines = [list(columns), *map(list, zip(*columns.values()))]
        text = [[_shown(value) for value in line] for line in lines]
        widths = [max(map(len, column)) for column in zip(*text)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in text
        )


@of_answers
def per_class_table(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> PerClassTable:
    """Return support, recall, precision, F1 and the worst confusion of each class.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    PerClassTable

    Examples
    --------
    >>> print(per_class_table(["a", "a", "b"], ["a", "b", "b"]))
    label  support  recall  precision     f1  confused_with  confused_rate
        a        2   0.500      1.000  0.667              b          0.500
        b        1   1.000      0.500  0.667              -          0.000
    """
    counts, classes = confusion_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    right = np.diag(counts)
    support, answered = counts.sum(axis=1), counts.sum(axis=0)
    mistakes = counts - np.diag(right)
    rival = mistakes.argmax(axis=1)
    largest = mistakes.max(axis=1)
    names = classes.tolist()
    return PerClassTable(
        label=classes,
        support=support,
        recall=_ratio(right, support, empty=np.nan),
        precision=_ratio(right, answered, empty=0.0),
        f1=np.where(support > 0, _ratio(2 * right, support + answered, empty=0.0), np.nan),
        confused_with=[names[j] if m > 0 else None for j, m in zip(rival, largest)],
        confused_rate=_ratio(largest, support, empty=0.0),
    )


@dataclass(frozen=True, eq=False)
class PredictiveValues:
    """Predictive values of each class.

    Attributes
    ----------
    label : ndarray of shape (K,)
        The classes.
    ppv : ndarray of shape (K,)
        Positive predictive value, or precision: how often the class is true where it is predicted.
    fdr : ndarray of shape (K,)
        False discovery rate: 1 - ppv.
    npv : ndarray of shape (K,)
        Negative predictive value: how often it is not true where another class is predicted.
    false_omission : ndarray of shape (K,)
        False omission rate (FOR): 1 - npv.

    Examples
    --------
    >>> found = predictive_values(["a", "a", "b", "c"], ["a", "b", "b", "c"])
    >>> found.label.tolist(), found.ppv.tolist(), found.npv.round(3).tolist()
    (['a', 'b', 'c'], [1.0, 0.5, 1.0], [0.667, 1.0, 1.0])
    """

    label: NDArray[Any]
    ppv: NDArray[np.float64]
    fdr: NDArray[np.float64]
    npv: NDArray[np.float64]
    false_omission: NDArray[np.float64]


@of_answers
def predictive_values(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> PredictiveValues:
    """Return PPV, FDR, NPV and FOR of each class against the rest.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    PredictiveValues
        NaN where a class is never, or always, predicted.

    Examples
    --------
    With two classes the negative predictive value of one is the precision of the other:

    >>> found = predictive_values([0, 0, 0, 1], [0, 0, 1, 1])
    >>> found.ppv.tolist(), found.npv.tolist(), found.fdr.tolist()
    ([1.0, 0.5], [0.5, 1.0], [0.0, 0.5])
    """
    counts, classes = confusion_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    right, support, answered = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    refused = counts.sum() - answered
    ppv = _ratio(right, answered, empty=np.nan)
    omission = _ratio(support - right, refused, empty=np.nan)
    return PredictiveValues(classes, ppv, 1.0 - ppv, 1.0 - omission, omission)


def _ratio(
    part: NDArray[np.float64], whole: NDArray[np.float64], *, empty: float
) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.full(len(part), empty), where=whole > 0)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def imbalance_ratio(y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Return the size of the largest class divided by that of the smallest.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels; classes that do not occur cannot be counted.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; a class whose weights are all zero does not occur.

    Returns
    -------
    float
        At least 1; 1 for equal classes and for a single class.

    Examples
    --------
    >>> imbalance_ratio(["a", "a", "a", "b"])
    3.0
    """
    labels = as_labels(y, "y")
    weights = as_weights(sample_weight, len(labels))
    _, codes = np.unique(labels, return_inverse=True)
    sizes = np.bincount(codes, weights=weights)
    present = sizes[sizes > 0]
    return float(present.max() / present.min())
