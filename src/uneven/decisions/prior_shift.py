"""Class shares that differ between training and use: probabilities moved, shares estimated."""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.decisions.rows import check_probabilities

_LEAST = 1e-12
_STEPS = 1000
_TOLERANCE = 1e-10


def check_prior(prior: Any, n_classes: int) -> np.ndarray:
    """Class shares as an array that sums to 1; shares of 0 become tiny.

    Examples
    --------
    >>> check_prior([0.5, 0.6], 2)
    Traceback (most recent call last):
    ...
    ValueError: prior must hold 2 shares that sum to 1, in sorted class order, got [0.5, 0.6].
    """
    try:
        shares = np.array(prior, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.full(1, np.nan)
    fits = shares.shape == (n_classes,) and np.isfinite(shares).all() and (shares >= 0.0).all()
    if not fits or abs(shares.sum() - 1.0) > 1e-6:
        raise ValueError(
            f"prior must hold {n_classes} shares that sum to 1, in sorted class order, "
            f"got {prior!r}."
        )
    shares = np.maximum(shares, _LEAST)
    return np.asarray(shares / shares.sum())


def change_prior(probabilities: np.ndarray, prior: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Probabilities where classes have other shares, but look the same.

    Parameters
    ----------
    probabilities : ndarray of shape (n_samples, n_classes)
    prior, target : ndarray of shape (n_classes,)
        Shares that the probabilities were made for, and those that they are wanted for.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> change_prior(np.array([[0.9, 0.1]]), np.array([0.9, 0.1]), np.array([0.5, 0.5]))
    array([[0.5, 0.5]])
    """
    if np.array_equal(prior, target):
        return probabilities
    moved = np.maximum(probabilities, np.finfo(float).tiny) * (target / prior)
    return np.asarray(moved / moved.sum(axis=1, keepdims=True))


def estimate_prior(probabilities: Any, prior: Any) -> np.ndarray:
    """Class shares of unlabelled rows, by expectation maximisation.

    The class shares maximise the likelihood of the rows, if within each class they look as in
    training. Needs calibrated probabilities.

    Parameters
    ----------
    probabilities : array-like of shape (n_samples, n_classes)
        Of the unlabelled rows, by a model of rows with the shares ``prior``.
    prior : array-like of shape (n_classes,)

    Returns
    -------
    ndarray of shape (n_classes,)

    References
    ----------
    M. Saerens, P. Latinne and C. Decaestecker (2002), *Adjusting the outputs of a classifier to
    new a priori probabilities: a simple procedure*.

    Examples
    --------
    >>> import numpy as np
    >>> said = np.repeat([[0.99, 0.01], [0.01, 0.99]], [20, 80], axis=0)
    >>> estimate_prior(said, [0.5, 0.5]).round(2)
    array([0.19, 0.81])
    """
    trained = check_prior(prior, len(np.asarray(prior)))
    shares = check_probabilities(probabilities, len(trained))
    if not len(shares):
        raise ValueError("there are no rows: class shares cannot be estimated.")
    found = trained
    for _ in range(_STEPS):
        better = np.maximum(change_prior(shares, trained, found).mean(axis=0), _LEAST)
        moved = np.abs(better - found).max()
        found = better / better.sum()
        if moved < _TOLERANCE:
            break
    return np.asarray(found)
