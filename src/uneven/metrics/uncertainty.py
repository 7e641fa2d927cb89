"""How sure figures are that come from few folds or few rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from scipy.stats import t as t_distribution

from uneven.metrics.significance import PairedTest, _check_alternative, _differences, _ratio


def corrected_t_test(
    first: ArrayLike, second: ArrayLike, test_share: float, alternative: str = "two-sided"
) -> PairedTest:
    """Nadeau and Bengio's t test of figures of two methods on the same folds.

    Folds share training rows, so that their figures vary less than those of new data sets would.
    The plain paired t test therefore finds too much; this one enlarges the variance.

    Parameters
    ----------
    first, second : array-like of shape (n_fits,)
        One figure of each method per fit, at least two.
    test_share : float
        Held-out rows divided by training rows of a fit: 1 / (k - 1) for k folds.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"

    Returns
    -------
    PairedTest
        The statistic has a t distribution of ``n_fits - 1`` degrees of freedom.

    References
    ----------
    C. Nadeau and Y. Bengio (2003), *Inference for the generalization error*, Machine Learning.
    R. R. Bouckaert and E. Frank (2004), *Evaluating the replicability of significance tests for
    comparing learning algorithms*.

    Examples
    --------
    >>> first, second = [0.10, 0.12, 0.11, 0.13, 0.09], [0.15, 0.13, 0.14, 0.15, 0.13]
    >>> found = corrected_t_test(first, second, test_share=1 / 4)
    >>> round(found.statistic, 3), round(found.pvalue, 3)
    (-2.828, 0.047)
    """
    _check_alternative(alternative)
    apart = _differences(first, second).ravel()
    n = len(apart)
    if n < 2:
        raise ValueError("the test needs two folds or more: one says nothing about chance.")
    if not test_share >= 0.0:
        raise ValueError(f"test_share is {test_share!r}; give held-out rows / training rows.")
    scale = np.sqrt((1.0 / n + test_share) * apart.var(ddof=1))
    value = _ratio(float(apart.mean()), float(scale))
    tails = {
        "less": t_distribution.cdf(value, n - 1),
        "greater": t_distribution.sf(value, n - 1),
        "two-sided": 2.0 * t_distribution.sf(abs(value), n - 1),
    }
    return PairedTest(value, float(tails[alternative]), float(apart.mean()))


def wilson_interval(
    rates: ArrayLike, rows: ArrayLike, confidence: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wilson's interval of shares: it keeps its level even for 0 or all of a handful of rows.

    Parameters
    ----------
    rates : array-like of any shape
        Shares that were seen.
    rows : array-like that fits it
        In how many rows each; NaN comes out where there are none.
    confidence : float, default=0.95

    Returns
    -------
    low, high : ndarray
        Ends of the intervals, within [0, 1].

    References
    ----------
    E. B. Wilson (1927), *Probable inference, the law of succession, and statistical inference*.

    Examples
    --------
    >>> low, high = wilson_interval([1.0, 0.5], [16, 4])
    >>> low.round(3), high.round(3)
    (array([0.806, 0.15 ]), array([1.  , 0.85]))
    """
    shares, sizes = np.broadcast_arrays(np.asarray(rates, float), np.asarray(rows, float))
    n = np.where(sizes > 0.0, sizes, np.nan)
    z2 = float(ndtri((1.0 - float(confidence)) / 2.0)) ** 2
    middle = (shares + z2 / (2.0 * n)) / (1.0 + z2 / n)
    half = np.sqrt(z2 * (shares * (1.0 - shares) / n + z2 / (4.0 * n**2))) / (1.0 + z2 / n)
    low = np.where(shares <= 0.0, 0.0 * n, np.maximum(middle - half, 0.0))
    return low, np.where(shares >= 1.0, 0.0 * n + 1.0, np.minimum(middle + half, 1.0))
