"""Class weights under a smoothed margin loss: the objective, and how far it is from its optimum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from uneven.stacking.model.combinations import ClassWeightedSum
from uneven.stacking.model.penalties import Penalty
from uneven.stacking.smoothed_hinge import SmoothedHinge

__all__ = ["SmoothedProblem"]


@dataclass
class SmoothedProblem:
    """Minimise the smoothed hinge of class-weighted sums plus a penalty.

    Rows are sorted by class.

    Attributes
    ----------
    combination : ClassWeightedSum
        Bound to the level-1 scores of the rows.
    y : ndarray of int, shape (n_samples,)
        In ascending order.
    share : ndarray of shape (n_samples,)
        Weights of the rows, sum 1.
    hinge : SmoothedHinge
    penalty : Penalty
    strength : float

    Examples
    --------
    >>> import numpy as np
    >>> from uneven.stacking.model.penalties import L1
    >>> P = np.array([[[0.2, 0.8]], [[0.9, 0.1]]])
    >>> y, share = np.array([1, 0]), np.array([0.5, 0.5])
    >>> problem = SmoothedProblem.of(P, y, share, SmoothedHinge(), L1(), 0.1)
    >>> problem.y.tolist(), problem.objective(np.zeros((1, 2)))
    ([0, 1], 1.0)
    """

    combination: ClassWeightedSum
    y: np.ndarray
    share: np.ndarray
    hinge: SmoothedHinge
    penalty: Penalty
    strength: float

    @classmethod
    def of(
        cls,
        P: np.ndarray,
        y: np.ndarray,
        share: np.ndarray,
        hinge: SmoothedHinge,
        penalty: Penalty,
        strength: float,
    ) -> SmoothedProblem:
        """The problem with its rows sorted by class.

        Parameters
        ----------
        P : ndarray of shape (n_samples, n_members, n_classes)
        y : ndarray of int, shape (n_samples,)
        share : ndarray of shape (n_samples,)
        hinge : SmoothedHinge
        penalty : Penalty
        strength : float
        """
        order = np.argsort(y, kind="stable")
        return cls(ClassWeightedSum(P[order]), y[order], share[order], hinge, penalty, strength)

    @cached_property
    def bounds(self) -> np.ndarray:
        """The rows of class k are ``bounds[k]`` to ``bounds[k + 1]``, shape (n_classes + 1,)."""
        return np.searchsorted(self.y, np.arange(self.combination.n_classes + 1))

    @cached_property
    def mean_squares(self) -> np.ndarray:
        """Mean squared score of every classifier for every class, shape (n_members, n_classes)."""
        return np.einsum("nmi,nmi,i->mn", *[self.combination.by_class] * 2, self.share)

    def scores(self, coef: np.ndarray) -> np.ndarray:
        """Combined scores, shape (n_samples, n_classes)."""
        return self.combination.scores(coef, np.zeros(0))

    def objective(self, coef: np.ndarray) -> float:
        """Smoothed loss plus penalty.

        Parameters
        ----------
        coef : ndarray of shape (n_members, n_classes)

        Returns
        -------
        float
        """
        risk = self.hinge.risk(self.scores(coef), self.y, self.share)
        return risk + self.strength * self.penalty.value(coef)

    def gap(self, coef: np.ndarray) -> float:
        """How far the objective is from its minimum at most, by duality; NaN for weights that are.

        Weights that do better cannot be longer than the objective divided by the strength.

        Parameters
        ----------
        coef : ndarray of shape (n_members, n_classes)

        Returns
        -------
        float
        """
        scores = self.scores(coef)
        slope = self.share[:, None] * self.hinge.gradient(scores, self.y)
        gain, cost = self.hinge.dual_terms(scores, self.y, self.share)
        pull, _ = self.combination.adjoint(slope)
        objective = self.objective(coef)
        bound = self.penalty.dual(pull, gain, cost, self.strength, objective / self.strength)
        return max(objective - bound, 0.0)
