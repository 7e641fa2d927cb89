"""Is one method better than another, or do several differ?

Two methods, compared by their errors on the same splits:

- `signed_rank_test`: Wilcoxon's test, for errors on any paired splits, or on several data sets.
- `holm_correction`: p-values of several such tests together.
- `five_by_two_t_test` and `five_by_two_f_test`: for five repetitions of two-fold cross-validation,
  where splits overlap and a test that takes them for independent finds too much; `five_by_two`
  gives the splits.

Several methods, compared by one figure for each of several data sets:

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
from scipy.stats import rankdata, studentized_range, wilcoxon
from scipy.stats import t as t_distribution
from sklearn.model_selection import RepeatedStratifiedKFold

ALIKE = 1e-12
"""Numbers this close, as a share of the largest, are equal but for rounding."""


_EXACT = 25


@dataclass(frozen=True)
class PairedTest:
    """Outcome of a test of two methods on the same splits.

    Attributes
    ----------
    statistic : float
    pvalue : float
        How likely such a difference, or a larger one, is among equal methods.
    mean_difference : float
        Mean of ``first - second``: below 0 if the first method errs less.
    """

    statistic: float
    pvalue: float
    mean_difference: float


def five_by_two(random_state: Any = None) -> RepeatedStratifiedKFold:
    """Five times two halves, each half once for training and once for testing.

    This is scikit-learn's ``RepeatedStratifiedKFold`` with two folds and five repetitions; the two
    splits of a repetition follow each other, as the tests expect.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None

    Returns
    -------
    RepeatedStratifiedKFold

    Examples
    --------
    >>> splits = list(five_by_two(0).split(np.zeros((8, 1)), [0, 1] * 4))
    >>> len(splits), bool((np.sort(splits[0][0]) == np.sort(splits[1][1])).all())
    (10, True)
    """
    return RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=random_state)


def signed_rank_test(first: ArrayLike, second: ArrayLike, alternative: str = "less") -> PairedTest:
    """Wilcoxon's signed-rank test of paired errors.

    Equal errors are left out, equal sizes of differences share their ranks. The distribution is
    exact for at most 25 differences of unequal size; else it is the normal one, corrected for ties
    and continuity.

    Parameters
    ----------
    first, second : array-like of shape (n_splits,)
        Errors of two methods on the same splits, or on the same data sets.
    alternative : {"less", "greater", "two-sided"}, default="less"
        What is to be shown: that the first method errs less, that it errs more, or either.

    Returns
    -------
    PairedTest
        Its statistic is the sum of the ranks of the differences above 0. Without any difference
        the p-value is 1.

    Notes
    -----
    Splits of one data set share their rows, so that the test is optimistic there. A small p-value
    says that methods differ; which of them is better, ``mean_difference`` says.

    References
    ----------
    F. Wilcoxon (1945), *Individual comparisons by ranking methods*; J. Demšar (2006), *Statistical
    comparisons of classifiers over multiple data sets*, Journal of Machine Learning Research.

    Examples
    --------
    >>> first = [0.10, 0.12, 0.11, 0.13, 0.09, 0.14]
    >>> second = [0.15, 0.13, 0.14, 0.15, 0.13, 0.20]
    >>> found = signed_rank_test(first, second)
    >>> found.pvalue, round(found.mean_difference, 3)
    (0.015625, -0.035)
    """
    _check_alternative(alternative)
    apart = _differences(first, second)
    mean = float(apart.mean())
    apart = apart[apart != 0.0]
    if not apart.size:
        return PairedTest(0.0, 1.0, mean)
    is_exact = len(apart) <= _EXACT and len(np.unique(np.abs(apart))) == len(apart)
    found = wilcoxon(
        apart,
        alternative=alternative,
        correction=not is_exact,
        method="exact" if is_exact else "approx",
    )
    above = float(rankdata(np.abs(apart))[apart > 0.0].sum())
    return PairedTest(above, float(found.pvalue), mean)


def holm_correction(pvalues: ArrayLike) -> NDArray[np.float64]:
    """P-values of several tests, raised so that any of them may be trusted.

    A corrected p-value below 0.05 means that, over all the tests together, a difference where there
    is none is found in at most 5 % of the cases, whatever their dependence.

    Parameters
    ----------
    pvalues : array-like of shape (n_tests,)

    Returns
    -------
    ndarray of shape (n_tests,)
        In the same order; the smallest is multiplied by ``n_tests``, the next by one less, and so
        on, never below a smaller one and at most 1.

    References
    ----------
    S. Holm (1979), *A simple sequentially rejective multiple test procedure*, Scandinavian Journal
    of Statistics.

    Examples
    --------
    >>> holm_correction([0.04, 0.01, 0.5]).round(3)
    array([0.08, 0.03, 0.5 ])
    """
    given = np.asarray(pvalues, dtype=np.float64)
    if given.ndim != 1 or not ((given >= 0.0) & (given <= 1.0)).all():
        raise ValueError("pvalues must be a list of numbers between 0 and 1, one per test.")
    order = np.argsort(given, kind="stable")
    raised = given[order] * np.arange(len(given), 0, -1)
    corrected = np.empty(len(given))
    corrected[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return corrected


def five_by_two_t_test(
    first: ArrayLike, second: ArrayLike, alternative: str = "two-sided"
) -> PairedTest:
    """Dietterich's t test of errors from five times two-fold cross-validation.

    Parameters
    ----------
    first, second : array-like of shape (10,) or (5, 2)
        Errors of two methods in the order of `five_by_two`.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"

    Returns
    -------
    PairedTest
        The statistic has a t distribution of 5 degrees of freedom. It looks at the difference of
        the first split only; `five_by_two_f_test` looks at all ten.

    References
    ----------
    T. G. Dietterich (1998), *Approximate statistical tests for comparing supervised
    classification learning algorithms*, Neural Computation.

    Examples
    --------
    >>> first = [0.10, 0.12, 0.11, 0.13, 0.09, 0.14, 0.10, 0.11, 0.12, 0.13]
    >>> second = [0.15, 0.13, 0.14, 0.15, 0.13, 0.20, 0.14, 0.15, 0.13, 0.17]
    >>> found = five_by_two_t_test(first, second)
    >>> round(found.statistic, 3), round(found.pvalue, 3)
    (-2.887, 0.034)
    """
    _check_alternative(alternative)
    pairs = _five_pairs(first, second)
    value = _ratio(float(pairs[0, 0]), float(np.sqrt(_variances(pairs).mean())))
    tails = {
        "less": t_distribution.cdf(value, 5),
        "greater": t_distribution.sf(value, 5),
        "two-sided": 2.0 * t_distribution.sf(abs(value), 5),
    }
    return PairedTest(value, float(tails[alternative]), float(pairs.mean()))


def five_by_two_f_test(first: ArrayLike, second: ArrayLike) -> PairedTest:
    """Alpaydin's F test of errors from five times two-fold cross-validation.

    Parameters
    ----------
    first, second : array-like of shape (10,) or (5, 2)
        Errors of two methods in the order of `five_by_two`.

    Returns
    -------
    PairedTest
        The statistic has an F distribution of 10 and 5 degrees of freedom. The test has two sides;
        the order of the splits of a repetition does not matter.

    References
    ----------
    E. Alpaydin (1999), *Combined 5 x 2 cv F test for comparing supervised classification learning
    algorithms*, Neural Computation.

    Examples
    --------
    >>> first = [0.10, 0.12, 0.11, 0.13, 0.09, 0.14, 0.10, 0.11, 0.12, 0.13]
    >>> second = [0.15, 0.13, 0.14, 0.15, 0.13, 0.20, 0.14, 0.15, 0.13, 0.17]
    >>> found = five_by_two_f_test(first, second)
    >>> round(found.statistic, 3), round(found.pvalue, 3)
    (4.667, 0.051)
    """
    pairs = _five_pairs(first, second)
    value = _ratio(float((pairs**2).sum()), float(2.0 * _variances(pairs).sum()))
    return PairedTest(value, float(f_distribution.sf(value, 10, 5)), float(pairs.mean()))


def _check_alternative(alternative: Any) -> None:
    if alternative not in ("less", "greater", "two-sided"):
        raise ValueError(
            f"alternative must be 'less', 'greater' or 'two-sided', got {alternative!r}."
        )


def _differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """``first - second`` without rounding errors, in the shape that was given."""
    pair = [np.asarray(errors, dtype=np.float64) for errors in (first, second)]
    if pair[0].shape != pair[1].shape or not pair[0].size:
        raise ValueError(
            f"the errors have shapes {pair[0].shape} and {pair[1].shape}: give one error of each "
            "method for every split."
        )
    if not (np.isfinite(pair[0]).all() and np.isfinite(pair[1]).all()):
        raise ValueError("the errors hold NaN or infinity: leave failed splits out of both.")
    largest = max(float(np.abs(errors).max()) for errors in pair)
    if largest == 0.0:
        return np.zeros(pair[0].shape)
    step = ALIKE * largest
    return np.asarray(np.round((pair[0] - pair[1]) / step) * step)


def _five_pairs(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    apart = _differences(first, second)
    if apart.shape not in ((10,), (5, 2)):
        raise ValueError(
            f"there are errors of shape {apart.shape}; five times two are needed: shape (10,) in "
            "the order of five_by_two, or (5, 2)."
        )
    return apart.reshape(5, 2)


def _variances(pairs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the two differences of each repetition, shape (5,)."""
    return np.asarray(((pairs - pairs.mean(axis=1, keepdims=True)) ** 2).sum(axis=1))


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
    f_statistic = _ratio((n - 1) * spread, largest - spread)
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
    The source gives 2.343 and 2.949 as q for 3 and 7 methods at 0.05, made from rounded tables;
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
    """Largest groups of methods without significant differences.

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


def _ratio(top: float, bottom: float) -> float:
    """The quotient; 0 if both are 0, infinite if only the second is.

    Examples
    --------
    >>> _ratio(1.0, 4.0), _ratio(0.0, 0.0), _ratio(-2.0, 0.0)
    (0.25, 0.0, -inf)
    """
    if bottom > 0.0:
        return top / bottom
    return 0.0 if top == 0.0 else float(np.copysign(np.inf, top))
