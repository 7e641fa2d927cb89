"""What a decision gives up for what it gains, with the point that was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from uneven.metrics import confusion_norm
from uneven.plots.drawing import (
    BLUE,
    INK,
    MUTED,
    ORANGE,
    fresh_axes,
    headline,
    name_points,
    soft_grid,
)

_POWERS = np.linspace(0.0, 1.5, 61)


class DecisionTradeDisplay:
    """A curve of possible decisions between two measures, with those that have a name.

    Parameters
    ----------
    curve : array-like of shape (n_points, 2)
        Both measures of each decision.
    points : mapping of str to (float, float)
        Named decisions; the first one is the chosen one.
    names : (str, str)
        Names of the two measures.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The chart.
    figure_ : matplotlib Figure
        The figure that holds it.
    text_ : list of matplotlib Text
        The names of the points.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from uneven import TunedDecisionClassifier
    >>> from uneven.plots import DecisionTradeDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> tuned = TunedDecisionClassifier(GaussianNB()).fit(X, y)
    >>> display = DecisionTradeDisplay.from_estimator(tuned)
    >>> [text.get_text() for text in display.text_]
    ['chosen', 'most probable class', 'prior rule']
    >>> display = DecisionTradeDisplay.from_estimator(tuned, classes=(0, 1))
    >>> display.names
    ('recall of 0', 'recall of 1')
    """

    def __init__(
        self,
        curve: ArrayLike,
        points: Mapping[str, tuple[float, float]],
        *,
        names: tuple[str, str],
    ) -> None:
        self.curve = np.asarray(curve, dtype=float)
        self.points = {name: (float(x), float(y)) for name, (x, y) in points.items()}
        self.names = names
        if self.curve.ndim != 2 or self.curve.shape[1] != 2:
            raise ValueError(f"curve has the shape {self.curve.shape}; expected (n_points, 2).")
        if not self.points:
            raise ValueError("points is empty: name at least the chosen decision.")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        classes: tuple[Any, Any] | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> DecisionTradeDisplay:
        """Draw the trade around the decision of a fitted classifier.

        Parameters
        ----------
        estimator : TunedDecisionClassifier
            Fitted.
        X : array-like of shape (n_samples, n_features), optional
            Rows to evaluate on; by default the unseen rows that the decision was fitted on.
        y : array-like of shape (n_samples,), optional
            Their classes.
        classes : (label, label), optional
            Draw the recall of the second class against that of the first, for all factors on the
            first one. None draws the norm against the accuracy, for powers of the prior from the
            most probable class (0) to beyond the prior rule (1).
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        **kwargs
            Passed to `plot`.
        """
        check_is_fitted(estimator)
        if getattr(estimator, "decision_", None) is None:
            raise ValueError(
                f"{type(estimator).__name__} has no decision to draw: wrap it in "
                "TunedDecisionClassifier, and fit it to two classes or more."
            )
        if classes is not None and (np.shape(classes) != (2,) or len(set(classes)) != 2):
            raise ValueError(f"classes must be two different classes, got {classes!r}.")
        said, chosen, codes, weight = _rows(estimator, X, y)
        labels = estimator.classes_.tolist()
        logs = np.log(np.maximum(said, np.finfo(float).tiny))
        log_prior = np.log(estimator.decision_.target)
        if classes is None:
            names = ("accuracy", "confusion norm")
            tried = [logs - power * log_prior for power in _POWERS]
            marked = {"chosen": chosen, "most probable class": logs, "prior rule": logs - log_prior}
        else:
            one, other = (_position(labels, label) for label in classes)
            names = (f"recall of {classes[0]}", f"recall of {classes[1]}")
            for label, k in zip(classes, (one, other)):
                if not weight[codes == k].sum() > 0.0:
                    raise ValueError(f"no row is of class {label!r}: its recall cannot be drawn.")
            tried = [chosen + np.eye(len(labels))[one] * step for step in _steps(chosen)]
            marked = {"chosen": chosen}

        def judge(scores: np.ndarray) -> tuple[float, float]:
            answers = scores.argmax(axis=1)
            right = (answers == codes) * weight
            if classes is None:
                norm = confusion_norm(codes, answers, sample_weight=weight)
                return float(right.sum() / weight.sum()), norm
            first, second = (
                float(right[codes == k].sum() / weight[codes == k].sum()) for k in (one, other)
            )
            return first, second

        points = {name: judge(scores) for name, scores in marked.items()}
        display = cls([judge(scores) for scores in tried], points, names=names)
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, *, title: str | None = None) -> DecisionTradeDisplay:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        title : str or None
            Replaces the headline.
        """
        if ax is None:
            (ax,) = fresh_axes(5.6, 4.4)
        self.ax_, self.figure_ = ax, ax.figure
        soft_grid(ax)
        ax.plot(*self.curve.T, color=BLUE, linewidth=1.8, zorder=3)
        places = np.array(list(self.points.values()))
        colours = [ORANGE, *[INK] * (len(places) - 1)]
        ax.scatter(*places.T, c=colours, s=36, zorder=5)
        ax.margins(0.08)
        ax.autoscale_view()
        self.text_ = name_points(ax, places, list(self.points), colours, self.curve)
        ax.set_xlabel(self.names[0], color=MUTED, fontsize=9)
        ax.set_ylabel(self.names[1], color=MUTED, fontsize=9)
        x, y = places[0]
        headline(
            ax,
            title or f"{self.names[1].capitalize()} against {self.names[0]}",
            f"chosen: {self.names[0]} {x:.3f}, {self.names[1]} {y:.3f}",
        )
        return self


def _rows(estimator: Any, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities, scores of the decision, class codes and weights of the rows to evaluate on."""
    if X is None and y is not None:
        raise ValueError("y is given without X: the rows to evaluate on are not known.")
    if X is None:
        rows, rule = estimator.unseen_, estimator.decision_
        said = rule.posterior(rows.probabilities)
        return said, rule.scores(rows.probabilities), rows.codes, rows.weight
    if y is None:
        raise ValueError("X is given without y: the recalls of its rows cannot be known.")
    scores = estimator.decision_function(X)
    if scores.ndim == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    labels = estimator.classes_.tolist()
    codes = np.array([_position(labels, label) for label in np.asarray(y).tolist()])
    check_consistent_length(scores, codes)
    return estimator.predict_proba(X), scores, codes, np.ones(len(codes))


def _steps(scores: np.ndarray) -> np.ndarray:
    """What is added to the scores of one class: from never to always predicting it."""
    widest = float(np.ptp(scores, axis=1).max()) + 1e-6
    return np.linspace(-widest, widest, 201)


def _position(labels: list[Any], label: Any) -> int:
    if label not in labels:
        raise ValueError(f"there is no class {label!r}; the classes are {labels[:10]}.")
    return labels.index(label)
