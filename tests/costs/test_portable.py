"""Exponential and logarithm: their errors, their ends, and the same bits everywhere."""

import hashlib
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from uneven.costs import _portable
from uneven.costs._portable import exp_all, log_all, log_sum_exp

ANY = st.floats(allow_nan=True, allow_infinity=True, width=64)


@njit
def _arctanh_all(values):
    return np.array([_portable.arctanh(value) for value in values])


def steps_apart(found, expected):
    """How many doubles lie between two arrays of the same sign."""
    return np.abs(found.view(np.int64) - expected.view(np.int64))


def exact_exp(x):
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 40, -(10**6), 10**6
        return Decimal(x).exp()


def exact_log(x):
    with localcontext() as context:
        context.prec = 40
        return Decimal(x).ln()


def error_in_ulps(found, exact):
    with localcontext() as context:
        context.prec = 60
        return abs(float((Decimal(found) - exact) / Decimal(math.ulp(found))))


@given(st.floats(-745.2, 709.8))
def test_exp_is_within_one_ulp_of_the_true_value(x):
    found = float(_portable.exp(x))
    if math.isinf(found):
        assert exact_exp(x) > Decimal(np.finfo(float).max)
    else:
        assert error_in_ulps(found, exact_exp(x)) < 1.0


@given(st.floats(0.0, exclude_min=True, allow_infinity=False))
def test_log_is_within_one_ulp_of_the_true_value(x):
    found = float(_portable.log(x))
    if found == 0.0:
        assert x == 1.0
    else:
        assert error_in_ulps(found, exact_log(x)) < 1.0


@given(ANY)
def test_both_agree_with_numpy_everywhere(x):
    with np.errstate(all="ignore"):
        for ours, theirs in ((exp_all, np.exp), (log_all, np.log)):
            found, expected = ours([x]), theirs(np.array([x]))
            same = np.array_equal(found, expected, equal_nan=True)
            assert same or steps_apart(found, expected)[0] <= 1


@pytest.mark.parametrize(
    ("x", "value"),
    [
        (0.0, 1.0), (-0.0, 1.0), (math.inf, math.inf), (-math.inf, 0.0), (710.0, math.inf),
        (709.782712893384, 1.7976931348622732e308), (-745.14, 0.0), (-745.13, 5e-324),
        (1e300, math.inf), (-1e300, 0.0), (5e-324, 1.0),
    ],
)  # fmt: skip
def test_ends_of_exp(x, value):
    assert _portable.exp(x) == value


@pytest.mark.parametrize(
    ("x", "value"),
    [
        (1.0, 0.0), (0.0, -math.inf), (-0.0, -math.inf), (math.inf, math.inf),
        (5e-324, -744.4400719213812), (np.finfo(float).max, 709.782712893384),
    ],
)  # fmt: skip
def test_ends_of_log(x, value):
    assert _portable.log(x) == value


def test_nothing_comes_of_nothing():
    assert np.isnan(exp_all([math.nan])).all()
    assert np.isnan(log_all([math.nan, -1.0, -5e-324, -math.inf])).all()


def test_arctanh_and_hypot_are_close_to_numpy():
    powers = 10.0 ** np.linspace(-12, 0, 2000, endpoint=False)
    edges = np.concatenate([powers, 1.0 - powers[1:], np.linspace(0.0, 0.999, 2000)])
    assert steps_apart(_arctanh_all(edges), np.arctanh(edges)).max() <= 2
    for a, b in [(3.0, 4.0), (0.0, 0.0), (1e300, 1e300), (1e-300, -1e-300), (-5.0, 0.0)]:
        assert _portable.hypot(a, b) == pytest.approx(np.hypot(a, b), rel=4e-16)


def test_the_sum_of_exponentials_neither_overflows_nor_vanishes():
    assert log_sum_exp(np.array([800.0, 800.0])) == pytest.approx(800.0 + math.log(2.0), rel=1e-15)
    assert log_sum_exp(np.full(2, -math.inf)) == -math.inf


def test_shapes_are_kept():
    assert exp_all(0.0).shape == ()
    assert log_all(np.ones((2, 0))).shape == (2, 0)
    assert np.array_equal(exp_all(np.zeros((2, 3), order="F")), np.ones((2, 3)))


def test_the_bits_are_those_of_every_other_machine():
    whole = np.arange(-40_000, 40_000, dtype=np.float64)
    answers = exp_all(whole / 64.0), log_all(np.abs(whole) / 1000.0), _arctanh_all(whole / 40_001.0)
    digest = hashlib.sha256(np.concatenate(answers).tobytes()).hexdigest()[:16]
    assert digest == "1c000e6141de3dbe"
