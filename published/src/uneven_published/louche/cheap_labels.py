"""The cheap-label protocol: a rough classifier labels everything, and learners make do with that.

Some rows of every class are labelled and train the rough classifier (a batch perceptron). A uniform
sample of other training rows is labelled too, to see how the rough classifier confuses classes. It
labels the whole training set; who knows the confusion matrix may use it. Errors are measured on
clean test rows. The rows are images, texts, and documents drawn from topics.

References
----------
U. Louche (2016), *From confusion noise to active learning: playing on label availability in linear
classification problems*, PhD thesis, Aix-Marseille Université, section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cholesky, solve_triangular
from sklearn.decomposition import KernelPCA
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import rbf_kernel

from uneven.linear import UltraconservativeClassifier
from uneven.noise import UMAClassifier, confusion_from_clean
from uneven_published.description import Context

Labels = NDArray[Any]

CONFUSION_SHARE = 0.05
_MANY = 2000
ROUGH, CHEAP, BATCH, UMA = "rough", "h_Sy", "h_Sy, batch", "UMA"
SAMPLE, CLEAN = "h_Sconf", "h_St"
CORE = (ROUGH, CHEAP, BATCH, UMA, SAMPLE, CLEAN)


@dataclass(frozen=True)
class Rows:
    """Features (n, d) and true labels (n,) of the training and the test rows."""

    X: Any
    t: Labels
    X_test: Any
    t_test: Labels

    @property
    def classes(self) -> Labels:
        """Sorted classes of the training rows."""
        return np.unique(self.t)

    def shuffled(self, seed: int) -> Rows:
        """The same with training rows in random order, for learners that read them one by one."""
        order = np.random.default_rng(seed).permutation(len(self.t))
        return Rows(self.X[order], self.t[order], self.X_test, self.t_test)

    def error(self, model: Any) -> float:
        """Share of the test rows that a model gets wrong."""
        return float(np.mean(model.predict(self.X_test) != self.t_test))


@dataclass(frozen=True)
class Labelled:
    """Which training rows have a true label: to learn from, and to see the confusion."""

    few: NDArray[np.intp]
    sample: NDArray[np.intp]


@dataclass(frozen=True)
class Draw:
    """One run: the rows, which of them are labelled, and what the rough classifier says of all."""

    rows: Rows
    labelled: Labelled
    rough: UMAClassifier
    cheap: Labels

    @classmethod
    def of(cls, rows: Rows, labelled: Labelled) -> Draw:
        """Let the rough classifier label the training rows."""
        rough = rough_classifier(rows, labelled)
        return cls(rows, labelled, rough, rough.predict(rows.X))


def draw_labelled(
    t: Labels, n_per_class: int, seed: int, share: float = CONFUSION_SHARE, whole: bool = True
) -> Labelled:
    """Draw the labelled rows of one run: the same number of every class, then a share of the rest.

    Parameters
    ----------
    t : ndarray of shape (n,)
        True labels of the training rows.
    n_per_class : int
    seed : int
    share : float
        Size of the sample, relative to all training rows; at most the rows that are left.
    whole : bool
        Draw a sample that lacks a class again: it shows nothing of its column of the matrix.

    Returns
    -------
    Labelled
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(t))
    few = np.concatenate([order[t[order] == c][:n_per_class] for c in np.unique(t)])
    rest = np.setdiff1d(order, few)
    size = min(round(share * len(t)), len(rest))
    while True:
        sample = rng.choice(rest, size, replace=False)
        if not whole or len(np.unique(t[sample])) == len(np.unique(t)):
            return Labelled(few, sample)


def rough_classifier(rows: Rows, labelled: Labelled) -> UMAClassifier:
    """Batch perceptron on the few labelled rows."""
    return UMAClassifier(max_iter=500, average=False).fit(
        rows.X[labelled.few], rows.t[labelled.few]
    )


