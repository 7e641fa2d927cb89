"""What a non-linear combination asks of its scores and settings."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from uneven.door import check_choice, check_integer
from uneven.linear.expansions import kernel_parameters
from uneven.stacking.transformation import class_tables

__all__ = [
    "KERNELS",
    "check_bias",
    "check_kernel",
    "check_labels",
    "check_penalty",
    "check_scores",
    "check_share",
    "check_strength",
]

KERNELS = ("linear", "poly", "rbf")
_LARGEST = 1e150
"""Kernel values above it would not survive being squared."""


def check_scores(P: ArrayLike) -> NDArray[np.float64]:
    """Level-1 scores as a C-contiguous array of float64, shape (I, M, N).

    Examples
    --------
    >>> check_scores([[[1, 0], [0, 1]]]).shape
    (1, 2, 2)
    """
    scores = np.ascontiguousarray(P, dtype=np.float64)
    if scores.ndim != 3 or 0 in scores.shape or scores.shape[2] < 2:
        raise ValueError(
            f"P has shape {scores.shape}; expected (rows, classifiers, classes) with at least one "
            "row, one classifier and two classes."
        )
    if not np.isfinite(scores).all():
        row, member, label = np.argwhere(~np.isfinite(scores))[0]
        raise ValueError(
            f"P is {scores[row, member, label]} in row {row}, classifier {member}, class {label}: "
            "scores must be finite."
        )
    return scores


def check_labels(y: ArrayLike, n_rows: int, n_classes: int) -> NDArray[np.intp]:
    """Class positions, shape (I,), from 0 to ``n_classes - 1``.

    Examples
    --------
    >>> check_labels([0, 1], 2, 2).tolist()
    [0, 1]
    """
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(f"y has shape {labels.shape} for {n_rows} rows of P.")
    if labels.dtype.kind not in "iu" or labels.min() < 0 or labels.max() >= n_classes:
        raise ValueError(
            f"y must hold class positions, whole numbers from 0 to {n_classes - 1}; it holds "
            f"{np.unique(labels)[:5].tolist()}. np.unique(..., return_inverse=True) gives them."
        )
    return labels.astype(np.intp, copy=False)


def check_share(share: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    """Weights of the rows, shape (I,), that sum to 1; equal ones if not given.

    Examples
    --------
    >>> check_share([1, 3], 2).tolist()
    [0.25, 0.75]
    """
    if share is None:
        return np.full(n_rows, 1.0 / n_rows)
    weights = np.asarray(share, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(f"share has shape {weights.shape} for {n_rows} rows of P.")
    if not np.isfinite(weights).all() or (weights < 0.0).any() or not weights.any():
        raise ValueError("share must hold finite numbers >= 0, not all of them 0.")
    weights = weights / weights.max()
    return np.asarray(weights / weights.sum())


def check_strength(strength: Any) -> float:
    """A strength above 0."""
    is_number = isinstance(strength, Real) and not isinstance(strength, bool)
    if not is_number or not 0.0 < float(strength) < np.inf:
        raise ValueError(
            f"strength must be a finite number above 0, got {strength!r}: without a penalty a "
            "kernel fits any labels."
        )
    return float(strength)


def check_penalty(penalty: Any) -> None:
    """Refuse every penalty but "l2"."""
    if penalty != "l2":
        raise ValueError(
            f'penalty={penalty!r} has no form in the space of a kernel; use penalty="l2", or the '
            "linear combinations (kernel=None), which know l1 and group."
        )


def check_bias(bias: Any, combination: str, loss: str) -> bool:
    """Whether each function has a free constant.

    Examples
    --------
    >>> check_bias("auto", "cws", "squared"), check_bias("auto", "cws", "hinge")
    (False, True)
    """
    check_choice("bias", bias, ("auto", "none", "per_problem"))
    if bias == "auto":
        return loss == "hinge" or combination == "lsg"
    return bool(bias == "per_problem")


def check_kernel(
    P: NDArray[np.float64], combination: str, kernel: Any, gamma: Any, degree: Any, coef0: Any
) -> dict[str, Any]:
    """Parameters of a kernel as `uneven.linear.gram` takes them; the same for all classes.

    Parameters
    ----------
    P : ndarray of shape (I, M, N)
        Their variance is the scale of ``gamma``.
    combination : {"ws", "cws", "lsg"}
    kernel : {"linear", "poly", "rbf"}
    gamma : float, "scale", "auto" or None
        None is 1 for "poly" and "scale" otherwise.
    degree : int
    coef0 : float
        Not below 0.

    Returns
    -------
    dict of str to object

    Examples
    --------
    >>> check_kernel(np.eye(2)[None], "cws", "poly", None, 2, 1.0)
    {'gamma': 1.0, 'degree': 2, 'coef0': 1.0}
    """
    check_choice("kernel", kernel, KERNELS)
    check_integer("degree", degree, 1)
    if gamma is None:
        gamma = 1.0 if kernel == "poly" else "scale"
    X = class_tables(P, "lsg" if combination == "lsg" else "ws")[0]
    params = kernel_parameters(X, kernel, gamma, degree, coef0)
    if params["gamma"] is None:
        params["gamma"] = 1.0 / X.shape[1]
    if coef0 < 0:
        raise ValueError(f"coef0 must not be below 0, got {coef0!r}: it would be no kernel.")
    if kernel == "rbf":
        return params
    with np.errstate(over="ignore"):
        largest = float(np.einsum("ij,ij->i", X, X).max())
        if kernel == "poly":
            largest = np.power(params["gamma"] * largest + coef0, float(degree))
    if not largest < _LARGEST:
        raise ValueError(
            f"values of the {kernel} kernel reach {largest:g}: scale the scores, or lower degree."
        )
    return params
