"""Is one method better than another, judged by errors on the same splits?

- `signed_rank_test`: Wilcoxon's test, for errors on any paired splits, or on several data sets.
- `five_by_two_t_test` and `five_by_two_f_test`: for five repetitions of two-fold cross-validation,
  where splits overlap and a test that takes them for independent finds too much.

`five_by_two` gives the splits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import f as f_distribution
from scipy.stats import rankdata, wilcoxon
from scipy.stats import t as t_distribution
from sklearn.model_selection import RepeatedStratifiedKFold

from uneven.metrics._numbers import ALIKE, ratio

__all__ = [
    "PairedTest",
    "five_by_two",
    "five_by_two_f_test",
    "five_by_two_t_test",
    "signed_rank_test",
]

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
    value = ratio(float(pairs[0, 0]), float(np.sqrt(_variances(pairs).mean())))
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
    value = ratio(float((pairs**2).sum()), float(2.0 * _variances(pairs).sum()))
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
