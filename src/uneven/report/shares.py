"""Who speaks for which class, as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Share"]


@dataclass(frozen=True)
class Share:
    """Who speaks for which class: one row per view or column, one column per class.

    Attributes
    ----------
    names : list of str of length v
        Views or feature columns.
    values : list of v lists of K floats
        ``values[j][c]`` is the share of the support for class c that comes from row j.
    """

    names: list[str]
    values: list[list[float]]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.values):
            raise ValueError(
                f"Share has {len(self.names)} names but {len(self.values)} rows of values; "
                "give one row per name."
            )

    @classmethod
    def top(cls, names: Sequence[str], values: Any, n: int | None = None) -> Share:
        """Keep the `n` rows with the largest total share, largest first.

        Parameters
        ----------
        names : sequence of str of length v
            Row names.
        values : array-like of shape (v, K)
            Shares.
        n : int or None
            How many rows to keep; None keeps all rows in their given order.

        Returns
        -------
        Share
            The chosen rows.

        Examples
        --------
        >>> Share.top(["a", "b", "c"], [[0.1, 0.2], [0.7, 0.1], [0.2, 0.7]], n=2).names
        ['c', 'b']
        """
        rows = [[float(v) for v in row] for row in values]
        order = list(range(len(rows)))
        if n is not None:
            order = sorted(order, key=lambda j: -math.fsum(rows[j]))[:n]
        return cls([str(names[j]) for j in order], [rows[j] for j in order])
