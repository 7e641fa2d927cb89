"""What boosting knows about wrong labels before the first round."""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.noise import NoiseInverse, check_noise_matrix, invert_noise, recover_priors

__all__ = ["known_noise", "true_mass"]

_SMALLEST_SHARE = 1e-6


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


def true_mass(class_mass: np.ndarray, noise: NoiseInverse | None) -> np.ndarray:
    """Mass of the true classes, from that of the observed labels.

    Parameters
    ----------
    class_mass : ndarray of shape (n_classes,)
    noise : NoiseInverse or None

    Returns
    -------
    ndarray of shape (n_classes,)
        With noise, no class gets less than a millionth of the whole.

    Examples
    --------
    >>> noise = known_noise([[0.9, 0.3], [0.1, 0.7]], np.array([0, 1]))
    >>> true_mass(np.array([60.0, 40.0]), noise)
    array([50., 50.])
    """
    total = class_mass.sum()
    if noise is None or total <= 0.0:
        return class_mass
    return np.asarray(total * recover_priors(class_mass, noise.inverse, _SMALLEST_SHARE))
