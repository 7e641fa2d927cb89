"""Which of several methods differ, over several data sets."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from numpy.typing import ArrayLike

from uneven.metrics.significance import as_ranks, critical_difference, friedman_test, groups_alike
from uneven.plots.drawing import BLUE, INK, MUTED, fresh_axes, headline, quiet, shorten, shorten_all

NAME_SIZE = 9.5
RANK_SIZE = 8.5
GAP = 7.0
"""Points between the axis, the end of a line, the rank and the name."""

SHORTEST_NAME, LONGEST_NAME = 10, 36
NAMES_SHARE = 0.7
"""Largest share of given axes for names and ranks, as long as names can be shortened."""

ROW = 0.27
"""Inches between two names, in a figure of our own; the unit of the vertical axis."""

HEAD, BAR_STEP = 2.6, 0.55
"""Rows above the axis of ranks, and between two bars below it."""

AXIS_INCHES, TITLE_INCHES, MARGIN = 4.4, 0.66, 0.16


class CriticalDifferenceDisplay:
    """Average ranks of methods on an axis, with bars that join methods which do not differ.

    The better half is named on the left, best on top, the other half on the right, worst on top.

    Parameters
    ----------
    ranks : array-like of shape (n_methods,)
        Average ranks, 1 is the best.
    names : sequence of length n_methods
    cd : float
        Critical difference: methods differ if their ranks are at least so far apart.
    n_sets : int or None
        Number of data sets, if it is to be shown.
    pvalue : float or None
        p-value of Friedman's test whether the methods differ at all, if it is to be shown.

    Attributes
    ----------
    groups : list of tuple of int
        Methods that a bar joins, as `uneven.metrics.groups_alike` gives them.
    ax_ : matplotlib Axes
        The chart.
    figure_ : matplotlib Figure
        The figure that holds it.
    text_ : list of matplotlib Text
        The names, best first.

    References
    ----------
    J. Demšar (2006), *Statistical comparisons of classifiers over multiple data sets*, Journal of
    Machine Learning Research.

    Examples
    --------
    >>> from uneven.plots import CriticalDifferenceDisplay
    >>> trees = ["C4.5", "C4.5 + m", "C4.5 + cf", "C4.5 + m + cf"]
    >>> display = CriticalDifferenceDisplay([3.143, 2.0, 2.893, 1.964], trees, 1.12).plot()
    >>> [text.get_text() for text in display.text_]
    ['C4.5 + m + cf', 'C4.5 + m', 'C4.5 + cf', 'C4.5']
    >>> display.groups
    [(3, 1, 2), (2, 0)]
    """

    def __init__(
        self,
        ranks: ArrayLike,
        names: Sequence[Any],
        cd: float,
        *,
        n_sets: int | None = None,
        pvalue: float | None = None,
    ) -> None:
        self.ranks = as_ranks(ranks)
        self.names = [str(name) for name in names]
        if len(self.ranks) < 2 or len(self.names) != len(self.ranks):
            raise ValueError(
                f"there are {len(self.ranks)} ranks and {len(self.names)} names; give one of each "
                "for every method, two methods or more."
            )
        self.groups = groups_alike(self.ranks, cd)
        self.cd = float(cd)
        self.n_sets = n_sets
        self.pvalue = pvalue

    @classmethod
    def from_values(
        cls,
        values: ArrayLike,
        names: Sequence[Any] | None = None,
        *,
        better: str = "low",
        alpha: float = 0.05,
        ax: Any = None,
        **kwargs: Any,
    ) -> CriticalDifferenceDisplay:
        """Rank methods by their figures on several data sets and draw them.

        Parameters
        ----------
        values : array-like of shape (n_sets, n_methods)
            One figure of each method on each set, at least two of both.
        names : sequence of length n_methods, or None
            None takes the names of the columns of a frame.
        better : {"low", "high"}, default="low"
            Whether low figures are good, as of errors, or high ones, as of accuracies.
        alpha : float, default=0.05
            Level of Nemenyi's test.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        **kwargs
            Passed to `plot`.
        """
        columns = getattr(values, "columns", None) if names is None else names
        if columns is None:
            raise ValueError("names is missing: values is no frame whose columns have names.")
        found = friedman_test(values, better=better)
        n_sets = len(np.asarray(values))
        cd = critical_difference(len(found.ranks), n_sets, alpha)
        display = cls(found.ranks, list(columns), cd, n_sets=n_sets, pvalue=found.pvalue)
        return display.plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        highlight: str | Collection[str] = (),
        title: str | None = None,
    ) -> CriticalDifferenceDisplay:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure that is large enough for the names.
        highlight : str or collection of str
            Methods to draw in blue.
        title : str or None
            Replaces the headline.
        """
        chosen = {highlight} if isinstance(highlight, str) else set(highlight)
        strangers = sorted(chosen - set(self.names))
        if strangers:
            raise ValueError(f"highlight names {strangers}; methods are {self.names}.")
        order = np.argsort(self.ranks, kind="stable")
        n, n_left = len(order), (len(order) + 1) // 2
        bars = _levels([self.ranks[list(group)] for group in self.groups])
        first = 1.05 + BAR_STEP * (1 + max((level for level, _ in bars), default=-1))
        rows = first + n_left - 0.4
        ax = self._own_axes(order, HEAD + rows) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        width, size, names, left, right = self._fit(order, rows)
        point = (n - 1) / max(width - left - right, 0.2 * width)
        _draw_axis(ax, n, point)
        ax.set(xlim=(1 - left * point, n + right * point), ylim=(rows, -HEAD))
        for level, ends in bars:
            line = {"color": INK, "linewidth": 4.2, "solid_capstyle": "round", "zorder": 3}
            ax.plot(ends, [0.7 + BAR_STEP * level] * 2, **line)
        self._draw_difference(ax)
        self.text_ = []
        for place, (method, name) in enumerate(zip(order, names)):
            side = -1 if place < n_left else 1
            row = first + (place if side < 0 else n - 1 - place)
            colour = BLUE if self.names[method] in chosen else None
            self.text_.append(self._draw_method(method, name, row, side * point, size, colour))
        headline(ax, title or self._finding(order), self._told(width))
        return self

    def _own_axes(self, order: np.ndarray, rows: float) -> Any:
        """Axes that fill a new figure, large enough for names at both sides and so many rows."""
        _, left, right = self._rooms(order, LONGEST_NAME, NAME_SIZE)
        width = AXIS_INCHES + (left + right) / 72 + 2 * MARGIN
        height = ROW * rows + TITLE_INCHES + MARGIN
        (ax,) = fresh_axes(width, height)
        box = [MARGIN / width, MARGIN / height, 1 - 2 * MARGIN / width, ROW * rows / height]
        ax.set_position(box)
        return ax

    def _fit(self, order: np.ndarray, rows: float) -> tuple[float, float, list[str], float, float]:
        """Width of the axes and size of the names in points, names that fit, and their rooms."""
        box = self.ax_.get_window_extent()
        width, height = (72 / self.figure_.dpi * side for side in (box.width, box.height))
        size = float(np.clip(min(0.75 * height / (rows + HEAD), width / 40), 5.0, NAME_SIZE))
        for length in range(LONGEST_NAME, SHORTEST_NAME - 1, -2):
            names, left, right = self._rooms(order, length, size)
            if left + right <= width - 72 * AXIS_INCHES or left + right <= NAMES_SHARE * width:
                break
        return width, size, names, left, right

    def _rooms(self, order: np.ndarray, length: int, size: float) -> tuple[list[str], float, float]:
        """Names of so many letters, and the points that they, ranks and gaps take at both sides."""
        names = shorten_all([self.names[method] for method in order], length)
        widths = [_width(name, size, "bold") for name in names]
        around = 2.5 * GAP + self._rank_width(size) + 2.0
        half = (len(names) + 1) // 2
        return names, around + max(widths[:half]), around + max(widths[half:])

    def _rank_width(self, size: float) -> float:
        return max(_width(f"{rank:.2f}", min(RANK_SIZE, size)) for rank in self.ranks)

    def _draw_method(
        self, method: int, name: str, row: float, outwards: float, size: float, colour: str | None
    ) -> Any:
        """Draw a line from the rank down and outwards to the name; return the name.

        ``outwards`` is a point on the axis of ranks, negative to the left.
        """
        ax, rank = self.ax_, self.ranks[method]
        end = (1 if outwards < 0 else len(self.ranks)) + GAP * outwards
        line = {"linewidth": 1.8, "zorder": 2.5} if colour else {"linewidth": 1.0, "zorder": 2}
        path = [rank, rank, end], [0.0, row, row]
        ax.plot(*path, color=colour or MUTED, solid_joinstyle="miter", **line)
        ax.plot(rank, 0.0, "o", color=colour or INK, markersize=5, zorder=4)
        look = {"ha": "right" if outwards < 0 else "left", "va": "center"}
        beside, told = end + GAP / 2 * outwards, f"{rank:.2f}"
        ax.text(beside, row, told, color=colour or MUTED, fontsize=min(RANK_SIZE, size), **look)
        look |= {"color": colour or INK, "fontweight": "bold" if colour else "normal"}
        place = beside + (self._rank_width(size) + GAP) * outwards
        return ax.text(place, row, name, fontsize=size, **look)

    def _draw_difference(self, ax: Any) -> None:
        told = f"critical difference {self.cd:.2f}"
        if 1.0 + self.cd > len(self.ranks):
            told += ", wider than the axis"
        else:
            ends = [1.0, 1.0 + self.cd]
            ax.plot(ends, [-1.35] * 2, color=INK, linewidth=1.2, marker="|", markersize=7)
        ax.text(1.0, -1.75, told, color=INK, fontsize=RANK_SIZE, va="bottom", ha="left")

    def _finding(self, order: np.ndarray) -> str:
        best, second = self.ranks[order[:2]]
        if best == second:
            return "Average ranks"
        return f"{shorten(self.names[order[0]], LONGEST_NAME)} ranks best"

    def _told(self, width: float) -> str:
        """As much about the picture as fits into so many points."""
        ranks = "average ranks" if self.n_sets is None else f"average ranks on {self.n_sets} sets"
        bars = f"{ranks}; bars join methods that do not differ"
        tellings = [bars, ranks]
        if self.pvalue is not None:
            is_small = self.pvalue < 0.001
            p = "p < 0.001" if is_small else f"p = {self.pvalue:.3f}"
            tellings = [f"{bars} (Friedman {p})", bars, f"{ranks} (Friedman {p})", ranks]
        return next((told for told in tellings if _width(told, 9.0) <= width), ranks)


def _draw_axis(ax: Any, n_methods: int, point: float) -> None:
    quiet(ax)
    step = int(np.ceil(15 * point))
    ax.set_yticks([])
    ax.xaxis.tick_top()
    ax.set_xticks(range(1, n_methods + 1, step))
    ax.tick_params(axis="x", length=4, labelsize=RANK_SIZE, labelcolor=MUTED, color=MUTED, pad=1)
    ax.spines["top"].set(visible=True, color=MUTED, linewidth=1.0, bounds=(1, n_methods))
    ax.spines["top"].set_position(("data", 0.0))


def _levels(spans: Sequence[np.ndarray]) -> list[tuple[int, np.ndarray]]:
    """First and last rank of each group, and the first level on which it meets no other."""
    taken: list[float] = []
    placed = []
    for span in spans:
        ends = np.array([span.min(), span.max()])
        free = [level for level, end in enumerate(taken) if end < ends[0] - 0.05]
        level = free[0] if free else len(taken)
        taken[level : level + 1] = [ends[1]]
        placed.append((level, ends))
    return placed


def _width(text: str, size: float, weight: str = "normal") -> float:
    """Width of a text in points."""
    font = FontProperties(weight=weight, size=size)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])
