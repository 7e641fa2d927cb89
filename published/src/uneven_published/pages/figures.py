"""Figures of an exhibit: measured curves beside printed ones, and average ranks."""

from __future__ import annotations

import base64
import io
import math
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import MaxNLocator

from uneven.plots import CriticalDifferenceDisplay
from uneven.plots.bands import colours_of, styles_of
from uneven.plots.drawing import INK, MUTED, shorten, soft_grid, write_png
from uneven_published.pages.facts import Record, drawn_ranks, entries, number

Line = Mapping[str, Any]
"""``mean``, ``deviation``, ``printed`` and ``printed_deviation``; each a curve or None."""
Panels = Mapping[str, Mapping[str, Line]]
MANY_POINTS = 30
"""Printed curves with more points are drawn as thin broken lines, without rings."""
WIDTH, HEIGHT, ACROSS = 4.2, 3.1, 3


class PublishedDisplay:
    """Measured curves as lines with a band of one deviation, printed ones as rings with bars.

    One panel per row of the published figure, one colour per column.

    Parameters
    ----------
    panels : dict of str to dict of str to dict
        Row to column to ``mean``, ``deviation``, ``printed`` and ``printed_deviation``: sequences
        of length n_points with NaN where nothing is known, or None.
    plot : mapping
        ``x`` (sequence of length n_points), ``x_title``, ``y_title``, ``x_log``, ``y_log``,
        ``kind`` ("line", "step" or "bar"), ``steps`` (columns drawn as steps although the others
        are lines) and ``title``. Bars carry no deviations: theirs are often shares of 0 or 1.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        One per panel.
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from uneven_published.pages.figures import PublishedDisplay
    >>> line = {"mean": [0.5, 0.4], "deviation": [0.1, 0.1], "printed": [0.6, float("nan")]}
    >>> display = PublishedDisplay.from_panels({"wine": {"UMA": line}}, {"x": [1, 2]})
    >>> [ax.get_title(loc="left") for ax in display.axes_]
    ['wine']
    """

    def __init__(self, panels: Panels, plot: Mapping[str, Any]) -> None:
        if not panels:
            raise ValueError("panels is empty, so nothing can be drawn.")
        self.panels = panels
        self.x = np.asarray(plot["x"], dtype=float)
        self.settings = plot
        for row, lines in panels.items():
            for column, line in lines.items():
                self._check(row, column, line)

    @classmethod
    def from_panels(cls, panels: Panels, plot: Mapping[str, Any]) -> PublishedDisplay:
        """Draw panels.

        Parameters
        ----------
        panels, plot
            As in the constructor.

        Returns
        -------
        PublishedDisplay
            The drawn display.
        """
        return cls(panels, plot).plot()

    def plot(self) -> PublishedDisplay:
        """Draw the display in a new figure.

        Returns
        -------
        PublishedDisplay
            The display itself.
        """
        n = len(self.panels)
        across = min(n, ACROSS if n != 4 else 2)
        down = math.ceil(n / across)
        wide = 6.4 if n == 1 else WIDTH * across
        self.figure_, axes = plt.subplots(
            down, across, figsize=(wide, HEIGHT * down + 0.7), layout="constrained", squeeze=False
        )
        self.axes_ = list(axes.flat)[:n]
        for ax in list(axes.flat)[n:]:
            ax.set_axis_off()
        names = list(dict.fromkeys(c for lines in self.panels.values() for c in lines))
        self._looks = {
            name: (colour, style)
            for (name, colour), style in zip(
                colours_of(names, None).items(), styles_of(names, None).values()
            )
        }
        for ax, (row, lines) in zip(self.axes_, self.panels.items()):
            self._panel(ax, row, lines)
        self._legend(names)
        return self

    def save(self, path: str | os.PathLike[str], dpi: int = 120) -> None:
        """Write the picture as PNG, the same bytes for the same picture, and close the figure."""
        write_png(self.figure_, path, dpi)

    def _check(self, row: str, column: str, line: Line) -> None:
        for part, values in line.items():
            if values is not None and np.shape(values) != self.x.shape:
                raise ValueError(
                    f"{part} of {column!r} in {row!r} has shape {np.shape(values)}; expected "
                    f"{self.x.shape}, one number for each place on the x axis."
                )

    def _panel(self, ax: Any, row: str, lines: Mapping[str, Line]) -> None:
        soft_grid(ax)
        ax.set_title(shorten(row, 46), loc="left", color=INK, fontsize=10, fontweight="bold")
        for place, (column, line) in enumerate(lines.items()):
            colour, style = self._looks[column]
            own, printed = _array(line.get("mean")), _array(line.get("printed"))
            shift = (place - (len(lines) - 1) / 2) / (len(lines) + 1)
            if own is not None:
                look = {"color": colour, "linestyle": style}
                if column in self.settings.get("steps", ()) or self.settings.get("kind") == "step":
                    look["drawstyle"] = "steps-post"
                self._draw_own(ax, own, _array(line.get("deviation")), look, shift)
            if printed is not None:
                self._draw_printed(
                    ax, printed, _array(line.get("printed_deviation")), colour, shift
                )
        if (self.x % 1.0 == 0.0).all():
            ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        if self.settings.get("x_log"):
            ax.set_xscale("symlog" if (self.x <= 0).any() else "log")
        if self.settings.get("y_log"):
            ax.set_yscale("log")
            ax.set_ylim(bottom=0.5 * _lowest(lines))
        ax.set_xlabel(self.settings.get("x_title", ""), color=MUTED, fontsize=9)
        ax.set_ylabel(self.settings.get("y_title", ""), color=MUTED, fontsize=9)

    def _draw_own(
        self,
        ax: Any,
        own: np.ndarray,
        spread: np.ndarray | None,
        look: Mapping[str, Any],
        shift: float,
    ) -> None:
        known = np.isfinite(own)
        x, y = self.x[known], own[known]
        width = np.zeros(len(y)) if spread is None else np.nan_to_num(spread[known])
        if self.settings.get("kind") == "bar":
            places = x + shift * self._step()
            ax.bar(places, y, width=self._bar_width(), color=look["color"], alpha=0.6)
            return
        if width.any():
            between = "post" if "drawstyle" in look else None
            shade = {"color": look["color"], "alpha": 0.16, "linewidth": 0}
            ax.fill_between(x, y - width, y + width, step=between, **shade)
        ax.plot(x, y, linewidth=1.8, **look)

    def _draw_printed(
        self, ax: Any, printed: np.ndarray, spread: np.ndarray | None, colour: str, shift: float
    ) -> None:
        known = np.isfinite(printed)
        x = self.x[known]
        if self.settings.get("kind") == "bar":
            x = x + shift * self._step()
        elif known.sum() > MANY_POINTS:
            ax.plot(x, printed[known], color=colour, linestyle=(0, (2, 2)), linewidth=1.1)
            return
        ax.errorbar(
            x,
            printed[known],
            yerr=None if spread is None else np.nan_to_num(spread[known]),
            fmt="o",
            color=colour,
            markerfacecolor="white",
            markersize=4.8,
            markeredgewidth=1.3,
            elinewidth=1.0,
            capsize=2.2,
            zorder=4,
        )

    def _step(self) -> float:
        return float(np.diff(self.x).min()) if len(self.x) > 1 else 1.0

    def _bar_width(self) -> float:
        most = max(map(len, self.panels.values()))
        return 0.9 * self._step() / (most + 1)

    def _legend(self, names: list[str]) -> None:
        marks = [
            plt.Line2D([], [], color=colour, linestyle=style, linewidth=2)
            for colour, style in (self._looks[name] for name in names)
        ]
        printed = [
            np.isfinite(line["printed"]).sum()
            for lines in self.panels.values()
            for line in lines.values()
            if line.get("printed") is not None
        ]
        broken = printed and self.settings.get("kind") != "bar" and min(printed) > MANY_POINTS
        look = {"linestyle": (0, (2, 2))} if broken else {"marker": "o", "linestyle": ""}
        marks += [plt.Line2D([], [], color=MUTED, markerfacecolor="white", **look)] * bool(printed)
        self.figure_.legend(
            marks,
            [*(shorten(name, 30) for name in names), *["published"] * bool(printed)],
            loc="outside upper left",
            ncols=4,
            frameon=False,
            fontsize=9,
            labelcolor=INK,
            title=self.settings.get("title") or None,
            alignment="left",
        )


