"""UMA's vectors for wide sparse rows: sums of one predicted class at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.noise.uma.spaces import FeatureSpace, touched


class SparseSpace(FeatureSpace):
    """Vectors of numbers, without the sums of all pairs of classes.

    These sums are dense, ``n_classes ** 2 * n_features`` numbers. Here the rows of a predicted
    class are summed again when one of them comes or goes, in the columns that they fill. A table of
    ``n_classes * n_features`` numbers is the largest that is made.

    Parameters
    ----------
    X : CSR of shape (n_samples, n_features)
    labels : CSR array of shape (n_samples, n_classes)
        Weights of the labels.
    inverse : ndarray of shape (n_classes, n_classes)
        Inverse of the noise matrix.

    Examples
    --------
    >>> from uneven.noise.uma.groups import label_weights
    >>> space = SparseSpace(sp.csr_array(np.eye(2)), label_weights([0, 1], 2), np.eye(2))
    >>> space.regroup(np.array([0, 0]))
    >>> space.norms.tolist(), space.vector(0, 1).tolist()
    ([[0.5, 0.5], [0.0, 0.0]], [0.0, 0.5])
    """

    def __init__(self, X: Any, labels: sp.csr_array, inverse: np.ndarray) -> None:
        super().__init__(X, labels, inverse)
        self._group: np.ndarray | None = None

    def regroup(self, group: np.ndarray | None) -> None:
        """Bring the lengths of the vectors up to date."""
        if group is None:
            self.norms[:] = self._lengths(self.X, self.labels)
        else:
            n_classes = len(self.inverse)
            changed = np.arange(n_classes)
            if self._group is not None:
                moved = group != self._group
                changed = touched(self._group[moved], group[moved], n_classes)
            for predicted in changed:
                rows = np.flatnonzero(group == predicted)
                self.norms[predicted] = self._lengths(self.X[rows], self.labels[rows])
        self._group = None if group is None else group.copy()

    def vector(self, predicted: int, true: int) -> np.ndarray:
        """The update vector of a pair, shape (n_features,)."""
        weights = self.labels @ self.inverse[true]
        if self._group is not None:
            weights = np.where(self._group == predicted, weights, 0.0)
        return np.asarray(self.X.T @ weights)

    def _lengths(self, X: Any, labels: sp.csr_array) -> np.ndarray:
        """Lengths of the vectors of the rows of one predicted class, shape (n_classes,)."""
        sums = sp.csr_array(labels.T @ X)
        filled = np.unique(sums.indices)
        vectors = self.inverse @ sums[:, filled].toarray()
        return np.sqrt(np.einsum("qd,qd->q", vectors, vectors))
