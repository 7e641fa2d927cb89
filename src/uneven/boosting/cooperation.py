"""How much a view's mistake counts when another view is right: MuMBo's cooperation rules.

A rule answers for the rows in which some views are right and some are wrong; the others are
settled: a view that is right always learns with share 1, and so does every view of a row that all
its present views get wrong. Whatever the rule answers, the loss of each view is bounded as long
as shares lie in [0, 1].

References
----------
S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
methods*, PhD thesis, Aix-Marseille Université, chapter 2.

Notes
-----
Corrections of the source: the Gaussian rule has a minus in its exponent (with the printed plus its
shares would exceed 1); rows that every view gets wrong count fully under every rule (by their
printed formulas, the ratio rule would give them 0 and the half rule 0.5).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["COOPERATION_RULES", "binary", "cooperation_shares", "gauss", "half", "ratio"]

Rule = Callable[[np.ndarray, np.ndarray], Any]


def _wrong_share(right: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Share of the present views that are wrong, shape (n_samples, 1)."""
    n_present = present.sum(axis=1, keepdims=True)
    n_right = right.sum(axis=1, keepdims=True)
    return np.asarray((n_present - n_right) / np.maximum(n_present, 1))


def binary(right: np.ndarray, present: np.ndarray) -> Any:
    """Do not push an example that another view already has right."""
    return 0.0


def ratio(right: np.ndarray, present: np.ndarray) -> Any:
    """Push it by the share of the views that are right."""
    return 1.0 - _wrong_share(right, present)


def gauss(right: np.ndarray, present: np.ndarray, centre: float = 0.5) -> Any:
    """Push it most when the share of views in error is near ``centre``."""
    return np.exp(-((centre - _wrong_share(right, present)) ** 2))


def half(right: np.ndarray, present: np.ndarray) -> Any:
    """Push it least when half of the views are wrong."""
    return np.abs(0.5 - _wrong_share(right, present))


COOPERATION_RULES: dict[str, Rule] = {
    "binary": binary,
    "ratio": ratio,
    "gauss": gauss,
    "half": half,
}


def cooperation_shares(rule: str | Rule, right: np.ndarray, present: np.ndarray) -> np.ndarray:
    """How much of its vote weight each view applies to its own costs, row by row.

    Parameters
    ----------
    rule : {"binary", "ratio", "gauss", "half"} or callable
        A callable gets ``right`` and ``present`` and returns numbers in [0, 1]: one for all, one
        per row of shape (n_samples, 1), or an array of their shape.
    right : ndarray of bool, shape (n_samples, n_views)
        Which views answer rightly; False where absent.
    present : ndarray of bool, shape (n_samples, n_views)

    Returns
    -------
    ndarray of shape (n_samples, n_views)

    Examples
    --------
    One row that both views miss, one that only the first has right:

    >>> import numpy as np
    >>> right = np.array([[False, False], [True, False]])
    >>> cooperation_shares("binary", right, np.ones((2, 2), dtype=bool))
    array([[1., 1.],
           [1., 0.]])
    """
    function = rule if callable(rule) else COOPERATION_RULES[rule]
    shares = np.asarray(function(right, present), dtype=np.float64)
    if shares.shape not in ((), (len(right), 1), right.shape):
        raise ValueError(
            f"cooperation={rule!r} must return a number, or an array of shape {right.shape} or "
            f"{(len(right), 1)}; got shape {shares.shape}."
        )
    if callable(rule) and not np.all((shares >= 0.0) & (shares <= 1.0)):
        raise ValueError(
            f"cooperation={rule!r} must return numbers in [0, 1]; got values from "
            f"{np.min(shares)} to {np.max(shares)}."
        )
    settled = right | ~np.logical_or.reduce(right, axis=1, keepdims=True)
    return np.where(settled, 1.0, shares) if shares.any() else settled.astype(np.float64)