def seen_matrix(draw: Draw, sample: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
    """Confusion of the rough classifier on the sample; a class not seen counts as never mistaken.

    Parameters
    ----------
    draw : Draw
    sample : ndarray of int, optional
        Another sample than that of the draw.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Column = true class.
    """
    rows = draw.labelled.sample if sample is None else sample
    truth, said = draw.rows.t[rows], draw.cheap[rows]
    found = confusion_from_clean(truth, said, classes=draw.rows.classes, on_empty="identity")
    return found.matrix


def core_learners(
    draw: Draw, steps: int, names: tuple[str, ...] = CORE
) -> list[tuple[str, Callable[[], Any]]]:
    """The learners of the source that need no other package, as functions that fit them.

    Parameters
    ----------
    draw : Draw
    steps : int
        Of UMA.
    names : tuple of str

    Returns
    -------
    list of (str, callable)
    """
    X, t, sample = draw.rows.X, draw.rows.t, draw.labelled.sample
    cheap, n = draw.cheap, len(t)
    fits: dict[str, Callable[[], Any]] = {
        ROUGH: lambda: draw.rough,
        CHEAP: lambda: perceptron(n).fit(X, cheap),
        BATCH: lambda: uma(steps).fit(X, cheap),
        UMA: lambda: uma(steps, seen_matrix(draw)).fit(X, cheap),
        SAMPLE: lambda: perceptron(len(sample)).fit(X[sample], t[sample]),
        CLEAN: lambda: perceptron(n).fit(X, t),
    }
    return [(name, fits[name]) for name in names]


def uma(steps: int, matrix: Any = None, **options: Any) -> UMAClassifier:
    """UMA with its last class vectors; a singular matrix is drawn towards the identity."""
    known = {"average": False, "on_singular": "shrink", **options}
    return UMAClassifier(matrix, max_iter=steps, **known)


def perceptron(n_rows: int) -> UltraconservativeClassifier:
    """Multi-class perceptron that goes over many rows 10 times, over few 50 times."""
    return UltraconservativeClassifier(max_epochs=10 if n_rows > _MANY else 50)


TOPIC_SIZES = (4000, 1700, 1200, 900, 800, 700, 600, 550, 500)
_N_WORDS = 5000
_CONCENTRATION = 0.05
_OWN_SHARE = 0.28
_MEAN_LENGTH, _SHORTEST = 80, 5


def topic_documents(
    seed: int, sizes: tuple[int, ...] = TOPIC_SIZES, n_words: int = _N_WORDS
) -> Rows:
    """Draw topics, then documents whose words mix their topic with a background.

    A word comes from the topic with probability 0.28, which makes the errors of the rough and of
    the best classifier resemble those published for Reuters; it says nothing about Reuters itself.

    Parameters
    ----------
    seed : int
    sizes : tuple of int
        Documents of each topic, of the training set and again of the test set.
    n_words : int
        Size of the vocabulary.

    Returns
    -------
    Rows
        Sparse rows ``1 + ln(count)`` of unit length; training rows in random order.

    Examples
    --------
    >>> rows = topic_documents(0, sizes=(30, 20), n_words=100)
    >>> rows.X.shape, np.bincount(rows.t_test).tolist()
    ((50, 100), [30, 20])
    """
    rng = np.random.default_rng(seed)
    *topics, background = rng.dirichlet(np.full(n_words, _CONCENTRATION), len(sizes) + 1)
    mixed = [_OWN_SHARE * topic + (1 - _OWN_SHARE) * background for topic in topics]
    t = np.repeat(np.arange(len(sizes)), sizes)
    train, test = (_draw(rng, mixed, sizes) for _ in range(2))
    return Rows(train, t, test, t).shuffled(seed)


def _draw(
    rng: np.random.Generator, topics: list[NDArray[np.float64]], sizes: tuple[int, ...]
) -> sparse.csr_array:
    parts = []
    for topic, size in zip(topics, sizes):
        lengths = rng.poisson(_MEAN_LENGTH, size) + _SHORTEST
        words = rng.choice(len(topic), lengths.sum(), p=topic)
        document = np.repeat(np.arange(size), lengths)
        ones = np.ones(len(words))
        counts = sparse.csr_array((ones, (document, words)), shape=(size, len(topic)))
        parts.append(counts)
    rows = sparse.vstack(parts, format="csr")
    rows.sum_duplicates()
    rows.data = 1.0 + np.log(rows.data)
    norms = np.sqrt(np.asarray((rows * rows).sum(axis=1)).ravel())
    return sparse.csr_array(sparse.diags_array(1.0 / norms) @ rows)


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
