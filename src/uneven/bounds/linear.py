"""What theory promises about linear classifiers: mistakes, sample sizes, shattering.

Louche (2016) is the thesis *From confusion noise to active learning: playing on label availability
in linear classification problems*, Aix-Marseille Université.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import bisect
from scipy.special import gammaln, logsumexp

from uneven.bounds.arguments import check_numbers


def perceptron_mistake_bound(radius: float, margin: float) -> float:
    """Bound the mistakes of a perceptron: ``radius**2 / margin**2``.

    Parameters
    ----------
    radius : float
        Length of the longest row.
    margin : float
        Smallest product of a row in normal form with some unit vector; the best one is
        ``uneven.linear.hard_margin(Z).margin``.

    Returns
    -------
    float
        ``inf`` if the margin is zero.

    Notes
    -----
    Holds in whatever order the rows come, repeated or chosen after looking at the weights.

    References
    ----------
    Novikoff (1962), On convergence proofs on perceptrons.

    Examples
    --------
    >>> perceptron_mistake_bound(radius=2.0, margin=0.5)
    16.0
    """
    check_numbers(radius=radius, margin=margin)
    return (radius / margin) ** 2 if margin else math.inf


def ultraconservative_mistake_bound(radius: float, margin: float) -> float:
    """Bound the mistakes of an ultraconservative learner: ``2 * radius**2 / margin**2``.

    Parameters
    ----------
    radius : float
        Length of the longest row.
    margin : float
        Smallest lead of the true class under some weights of Frobenius norm 1; see
        `uneven.linear.margins`.

    Returns
    -------
    float
        ``inf`` if the margin is zero.

    Notes
    -----
    The source forgets to say that the norm is 1. With two classes and weights ``w / sqrt(2)`` and
    ``-w / sqrt(2)`` the margin is ``sqrt(2)`` times that of w, and this is the bound of the
    perceptron. The MIRA step, which may move less, is not covered.

    References
    ----------
    Crammer and Singer (2003), Ultraconservative online algorithms for multiclass problems.
    Louche (2016), theorem 2.3.

    Examples
    --------
    >>> ultraconservative_mistake_bound(radius=2.0, margin=0.5)
    32.0
    """
    return 2.0 * perceptron_mistake_bound(radius, margin)


def linear_vc_dimension(
    n_features: int,
    *,
    offset: bool = False,
    radius: float = math.inf,
    max_norm: float = math.inf,
) -> float:
    """Bound the number of rows on which linear classifiers can give every labelling.

    Parameters
    ----------
    n_features : int
    offset : bool, default=False
        Whether hyperplanes need not go through the origin.
    radius, max_norm : float, default=inf
        Length of the longest row, and of the longest weight vector that reaches products of at
        least 1 in absolute value.

    Returns
    -------
    float
        ``n_features``, one more with an offset, and no more than ``radius**2 * max_norm**2``.

    Notes
    -----
    The source prints an equality with ``radius**2 * max_norm**2``; it is only an upper bound: on a
    line one row can be shattered at most, however long it is. An offset needs the radius of the
    rows with their constant.

    References
    ----------
    Vapnik (1998), Statistical learning theory.

    Examples
    --------
    >>> linear_vc_dimension(10), linear_vc_dimension(10, offset=True)
    (10.0, 11.0)
    >>> linear_vc_dimension(1000, radius=1.0, max_norm=5.0)
    25.0
    """
    check_numbers(n_features=n_features, radius=radius, max_norm=max_norm)
    large_margin = (radius * max_norm) ** 2 if min(radius, max_norm) > 0 else 0.0
    return float(min(n_features + bool(offset), large_margin))


def vc_sample_size(
    error: float, delta: float, vc_dimension: float, *, constant: float = 1.0
) -> float:
    """Order of the number of rows for which a consistent classifier generalises.

    ``constant * (ln(1 / delta) / error + vc_dimension / error * ln(1 / error))``

    Parameters
    ----------
    error, delta : float
        Allowed error rate, and allowed probability of missing it; both in (0, 1).
    vc_dimension : float
        Of the class of classifiers, see `linear_vc_dimension`.
    constant : float, default=1.0
        The theorem only says that there is one: the value is an order, not a guarantee.

    Notes
    -----
    The source prints ``vc_dimension / delta`` in the second term; delta enters by its logarithm
    only.

    References
    ----------
    Blumer, Ehrenfeucht, Haussler and Warmuth (1989), Learnability and the Vapnik-Chervonenkis
    dimension.

    Examples
    --------
    >>> round(vc_sample_size(0.1, 0.05, vc_dimension=10), 1)
    260.2
    """
    check_numbers(error=error, delta=delta, vc_dimension=vc_dimension, constant=constant)
    return constant * (math.log(1 / delta) + vc_dimension * math.log(1 / error)) / error


def compression_sample_size(error: float, delta: float, size: int, *, beta: float = 0.5) -> float:
    """Give a number of rows that suffices for a learner that depends on few of them.

    ``(ln(1 / delta) / error + size + size / error * ln(1 / (beta * error))) / (1 - beta)``

    Parameters
    ----------
    error, delta : float
        Allowed error rate, and allowed probability of missing it; both in (0, 1).
    size : int
        Rows that the classifier can be rebuilt from; it must be right on all the others.
    beta : float, default=0.5
        Any number in (0, 1): the guarantee holds for each.

    Notes
    -----
    The source states the order only. With ``sum of C(n, i) <= (e n / size)**size`` and ``ln x <= a
    x - ln a - 1`` for ``a = beta * error`` the constants can be written down. It also asks only
    that the rebuilt classifier be the same; it must be right on the sample, too.

    References
    ----------
    Littlestone and Warmuth (1986), Relating data compression and learnability. Floyd and Warmuth
    (1995), Sample compression, learnability, and the Vapnik-Chervonenkis dimension.

    Examples
    --------
    >>> round(compression_sample_size(0.05, 0.05, size=4), 2)
    718.05
    """
    check_numbers(error=error, delta=delta, size=size)
    if not 0 < beta < 1:
        raise ValueError(f"beta={beta} must lie strictly between 0 and 1.")
    chance = math.log(1 / delta) / error
    return (chance + size + size / error * math.log(1 / (beta * error))) / (1 - beta)


def compression_bound(
    n_samples: int, size: int, delta: float = 0.05, *, size_from_data: bool = False
) -> float:
    """Bound the error rate of a classifier that is rebuilt from few rows and right on the rest.

    The root of ``sum over i <= size of C(n, i) (1 - e)**(n - i) = delta``: with probability 1 -
    delta no set of at most ``size`` rows leads to a classifier that is worse than e, but right on
    all other rows.

    Parameters
    ----------
    n_samples : int
        Rows of the sample.
    size : int
        Rows that the classifier can be rebuilt from: support vectors, or rows with a mistake.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    size_from_data : bool, default=False
        Whether the size was read off the fitted classifier. Then delta is shared among all
        ``n_samples + 1`` sizes.

    Returns
    -------
    float
        1 if the bound is vacuous.

    References
    ----------
    Littlestone and Warmuth (1986), Relating data compression and learnability. Langford (2005),
    Tutorial on practical prediction theory for classification.

    Examples
    --------
    >>> round(compression_bound(1000, 3), 5), round(compression_bound(5000, 6), 5)
    (0.02175, 0.00947)
    """
    check_numbers(n_samples=n_samples, size=size, delta=delta)
    if n_samples < 1 or size > n_samples:
        raise ValueError(f"size={size} rows out of n_samples={n_samples}: there are not as many.")
    if size == n_samples:
        return 1.0
    i = np.arange(int(size) + 1)
    choices = gammaln(n_samples + 1) - gammaln(i + 1) - gammaln(n_samples - i + 1)
    wanted = math.log(delta / (n_samples + 1) if size_from_data else delta)

    def excess(log_right: float) -> float:
        return float(logsumexp(choices + (n_samples - i) * log_right)) - wanted

    lowest = (wanted - float(logsumexp(choices))) / (n_samples - int(size))
    below = lowest * (1.0 + 1e-9)
    return -math.expm1(bisect(excess, below, 0.0, xtol=1e-15, maxiter=500))


def uma_sample_size(
    error: float,
    delta: float,
    n_features: int,
    n_classes: int,
    *,
    amplification: float = 1.0,
    constant: float = 4.0,
) -> float:
    """Number of noisy rows for which update vectors are reliable.

    ``128 * amplification**2 / error**2 * (ln(constant / delta) + 2 ln(n_classes) +
    (n_features + 1) ln(8 / error))``

    Parameters
    ----------
    error, delta : float
        Allowed deviation of an update vector along the difference of two weight vectors, and
        allowed probability of more; both in (0, 1).
    n_features, n_classes : int
    amplification : float, default=1.0
        Largest absolute entry of the inverse noise matrix; 1 without noise.
    constant : float, default=4.0
        The theorem only says that there is one.

    Notes
    -----
    For rows of unit length. The source compares with the clean average, which the update vector
    equals only in expectation over the noise, and so lacks the amplification; and it prints
    the exponent of its tail bound without the minus sign.

    References
    ----------
    Louche (2016), proposition 4.3.

    Examples
    --------
    >>> round(uma_sample_size(0.1, 0.05, n_features=2, n_classes=10))
    283306
    """
    check_numbers(error=error, delta=delta, n_features=n_features, amplification=amplification)
    if n_classes < 1 or not constant >= 1:
        raise ValueError(f"n_classes={n_classes} and constant={constant} must be at least 1.")
    terms = math.log(constant / delta) + 2 * math.log(n_classes)
    return 128 * (amplification / error) ** 2 * (terms + (n_features + 1) * math.log(8 / error))


def is_shattered(points: ArrayLike, *, offset: bool = False) -> bool:
    """Whether hyperplanes can give the points every labelling.

    Parameters
    ----------
    points : array-like of shape (n_points, n_features)
    offset : bool, default=False
        Whether hyperplanes need not go through the origin.

    Notes
    -----
    n points have ``2**n`` labellings (a figure of the source counts 6 for three points). They need
    not be tried: hyperplanes through the origin give them all exactly if the points are linearly
    independent. Where a combination of the points is zero, the signs of its coefficients are a
    labelling that nobody can give.

    Examples
    --------
    >>> is_shattered([[1.0, 0.0], [0.0, 1.0]])
    True
    >>> triangle = [[0, 0], [1, 0], [0, 1]]
    >>> is_shattered(triangle), is_shattered(triangle, offset=True)
    (False, True)
    """
    rows = np.asarray(points, dtype=np.float64)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"points has shape {rows.shape}; expected (n_points, n_features).")
    if not np.isfinite(rows).all():
        raise ValueError("points holds NaN or infinity.")
    if offset:
        rows = np.column_stack([rows, np.ones(len(rows))])
    return bool(np.linalg.matrix_rank(rows) == len(rows))