def _lowest(lines: Mapping[str, Line]) -> float:
    """Smallest mean above 0, measured or printed: bands may reach below it, and below 0."""
    found = [_array(line.get(part)) for line in lines.values() for part in ("mean", "printed")]
    means = np.concatenate([some for some in found if some is not None])
    above = means[means > 0.0]
    return float(above.min()) if above.size else 1.0


def _array(values: Any) -> np.ndarray | None:
    return None if values is None else np.asarray(values, dtype=float)


def drawn_figures(record: Record) -> Iterator[tuple[str, Any]]:
    """Figures of matplotlib with what they show, in the order of `picture_names`.

    They are drawn one at a time; whoever takes one closes it.
    """
    for plot in _plots(record):
        display = PublishedDisplay.from_panels(plot_panels(record, plot), plot)
        yield plot["title"] or f"{plot['y_title']} against {plot['x_title']}", display.figure_
    titles = {measure["key"]: measure["title"] for measure in record["measures"]}
    for ranks in drawn_ranks(record):
        diagram = CriticalDifferenceDisplay(
            ranks["ranks"],
            ranks["columns"],
            ranks["difference"],
            n_sets=len(ranks["rows"]),
            pvalue=ranks["p"],
        )
        title = titles[ranks["measure"]]
        yield f"Average ranks by {title}", diagram.plot(title=f"By {title}").figure_


