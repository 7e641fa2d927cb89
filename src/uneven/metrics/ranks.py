"""Do several methods differ, judged by one figure of each method on each of several data sets?

- `average_ranks`: the place of each method, on average over the sets.
- `friedman_test`: whether the methods differ at all.
- `critical_difference` and `groups_alike`: which of them do.

Figures of different sets are never compared with each other, only their order within a set.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import f as f_distribution
from scipy.stats import rankdata, studentized_range

from uneven.metrics._numbers import ALIKE, ratio

__all__ = [
    "RankTest",
    "average_ranks",
    "critical_difference",
    "friedman_test",
    "groups_alike",
]


@dataclass(frozen=True)
class RankTest:
    """Outcome of a test of several methods on the same data sets.

    Attributes
    ----------
    statistic : float
        Friedman's chi-square.
    f_statistic : float
        Iman and Davenport's F, which is less conservative; infinite if the methods come in the
        same order on every set.
    pvalue : float
        How likely such an F, or a larger one, is among equal methods.
    ranks : ndarray of shape (n_methods,)
        Average ranks, 1 is the best.
    """

    statistic: float
    f_statistic: float
    pvalue: float
    ranks: NDArray[np.float64]


def average_ranks(values: ArrayLike, *, better: str = "low") -> NDArray[np.float64]:
    """Average place of each method.

    On each set the best method has rank 1, the worst one the number of methods. Methods that are
    equal but for rounding share the mean of their ranks.

    Parameters
    ----------
    values : array-like of shape (n_sets, n_methods)
        One figure of each method on each set. Infinite ones are first or last.
    better : {"low", "high"}, default="low"
        Whether low figures are good, as of errors, or high ones, as of accuracies.

    Returns
    -------
    ndarray of shape (n_methods,)
        They add up to ``n_methods * (n_methods + 1) / 2``.

    References
    ----------
    J. Demšar (2006), *Statistical comparisons of classifiers over multiple data sets*, Journal of
    Machine Learning Research.

    Examples
    --------
    >>> average_ranks([[0.10, 0.20, 0.30], [0.25, 0.25, 0.40]])
    array([1.25, 1.75, 3.  ])
    """
    return _ranks(_as_table(values), better).mean(axis=0)


def friedman_test(values: ArrayLike, *, better: str = "low") -> RankTest:
    """Friedman's test whether several methods differ, with the F of Iman and Davenport.

    Parameters
    ----------
    values : array-like of shape (n_sets, n_methods)
        One figure of each method on each set, at least two of both.
    better : {"low", "high"}, default="low"
        Whether low figures are good or high ones. Only the ranks depend on it.

    Returns
    -------
    RankTest
        The p-value is that of F, with ``n_methods - 1`` and
        ``(n_methods - 1) * (n_sets - 1)`` degrees of freedom.

    Notes
    -----
    Shared ranks are not corrected for, as in the source; where there are many, the test finds too
    little. ``scipy.stats.friedmanchisquare`` gives the corrected chi-square.

    References
    ----------
    M. Friedman (1940), *A comparison of alternative tests of significance for the problem of m
    rankings*; R. L. Iman and J. M. Davenport (1980), *Approximations of the critical region of the
    Friedman statistic*; J. Demšar (2006), *Statistical comparisons of classifiers over multiple
    data sets*, Journal of Machine Learning Research.

    Examples
    --------
    >>> errors = [[0.10, 0.20, 0.30], [0.25, 0.24, 0.40], [0.3, 0.5, 0.6], [0.1, 0.2, 0.3]]
    >>> found = friedman_test(errors)
    >>> found.statistic, round(found.f_statistic, 3), round(found.pvalue, 3)
    (6.5, 13.0, 0.007)
    >>> found.ranks
    array([1.25, 1.75, 3.  ])
    """
    ranks = _ranks(_as_table(values), better)
    n, k = ranks.shape
    if n < 2 or k < 2:
        raise ValueError(
            f"values has shape {ranks.shape}: the test needs at least two sets (rows) and two "
            "methods (columns)."
        )
    spread = 12.0 * ((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum()
    largest = float(n**2 * k * (k**2 - 1))
    statistic = n * (k - 1) * spread / largest
    f_statistic = ratio((n - 1) * spread, largest - spread)
    pvalue = f_distribution.sf(f_statistic, k - 1, (k - 1) * (n - 1))
    return RankTest(float(statistic), float(f_statistic), float(pvalue), ranks.mean(axis=0))


def critical_difference(n_methods: int, n_sets: int, alpha: float = 0.05) -> float:
    """How far average ranks must be apart for two methods to differ, by Nemenyi's test.

    Parameters
    ----------
    n_methods : int
        At least 2; all of them are compared with each other.
    n_sets : int
    alpha : float, default=0.05
        How often equal methods may be called different, in any of the comparisons.

    Returns
    -------
    float
        ``q * sqrt(n_methods * (n_methods + 1) / (6 * n_sets))``, q from the studentised range
        divided by the root of 2.

    Notes
    -----
    The source prints 2.343 and 2.949 as q for 3 and 7 methods at 0.05, made from rounded tables;
    2.344 and 2.948 are used here.

    References
    ----------
    P. B. Nemenyi (1963), *Distribution-free multiple comparisons*, PhD thesis, Princeton
    University; J. Demšar (2006), *Statistical comparisons of classifiers over multiple data sets*,
    Journal of Machine Learning Research.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    for name, count, least in (("n_methods", n_methods, 2), ("n_sets", n_sets, 1)):
        if not isinstance(count, Integral) or isinstance(count, bool) or count < least:
            raise ValueError(f"{name}={count!r}: give a whole number, {least} or more.")
    if not isinstance(alpha, Real) or not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha={alpha!r} must lie between 0 and 1, such as 0.05.")
    q = studentized_range.isf(alpha, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_sets)))


