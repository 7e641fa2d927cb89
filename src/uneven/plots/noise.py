"""A noise matrix as a picture: which label each class gets, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from uneven.plots.drawing import (
    MUTED,
    draw_cells,
    fresh_axes,
    headline,
    name_cells,
    percent,
    rate_colours,
    shorten,
)
from uneven.utils.simplex import check_column_sums


class NoiseMatrixDisplay:
    r"""Noise matrix with the share of each class that gets each label.

    Columns are true classes, rows are observed labels, and a column sums to 100 percent.  Right
    labels are blue, wrong ones orange.  Where there are intervals, a cell holds them in a second
    line.

    Parameters
    ----------
    matrix : array-like of shape (K, K)
        Column = true class, row = observed label; columns sum to 1.
    display_labels : sequence of length K, optional
        Class names; 0, 1, ... by default.
    low, high : array-like of shape (K, K), optional
        Confidence interval of each entry.
    source : str
        Where the matrix comes from, for the line below the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The matrix.
    figure_ : matplotlib Figure
        The figure that holds it.
    text_ : list of matplotlib Text
        Values of the cells.

    See Also
    --------
    uneven.noise.estimate_confusion : where such matrices come from.

    Examples
    --------
    >>> from uneven.noise import estimate_confusion
    >>> from uneven.plots import NoiseMatrixDisplay
    >>> found = estimate_confusion(["a"] * 8 + ["b"] * 4, ["a"] * 6 + ["b"] * 6)
    >>> display = NoiseMatrixDisplay.from_estimate(found)
    >>> [text.get_text() for text in display.text_]
    ['75\n41–93', '0–49', '25\n7–59', '100\n51–100']
    """

    def __init__(
        self,
        matrix: ArrayLike,
        display_labels: Sequence[Any] | None = None,
        *,
        low: ArrayLike | None = None,
        high: ArrayLike | None = None,
        source: str = "",
    ) -> None:
        self.matrix = np.asarray(matrix, dtype=float)
        n = len(self.matrix)
        self.display_labels = list(range(n) if display_labels is None else display_labels)
        self.low = None if low is None else np.asarray(low, dtype=float)
        self.high = None if high is None else np.asarray(high, dtype=float)
        self.source = source
        shapes = [np.shape(part) for part in (matrix, low, high) if part is not None]
        if (
            set(shapes) != {(n, n)}
            or len(self.display_labels) != n
            or (low is None) != (high is None)
        ):
            raise ValueError(
                f"matrix, low and high have the shapes {shapes} and there are "
                f"{len(self.display_labels)} display_labels; expected ({n}, {n}) each, both "
                f"bounds or none, and {n} labels."
            )
        if not np.isfinite(self.matrix).all() or (self.matrix < 0.0).any():
            raise ValueError("matrix must hold finite shares >= 0.")
        check_column_sums(self.matrix, "matrix")

    @classmethod
    def from_estimate(cls, estimate: Any, *, ax: Any = None, **kwargs: Any) -> NoiseMatrixDisplay:
        """Draw an estimated noise matrix with its intervals.

        Parameters
        ----------
        estimate : uneven.noise.ConfusionEstimate
            What was estimated.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure of a fitting size.
        **kwargs
            Passed to `plot`.
        """
        display = cls(
            estimate.matrix,
            estimate.classes.tolist(),
            low=estimate.low,
            high=estimate.high,
            source=estimate.source,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        title: str | None = None,
        vmax: float | None = None,
        include_values: bool = True,
    ) -> NoiseMatrixDisplay:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure of a fitting size.
        title : str or None
            Replaces the line about the labels that are right.
        vmax : float or None
            Share of wrong labels with the darkest orange; None takes the largest, but at least
            0.6.
        include_values : bool
            Write percent, and intervals if there are any, into the cells.
        """
        if ax is None:
            (ax,) = fresh_axes(*self._figure_size())
        self.ax_, self.figure_ = ax, ax.figure
        errors = self.matrix - np.diag(np.diag(self.matrix))
        top = max(0.6, float(errors.max(initial=0.0))) if vmax is None else vmax
        colours = rate_colours(self.matrix, top)
        self.text_ = draw_cells(ax, colours, self._texts() if include_values else None, square=True)
        if self.low is not None:
            for cell in self.text_:
                cell.set_fontsize(0.72 * cell.get_fontsize())
        name_cells(ax, self.display_labels, self.display_labels, length=22)
        ax.set_xlabel("true class", color=MUTED, fontsize=9)
        ax.set_ylabel("observed label", color=MUTED, fontsize=9)
        headline(ax, title or self._kept(), self._largest())
        return self

    def _figure_size(self) -> tuple[float, float]:
        n = len(self.matrix)
        side = n * float(np.clip(5.0 / n, 0.45 if self.low is not None else 0.3, 1.0))
        longest = max(len(shorten(name, 22)) for name in self.display_labels)
        names = 0.35 + 0.075 * longest
        return max(side + names + 0.4, 4.8), side + names + 1.1

    def _texts(self) -> list[list[str]]:
        if self.low is None or self.high is None:
            return [[percent(share) for share in row] for row in self.matrix]
        return [
            [self._with_bounds(i, j) for j in range(len(self.matrix))]
            for i in range(len(self.matrix))
        ]

    def _with_bounds(self, i: int, j: int) -> str:
        low, high = (np.asarray(part)[i, j] for part in (self.low, self.high))
        bounds = f"{100 * low:.0f}–{100 * high:.0f}"
        return "\n".join(filter(None, (percent(self.matrix[i, j]), bounds)))

    def _kept(self) -> str:
        kept = 100 * np.diag(self.matrix)
        if round(kept.min()) == round(kept.max()):
            return f"{kept.min():.0f} % of every class keep their label"
        return f"{kept.min():.0f} to {kept.max():.0f} % of a class keep their label"

    def _largest(self) -> str:
        errors = self.matrix - np.diag(np.diag(self.matrix))
        where = f" ({self.source})" if self.source else ""
        if errors.max(initial=0.0) <= 0.0:
            return f"no wrong labels{where}"
        row, column = np.unravel_index(int(errors.argmax()), errors.shape)
        true, label = (shorten(self.display_labels[i], 18) for i in (column, row))
        return f"most often {true} labelled {label}, {100 * errors.max():.0f} %{where}"
