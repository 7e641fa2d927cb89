"""What each view knows on its own, and which views fail on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import to_rgba

from uneven.plots.drawing import (
    ERROR,
    GRID,
    SUPPORT,
    draw_cells,
    fresh_axes,
    headline,
    name_cells,
    percent,
    shorten_all,
)

NAME_LENGTH = 20
CLASS_LENGTH = 12


class ViewDiagnosisDisplay:
    """Recalls of each view and class, and the redundancy of each pair of views.

    Parameters
    ----------
    diagnosis : ViewDiagnosis
        What :func:`uneven.views.diagnose` returned.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        The map of recalls and, for two views or more, the map of redundancies.
    ax_ : matplotlib Axes
        The first of them.
    figure_ : matplotlib Figure
        The figure that holds them.
    text_ : list of matplotlib Text
        The numbers in the cells.

    Examples
    --------
    >>> from uneven.datasets import make_uneven_views
    >>> from uneven.plots import ViewDiagnosisDisplay
    >>> from uneven.views import diagnose
    >>> bunch = make_uneven_views(200, random_state=0)
    >>> found = diagnose(bunch.data, bunch.target, bunch.views, cv=2, random_state=0)
    >>> [ax.get_title(loc="left") for ax in ViewDiagnosisDisplay(found).plot().axes_]
    ['What each view knows', 'Which views fail together']
    """

    def __init__(self, diagnosis: Any) -> None:
        self.diagnosis = diagnosis

    @classmethod
    def from_diagnosis(cls, diagnosis: Any, *, ax: Any = None) -> ViewDiagnosisDisplay:
        """Draw a diagnosis.

        Parameters
        ----------
        diagnosis : ViewDiagnosis
        ax : matplotlib Axes, sequence of two Axes, or None
            Where to draw; see `plot`.
        """
        return cls(diagnosis).plot(ax=ax)

    def plot(self, ax: Any = None) -> ViewDiagnosisDisplay:
        """Draw the maps.

        Parameters
        ----------
        ax : matplotlib Axes, sequence of two Axes, or None
            One Axes gets the map of recalls only; None makes a figure of a fitting size.
        """
        pair = len(self.diagnosis.names) > 1
        if ax is None:
            width, height = self._figure_size()
            axes = fresh_axes(width, height, 2 if pair else 1)
        else:
            axes = list(np.ravel(ax))
        if len(axes) > 1 + pair:
            raise ValueError(f"{len(axes)} axes were given, but there are {1 + pair} maps to draw.")
        self.axes_, self.ax_, self.figure_ = axes, axes[0], axes[0].figure
        self.text_ = self._draw_recalls(axes[0])
        if len(axes) == 2:
            self.text_ += self._draw_redundancy(axes[1])
        return self

    def _draw_recalls(self, ax: Any) -> list[Any]:
        found = self.diagnosis
        colours = np.asarray(SUPPORT(np.nan_to_num(found.recalls)))
        colours[np.isnan(found.recalls)] = to_rgba(GRID)
        written = draw_cells(ax, colours, [[_recall(r) for r in row] for row in found.recalls])
        names = [
            f"{name} ({percent(accuracy) or 0} %, {verdict})"
            for name, accuracy, verdict in zip(
                shorten_all(found.names, NAME_LENGTH), found.accuracy, found.verdicts
            )
        ]
        name_cells(ax, names, found.classes, NAME_LENGTH + 20, CLASS_LENGTH)
        ax.xaxis.set_label_position("top")
        headline(
            ax, "What each view knows", "recall of each class in percent; accuracy by the name"
        )
        return written

    def _draw_redundancy(self, ax: Any) -> list[Any]:
        names, values = self.diagnosis.names, self.diagnosis.redundancy.copy()
        np.fill_diagonal(values, np.nan)
        size = np.nan_to_num(np.abs(values))
        colours = np.where((values > 0)[..., None], ERROR(size), SUPPORT(size))
        colours[np.isnan(values)] = to_rgba(GRID)
        written = draw_cells(ax, colours, [[_signed(v) for v in row] for row in values])
        name_cells(ax, names, names, length=CLASS_LENGTH)
        headline(ax, "Which views fail together", "correlation of being right, within the classes")
        return written

    def _figure_size(self) -> tuple[float, float]:
        n_views, n_classes = self.diagnosis.recalls.shape
        longest = max(map(len, shorten_all(self.diagnosis.names, NAME_LENGTH)))
        cells = max(n_classes * float(np.clip(5.0 / n_classes, 0.32, 0.8)), 0.7 * n_views, 3.6)
        labels = 1.8 + 0.08 * longest
        feet = max(len(str(name)) for name in [*self.diagnosis.classes, *self.diagnosis.names])
        height = n_views * float(np.clip(4.0 / n_views, 0.35, 0.6)) + 1.3 + 0.08 * min(feet, 12)
        if n_views == 1:
            return cells + labels, height
        return 2.0 * cells + labels + 0.4 + 0.08 * min(longest, 12), height


def _recall(value: float) -> str:
    return "" if np.isnan(value) else percent(value) or "0"


def _signed(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}".replace("-", "−")
