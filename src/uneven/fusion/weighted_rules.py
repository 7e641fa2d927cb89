"""Fixed rules with all that they need, and weighted means whose weights are learnt.

Weights come from accuracies, from a greedy search, from least squares, or from a smooth count of
mistakes; all but the first leave members out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize, nnls
from scipy.special import expit, softmax

from uneven.fusion.rules import check_labels, check_member_scores, check_percent, join_scores, mean
from uneven.utils.model_types import persisted

_ROUNDS, _LEAST = 50, 1e-4


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
        Accuracy in the rows with scores of the member, less one over the number of classes, and
        at least 0; divided by the mean. All 1 if no member does better than chance.

    Examples
    --------
    >>> P = [[[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.7, 0.3]]]
    >>> accuracy_weights(P, [0, 1])
    array([2., 0.])
    """
    P, has_scores = check_member_scores(P)
    y, share = check_labels(y, share, P.shape)
    right = has_scores & (np.where(has_scores[:, :, None], P, 0.0).argmax(axis=2) == y[:, None])
    coverage = share @ has_scores
    accuracy = (share @ right) / np.where(coverage > 0.0, coverage, 1.0)
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


@persisted("greedy_selection", role="rule")
@dataclass
class GreedySelection(WeightedRule):
    """Ensemble selection: add, again and again, the member that helps the mean most.

    Members are drawn with replacement; how often one was drawn is its weight. Of all rounds the one
    with the lowest loss counts, so that few members can stay.

    Attributes
    ----------
    rule : str
        "weighted_mean".
    weights : ndarray of shape (n_members,)
        Add up to 1; set by :meth:`fit`.
    loss : {"log", "error"}
        What is lowered: log-loss (probabilities of less than 1e-4 count as that), or the share of
        misclassifications, ties settled by the log-loss.
    rounds : int

    References
    ----------
    R. Caruana, A. Niculescu-Mizil, G. Crew and A. Ksikes (2004), *Ensemble selection from libraries
    of models*.

    Examples
    --------
    >>> P = [[[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.7, 0.3]]]
    >>> GreedySelection().fit(P, [0, 1]).weights
    array([1., 0.])
    """

    rule: str = "weighted_mean"
    loss: str = "log"
    rounds: int = _ROUNDS

    def fit(self, P: Any, y: Any, share: Any = None) -> Self:
        """Choose the members.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)
        y : array-like of int, shape (n_samples,)
        share : array-like of shape (n_samples,), optional

        Returns
        -------
        self : object
        """
        P = _without_silence(P)
        y, share = check_labels(y, share, P.shape)
        judge = _judges(P, y, share, self.loss)
        counts, total = np.zeros(P.shape[1]), np.zeros((len(P), P.shape[2]))
        best, chosen = (np.inf, np.inf), counts
        for done in range(1, self.rounds + 1):
            found = [judge((total + P[:, m]) / done) for m in range(P.shape[1])]
            member = min(range(len(found)), key=found.__getitem__)
            total += P[:, member]
            counts[member] += 1.0
            if found[member] < best:
                best, chosen = found[member], counts / done
        self.weights = chosen
        return self


def _judges(
    P: np.ndarray, y: np.ndarray, share: np.ndarray, loss: str
) -> Callable[[np.ndarray], tuple[float, float]]:
    """What a mean of scores, shape (n_samples, n_classes), costs."""
    rows = np.arange(len(y))
    level = P.min() < 0.0

    def judge(mean: np.ndarray) -> tuple[float, float]:
        wrong = float(share @ (mean.argmax(axis=1) != y))
        if level:
            return wrong, -float(share @ mean[rows, y])
        total = np.maximum(mean.sum(axis=1), _LEAST)
        surprise = -float(share @ np.log(np.maximum(mean[rows, y] / total, _LEAST)))
        return (wrong, surprise) if loss == "error" else (surprise, wrong)

    return judge


