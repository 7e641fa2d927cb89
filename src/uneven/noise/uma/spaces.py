"""Representations of UMA's vectors: columns of numbers, or combinations of training rows.

Both spaces have the same interface, so that the algorithm is the same in both.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from uneven.linear.expansions import gram
from uneven.noise.matrices import check_noise_matrix, invert_noise
from uneven.noise.uma._loops import count_groups, move_dense, move_sparse
from uneven.noise.uma.groups import NOT_NEGATIVE, UNCOUNTED, label_weights, top_classes
from uneven.utils.validation import check_array

_CHUNK = 10_000_000
"""Numbers in a block of update vectors."""

_FULL_PASS_SHARE = 0.5
"""If more of the rows change their group, all sums are taken anew."""


class Space(Protocol):
    """Interface of UMA to a space.

    Attributes
    ----------
    norms : ndarray of shape (n_classes, n_classes)
        Lengths of the update vectors of all pairs (predicted, true).
    """

    norms: np.ndarray

    def zeros(self, n_classes: int) -> np.ndarray:
        """Class vectors of length zero, one per row."""

    def regroup(self, group: np.ndarray | None) -> None:
        """Set the predicted class of each row; None means every row in every class."""

    def vector(self, predicted: int, true: int) -> np.ndarray:
        """The update vector of a pair."""

    def project(self, vector: np.ndarray, coef: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Products of an update vector with the class vectors, shape (n_classes,)."""

    def scores(self, vectors: np.ndarray) -> np.ndarray:
        """Products of all rows with a vector, or with each row of a matrix of vectors.

        Shape (n_samples,) or (n_samples, n_vectors).
        """

    def gram(self, coef: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Products of the class vectors with each other, shape (n_classes, n_classes)."""


class FeatureSpace:
    """Vectors of numbers, one per feature.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_samples, n_features)
    labels : CSR array of shape (n_samples, n_classes)
        Weights of the labels.
    inverse : ndarray of shape (n_classes, n_classes)
        Inverse of the noise matrix.
    """

    def __init__(self, X: Any, labels: sp.csr_array, inverse: np.ndarray) -> None:
        self.X: Any = X if sp.issparse(X) else np.ascontiguousarray(X)
        self.labels: Any = labels / max(1, X.shape[0])
        self.inverse = inverse
        self.norms = np.zeros(inverse.shape)

    def zeros(self, n_classes: int) -> np.ndarray:
        """Class vectors of length zero, shape (n_classes, n_features)."""
        return np.zeros((n_classes, self.X.shape[1]))

    def project(self, vector: np.ndarray, coef: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Products of an update vector with the class vectors, shape (n_classes,)."""
        return np.asarray(coef @ vector)

    def scores(self, vectors: np.ndarray) -> np.ndarray:
        """Products of all rows with a vector or several, (n_samples,) or (n_samples, n_vectors)."""
        return np.asarray(self.X @ vectors.T)

    def gram(self, coef: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Products of the class vectors with each other, shape (n_classes, n_classes)."""
        return np.asarray(coef @ coef.T)


class PrimalSpace(FeatureSpace):
    """Vectors of numbers, one per feature, with the sums of all pairs of classes.

    The sums of the rows by predicted class and label are kept, and only rows that change their
    predicted class are moved. All update vectors are combinations of these sums.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_samples, n_features)
    labels : CSR array of shape (n_samples, n_classes)
        Weights of the labels.
    inverse : ndarray of shape (n_classes, n_classes)
        Inverse of the noise matrix.

    Examples
    --------
    >>> from uneven.noise.uma.groups import label_weights
    >>> space = PrimalSpace(np.eye(2), label_weights([0, 1], 2), np.eye(2))
    >>> space.regroup(np.array([0, 0]))
    >>> space.norms.tolist(), space.vector(0, 1).tolist()
    ([[0.5, 0.5], [0.0, 0.0]], [0.0, 0.5])
    """

    def __init__(self, X: Any, labels: sp.csr_array, inverse: np.ndarray) -> None:
        super().__init__(X, labels, inverse)
        n_classes = len(inverse)
        self._filled = np.zeros((n_classes, n_classes))
        self._sums = np.zeros((n_classes, n_classes, X.shape[1]))
        self._group: np.ndarray | None = np.full(X.shape[0], -1)

    def regroup(self, group: np.ndarray | None) -> None:
        """Bring the sums and the lengths of the vectors up to date."""
        if group is None:
            whole = self.labels.T @ self.X
            whole = whole.toarray() if sp.issparse(whole) else whole
            self._sums[:] = whole[:, None]
            self.norms[:] = self._lengths(np.zeros(1, dtype=int))
        else:
            changed = self._move(group)
            n_blocks = 1 + len(changed) * self._sums[:, 0].size // _CHUNK
            for some in np.array_split(changed, n_blocks):
                self.norms[some] = self._lengths(some)
        self._group = None if group is None else group.copy()

    def vector(self, predicted: int, true: int) -> np.ndarray:
        """The update vector of a pair, shape (n_features,)."""
        return np.asarray(self.inverse[true] @ self._sums[:, predicted])

    def vectors(self) -> np.ndarray:
        """The update vectors of all pairs, shape (n_classes, n_classes, n_features)."""
        n_classes = len(self.inverse)
        vectors = (self.inverse @ self._sums.reshape(n_classes, -1)).reshape(self._sums.shape)
        return np.ascontiguousarray(vectors.swapaxes(0, 1))

    def _lengths(self, predicted: np.ndarray) -> np.ndarray:
        """Lengths of the vectors of some predicted classes, shape (n_predicted, n_classes)."""
        n_classes = len(self.inverse)
        sums = self._sums if len(predicted) == n_classes else self._sums[:, predicted]
        vectors = (self.inverse @ sums.reshape(n_classes, -1)).reshape(sums.shape)
        return np.sqrt(np.einsum("qpd,qpd->pq", vectors, vectors))

    def _move(self, group: np.ndarray) -> np.ndarray:
        """Move the rows whose group has changed; the predicted classes whose sums did change."""
        n_classes = len(self.inverse)
        if self._group is not None:
            moved = np.flatnonzero(group != self._group)
            if len(moved) <= _FULL_PASS_SHARE * len(group):
                self._add(moved, self._group, group)
                self._sums[self._emptied(group).T] = 0.0
                return touched(self._group[moved], group[moved], n_classes)
        self._sums[:] = 0.0
        self._emptied(group)
        self._add(np.arange(len(group)), np.full(len(group), UNCOUNTED), group)
        return np.arange(n_classes)

    def _emptied(self, group: np.ndarray) -> np.ndarray:
        """Sums that no row is part of any more, where moving rows has left rounding errors."""
        earlier, labels = self._filled, self.labels
        self._filled = np.zeros_like(earlier)
        count_groups(group, np.abs(labels.data), labels.indices, labels.indptr, self._filled)
        return (self._filled == 0.0) & (earlier != 0.0)

    def _add(self, moved: np.ndarray, earlier: np.ndarray, group: np.ndarray) -> None:
        """Move rows from the sums of one group to those of another."""
        labels = (self.labels.data, self.labels.indices, self.labels.indptr)
        if sp.issparse(self.X):
            rows = (self.X.data, self.X.indices, self.X.indptr)
            move_sparse(*rows, moved, earlier, group, *labels, self._sums)
        else:
            move_dense(self.X, moved, earlier, group, *labels, self._sums)


class DualSpace:
    """Combinations of training rows, known by their kernel values only.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Kernel of the training rows.
    labels : CSR array of shape (n_samples, n_classes)
    inverse : ndarray of shape (n_classes, n_classes)

    Notes
    -----
    A step costs one product of ``K`` with a vector, and up to one pass over ``K`` for the lengths.
    No combination is sparse: all rows of a predicted class take part in its vectors.

    Examples
    --------
    >>> from uneven.noise.uma.groups import label_weights
    >>> space = DualSpace(np.eye(2), label_weights([0, 1], 2), np.eye(2))
    >>> space.regroup(np.array([0, 0]))
    >>> space.norms.tolist(), space.vector(0, 1).tolist()
    ([[0.5, 0.5], [0.0, 0.0]], [0.0, 0.5])
    """

    def __init__(self, K: np.ndarray, labels: sp.csr_array, inverse: np.ndarray) -> None:
        self.K = K
        self._weights = np.asarray((labels / max(1, len(K))) @ inverse.T)
        n_classes = len(inverse)
        self.norms = np.zeros((n_classes, n_classes))
        self._group: np.ndarray | None = np.full(len(K), -1)

    def zeros(self, n_classes: int) -> np.ndarray:
        """Class vectors of length zero, shape (n_classes, n_samples)."""
        return np.zeros((n_classes, len(self.K)))

    def regroup(self, group: np.ndarray | None) -> None:
        """Bring the lengths of the vectors up to date."""
        if group is None:
            self.norms[:] = self._lengths(np.arange(len(self.K)))
        else:
            changed = np.arange(len(self.norms))
            if self._group is not None:
                moved = group != self._group
                changed = touched(self._group[moved], group[moved], len(changed))
            for p in changed:
                self.norms[p] = self._lengths(np.flatnonzero(group == p))
        self._group = None if group is None else group.copy()

    def vector(self, predicted: int, true: int) -> np.ndarray:
        """The update vector of a pair: the coefficient of each row, shape (n_samples,)."""
        if self._group is None:
            return self._weights[:, true].copy()
        return np.where(self._group == predicted, self._weights[:, true], 0.0)

    def project(self, vector: np.ndarray, coef: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Products of an update vector with the class vectors, shape (n_classes,)."""
        return np.asarray(vector @ scores)

    def scores(self, vectors: np.ndarray) -> np.ndarray:
        """Products of all rows with a vector or several, (n_samples,) or (n_samples, n_vectors)."""
        return np.asarray(self.K @ vectors.T)

    def gram(self, coef: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Products of the class vectors with each other, shape (n_classes, n_classes)."""
        return np.asarray(coef @ scores)

    def _lengths(self, rows: np.ndarray) -> np.ndarray:
        """Lengths of the vectors of one predicted class, shape (n_classes,)."""
        weights = self._weights[rows]
        products = self.K[np.ix_(rows, rows)] @ weights
        return np.sqrt(np.maximum(np.einsum("ij,ij->j", weights, products), 0.0))


def touched(earlier: np.ndarray, later: np.ndarray, n_classes: int) -> np.ndarray:
    """Classes that lose or gain a row."""
    touched = np.zeros(n_classes + 1, dtype=bool)
    touched[earlier] = True
    touched[later] = True
    return np.flatnonzero(touched[:n_classes])


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


def update_vectors(
    X: Any,
    y: Any,
    coef: ArrayLike,
    noise_matrix: ArrayLike,
    *,
    alpha: float = 0.0,
    on_singular: str = "raise",
) -> np.ndarray:
    """Estimate, for each pair of classes, the sum of rows of one that are predicted as the other.

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
    NOT_NEGATIVE.check("alpha", alpha)
    labels = label_weights(y, len(noise.matrix))
    if labels.shape[0] != X.shape[0]:
        raise ValueError(f"y has {labels.shape[0]} rows, X has {X.shape[0]}.")
    space = PrimalSpace(X, labels, noise.inverse)
    space.regroup(top_classes(np.asarray(X @ coef.T), alpha) if coef.any() else None)
    return space.vectors()
