"""The rows that learners of chapter 4 see: kernel axes of images, words of documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from sklearn.decomposition import KernelPCA
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import rbf_kernel

from uneven_published.description import Context
from uneven_published.louche.cheap_labels import Rows
from uneven_published.louche.topic_documents import topic_documents

__all__ = ["GeneratedTopics", "KernelImages", "Source", "Words", "largest_classes"]

Floats = NDArray[np.float64]
_JITTER = 1e-8


class Source(Protocol):
    """Where rows come from."""

    @property
    def n_per_class(self) -> int:
        """Labelled rows of each class for the rough classifier."""

    @property
    def steps(self) -> int:
        """Steps of UMA."""

    def rows(self, context: Context, repeat: int) -> Rows:
        """Rows for learners of linear classifiers."""

    def unprojected(self, context: Context, repeat: int) -> Rows | None:
        """Rows before a projection, None if there is none."""


@dataclass(frozen=True)
class KernelImages:
    """Numeric rows through a Gaussian kernel, on its leading axes.

    Attributes
    ----------
    name : str
        Of the data set.
    n_train : int
        The first rows are for training.
    n_test : int or None
        Rows behind the training rows; all if None.
    scale : float
        Features are divided by it.
    n_per_class : int
        Labelled rows for the rough classifier.
    n_axes, n_landmarks : int
        Axes kept, and training rows that they are made from.
    width : float
        Of the kernel, ``exp(-|x - z|^2 / (2 width^2))``.
    steps : int
        Of UMA.
    """

    name: str
    n_train: int
    scale: float
    n_per_class: int
    n_axes: int
    n_landmarks: int
    width: float
    steps: int
    n_test: int | None = None

    def at_width(self, width: float) -> KernelImages:
        """The same with another width."""
        return replace(self, width=width)

    def plain(self, context: Context) -> tuple[Floats, NDArray[Any]]:
        """Scaled features and labels of all rows."""
        data = context.fetch(self.name)
        stop = None if self.n_test is None else self.n_train + self.n_test
        X = data.data.to_numpy(dtype=np.float64)[:stop] / self.scale
        return X, np.asarray(data.target)[:stop].astype(int)

    def rows(self, context: Context, repeat: int) -> Rows:
        """Unit rows on the leading kernel axes; the axes are made from training inputs only."""
        X, t = self.plain(context)
        axes = KernelPCA(self.n_axes, kernel="rbf", gamma=self._gamma)
        axes.fit(X[: self.n_train][self._landmarks()])
        Z = np.vstack([axes.transform(part) for part in np.array_split(X, 10)])
        return self._cut(Z, t)

    def unprojected(self, context: Context, repeat: int) -> Rows:
        """Unit rows whose products are the centred kernel, up to their lengths.

        Exact if all training rows are landmarks.
        """
        X, t = self.plain(context)
        landmarks = X[: self.n_train][self._landmarks()]
        K = rbf_kernel(landmarks, gamma=self._gamma)
        K[np.diag_indices_from(K)] += _JITTER
        root = cholesky(K, lower=True, overwrite_a=True)
        cross = rbf_kernel(landmarks, X, gamma=self._gamma)
        return self._cut(solve_triangular(root, cross, lower=True, overwrite_b=True).T, t)

    @property
    def _gamma(self) -> float:
        return 0.5 / self.width**2

    def _landmarks(self) -> NDArray[np.intp]:
        return np.random.default_rng(0).permutation(self.n_train)[: self.n_landmarks]

    def _cut(self, Z: Floats, t: NDArray[Any]) -> Rows:
        """Centre on the training rows, scale to unit length, split."""
        n = self.n_train
        Z -= Z[:n].mean(axis=0)
        Z /= np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-300)
        return Rows(Z[:n], t[:n], Z[n:], t[n:])


@dataclass(frozen=True)
class Words:
    """Documents as tf-idf words, of the largest classes.

    Attributes
    ----------
    name : str
        Of the data set; its official training and test rows are used.
    n_largest : int
        Classes kept.
    n_per_class : int
    steps : int
    """

    name: str
    n_largest: int
    n_per_class: int
    steps: int

    def rows(self, context: Context, repeat: int) -> Rows:
        """Unit tf-idf rows."""
        return largest_classes(context.fetch(self.name), self.n_largest)

    def unprojected(self, context: Context, repeat: int) -> None:
        """There is no kernel."""


@dataclass(frozen=True)
class GeneratedTopics:
    """Generated documents, drawn anew in each repetition."""

    n_per_class: int
    steps: int

    def rows(self, context: Context, repeat: int) -> Rows:
        """Unit rows of words."""
        return topic_documents(10 + repeat)

    def unprojected(self, context: Context, repeat: int) -> None:
        """There is no kernel."""


def largest_classes(data: Any, n_largest: int) -> Rows:
    """Tf-idf rows of unit length of the largest classes; word weights from the training rows.

    Training rows come in random order: the collection is sorted by class, which misleads learners
    that read row by row.
    """
    labels, sizes = np.unique(data.target, return_counts=True)
    kept = np.isin(data.target, labels[np.argsort(-sizes, kind="stable")[:n_largest]])
    train = np.intersect1d(data.train_rows, np.flatnonzero(kept))
    test = np.intersect1d(data.test_rows, np.flatnonzero(kept))
    tfidf = TfidfTransformer(sublinear_tf=True)
    counts = data.data.astype(np.float64)
    X = tfidf.fit_transform(counts[train]).tocsr()
    X_test = tfidf.transform(counts[test]).tocsr()
    return Rows(X, data.target[train], X_test, data.target[test]).shuffled(0)
