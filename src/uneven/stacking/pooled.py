"""A weighted sum of scores and a log-linear pool of the same members, joined half and half.

The sum adds probabilities, the pool their logarithms. They err in different rows: their geometric
mean has fewer errors and a lower log-loss than either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uneven.decisions.log_pool import LogPool, fit_log_pool
from uneven.stacking.links import link_probabilities
from uneven.stacking.model.problem import LinearCombiner
from uneven.utils.model_types import check_part, check_size, persisted

_SUM_TOLERANCE = 1e-6
_POOLED_SCORES, _ROWS_PER_PARAMETER = 500_000, 5
_TOLERANCE = 1e-8


@persisted("pooled_combiner", role="combiner")
@dataclass
class PooledCombiner:
    """Geometric mean of the probabilities of a weighted sum and of a log-linear pool.

    Attributes
    ----------
    linear : LinearCombiner
        The weighted sum.
    floor, temperature : float or None, float
        How its scores become probabilities; see
        :func:`~uneven.stacking.links.link_probabilities`.
    pool : LogPool
        Of the same members.
    """

    linear: LinearCombiner
    floor: float | None
    temperature: float
    pool: LogPool

    @property
    def combination(self) -> str:
        """Kind of the weighted sum."""
        return self.linear.combination

    def scores(self, P: np.ndarray) -> np.ndarray:
        """Mean of the two logarithms of probabilities of new rows.

        Parameters
        ----------
        P : ndarray of shape (n_samples, n_members, n_classes)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        summed = link_probabilities(self.linear.scores(P), self.floor, self.temperature)
        pooled = self.pool.probabilities(list(P.transpose(1, 0, 2)))
        tiny = np.finfo(np.float64).tiny
        return np.asarray(
            (np.log(np.maximum(summed, tiny)) + np.log(np.maximum(pooled, tiny))) / 2.0
        )

    def _check_model_(self, n_members: int, n_classes: int) -> None:
        """Refuse loaded parts of other members or classes."""
        if type(self.linear) is not LinearCombiner or type(self.pool) is not LogPool:
            raise ValueError("its sum is not linear, or its pool is none")
        self.linear._check_model_(n_members, n_classes)
        check_size(self.temperature, "the temperature of its sum is")
        if self.floor is not None:
            check_size(self.floor, "the floor of its sum is")
        check_part("pool", self.pool, n_classes, refusal="its members are pooled by a {}")
        if len(self.pool.weights) != n_members:
            raise ValueError(f"its pool is of {len(self.pool.weights)} members, not {n_members}")


def give_probabilities(P: np.ndarray) -> np.ndarray:
    """Members whose scores are probabilities in every row.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)

    Returns
    -------
    ndarray of bool, shape (n_members,)

    Examples
    --------
    >>> give_probabilities(np.array([[[0.2, 0.8], [1.0, 1.0], [-1.0, 2.0]]]))
    array([ True, False, False])
    """
    apart = np.abs(P @ np.ones(P.shape[2]) - 1.0).max(axis=0)
    smallest = P.min(axis=0).min(axis=1)
    return np.asarray((apart <= _SUM_TOLERANCE) & (smallest >= 0.0))


def fit_member_pool(
    P: np.ndarray,
    mask: np.ndarray,
    y: np.ndarray,
    share: np.ndarray,
    rng: np.random.RandomState,
) -> LogPool:
    """A log-linear pool of some members, learnt from no more rows than it needs.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
        Level-1 scores; those of the pooled members are probabilities.
    mask : ndarray of bool, shape (n_members,)
        Members that are pooled.
    y : ndarray of int, shape (n_samples,)
    share : ndarray of shape (n_samples,)
        Weights of the rows.
    rng : RandomState
        Draws the rows: about half a million scores, and at least five rows per weight and bias.

    Returns
    -------
    LogPool
    """
    n_members, n_classes = mask.sum(), P.shape[2]
    most = max(
        _POOLED_SCORES // (n_members * n_classes), _ROWS_PER_PARAMETER * (n_members + n_classes)
    )
    if len(P) > most:
        rows = np.sort(rng.choice(len(P), most, replace=False))
        P, y, share = P[rows], y[rows], share[rows]
    members = [P[:, m] for m in np.flatnonzero(mask)]
    return fit_log_pool(members, y, share, tolerance=_TOLERANCE)
