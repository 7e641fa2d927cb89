"""One line per class: how large it is, how well it is recognised, what it is taken for."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from uneven.metrics.confusion import confusion_counts


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
        Share of the answers that is right; 0 for a class that is never answered.
    f1 : ndarray of shape (K,)
        Harmonic mean of the two; NaN for a class without examples.
    confused_with : list of length K
        The wrong class most often answered, ``None`` if there is no mistake.
    confused_rate : ndarray of shape (K,)
        Share of the true examples answered so.

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
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    labels : array-like of shape (K,), optional
        Order of the classes; by default the sorted union of both.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights of the examples.

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


def _ratio(
    part: NDArray[np.float64], whole: NDArray[np.float64], *, empty: float
) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.full(len(part), empty), where=whole > 0)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
