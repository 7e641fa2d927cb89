"""Multi-view metric learning with a sparse metric (MVMLsp), a baseline, in its compact form.

R. Huusari, H. Kadri and C. Capponi (2018), *Multi-view metric learning in vector-valued kernel
spaces*. Choices where the comparison it is quoted in says nothing: Gaussian kernels with the
inverse of the mean squared distance as their width, landmarks drawn at random, equal weights of
the views, and the two penalties as given below.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances


class SparseMetricLearning:
    """Ridge regression on kernel factors of the views, with a learnt metric between them.

    Parameters
    ----------
    views : dict of str to columns
    landmarks : float
        Share of the training rows that the kernel factors are built on.
    ridge, sparsity : float
        Penalties of the coefficients and of the blocks of the metric.
    n_loops : int
        Turns between coefficients and metric.
    """

    def __init__(
        self,
        views: dict,
        landmarks: float = 0.24,
        ridge: float = 0.1,
        sparsity: float = 0.01,
        n_loops: int = 6,
        random_state: int = 0,
    ) -> None:
        self.views = views
        self.landmarks = landmarks
        self.ridge = ridge
        self.sparsity = sparsity
        self.n_loops = n_loops
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> SparseMetricLearning:
        self.classes_ = np.unique(y)
        sign = np.where(y == self.classes_[1], 1.0, -1.0)
        size = max(1, int(self.landmarks * len(X)))
        chosen = np.random.default_rng(self.random_state).choice(len(X), size, replace=False)
        self._maps = [self._kernel_map(X[:, c], chosen) for c in self.views.values()]
        factors = self._factors(X)
        gram, target = factors.T @ factors, factors.T @ sign
        metric = np.eye(len(target))
        for _ in range(self.n_loops):
            inverse = np.linalg.inv(metric)
            self._coefficients = np.linalg.solve(gram + self.ridge * inverse, target)
            metric = self._improve(metric, inverse @ self._coefficients, size)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes_[(self._factors(X) @ self._coefficients >= 0.0).astype(int)]

    def _improve(self, metric: np.ndarray, slope: np.ndarray, size: int) -> np.ndarray:
        """One proximal step: downhill, weak blocks to zero, back to positive definite."""
        moved = metric + self.ridge * np.outer(slope, slope)
        n_views = len(self.views)
        blocks = moved.reshape(n_views, size, n_views, size)
        norms = np.sqrt((blocks**2).sum(axis=(1, 3), keepdims=True))
        shrunk = blocks * np.maximum(0.0, 1.0 - self.sparsity / np.maximum(norms, 1e-12))
        values, vectors = np.linalg.eigh(shrunk.reshape(moved.shape))
        return (vectors * np.maximum(values, 1e-6)) @ vectors.T

    def _factors(self, X: np.ndarray) -> np.ndarray:
        """Kernel factors of all views side by side, shape (n_samples, n_views * size)."""
        parts = [
            np.exp(-width * euclidean_distances(X[:, c], marks, squared=True)) @ root
            for c, (marks, width, root) in zip(self.views.values(), self._maps)
        ]
        return np.hstack(parts) / len(parts)

    def _kernel_map(self, X: np.ndarray, chosen: np.ndarray) -> tuple:
        """Landmarks, kernel width, and the inverse root of the landmarks' kernel."""
        marks = X[chosen]
        width = 1.0 / max(euclidean_distances(X, squared=True).mean(), 1e-12)
        kernel = np.exp(-width * euclidean_distances(marks, squared=True))
        values, vectors = np.linalg.eigh(kernel)
        return marks, width, vectors / np.sqrt(np.maximum(values, 1e-8)) @ vectors.T
