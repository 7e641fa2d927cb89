"""True classes of rows whose labels were drawn through a noise matrix, by EM.

A label i is drawn from column j of the noise matrix ``C`` if j is the true class. A classifier that
fitted to such labels gives probabilities ``q = C p`` of *labels*; those of true classes, ``p``,
have to be recovered. Once they are known, the label of a row gives more information: its true class
is j with a probability in proportion to ``C[label, j] p[j]``. These *posteriors* are what a second
classifier learns from, and what an uncertain noise matrix is estimated from again. All of these are
steps of one algorithm that never lowers the likelihood of the labels.

References
----------
A. Dempster, N. Laird and D. Rubin (1977), *Maximum likelihood from incomplete data via the EM
algorithm*. W. Richardson (1972), *Bayesian-based iterative method of image restoration*.
C. Northcutt, L. Jiang and I. Chuang (2021), *Confident learning: estimating uncertainty in dataset
labels*.
"""

from __future__ import annotations

import numpy as np

_LEAST = 1e-4
"""No true class is less probable than this: a probability of 0 could never be mended."""


def undo_noise(label_shares: np.ndarray, noise: np.ndarray, *, n_iter: int = 30) -> np.ndarray:
    """Probabilities of true classes, from those of labels.

    Looks for the ``p`` whose labels ``C p`` are nearest to ``q`` in Kullback-Leibler divergence.
    The inverse of the noise matrix would give negative probabilities wherever ``q`` is not exact,
    and large errors if the matrix is nearly singular.

    Parameters
    ----------
    label_shares : ndarray of shape (n_samples, n_classes)
        Probabilities q of the labels.
    noise : ndarray of shape (n_classes, n_classes)
        Column = true class, row = observed label.
    n_iter : int, default=30
        Multiplicative steps. Few of them stay nearer to even probabilities.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> noise = np.array([[0.8, 0.3], [0.2, 0.7]])
    >>> undo_noise(np.array([[0.8, 0.2], [0.55, 0.45]]), noise, n_iter=300).round(2)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    found = np.full(label_shares.shape, 1.0 / len(noise))
    for _ in range(n_iter):
        expected = np.maximum(found @ noise.T, np.finfo(float).tiny)
        found *= (label_shares / expected) @ noise
        found /= np.maximum(found.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    found = np.maximum(found, _LEAST)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def label_posteriors(
    shares: np.ndarray, labels: np.ndarray, noise: np.ndarray, clean: np.ndarray | None = None
) -> np.ndarray:
    """Probabilities of the true class of each row, given its label.

    Parameters
    ----------
    shares : ndarray of shape (n_samples, n_classes)
        Probabilities of the true class without the label, by a model that has not seen it.
    labels : ndarray of int, shape (n_samples,)
        Codes of the labels.
    noise : ndarray of shape (n_classes, n_classes)
    clean : ndarray of bool, shape (n_samples,), optional
        Rows whose label is certain.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> noise = np.array([[0.8, 0.3], [0.2, 0.7]])
    >>> label_posteriors(np.array([[0.5, 0.5], [0.9, 0.1]]), np.array([0, 1]), noise).round(2)
    array([[0.73, 0.27],
           [0.72, 0.28]])
    """
    joint = shares * noise[labels]
    total = joint.sum(axis=1, keepdims=True)
    joint = np.where(total > 0.0, joint / np.where(total > 0.0, total, 1.0), shares)
    if clean is not None:
        joint[clean] = np.eye(len(noise))[labels[clean]]
    return np.asarray(joint)


def refine_noise(
    noise: np.ndarray,
    counts: np.ndarray,
    shares: np.ndarray,
    labels: np.ndarray,
    weight: np.ndarray,
    *,
    n_iter: int = 10,
) -> np.ndarray:
    """Estimate an uncertain noise matrix again, from rows whose true class is not known.

    Maximises the likelihood of the labels times that of the counts, with ``shares`` held.

    Parameters
    ----------
    noise : ndarray of shape (n_classes, n_classes)
        To begin with.
    counts : ndarray of shape (n_classes, n_classes)
        (Pseudo-)rows of each label and true class that are known in addition.
    shares : ndarray of shape (n_samples, n_classes)
        Probabilities of the true class by a model that has not seen the label.
    labels : ndarray of int, shape (n_samples,)
    weight : ndarray of shape (n_samples,)
    n_iter : int, default=10

    Returns
    -------
    ndarray of shape (n_classes, n_classes)

    Examples
    --------
    Of rows that are surely of the first class, a third has the other label.

    >>> shares = np.repeat([[1.0, 0.0], [0.0, 1.0]], 30, axis=0)
    >>> labels = np.repeat([0, 1], [20, 40])
    >>> start = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> refine_noise(start, np.eye(2) / 100, shares, labels, np.ones(60)).round(2)
    array([[0.67, 0.  ],
           [0.33, 1.  ]])
    """
    for _ in range(n_iter):
        joint = counts.astype(np.float64)
        np.add.at(joint, labels, label_posteriors(shares, labels, noise) * weight[:, None])
        total = joint.sum(axis=0)
        noise = np.where(total > 0.0, joint / np.where(total > 0.0, total, 1.0), noise)
    return noise


def confident_joint(label_shares: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """How often true classes and labels meet, where the true class is known with confidence.

    A row counts for the most probable class among those that are at least as probable as they are
    on average in rows of that label; for its own label if there is none.

    Parameters
    ----------
    label_shares : ndarray of shape (n_samples, n_classes)
        Probabilities of the labels, by a model that has not seen the label of the row.
    labels : ndarray of int, shape (n_samples,)

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Column = true class, row = observed label.

    Examples
    --------
    >>> shares = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9], [0.9, 0.1]])
    >>> confident_joint(shares, np.array([0, 0, 1, 1, 1]))
    array([[2., 0.],
           [1., 2.]])
    """
    n_rows, n_classes = label_shares.shape
    sizes = np.bincount(labels, minlength=n_classes).astype(np.float64)
    own = np.bincount(labels, label_shares[np.arange(n_rows), labels], n_classes)
    confident = np.where(sizes > 0.0, own / np.maximum(sizes, 1.0), np.inf)
    clear = label_shares >= confident
    guess = np.where(clear, label_shares, -1.0).argmax(axis=1)
    guess = np.where(clear.any(axis=1), guess, labels)
    joint = np.zeros((n_classes, n_classes))
    np.add.at(joint, (labels, guess), 1.0)
    return np.asarray(joint)
