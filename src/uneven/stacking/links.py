"""From combined scores to probabilities: a temperature, and a floor below which scores do not fall.

A weighted sum of probabilities is nearly a probability, but it may be negative, too timid or too
bold. One line corrects it: ``p ~ max(score, floor) ** (1 / temperature)``. Scores of any other size
take the softmax of the scores themselves. Both numbers are fitted on scores of unseen rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax

_SPAN, _PRECISION, _IMAGINARY = 12.0, 1e-3, 0.5
FLOORS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
"""Floors that are tried, as shares of the mean of the largest scores of the rows."""


def link_probabilities(scores: np.ndarray, floor: float | None, temperature: float) -> np.ndarray:
    """Probabilities of combined scores.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
    floor : float or None
        None: the softmax of the scores. Else: of the logarithms of the scores, the smaller ones
        lifted to the floor.
    temperature : float
        What is divided by before the softmax.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> link_probabilities(np.array([[0.9, 0.1, -0.2]]), 0.1, 0.5).round(3)
    array([[0.976, 0.012, 0.012]])
    """
    told = scores if floor is None else np.log(np.maximum(scores, floor))
    return np.asarray(softmax(told / temperature, axis=1))


def fit_link(
    scores: np.ndarray, y: np.ndarray, share: np.ndarray | None = None
) -> tuple[float | None, float]:
    """Floor and temperature with which the classes of unseen rows are most likely.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Of rows that the combiner did not see. Rows with NaN are left out.
    y : ndarray of int, shape (n_samples,)
    share : ndarray of shape (n_samples,), optional

    Returns
    -------
    floor : float or None
        As :func:`link_probabilities` takes it.
    temperature : float

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.dirichlet([1.0, 1.0, 1.0], 3000)
    >>> y = np.array([rng.choice(3, p=p) for p in truth])
    >>> floor, temperature = fit_link(truth**2, y)
    >>> floor is not None, 1.8 < temperature < 2.3
    (True, True)
    """
    known = np.isfinite(scores).all(axis=1)
    values, labels = scores[known], y[known]
    weight = None if share is None else share[known]
    surprise, temperature = _best_temperature(values, labels, weight)
    size = float(values.max(axis=1).mean()) if values.size else 0.0
    if size <= 0.0:
        return None, temperature
    parts = [_Surprise.of(np.log(np.maximum(values, f * size)), labels, weight) for f in FLOORS]
    middle = parts[len(parts) // 2].best()[1]
    floor, told = min(zip(FLOORS, parts), key=lambda one: one[1].at(middle))
    lifted, lifted_temperature = told.best()
    if lifted < surprise:
        return floor * size, lifted_temperature
    return None, temperature


def fit_temperature(scores: np.ndarray, y: np.ndarray, share: np.ndarray | None = None) -> float:
    """Temperature with which the softmax of the scores is most likely.

    Dividing all scores by one number changes no prediction, only how certain it is. The likelihood
    counts half an imaginary row, of all classes alike, so that scores without a mistake do not get
    temperature 0.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Of rows that the combiner did not see, if possible. Rows with NaN are left out.
    y : ndarray of int, shape (n_samples,)
        Positions of the classes.
    share : ndarray of shape (n_samples,), optional
        Weight of each row.

    Returns
    -------
    float
        Above 0; 1 if all classes have the same score everywhere.

    References
    ----------
    C. Guo, G. Pleiss, Y. Sun and K. Weinberger (2017), *On calibration of modern neural networks*.
    J. Platt (1999), *Probabilistic outputs for support vector machines*, for the imaginary rows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> logits = rng.normal(size=(4000, 3))
    >>> y = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    >>> round(fit_temperature(5.0 * logits, y), 1)
    5.0
    """
    known = np.isfinite(scores).all(axis=1)
    return _best_temperature(scores[known], y[known], None if share is None else share[known])[1]


def _best_temperature(
    values: np.ndarray, y: np.ndarray, share: np.ndarray | None
) -> tuple[float, float]:
    """Mean surprise at the best temperature, and that temperature."""
    return _Surprise.of(values, y, share).best()


@dataclass(frozen=True)
class _Surprise:
    """How surprising classes are to the softmax of logits, half an imaginary row included."""

    values: np.ndarray
    top: np.ndarray
    truth: np.ndarray
    weight: np.ndarray
    size: float

    @classmethod
    def of(cls, values: np.ndarray, y: np.ndarray, share: np.ndarray | None) -> _Surprise:
        values = values - values.mean(axis=1, keepdims=True)
        size = float(np.sqrt(np.mean(values**2))) if values.size else 0.0
        weight = np.full(len(y), 1.0 / max(len(y), 1)) if share is None else share / share.sum()
        told = values[np.arange(len(y)), y] * len(y) / (len(y) + _IMAGINARY)
        return cls(values, values.max(axis=1), told, weight, size)

    def at(self, temperature: float) -> float:
        """Mean surprise at a temperature."""
        logits = (self.values - self.top[:, None]) / temperature
        totals = np.exp(logits, out=logits).sum(axis=1)
        return float(self.weight @ (np.log(totals) + (self.top - self.truth) / temperature))

    def best(self) -> tuple[float, float]:
        """Smallest mean surprise, and its temperature; 1 if all logits of a row are the same."""
        if self.size == 0.0:
            return float(np.log(self.values.shape[1])), 1.0
        found = minimize_scalar(
            lambda slope: self.at(self.size / np.exp(slope)),
            bounds=(-_SPAN, _SPAN),
            method="bounded",
            options={"xatol": _PRECISION},
        )
        return float(found.fun), float(self.size / np.exp(found.x))
