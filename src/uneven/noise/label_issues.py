"""Which labels look wrong, and how many are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from uneven.metrics._checks import as_labels, class_list, encode
from uneven.noise.em import label_posteriors, undo_noise
from uneven.noise.matrices import check_noise_matrix
from uneven.noise.noisy_labels_only import find_matrix
from uneven.utils.simplex import recover_priors

_WIDE = 1.96
_DRAWS = 20
_LEAST = 1e-4


@dataclass(frozen=True, eq=False)
class LabelIssues:
    """Labels that look wrong.

    Attributes
    ----------
    doubt : ndarray of shape (n_samples,)
        What a classifier that did not see the row leaves to other classes; ranks the rows.
    suggested : ndarray of shape (n_samples,)
        The most probable true class.
    expected : float
        How many labels are expected to be wrong.
    low, high : float
        Where that number lies with 95 %, with respect to another sample of the rows. It does
        not include the errors of the classifier itself.
    noise_matrix : ndarray of shape (n_classes, n_classes)
        Known or estimated.

    Examples
    --------
    >>> shares = np.array([[0.9, 0.1], [0.8, 0.2], [0.9, 0.1], [0.1, 0.9], [0.2, 0.8], [0.1, 0.9]])
    >>> found = find_label_issues(shares, ["a", "a", "b", "b", "b", "b"])
    >>> found.rows(1), found.suggested[2]
    (array([2]), np.str_('a'))
    """

    doubt: np.ndarray
    suggested: np.ndarray
    expected: float
    low: float
    high: float
    noise_matrix: np.ndarray

    def rows(self, n: int | None = None) -> np.ndarray:
        """The rows to check first.

        Parameters
        ----------
        n : int, optional
            How many; by default as many as are expected to be wrong.

        Returns
        -------
        ndarray of int, shape (n,)
            The most doubtful first.
        """
        size = round(self.expected) if n is None else n
        return np.argsort(-self.doubt, kind="stable")[:size]


def find_label_issues(
    label_shares: np.ndarray, y: ArrayLike, noise_matrix: Any = None
) -> LabelIssues:
    """Rank labels by how wrong they look, and estimate how many are wrong.

    Parameters
    ----------
    label_shares : ndarray of shape (n_samples, n_classes)
        Probabilities of the labels by models that did not see the row, classes in sorted order;
        such as `sklearn.model_selection.cross_val_predict` gives with ``method="predict_proba"``.
    y : array-like of shape (n_samples,)
        The labels.
    noise_matrix : array-like of shape (n_classes, n_classes), optional
        If it is known; by default estimated from the same probabilities.

    Returns
    -------
    LabelIssues

    Notes
    -----
    One minus the probability of the label ranked wrong labels best in ``python -m benchmarks
    label-doubt``. It is no probability of a wrong label, though: classes overlap. The number of
    wrong labels comes from the noise matrix, known or estimated from the probabilities after their
    temperature has been chosen by the likelihood of the labels. The same benchmark compares it with
    cleanlab's.

    References
    ----------
    C. Northcutt, L. Jiang and I. Chuang (2021), *Confident learning: estimating uncertainty in
    dataset labels*.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_predict
    >>> X, y = load_iris(return_X_y=True)
    >>> y[:6] = 1
    >>> shares = cross_val_predict(LogisticRegression(max_iter=500), X, y, method="predict_proba")
    >>> found = find_label_issues(shares, y)
    >>> sorted(found.rows(6).tolist()), found.low < 6 < found.high
    ([0, 1, 2, 3, 4, 5], True)
    """
    labels = as_labels(y, "y")
    classes = class_list(None, labels)
    codes = encode(labels, classes)
    shares = np.asarray(label_shares, dtype=np.float64)
    if shares.shape != (len(codes), len(classes)):
        raise ValueError(
            f"label_shares has shape {shares.shape}; expected a row for each of the {len(codes)} "
            f"labels and a column for each of the {len(classes)} classes."
        )
    given = None if noise_matrix is None else check_noise_matrix(noise_matrix, classes)
    shares = shares if given is not None else scaled_to_labels(shares, codes)
    noise, expected, spread = count_wrong_labels(shares, codes, given)
    beliefs = label_posteriors(undo_noise(shares, noise), codes, noise)
    return LabelIssues(
        doubt=1.0 - shares[np.arange(len(codes)), codes],
        suggested=classes[beliefs.argmax(axis=1)],
        expected=expected,
        low=max(0.0, expected - _WIDE * spread),
        high=min(float(len(codes)), expected + _WIDE * spread),
        noise_matrix=noise,
    )


def count_wrong_labels(
    shares: np.ndarray, codes: np.ndarray, noise: np.ndarray | None = None
) -> tuple[np.ndarray, float, float]:
    """How many labels are wrong.

    Parameters
    ----------
    shares : ndarray of shape (n_samples, n_classes)
        Probabilities of the labels by models that did not see the row.
    codes : ndarray of int, shape (n_samples,)
    noise : ndarray of shape (n_classes, n_classes), optional
        If it is known.

    Returns
    -------
    noise : ndarray of shape (n_classes, n_classes)
    expected, spread : float
        Number of wrong labels, and its standard error.
    """
    n, k = shares.shape
    if noise is not None:
        prior = recover_priors(np.bincount(codes, minlength=k), np.linalg.pinv(noise))
        rate = 1.0 - float(prior @ np.diag(noise))
        return noise, n * rate, float(np.sqrt(n * rate * (1.0 - rate)))
    noise = find_matrix("confident", shares, codes)
    wrong = _posteriors_of_wrong(shares, codes, noise)
    rng, again = np.random.default_rng(0), []
    by_label = [np.flatnonzero(codes == label) for label in range(k)]
    for _ in range(_DRAWS):
        rows = np.concatenate([rng.choice(own, len(own)) for own in by_label if len(own)])
        known = (shares[rows], codes[rows])
        again.append(_posteriors_of_wrong(*known, find_matrix("confident", *known)).sum())
    variance = np.var(again, ddof=1) + (wrong * (1.0 - wrong)).sum()
    return noise, float(wrong.sum()), float(np.sqrt(variance))


def _posteriors_of_wrong(shares: np.ndarray, codes: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Probability that each label is wrong, shape (n_samples,)."""
    beliefs = label_posteriors(undo_noise(shares, noise), codes, noise)
    return np.asarray(1.0 - beliefs[np.arange(len(codes)), codes])


def scaled_to_labels(shares: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Probabilities at the temperature under which the labels are most likely.

    Parameters
    ----------
    shares : ndarray of shape (n_samples, n_classes)
    codes : ndarray of int, shape (n_samples,)

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    logs, rows = np.log(np.maximum(shares, _LEAST)), np.arange(len(codes))

    def loss(log_power: float) -> float:
        own = softmax(np.exp(log_power) * logs, axis=1)[rows, codes]
        return float(-np.log(np.maximum(own, np.finfo(float).tiny)).mean())

    power = np.exp(minimize_scalar(loss, bounds=(-2.0, 2.0), method="bounded").x)
    return np.asarray(softmax(power * logs, axis=1))
