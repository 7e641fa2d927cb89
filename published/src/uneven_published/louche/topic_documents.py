"""Documents of uneven topics: a generated stand-in for a text collection that cannot be had."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from uneven_published.louche.cheap_labels import Rows

__all__ = ["TOPIC_SIZES", "topic_documents"]

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
