"""Probabilities of the true classes of rows with noisy labels, from out-of-bag votes.

With the noise matrix ``C`` and the observed label ``y`` of a row, Bayes' rule gives
``P(q | x, y)`` in proportion to ``C[y, q] P(q | x)``. ``P(q | x)`` is in proportion to a power of
the share of class ``q`` in the out-of-bag votes, times a factor per class. The factors make the
mean of ``P(q | x)`` the frequency of the true class, which follows from the inverse of ``C``; the
power is the one under which the observed labels are most likely.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uneven.costs.expected import true_mass

_POWERS = (1.0, 2.0, 4.0, 8.0)
_STEPS = 20


@dataclass(frozen=True, eq=False)
class LabelNoise:
    """A noise matrix and the labels of the rows.

    Attributes
    ----------
    signals : ndarray of int, shape (n_samples,)
        Label of each row; ``n_classes`` is added to labels that are certain.
    chances : ndarray of shape (2 * n_classes, n_classes)
        Probability of each signal if a class is true.
    prior : ndarray of shape (n_classes,)
        Frequencies of the true classes.

    Examples
    --------
    >>> noise = np.array([[0.9, 0.3], [0.1, 0.7]])
    >>> labels = LabelNoise.of(
    ...     noise, np.linalg.inv(noise), np.array([0, 1]), np.ones(2), np.array([False, True])
    ... )
    >>> labels.prior.round(2)
    array([0.33, 0.67])
    >>> labels.posteriors(np.array([[0.0, 4.0], [3.0, 1.0]]), np.ones(2)).round(2)
    array([[0.18, 0.82],
           [0.  , 1.  ]])
    """

    signals: np.ndarray
    chances: np.ndarray
    prior: np.ndarray

    @classmethod
    def of(
        cls,
        noise: np.ndarray,
        inverse: np.ndarray,
        y: np.ndarray,
        mass: np.ndarray,
        clean: np.ndarray | None,
    ) -> LabelNoise:
        """Estimate the frequencies of the true classes.

        Parameters
        ----------
        noise, inverse : ndarray of shape (n_classes, n_classes)
            Noise matrix (column = true class) and its inverse.
        y : ndarray of int, shape (n_samples,)
        mass : ndarray of shape (n_samples,)
        clean : ndarray of bool, shape (n_samples,), or None
            Rows whose label is certain.
        """
        n_classes = len(noise)
        sure = np.zeros(len(y), dtype=bool) if clean is None else clean
        observed = np.bincount(y, mass, n_classes)
        known = np.bincount(y, mass * sure, n_classes)
        true = true_mass(observed, known, inverse, len(y))
        chances = np.vstack([noise, np.eye(n_classes)])
        return cls(y + n_classes * sure, chances, true / true.sum())

    def equals(self, other: LabelNoise) -> bool:
        """Whether the same is known of the same labels."""
        return np.array_equal(self.signals, other.signals) and np.array_equal(
            self.chances, other.chances
        )

    def posteriors(self, votes: np.ndarray, mass: np.ndarray) -> np.ndarray:
        """Probability of every true class given label and votes, shape (n_samples, n_classes).

        Parameters
        ----------
        votes : ndarray of shape (n_samples, n_classes)
            Sums of vote shares; one more vote is spread evenly over the classes.
        mass : ndarray of shape (n_samples,)
        """
        shares = votes + 1.0 / votes.shape[1]
        logs = np.log(shares / shares.sum(axis=1, keepdims=True))
        likely, best = self.chances[self.signals], (-np.inf, np.empty(0))
        for power in _POWERS:
            believed = self._believed(np.exp(power * logs), mass)
            joint = believed * likely
            chance = np.maximum(joint.sum(axis=1), np.finfo(float).tiny)
            best = max(best, (float(mass @ np.log(chance)), joint), key=lambda one: one[0])
        return np.asarray(best[1] / best[1].sum(axis=1, keepdims=True))

    def _believed(self, odds: np.ndarray, mass: np.ndarray) -> np.ndarray:
        """Probabilities in proportion to odds times a factor per class, with the prior as mean."""
        factors = self.prior.copy()
        for _ in range(_STEPS):
            believed = odds * factors
            believed /= believed.sum(axis=1, keepdims=True)
            factors *= self.prior / (mass @ believed / mass.sum())
        return np.asarray(believed)
