"""Ridge regression on the similarity to some training rows, evaluated by leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.special import logsumexp, softmax
from sklearn.utils.extmath import row_norms

from uneven.ensemble.number_columns import NumberColumns
from uneven.ensemble.shared_table import MANY_ROWS, Learnt, SharedTable, TableSize, member
from uneven.utils.model_types import (
    LARGEST,
    check_numbers,
    check_part,
    check_shares,
    check_width,
    persisted,
)
from uneven.utils.parallel import ThreadPool


@member("landmarks", order=30)
@dataclass(frozen=True)
class LandmarkRidge:
    """Ridge on Gaussian similarities to landmarks, then a softmax.

    Landmarks are training rows, drawn with more chance in rare classes. Width, strength and
    temperature are those with the least log-loss when every row is left out once, which ridge
    regression gives in closed form.

    Attributes
    ----------
    n_landmarks : int
    widths : tuple of float
        Factors of the squared distance, in units of one over the number of columns.
    strengths : tuple of float
        Of the penalty on squared coefficients.
    temperatures : tuple of float
        What scores, between about 0 and 1, are multiplied by before the softmax.

    References
    ----------
    R. Rifkin and R. Lippert (2007), *Notes on regularized least squares*: leave-one-out.
    C. Williams and M. Seeger (2001), *Using the Nyström method to speed up kernel machines*.
    """

    n_landmarks: int = 300
    widths: tuple[float, ...] = (0.3, 1.0, 3.0)
    strengths: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0)
    temperatures: tuple[float, ...] = (2.0, 4.0, 8.0, 14.0)

    @classmethod
    def suited_to(cls, size: TableSize) -> LandmarkRidge | None:
        """For dense tables of up to 5000 rows."""
        return None if size.is_sparse or size.n_rows >= MANY_ROWS else cls()

    def learn(self, table: SharedTable, seed: int) -> Learnt:
        """Solve for every width and strength, and keep the best one on rows left out."""
        Z = table.numbers
        landmarks = Z[self._draw(table, seed)]
        landmarks = landmarks.toarray() if sp.issparse(landmarks) else landmarks
        weight = table.mass
        target = np.eye(table.n_classes)[table.y] - table.prior
        found: list[tuple[float, LandmarkModel, np.ndarray, np.ndarray]] = []
        for width in self.widths:
            gamma = width / max(Z.shape[1], 1)
            F = gaussian(Z, landmarks, gamma)
            sizes, axes = eigh((F * weight[:, None]).T @ F)
            F = F @ axes
            sizes, moments = np.maximum(sizes, 0.0), (F * weight[:, None]).T @ target
            squares = F**2 * weight[:, None]
            for strength in self.strengths:
                shrunk = moments / (sizes + strength)[:, None]
                leverage = np.minimum(squares @ (1.0 / (sizes + strength)), 1.0 - 1e-9)[:, None]
                left_out = (F @ shrunk - leverage * target) / (1.0 - leverage) + table.prior
                loss, temperature = _best_temperature(left_out, table.y, weight, self.temperatures)
                model = LandmarkModel(
                    table.columns, landmarks, gamma, shrunk, table.prior, temperature
                )
                found.append((loss, model, axes, left_out))
        _, model, axes, left_out = min(found, key=lambda one: one[0])
        model.coef = axes @ model.coef
        return Learnt(model, softmax(model.temperature * left_out, axis=1))

    def _draw(self, table: SharedTable, seed: int) -> np.ndarray:
        """Rows that become landmarks, in increasing order."""
        size = min(self.n_landmarks, len(table.y))
        chance = np.bincount(table.y, minlength=table.n_classes)[table.y] ** -0.5
        rng = np.random.RandomState(seed)
        return np.sort(rng.choice(len(table.y), size, replace=False, p=chance / chance.sum()))


def _best_temperature(
    scores: np.ndarray, y: np.ndarray, weight: np.ndarray, temperatures: tuple[float, ...]
) -> tuple[float, float]:
    """Least log-loss of the softmax, and the temperature that gives it."""
    own = scores[np.arange(len(y)), y]
    losses = [float(weight @ (logsumexp(t * scores, axis=1) - t * own)) for t in temperatures]
    best = int(np.argmin(losses))
    return losses[best], temperatures[best]


def gaussian(Z: Any, landmarks: np.ndarray, gamma: float) -> np.ndarray:
    """Similarities ``exp(-gamma |z - l|^2)``, shape (n_samples, n_landmarks)."""
    squares = row_norms(Z, squared=True)[:, None] + row_norms(landmarks, squared=True)
    return np.asarray(np.exp(-gamma * np.maximum(squares - 2.0 * (Z @ landmarks.T), 0.0)))


@persisted("landmark_model", role="ensemble_model")
@dataclass
class LandmarkModel:
    """Softmax of a weighted sum of similarities to landmarks.

    Attributes
    ----------
    columns : NumberColumns
    landmarks : ndarray of shape (n_landmarks, width)
    gamma : float
    coef : ndarray of shape (n_landmarks, n_classes)
    prior : ndarray of shape (n_classes,)
    temperature : float
    """

    columns: NumberColumns
    landmarks: np.ndarray
    gamma: float
    coef: np.ndarray
    prior: np.ndarray
    temperature: float

    def probabilities(self, X: Any, pool: ThreadPool) -> np.ndarray:
        """Softmax of the scores, (n_samples, n_classes)."""
        scores = gaussian(self.columns.encode(X), self.landmarks, self.gamma) @ self.coef
        return np.asarray(softmax(self.temperature * (scores + self.prior), axis=1))

    def _check_model_(self, classifier: Any) -> None:
        """Refuse loaded landmarks that do not fit the classes and columns."""
        n_classes, n_features = len(classifier.classes_), classifier.n_features_in_
        refusal = "a {} stands where its columns should be"
        check_part("encoding", self.columns, n_features, refusal=refusal, error=ValueError)
        shape = (len(self.landmarks), self.columns.width(n_features))
        check_numbers(self.landmarks, shape, "landmarks", signed=True)
        check_numbers(self.coef, (shape[0], n_classes), "coefficients", True, LARGEST)
        check_shares(self.prior, n_classes)
        check_width(self.gamma)
        check_width(self.temperature)
