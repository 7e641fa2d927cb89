r"""Scores that a leaf adds to every class: three steps from the costs of its rows.

In a leaf let ``C[a, b]`` be the summed cost of predicting ``b`` where ``a`` is true. Adding scores
``v`` to all rows of the leaf turns it into ``C[a, b] exp(v_b - v_a)``, so the leaf's part of the
exponential loss becomes ``sum_ab C[a, b] exp(v_b - v_a)``. With ``r_k`` the cost of the rows of
class ``k`` and ``c_k`` the cost of mistaking others for ``k``:

- *balance* is the exact minimiser: the matrix is scaled until ``r_k = c_k`` for every class, which
  is then mistaken for others as much as others are for it (Osborne's coordinate steps).
- *closed* is ``v_k = log(r_k / c_k) / 4``. The loss is then at most ``sum_k sqrt(r_k c_k)``, which
  never exceeds the loss before. With two classes this is Real AdaBoost, and exact.
- *newton* is ``v_k = (r_k - c_k) / (h_k + l2)``, a step of Newton's method with a diagonal
  curvature. It is the fastest, and has no guarantee without a small learning rate.

A hard vote ``v = alpha * one-hot`` is one of the vectors that *balance* searches, so with the same
tree the loss falls at least as far as with the published vote: every bound of CoMBo holds. For the
log-loss, costs are those of the exponential loss times the softmax probability of the true class;
as the logarithm is concave, *balance* and *closed* never increase it either.

References
----------
E. E. Osborne (1960), *On pre-conditioning of matrices*, Journal of the ACM 7.
R. E. Schapire and Y. Singer (1999), *Improved boosting algorithms using confidence-rated
predictions*, Machine Learning 37: Real AdaBoost.
"""

from __future__ import annotations

import numpy as np

from uneven.costs._gradient_loops import balance
from uneven.costs._portable import log_all

LARGEST_STEP = 12.0
"""Scores of a leaf lie within this distance of zero before they are centred: a class that a leaf
knows for sure does not get an infinite one."""


def closed_step(
    owed: np.ndarray, paid: np.ndarray, smoothing: float | np.ndarray = 0.0
) -> np.ndarray:
    """The closed-form step.

    Parameters
    ----------
    owed, paid : ndarray of shape (n_leaves, n_classes)
        Cost of the rows of each class, and of mistaking others for it.
    smoothing : float or ndarray of shape (n_classes,), default=0.0
        Added to the costs of every class, so that no score is infinite.

    Returns
    -------
    ndarray of shape (n_leaves, n_classes)
        Scores that add up to zero.

    Examples
    --------
    >>> import numpy as np
    >>> closed_step(np.array([[8.0, 2.0]]), np.array([[2.0, 8.0]])).round(6)
    array([[ 0.346574, -0.346574]])
    """
    with np.errstate(invalid="ignore"):
        steps = 0.25 * (log_all(owed + smoothing) - log_all(paid + smoothing))
    return _centred(steps)


def balanced_step(costs: np.ndarray, smoothing: float | np.ndarray = 0.0) -> np.ndarray:
    """The exact minimiser: balance the cost matrix of each leaf.

    Parameters
    ----------
    costs : ndarray of shape (n_leaves, n_classes, n_classes)
    smoothing : float or ndarray of shape (n_classes,), default=0.0
        Added to the costs of every class, spread over the pairs; a pair gets the mean of both.

    Returns
    -------
    ndarray of shape (n_leaves, n_classes)
        Scores that add up to zero.

    Examples
    --------
    >>> import numpy as np
    >>> costs = np.array([[[0.0, 8.0, 1.0], [2.0, 0.0, 1.0], [1.0, 1.0, 0.0]]])
    >>> scores = balanced_step(costs)[0]
    >>> scaled = costs[0] * np.exp(scores[None, :] - scores[:, None])
    >>> bool(np.allclose(scaled.sum(axis=0), scaled.sum(axis=1)))
    True
    """
    n_classes = costs.shape[1]
    added = np.broadcast_to(np.asarray(smoothing, dtype=np.float64), n_classes)
    spread = 0.5 * (added[:, None] + added[None, :]) / max(n_classes - 1, 1)
    steps = np.zeros(costs.shape[:2])
    balance(np.ascontiguousarray(costs, dtype=np.float64), spread, LARGEST_STEP, steps)
    return _centred(steps)


def newton_step(owed: np.ndarray, paid: np.ndarray, curvature: np.ndarray, l2: float) -> np.ndarray:
    """A step of Newton's method with a diagonal curvature.

    Parameters
    ----------
    owed, paid : ndarray of shape (n_leaves, n_classes)
        Cost of the rows of each class, and of mistaking others for it.
    curvature : ndarray of shape (n_leaves, n_classes)
    l2 : float
        Added to the curvature.

    Returns
    -------
    ndarray of shape (n_leaves, n_classes)
        Scores that add up to zero.

    Examples
    --------
    >>> import numpy as np
    >>> newton_step(np.array([[8.0, 2.0]]), np.array([[2.0, 8.0]]), np.array([[10.0, 10.0]]), 2.0)
    array([[ 0.5, -0.5]])
    """
    whole = curvature + l2
    return _centred((owed - paid) / np.where(whole > 0.0, whole, 1.0))


def leaf_loss(costs: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Costs of each leaf once its scores are added, shape (n_leaves,).

    Examples
    --------
    >>> import numpy as np
    >>> costs = np.array([[[0.0, 8.0], [2.0, 0.0]]])
    >>> leaf_loss(costs, balanced_step(costs)).round(6)
    array([8.])
    """
    pairs = costs * np.exp(scores[:, None, :] - scores[:, :, None])
    return np.asarray(pairs.sum(axis=(1, 2)) - np.einsum("lkk->l", costs))


def _centred(steps: np.ndarray) -> np.ndarray:
    """Bounded scores that add up to zero; a class without any cost has none."""
    steps = np.clip(np.where(np.isnan(steps), 0.0, steps), -LARGEST_STEP, LARGEST_STEP)
    return np.asarray(steps - steps.mean(axis=1, keepdims=True))