@persisted("nonnegative_least_squares", role="rule")
@dataclass
class NonNegativeLeastSquares(WeightedRule):
    """Weights of the members, none below zero, with the smallest squared error of their sum.

    Many weights are zero without any penalty.

    Attributes
    ----------
    rule : str
        "weighted_mean".
    weights : ndarray of shape (n_members,)
        Set by :meth:`fit`; all 1 where no weights help.

    References
    ----------
    L. Breiman (1996), *Stacked regressions*. K. M. Ting and I. H. Witten (1999), *Issues in stacked
    generalization*.

    Examples
    --------
    >>> P = [[[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.7, 0.3]]]
    >>> NonNegativeLeastSquares().fit(P, [0, 1]).weights.round(2)
    array([1.13, 0.  ])
    """

    rule: str = "weighted_mean"

    def fit(self, P: Any, y: Any, share: Any = None) -> Self:
        """Find the weights.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)
        y : array-like of int, shape (n_samples,)
        share : array-like of shape (n_samples,), optional

        Returns
        -------
        self : object
        """
        P = _without_silence(P)
        y, share = check_labels(y, share, P.shape)
        root = np.sqrt(share)[:, None]
        table = (P * root[:, :, None]).transpose(0, 2, 1).reshape(-1, P.shape[1])
        aims = ((y[:, None] == np.arange(P.shape[2])) * root).ravel()
        found = nnls(table, aims)[0]
        self.weights = found if found.any() else np.ones(P.shape[1])
        return self


@persisted("minimum_classification_error", role="rule")
@dataclass
class MinimumClassificationError(WeightedRule):
    """Weights of the members, none below zero, with the fewest mistakes, smoothly counted.

    A mistake counts ``1 / (1 + exp(steepness * margin))``, the margin being that between the true
    class and the best wrong one, in shares of the weights. The count is not convex; the search
    begins at equal weights.

    Attributes
    ----------
    rule : str
        "weighted_mean".
    weights : ndarray of shape (n_members,)
        Add up to 1; set by :meth:`fit`.
    steepness : float

    References
    ----------
    B.-H. Juang and S. Katagiri (1992), *Discriminative learning for minimum error classification*.
    N. Ueda (2000), *Optimal linear combination of neural networks for improving classification
    performance*.

    Examples
    --------
    >>> P = [[[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.7, 0.3]]]
    >>> MinimumClassificationError().fit(P, [0, 1]).weights.round(2)
    array([1., 0.])
    """

    rule: str = "weighted_mean"
    steepness: float = 10.0

    def fit(self, P: Any, y: Any, share: Any = None) -> Self:
        """Lower the smooth count of mistakes.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)
        y : array-like of int, shape (n_samples,)
        share : array-like of shape (n_samples,), optional

        Returns
        -------
        self : object
        """
        P = _without_silence(P)
        y, share = check_labels(y, share, P.shape)
        rows = np.arange(len(y))
        own, n_members = P[rows, :, y], P.shape[1]

        def count(logits: np.ndarray) -> tuple[float, np.ndarray]:
            weights = softmax(logits)
            joined = np.tensordot(P, weights, (1, 0))
            joined[rows, y] = -np.inf
            apart = own - P[rows, :, joined.argmax(axis=1)]
            wrong = expit(-self.steepness * (apart @ weights))
            slope = -self.steepness * (share * wrong * (1.0 - wrong)) @ apart
            return float(share @ wrong), weights * (slope - slope @ weights)

        found = minimize(count, np.zeros(n_members), jac=True, method="L-BFGS-B")
        weights = softmax(found.x)
        weights[weights < _LEAST] = 0.0
        self.weights = weights / weights.sum()
        return self


def _without_silence(P: Any) -> np.ndarray:
    """Checked scores in which members without scores get the mean of the others."""
    P, has_scores = check_member_scores(P)
    return P if has_scores.all() else np.where(has_scores[:, :, None], P, mean(P)[:, None])
