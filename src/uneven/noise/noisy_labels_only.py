"""A noise matrix from the noisy labels alone, through probabilities of rows that were not seen.

Nothing but assumptions makes this possible: that a classifier predicts labels well, and that some
rows surely belong to each class. So clean rows or several annotators are better where there are
any, and intervals describe what another sample would give, not whether the assumptions hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict

from uneven.metrics._checks import as_labels, class_list, encode
from uneven.noise.em import confident_joint, refine_noise, undo_noise
from uneven.noise.estimation import ConfusionEstimate
from uneven.utils.parameters import check_choice, check_integer

WAYS = ("confident", "anchors", "volume")
"""How a matrix is found without a clean label."""

_TOP = 0.97
"""Rows that are as probable as this share of all rows are stand for anchors."""

_ROUNDS, _WEIGHT = 60, 0.05
"""Steps towards the smallest volume, and the weight of the volume against the labels."""


def confusion_from_labels(
    X: Any,
    y: ArrayLike,
    *,
    estimator: Any = None,
    label_shares: np.ndarray | None = None,
    way: str = "confident",
    cv: int = 5,
    n_bootstrap: int = 50,
    confidence: float = 0.95,
    rng: np.random.Generator | int | None = 0,
) -> ConfusionEstimate:
    """Estimate a noise matrix without any label that is certain.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), or None
        Not needed with ``label_shares``.
    y : array-like of shape (n_samples,)
        Noisy labels.
    estimator : classifier with predict_proba, optional
        By default a random forest.
    label_shares : ndarray of shape (n_samples, n_classes), optional
        Probabilities of the labels by models that did not see the row, in sorted class order.
    way : {"confident", "anchors", "volume"}, default="confident"
        - "confident": counts of rows whose true class is known with confidence, which EM then
          refines from all rows.
        - "anchors": the rows most surely labelled j are of class j; the probabilities of their
          labels are column j.
        - "volume": the matrix of the smallest determinant through which true classes could have
          given the probabilities.
    cv : int, default=5
        Folds that rows are predicted in.
    n_bootstrap : int, default=50
        Samples of the rows, drawn again, that the intervals are read off.
    confidence : float, default=0.95
    rng : Generator or int, default=0

    Returns
    -------
    ConfusionEstimate
        ``sizes`` are those of as many clean rows as would leave the same uncertainty.

    References
    ----------
    C. Northcutt, L. Jiang and I. Chuang (2021), *Confident learning: estimating uncertainty in
    dataset labels*. G. Patrini, A. Rozza, A. Menon, R. Nock and L. Qu (2017), *Making deep neural
    networks robust to label noise: a loss correction approach* (anchors). X. Li, T. Liu, B. Han,
    G. Niu and M. Sugiyama (2021), *Provably end-to-end label-noise learning without anchor points*
    (volume).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from uneven.noise import corrupt_labels, cyclic_noise
    >>> X, y = load_iris(return_X_y=True)
    >>> labels = corrupt_labels(y, cyclic_noise(3, (0.3,)), rng=0)
    >>> found = confusion_from_labels(X, labels, estimator=LogisticRegression(max_iter=500))
    >>> bool(abs(np.diag(found.matrix).mean() - 0.7) < 0.1)
    True
    >>> found.source
    'noisy labels of 150 rows alone, confident joint'
    """
    check_choice("way", way, WAYS)
    check_integer("n_bootstrap", n_bootstrap, 2)
    labels = as_labels(y, "y")
    classes = class_list(None, labels)
    codes = encode(labels, classes)
    if label_shares is None:
        model = RandomForestClassifier(200, random_state=0) if estimator is None else estimator
        label_shares = cross_val_predict(clone(model), X, labels, cv=cv, method="predict_proba")
    if label_shares.shape != (len(codes), len(classes)):
        raise ValueError(
            f"label_shares has shape {label_shares.shape}; expected a row for each of the "
            f"{len(codes)} labels and a column for each of the {len(classes)} classes."
        )
    matrix = find_matrix(way, label_shares, codes)
    rng = np.random.default_rng(rng)
    draws = [rng.integers(len(codes), size=len(codes)) for _ in range(n_bootstrap)]
    again = np.array([find_matrix(way, label_shares[rows], codes[rows]) for rows in draws])
    source = f"noisy labels of {len(codes)} rows alone, {_NAMES[way]}"
    return _estimate(matrix, again, label_shares, len(codes), classes, confidence, source)


def _estimate(
    matrix: np.ndarray,
    again: np.ndarray,
    label_shares: np.ndarray,
    n_rows: int,
    classes: np.ndarray,
    confidence: float,
    source: str,
) -> ConfusionEstimate:
    """The matrix with intervals and sizes read off matrices of samples drawn again."""
    error = again.std(axis=0, ddof=1)
    aside = 100.0 * (1.0 - confidence) / 2.0
    low, high = np.percentile(again, [aside, 100.0 - aside], axis=0)
    spread = (error**2).sum(axis=0)
    sizes = (matrix * (1.0 - matrix)).sum(axis=0) / np.maximum(spread, 1e-9)
    prior = undo_noise(label_shares, matrix).mean(axis=0)
    sizes = np.clip(sizes, 1.0, np.maximum(n_rows * prior, 1.0))
    return ConfusionEstimate(
        matrix=matrix,
        counts=matrix * sizes,
        standard_error=error,
        low=np.minimum(low, matrix),
        high=np.maximum(high, matrix),
        sizes=sizes,
        prior=prior,
        classes=classes,
        confidence=float(confidence),
        source=source,
    )


def _confident(label_shares: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The confident joint, scaled to the labels and refined by EM."""
    k = label_shares.shape[1]
    joint = confident_joint(label_shares, y) + 0.5 * np.eye(k)
    joint *= (np.bincount(y, minlength=k) / joint.sum(axis=1))[:, None]
    start = joint / joint.sum(axis=0)
    shares = undo_noise(label_shares, start)
    return refine_noise(start, 0.02 * joint + 0.5 * np.eye(k), shares, y, np.ones(len(y)))


def _anchors(label_shares: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mean label probabilities of the rows with the largest probability of each label."""
    columns = []
    for own in label_shares.T:
        sure = own >= np.quantile(own, _TOP)
        columns.append(label_shares[sure].mean(axis=0))
    found = np.array(columns).T
    return np.asarray(found / found.sum(axis=0))


def _smallest_volume(label_shares: np.ndarray, y: np.ndarray) -> np.ndarray:
    """From the anchors, smaller and smaller as long as the probabilities allow it.

    Each step is one of EM for probabilities ``C p`` of labels, whose counts are scaled against the
    gradient of the log-determinant: wrong labels that the others do not need vanish.
    """
    noise = _anchors(label_shares, y)
    n = len(label_shares)
    for _ in range(_ROUNDS):
        shares = undo_noise(label_shares, noise, n_iter=5)
        expected = np.maximum(shares @ noise.T, np.finfo(float).tiny)
        counts = noise * ((label_shares / expected).T @ shares)
        pull = _WEIGHT * n / len(noise) * noise * np.linalg.pinv(noise).T
        counts = np.maximum(counts - np.minimum(pull, 0.9 * counts), 1e-9)
        noise = counts / counts.sum(axis=0)
    return noise


def find_matrix(way: str, label_shares: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A noise matrix by one of `WAYS`; y: int (n_samples,). Returns (n_classes, n_classes)."""
    return _FINDERS[way](label_shares, y)


_FINDERS = {"confident": _confident, "anchors": _anchors, "volume": _smallest_volume}
_NAMES = {"confident": "confident joint", "anchors": "anchor rows", "volume": "smallest volume"}
