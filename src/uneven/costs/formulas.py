r"""Cost matrices: the price of every answer for every example.

``D[i, l]`` is the price of answering class ``l`` for example ``i``. Boosting by exponential loss
fills it with ``D[i, l] = u_i c[y_i, l] exp(f(i, l) - f(i, y_i))`` for the wrong labels and minus
their sum on the right one, so that every row adds up to zero. AdaBoost.MM, CoMBo and the
multi-view methods differ only in the example weights ``u`` and in who reads the matrix.

The functions here are pure and take plain arrays. :mod:`uneven.costs.matrices` holds the same
matrices as weak learners read them.

References
----------
I. Mukherjee and R. E. Schapire (2013), *A theory of multiclass boosting*.
S. Koço and C. Capponi (2013), *On multi-class learning through the minimization of the confusion
matrix norm*.

Notes
-----
Corrections of the sources: the matrix is cheapest on the true label (one inequality is printed
the other way round); the uniform baseline is ``(1 - g) / K`` with ``g`` more on the true label,
whose rows sum to one; the distribution over examples is ``D[i, y_i] / sum_e D[e, y_e]`` without
the printed minus sign.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "EDGE_CLIP",
    "EDGE_TOLERANCE",
    "TIE",
    "edge",
    "example_distribution",
    "exponential_costs",
    "is_edge_over_random",
    "line_search_weight",
    "uniform_baseline",
    "vote_weight",
]

EDGE_CLIP = 1e-10
"""Edges are kept this far from -1 and 1, so that a vote weight is at most 11.86."""

EDGE_TOLERANCE = 1e-12
"""An edge must be larger than this to be worth a vote."""

TIE = 1e-9
"""Costs that differ by less than this share of the stake are the same: the difference is rounding,
and ties must go the same way whether a row is repeated or weighted."""


def exponential_costs(
    scores: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray | None = None,
    class_cost: np.ndarray | None = None,
) -> tuple[np.ndarray, float]:
    """Cost matrix of the exponential pair loss, in log-space.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Votes received so far.
    y : ndarray of int, shape (n_samples,)
        True labels.
    weights : ndarray of shape (n_samples,), optional
        Weight of each example, 1 if not given.
    class_cost : ndarray of shape (n_classes, n_classes), optional
        Price factor of answering the column's class for an example of the row's class.

    Returns
    -------
    costs : ndarray of shape (n_samples, n_classes)
        Scaled so that its largest entry is 1 (edges and minimisers do not see the scale). All
        zero if every weight is zero.
    log_loss : float
        Logarithm of the unscaled loss ``sum_i sum_{l != y_i} D[i, l]``.

    Examples
    --------
    >>> import numpy as np
    >>> costs, log_loss = exponential_costs(np.zeros((2, 3)), np.array([0, 2]))
    >>> costs
    array([[-2.,  1.,  1.],
           [ 1.,  1., -2.]])
    >>> round(float(np.exp(log_loss)), 12)
    4.0
    """
    rows = np.arange(len(y))
    with np.errstate(divide="ignore"):
        log_costs = scores - scores[rows, y][:, None]
        if weights is not None:
            log_costs = log_costs + np.log(weights)[:, None]
        if class_cost is not None:
            log_costs = log_costs + np.log(class_cost)[y]
    log_costs[rows, y] = -np.inf
    shift = log_costs.max(initial=-np.inf)
    if shift == -np.inf:
        return np.zeros_like(log_costs), -np.inf
    costs = np.exp(log_costs - shift)
    stakes = costs.sum(axis=1)
    costs[rows, y] = -stakes
    return costs, float(shift + np.log(stakes.sum()))


def edge(costs: np.ndarray, y: np.ndarray, answers: np.ndarray) -> float:
    """How much better than uniform guessing an answer vector is, in [-1, 1].

    Parameters
    ----------
    costs : ndarray of shape (n_samples, n_classes)
        Rows sum to zero.
    y, answers : ndarray of int, shape (n_samples,)
        True and given labels; -1 abstains.

    Returns
    -------
    float
        1 exactly when no mistake is paid for, 0 for a fair guess.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([0, 0, 0, 1, 1, 2])
    >>> costs, _ = exponential_costs(np.zeros((6, 3)), y)
    >>> edge(costs, y, np.array([0, 0, 0, 1, 1, 1]))
    0.75
    """
    rows = np.arange(len(y))
    spoken = answers >= 0
    stakes = -costs[rows, y].sum()
    if stakes <= 0:
        return 0.0
    return float(-costs[rows[spoken], answers[spoken]].sum() / stakes)


def vote_weight(edge: float) -> float:
    """Weight of a vote with this edge: ``log((1 + edge) / (1 - edge)) / 2``, never negative.

    Examples
    --------
    >>> round(vote_weight(0.75), 9)
    0.972955075
    >>> vote_weight(-0.2)
    0.0
    """
    clipped = min(max(float(edge), 0.0), 1.0 - EDGE_CLIP)
    return float(np.arctanh(clipped))


def line_search_weight(right: float, wrong: float) -> float:
    """Weight that minimises the loss of the round exactly: ``log(right / wrong) / 2``.

    It is at least :func:`vote_weight` when ``right >= wrong``, and equal to it for two classes.

    Parameters
    ----------
    right, wrong : float
        Pair costs that the voter cancels and incurs.

    Examples
    --------
    >>> round(line_search_weight(right=7.0, wrong=1.0), 9)
    0.972955075
    """
    ceiling = float(np.arctanh(1.0 - EDGE_CLIP))
    if wrong <= 0.0:
        return ceiling if right > 0.0 else 0.0
    return float(np.clip(0.5 * np.log(max(right, wrong) / wrong), 0.0, ceiling))


def example_distribution(costs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weights over examples for learners that do not read a cost matrix, shape (n_samples,).

    Examples
    --------
    >>> import numpy as np
    >>> costs, _ = exponential_costs(np.zeros((2, 3)), np.array([0, 2]), np.array([1.0, 3.0]))
    >>> example_distribution(costs, np.array([0, 2]))
    array([0.25, 0.75])
    """
    stakes = -costs[np.arange(len(y)), y]
    return np.asarray(stakes / stakes.sum())


def is_edge_over_random(costs: np.ndarray, y: np.ndarray) -> bool:
    """Whether the true label is the cheapest answer in every row.

    Examples
    --------
    >>> import numpy as np
    >>> is_edge_over_random(np.array([[-1.0, 1.0]]), np.array([0]))
    True
    """
    return bool(np.all(costs[np.arange(len(y)), y] <= costs.min(axis=1)))


def uniform_baseline(y: np.ndarray, n_classes: int, advantage: float) -> np.ndarray:
    """Random guesser that prefers the true label by ``advantage``, shape (n_samples, n_classes).

    Examples
    --------
    >>> import numpy as np
    >>> uniform_baseline(np.array([1]), 2, 0.5)
    array([[0.25, 0.75]])
    """
    baseline = np.full((len(y), n_classes), (1.0 - advantage) / n_classes)
    baseline[np.arange(len(y)), y] += advantage
    return baseline
