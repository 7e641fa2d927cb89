"""Rules that learn a little from the scores of the members on labelled rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from uneven.fusion.opinions import check_labels, check_opinions
from uneven.fusion.rules import check_percent, join_scores
from uneven.fusion.templates import DecisionTemplates, DempsterShafer
from uneven.utils.model_types import persisted

__all__ = ["TRAINED_RULES", "FixedRule", "TrainedRule", "WeightedRule", "accuracy_weights"]


class TrainedRule(Protocol):
    """What all rules that learn have in common."""

    def fit(self, P: Any, y: Any, share: Any = None) -> Self:
        """Learn from scores (n_samples, n_members, n_classes) and class positions."""

    def scores(self, P: Any) -> np.ndarray:
        """Score of each class, shape (n_samples, n_classes)."""


def accuracy_weights(P: Any, y: Any, share: Any = None) -> np.ndarray:
    """Weigh every member by how much better than chance it does.

    Parameters
    ----------
    P : array-like of shape (n_samples, n_members, n_classes)
        Scores on rows that the members did not learn from.
    y : array-like of int, shape (n_samples,)
        Positions of the classes.
    share : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    ndarray of shape (n_members,)
        Accuracy in the rows in which the member speaks, less one over the number of classes, and
        at least 0; divided by the mean. All 1 if nobody does better than chance.

    Examples
    --------
    >>> P = [[[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.7, 0.3]]]
    >>> accuracy_weights(P, [0, 1])
    array([2., 0.])
    """
    P, heard = check_opinions(P)
    y, share = check_labels(y, share, P.shape)
    right = heard & (np.where(heard[:, :, None], P, 0.0).argmax(axis=2) == y[:, None])
    spoken = share @ heard
    accuracy = (share @ right) / np.where(spoken > 0.0, spoken, 1.0)
    gain = np.maximum(0.0, accuracy - 1.0 / P.shape[2])
    return gain / gain.mean() if gain.any() else np.ones(P.shape[1])


@persisted("fixed_rule", role="rule")
@dataclass
class FixedRule:
    """A rule with all that it needs, ready to join scores.

    Attributes
    ----------
    rule : str
        A name that :func:`~uneven.fusion.rules.join_scores` knows.
    weights : ndarray of shape (n_members,) or None
        For weighted rules.
    percent : float
        For the trimmed mean.

    Examples
    --------
    >>> FixedRule("minimum").scores([[[0.9, 0.1], [0.6, 0.4]]])
    array([[0.6, 0.1]])
    """

    rule: str
    weights: np.ndarray | None = None
    percent: float = 25.0

    def scores(self, P: Any) -> np.ndarray:
        """Join scores by the rule.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return join_scores(P, self.rule, self.weights, self.percent)

    def _check_model_(self, n_members: int, n_classes: int) -> None:
        """Refuse a loaded rule that cannot join the scores of so many members."""
        check_percent(self.percent)
        self.scores(np.ones((1, n_members, n_classes)))


@persisted("weighted_rule", role="rule")
@dataclass
class WeightedRule(FixedRule):
    """A weighted mean or product, with weights from accuracies.

    Attributes
    ----------
    rule : {"weighted_mean", "weighted_product"}
    weights : ndarray of shape (n_members,)
        See :func:`accuracy_weights`; set by :meth:`fit`.

    References
    ----------
    M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
    combination*, chapter 2; how weights follow from accuracies is our choice.

    Examples
    --------
    >>> P = [[[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.7, 0.3]]]
    >>> WeightedRule("weighted_mean").fit(P, [0, 1]).scores(P)
    array([[0.9, 0.1],
           [0.2, 0.8]])
    """

    def fit(self, P: Any, y: Any, share: Any = None) -> Self:
        """Learn the weights.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)
        y : array-like of int, shape (n_samples,)
        share : array-like of shape (n_samples,), optional

        Returns
        -------
        self : object
        """
        self.weights = accuracy_weights(P, y, share)
        return self


TRAINED_RULES: dict[str, Callable[[], TrainedRule]] = {
    "decision_templates": DecisionTemplates,
    "dempster_shafer": DempsterShafer,
    "weighted_mean": lambda: WeightedRule("weighted_mean"),
    "weighted_product": lambda: WeightedRule("weighted_product"),
}
"""How to make each rule that learns."""
