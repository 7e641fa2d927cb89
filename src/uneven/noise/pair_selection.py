"""Which pair of classes UMA learns from next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

__all__ = ["ROUNDING", "SELECTIONS", "Candidates", "in_order"]

ROUNDING = 1e-12
"""Differences that sums in another order may make, relative to what is summed."""


@dataclass
class Candidates:
    """What is known about the pairs of a step.

    Attributes
    ----------
    norms, masses : ndarray of shape (n_classes, n_classes)
        Length of the update vector and estimated share of rows, for predicted and true class.
    prior : ndarray of shape (n_classes,)
        Estimated frequencies of the true classes, all positive.
    latest : int
        The pair chosen before, as ``predicted * n_classes + true``; -1 in the first step.
    seed : (int, int)
        Seeds what is drawn in this step.
    """

    norms: np.ndarray
    masses: np.ndarray
    prior: np.ndarray
    latest: int
    seed: tuple[int, int] = (0, 0)


def _best_first(values: np.ndarray) -> np.ndarray:
    """Positions from the largest value down; equals, but for rounding, in their own order."""
    values = values.ravel()
    order = np.argsort(-values, kind="stable")
    steps = values[order[:-1]] - values[order[1:]] > ROUNDING * np.abs(values).max()
    ranks = np.concatenate([[0], np.cumsum(steps)])
    return order[np.lexsort((order, ranks))]


def _error(pairs: Candidates) -> np.ndarray:
    return _best_first(pairs.norms)


def _confusion(pairs: Candidates) -> np.ndarray:
    return _best_first(pairs.norms / pairs.prior)


def _mass(pairs: Candidates) -> np.ndarray:
    return _best_first(pairs.masses)


def _random(pairs: Candidates) -> np.ndarray:
    rng = np.random.RandomState(pairs.seed)
    return rng.permutation(pairs.norms.size)


def _cyclic(pairs: Candidates) -> np.ndarray:
    return (np.arange(pairs.norms.size) + pairs.latest + 1) % pairs.norms.size


SELECTIONS: dict[str, Callable[[Candidates], np.ndarray]] = {
    "error": _error,
    "confusion": _confusion,
    "random": _random,
    "cyclic": _cyclic,
    "mass": _mass,
}
"""Rules that put all pairs in order; the first one that a mistake can be made of is taken."""


def in_order(selection: str, pairs: Candidates, allowed: np.ndarray) -> Iterator[tuple[int, int]]:
    """Pairs (predicted, true) in the order in which a rule wants them.

    Parameters
    ----------
    selection : str
        A key of `SELECTIONS`.
    pairs : Candidates
    allowed : ndarray of bool, shape (n_classes, n_classes)
        Which pairs may be taken; the diagonal is always left out.

    Yields
    ------
    (int, int)

    Examples
    --------
    >>> norms = np.array([[9.0, 0.1, 0.3], [0.2, 9.0, 0.0], [0.4, 0.0, 9.0]])
    >>> pairs = Candidates(norms, norms, np.ones(3) / 3, latest=-1)
    >>> list(in_order("error", pairs, norms > 0.15))
    [(2, 0), (0, 2), (1, 0)]
    """
    n_classes = len(pairs.norms)
    order = SELECTIONS[selection](pairs)
    order = order[allowed.ravel()[order] & (order % (n_classes + 1) != 0)]
    for pair in order.tolist():
        yield divmod(pair, n_classes)
