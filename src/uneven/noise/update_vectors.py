"""Sums of mislabelled rows that behave, on average, like rows with their true labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from uneven.noise.grouped_sums import label_weights, top_classes
from uneven.noise.matrices import check_noise_matrix, invert_noise
from uneven.noise.spaces import PrimalSpace
from uneven.noise.uma_parameters import check_not_negative

__all__ = ["update_vectors"]


def update_vectors(
    X: Any,
    y: Any,
    coef: ArrayLike,
    noise_matrix: ArrayLike,
    *,
    alpha: float = 0.0,
    on_singular: str = "raise",
) -> np.ndarray:
    """Estimate, for every pair of classes, the sum of the rows of one that are taken for the other.

    Entry (p, q) is ``1/n sum_i C^-1[q, y_i] x_i`` over the rows whose best class is p, by at
    least ``alpha``. If the labels were drawn with the noise matrix ``C`` and ``coef`` does not
    depend on them, its mean is ``1/n`` times the sum of the rows in that set whose *true* class is
    q.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of int, shape (n_samples,), or array-like or sparse matrix of shape \
(n_samples, n_classes)
        Observed labels as positions of classes, or the weight of every label in every row. A
        row that is known to be of class t has the weights ``noise_matrix[:, t]``.
    coef : array-like of shape (n_classes, n_features)
        With a matrix of zeros, every row belongs to every class.
    noise_matrix : array-like of shape (n_classes, n_classes)
        ``noise_matrix[i, j]`` is the share of class j that is labelled i.
    alpha : float, default=0.0
        Lead over all other classes that a row needs to count as predicted.
    on_singular : {"raise", "shrink", "pinv"}, default="raise"
        See :func:`~uneven.noise.invert_noise`.

    Returns
    -------
    ndarray of shape (n_classes, n_classes, n_features)
        Predicted class, true class, features.

    References
    ----------
    U. Louche and L. Ralaivola (2013), *Unconfused ultraconservative multiclass algorithms*.

    Examples
    --------
    With the noise matrix of labels without noise, the rows are just summed by label:

    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], [0, 1, 0]
    >>> update_vectors(X, y, coef=np.eye(2), noise_matrix=np.eye(2))[1].round(3).tolist()
    [[0.2, 0.267], [0.0, 0.333]]
    """
    X = check_array(X, accept_sparse="csr", dtype=np.float64)
    noise = invert_noise(check_noise_matrix(noise_matrix), on_singular)
    coef = np.asarray(coef, dtype=np.float64)
    if coef.shape != (len(noise.matrix), X.shape[1]):
        raise ValueError(
            f"coef has shape {coef.shape}, but there are {len(noise.matrix)} classes and "
            f"{X.shape[1]} features: it must be {(len(noise.matrix), X.shape[1])}."
        )
    if not np.isfinite(coef).all():
        raise ValueError("coef holds NaN or infinity: no class can be predicted with it.")
    check_not_negative("alpha", alpha)
    labels = label_weights(y, len(noise.matrix))
    if labels.shape[0] != X.shape[0]:
        raise ValueError(f"y has {labels.shape[0]} rows, X has {X.shape[0]}.")
    space = PrimalSpace(X, labels, noise.inverse)
    space.regroup(top_classes(np.asarray(X @ coef.T), alpha) if coef.any() else None)
    return space.vectors()
