"""Labels of training rows of which some are wrong, and what is known of their noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uneven.decisions.log_pool import LogPool, bias_penalty_of, fit_log_pool
from uneven.noise.backward import backward_weights
from uneven.noise.em import confident_joint, label_posteriors, refine_noise, undo_noise
from uneven.noise.estimation import ConfusionEstimate
from uneven.noise.matrices import check_noise_matrix, warn_of_alike_classes

_SMOOTHING, _RIGHT_LABELS = 0.1, 1.0
"""Rows that are added to every count of an estimated matrix, and to those of right labels."""

_GUESSED, _GUESSED_RIGHT = 0.02, 0.5
"""Rows that a confident joint counts as wrong, and as right."""

_LEAST_POSTERIOR = 0.01
"""A row makes no copy for a class that is less probable than this."""


@dataclass
class NoisyLabels:
    """Labels and their noise matrix.

    Attributes
    ----------
    y : ndarray of int, shape (n_samples,)
    mass : ndarray of shape (n_samples,)
    clean : ndarray of bool, shape (n_samples,), or None
        Rows whose label is certain.
    noise : ndarray of shape (n_classes, n_classes) or None
        None as long as nothing is known of it.
    counts : ndarray of shape (n_classes, n_classes) or None
        (Pseudo-)rows behind an estimated matrix; None if it is exact, or not known.
    """

    y: np.ndarray
    mass: np.ndarray
    clean: np.ndarray | None
    noise: np.ndarray | None
    counts: np.ndarray | None

    @classmethod
    def of(cls, rows: Any, given: Any) -> NoisyLabels:
        """The labels of training rows with the matrix that a user gave."""
        known = (rows.y, rows.mass, rows.clean)
        if given is None:
            return cls(*known, None, None)
        noise = check_noise_matrix(given, rows.classes)
        if not isinstance(given, ConfusionEstimate):
            warn_of_alike_classes(noise, rows.classes)
            return cls(*known, noise, None)
        order = np.searchsorted(given.classes, rows.classes)
        right = _RIGHT_LABELS * np.eye(len(rows.classes))
        counts = given.counts[np.ix_(order, order)] + _SMOOTHING + right
        return cls(*known, _columns_sum_to_one(counts), counts)

    def undo(self, label_shares: np.ndarray) -> np.ndarray:
        """Probabilities of true classes from those of labels, both (n_samples, n_classes).

        A matrix of which nothing is known is guessed first, from the confident joint.
        """
        if self.noise is None:
            joint = confident_joint(label_shares, self.y)
            self.counts = _GUESSED * joint + _GUESSED_RIGHT * np.eye(len(joint))
            self.noise = _columns_sum_to_one(joint + self.counts)
        return undo_noise(label_shares, self.noise)

    def refine(self, shares: np.ndarray) -> np.ndarray:
        """The noise matrix, refined from the labels if it is uncertain.

        Parameters
        ----------
        shares : ndarray of shape (n_samples, n_classes)
            Probabilities of the true class by a model that has not seen the label.
        """
        assert self.noise is not None
        if self.counts is not None:
            noisy = np.ones(len(self.y), dtype=bool) if self.clean is None else ~self.clean
            known = (shares[noisy], self.y[noisy], self.mass[noisy])
            self.noise = refine_noise(self.noise, self.counts, *known)
        return self.noise

    def posteriors(self, shares: np.ndarray) -> np.ndarray:
        """Probabilities of the true class given the label, without tiny ones."""
        beliefs = label_posteriors(shares, self.y, self.refine(shares), self.clean)
        beliefs[beliefs < _LEAST_POSTERIOR] = 0.0
        return np.asarray(beliefs / beliefs.sum(axis=1, keepdims=True))

    def fit_pool(self, said: Sequence[np.ndarray], shares: np.ndarray) -> LogPool:
        """The pool of some members that makes the labels most probable, through the noise matrix.

        Parameters
        ----------
        said : sequence of ndarray of shape (n_samples, n_classes)
            Probabilities of the true class by members that have not seen the label.
        shares : ndarray of shape (n_samples, n_classes)
            What another pool makes of them, to refine the matrix.
        """
        noise = self.refine(shares)
        chances = noise[self.y]
        if self.clean is not None:
            chances[self.clean] = np.eye(len(noise))[self.y[self.clean]]
        chances[~chances.any(axis=1)] = 1.0
        mass = self.mass / self.mass.mean()
        rows = mass @ label_posteriors(shares, self.y, noise, self.clean)
        known = {"bias_penalty": bias_penalty_of(rows), "prior": rows / rows.sum()}
        return fit_log_pool(said, chances, self.mass, **known)

    def backward(self, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights of the copies of each row, (n_samples, n_classes), and the noise they leave."""
        weights, left = backward_weights(self.refine(shares))
        if self.clean is None:
            return weights.T[self.y], left
        return np.where(self.clean[:, None], left.T[self.y], weights.T[self.y]), left


def _columns_sum_to_one(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts / counts.sum(axis=0))
