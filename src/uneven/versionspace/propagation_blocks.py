"""Passes of expectation propagation in many dimensions, as products of matrices.

Within a block of cuts everything happens between their own products; only then do mean and
covariance hear of it, at once. The result is that of site after site but for rounding, several
times sooner from about 150 dimensions on.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, cholesky
from scipy.linalg.lapack import dpotri
from threadpoolctl import ThreadpoolController

from uneven.versionspace.propagation_kernels import sweep_gram

__all__ = [
    "MANY",
    "few_threads",
    "refresh_cuts_by_blas",
    "refresh_gram_by_blas",
    "sweep_in_blocks",
]

MANY = 128
"""Dimensions above which blocks pay."""

_BLOCK = 64

_WORTH_THREADS = 1000
"""Dimensions below which threads wait for each other longer than they work."""


def few_threads(n_dims: int) -> AbstractContextManager[Any]:
    """One thread for products of small matrices while the block runs; as many as before after it.

    Parameters
    ----------
    n_dims : int

    Returns
    -------
    context manager
    """
    if not MANY < n_dims < _WORTH_THREADS:
        return nullcontext()
    return _controller().limit(limits=1, user_api="blas")


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def sweep_in_blocks(
    cuts: np.ndarray | None,
    flip: float,
    ridge: float,
    step: float,
    mean: np.ndarray,
    covariance: np.ndarray,
    sites: np.ndarray,
) -> None:
    """Match every site once, in order, as `sweep_cuts` and `sweep_gram` do.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, n_dims), or None
        None if mean and covariance are those of the products with the cuts.
    flip, ridge, step : float
    mean : ndarray of shape (n_dims,), changed
    covariance : ndarray of shape (n_dims, n_dims), changed
    sites : ndarray of shape (n_cuts, 2), changed
    """
    for start in range(0, len(sites), _BLOCK):
        mine = slice(start, start + _BLOCK)
        if cuts is None:
            towards, products = covariance[:, mine].copy(), mean[mine].copy()
            inner = towards[mine].copy()
        else:
            towards, products = covariance @ cuts[mine].T, cuts[mine] @ mean
            inner = np.ascontiguousarray(cuts[mine] @ towards)
        before = sites[mine].copy()
        sweep_gram(flip, ridge, step, products.copy(), inner.copy(), sites[mine])
        rise, push = (sites[mine] - before).T
        change = np.column_stack([rise[:, None] * towards.T, push - rise * products])
        change = np.linalg.solve(np.eye(len(rise)) + rise[:, None] * inner, change)
        covariance -= towards @ change[:, :-1]
        mean += towards @ change[:, -1]


def refresh_cuts_by_blas(
    cuts: np.ndarray, sites: np.ndarray, mean: np.ndarray, covariance: np.ndarray
) -> float:
    """The same as `refresh_cuts` of the compiled loops."""
    precision = cuts.T @ (cuts * sites[:, :1])
    precision[np.diag_indices_from(precision)] += 1.0
    factor = cholesky(precision, lower=False, check_finite=False)
    upper, _ = dpotri(factor)
    covariance[:] = np.triu(upper) + np.triu(upper, 1).T
    mean[:] = covariance @ (sites[:, 1] @ cuts)
    return float(np.log(factor.diagonal()).sum())


def refresh_gram_by_blas(
    gram: np.ndarray, sites: np.ndarray, mean: np.ndarray, covariance: np.ndarray
) -> float:
    """The same as `refresh_gram` of the compiled loops."""
    roots = np.sqrt(sites[:, 0])
    inner = gram * roots * roots[:, None]
    inner[np.diag_indices_from(inner)] += 1.0
    factor = cholesky(inner, lower=False, check_finite=False)
    rows = gram * roots[:, None]
    covariance[:] = gram - rows.T @ cho_solve((factor, False), rows, check_finite=False)
    mean[:] = covariance @ sites[:, 1]
    return float(np.log(factor.diagonal()).sum())
