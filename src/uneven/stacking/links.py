"""From combined scores to probabilities: a temperature, and a floor below which scores do not fall.

A weighted sum of probabilities is nearly a probability, but it may be negative, too timid or too
bold. One line mends it: ``p ~ max(score, floor) ** (1 / temperature)``. Scores of any other size
take the softmax of the scores themselves. Both numbers are fitted on scores of unseen rows.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, softmax

_SPAN = 12.0
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
    >>> floor is not None, round(temperature, 1)
    (True, 2.0)
    """
    known = np.isfinite(scores).all(axis=1)
    values, labels = scores[known], y[known]
    weight = None if share is None else share[known]
    surprise, temperature = _best_temperature(values, labels, weight)
    best: tuple[float, float | None, float] = (surprise, None, temperature)
    size = float(values.max(axis=1).mean()) if values.size else 0.0
    for part in FLOORS if size > 0.0 else ():
        told = np.log(np.maximum(values, part * size))
        surprise, temperature = _best_temperature(told, labels, weight)
        if surprise < best[0]:
            best = surprise, part * size, temperature
    return best[1], best[2]


def fit_temperature(scores: np.ndarray, y: np.ndarray, share: np.ndarray | None = None) -> float:
    """Temperature with which the softmax of the scores is most likely.

    Dividing all scores by one number changes no answer, only how sure it is. The likelihood counts
    one imaginary row for every class, so that scores without a mistake do not get temperature 0.

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
    n_rows, n_classes = values.shape
    values = values - values.mean(axis=1, keepdims=True)
    size = float(np.sqrt(np.mean(values**2))) if values.size else 0.0
    if size == 0.0:
        return float(np.log(n_classes)), 1.0
    values = values / size
    weight = np.ones(n_rows) if share is None else share * n_rows
    truth = values[np.arange(n_rows), y]
    doubt = n_classes / (weight.sum() + n_classes)

    def surprise(log_slope: float) -> float:
        slope = np.exp(log_slope)
        return float(weight @ (logsumexp(slope * values, axis=1) - (1.0 - doubt) * slope * truth))

    best = minimize_scalar(surprise, bounds=(-_SPAN, _SPAN), method="bounded")
    return float(best.fun) / float(weight.sum()), float(size / np.exp(best.x))
