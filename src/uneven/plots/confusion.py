"""The confusion matrix as a picture in which errors stand out, with its norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from uneven.metrics import confusion_counts, confusion_norm, confusion_rates, geometric_mean_recall
from uneven.plots.drawing import (
    BLUE,
    GRID,
    INK,
    MUTED,
    ORANGE,
    draw_cells,
    fresh_axes,
    headline,
    make_room,
    name_cells,
    percent,
    quiet,
    rate_colours,
    shorten,
)


class ConfusionNormDisplay:
    """Row-normalised confusion matrix with its norm and the recall of each class.

    Rows are true classes, columns are predictions, cells are percent of the row.  The diagonal is
    blue and the errors are orange, so that the eye goes to what the confusion norm measures.  A
    bar next to each row shows the recall and the number of rows of that class.

    Parameters
    ----------
    rates : array-like of shape (K, K)
        Row-normalised confusion matrix with its diagonal.
    support : array-like of shape (K,)
        Rows (or total weight) of each true class.
    display_labels : sequence of length K
        Class names.
    norm : float
        Operator norm of the matrix without its diagonal.
    gmean : float
        Geometric mean of the recalls.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The matrix.
    recall_ax_ : matplotlib Axes or None
        The bars next to it.
    figure_ : matplotlib Figure
        The figure that holds them.
    text_ : list of matplotlib Text
        The numbers in the cells.

    Examples
    --------
    >>> from uneven.plots import ConfusionNormDisplay
    >>> display = ConfusionNormDisplay.from_predictions(
    ...     ["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"]
    ... )
    >>> round(display.norm, 3)
    0.5
    """

    def __init__(
        self,
        rates: ArrayLike,
        support: ArrayLike,
        *,
        display_labels: Sequence[Any],
        norm: float,
        gmean: float,
    ) -> None:
        self.rates = np.asarray(rates, dtype=float)
        self.support = np.asarray(support, dtype=float)
        self.display_labels = list(display_labels)
        self.norm = float(norm)
        self.gmean = float(gmean)
        n = len(self.display_labels)
        if self.rates.shape != (n, n) or self.support.shape != (n,):
            raise ValueError(
                f"rates has shape {self.rates.shape} and support {self.support.shape}, but there "
                f"are {n} display_labels; expected ({n}, {n}) and ({n},)."
            )

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Any = None, **kwargs: Any
    ) -> ConfusionNormDisplay:
        """Predict with a fitted classifier and draw its confusion.

        Parameters
        ----------
        estimator : fitted classifier
            Anything with ``predict``.
        X : array-like of shape (n_samples, n_features)
            Rows to predict, best held out.
        y : array-like of shape (n_samples,)
            True classes.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure of a fitting size.
        **kwargs
            Passed to `from_predictions`.
        """
        return cls.from_predictions(y, estimator.predict(X), ax=ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: Sequence[Any] | None = None,
        display_labels: Sequence[Any] | None = None,
        sample_weight: ArrayLike | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> ConfusionNormDisplay:
        """Draw the confusion matrix of predictions.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            True and predicted classes.
        labels : sequence of length K or None
            Classes in the order of display; None takes all that occur, sorted.
        display_labels : sequence of length K or None
            What to write for them.
        sample_weight : array-like of shape (n_samples,) or None
            Weights of the rows.
        ax : matplotlib Axes or None
            Where to draw.
        **kwargs
            Passed to `plot`.
        """
        weighed: dict[str, Any] = {"labels": labels, "sample_weight": sample_weight}
        counts, classes = confusion_counts(y_true, y_pred, **weighed)
        display = cls(
            confusion_rates(y_true, y_pred, **weighed),
            counts.sum(axis=1),
            display_labels=list(classes if display_labels is None else display_labels),
            norm=confusion_norm(y_true, y_pred, **weighed),
            gmean=geometric_mean_recall(y_true, y_pred, **weighed),
        )
        return display.plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        title: str | None = None,
        vmax: float | None = None,
        include_values: bool = True,
        recall_bars: bool = True,
    ) -> ConfusionNormDisplay:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure of a fitting size.
        title : str or None
            Replaces the line with the norm and the G-mean.
        vmax : float or None
            Error rate with the darkest orange; None takes the largest one, but at least 0.3.  Give
            the same value to pictures that stand side by side.
        include_values : bool
            Write percent into the cells.
        recall_bars : bool
            Draw the bars with recall and support.
        """
        if ax is None:
            (ax,) = fresh_axes(*self._figure_size(recall_bars))
        elif recall_bars:
            make_room(ax, inches=1.7)
        self.ax_, self.figure_ = ax, ax.figure
        texts = [[percent(rate) for rate in row] for row in self.rates]
        self.text_ = draw_cells(
            ax, rate_colours(self.rates, vmax), texts if include_values else None, square=True
        )
        name_cells(ax, self.display_labels, self.display_labels, length=22)
        ax.set_xlabel("prediction", color=MUTED, fontsize=9)
        ax.set_ylabel("true class", color=MUTED, fontsize=9)
        headline(
            ax,
            title or f"Confusion norm {self.norm:.3f}   G-mean {self.gmean:.3f}",
            self._largest_error(),
        )
        self.recall_ax_ = self._draw_recalls(ax) if recall_bars else None
        return self

    def _figure_size(self, recall_bars: bool) -> tuple[float, float]:
        n = len(self.display_labels)
        side = n * float(np.clip(5.0 / n, 0.3, 0.9))
        longest = max(len(shorten(name, 22)) for name in self.display_labels)
        names = 0.35 + 0.075 * longest
        return max(side + names + (2.0 if recall_bars else 0.4), 4.8), side + names + 1.1

    def _largest_error(self) -> str:
        errors = np.nan_to_num(self.rates - np.diag(np.diag(self.rates)))
        if not errors.size or errors.max() <= 0:
            return "no errors"
        row, column = np.unravel_index(int(errors.argmax()), errors.shape)
        true, answer = (shorten(self.display_labels[i], 18) for i in (row, column))
        return f"largest error: {true} predicted as {answer}, {100 * errors.max():.0f} %"

    def _draw_recalls(self, ax: Any) -> Any:
        n = len(self.display_labels)
        bars = ax.inset_axes([1.0 + 0.12 / self._side(ax), 0, 0.8 / self._side(ax), 1])
        recalls = np.where(self.support > 0, np.diag(self.rates), np.nan)
        rows = np.arange(n)
        bars.barh(rows, np.ones(n), height=0.34, color=GRID)
        colours = [ORANGE if recall < 0.5 else BLUE for recall in recalls]
        bars.barh(rows, np.nan_to_num(recalls), height=0.34, color=colours)
        size = float(ax.get_yticklabels()[0].get_fontsize())
        for row, (recall, support) in enumerate(zip(recalls, self.support)):
            known = "–" if np.isnan(recall) else f"{100 * recall:.0f}"
            bars.text(1.5, row, known, ha="right", va="center", fontsize=size, color=INK)
            bars.text(2.3, row, f"{support:,.4g}", ha="right", va="center", fontsize=size, c=MUTED)
        for x, word in ((0.0, "recall, %"), (2.3, "rows")):
            bars.annotate(
                word,
                (x, 1),
                xytext=(0, 9),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                ha="left" if x == 0 else "right",
                color=MUTED,
                fontsize=9,
                annotation_clip=False,
            )
        bars.set(xlim=(0, 1), ylim=ax.get_ylim(), xticks=[], yticks=[])
        bars.patch.set_visible(False)
        quiet(bars)
        return bars

    @staticmethod
    def _side(ax: Any) -> float:
        """Width of the matrix in inches."""
        ax.apply_aspect()
        return float(ax.get_window_extent().width / ax.figure.dpi)
