"""What labels bring: a measure, and the volume of the version space, against their number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from uneven.bounds.bodies import grunbaum_share
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
from uneven.plots.drawing import INK, MUTED, fresh_axes, headline, make_room, soft_grid


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


UNITS = {
    "bits": (np.log(2.0), "log₂ of the share of the volume that is left"),
    "decades": (np.log(10.0), "log₁₀ of the share of the volume that is left"),
}
GUIDES = {"at most 1 − 1/e stays": np.log1p(-grunbaum_share()), "half stays": np.log(0.5)}
"""What a cut through the centre of gravity leaves at worst, and what a perfect one leaves."""


class VolumeDisplay:
    """Logarithm of the volume of the version space against the number of labels.

    Two guides start where the highest curve starts. The dashed one is the promise of Grünbaum
    (1960): whatever the label is, a cut through the centre of gravity leaves at most 1 - 1/e of
    the volume. The dotted one is one bit per label, which is the best that can be expected of
    labels that are not known in advance.

    Parameters
    ----------
    labels : array-like of shape (n_points,), or dict of str to such
        Numbers of labels, the same for all curves or for each its own.
    log_volumes : dict of str to array-like of shape (n_runs, n_points) or (n_points,)
        Natural logarithm of the share of the ball that is left, at most 0; NaN where a run has
        stopped.

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
    >>> import numpy as np
    >>> from uneven.plots import VolumeDisplay
    >>> display = VolumeDisplay([0, 1, 2], {"gravity": np.log([1.0, 0.5, 0.3])}).plot()
    >>> [text.get_text() for text in display.text_]
    ['gravity', 'at most 1 − 1/e stays', 'half stays']
    """

    def __init__(
        self,
        labels: ArrayLike | Mapping[str, ArrayLike],
        log_volumes: Mapping[str, ArrayLike],
    ) -> None:
        self.log_volumes = check_runs(log_volumes)
        self.labels = positions_of(labels, self.log_volumes)
        for name, table in self.log_volumes.items():
            if np.isinf(table).any() or (table > 1e-9).any():
                raise ValueError(
                    f"the log volumes of {name!r} reach from {np.nanmin(table):.3g} to "
                    f"{np.nanmax(table):.3g}; expected logarithms of shares: finite, at most 0."
                )

    @classmethod
    def from_curves(
        cls,
        labels: ArrayLike | Mapping[str, ArrayLike],
        log_volumes: Mapping[str, ArrayLike],
        *,
        ax: Any = None,
        **kwargs: Any,
    ) -> VolumeDisplay:
        """Draw curves of log volumes.

        Parameters
        ----------
        labels, log_volumes
            As in the constructor.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        **kwargs
            Passed to `plot`.
        """
        return cls(labels, log_volumes).plot(ax=ax, **kwargs)

    @classmethod
    def from_simulations(
        cls, simulations: Mapping[str, Iterable[Any]], *, ax: Any = None, **kwargs: Any
    ) -> VolumeDisplay:
        """Draw the volumes of simulated runs.

        Parameters
        ----------
        simulations : dict of str to iterable of uneven.active.LearningCurve
            Runs of each name, simulated with ``volumes=True``.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        **kwargs
            Passed to `plot`.
        """
        return cls.from_curves(*collect_runs(simulations, "log_volumes"), ax=ax, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        unit: Literal["bits", "decades"] = "bits",
        band: Band | None = "std",
        baseline: str | None = "random",
        colours: Mapping[str, str] | None = None,
        guides: bool = True,
        title: str | None = None,
    ) -> VolumeDisplay:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        unit : {"bits", "decades"}
            Base 2 or 10 of the logarithm.
        band : {"std", "error", "quartiles", "range"} or None
            As in `LearningCurveDisplay.plot`.
        baseline : str or None
            The curve that is drawn in grey.
        colours : dict of str to str, or None
            Colours of curves by name.
        guides : bool
            Draw the promise of Grünbaum and one bit per label.
        title : str or None
            Replaces the headline.
        """
        check_band(band)
        if unit not in UNITS:
            raise ValueError(f"unit={unit!r} is unknown; use 'bits' or 'decades'.")
        base, axis_name = UNITS[unit]
        if ax is None:
            (ax,) = fresh_axes(6.8, 4.0)
        else:
            make_room(ax, room_for([*self.log_volumes, *GUIDES]))
        self.ax_, self.figure_ = ax, ax.figure
        chosen = colours_of(list(self.log_volumes), baseline) | dict(colours or {})
        styles = styles_of(list(self.log_volumes), baseline)
        soft_grid(ax)
        whole_numbers(ax)
        ends = {
            name: draw_band(
                ax, self.labels[name], table / base, chosen[name], band, linestyle=styles[name]
            )
            for name, table in self.log_volumes.items()
        }
        if guides:
            ends |= self._draw_guides(ax, base)
            chosen |= dict.fromkeys(GUIDES, INK)
        ax.margins(x=0.01)
        ax.set_xlabel("labels", color=MUTED, fontsize=9)
        headline(ax, title or "What the labels leave", self._told(axis_name, band))
        self.text_ = name_ends(ax, ends, chosen)
        return self

    def _draw_guides(self, ax: Any, base: float) -> dict[str, tuple[float, float]]:
        """Draw both guides; return their last points, within what the curves reach."""
        starts = {
            name: np.nanmean(table[:, 0])
            for name, table in self.log_volumes.items()
            if np.isfinite(table[:, 0]).any()
        }
        if not starts:
            return {}
        first = max(starts, key=lambda name: starts[name])
        start, height = self.labels[first][0], starts[first] / base
        stop = max(x[-1] for x in self.labels.values())
        ends = {}
        for (name, slope), style in zip(GUIDES.items(), ("--", ":")):
            end = height + slope / base * (stop - start)
            ax.plot([start, stop], [height, end], color=INK, linewidth=1.1, linestyle=style)
            ends[name] = (float(stop), float(end))
        return ends

    def _told(self, axis_name: str, band: Band | None) -> str:
        runs = max(len(table) for table in self.log_volumes.values())
        if runs == 1 or band is None:
            return axis_name
        return f"{axis_name}, {runs} runs, band: {BAND_NAMES[band]}"
