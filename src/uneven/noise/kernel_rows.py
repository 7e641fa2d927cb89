"""Kernels of training rows as UMA reads them: with a constant for the intercept, of unit rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.linear.expansions import gram

__all__ = ["training_kernel"]


def training_kernel(
    X: Any, kernel: Any, params: dict[str, Any], constant: float, normalize: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Kernel of the training rows, as if each row had length 1.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_samples, n_features)
        Their kernel, if it is precomputed.
    kernel : str or callable
    params : dict of str to object
        Parameters of the kernel.
    constant : float
        Added to all values: what a constant feature would add.
    normalize : bool
        Divide by the lengths of the rows.

    Returns
    -------
    K : ndarray of shape (n_samples, n_samples)
    lengths : ndarray of shape (n_samples,)
        The lengths; 1 everywhere without ``normalize``, 0 for rows without direction.

    Examples
    --------
    >>> K, lengths = training_kernel(np.array([[3.0], [0.0]]), "linear", {}, 0.0, True)
    >>> K.tolist(), lengths.tolist()
    ([[1.0, 0.0], [0.0, 0.0]], [3.0, 0.0])
    """
    if kernel == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"a precomputed kernel of the training rows must be square, got shape {X.shape}."
        )
    X = X.toarray() if kernel == "precomputed" and sp.issparse(X) else X
    K = gram(X, None, kernel, **params) + constant
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
    if not normalize:
        return K, filled.astype(np.float64)
    lengths = np.sqrt(squares)
    divisors = np.where(filled, lengths, 1.0)
    return K / divisors[:, None] / divisors, lengths
