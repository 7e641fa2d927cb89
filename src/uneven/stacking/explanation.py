"""Who of many classifiers decides: the share of every member in the scores of a stack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from uneven.stacking.model.problem import LinearCombiner

__all__ = ["MemberShares", "member_shares"]


@dataclass(frozen=True)
class MemberShares:
    """Which classifier of a stack speaks for which class.

    Attributes
    ----------
    names : list of str of length n_members
        All members, those that were dropped too.
    classes : ndarray of shape (n_classes,)
    selected : ndarray of bool, shape (n_members,)
    share : ndarray of shape (n_members, n_classes)
        How much the score of a class moves with what the member says; a column sums to 1, or is 0
        if the score never moves. Dropped members have 0.
    """

    names: list[str]
    classes: np.ndarray
    selected: np.ndarray
    share: np.ndarray

    @property
    def n_dropped(self) -> int:
        """How many members ``predict`` never asks."""
        return int((~self.selected).sum())

    def __str__(self) -> str:
        """The members, the strongest first, with their mean share."""
        mean = self.share.mean(axis=1)
        order = [m for m in np.argsort(-mean, kind="stable") if self.selected[m]]
        lines = [f"{mean[m]:6.1%}  {self.names[m]}" for m in order]
        return "\n".join([*lines, f"{self.n_dropped} of {len(self.names)} members are dropped"])


def member_shares(P: np.ndarray, combiner: Any, share: np.ndarray) -> np.ndarray:
    """How much each member moves the score of each class.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
        Level-1 scores.
    combiner : LinearCombiner or KernelCombiner
        Of these members.
    share : ndarray of shape (n_samples,)
        Weights of the rows.

    Returns
    -------
    ndarray of shape (n_members, n_classes)
        The standard deviation, over the rows, of what a member adds to the score of a class (for
        a combiner that is not linear: of what is lost if the member always says its mean), divided
        by the sum over the members.

    Examples
    --------
    >>> import numpy as np
    >>> P = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.5, 0.5]]])
    >>> combiner = LinearCombiner("ws", np.array([[1.0], [9.0]]), np.zeros(0))
    >>> member_shares(P, combiner, np.array([0.5, 0.5]))
    array([[1., 1.],
           [0., 0.]])
    """
    n_classes = P.shape[2]
    moves = np.zeros((P.shape[1], n_classes))
    for m in range(P.shape[1]):
        said = _contribution(P, combiner, m, share)
        moves[m] = np.sqrt(share @ (said - share @ said) ** 2)
    total = moves.sum(axis=0)
    return np.asarray(np.divide(moves, total, out=np.zeros_like(moves), where=total > 0.0))


def _contribution(P: np.ndarray, combiner: Any, member: int, share: np.ndarray) -> np.ndarray:
    """What a member adds to the scores, shape (n_samples, n_classes)."""
    if isinstance(combiner, LinearCombiner):
        alone = combiner.restrict(np.array([member]))
        return alone.scores(np.ascontiguousarray(P[:, [member]]))
    without = P.copy()
    without[:, member] = share @ P[:, member]
    return np.asarray(combiner.scores(P) - combiner.scores(without))
