"""Rounds that learn from some of the rows only."""

from __future__ import annotations

import numpy as np

from uneven.costs.matrices import CostMatrix
from uneven.utils.parallel import Workers

__all__ = ["RowDraw"]


class RowDraw:
    """The rows that the voters of a round learn from.

    Parameters
    ----------
    n_rows : int
    share : float
        Share of the rows to draw, in (0, 1]; 1 takes all of them and draws nothing.

    Attributes
    ----------
    rows : ndarray of bool, shape (n_rows,), or None
        None if all rows take part.

    Examples
    --------
    >>> draw = RowDraw(6, 0.5)
    >>> draw.begin(seed=0)
    >>> int(draw.rows.sum())
    3
    """

    def __init__(self, n_rows: int, share: float) -> None:
        self._n_rows, self._share = n_rows, share
        self.rows: np.ndarray | None = None

    def begin(self, seed: int) -> None:
        """Draw the rows of a round, the same ones for the same seed."""
        if self._share < 1.0:
            size = max(1, round(self._share * self._n_rows))
            drawn = np.random.RandomState(seed).permutation(self._n_rows)[:size]
            self.rows = np.zeros(self._n_rows, dtype=bool)
            self.rows[drawn] = True

    def seen_of(self, costs: CostMatrix, team: Workers) -> CostMatrix:
        """The costs of the drawn rows; of all rows if the drawn ones cost nothing."""
        if self.rows is None:
            return costs
        seen = costs.where(self.rows, team)
        return seen if seen.stake > 0.0 else costs
