r"""An estimated noise matrix, with what is known about its errors.

Intervals are Wilson's by default, entry by entry: they keep their level on average even for rates
near 0, which most entries of a noise matrix are, where the textbook interval shrinks to nothing.
``interval="exact"`` (Clopper and Pearson) never falls below the level and is wider. Both describe
one entry at a time, and use the counts without smoothing.

References
----------
E. B. Wilson (1927), *Probable inference, the law of succession, and statistical inference*.
C. Clopper and E. Pearson (1934), *The use of confidence or fiducial limits illustrated in the case
of the binomial*.
L. Brown, T. Cai and A. DasGupta (2001), *Interval estimation for a binomial proportion*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtri

from uneven.utils.parameters import check_choice

__all__ = ["ConfusionEstimate", "CountingRules"]


@dataclass(frozen=True, eq=False)
class ConfusionEstimate:
    """An estimated noise matrix, with what is known about its errors.

    It can be passed wherever a noise matrix is asked for; rows and columns find their classes by
    name.

    Attributes
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        Column = true class, row = observed label; columns sum to 1. With smoothing, if any.
    counts : ndarray of shape (n_classes, n_classes)
        (Weighted or expected) rows behind each entry, without smoothing.
    standard_error : ndarray of shape (n_classes, n_classes)
        NaN in the columns of classes without rows.
    low, high : ndarray of shape (n_classes, n_classes)
        Confidence interval of each entry, from the counts without smoothing.
    sizes : ndarray of shape (n_classes,)
        (Effective) number of rows of each true class.
    prior : ndarray of shape (n_classes,)
        Frequencies of the true classes.
    classes : ndarray of shape (n_classes,)
    confidence : float
    source : str

    Examples
    --------
    >>> from uneven.noise import check_noise_matrix, confusion_from_clean
    >>> found = confusion_from_clean(["cat"] * 40 + ["dog"] * 10, ["cat"] * 36 + ["dog"] * 14)
    >>> float(found.matrix[1, 0]), found.low[1, 0].round(3), found.high[1, 0].round(3)
    (0.1, np.float64(0.04), np.float64(0.231))
    >>> found.source, found.prior.tolist()
    ('50 clean rows', [0.8, 0.2])
    >>> check_noise_matrix(found, ["cat", "dog"]).tolist()
    [[0.9, 0.0], [0.1, 1.0]]
    """

    matrix: np.ndarray
    counts: np.ndarray = field(repr=False)
    standard_error: np.ndarray = field(repr=False)
    low: np.ndarray = field(repr=False)
    high: np.ndarray = field(repr=False)
    sizes: np.ndarray = field(repr=False)
    prior: np.ndarray
    classes: np.ndarray
    confidence: float
    source: str

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.matrix, dtype=dtype)

    def variance_along(self, direction: np.ndarray) -> float:
        """Variance of the sum of all entries of the matrix, each times a number.

        Parameters
        ----------
        direction : ndarray of shape (n_classes, n_classes)

        Returns
        -------
        float
            Infinite if a class without rows matters.
        """
        mean = (self.matrix * direction).sum(axis=0)
        spread = (self.matrix * (direction - mean) ** 2).sum(axis=0)
        unknown = (self.sizes <= 0.0) & (np.ptp(direction, axis=0) > 0.0)
        if unknown.any():
            return float("inf")
        return float((spread / np.maximum(self.sizes, 1.0)).sum())

    def summary(self) -> str:
        """One line per true class: rows, frequency, share that keeps its label, worst mistakes.

        Returns
        -------
        str
        """
        lines = [["class", "rows", "prior", "kept", "interval", "most often mistaken for"]]
        for j, name in enumerate(self.classes.tolist()):
            order = [int(i) for i in np.argsort(-self.matrix[:, j], kind="stable") if i != j]
            wrong = [self._cell(i, j) for i in order[:3] if self.matrix[i, j] > 0.0]
            size, prior = f"{self.sizes[j]:.4g}", f"{self.prior[j]:.3f}"
            kept, _, interval = self._rate(j, j).partition(" ")
            lines.append([str(name), size, prior, kept, interval, ", ".join(wrong) or "-"])
        widths = [max(map(len, column)) for column in zip(*lines)]
        table = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        level = f"intervals: {100 * self.confidence:g} %"
        return "\n".join([f"noise matrix from {self.source}; {level}", *table, self._verdict()])

    def _rate(self, i: int, j: int) -> str:
        return f"{self.matrix[i, j]:.3f} [{self.low[i, j]:.3f}, {self.high[i, j]:.3f}]"

    def _cell(self, i: int, j: int) -> str:
        return f"{self.classes[i]} {self._rate(i, j)}"

    def _verdict(self) -> str:
        condition = float(np.linalg.cond(self.matrix))
        if condition > 1e6:
            return f"condition number {condition:.3g}: the noise cannot be undone"
        largest = np.abs(np.linalg.inv(self.matrix)).max()
        return (
            f"condition number {condition:.3g}; undoing the noise multiplies errors by up to "
            f"{largest:.3g}"
        )


@dataclass(frozen=True)
class CountingRules:
    """How counts become a noise matrix and intervals.

    Attributes
    ----------
    smoothing, laplace : float
    on_empty : {"raise", "identity", "uniform"}
    interval : {"wilson", "exact"}
    confidence : float
        See :func:`uneven.noise.confusion_from_clean`.
    """

    smoothing: float = 0.0
    laplace: float = 0.0
    on_empty: str = "raise"
    interval: str = "wilson"
    confidence: float = 0.95

    def __post_init__(self) -> None:
        for name in ("smoothing", "laplace"):
            value: Any = getattr(self, name)
            if not isinstance(value, Real) or not 0.0 <= float(value) < np.inf:
                raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}.")
        level: Any = self.confidence
        if not isinstance(level, Real) or not 0.0 < float(level) < 1.0:
            raise ValueError(f"confidence must be between 0 and 1, got {level!r}.")
        check_choice("interval", self.interval, ("wilson", "exact"))
        check_choice("on_empty", self.on_empty, ("raise", "identity", "uniform"))

    def apply(
        self, counts: np.ndarray, sizes: np.ndarray, classes: np.ndarray, source: str
    ) -> ConfusionEstimate:
        """Turn counts into an estimate.

        Parameters
        ----------
        counts : ndarray of shape (n_classes, n_classes)
            Row = observed label, column = true class.
        sizes : ndarray of shape (n_classes,)
            Effective number of rows of each true class.
        classes : ndarray of shape (n_classes,)
        source : str

        Returns
        -------
        ConfusionEstimate
        """
        totals = counts.sum(axis=0)
        seen = totals > 0.0
        rates = np.divide(counts, totals, out=np.zeros_like(counts), where=seen)
        rows = np.where(seen, sizes, 1.0)
        low, high = self._bounds(rates, rows)
        error = np.sqrt(rates * (1.0 - rates) / rows)
        return ConfusionEstimate(
            matrix=self._matrix(counts, classes),
            counts=counts,
            standard_error=np.where(seen, error, np.nan),
            low=np.where(seen, low, 0.0),
            high=np.where(seen, high, 1.0),
            sizes=np.where(seen, sizes, 0.0),
            prior=totals / totals.sum(),
            classes=classes,
            confidence=float(self.confidence),
            source=source,
        )

    def _matrix(self, counts: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """Smoothed counts divided by their column sums; columns without any as agreed."""
        k = len(counts)
        smoothed = counts + self.laplace + self.smoothing * np.eye(k)
        empty = smoothed.sum(axis=0) <= 0.0
        if empty.any() and self.on_empty == "raise":
            names = classes[empty].tolist()
            raise ValueError(
                f"no row shows how class {names[0]!r} is labelled ({len(names)} of {k} classes "
                f"have none: {names[:8]}). Add rows, or pass on_empty='identity' (assume right "
                "labels), on_empty='uniform' (assume any label) or smoothing."
            )
        fill = np.eye(k) if self.on_empty == "identity" else np.full((k, k), 1.0 / k)
        smoothed[:, empty] = fill[:, empty]
        return np.asarray(smoothed / smoothed.sum(axis=0))

    def _bounds(self, rates: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the confidence intervals of rates that were seen in so many rows."""
        aside = (1.0 - float(self.confidence)) / 2.0
        if self.interval == "exact":
            hits, misses = rates * rows, (1.0 - rates) * rows
            low = betaincinv(np.maximum(hits, 1e-9), misses + 1.0, aside)
            high = betaincinv(hits + 1.0, np.maximum(misses, 1e-9), 1.0 - aside)
            return np.where(rates > 0.0, low, 0.0), np.where(rates < 1.0, high, 1.0)
        z2 = float(ndtri(aside)) ** 2
        middle = (rates + z2 / (2.0 * rows)) / (1.0 + z2 / rows)
        spread = rates * (1.0 - rates) / rows + z2 / (4.0 * rows**2)
        half = np.sqrt(z2 * spread) / (1.0 + z2 / rows)
        return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
