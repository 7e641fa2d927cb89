"""What a non-linear combination asks of its settings."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven.linear.expansions import kernel_parameters
from uneven.stacking.transformation import class_tables
from uneven.utils.parameters import check_choice, check_integer

__all__ = [
    "KERNELS",
    "check_bias",
    "check_kernel",
    "check_penalty",
    "check_strength",
]

KERNELS = ("linear", "poly", "rbf")
_LARGEST = 1e150
"""Kernel values above it would not survive being squared."""


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
