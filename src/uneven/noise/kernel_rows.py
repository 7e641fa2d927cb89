"""Kernel values as UMA reads them: with a constant for the intercept, of unit diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels

__all__ = ["kernel_values", "training_kernel"]


def kernel_values(estimator: Any, X: Any, Y: Any) -> np.ndarray:
    """Kernel between rows.

    Parameters
    ----------
    estimator : object
        Has ``kernel``, ``gamma``, ``degree``, ``coef0`` and ``fit_intercept``.
    X : ndarray or CSR of shape (n_samples, n_features)
        Kernel values with all training rows if the kernel is ``"precomputed"``.
    Y : ndarray or CSR of shape (n_others, n_features)
        Positions of the training rows if the kernel is ``"precomputed"``.

    Returns
    -------
    ndarray of shape (n_samples, n_others)
        One more than the kernel with ``fit_intercept``: that is what a constant feature adds.
    """
    constant = 1.0 if estimator.fit_intercept else 0.0
    if isinstance(estimator.kernel, str) and estimator.kernel == "precomputed":
        values = X[:, Y]
        return np.asarray(values.toarray() if sp.issparse(values) else values) + constant
    params: dict[str, Any] = {}
    if isinstance(estimator.kernel, str):
        params = {name: getattr(estimator, name) for name in ("gamma", "degree", "coef0")}
    values = pairwise_kernels(X, Y, metric=estimator.kernel, filter_params=True, **params)
    return np.asarray(values, dtype=np.float64) + constant


def training_kernel(estimator: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Kernel of the training rows, as if each row had length 1.

    Parameters
    ----------
    estimator : object
        As for `kernel_values`; has ``normalize``.
    X : ndarray or CSR of shape (n_samples, n_features)

    Returns
    -------
    K : ndarray of shape (n_samples, n_samples)
        Divided by the lengths of its rows if ``normalize``.
    lengths : ndarray of shape (n_samples,)
        The lengths; 1 everywhere without ``normalize``, 0 for rows without direction.
    """
    others = X
    if isinstance(estimator.kernel, str) and estimator.kernel == "precomputed":
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f"a precomputed kernel of the training rows must be square, got shape {X.shape}."
            )
        others = np.arange(X.shape[0])
    K = kernel_values(estimator, X, others)
    if not np.isfinite(K).all():
        raise ValueError("the kernel holds values that are not finite: scale the columns of X.")
    squares = np.diag(K)
    if (squares < 0.0).any():
        i = int(squares.argmin())
        raise ValueError(
            f"the kernel of row {i} with itself is {squares[i]:.3g}: a kernel must not be negative "
            "there (it would be the square of a length)."
        )
    filled = squares > 0.0
    if not estimator.normalize:
        return K, filled.astype(np.float64)
    lengths = np.sqrt(squares)
    divisors = np.where(filled, lengths, 1.0)
    return K / divisors[:, None] / divisors, lengths
