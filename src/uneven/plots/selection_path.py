"""How many classifiers a stack keeps, and what it costs, as the penalty grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import MaxNLocator, NullLocator
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from uneven.plots.bands import name_ends
from uneven.plots.drawing import (
    BLUE,
    GRID,
    INK,
    LINES,
    MUTED,
    ORANGE,
    headline,
    make_room,
    soft_grid,
)

Kind = Literal["error", "weights"]

MOST_NAMED = 8
"""Weights of so many classifiers get a colour and a name."""

SHOWN_ERRORS = 4.0
"""Errors up to so many times the smallest are shown, if these are most of them; penalties that drop
all classifiers are wrong about almost everything, and their errors would flatten the others."""


class SelectionPathDisplay:
    """Cross-validated error, or weights, against the strength of the penalty; below it, the
    number of classifiers that are kept.

    Parameters
    ----------
    strengths : array-like of shape (n_strengths,)
        Positive strengths of the penalty, in any order.
    n_selected : array-like of shape (n_strengths,)
        How many classifiers each keeps.
    error_mean, error_std : array-like of shape (n_strengths,) or None
        Cross-validated error rate and its standard deviation over the folds.
    norms : array-like of shape (n_strengths, M) or None
        Norm of the weights of each classifier.
    names : sequence of length M, or None
        Classifiers; None numbers them.
    chosen : int or None
        Position of the strength that was chosen.
    n_members : int or None
        How many classifiers there are; None takes the number of `names`, or of columns of `norms`.

    Attributes
    ----------
    axes_ : list of two matplotlib Axes
        The upper and the lower panel.
    ax_ : matplotlib Axes
        The upper one.
    figure_ : matplotlib Figure
        The figure that holds them.
    text_ : list of matplotlib Text
        Names of the classifiers, with ``kind="weights"``.

    References
    ----------
    M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
    combination*, MSc thesis, Sabanci University, section 4.3.

    Examples
    --------
    >>> from uneven.plots import SelectionPathDisplay
    >>> display = SelectionPathDisplay(
    ...     [0.001, 0.01, 0.1, 1.0], [12, 7, 3, 0], error_mean=[0.06, 0.05, 0.04, 0.6],
    ...     error_std=[0.01, 0.01, 0.01, 0.0], chosen=2, n_members=20,
    ... ).plot()
    >>> display.ax_.get_title(loc="left")
    '3 of 20 classifiers are kept'
    """

    def __init__(
        self,
        strengths: ArrayLike,
        n_selected: ArrayLike,
        *,
        error_mean: ArrayLike | None = None,
        error_std: ArrayLike | None = None,
        norms: ArrayLike | None = None,
        names: Sequence[Any] | None = None,
        chosen: int | None = None,
        n_members: int | None = None,
    ) -> None:
        given = np.asarray(strengths, dtype=float)
        _check_strengths(given)
        order = np.argsort(given)
        self.strengths = given[order]
        self.n_selected = _row("n_selected", n_selected, order)
        self.error_mean = None if error_mean is None else _row("error_mean", error_mean, order)
        self.error_std = None if error_std is None else _row("error_std", error_std, order)
        self.norms = None if norms is None else _norms(norms, order)
        self.names = _names(names, self.norms)
        self.chosen = None if chosen is None else _place(chosen, order)
        self.n_members = n_members or len(self.names) or None

    @classmethod
    def from_path(cls, path: Any, *, ax: Any = None, **kwargs: Any) -> SelectionPathDisplay:
        """Draw a path of strengths.

        Parameters
        ----------
        path : uneven.stacking.SelectionPath
            Or anything with its fields ``strengths``, ``n_selected``, ``error_mean``,
            ``error_std``, ``coef``, ``names`` and ``chosen``.
        ax : matplotlib Axes, two of them, or None
            Where to draw; None makes a figure.
        **kwargs
            Passed to `plot`.
        """
        display = cls(
            path.strengths,
            path.n_selected,
            error_mean=path.error_mean,
            error_std=path.error_std,
            norms=[np.linalg.norm(np.asarray(coef), axis=1) for coef in path.coef],
            names=path.names,
            chosen=path.chosen,
        )
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, ax: Any = None, strengths: ArrayLike | None = None, **kwargs: Any
    ) -> SelectionPathDisplay:
        """Draw the path of a fitted stack.

        Parameters
        ----------
        estimator : fitted uneven.MarginStackingClassifier
            Its method ``path`` is called.
        ax : matplotlib Axes, two of them, or None
            Where to draw; None makes a figure.
        strengths : array-like of shape (n_strengths,) or None
            At least two strengths to look at; None takes those that the estimator was fitted with,
            and the one that it uses.
        **kwargs
            Passed to `plot`.
        """
        if not hasattr(estimator, "path"):
            raise TypeError(
                f"a {type(estimator).__name__} has no path of strengths; give a fitted "
                "MarginStackingClassifier (of a pipeline, its last step)."
            )
        check_is_fitted(estimator)
        path = estimator.path() if strengths is None else estimator.path(strengths=strengths)
        if len(path.strengths) < 2:
            raise ValueError(
                f"there is only the strength {path.strengths[0]:g} to look at; name more of them: "
                "from_estimator(stack, strengths=[0.001, 0.01, 0.1])."
            )
        return cls.from_path(path, ax=ax, **kwargs)

    def plot(
        self, ax: Any = None, *, kind: Kind = "error", title: str | None = None
    ) -> SelectionPathDisplay:
        """Draw the two panels, one below the other.

        Parameters
        ----------
        ax : matplotlib Axes, sequence of two Axes, or None
            None makes a figure; one Axes is divided among the panels.
        kind : {"error", "weights"}
            What the upper panel shows. With ``"weights"`` the penalty grows weaker to the right,
            so that lines end where their names are.
        title : str or None
            Replaces the heading.
        """
        if kind not in get_args(Kind):
            raise ValueError(f"kind={kind!r} is unknown; use 'error' or 'weights'.")
        needed = self.error_mean if kind == "error" else self.norms
        if needed is None:
            missing = "error_mean" if kind == "error" else "norms"
            raise ValueError(f"kind={kind!r} needs {missing}, which was not given.")
        upper, lower = self.axes_ = _axes_for(ax, 1.2 if kind == "weights" else 0.0)
        self.ax_, self.figure_ = upper, upper.figure
        for panel in self.axes_:
            soft_grid(panel)
            _log_axis(panel, self.strengths, backwards=kind == "weights")
        self._draw_counts(lower)
        self.text_ = self._draw_weights(upper) if kind == "weights" else self._draw_error(upper)
        self._mark_chosen(kind)
        upper.tick_params(labelbottom=False)
        weaker = ", weaker to the right" if kind == "weights" else ""
        lower.set_xlabel(f"strength of the penalty{weaker}", color=MUTED, fontsize=9)
        headline(upper, title or self._heading(), self._told(kind))
        return self

    def _draw_error(self, ax: Any) -> list[Any]:
        middle = 100.0 * np.asarray(self.error_mean)
        if self.error_std is not None:
            around = 100.0 * self.error_std
            low, high = np.maximum(middle - around, 0.0), middle + around
            ax.fill_between(self.strengths, low, high, color=BLUE, alpha=0.16, linewidth=0)
        ax.plot(self.strengths, middle, color=BLUE, linewidth=2.0, marker="o", markersize=4)
        weak = middle[: len(middle) // 2 if self.chosen is None else self.chosen + 1]
        shown = max(SHOWN_ERRORS * max(float(middle.min()), 1.0), float(weak.max()))
        cut = 0 < np.sum(middle > shown) < len(middle) / 2
        ax.set_ylim(0.0, 1.05 * shown if cut else None)
        ax.set_ylabel("error, %", color=MUTED, fontsize=9)
        return []

    def _draw_weights(self, ax: Any) -> list[Any]:
        norms = np.asarray(self.norms)
        at = len(norms) // 2 if self.chosen is None else self.chosen
        order = np.lexsort((-norms.max(axis=0), -norms[at]))
        named, rest = order[:MOST_NAMED], order[MOST_NAMED:]
        ax.plot(self.strengths, norms[:, rest], color=GRID, linewidth=1.0, zorder=1)
        ends, colours = {}, {}
        for m, colour in zip(named, LINES):
            ax.plot(self.strengths, norms[:, m], color=colour, linewidth=1.8)
            ends[self.names[m]] = (float(self.strengths[0]), float(norms[0, m]))
            colours[self.names[m]] = colour
        ax.set_ylim(bottom=0.0)
        ax.set_ylabel("norm of the weights", color=MUTED, fontsize=9)
        return name_ends(ax, ends, colours)

    def _draw_counts(self, ax: Any) -> None:
        inner = np.sqrt(self.strengths[1:] * self.strengths[:-1])
        edges = np.concatenate([self.strengths[:1], inner, self.strengths[-1:]])
        ax.stairs(self.n_selected, edges, color=INK, linewidth=1.6, baseline=None)
        ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        ax.set_ylim(0, 1.08 * max(float(self.n_selected.max()), self.n_members or 1))
        ax.set_ylabel("kept", color=MUTED, fontsize=9)

    def _mark_chosen(self, kind: Kind) -> None:
        if self.chosen is None:
            return
        x = self.strengths[self.chosen]
        for panel in self.axes_:
            panel.axvline(x, color=ORANGE, linewidth=1.2, linestyle=(0, (4, 2)), zorder=1.5)
        spots = [(self.axes_[1], self.n_selected)]
        if kind == "error":
            spots.append((self.axes_[0], 100.0 * np.asarray(self.error_mean)))
        for panel, values in spots:
            panel.plot([x], [values[self.chosen]], "o", color=ORANGE, markersize=7, zorder=4)

    def _heading(self) -> str:
        if self.chosen is None:
            return "Which classifiers are kept"
        kept, all_of = int(self.n_selected[self.chosen]), self.n_members
        whole = f" of {all_of}" if all_of else ""
        noun = "classifier" if (all_of or kept) == 1 else "classifiers"
        return f"{kept}{whole} {noun} {'is' if kept == 1 else 'are'} kept"

    def _told(self, kind: Kind) -> str:
        if self.chosen is None:
            return "band: one standard deviation" if kind == "error" else ""
        told = f"strength {self.strengths[self.chosen]:g}"
        if self.error_mean is None:
            return told
        around = "" if self.error_std is None else f" ± {100 * self.error_std[self.chosen]:.1f}"
        return f"{told}, cross-validated error {100 * self.error_mean[self.chosen]:.1f}{around} %"


def _check_strengths(strengths: np.ndarray) -> None:
    if strengths.ndim != 1 or len(strengths) < 2:
        raise ValueError(
            f"strengths has shape {strengths.shape}; give a list of at least two strengths."
        )
    if not (np.isfinite(strengths) & (strengths > 0)).all():
        raise ValueError(f"strengths must be finite and above 0, got {strengths.tolist()}.")
    if len(np.unique(strengths)) < len(strengths):
        raise ValueError(f"strengths must differ, got {strengths.tolist()}.")


def _row(name: str, values: ArrayLike, order: np.ndarray) -> np.ndarray:
    found = np.asarray(values, dtype=float)
    if found.shape != order.shape:
        raise ValueError(
            f"{name} has shape {found.shape}, but there are {len(order)} strengths; give one "
            "value for each."
        )
    return found[order]


def _norms(norms: ArrayLike, order: np.ndarray) -> np.ndarray:
    found = np.asarray(norms, dtype=float)
    if found.ndim != 2 or len(found) != len(order) or not found.shape[1]:
        raise ValueError(
            f"norms has shape {found.shape}; expected ({len(order)}, M): a row for each strength."
        )
    return found[order]


def _names(names: Sequence[Any] | None, norms: np.ndarray | None) -> list[str]:
    known = [] if names is None else [str(name) for name in names]
    if norms is None or len(known) == norms.shape[1]:
        return known
    if names is not None:
        raise ValueError(f"there are {len(known)} names, but {norms.shape[1]} columns of norms.")
    return [str(m) for m in range(norms.shape[1])]


def _place(chosen: int, order: np.ndarray) -> int:
    if not 0 <= chosen < len(order):
        raise ValueError(f"chosen={chosen} is no position among {len(order)} strengths.")
    return int(np.flatnonzero(order == chosen)[0])


def _axes_for(ax: Any, room: float) -> list[Any]:
    """Upper and lower panel, with some inches to their right for names."""
    if ax is None:
        figure, axes = plt.subplots(
            2, 1, figsize=(6.4, 4.8), height_ratios=[3, 1.5], layout="constrained"
        )
        figure.get_layout_engine().set(w_pad=0.14, h_pad=0.1)
        return list(axes)
    if isinstance(ax, Sequence | np.ndarray):
        axes = list(np.ravel(np.asarray(ax, dtype=object)))
        if len(axes) != 2:
            raise ValueError(f"ax holds {len(axes)} Axes but there are 2 panels; give 2.")
        return axes
    make_room(ax, room)
    ax.set_axis_off()
    return [ax.inset_axes([0, 0.4, 1, 0.6]), ax.inset_axes([0, 0, 1, 0.32])]


def _log_axis(ax: Any, strengths: np.ndarray, backwards: bool) -> None:
    ax.set_xscale("log")
    ax.xaxis.set_minor_locator(NullLocator())
    low, high = strengths[0], strengths[-1]
    room = (high / low) ** 0.02
    ends = (low / room, high * room)
    ax.set_xlim(*(ends[::-1] if backwards else ends))
