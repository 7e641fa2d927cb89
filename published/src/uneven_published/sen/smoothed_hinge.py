"""The multi-class hinge made smooth: a soft maximum over the wrong classes, a rounded corner."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from uneven.stacking.model.combinations import ClassWeightedSum
from uneven.stacking.model.penalties import Penalty
from uneven.utils.parameters import check_choice

_CURVATURES = ("optimal", "maximum")


@dataclass(frozen=True)
class SmoothedHinge:
    r"""The hinge of Crammer and Singer, twice smoothed.

    The largest wrong score becomes a soft maximum of temperature κ, so that the margin of a row
    with scores ``s`` and true class ``y`` is :math:`z = s_y - \log(\sum_{n \ne y} e^{κ s_n})/κ`.
    The corner of ``max(0, 1 - z)`` becomes a parabola between 1 - τ and 1 + τ. The loss is never
    below the hinge; it exceeds it by at most τ/4 + log(N - 1)/κ, N being the number of classes.

    Parameters
    ----------
    tau : float, default=0.5
        Half the width of the rounded corner, above 0.
    temperature : float, default=1.0
        κ, above 0. The larger it is, the closer the soft maximum is to the maximum.

    References
    ----------
    M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
    combination*, MSc thesis, Sabanci University. Correction: at 1 - τ and 1 + τ exactly, the slope
    and the curvature are those of the neighbouring pieces, not 0. The temperature is ours; the
    source has 1.

    J. de Leeuw and K. Lange (2009), *Sharp quadratic majorization in one dimension*.

    Examples
    --------
    >>> loss = SmoothedHinge()
    >>> loss.value([0.5, 1.0, 1.5]).tolist()
    [0.5, 0.125, 0.0]
    >>> loss.slope([0.0, 1.0, 2.0]).tolist()
    [-1.0, -0.5, 0.0]
    >>> loss.curvature([0.0, 1.0, 2.0]).tolist()
    [0.5, 1.0, 0.5]
    """

    tau: float = 0.5
    temperature: float = 1.0

    def __post_init__(self) -> None:
        for name, value in (("tau", self.tau), ("temperature", self.temperature)):
            if not 0.0 < value < np.inf:
                raise ValueError(f"{name} must be a finite number above 0, got {value!r}.")

    def margins(self, scores: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Soft margin of every row.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_classes)
        y : ndarray of int, shape (n_samples,)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return scores[np.arange(len(y)), y] - self._soft_maximum(scores, y)

    def value(self, margins: ArrayLike) -> np.ndarray:
        """Loss at every margin."""
        z, tau = np.asarray(margins, dtype=np.float64), self.tau
        rounded = (z - 1.0 - tau) ** 2 / (4.0 * tau)
        return np.where(z <= 1.0 - tau, 1.0 - z, np.where(z > 1.0 + tau, 0.0, rounded))

    def slope(self, margins: ArrayLike) -> np.ndarray:
        """Derivative of the loss at every margin, between -1 and 0."""
        z, tau = np.asarray(margins, dtype=np.float64), self.tau
        return np.clip((z - 1.0 - tau) / (2.0 * tau), -1.0, 0.0)

    def curvature(self, margins: ArrayLike, kind: str = "optimal") -> np.ndarray:
        """Curvature of a parabola that touches the loss at a margin and lies above it elsewhere.

        Parameters
        ----------
        margins : array-like
        kind : {"optimal", "maximum"}, default="optimal"
            The least one that does at this margin, or the least one that does at all margins.

        Returns
        -------
        ndarray of the same shape
        """
        check_choice("curvature", kind, _CURVATURES)
        z = np.asarray(margins, dtype=np.float64)
        if kind == "maximum":
            return np.where(np.isnan(z), np.nan, 0.5 / self.tau)
        return 0.5 / np.maximum(np.abs(z - 1.0), self.tau)

    def score_curvature(self) -> float:
        """Largest second derivative of the loss in any single score."""
        corner, heat = 0.5 / self.tau, self.temperature
        return corner if heat <= 2.0 * corner else heat**2 / (4.0 * (heat - corner))

    def risk(self, scores: np.ndarray, y: np.ndarray, share: np.ndarray) -> float:
        """Weighted mean of the loss.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_classes)
        y : ndarray of int, shape (n_samples,)
        share : ndarray of shape (n_samples,)
            Weights of the rows, sum 1.

        Returns
        -------
        float
        """
        return float(share @ self.value(self.margins(scores, y)))

    def gradient(self, scores: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Derivative of the loss of every row in its scores, shape (n_samples, n_classes)."""
        rows = np.arange(len(y))
        slope = self.slope(self.margins(scores, y))
        away = -slope[:, None] * self._wrong_weights(scores, y)
        away[rows, y] = slope
        return away

    def dual_terms(
        self, scores: np.ndarray, y: np.ndarray, share: np.ndarray
    ) -> tuple[float, float]:
        """What the gradient, made smaller by a factor c, proves about the smallest objective.

        The dual objective at c times the gradient is a c - b c², before the penalty's part.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_classes)
        y : ndarray of int, shape (n_samples,)
        share : ndarray of shape (n_samples,)

        Returns
        -------
        a, b : float
        """
        fall = -self.slope(self.margins(scores, y))
        weights = self._wrong_weights(scores, y)
        logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0.0)
        entropy = -(weights * logs).sum(axis=1) / self.temperature
        return float(share @ (fall * (1.0 + self.tau + entropy))), float(self.tau * share @ fall**2)

    def _soft_maximum(self, scores: np.ndarray, y: np.ndarray) -> np.ndarray:
        wrong = self._wrong(scores, y)
        top = wrong.max(axis=1)
        return (top + np.log(np.exp(wrong - top[:, None]).sum(axis=1))) / self.temperature

    def _wrong_weights(self, scores: np.ndarray, y: np.ndarray) -> np.ndarray:
        wrong = self._wrong(scores, y)
        weights = np.exp(wrong - wrong.max(axis=1)[:, None])
        return np.asarray(weights / weights.sum(axis=1)[:, None])

    def _wrong(self, scores: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Scores times temperature, -inf at the true class."""
        wrong = self.temperature * np.asarray(scores, dtype=np.float64)
        wrong[np.arange(len(y)), y] = -np.inf
        return wrong


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
