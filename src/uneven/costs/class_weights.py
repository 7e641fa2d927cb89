r"""How much each of several voters counts when it predicts a class.

Several views predict the same examples. For one class, let ``A_j`` be the pair costs that view
``j`` cancels by predicting it correctly, ``B_j`` those it incurs by predicting it wrongly, and
``w_j`` the weight of its vote. With coefficients ``b_j`` in [0, 1] on these weights the loss of the
class becomes ``sum_j exp(-w_j b_j) A_j + exp(w_j b_j) B_j``. The functions here choose the
coefficients, for every class at once.

References
----------
S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
methods*, PhD thesis, Aix-Marseille Université, chapter 4.

Notes
-----
Corrections of the source: only the pair cost of the predicted label grows when a view is wrong
(the sum over the other labels in the source is the constant part). The source names no solver; the
problem is convex and separable, so that one multiplier per class is all that must be found.
"""

from __future__ import annotations

import numpy as np

from uneven.costs import _loops
from uneven.costs._coefficient_loops import solve_leaf_class
from uneven.costs._portable import log_all

CONSTRAINTS = ("eq1", "le1")
_NORMALISATIONS = ("sum", "cap")


def exact_coefficients(
    right: np.ndarray, wrong: np.ndarray, weight: np.ndarray, constraint: str = "eq1"
) -> np.ndarray:
    """Coefficients that minimise the loss of every class, among the views that predict it.

    Parameters
    ----------
    right, wrong : ndarray of shape (n_views, n_classes)
        Pair costs that the predictions of each view cancel and incur, by predicted class; finite
        and not negative. A common factor of a class's column does not matter.
    weight : ndarray of shape (n_views,)
        Vote weight of each view; 0 for one that may not vote.
    constraint : {"eq1", "le1"}, default="eq1"
        The coefficients of a class add up to 1, or to at most 1. With "le1" the loss never grows;
        with "eq1" it must where every view is more often wrong than right.

    Returns
    -------
    ndarray of shape (n_views, n_classes)
        In [0, 1]. A view without weight, or that never predicts the class, gets 0; if this is so
        for all views, each gets ``1 / n_views``.

    Examples
    --------
    >>> import numpy as np
    >>> right = np.array([[2.0, 2.0, 0.0], [4 / 3, 1.0, 2.0]])
    >>> wrong = np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 1 / 3]])
    >>> exact_coefficients(right, wrong, np.arctanh([0.5, 7 / 12])).round(6)
    array([[1.      , 0.182333, 0.      ],
           [0.      , 0.817667, 1.      ]])
    """
    if constraint not in CONSTRAINTS:
        raise ValueError(f"constraint={constraint!r} is not known; choose one of {CONSTRAINTS}.")
    largest = np.maximum(right, wrong).max(axis=0)
    scale = np.where(largest > 0.0, largest, 1.0)
    right, wrong = right / scale, wrong / scale
    active = (weight > 0.0)[:, None] & (np.maximum(right, wrong) > 0.0)
    coefficients = np.zeros(right.shape)
    for label in range(right.shape[1]):
        views = np.flatnonzero(active[:, label])
        if len(views) == 0:
            coefficients[:, label] = 1.0 / len(weight)
            continue
        found = np.empty(len(views))
        _loops.solve_class(
            right[views, label], wrong[views, label], weight[views], constraint == "le1", found
        )
        coefficients[views, label] = found
    return coefficients


