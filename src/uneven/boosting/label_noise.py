"""What boosting knows about wrong labels before the first round."""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.noise import NoiseInverse, check_noise_matrix, invert_noise, recover_priors

__all__ = ["known_noise", "signals", "true_mass"]


def known_noise(noise_matrix: Any, classes: np.ndarray) -> NoiseInverse | None:
    """Check a noise matrix and invert it.

    Parameters
    ----------
    noise_matrix : array-like of shape (n_classes, n_classes) or None
    classes : ndarray of shape (n_classes,)

    Returns
    -------
    NoiseInverse or None
        None if labels are never wrong.

    Examples
    --------
    >>> known_noise([[0.9, 0.3], [0.1, 0.7]], np.array(["no", "yes"])).amplification
    array([1.16666667, 1.5       ])
    >>> known_noise(np.eye(2), np.array(["no", "yes"])) is None
    True
    """
    if noise_matrix is None:
        return None
    noise = check_noise_matrix(noise_matrix, classes)
    return None if np.array_equal(noise, np.eye(len(noise))) else invert_noise(noise)


def true_mass(
    y: np.ndarray,
    mass: np.ndarray,
    n_classes: int,
    noise: NoiseInverse | None = None,
    clean: np.ndarray | None = None,
) -> np.ndarray:
    """Mass of the true classes, from the observed labels.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
    mass : ndarray of shape (n_samples,)
        Weights of the rows.
    n_classes : int
    noise : NoiseInverse, optional
    clean : ndarray of bool, shape (n_samples,), optional
        Rows whose label is known to be right.

    Returns
    -------
    ndarray of shape (n_classes,)
        With noise, no class gets less than one row's share of the noisy mass.

    Examples
    --------
    >>> noise = known_noise([[0.9, 0.3], [0.1, 0.7]], np.array([0, 1]))
    >>> true_mass(np.array([0] * 6 + [1] * 4), np.ones(10), 2, noise)
    array([5., 5.])
    """
    observed = np.bincount(y, weights=mass, minlength=n_classes)
    if noise is None:
        return observed
    sure = np.zeros(len(y)) if clean is None else mass * clean
    known = np.bincount(y, weights=sure, minlength=n_classes)
    noisy = np.maximum(observed - known, 0.0)
    if not noisy.sum() > 0.0:
        return known
    return known + noisy.sum() * recover_priors(noisy, noise.inverse, floor=1.0 / len(y))


def signals(y: np.ndarray, n_classes: int, clean: np.ndarray | None) -> np.ndarray:
    """What is seen of each row: its label, or (``n_classes`` further on) its true class.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
    n_classes : int
    clean : ndarray of bool, shape (n_samples,), or None

    Returns
    -------
    ndarray of int, shape (n_samples,)

    Examples
    --------
    >>> signals(np.array([0, 1, 1]), 2, np.array([False, False, True]))
    array([0, 1, 3])
    """
    return y if clean is None else y + n_classes * clean
