"""One temperature that turns the scores of a combiner into probabilities."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

__all__ = ["fit_temperature"]

_SPAN = 12.0


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
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> logits = rng.normal(size=(4000, 3))
    >>> y = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    >>> round(fit_temperature(5.0 * logits, y), 1)
    5.0
    """
    known = np.isfinite(scores).all(axis=1)
    values, labels = scores[known], y[known]
    values = values - values.mean(axis=1, keepdims=True)
    size = float(np.sqrt(np.mean(values**2))) if values.size else 0.0
    if size == 0.0:
        return 1.0
    values = values / size
    weight = np.ones(len(labels)) if share is None else share[known] * len(labels)
    n_rows, n_classes = values.shape
    truth = values[np.arange(n_rows), labels]
    doubt = n_classes / (weight.sum() + n_classes)

    def surprise(log_slope: float) -> float:
        slope = np.exp(log_slope)
        return float(weight @ (logsumexp(slope * values, axis=1) - (1.0 - doubt) * slope * truth))

    best = minimize_scalar(surprise, bounds=(-_SPAN, _SPAN), method="bounded")
    return float(size / np.exp(best.x))
