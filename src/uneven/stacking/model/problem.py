"""The convex problem behind a combination, loss plus penalty, and the weights that solve it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from uneven.stacking.model.combinations import COMBINATIONS, Combination
from uneven.stacking.model.losses import Loss
from uneven.stacking.model.penalties import Penalty, SparsePenalty

__all__ = ["LinearCombiner", "Problem"]


_ZERO, _ROUNDING = 1e-6, 1e-10


@dataclass
class LinearCombiner:
    """Weights of many classifiers, and how well they solve their problem.

    Attributes
    ----------
    combination : {"ws", "cws", "lsg"}
    coef : ndarray of shape (n_members, width)
        One row per classifier: 1, n_classes or n_classes ** 2 weights.
    intercept : ndarray of shape (n_classes,) or (0,)
    objective : float
        Loss plus strength times penalty.
    gap : float
        Bound on how much lower the objective could be, at weights up to ten times as large as the
        largest found; infinite if the solver gives none.
    n_iter : int
    converged : bool
    solver : str
    multipliers : ndarray of shape (n_samples, n_classes) or None
        Gradient of the loss in the scores of the training rows, for warm starts on these rows.

    Examples
    --------
    >>> import numpy as np
    >>> combiner = LinearCombiner("ws", np.array([[2.0], [0.0]]), np.zeros(0))
    >>> combiner.selected
    array([ True, False])
    >>> combiner.predict(np.array([[[0.2, 0.8], [0.9, 0.1]]]))
    array([1])
    """

    combination: str
    coef: np.ndarray
    intercept: np.ndarray
    objective: float = float("nan")
    gap: float = float("inf")
    n_iter: int = 0
    converged: bool = True
    solver: str = ""
    multipliers: np.ndarray | None = None

    @property
    def selected(self) -> np.ndarray:
        """Classifiers with a weight that is not zero, bool of shape (n_members,)."""
        largest = np.abs(self.coef).max(axis=1, initial=0.0)
        return np.asarray(largest > max(_ZERO * largest.max(initial=0.0), _ROUNDING))

    def scores(self, scores: np.ndarray) -> np.ndarray:
        """Combined scores of new rows.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_members, n_classes)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return COMBINATIONS[self.combination](scores).scores(self.coef, self.intercept)

    def predict(self, scores: np.ndarray) -> np.ndarray:
        """Class with the largest combined score; the first one of several.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_members, n_classes)

        Returns
        -------
        ndarray of int, shape (n_samples,)
        """
        return np.asarray(self.scores(scores).argmax(axis=1))

    def restrict(self, members: np.ndarray) -> LinearCombiner:
        """The same weights of some classifiers, ready to be stored.

        Parameters
        ----------
        members : ndarray of int or bool
            Usually :attr:`selected`.
        """
        return replace(self, coef=self.coef[members], multipliers=None)


_FLOOR, _LEAST_REACH, _REACH = 1e-2, 100.0, 10.0


@dataclass
class Problem:
    """``loss(scores(coef, intercept)) + strength * penalty(coef)``, to be minimised.

    Attributes
    ----------
    design : Combination
    loss : Loss
    penalty : Penalty
    strength : float
    scale : float, default=1.0
        What the scores were divided by, so that weights are neither huge nor tiny.
    """

    design: Combination
    loss: Loss
    penalty: Penalty
    strength: float
    scale: float = 1.0

    def at_strength(self, strength: float) -> Problem:
        """The same problem with this strength, which is meant for the scores as they were.

        With scores divided by s, weights are s times as large: norms pay ``strength / s`` for them,
        squares ``strength / s^2``.
        """
        if not isinstance(self.penalty, SparsePenalty):
            return replace(self, strength=strength / self.scale**2)
        penalty = type(self.penalty)(self.penalty.ridge / self.scale)
        return replace(self, penalty=penalty, strength=strength / self.scale)

    def objective(self, coef: np.ndarray, scores: np.ndarray) -> float:
        """Value at weights whose combined scores are known."""
        return self.loss.value(scores) + self.strength * self.penalty.value(coef)

    def bound(self, multipliers: np.ndarray, coef: np.ndarray, intercept: np.ndarray) -> float:
        """How low the objective can get, by weak duality.

        Parameters
        ----------
        multipliers : ndarray of shape (n_samples, n_classes)
            A gradient of the loss in the scores.
        coef, intercept : ndarray
            Weights found so far. Where multipliers do not balance the intercept, or a tiny
            strength, to the last digit, the bound holds for weights up to ten times as large.
        """
        pull, rest = self.design.adjoint(multipliers)
        gain, cost = self.loss.conjugate(multipliers)
        bound = self.penalty.dual(pull, gain, cost, self.strength, self.reach(coef))
        return bound - self.reach(intercept) * float(np.abs(rest).sum())

    @staticmethod
    def reach(weights: np.ndarray) -> float:
        """Size of weights beyond which the bound does not look."""
        return 1.0 + _REACH * float(
            np.linalg.norm(np.atleast_2d(weights), axis=-1).max(initial=0.0)
        )

    def tolerance(self, tol: float, objective: float) -> float:
        """Gap that ends a search: relative, but not to less than a hundredth."""
        return tol * max(objective, _FLOOR)

    def combiner(
        self,
        coef: np.ndarray,
        intercept: np.ndarray,
        *,
        multipliers: np.ndarray | None,
        n_iter: int,
        tol: float,
        solver: str,
    ) -> LinearCombiner:
        """The weights with their certificate."""
        objective = self.objective(coef, self.design.scores(coef, intercept))
        gap = (
            np.inf if multipliers is None else objective - self.bound(multipliers, coef, intercept)
        )
        return LinearCombiner(
            self.design.name,
            coef,
            intercept,
            objective,
            float(max(gap, 0.0)),
            n_iter,
            bool(gap <= self.tolerance(tol, objective)),
            solver,
            multipliers,
        )
