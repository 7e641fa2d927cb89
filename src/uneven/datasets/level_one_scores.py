"""Scores of many classifiers, the input of stacking."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.utils import Bunch, check_random_state


def make_level_one(
    n_samples: int = 500,
    n_members: int = 30,
    n_classes: int = 3,
    *,
    common: float = 0.6,
    own: float = 0.8,
    random_state: Any = None,
) -> Bunch:
    """Generate the scores of classifiers of different strength with correlated noise.

    Parameters
    ----------
    n_samples, n_members, n_classes : int
        Rows, classifiers, classes.
    common : float, default=0.6
        Size of the noise that all classifiers share: the less diverse, the larger.
    own : float, default=0.8
        Size of the noise of each classifier.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    Bunch
        ``scores`` of shape (n_samples, n_members, n_classes), ``target`` (class positions) and
        ``strength`` of shape (n_members,), by which each classifier scales its logits: between 0.3
        and 2.5.

    Examples
    --------
    >>> level = make_level_one(200, 10, 4, random_state=0)
    >>> level.scores.shape
    (200, 10, 4)
    >>> joined = level.scores.mean(axis=1).argmax(axis=1) == level.target
    >>> one = level.scores[:, 0].argmax(axis=1) == level.target
    >>> bool(joined.mean() > one.mean())
    True
    """
    rng = check_random_state(random_state)
    target = rng.randint(n_classes, size=n_samples)
    strength = rng.uniform(0.3, 2.5, size=n_members)
    noise = common * rng.standard_normal((n_samples, 1, n_classes))
    noise = noise + own * rng.standard_normal((n_samples, n_members, n_classes))
    truth = 1.2 * np.eye(n_classes)[target][:, None, :]
    scores = softmax(strength[None, :, None] * (truth + noise), axis=2)
    return Bunch(scores=scores, target=target, strength=strength)
