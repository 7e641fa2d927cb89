"""Binning: few values stay exact, many are cut at quantiles, sparse equals dense."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.problems import tables
from tests.voters.twins import codes_of
from uneven.utils.parallel import thread_pool
from uneven.voters.training_table import bin_table, cut_points


@given(tables(max_values=40))
def test_codes_equal_the_slow_twin(problem):
    X, _, _ = problem
    binned = bin_table(X)
    np.testing.assert_array_equal(binned.codes, codes_of(X, binned.thresholds))
    for f in range(X.shape[1]):
        known = ~np.isnan(X[:, f])
        distinct = np.unique(X[known, f])
        assert binned.n_bins[f] == max(1, len(distinct))
        np.testing.assert_array_equal(
            binned.codes[f, known], np.searchsorted(distinct, X[known, f])
        )


@given(st.integers(0, 2**32 - 1), st.integers(2, 255), st.integers(300, 3000))
def test_long_columns_are_cut_evenly(seed, max_bins, n):
    values = np.random.default_rng(seed).normal(size=n)
    cuts = cut_points(values, max_bins=max_bins)
    assert len(cuts) == max_bins - 1
    assert (np.diff(cuts) > 0).all()
    sizes = np.bincount(np.searchsorted(cuts, values), minlength=max_bins)
    assert sizes.max() - sizes.min() <= 2


@given(st.integers(0, 2**32 - 1))
def test_weights_count_like_repetitions(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=400)
    counts = rng.integers(1, 4, 400)
    weighted = cut_points(values, counts.astype(float), max_bins=20)
    repeated = cut_points(np.repeat(values, counts), max_bins=20)
    np.testing.assert_array_equal(weighted, repeated)


def test_thresholds_separate_neighbouring_floats_and_huge_values():
    x = np.array([1.0, np.nextafter(1.0, 2.0)])
    cuts = cut_points(x)
    assert x[0] <= cuts[0] < x[1]
    assert np.isfinite(cut_points(np.array([-1.7e308, 1.7e308]))).all()


def test_columns_without_information():
    X = np.array([[5.0, np.nan], [5.0, np.nan]])
    binned = bin_table(X)
    assert binned.n_bins.tolist() == [1, 1]
    assert binned.codes.tolist() == [[0, 0], [255, 255]]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layout_precision_and_threads_do_not_matter(order, dtype):
    X = np.random.default_rng(0).normal(size=(70_000, 8)).astype(np.float32)
    expected = bin_table(X)
    with thread_pool(2) as pool:
        binned = bin_table(np.asarray(X, dtype=dtype, order=order), pool=pool)
    np.testing.assert_array_equal(binned.thresholds, expected.thresholds)
    np.testing.assert_array_equal(binned.codes, expected.codes)


@given(tables())
def test_sparse_columns_get_the_codes_of_dense_ones(problem):
    X, _, _ = problem
    X = np.where(X < 3, 0.0, X)
    dense, sparse = bin_table(X), bin_table(sp.csr_array(X))
    np.testing.assert_array_equal(sparse.n_bins, dense.n_bins)
    indptr, indices, codes, zero_codes = sparse.entries
    for f in range(X.shape[1]):
        column = np.full(len(X), zero_codes[f])
        column[indices[indptr[f] : indptr[f + 1]]] = codes[indptr[f] : indptr[f + 1]]
        np.testing.assert_array_equal(column, dense.codes[f])
        for cut in range(dense.n_bins[f]):
            assert sparse.threshold(f, cut) == dense.threshold(f, cut)


def test_the_cuts_of_a_large_table_do_not_depend_on_the_order_of_its_rows():
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randn(50_000), rng.randint(300, size=50_000)])
    X[::7, 0] = np.nan
    mass = rng.rand(50_000)
    order = rng.permutation(len(X))
    for weights in (None, mass):
        there = bin_table(X, weights)
        here = bin_table(X[order], None if weights is None else weights[order])
        assert np.array_equal(there.thresholds, here.thresholds)
        assert np.array_equal(there.codes[:, order], here.codes)


def test_a_large_table_of_few_different_rows_keeps_them_all():
    X = np.repeat(np.arange(200.0), 250)[:, None]
    assert np.array_equal(bin_table(X).thresholds[0, :199], np.arange(199.0) + 0.5)
    counts = np.arange(1, 601)
    X = np.repeat(np.arange(600.0), counts)[:, None]
    once = bin_table(np.arange(600.0)[:, None], counts.astype(float))
    assert np.array_equal(bin_table(X).thresholds, once.thresholds)


def test_one_row_that_is_half_of_a_large_table_leaves_bins_to_the_others():
    rng = np.random.RandomState(0)
    for seed in range(5):
        X = np.concatenate([np.zeros(200_000), rng.rand(200_000) + seed + 1])[:, None]
        assert bin_table(X).n_bins[0] > 100


def test_the_cuts_of_a_large_table_are_near_its_quantiles():
    rng = np.random.RandomState(0)
    X = rng.rand(100_000, 1)
    cuts = bin_table(X).thresholds[0, :254]
    assert np.abs(cuts - np.arange(1, 255) / 255).max() < 0.015
    heavy = bin_table(X, np.where(X[:, 0] < 0.5, 3.0, 1.0)).thresholds[0, :254]
    assert abs((heavy < 0.5).mean() - 0.75) < 0.03
