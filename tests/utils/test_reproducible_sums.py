"""Sums that depend neither on the order of the numbers nor on how they are parted."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from uneven.utils.reproducible_sums import fold, fold_units, reproducible_sum, sum_by_label

NUMBERS = st.floats(-1e100, 1e100)
VALUES = st.lists(NUMBERS, max_size=40).map(np.array)


def exact_fold(value, unit):
    """The nearest multiple of a unit, in exact arithmetic; ties go to the even one."""
    return round(Fraction(value) / Fraction(unit)) * Fraction(unit)


def exact_sum_of_folds(values):
    """The sum as it is defined, in exact arithmetic."""
    coarse, fine = fold_units(len(values), float(np.abs(values).max(initial=0.0)))
    high = [exact_fold(value, coarse) for value in values.tolist()]
    low = [exact_fold(Fraction(v) - h, fine) for v, h in zip(values.tolist(), high)]
    return float(sum(high, Fraction())) + float(sum(low, Fraction()))


@given(VALUES)
def test_both_folds_add_up_without_rounding(values):
    assert reproducible_sum(values) == exact_sum_of_folds(values)


@given(VALUES, st.randoms(use_true_random=False), st.integers(1, 6))
def test_any_order_and_any_parts_give_the_same_bits(values, random, n_parts):
    expected = reproducible_sum(values)
    order = list(range(len(values)))
    random.shuffle(order)
    assert reproducible_sum(values[order]) == expected
    units = fold_units(len(values), float(np.abs(values).max(initial=0.0)))
    sums = np.zeros(2)
    for part in np.array_split(values[order], n_parts):
        sums += fold(part, units).sum(axis=1)
    assert float(sums[0] + sums[1]) == expected


@given(NUMBERS, st.lists(st.integers(0, 2)))
def test_equal_numbers_that_take_no_memory_add_up_to_the_same_bits(value, labels):
    labels = np.array(labels, dtype=int)
    light, full = np.broadcast_to(value, len(labels)), np.full(len(labels), value)
    assert reproducible_sum(light) == reproducible_sum(full)
    assert np.array_equal(sum_by_label(labels, light, 3), sum_by_label(labels, full, 3))


@given(VALUES, st.randoms(use_true_random=False))
def test_sums_by_label_are_the_sums_of_the_labels(values, random):
    labels = np.array([random.randrange(3) for _ in values], dtype=int)
    found = sum_by_label(labels, values, 3)
    order = list(range(len(values)))
    random.shuffle(order)
    assert np.array_equal(found, sum_by_label(labels[order], values[order], 3))
    scale = max(math.fsum(np.abs(values)), 1e-300)
    exact = [math.fsum(values[labels == label]) for label in range(3)]
    assert np.abs(found - exact).max() <= 1e-15 * scale


@given(st.lists(st.integers(-(2**40), 2**40), max_size=30))
def test_whole_numbers_need_one_fold(numbers):
    values = np.array(numbers, dtype=float)
    assert not fold(values)[1].any()
    assert reproducible_sum(values) == sum(numbers)


def test_sums_are_more_exact_than_ordinary_ones():
    values = np.random.RandomState(0).rand(100_000)
    assert reproducible_sum(values) == math.fsum(values)
    assert reproducible_sum(np.array([5e-324, 1e-320])) == 5e-324 + 1e-320
    assert reproducible_sum(np.empty(0)) == 0.0