def leaf_coefficients(owed: np.ndarray, paid: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Coefficients of views whose leaves hold scores, so that the loss of no view grows.

    If leaf ``l`` of view ``j`` adds ``b_jk v_lk`` to class ``k``, the loss of the view becomes
    ``sum_l sum_ac C_lac exp(b_jc v_lc - b_ja v_la)``. By the inequality of arithmetic and geometric
    means this is at most ``sum_k f_jk(b_jk)`` with ``f_jk(b) = 1/2 sum_l paid_lk exp(2 b v_lk) +
    owed_lk exp(-2 b v_lk)``, and equal to it at 0. The coefficients minimise ``sum_j f_jk`` for
    every class, where they add up to at most 1: convex functions of one number each. The slope of
    ``f_jk`` is not positive up to the coefficient, so that ``f_jk(b) <= f_jk(0)``.

    Parameters
    ----------
    owed, paid, scores : ndarray of shape (n_views, n_leaves, n_classes)
        Cost of the rows of each class in each leaf, of mistaking others for it, and the scores. A
        view that may not vote has zeros, and so have leaves that a view lacks.

    Returns
    -------
    ndarray of shape (n_views, n_classes)
        In [0, 1]; 0 where scores would raise the bound.

    Examples
    --------
    Each view recognises one class:

    >>> import numpy as np
    >>> owed = np.array([[[4.0, 2.0], [1.0, 3.0]], [[2.5, 4.0], [2.5, 1.0]]])
    >>> paid = np.array([[[1.0, 2.0], [4.0, 3.0]], [[2.5, 1.0], [2.5, 4.0]]])
    >>> scores = np.log(owed / paid) / 4.0
    >>> leaf_coefficients(owed, paid, scores).round(6)
    array([[1., 0.],
           [0., 1.]])
    """
    largest = np.maximum(owed, paid).max(axis=(0, 1))
    scale = np.where(largest > 0.0, largest, 1.0)
    coefficients = np.zeros((len(scores), scores.shape[2]))
    for label in range(scores.shape[2]):
        costs = [part[:, :, label] / scale[label] for part in (owed, paid)]
        own = np.ascontiguousarray(scores[:, :, label])
        solve_leaf_class(*costs, own, coefficients[:, label])
    return coefficients


def simplified_coefficients(
    right: np.ndarray,
    wrong: np.ndarray,
    weight: np.ndarray,
    smoothing: float | np.ndarray = 0.0,
    normalise: str = "sum",
) -> np.ndarray:
    """Coefficients that would minimise each view's loss on its own, made to add up to 1.

    Alone, view ``j`` would best count ``max(0, log(A_j / B_j) / (2 w_j))``.

    Parameters
    ----------
    right, wrong : ndarray of shape (n_views, n_classes)
        As for :func:`exact_coefficients`.
    weight : ndarray of shape (n_views,)
    smoothing : float or ndarray of shape (n_views,), default=0.0
        Added to both costs, so that a view that is never wrong does not get all the weight.
    normalise : {"sum", "cap"}, default="sum"
        Divide the coefficients of a class by their sum, or only if it is above 1. "cap" never
        overshoots a minimum, so that (without smoothing) no view's loss grows.

    Returns
    -------
    ndarray of shape (n_views, n_classes)
        In [0, 1]. Where no view deserves a vote: ``1 / n_views`` each with "sum", 0 with "cap".

    Examples
    --------
    >>> import numpy as np
    >>> right = np.array([[2.0, 2.0, 0.0], [4 / 3, 1.0, 2.0]])
    >>> wrong = np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 1 / 3]])
    >>> simplified_coefficients(right, wrong, np.arctanh([0.5, 7 / 12]), 1 / 3).round(6)
    array([[0.773315, 0.329101, 0.      ],
           [0.226685, 0.670899, 1.      ]])
    """
    if normalise not in _NORMALISATIONS:
        raise ValueError(f"normalise={normalise!r} is not known; choose one of {_NORMALISATIONS}.")
    added = np.broadcast_to(smoothing, weight.shape)[:, None]
    entitled = (weight > 0.0)[:, None] & (right > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        alone = (log_all(right + added) - log_all(wrong + added)) / (2.0 * weight[:, None])
    raw = np.where(entitled, np.maximum(alone, 0.0), 0.0)
    endless = np.isinf(raw)
    raw = np.where(endless.any(axis=0), endless.astype(np.float64), raw)
    total = raw.sum(axis=0)
    if normalise == "cap":
        return np.asarray(raw / np.maximum(total, 1.0))
    return np.where(total > 0.0, raw / np.where(total > 0.0, total, 1.0), 1.0 / len(weight))
