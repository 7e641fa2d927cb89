"""How good a classifier is after how many labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from uneven.plots.bands import (
    BAND_NAMES,
    Band,
    check_band,
    check_runs,
    collect_runs,
    colours_of,
    draw_band,
    name_ends,
    positions_of,
    room_for,
    styles_of,
    whole_numbers,
)
from uneven.plots.drawing import fresh_axes, headline, make_room, soft_grid
from uneven.plots.palette import MUTED

__all__ = ["LearningCurveDisplay"]


class LearningCurveDisplay:
    """A measure against the number of labels, for several ways of choosing what to label.

    Each way is a line, the middle of its runs, with a band around it and its name at its end, solid
    for the first five, then dashed, dotted and mixed.

    Parameters
    ----------
    labels : array-like of shape (n_points,), or dict of str to such
        Numbers of labels, the same for all curves or for each its own.
    curves : dict of str to array-like of shape (n_runs, n_points) or (n_points,)
        The measure in each run; NaN where a run has stopped.
    measure : str, default="accuracy"
        Name of the measure.
    references : dict of str to (labels, values) or (labels, values, spread), optional
        Points from elsewhere, drawn as rings with bars. A reference with the name of a curve takes
        its colour.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The chart.
    figure_ : matplotlib Figure
        The figure that holds it.
    text_ : list of matplotlib Text
        The names at the ends of the lines.

    Examples
    --------
    >>> from uneven.plots import LearningCurveDisplay
    >>> runs = {"gravity": [[0.6, 0.8, 0.9], [0.7, 0.8, 0.9]], "random": [[0.6, 0.7, 0.8]]}
    >>> display = LearningCurveDisplay.from_curves([2, 10, 20], runs)
    >>> [text.get_text() for text in display.text_]
    ['gravity', 'random']
    """

    def __init__(
        self,
        labels: ArrayLike | Mapping[str, ArrayLike],
        curves: Mapping[str, ArrayLike],
        *,
        measure: str = "accuracy",
        references: Mapping[str, tuple[ArrayLike, ...]] | None = None,
    ) -> None:
        self.curves = check_runs(curves)
        self.labels = positions_of(labels, self.curves)
        self.measure = measure
        self.references = {
            str(name): _check_reference(name, parts) for name, parts in (references or {}).items()
        }

    @classmethod
    def from_curves(
        cls,
        labels: ArrayLike | Mapping[str, ArrayLike],
        curves: Mapping[str, ArrayLike],
        *,
        measure: str = "accuracy",
        references: Mapping[str, tuple[ArrayLike, ...]] | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> LearningCurveDisplay:
        """Draw curves.

        Parameters
        ----------
        labels, curves, measure, references
            As in the constructor.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        LearningCurveDisplay
            The drawn display.
        """
        display = cls(labels, curves, measure=measure, references=references)
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def from_simulations(
        cls, simulations: Mapping[str, Iterable[Any]], *, ax: Any = None, **kwargs: Any
    ) -> LearningCurveDisplay:
        """Draw simulated runs.

        Parameters
        ----------
        simulations : dict of str to iterable of uneven.active.LearningCurve
            Runs of each name; they may have ended at different times.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        **kwargs
            Passed to `from_curves`.

        Returns
        -------
        LearningCurveDisplay
            The drawn display.
        """
        return cls.from_curves(*collect_runs(simulations, "scores"), ax=ax, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        band: Band | None = "std",
        baseline: str | None = "random",
        colours: Mapping[str, str] | None = None,
        title: str | None = None,
        reference_name: str = "published",
        ylim: tuple[float, float] | None = None,
    ) -> LearningCurveDisplay:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        band : {"std", "error", "quartiles", "range"} or None
            Standard deviation or two standard errors around the mean, quartiles around the median,
            smallest to largest around the mean, or no band.
        baseline : str or None
            The curve that is drawn in grey.
        colours : dict of str to str, or None
            Colours of curves by name, for pictures that show different ones of the same methods.
        title : str or None
            Replaces the name of the measure.
        reference_name : str
            What to call the references.
        ylim : (float, float) or None
            Limits of the measure; None takes what the middles need.

        Returns
        -------
        LearningCurveDisplay
            The display itself.
        """
        check_band(band)
        if ax is None:
            (ax,) = fresh_axes(6.8, 4.0)
        else:
            make_room(ax, room_for(self.curves))
        self.ax_, self.figure_ = ax, ax.figure
        chosen = colours_of(list(self.curves), baseline) | dict(colours or {})
        styles = styles_of(list(self.curves), baseline)
        soft_grid(ax)
        whole_numbers(ax)
        ends = {
            name: draw_band(
                ax, self.labels[name], table, chosen[name], band, linestyle=styles[name]
            )
            for name, table in self.curves.items()
        }
        for name, parts in self.references.items():
            _draw_reference(ax, parts, chosen.get(name, MUTED))
        ax.margins(x=0.01)
        if ylim is not None:
            ax.set_ylim(*ylim)
        ax.set_xlabel("labels", color=MUTED, fontsize=9)
        headline(
            ax,
            title or self.measure[:1].upper() + self.measure[1:],
            self._told(band, reference_name),
        )
        self.text_ = name_ends(ax, ends, chosen)
        return self

    def _told(self, band: Band | None, reference_name: str) -> str:
        runs = {len(table) for table in self.curves.values()}
        middle = "median" if band == "quartiles" else "mean"
        parts = []
        if max(runs) > 1:
            counted = f"{max(runs)}" if len(runs) == 1 else f"{min(runs)} to {max(runs)}"
            parts.append(f"{middle} of {counted} runs")
            if band is not None:
                parts.append(f"band: {BAND_NAMES[band]}")
        if self.references:
            parts.append(f"rings: {reference_name}")
        return ", ".join(parts)


def _check_reference(name: str, parts: tuple[ArrayLike, ...]) -> tuple[np.ndarray, ...]:
    found = tuple(np.atleast_1d(np.asarray(part, dtype=float)) for part in parts)
    if len(found) not in (2, 3) or len({part.shape for part in found}) != 1 or found[0].ndim != 1:
        raise ValueError(
            f"the reference {name!r} holds arrays of the shapes {[p.shape for p in found]}; give "
            "(labels, values) or (labels, values, spread) of the same length."
        )
    return found


def _draw_reference(ax: Any, parts: tuple[np.ndarray, ...], colour: str) -> None:
    ax.errorbar(
        parts[0],
        parts[1],
        yerr=parts[2] if len(parts) == 3 else None,
        fmt="o",
        color=colour,
        markerfacecolor="white",
        markersize=5.5,
        markeredgewidth=1.4,
        elinewidth=1.1,
        capsize=2.5,
        zorder=4,
    )
