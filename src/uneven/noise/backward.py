"""Weights that undo noise in the labels of any learner, none of them negative."""

from __future__ import annotations

import numpy as np

from uneven.noise.matrices import invert_noise


def backward_weights(noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Turn any noise into uniform noise, by copies of each row with other labels.

    Weights ``C^-1[:, label]`` for the copies of a row are those of its true class on average
    (backward correction), but some are negative, and most learners refuse that. Let ``U`` keep a
    label with some probability and otherwise draw one of all labels alike. With the least such
    noise for which ``U C^-1`` has no negative entry, copies weighted by ``U C^-1[:, label]`` are on
    average rows with noise ``U``. It leaves the most probable class the most probable one.

    Parameters
    ----------
    noise : ndarray of shape (n_classes, n_classes)
        Column = true class, row = observed label. A matrix that has no useful inverse is mixed with
        as little of the identity as needed.

    Returns
    -------
    weights : ndarray of shape (n_classes, n_classes)
        Row = class of the copy, column = observed label; columns sum to 1.
    left : ndarray of shape (n_classes, n_classes)
        The uniform noise U.

    References
    ----------
    N. Natarajan, I. Dhillon, P. Ravikumar and A. Tewari (2013), *Learning with noisy labels*.
    G. Patrini, A. Rozza, A. Menon, R. Nock and L. Qu (2017), *Making deep neural networks robust
    to label noise: a loss correction approach*.

    Examples
    --------
    >>> weights, left = backward_weights(np.array([[0.8, 0.3], [0.2, 0.7]]))
    >>> weights.round(2)
    array([[0.91, 0.  ],
           [0.09, 1.  ]])
    >>> left.round(2)
    array([[0.73, 0.27],
           [0.27, 0.73]])
    """
    inverse = invert_noise(noise, on_singular="shrink").inverse
    n_classes = len(inverse)
    shift = max(0.0, -float(inverse.min()))
    whole = 1.0 + n_classes * shift
    return (inverse + shift) / whole, (np.eye(n_classes) + shift) / whole
