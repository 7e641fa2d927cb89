"""What is known about the views of a table before they are fused: strength, verdict, redundancy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from uneven.utils.optional import require

__all__ = ["FEWEST_ROWS", "VERDICTS", "ViewDiagnosis", "judge"]

VERDICTS = ("strong", "moderate", "weak", "imbalanced", "absent")
"""Every word that a verdict may be."""

STRONG_GAIN = 0.5
WEAK_GAIN = 0.15
GUESSING_GAIN = 0.05
UNEVEN_RECALLS = 0.5
REPEATED = 0.5
FEWEST_ROWS = 5
"""Rows a class needs before its recall counts in a verdict."""


@dataclass(frozen=True)
class ViewDiagnosis:
    """What held-out answers of one classifier per view say about the views.

    Every measure of a view is taken on the rows where it is present.

    Attributes
    ----------
    names : tuple of str
        The views.
    classes : ndarray of shape (n_classes,)
    class_counts : ndarray of int, shape (n_classes,)
    view_counts : ndarray of int, shape (n_views, n_classes)
        Rows of each class in which the view is present.
    n_rows : int
        Rows that were looked at.
    n_columns : ndarray of int, shape (n_views,)
    presence : ndarray of shape (n_views,)
        Share of the rows in which the view is there.
    accuracy : ndarray of shape (n_views,)
        Held-out accuracy. It estimates from below the strength of the view, which is one minus
        the error of the best possible classifier on it.
    chance : ndarray of shape (n_views,)
        Accuracy of always answering the most frequent class.
    balanced_accuracy : ndarray of shape (n_views,)
        Mean recall; guessing gives one over the number of classes.
    confusion_norm : ndarray of shape (n_views,)
    recalls : ndarray of shape (n_views, n_classes)
        NaN where a class has no row in which the view is present.
    redundancy : ndarray of shape (n_views, n_views)
        Correlation, within the classes, of two views being right on the same rows: 1 if they
        fail together, 0 if they fail independently, below 0 if one is right where the other
        fails. Symmetric; NaN where a view never fails or always does.
    rescue : ndarray of shape (n_views, n_views)
        ``rescue[j, k]`` is the share that view k gets right of the rows that view j gets wrong;
        NaN if there are none.
    verdicts : tuple of str
        One word per view; see :func:`judge`.

    References
    ----------
    S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
    methods* (strong, weak and imbalanced views).

    Examples
    --------
    >>> from uneven.datasets import make_uneven_views
    >>> from uneven.views import diagnose
    >>> bunch = make_uneven_views(300, major_noise=0.1, random_state=0)
    >>> found = diagnose(bunch.data, bunch.target, bunch.views, cv=2, random_state=0)
    >>> found.names[found.accuracy.argmax()], found.verdicts[found.accuracy.argmax()]
    ('major', 'strong')
    """

    names: tuple[str, ...]
    classes: np.ndarray
    class_counts: np.ndarray
    view_counts: np.ndarray
    n_rows: int
    n_columns: np.ndarray
    presence: np.ndarray
    accuracy: np.ndarray
    chance: np.ndarray
    balanced_accuracy: np.ndarray
    confusion_norm: np.ndarray
    recalls: np.ndarray
    redundancy: np.ndarray
    rescue: np.ndarray
    verdicts: tuple[str, ...]

    def remarks(self) -> list[str]:
        """One or two plain sentences about each view.

        Returns
        -------
        list of str of length n_views
        """
        return [self._remark(j) for j in range(len(self.names))]

    def to_frame(self) -> Any:
        """The measures as a table.

        Returns
        -------
        pandas.DataFrame of shape (n_views, 7 + n_classes)
            One row per view; recalls are in columns ``recall_CLASS``.
        """
        pandas = require("pandas", "ViewDiagnosis.to_frame")
        table = {
            "columns": self.n_columns,
            "presence": self.presence,
            "accuracy": self.accuracy,
            "chance": self.chance,
            "balanced_accuracy": self.balanced_accuracy,
            "confusion_norm": self.confusion_norm,
            "verdict": list(self.verdicts),
        }
        table |= {f"recall_{name}": self.recalls[:, c] for c, name in enumerate(self.classes)}
        return pandas.DataFrame(table, index=pandas.Index(self.names, name="view"))

    def __str__(self) -> str:
        head = ["view", "columns", "present", "accuracy", "chance", "balanced", "norm", "verdict"]
        rows = [
            [
                name,
                str(self.n_columns[j]),
                f"{100 * self.presence[j]:.0f}%",
                *(_number(measure[j]) for measure in self._measures()),
                self.verdicts[j],
            ]
            for j, name in enumerate(self.names)
        ]
        lines = [*_aligned([head, *rows]), "", *self.remarks()]
        return "\n".join(line.rstrip() for line in lines)

    def _measures(self) -> list[np.ndarray]:
        return [self.accuracy, self.chance, self.balanced_accuracy, self.confusion_norm]

    def _remark(self, j: int) -> str:
        name, verdict = self.names[j], self.verdicts[j]
        if verdict == "absent":
            return f"{name} is missing in every row."
        if verdict == "imbalanced":
            said = (
                f"{name} knows some classes much better than others: right in "
                f"{100 * self.accuracy[j]:.0f} % of its rows, {self._known(j)}."
            )
        else:
            said = self._strength(j)
        if self.presence[j] < 1.0:
            said += f" It is missing in {100 * (1 - self.presence[j]):.0f} % of the rows."
        twin = self._twin(j)
        if twin is not None:
            said += f" It fails on much the same rows as {self.names[twin]}."
        return said

    def _strength(self, j: int) -> str:
        """How good a view is that does not prefer some classes, in words."""
        gain = _gain(self.recalls[j], self.view_counts[j])
        how = {"strong": "strong", "moderate": "of moderate strength"}.get(self.verdicts[j])
        weak = "weak, though better than guessing" if gain.real else "close to guessing"
        said = (
            f"{self.names[j]} is {how or weak}: right in {100 * self.accuracy[j]:.0f} % of its "
            f"rows, mean recall {gain.known.mean():.2f} (guessing: {gain.guess:.2f}"
        )
        few = len(self.classes) - len(gain.known)
        if few:
            classes = "class" if few == 1 else "classes"
            enough = min(FEWEST_ROWS, self.view_counts[j].max())
            said += f"; {few} {classes} of fewer than {enough} rows not counted"
        return f"{said})."

    def _known(self, j: int) -> str:
        """Best and worst classes of a view, in words."""
        recalls = np.where(_counted(self.view_counts[j]), self.recalls[j], np.nan)
        best, worst = int(np.nanargmax(recalls)), int(np.nanargmin(recalls))
        return (
            f"it finds {100 * recalls[best]:.0f} % of {self.classes[best]} "
            f"but only {100 * recalls[worst]:.0f} % of {self.classes[worst]}"
        )

    def _twin(self, j: int) -> int | None:
        """The view that repeats this one most, if any does."""
        others = np.where(np.arange(len(self.names)) == j, np.nan, self.redundancy[j])
        if np.isnan(others).all() or np.nanmax(others) < REPEATED:
            return None
        return int(np.nanargmax(others))


def judge(recalls: np.ndarray, sizes: np.ndarray) -> str:
    """Put a view into one word.

    The gain of a view is its mean recall, scaled so that guessing is 0 and perfection 1. Classes
    with fewer than five rows do not count, neither in the mean nor as something to guess.

    Parameters
    ----------
    recalls : ndarray of shape (n_classes,)
    sizes : ndarray of int, shape (n_classes,)
        Rows of each class that the recalls were measured on.

    Returns
    -------
    {"strong", "moderate", "weak", "imbalanced", "absent"}
        "absent": no rows. "imbalanced": better than guessing (a gain of 0.05 or more, and more
        than two standard errors), and the best and the worst recall are more than 0.5 apart.
        "weak": any other view with a gain below 0.15 or within two standard errors of guessing.
        "strong": a gain of 0.5 or more. "moderate": the rest.

    Examples
    --------
    >>> import numpy as np
    >>> sizes = np.array([50, 50])
    >>> [judge(np.array(r), sizes) for r in ([0.9, 0.8], [0.5, 0.55], [0.97, 0.3], [0.7, 0.6])]
    ['strong', 'weak', 'imbalanced', 'moderate']
    """
    if not sizes.any():
        return "absent"
    gain = _gain(recalls, sizes)
    if not gain.real:
        return "weak"
    if gain.known.max() - gain.known.min() > UNEVEN_RECALLS:
        return "imbalanced"
    if gain.size < WEAK_GAIN:
        return "weak"
    return "strong" if gain.size >= STRONG_GAIN else "moderate"


class _Gain(NamedTuple):
    """What a view is worth beyond guessing, over the classes that count."""

    known: np.ndarray
    guess: float
    size: float
    real: bool


def _counted(sizes: np.ndarray) -> np.ndarray:
    """Classes with rows enough to count, shape (n_classes,)."""
    return np.asarray(sizes >= min(FEWEST_ROWS, sizes.max()))


def _gain(recalls: np.ndarray, sizes: np.ndarray) -> _Gain:
    """Gain of a view; it is real if it is noticeable and more than two standard errors."""
    counted = _counted(sizes)
    known, rows = recalls[counted], sizes[counted]
    guess = 1.0 / len(known)
    if len(known) == 1:
        return _Gain(known, guess, 0.0, False)
    size = float(known.mean() - guess) / (1.0 - guess)
    error = np.sqrt((1.0 / rows).sum() * guess / (1.0 - guess)) / len(rows)
    return _Gain(known, guess, size, bool(size >= max(GUESSING_GAIN, 2.0 * error)))


def _number(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3f}"


def _aligned(rows: list[list[str]]) -> list[str]:
    """Cells padded to the width of their column, words to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    words = (0, len(widths) - 1)
    return [
        "  ".join(
            cell.ljust(width) if place in words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths))
        )
        for row in rows
    ]
