"""Hand and Till's MAUC: how well the score of each class ranks it against each other class."""

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning

from uneven.metrics._checks import as_labels, as_scores, encode, scored_classes


def mauc(y_true: ArrayLike, scores: ArrayLike, *, labels: ArrayLike | None = None) -> float:
    """Return the area under the ROC curve averaged over all ordered pairs of classes.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    scores : array-like of shape (n, K) or (n,)
        One score per class; rows need not sum to one. A 1-D array is a binary decision value.
    labels : array-like of shape (K,), optional
        Class of each column; by default the sorted labels of ``y_true``. Needed when a class has
        a column but no example: the average then runs over the pairs that are present.

    Returns
    -------
    float
        In [0, 1], 0.5 for scores without information. NaN, with a warning, if fewer than two
        classes are present.

    Notes
    -----
    Equal to scikit-learn's ``roc_auc_score(multi_class="ovo", average="macro")`` wherever that
    is defined. Each score column is searched once: O(K n log n).

    References
    ----------
    Hand and Till (2001), A simple generalisation of the area under the ROC curve for multiple
    class classification problems.

    Examples
    --------
    >>> mauc([0, 0, 1, 2], [[3, 0, 0], [1, 2, 0], [0, 1, 1], [0, 0, 5]])
    0.916...
    >>> mauc(["no", "yes", "yes"], [-1.0, 0.5, 2.0])
    1.0
    """
    areas = pairwise_auc(y_true, scores, labels=labels)
    defined = ~np.isnan(areas)
    if not defined.any():
        warnings.warn(
            "y_true contains a single class: MAUC compares pairs of classes and is undefined.",
            UndefinedMetricWarning,
            stacklevel=2,
        )
        return float("nan")
    return float(areas[defined].mean())


def pairwise_auc(
    y_true: ArrayLike, scores: ArrayLike, *, labels: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return, for each ordered pair (l, c), how well the score of l ranks l above c.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    scores : array-like of shape (n, K) or (n,)
        One score per class, as in `mauc`.
    labels : array-like of shape (K,), optional
        Class of each column, as in `mauc`.

    Returns
    -------
    ndarray of shape (K, K)
        Entry (l, c): chance that an example of l gets a higher score for l than an example of c,
        ties counted half. NaN on the diagonal and where l or c has no example.

    Examples
    --------
    >>> pairwise_auc([0, 0, 1, 1], [[2, 0], [1, 1], [1, 2], [0, 3]])
    array([[  nan, 0.875],
           [1.   ,   nan]])
    """
    y = as_labels(y_true, "y_true")
    columns = as_scores(scores, len(y))
    classes = scored_classes(y, columns.shape[1], labels)
    codes = encode(y, classes)
    k = len(classes)
    sizes = np.bincount(codes, minlength=k)
    wins = np.array([_wins(columns[:, label], codes, label, k) for label in range(k)])
    pairs = np.outer(sizes, sizes).astype(np.float64)
    np.fill_diagonal(pairs, 0.0)
    return np.divide(wins, pairs, out=np.full((k, k), np.nan), where=pairs > 0)


def _wins(
    score: NDArray[np.float64], codes: NDArray[np.intp], label: int, k: int
) -> NDArray[np.float64]:
    """Return per class c the number of (label, c) pairs ranked right, ties counted half."""
    own = np.sort(score[codes == label])
    below = np.searchsorted(own, score, side="left")
    not_above = np.searchsorted(own, score, side="right")
    beaten_by = len(own) - 0.5 * (below + not_above)
    return np.bincount(codes, beaten_by, minlength=k).astype(np.float64, copy=False)
