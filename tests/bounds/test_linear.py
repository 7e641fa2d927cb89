"""Mistake bounds, sample sizes and shattering."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.special import comb

from uneven.bounds import (
    compression_bound,
    compression_sample_size,
    is_shattered,
    linear_vc_dimension,
    perceptron_mistake_bound,
    ultraconservative_mistake_bound,
    uma_sample_size,
    vc_sample_size,
)


def every_labelling(points):
    """Try them all: is there a vector with the right sign, and some room, on each point?"""
    return all(
        linprog(
            np.zeros(points.shape[1]),
            A_ub=-np.array(signs)[:, None] * points,
            b_ub=-np.ones(len(points)),
            bounds=(None, None),
        ).success
        for signs in product((-1, 1), repeat=len(points))
    )


@pytest.mark.parametrize("n_features", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_as_many_points_as_dimensions_are_shattered_and_no_more(n_features, seed):
    points = np.random.default_rng(seed).normal(size=(n_features + 2, n_features))
    for n in (n_features, n_features + 1):
        assert is_shattered(points[:n]) == every_labelling(points[:n]) == (n <= n_features)
        assert is_shattered(points[:n], offset=True)
    assert not is_shattered(points, offset=True)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 10**6))
def test_shattering_agrees_with_trying_every_labelling(n, d, seed):
    points = np.random.default_rng(seed).integers(-2, 3, size=(n, d)).astype(float)
    assert is_shattered(points) == every_labelling(points)
    wide = np.column_stack([points, np.ones(n)])
    assert is_shattered(points, offset=True) == every_labelling(wide)


@pytest.mark.parametrize("points", [[1.0, 2.0], np.empty((0, 2)), [[np.nan, 1.0]]])
def test_what_are_no_points(points):
    with pytest.raises(ValueError, match="points"):
        is_shattered(points)


def test_dimension_is_the_smaller_of_both_bounds():
    assert linear_vc_dimension(3) == 3
    assert linear_vc_dimension(3, offset=True) == 4
    assert linear_vc_dimension(30, radius=2, max_norm=1.5) == 9
    assert linear_vc_dimension(3, radius=2, max_norm=1.5) == 3
    assert linear_vc_dimension(3, radius=0) == 0


def test_mistake_bounds_by_hand():
    assert perceptron_mistake_bound(3, 0.5) == 36
    assert ultraconservative_mistake_bound(3, 0.5) == 72
    assert ultraconservative_mistake_bound(3, 0.5 * 2**0.5) == pytest.approx(36)
    assert perceptron_mistake_bound(3, 0) == math.inf
    with pytest.raises(ValueError, match="margin=-1"):
        perceptron_mistake_bound(3, -1)


def test_sample_sizes_by_hand():
    assert vc_sample_size(0.1, 0.05, 10) == pytest.approx(10 * math.log(20) + 100 * math.log(10))
    assert vc_sample_size(0.1, 0.05, 10, constant=2) == 2 * vc_sample_size(0.1, 0.05, 10)
    assert compression_sample_size(0.05, 0.05, 4) == pytest.approx(718.05, abs=0.005)
    by_hand = 12_800 * (math.log(80) + 2 * math.log(10) + 3 * math.log(80))
    assert uma_sample_size(0.1, 0.05, 2, 10) == pytest.approx(by_hand)
    assert uma_sample_size(0.1, 0.05, 2, 10, amplification=3) == pytest.approx(9 * by_hand)


SIZES = {
    "vc": lambda error, delta, size: vc_sample_size(error, delta, size),
    "compression": lambda error, delta, size: compression_sample_size(error, delta, size),
    "uma": lambda error, delta, size: uma_sample_size(error, delta, size, 3),
}


@pytest.mark.parametrize("name", SIZES)
@given(error=st.floats(0.001, 0.9), delta=st.floats(0.001, 0.9), size=st.integers(1, 50))
def test_sample_sizes_grow_with_what_is_wanted(name, error, delta, size):
    needed = SIZES[name]
    base = needed(error, delta, size)
    assert base > 0
    assert needed(error * 0.9, delta, size) > base
    assert needed(error, delta * 0.9, size) > base
    assert needed(error, delta, size + 1) > base


@pytest.mark.parametrize(
    ("n", "size", "value"),
    [(1000, 3, 0.02175), (1000, 4, 0.02718), (1000, 6, 0.03737), (5000, 6, 0.00947)],
)
def test_compression_bounds_of_reference(n, size, value):
    assert compression_bound(n, size, 0.05) == pytest.approx(value, abs=5e-6)


@given(st.integers(1, 200), st.floats(0.001, 0.5), st.data())
def test_compression_bounds_solve_their_equation(n, delta, data):
    size = data.draw(st.integers(0, n))
    error = compression_bound(n, size, delta)
    assert 0 < error <= 1
    if size < n:
        terms = [comb(n, i, exact=True) * (1 - error) ** (n - i) for i in range(size + 1)]
        assert math.fsum(terms) == pytest.approx(delta, rel=1e-6)
        assert compression_bound(n, size, delta, size_from_data=True) >= error
        assert compression_bound(n, size + 1, delta) >= error


@pytest.mark.parametrize("n", range(1, 300, 7))
def test_without_rows_to_rebuild_from_it_is_a_plain_test(n):
    assert compression_bound(n, 0, 0.05) == pytest.approx(1 - 0.05 ** (1 / n), rel=1e-6)


@given(st.floats(0.01, 0.3), st.floats(0.01, 0.3), st.integers(1, 20))
def test_the_sample_size_suffices_for_the_bound(error, delta, size):
    n = math.ceil(compression_sample_size(error, delta, size))
    assert compression_bound(n, size, delta) <= error


def test_impossible_numbers_are_refused():
    with pytest.raises(ValueError, match=r"error=1\.5 must lie strictly between 0 and 1"):
        vc_sample_size(1.5, 0.05, 3)
    with pytest.raises(ValueError, match="beta=1"):
        compression_sample_size(0.1, 0.05, 3, beta=1)
    with pytest.raises(ValueError, match="size=5 rows out of n_samples=4"):
        compression_bound(4, 5)
    with pytest.raises(ValueError, match="n_classes=0"):
        uma_sample_size(0.1, 0.1, 2, 0)
