"""Quality of scores per class: how well they rank, and how far the right class is ahead.

`mauc` is Hand and Till's measure: how well the score of each class ranks it against each other
class. `margins` compare the right class with its strongest rival.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning

from uneven.metrics._checks import as_labels, as_scores, encode, scored_classes, without_last_bits
from uneven.metrics.scoring import measure


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
        Entry (l, c): probability that an example of l gets a higher score for l than an example of
        c, ties counted half. NaN on the diagonal and where l or c has no example.

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


class MaucScorer:
    """Score a fitted classifier by MAUC, whatever classes its training fold held.

    ``predict_proba`` is used if there is one, else ``decision_function``. The columns are matched
    to the labels through ``classes_``: a class without test examples takes part in no pair, and a
    class that training never saw gets the same score everywhere, so its own ranking counts 0.5.
    Scores that agree in twelve digits tie: a vote gives many rows the same score, but for its
    rounding.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> MaucScorer()(LogisticRegression().fit(X, y), X, y)
    1.0
    """

    def __call__(self, estimator: Any, X: Any, y_true: ArrayLike) -> float:
        """Return the MAUC of ``estimator`` on ``X`` against ``y_true``.

        Parameters
        ----------
        estimator : fitted classifier with ``classes_``
        X : array-like of shape (n, n_features)
        y_true : array-like of shape (n,)
        """
        y = as_labels(y_true, "y_true")
        classes = np.asarray(estimator.classes_)
        scores = _class_scores(estimator, X, len(y), len(classes))
        unseen = np.setdiff1d(np.unique(y), classes)
        constant = np.zeros((len(y), len(unseen)))
        scores = without_last_bits(scores)
        return mauc(y, np.hstack([scores, constant]), labels=np.concatenate([classes, unseen]))

    def __repr__(self) -> str:
        return "MaucScorer()"


def _class_scores(estimator: Any, X: Any, n: int, k: int) -> NDArray[np.float64]:
    for method in ("predict_proba", "decision_function"):
        answer = getattr(estimator, method, None)
        if answer is None:
            continue
        scores = np.asarray(answer(X), dtype=np.float64)
        if k == 1:
            return scores.reshape(n, -1)[:, :1]
        scores = as_scores(scores, n)
        if scores.shape[1] == k:
            return scores
    raise ValueError(
        f"{type(estimator).__name__} offers no score per class: MAUC needs predict_proba or a "
        f"decision_function with {k} columns, one for each of classes_."
    )


measure(
    "mauc",
    "MAUC",
    "Mean area under the ROC curve over all pairs of classes; how well the scores rank, at "
    "any threshold; 0.5 is random guessing.",
    order=45,
    scorer=MaucScorer(),
)(mauc)


def margins(
    scores: ArrayLike, y: ArrayLike, *, labels: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return the score of the true class minus the best score of another class.

    Parameters
    ----------
    scores : array-like of shape (n, K) or (n,)
        Vote shares (``predict_proba`` of a vote) put the margins in [-1, 1]; raw scores are
        accepted too. A 1-D array is a binary decision value.
    y : array-like of shape (n,)
        True labels.
    labels : array-like of shape (K,), optional
        Class of each column; by default the sorted labels of ``y``.

    Returns
    -------
    ndarray of shape (n,)
        Positive exactly where the vote is right and undisputed.

    Examples
    --------
    >>> margins([[0.75, 0.25], [0.5, 0.5]], ["a", "b"]).tolist()
    [0.5, 0.0]
    """
    true = as_labels(y, "y")
    columns = as_scores(scores, len(true))
    if columns.shape[1] < 2:
        raise ValueError(
            "scores has one column: a margin needs a rival class, so at least two columns."
        )
    codes = encode(true, scored_classes(true, columns.shape[1], labels))
    rows = np.arange(len(true))
    own = columns[rows, codes]
    rivals = columns.copy()
    rivals[rows, codes] = -np.inf
    return own - rivals.max(axis=1)


def margin_error(
    scores: ArrayLike,
    y: ArrayLike,
    theta: float = 0.0,
    *,
    labels: ArrayLike | None = None,
) -> float:
    """Return the share of examples whose margin is at most ``theta``.

    Parameters
    ----------
    scores : array-like of shape (n, K) or (n,)
        As in `margins`.
    y : array-like of shape (n,)
        True labels.
    theta : float, default=0.0
        Margin that an example must exceed; 0 counts errors and ties.
    labels : array-like of shape (K,), optional
        Class of each column; by default the sorted labels of ``y``.

    Returns
    -------
    float
        In [0, 1], not decreasing in ``theta``.

    Examples
    --------
    >>> margin_error([[0.75, 0.25], [0.5, 0.5]], ["a", "b"], theta=0.0)
    0.5
    """
    return float(np.mean(margins(scores, y, labels=labels) <= theta))