def groups_alike(ranks: ArrayLike, cd: float) -> list[tuple[int, ...]]:
    """Largest groups of methods that the test cannot tell from each other.

    Parameters
    ----------
    ranks : array-like of shape (n_methods,)
        Average ranks.
    cd : float
        Critical difference: methods differ if their ranks are at least so far apart.

    Returns
    -------
    list of tuple of int
        Positions in ``ranks``, best first. Groups may overlap; none lies within another, and a
        method that differs from all others is in none.

    Examples
    --------
    >>> groups_alike([3.143, 2.0, 2.893, 1.964], 1.12)
    [(3, 1, 2), (2, 0)]
    >>> groups_alike([1.0, 2.0, 3.0], 0.5)
    []
    """
    given = as_ranks(ranks)
    if not isinstance(cd, Real) or not 0.0 < cd < np.inf:
        raise ValueError(f"cd={cd!r} must be above 0 and finite; see critical_difference.")
    order = np.argsort(given, kind="stable")
    ends = np.searchsorted(given[order], given[order] + float(cd) * (1.0 - ALIKE), side="left")
    groups = []
    reached = 0
    for start, end in enumerate(ends.tolist()):
        if end > max(reached, start + 1):
            groups.append(tuple(order[start:end].tolist()))
            reached = end
    return groups


def as_ranks(ranks: ArrayLike) -> NDArray[np.float64]:
    """Average ranks, checked: one dimension, finite, at least 1.

    Parameters
    ----------
    ranks : array-like of shape (n_methods,)

    Returns
    -------
    ndarray of shape (n_methods,)
    """
    given = np.asarray(ranks, dtype=np.float64)
    if given.ndim != 1 or not given.size:
        raise ValueError(f"ranks has shape {given.shape}; give one average rank per method.")
    odd = np.flatnonzero(~(np.isfinite(given) & (given >= 1.0)))
    if odd.size:
        raise ValueError(
            f"ranks holds {given[odd[0]]} at position {odd[0]}; average ranks are finite and at "
            "least 1, see average_ranks."
        )
    return given


def _ranks(table: NDArray[np.float64], better: Any) -> NDArray[np.float64]:
    """Ranks within each row; neighbours closer than rounding share theirs."""
    if better not in ("low", "high"):
        raise ValueError(f"better must be 'low' or 'high', got {better!r}.")
    signed = table if better == "low" else -table
    order = np.argsort(signed, axis=1, kind="stable")
    ordered = np.take_along_axis(signed, order, axis=1)
    size = np.where(np.isfinite(table), np.abs(table), 0.0).max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        steps = np.diff(ordered, axis=1) > ALIKE * size
    places = np.zeros(table.shape)
    np.put_along_axis(places, order[:, 1:], np.cumsum(steps, axis=1), axis=1)
    return np.asarray(rankdata(places, axis=1))


def _as_table(values: ArrayLike) -> NDArray[np.float64]:
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"values is no table of numbers ({error}); give one figure per set (row) and method "
            "(column), without names."
        ) from error
    if table.ndim != 2 or not table.size:
        raise ValueError(
            f"values has shape {table.shape}; expected (n_sets, n_methods), one figure of each "
            "method on each set."
        )
    missing = np.argwhere(np.isnan(table))
    if missing.size:
        row, column = missing[0]
        raise ValueError(
            f"values is NaN in row {row}, column {column} ({len(missing)} in all): a missing "
            "figure has no rank; leave out the set, or the method."
        )
    return table
