"""What is known about the noise in the labels, as plain data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

__all__ = ["NoiseSummary"]


@dataclass(frozen=True)
class NoiseSummary:
    """How the labels of the data are wrong; see `uneven.noise`.

    Attributes
    ----------
    name : str
        File of the matrix.
    matrix : list of K lists of K floats
        Row = observed label, column = true class; columns sum to 1.
    condition : float
        Its condition number: how much undoing the noise magnifies chance, at worst.
    amplification : list of K floats
        How much it magnifies chance in what is estimated for each class; at least 1.
    observed, recovered : list of K floats
        Shares of the labels, and of the true classes behind them.
    rows : list of K floats
        How many rows of each true class the matrix was estimated from; empty if nobody knows.

    Examples
    --------
    >>> noise = NoiseSummary("n.csv", [[0.9, 0.3], [0.1, 0.7]], 1.9, [1.2, 1.5], [0.6, 0.4],
    ...                      [0.5, 0.5])
    >>> round(noise.wrong_share, 2)
    0.2
    """

    name: str
    matrix: list[list[float]]
    condition: float
    amplification: list[float]
    observed: list[float]
    recovered: list[float]
    rows: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        lists = (self.amplification, self.observed, self.recovered, self.rows or self.observed)
        sizes = set(map(len, lists))
        if sizes != {len(self.matrix)}:
            raise ValueError(
                f"NoiseSummary has a matrix of {len(self.matrix)} rows, but lists of "
                f"{sorted(sizes)} numbers; give one per class."
            )

    @property
    def wrong_share(self) -> float:
        """Share of the labels that are wrong."""
        right = (row[c] * share for c, (row, share) in enumerate(zip(self.matrix, self.recovered)))
        return max(0.0, 1.0 - math.fsum(right))
