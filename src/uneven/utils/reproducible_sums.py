"""Sums of doubles that depend neither on the order of the numbers nor on how they are parted.

Every number is cut into two *folds*. The first is rounded to a grid so coarse that no sum of the
numbers can need more than 53 bits; the second is what is left, rounded to a second grid chosen in
the same way. Both folds add up without any rounding, so their sums are the same in any order, and
sums of parts of the numbers may be added. What both grids leave out is smaller than what an
ordinary sum rounds away, unless the largest number exceeds the sum of all others by far.

References
----------
J. Demmel and H. D. Nguyen (2013), *Fast reproducible floating-point summation*.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

_SMALLEST = 5e-324
_BLOCK = 1 << 16


def fold_units(n_values: int, largest: float) -> tuple[float, float]:
    """Grids of the two folds: powers of two.

    Parameters
    ----------
    n_values : int
        How many numbers are added at most.
    largest : float
        No number is larger than this, and none lower than minus this.

    Returns
    -------
    coarse, fine : float

    Examples
    --------
    >>> coarse, fine = fold_units(4, 1.0)
    >>> coarse == 2.0**-49, fine == 2.0**-99
    (True, True)
    """
    coarse = _unit(n_values * largest)
    return coarse, _unit(n_values * (0.5 * coarse))


def _unit(total: float) -> float:
    """The power of two of which ``total`` is at most 2**51."""
    fraction, exponent = math.frexp(total)
    return max(_SMALLEST, math.ldexp(1.0, exponent - (fraction == 0.5) - 51))


def fold(values: np.ndarray, units: tuple[float, float] | None = None) -> np.ndarray:
    """Cut numbers into folds that add up exactly.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        Finite.
    units : (float, float), optional
        From :func:`fold_units`; by default those of these values. Give them if the values are a
        part of the numbers that will be added.

    Returns
    -------
    ndarray of shape (2, n_values)
        The second fold of whole numbers is zero if their sum is below 2**51.

    Examples
    --------
    >>> import numpy as np
    >>> fold(np.array([1.0, 3.0]))
    array([[1., 3.],
           [0., 0.]])
    >>> fold(np.array([0.1, 3.0])).sum(axis=0)
    array([0.1, 3. ])
    """
    values = np.asarray(values, dtype=np.float64)
    if units is None:
        units = fold_units(len(values), largest(values))
    high = np.rint(values / units[0]) * units[0]
    return np.stack([high, np.rint((values - high) / units[1]) * units[1]])


def largest(values: np.ndarray) -> float:
    """Largest absolute value, 0 if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> largest(np.array([1.0, -3.0]))
    3.0
    """
    if _is_constant(values):
        values = values[:1]
    return float(max(values.max(initial=0.0), -values.min(initial=0.0)))


def _is_constant(values: np.ndarray) -> bool:
    """Whether all values are one number in memory, as ``np.broadcast_to`` makes them."""
    return values.strides == (0,) and len(values) > 0


def _fold_constant(values: np.ndarray) -> np.ndarray:
    """Folds of one of equal values, with the units of all, shape (2, 1)."""
    return fold(values[:1], fold_units(len(values), largest(values)))


def _folded_blocks(values: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Folds of some numbers after the others, with the units of all."""
    units = fold_units(len(values), largest(values))
    for start in range(0, len(values), _BLOCK):
        block = slice(start, start + _BLOCK)
        yield block, fold(values[block], units)


def reproducible_sum(values: np.ndarray) -> float:
    """Sum of an array, the same bits in any order.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([0.1, 0.2, 0.3])
    >>> bool(sum(values) == sum(values[::-1]))
    False
    >>> reproducible_sum(values) == reproducible_sum(values[::-1])
    True
    """
    if _is_constant(values):
        return float((len(values) * _fold_constant(values)).sum())
    sums = np.zeros(2)
    for _, folds in _folded_blocks(np.ravel(values)):
        sums += folds.sum(axis=1)
    return float(sums.sum())


def sum_by_label(labels: np.ndarray, values: np.ndarray, n_labels: int) -> np.ndarray:
    """Sum of the values of each label, the same bits in any order.

    Parameters
    ----------
    labels : ndarray of int, shape (n_values,)
        From 0 to ``n_labels - 1``.
    values : ndarray of shape (n_values,)
    n_labels : int

    Returns
    -------
    ndarray of shape (n_labels,)

    Examples
    --------
    >>> import numpy as np
    >>> sum_by_label(np.array([0, 2, 0]), np.array([1.0, 2.0, 0.5]), 3)
    array([1.5, 0. , 2. ])
    """
    if _is_constant(values):
        counts = np.bincount(labels, minlength=n_labels)
        return np.asarray((counts * _fold_constant(values)).sum(axis=0))
    sums = np.zeros((2, n_labels))
    for block, folds in _folded_blocks(values):
        sums += [np.bincount(labels[block], part, n_labels) for part in folds]
    return np.asarray(sums.sum(axis=0))
