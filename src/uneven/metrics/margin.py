"""Margins: how far the right class is ahead of its strongest rival."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from uneven.metrics._checks import as_labels, as_scores, encode, scored_classes


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
