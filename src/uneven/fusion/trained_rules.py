"""Rules that learn a little from the scores of the members on labelled rows.

Decision templates learn the typical scores of each class: a row gets the class whose typical scores
its own scores resemble. Rules that learn how much each member counts are in ``weighted_rules.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, Self

import numpy as np
from scipy.special import softmax

from uneven.fusion.output_codes import CODES, OutputCodeRule
from uneven.fusion.rules import check_labels, check_member_scores, check_same_members
from uneven.fusion.weighted_rules import (
    GreedySelection,
    MinimumClassificationError,
    NonNegativeLeastSquares,
    WeightedRule,
)
from uneven.utils.model_types import check_numbers, persisted

_LARGEST_DISTANCE = 1e300


class TrainedRule(Protocol):
    """What all rules that learn have in common."""

    def fit(self, P: Any, y: Any, share: Any = None) -> Self:
        """Learn from scores (n_samples, n_members, n_classes) and class positions."""

    def scores(self, P: Any) -> np.ndarray:
        """Score of each class, shape (n_samples, n_classes)."""


@persisted("decision_templates", role="rule")
@dataclass
class DecisionTemplates:
    """The mean scores of each class, and how near a row comes to them.

    With T_n the mean of the (n_members, n_classes) scores of the training rows of class n, and p
    those of a row, ``score_n = 1 - mean((T_n - p) ** 2)``, the mean over members and classes: the
    nearest mean in the space of scores, a linear rule.

    Attributes
    ----------
    templates : ndarray of shape (n_classes, n_members, n_classes)
        Mean scores of the rows of each class; set by :meth:`fit`.

    Notes
    -----
    The source uses one index both for the class of the template and for the class that is summed
    over; they are different. Members that abstain in a row are left out of its mean.

    References
    ----------
    L. I. Kuncheva, J. C. Bezdek and R. P. W. Duin (2001), *Decision templates for multiple
    classifier fusion*. M. U. Sen (2011), *Max-margin stacking with group sparse regularization for
    classifier combination*, chapter 2.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([[[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.5, 0.5]]])
    >>> rule = DecisionTemplates().fit(P, [0, 1])
    >>> rule.scores([[[0.9, 0.1], [0.5, 0.5]]]).round(4)
    array([[0.995, 0.755]])
    """

    templates: np.ndarray | None = None

    def fit(self, P: Any, y: Any, share: Any = None) -> Self:
        """Learn the templates.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)
        y : array-like of int, shape (n_samples,)
            Positions of the classes; each must be there.
        share : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self : object
        """
        P, has_scores = check_member_scores(P)
        y, share = check_labels(y, share, P.shape)
        belongs = (y[:, None] == np.arange(P.shape[2])) * share[:, None]
        if not belongs.any(axis=0).all():
            raise ValueError(
                f"class {int(belongs.sum(axis=0).argmin())} has no training row with weight: a "
                "decision template is the mean of the rows of a class, so each needs at least one."
            )
        mass = belongs.T @ has_scores
        if not mass.all():
            label, member = np.argwhere(mass == 0.0)[0]
            raise ValueError(
                f"member {member} is silent in every training row of class {label}: leave it out, "
                "or use a rule without templates."
            )
        filled = np.where(has_scores[:, :, None], P, 0.0)
        sums = (belongs.T @ filled.reshape(len(P), -1)).reshape(-1, *P.shape[1:])
        self.templates = sums / mass[:, :, None]
        return self

    def scores(self, P: Any) -> np.ndarray:
        """How near the rows come to each template.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            At most 1; zeros where all members abstain.
        """
        distance, has_scores = self._distances(P)
        counts = has_scores.sum(axis=1)[:, None]
        far = distance.sum(axis=1) / (np.maximum(counts, 1) * distance.shape[2])
        return np.where(counts > 0, 1.0 - far, 0.0)

    def _distances(self, P: Any) -> tuple[np.ndarray, np.ndarray]:
        """Squared distance of each member's scores to its row of each template, and who takes part.

        Returns
        -------
        distance : ndarray of shape (n_samples, n_members, n_classes)
            0 for members that abstain.
        has_scores : ndarray of bool, shape (n_samples, n_members)
        """
        if self.templates is None:
            raise ValueError("the rule has not learnt any templates yet: call fit first.")
        P, has_scores = check_member_scores(P)
        check_same_members(P.shape, *self.templates.shape[1:])
        filled = np.where(has_scores[:, :, None], P, 0.0)
        distance = np.empty_like(filled)
        for label, template in enumerate(self.templates):
            with np.errstate(over="ignore"):
                distance[:, :, label] = ((filled - template) ** 2).sum(axis=2)
        distance[~has_scores] = 0.0
        return np.minimum(distance, _LARGEST_DISTANCE), has_scores

    def _check_model_(self, n_members: int, n_classes: int) -> None:
        """Refuse loaded templates of other members or classes."""
        shape = (n_classes, n_members, n_classes)
        check_numbers(self.templates, shape, "templates", signed=True)


@persisted("dempster_shafer", role="rule")
@dataclass
class DempsterShafer(DecisionTemplates):
    """Dempster-Shafer: each member's nearness to the templates becomes a belief; beliefs multiply.

    With d_nm the squared distance of member m's scores to its row of the template of class n,

    - nearness: phi_nm is 1 / (1 + d_nm), divided by its sum over the classes;
    - doubt about the others: q_nm is the product of 1 - phi_km over the classes k other than n;
    - belief: b_nm = phi_nm q_nm / (1 - phi_nm (1 - q_nm));
    - score_n is proportional to the product of b_nm over the members.

    Attributes
    ----------
    templates : ndarray of shape (n_classes, n_members, n_classes)
        Mean scores of the rows of each class; set by :meth:`fit`.

    Notes
    -----
    Everything is computed in logarithms: the product over a hundred members would vanish.

    References
    ----------
    G. Rogova (1994), *Combining the results of several neural network classifiers*. M. U. Sen
    (2011), *Max-margin stacking with group sparse regularization for classifier combination*,
    chapter 2.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([[[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.5, 0.5]]])
    >>> rule = DempsterShafer().fit(P, [0, 1])
    >>> rule.scores([[[0.9, 0.1], [0.5, 0.5]]]).round(4)
    array([[0.7903, 0.2097]])
    """

    def fit(self, P: Any, y: Any, share: Any = None) -> Self:
        """Learn the templates; see :meth:`DecisionTemplates.fit`."""
        if np.ndim(P) == 3 and np.shape(P)[2] == 1:
            raise ValueError(
                "Dempster-Shafer weighs a class against others, but there is only one."
            )
        return super().fit(P, y, share)

    def scores(self, P: Any) -> np.ndarray:
        """Joint belief in each class.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_members, n_classes)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1; zeros where all members abstain.
        """
        distance, has_scores = self._distances(P)
        joint = np.where(has_scores[:, :, None], _log_beliefs(distance), 0.0).sum(axis=1)
        return np.where(has_scores.any(axis=1, keepdims=True), softmax(joint, axis=1), 0.0)


def _log_beliefs(distance: np.ndarray) -> np.ndarray:
    """Logarithms of the beliefs of the members, shape (n_samples, n_members, n_classes)."""
    near = 1.0 / (1.0 + distance)
    total = np.log(near.sum(axis=2, keepdims=True))
    for_class, against = np.log(near) - total, np.log(_sum_of_others(near)) - total
    doubt_others = against.sum(axis=2, keepdims=True) - against
    claim = for_class + doubt_others
    return np.asarray(claim - np.logaddexp(against, claim))


def _sum_of_others(values: np.ndarray) -> np.ndarray:
    """For each class the sum over all other classes, without taking a difference."""
    others = np.zeros_like(values)
    others[:, :, 1:] = np.cumsum(values[:, :, :-1], axis=2)
    others[:, :, :-1] += np.cumsum(values[:, :, :0:-1], axis=2)[:, :, ::-1]
    return others


TRAINED_RULES: dict[str, Callable[[], TrainedRule]] = {
    "decision_templates": DecisionTemplates,
    "dempster_shafer": DempsterShafer,
    "greedy": GreedySelection,
    "mce": MinimumClassificationError,
    "nnls": NonNegativeLeastSquares,
    **{code: partial(OutputCodeRule, code) for code in CODES},
    "weighted_mean": lambda: WeightedRule("weighted_mean"),
    "weighted_product": lambda: WeightedRule("weighted_product"),
}
"""How to make each rule that learns."""
