"""Averages over folds that skip the folds that failed (NaN)."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["mean", "spread"]


def mean(values: Sequence[float]) -> float:
    """Mean of the finite values; NaN when there is none.

    Examples
    --------
    >>> mean([1.0, 3.0, float("nan")])
    2.0
    """
    finite = [v for v in values if math.isfinite(v)]
    return math.fsum(finite) / len(finite) if finite else math.nan


def spread(values: Sequence[float]) -> float:
    """Sample standard deviation of the finite values; NaN when there are fewer than two.

    Examples
    --------
    >>> spread([1.0, 3.0])
    1.4142135623730951
    """
    finite = [v for v in values if math.isfinite(v)]
    if len(finite) < 2:
        return math.nan
    centre = mean(finite)
    return math.sqrt(math.fsum((v - centre) ** 2 for v in finite) / (len(finite) - 1))
