"""Which view, or which column, supports which class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.colors import to_rgba
from numpy.typing import ArrayLike

from uneven.plots.drawing import (
    GRID,
    SUPPORT,
    draw_cells,
    fresh_axes,
    headline,
    name_cells,
    percent,
    shorten,
)


class VoteShareDisplay:
    """Map of views (or columns) against classes.

    A cell says which part of the correct support for a class comes from a view or column; each
    column of the map sums to 100 percent.

    Parameters
    ----------
    shares : array-like of shape (v, K)
        Share of row j in the support for class c.
    names : sequence of length v
        Views or columns of the data.
    classes : sequence of length K
        Class names.
    title : str
        Heading of the picture.
    rest_row : bool
        The last row sums up what is not shown; it is drawn in grey.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The map.
    figure_ : matplotlib Figure
        The figure that holds it.
    text_ : list of matplotlib Text
        The numbers in the cells.

    Examples
    --------
    >>> from uneven.plots import VoteShareDisplay
    >>> display = VoteShareDisplay([[0.7, 0.2], [0.3, 0.8]], ["text", "sound"], ["a", "b"]).plot()
    >>> [text.get_text() for text in display.text_]
    ['70', '20', '30', '80']
    """

    def __init__(
        self,
        shares: ArrayLike,
        names: Sequence[Any],
        classes: Sequence[Any],
        *,
        title: str = "Columns that support each class",
        rest_row: bool = False,
    ) -> None:
        self.shares = np.asarray(shares, dtype=float)
        self.names = list(names)
        self.classes = list(classes)
        self.title = title
        self.rest_row = rest_row
        expected = (len(self.names), len(self.classes))
        if self.shares.shape != expected:
            raise ValueError(
                f"shares has shape {self.shares.shape}, but there are {expected[0]} names and "
                f"{expected[1]} classes; expected {expected}."
            )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        by: Literal["view", "feature"] = "view",
        n_top: int = 15,
        ax: Any = None,
        **kwargs: Any,
    ) -> VoteShareDisplay:
        """Draw which views or columns support which class in a fitted vote.

        Parameters
        ----------
        estimator : fitted estimator
            With ``explain()``.
        by : {"view", "feature"}
            Rows of the map.
        n_top : int
            For ``by="feature"``: how many of the strongest columns to show; the rest is summed
            in a last row.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure of a fitting size.
        **kwargs
            Passed to `plot`.
        """
        told = estimator.explain()
        if by == "view":
            display = cls(
                told.view_share,
                told.view_names,
                told.classes,
                title="Which view supports which class",
            )
        elif by == "feature":
            shares, names = _strongest(told.feature_share, told.feature_names, n_top)
            display = cls(
                shares,
                names,
                told.classes,
                title="Which column supports which class",
                rest_row=len(told.feature_names) > n_top,
            )
        else:
            raise ValueError(f"by={by!r} is unknown; use 'view' or 'feature'.")
        return display.plot(ax=ax, **kwargs)

    def plot(
        self, ax: Any = None, *, title: str | None = None, include_values: bool = True
    ) -> VoteShareDisplay:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure of a fitting size.
        title : str or None
            Replaces the heading.
        include_values : bool
            Write percent into the cells.
        """
        if ax is None:
            (ax,) = fresh_axes(*self._figure_size())
        self.ax_, self.figure_ = ax, ax.figure
        known = np.nan_to_num(self.shares)
        shown = known[:-1] if self.rest_row else known
        top = max(float(shown.max(initial=0.0)), 1e-12)
        colours = np.asarray(SUPPORT(np.minimum(known / top, 1.0)))
        if self.rest_row:
            colours[-1] = to_rgba(GRID)
        texts = [[percent(share) for share in row] for row in known]
        self.text_ = draw_cells(ax, colours, texts if include_values else None)
        name_cells(ax, self.names, self.classes, length=28)
        ax.xaxis.set_label_position("top")
        headline(ax, title or self.title, "percent of the support for the class in the column")
        return self

    def _figure_size(self) -> tuple[float, float]:
        n_rows, n_columns = self.shares.shape
        names = 0.3 + 0.08 * max(len(shorten(name, 28)) for name in self.names)
        classes = 0.3 + 0.07 * max(len(shorten(name, 28)) for name in self.classes)
        width = n_columns * float(np.clip(6.0 / n_columns, 0.32, 1.0))
        height = n_rows * float(np.clip(4.0 / n_rows, 0.3, 0.5))
        return max(width + names + 0.4, 5.0), height + classes + 1.0


def _strongest(shares: ArrayLike, names: Sequence[str], n_top: int) -> tuple[np.ndarray, list[str]]:
    """Strongest rows first and the sum of all others in a last row."""
    values = np.asarray(shares, dtype=float)
    order = np.argsort(-values.sum(axis=1), kind="stable")
    head, tail = order[:n_top], order[n_top:]
    chosen = [names[j] for j in head]
    if not len(tail):
        return values[head], chosen
    rest = values[tail].sum(axis=0, keepdims=True)
    word = "column" if len(tail) == 1 else "columns"
    return np.vstack([values[head], rest]), chosen + [f"{len(tail)} other {word}"]