def svg_image(figure: Any) -> str:
    """A figure as an address of SVG data, the same for the same picture; the figure is closed."""
    stream = io.BytesIO()
    with plt.rc_context({"svg.hashsalt": "uneven"}):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return f"data:image/svg+xml;base64,{base64.b64encode(stream.getvalue()).decode()}"


def _plots(record: Record) -> list[Mapping[str, Any]]:
    """The plots of a record that have something to show."""
    return [plot for plot in record["plots"] if plot_panels(record, plot)]


def picture_names(record: Record) -> list[str]:
    """File names of the pictures of an exhibit: NAME.png, or NAME-1.png and so on.

    Plots first, then critical-difference diagrams.
    """
    n = len(_plots(record)) + len(drawn_ranks(record))
    if n <= 1:
        return [f"{record['name']}.png"] * n
    return [f"{record['name']}-{j + 1}.png" for j in range(n)]


def plot_panels(record: Record, plot: Mapping[str, Any]) -> dict[str, dict[str, Line]]:
    """Curves of a plot by panel and line.

    Parameters
    ----------
    record : mapping
    plot : mapping
        One of ``record["plots"]``.

    Returns
    -------
    dict of str to dict of str to dict
        Row to column to ``mean``, ``deviation``, ``printed`` and ``printed_deviation``: lists with
        one number per place on the x axis, NaN where nothing is known, or None. Curves of another
        length than the axis are left out.
    """
    found = entries(record, plot["measure"])
    panels: dict[str, dict[str, Line]] = {}
    for row in plot["rows"] or record["rows"]:
        lines: dict[str, Line] = {
            column: _line(found[row, column], len(plot["x"]))
            for column in plot["columns"] or record["columns"]
            if (row, column) in found
        }
        known = {c: line for c, line in lines.items() if line["mean"] or line["printed"]}
        if known:
            panels[row] = known
    return panels


def _line(value: Mapping[str, Any], n: int) -> dict[str, list[float] | None]:
    own, printed = value["measured"] or {}, value["printed"] or {}
    return {
        "mean": _curve(own.get("mean"), n),
        "deviation": _curve(own.get("deviation"), n),
        "printed": _curve(printed.get("mean"), n),
        "printed_deviation": _curve(printed.get("deviation"), n),
    }


def _curve(values: Any, n: int) -> list[float] | None:
    if not isinstance(values, list) or len(values) != n:
        return None
    curve = [number(v) for v in values]
    return curve if any(map(math.isfinite, curve)) else None
