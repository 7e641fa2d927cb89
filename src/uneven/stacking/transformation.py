"""Level-1 scores as ordinary tables of examples: what one function per combination has to learn."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["class_tables", "class_targets", "pair_margins_to_scores"]


def class_tables(P: NDArray[np.float64], combination: str) -> list[NDArray[np.float64]]:
    """The tables that the functions of a combination read.

    Parameters
    ----------
    P : ndarray of shape (I, M, N)
        Scores of M classifiers for N classes.
    combination : {"ws", "cws", "lsg"}

    Returns
    -------
    list of ndarray
        "ws": one table of shape (I * N, M), whose row ``i * N + n`` holds what the classifiers say
        of class n in row i. "cws": N tables of shape (I, M), one for each class. "lsg": one table
        of shape (I, M * N) with all scores.

    References
    ----------
    M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
    combination*, MSc thesis, Sabanci University.

    Examples
    --------
    >>> P = np.arange(12.0).reshape(1, 4, 3)
    >>> class_tables(P, "ws")[0].tolist()
    [[0.0, 3.0, 6.0, 9.0], [1.0, 4.0, 7.0, 10.0], [2.0, 5.0, 8.0, 11.0]]
    >>> [table.shape for table in class_tables(P, "cws")], class_tables(P, "lsg")[0].shape
    ([(1, 4), (1, 4), (1, 4)], (1, 12))
    """
    n_rows, n_members, n_classes = P.shape
    if combination == "ws":
        return [P.transpose(0, 2, 1).reshape(n_rows * n_classes, n_members)]
    if combination == "cws":
        return [np.ascontiguousarray(P[:, :, n]) for n in range(n_classes)]
    return [P.reshape(n_rows, n_members * n_classes)]


def class_targets(y: NDArray[np.intp], n_classes: int, target: str = "pm1") -> NDArray[np.float64]:
    """What the score of each class should be.

    Parameters
    ----------
    y : ndarray of int, shape (I,)
    n_classes : int
    target : {"pm1", "01"}, default="pm1"
        1 for the class of the row, and -1 or 0 for the others.

    Returns
    -------
    ndarray of shape (I, N)

    Examples
    --------
    >>> class_targets(np.array([0, 2]), 3).tolist()
    [[1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]]
    """
    hits = np.asarray(y)[:, None] == np.arange(n_classes)
    return np.where(hits, 1.0, 0.0 if target == "01" else -1.0)


def pair_margins_to_scores(margins: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Scores of classes that were compared two by two: duels won, ties settled by the margins.

    Parameters
    ----------
    margins : ndarray of shape (I, N * (N - 1) / 2)
        For the pairs (0, 1), (0, 2), ..., (1, 2), ...; above 0 the first of the two wins.
    n_classes : int

    Returns
    -------
    ndarray of shape (I, N)
        Won duels plus the summed margins, squeezed into (-1/3, 1/3) so that they only settle ties.

    Examples
    --------
    >>> pair_margins_to_scores(np.array([[1.0, -1.0, 2.0]]), 3).round(2).tolist()
    [[1.0, 1.17, 0.83]]
    """
    won = np.zeros((len(margins), n_classes))
    summed = np.zeros((len(margins), n_classes))
    for pair, (first, second) in enumerate(combinations(range(n_classes), 2)):
        ahead = margins[:, pair] > 0.0
        won[:, first] += ahead
        won[:, second] += ~ahead
        summed[:, first] += margins[:, pair]
        summed[:, second] -= margins[:, pair]
    return won + summed / (3.0 * (np.abs(summed) + 1.0))
