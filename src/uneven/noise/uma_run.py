"""The state of a run of UMA: class vectors, scores of the rows, and what has happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.noise.grouped_sums import group_masses, top_classes
from uneven.noise.matrices import NoiseInverse
from uneven.noise.pair_selection import ROUNDING
from uneven.noise.spaces import Space

__all__ = ["HISTORY", "Run"]

HISTORY: dict[str, type] = {
    "predicted": int,
    "true": int,
    "norm": float,
    "mass": float,
    "n_errors": int,
    "risk": float,
}
"""What is noted of each step, and its type."""


@dataclass
class Run:
    """The rows of a run and its class vectors.

    Attributes
    ----------
    space : Space
        Knows the rows and their update vectors.
    labels : CSR array of shape (n_samples, n_classes)
        Weights of the labels, divided by the number of rows.
    noise : NoiseInverse
    coef : ndarray of shape (n_classes, n_features), or (n_classes, n_samples) in a dual space
        The class vectors; changed in place.
    lag : ndarray of the shape of ``coef``
        ``n_steps * coef - lag`` is the sum of the class vectors after each step.
    scores : ndarray of shape (n_samples, n_classes)
        Products of the rows with the class vectors.
    lengths : ndarray of shape (n_samples,)
        Lengths of the rows.
    alpha : float, default=0.0
        Lead that a row needs to count as predicted.
    geometric : bool, default=False
        Whether leads are distances instead of differences of scores.
    n_steps : int, default=0
    latest : int, default=-1
        The pair of the latest step, as ``predicted * n_classes + true``.
    best_step, best_risk, best_top, best_coef : int, float, ndarray, ndarray
        When the estimated error was lowest, how low, the predicted classes at that time, and the
        class vectors (if ``keeps_best``).
    history : dict of str to list
        One entry per step; see `HISTORY`.
    """

    space: Space
    labels: sp.csr_array
    noise: NoiseInverse
    coef: np.ndarray
    lag: np.ndarray
    scores: np.ndarray
    lengths: np.ndarray
    alpha: float = 0.0
    geometric: bool = False
    keeps_best: bool = False
    n_steps: int = 0
    latest: int = -1
    best_step: int = 0
    best_risk: float = np.inf
    best_top: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    best_coef: np.ndarray | None = None
    history: dict[str, list] = field(default_factory=lambda: {name: [] for name in HISTORY})

    def __post_init__(self) -> None:
        """Group the rows by the class that the initial class vectors predict."""
        self._regroup()

    def update(self, tau: np.ndarray, vector: np.ndarray) -> None:
        """Add ``tau[r] * vector`` to each class vector r.

        Parameters
        ----------
        tau : ndarray of shape (n_classes,)
        vector : ndarray of shape (n_features,), or (n_samples,) in a dual space
        """
        change = self.space.scores(vector)
        for r in np.flatnonzero(tau):
            self.coef[r] += tau[r] * vector
            self.lag[r] += (self.n_steps * tau[r]) * vector
            self.scores[:, r] += tau[r] * change
        self.n_steps += 1
        self._regroup()

    def error_set(self, products: np.ndarray, predicted: int, true: int) -> np.ndarray:
        """Classes that outrank the true one on the vector of a pair.

        Parameters
        ----------
        products : ndarray of shape (n_classes,)
            Products of the vector with the class vectors.
        predicted, true : int

        Returns
        -------
        ndarray of int, shape (n_errors,)
            With ``alpha``, they must lead by alpha times the mass of the pair. Rounding is
            forgiven: an exact tie is a mistake.
        """
        needed = self.alpha * max(0.0, self.masses[predicted, true]) if self.coef.any() else 0.0
        leads = products - products[true]
        limits = needed * (self._distances()[:, true] if self.geometric else 1.0)
        slack = self.space.norms[predicted, true] * self._reach
        errors = np.flatnonzero(leads >= limits - slack)
        return errors[errors != true]

    def record(self, **entries: Any) -> None:
        """Note what a step did; see `HISTORY`."""
        for name in HISTORY:
            self.history[name].append(entries[name])

    def told(self) -> str:
        """The latest step in words."""
        latest = {name: values[-1] for name, values in self.history.items()}
        return "  ".join(f"{name} {value:.5g}" for name, value in latest.items())

    def predict(self, coef: np.ndarray) -> np.ndarray:
        """Predicted class of each row by other class vectors.

        Parameters
        ----------
        coef : ndarray of the shape of ``coef``

        Returns
        -------
        ndarray of int, shape (n_samples,)
        """
        scores = self.space.scores(coef)
        return top_classes(scores, slack=self.lengths * self._rounding(coef, scores))

    def averaged(self) -> np.ndarray:
        """Mean of the class vectors after each step, of the shape of ``coef``."""
        return self.coef - self.lag / max(1, self.n_steps)

    def _regroup(self) -> None:
        """Let every row join its predicted class; estimate masses and error from that."""
        inverse = self.noise.inverse
        self._reach = self._rounding(self.coef, self.scores)
        slack = self.lengths * self._reach
        top = top_classes(self.scores, slack=slack)
        everyone = group_masses(self.labels, top, inverse)
        self.risk = 1.0 - float(np.trace(everyone))
        self._remember_best(top)
        if not self.coef.any():
            self.group = None
            self.masses = group_masses(self.labels, None, inverse)
        elif self.alpha > 0.0:
            distances = self._distances() if self.geometric else None
            self.group = top_classes(self.scores, self.alpha, distances, slack)
            self.masses = group_masses(self.labels, self.group, inverse)
        else:
            self.group, self.masses = top, everyone
        self.space.regroup(self.group)

    def _remember_best(self, top: np.ndarray) -> None:
        if self.risk < self.best_risk:
            self.best_risk, self.best_step, self.best_top = self.risk, self.n_steps, top
            if self.keeps_best:
                self.best_coef = self.coef.copy()

    def _rounding(self, coef: np.ndarray, scores: np.ndarray) -> float:
        """How much rounding may change products of the class vectors with a unit vector."""
        longest = float(np.diag(self.space.gram(coef, scores)).max())
        return ROUNDING * float(np.sqrt(max(longest, 0.0)))

    def _distances(self) -> np.ndarray:
        """Distances between the class vectors, shape (n_classes, n_classes)."""
        gram = self.space.gram(self.coef, self.scores)
        lengths = np.diag(gram)
        return np.sqrt(np.maximum(lengths[:, None] + lengths - 2.0 * gram, 0.0))
