"""How boosting went, round by round."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils.validation import check_is_fitted

from uneven.plots.drawing import INK, MUTED, SERIES, fresh_axes, soft_grid

Metric = Callable[[ArrayLike, ArrayLike], float]

PANELS = {
    "edge": ("Edge", "how much better than guessing each weak learner is"),
    "weight": ("Vote weight", "weight of each weak learner in the vote"),
    "log_loss": ("Training loss", "log of the exponential loss"),
}


@dataclass(frozen=True)
class _Panel:
    """One chart: a title, what it means, its lines and whether they jump from round to round."""

    title: str
    meaning: str
    lines: dict[str, np.ndarray]
    noisy: bool = False


class BoostingCurveDisplay:
    """Edge, vote weight, training loss and, if wanted, scores by round.

    Parameters
    ----------
    history : dict of str to array-like of shape (n_rounds,)
        Holds any of ``"edge"``, ``"weight"``, ``"log_loss"``; other keys are ignored.
    scores : dict of str to array-like of shape (n_rounds,), or None
        A score after each round for each named set of rows.
    score_name : str
        Title of the panel that shows `scores`.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        One per panel.
    ax_ : matplotlib Axes
        The first panel.
    figure_ : matplotlib Figure
        The figure that holds them.

    Examples
    --------
    >>> from uneven.plots import BoostingCurveDisplay
    >>> history = {"edge": [0.6, 0.4, 0.3], "log_loss": [1.0, 0.7, 0.5]}
    >>> len(BoostingCurveDisplay(history).plot().axes_)
    2
    """

    def __init__(
        self,
        history: Mapping[str, ArrayLike],
        scores: Mapping[str, ArrayLike] | None = None,
        *,
        score_name: str = "score",
    ) -> None:
        self.history = {k: np.asarray(history[k], dtype=float) for k in PANELS if k in history}
        self.scores = {str(k): np.asarray(v, dtype=float) for k, v in (scores or {}).items()}
        self.score_name = score_name
        if not self.history and not self.scores:
            raise ValueError(
                f"history holds none of {', '.join(PANELS)} (its keys: {sorted(history)}) and no "
                "scores were given, so nothing can be drawn; pass history_ of a fitted estimator."
            )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        X_val: Any = None,
        y_val: ArrayLike | None = None,
        metric: Metric = balanced_accuracy_score,
        score_name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> BoostingCurveDisplay:
        """Draw the history of a fitted boosting estimator.

        Parameters
        ----------
        estimator : fitted estimator
            With ``history_`` and, for scores, ``staged_predict``.
        X, y : array-like of shape (n_samples, n_features) and (n_samples,), or None
            Training rows to score after each round.
        X_val, y_val : array-like of shape (n_samples, n_features) and (n_samples,), or None
            Held-out rows to score after each round.
        metric : callable
            ``metric(y_true, y_pred)``; balanced accuracy by default.
        score_name : str or None
            Title of the score panel; None takes the name of `metric`.
        ax : matplotlib Axes, sequence of Axes or None
            Where to draw.
        **kwargs
            Passed to `plot`.
        """
        check_is_fitted(estimator)
        scores = {
            name: np.array([metric(truth, answer) for answer in estimator.staged_predict(rows)])
            for name, rows, truth in (("training", X, y), ("held out", X_val, y_val))
            if rows is not None and truth is not None
        }
        if score_name is None:
            raw = getattr(metric, "__name__", "score")
            score_name = raw.removesuffix("_score").replace("_", " ").capitalize()
        return cls(estimator.history_, scores, score_name=score_name).plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, *, window: int | None = None) -> BoostingCurveDisplay:
        """Draw the panels side by side.

        Parameters
        ----------
        ax : matplotlib Axes, sequence of Axes or None
            None makes a figure; one Axes is divided among the panels; a sequence holds one Axes
            per panel.
        window : int or None
            Rounds in the running mean over edges and vote weights; None takes a tenth of all.
        """
        panels = self._panels()
        self.axes_ = _axes_for(ax, len(panels))
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        for panel, panel_ax in zip(panels, self.axes_):
            _draw_panel(panel_ax, panel, window)
        return self

    def _panels(self) -> list[_Panel]:
        panels = [
            _Panel(*PANELS[key], {"": values}, noisy=key != "log_loss")
            for key, values in self.history.items()
        ]
        if self.scores:
            panels.append(_Panel(self.score_name, "score after each round", self.scores))
        return panels


def _axes_for(ax: Any, n: int) -> list[Any]:
    if ax is None:
        return fresh_axes(3.3 * n + 0.2, 3.1, n)
    if isinstance(ax, Sequence | np.ndarray):
        axes = list(np.ravel(np.asarray(ax, dtype=object)))
        if len(axes) != n:
            raise ValueError(f"ax holds {len(axes)} Axes but there are {n} panels; give {n}.")
        return axes
    if n == 1:
        return [ax]
    ax.set_axis_off()
    width = 1 / (n + 0.25 * (n - 1))
    return [ax.inset_axes([1.25 * width * i, 0, width, 1]) for i in range(n)]


def _draw_panel(ax: Any, panel: _Panel, window: int | None) -> None:
    soft_grid(ax)
    for (name, values), colour in zip(panel.lines.items(), SERIES):
        rounds = np.arange(1, len(values) + 1)
        if panel.noisy:
            ax.plot(rounds, values, color=colour, alpha=0.28, linewidth=0.9)
            values = _running_mean(values, window or max(1, len(values) // 10))
        ax.plot(rounds, values, color=colour, linewidth=2.0, solid_capstyle="round", label=name)
    ax.margins(x=0.01)
    ax.set_xlabel("round", color=MUTED, fontsize=8.5)
    ax.set_title(panel.title, loc="left", color=INK, fontsize=11, fontweight="bold", pad=18)
    ax.annotate(
        panel.meaning,
        (0, 1),
        xytext=(0, 6),
        xycoords="axes fraction",
        textcoords="offset points",
        color=MUTED,
        fontsize=8.5,
        annotation_clip=False,
    )
    if len(panel.lines) > 1:
        ax.legend(frameon=False, fontsize=8.5, labelcolor="linecolor", handlelength=1.2)


def _running_mean(values: np.ndarray, window: int) -> np.ndarray:
    """Centred mean over up to `window` neighbours, shorter at both ends.

    Parameters
    ----------
    values : ndarray of shape (n,)
        One value per round.
    window : int
        Number of neighbours.

    Returns
    -------
    ndarray of shape (n,)
        The smoothed values.
    """
    total = np.concatenate([[0.0], np.cumsum(values)])
    centre = np.arange(len(values))
    low = np.maximum(centre - window // 2, 0)
    high = np.minimum(centre + (window - 1) // 2 + 1, len(values))
    return np.asarray((total[high] - total[low]) / (high - low))
