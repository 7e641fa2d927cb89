"""Exponential and logarithm with the same bits on every processor.

The C library and NumPy choose among several versions of these functions by the processor they run
on, and the versions differ in the last bit. Here they are made of additions, multiplications and
one division, which IEEE 754 rounds the same everywhere. They have no branches, so that a loop over
many numbers becomes vector instructions: that is faster than calling the C library number by
number. Errors stay below one unit in the last place (two for ``arctanh``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 0.6931471803691238
"""The first 32 bits of log(2): products with a whole number below 2**20 are exact."""
_LN2_LOW = 1.9082149292705877e-10
_WHOLE = 6755399441055744.0
"""1.5 * 2**52: added to a double below 2**51, it leaves the nearest whole number in low bits."""
_ONE_BITS = 0x3FF << 52
_MANTISSA = (1 << 52) - 1
_SQRT_HALF_BITS = 0x3FE6A09E667F3BCD
_SUBNORMAL_SHIFT = 54
_TINY = 2.2250738585072014e-308

_F3, _F4, _F5, _F6, _F7 = 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040
_F8, _F9, _F10, _F11 = 1 / 40320, 1 / 362880, 1 / 3628800, 1 / 39916800
_F12, _F13 = 1 / 479001600, 1 / 6227020800


@njit(cache=True, nogil=True, error_model="numpy")
def _power_of_two(number):
    """``2 ** k`` of a double that is ``_WHOLE + k``, for whole k between -1022 and 1023."""
    bits = np.int64(np.float64(number).view(np.int64) << np.int64(52)) + np.int64(_ONE_BITS)
    return np.int64(bits).view(np.float64)


@njit(cache=True, nogil=True, error_model="numpy")
def exp(x):
    """``e ** x`` of a double.

    With ``x = k log(2) + r``, ``|r| < 0.35``, it is ``2 ** k`` times the series of ``exp(r)``. The
    first two terms of the series, ``1 + r``, are added without an error.
    """
    x = -750.0 if x < -750.0 else x
    x = 710.0 if x > 710.0 else x
    k = (x * _LOG2_E + _WHOLE) - _WHOLE
    high = x - k * _LN2_HIGH
    low = k * _LN2_LOW
    r = high - low
    r2 = r * r
    r4 = r2 * r2
    tail = (_F10 + r * _F11) + r2 * (_F12 + r * _F13)
    tail = ((_F6 + r * _F7) + r2 * (_F8 + r * _F9)) + r4 * tail
    tail = ((0.5 + r * _F3) + r2 * (_F4 + r * _F5)) + r4 * tail
    first = 1.0 + high
    value = first + ((high - (first - 1.0)) + (r2 * tail - low))
    half = 0.5 * k + _WHOLE
    rest = (k - (half - _WHOLE)) + _WHOLE
    return value * _power_of_two(half) * _power_of_two(rest)


@njit(cache=True, nogil=True, error_model="numpy")
def _arctanh_tail(z):
    """``(arctanh(s) / s - 1) / z`` for ``z = s ** 2`` up to 0.0295."""
    z2 = z * z
    tail = (1 / 19 + z * (1 / 21)) * z2 + (1 / 15 + z * (1 / 17))
    tail = tail * z2 + (1 / 11 + z * (1 / 13))
    return (tail * z2 + (1 / 7 + z * (1 / 9))) * z2 + (1 / 3 + z * (1 / 5))


@njit(cache=True, nogil=True, error_model="numpy")
def log(x):
    """Natural logarithm of a double; -inf of 0, NaN of a negative number.

    With ``x = 2 ** k (1 + f)``, ``1 + f`` between ``sqrt(1/2)`` and ``sqrt(2)``, it is
    ``k log(2) + 2 arctanh(s)``, ``s = f / (2 + f)``; as ``2 s = f - s f``, the first term ``f`` is
    added without an error.
    """
    is_small = x < _TINY
    scaled = x * 18014398509481984.0 if is_small else x
    bits = np.int64(np.float64(scaled).view(np.int64) - np.int64(_SQRT_HALF_BITS))
    k = np.int64(bits >> np.int64(52))
    one_and_f = np.int64((bits & np.int64(_MANTISSA)) + np.int64(_SQRT_HALF_BITS))
    f = np.int64(one_and_f).view(np.float64) - 1.0
    exponent = np.float64(k) - (_SUBNORMAL_SHIFT if is_small else 0.0)
    s = f / (2.0 + f)
    z = s * s
    half_square = 0.5 * f * f
    correction = s * (half_square + 2.0 * z * _arctanh_tail(z)) + exponent * _LN2_LOW
    value = exponent * _LN2_HIGH - ((half_square - correction) - f)
    value = x if not x < np.inf else value
    value = -np.inf if x == 0.0 else value
    return np.nan if x < 0.0 else value


@njit(cache=True, nogil=True, error_model="numpy")
def _log_of_sum(small):
    """``log(1 + small)``, without losing the digits of a small number."""
    total = 1.0 + small
    return log(total) + (small - (total - 1.0)) / total


@njit(cache=True, nogil=True, error_model="numpy")
def arctanh(x):
    """Inverse hyperbolic tangent of a double between -1 and 1."""
    if abs(x) < 0.17:
        return x + x * (x * x) * _arctanh_tail(x * x)
    return 0.5 * (_log_of_sum(x) - _log_of_sum(-x))


@njit(cache=True, nogil=True, error_model="numpy")
def hypot(a, b):
    """Length of the vector ``(a, b)``, also where the squares would overflow or vanish."""
    longer, shorter = max(abs(a), abs(b)), min(abs(a), abs(b))
    if longer == 0.0:
        return 0.0
    ratio = shorter / longer
    return longer * np.sqrt(1.0 + ratio * ratio)


@njit(cache=True, nogil=True, error_model="numpy")
def exp_in_place(values):
    """Replace every number of a contiguous array (n,) by its :func:`exp`."""
    for i in range(values.shape[0]):
        values[i] = exp(values[i])


@njit(cache=True, nogil=True, error_model="numpy")
def log_in_place(values):
    """Replace every number of a contiguous array (n,) by its :func:`log`."""
    for i in range(values.shape[0]):
        values[i] = log(values[i])


def exp_all(values: Any) -> np.ndarray:
    """:func:`exp` of every number of an array, of the same shape.

    Examples
    --------
    >>> exp_all([[0.0, -float("inf")]])
    array([[1., 0.]])
    """
    return _each(exp_in_place, values)


def log_all(values: Any) -> np.ndarray:
    """:func:`log` of every number of an array, of the same shape.

    Examples
    --------
    >>> log_all([1.0, 0.0])
    array([  0., -inf])
    """
    return _each(log_in_place, values)


def log_sum_exp(values: np.ndarray) -> float:
    """Logarithm of the sum of the exponentials of a few numbers, shape (n,).

    Examples
    --------
    >>> log_sum_exp(np.array([-1000.0, -float("inf")]))
    -1000.0
    """
    top = values.max()
    return float(top + log(exp_all(values - top).sum())) if top > -np.inf else -np.inf


def _each(loop: Callable[[np.ndarray], None], values: Any) -> np.ndarray:
    out = np.array(values, dtype=np.float64, order="C", ndmin=1)
    loop(out.ravel())
    return out.reshape(np.shape(values))
