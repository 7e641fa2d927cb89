import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.stats import f as f_distribution
from scipy.stats import friedmanchisquare

from uneven.metrics import average_ranks, critical_difference, friedman_test, groups_alike

AUC = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.9749],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
"""Four decision trees on 14 sets, from Demšar (2006). The last two figures of the row before the
last are both printed as 0.975, but ranked 2 and 3."""

tables = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=7),
    elements=st.integers(-9, 9).map(float),
)


def test_golden_example():
    found = friedman_test(AUC, better="high")
    np.testing.assert_allclose(found.ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert found.statistic == pytest.approx(9.28, abs=5e-3)
    assert found.f_statistic == pytest.approx(3.69, abs=5e-3)
    assert found.pvalue == pytest.approx(f_distribution.sf(found.f_statistic, 3, 39))
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=5e-3)
    at_ten_percent = critical_difference(4, 14, 0.10)
    assert at_ten_percent == pytest.approx(1.12, abs=5e-3)
    assert groups_alike(found.ranks, critical_difference(4, 14)) == [(3, 1, 2, 0)]
    assert groups_alike(found.ranks, at_ten_percent) == [(3, 1, 2), (2, 0)]


def test_tabulated_quantiles():
    """The printed ones are up to 0.0007 off: they come from rounded tables."""
    tabulated = {
        0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
        0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
    }
    for alpha, quantiles in tabulated.items():
        found = [critical_difference(k, k * (k + 1), alpha) * np.sqrt(6) for k in range(2, 11)]
        np.testing.assert_allclose(found, quantiles, atol=8e-4)
    assert critical_difference(5, 40) == pytest.approx(critical_difference(5, 10) / 2)


@settings(max_examples=60, deadline=None)
@given(tables)
def test_ranks_add_up_and_mirror(table):
    n, k = table.shape
    low, high = average_ranks(table), average_ranks(table, better="high")
    assert low.sum() == pytest.approx(k * (k + 1) / 2)
    np.testing.assert_allclose(low + high, k + 1)
    one, other = friedman_test(table), friedman_test(table, better="high")
    assert (one.statistic, one.pvalue) == (other.statistic, other.pvalue)
    assert 0.0 <= one.statistic <= n * (k - 1)
    assert 0.0 <= one.pvalue <= 1.0


@settings(max_examples=60, deadline=None)
@given(tables, st.integers(0, 2**32 - 1))
def test_only_the_order_within_a_set_counts(table, seed):
    rng = np.random.default_rng(seed)
    scale, shift = rng.uniform(0.1, 100.0, (2, len(table), 1))
    turned = rng.permutation(len(table))
    for moved in (scale * table + shift, np.exp(table / 3), table[turned]):
        np.testing.assert_allclose(average_ranks(moved), average_ranks(table))
    assert friedman_test(scale * table).statistic == friedman_test(table).statistic


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 8), st.integers(3, 7), st.integers(0, 2**32 - 1))
def test_without_ties_it_is_the_chi_square_of_scipy(n, k, seed):
    table = np.random.default_rng(seed).normal(size=(n, k))
    assert friedman_test(table).statistic == pytest.approx(friedmanchisquare(*table.T).statistic)


def test_ties_share_ranks_whatever_the_rounding():
    assert average_ranks([[0.3, 0.1 + 0.2, 0.1]]).tolist() == [2.5, 2.5, 1.0]
    assert average_ranks([[7.0, 7.0, 7.0]]).tolist() == [2.0, 2.0, 2.0]
    assert average_ranks([[0.3, 0.3 + 1e-9]]).tolist() == [1.0, 2.0]
    assert average_ranks([[0.0, 0.0, 1.0]]).tolist() == [1.5, 1.5, 3.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert average_ranks([[np.inf, 2.0, np.inf, -np.inf]]).tolist() == [3.5, 2.0, 3.5, 1.0]


def test_always_the_same_order_and_no_order():
    found = friedman_test(np.tile([0.1, 0.2, 0.3], (7, 1)))
    assert (found.statistic, found.f_statistic, found.pvalue) == (14.0, np.inf, 0.0)
    found = friedman_test(np.ones((7, 3)))
    assert (found.statistic, found.f_statistic, found.pvalue) == (0.0, 0.0, 1.0)


def test_equal_methods_false_alarms():
    """Among equal methods, both tests say "different" about once in twenty times."""
    tables = np.random.default_rng(0).normal(size=(600, 20, 5))
    found = [friedman_test(table) for table in tables]
    assert 0.03 < np.mean([one.pvalue <= 0.05 for one in found]) < 0.07
    limit = critical_difference(5, 20)
    assert 0.02 < np.mean([np.ptp(one.ranks) >= limit for one in found]) < 0.07


@settings(max_examples=100, deadline=None)
@given(
    arrays(np.float64, st.integers(1, 9), elements=st.integers(2, 20).map(lambda n: n / 2)),
    st.integers(1, 20).map(lambda n: n / 4),
)
def test_groups_are_the_maximal_ones(ranks, cd):
    groups = [set(group) for group in groups_alike(ranks, cd)]
    alike = np.abs(ranks[:, None] - ranks) < cd
    joined = np.zeros_like(alike)
    for group in groups:
        members = sorted(group)
        assert len(members) > 1
        joined[np.ix_(members, members)] = True
        strangers = [m for m in range(len(ranks)) if m not in group and alike[m, members].all()]
        assert not strangers
    np.testing.assert_array_equal(joined | np.eye(len(ranks), dtype=bool), alike)


def test_a_difference_as_large_as_the_critical_one_counts():
    assert groups_alike([1.1, 1.4], 0.3) == []
    assert groups_alike([1.1, 1.4], 0.3001) == [(0, 1)]


def test_frames_of_any_kind():
    expected = average_ranks(AUC)
    columns = {name: AUC[:, number] for number, name in enumerate("abcd")}
    for table in (
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        np.asfortranarray(AUC),
        AUC.tolist(),
    ):
        np.testing.assert_array_equal(average_ranks(table), expected)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([[0.1, 0.2], [np.nan, 0.1]], r"NaN in row 1, column 0 \(1 in all\)"),
        ([0.1, 0.2], r"shape \(2,\); expected \(n_sets, n_methods\)"),
        (np.zeros((0, 3)), r"shape \(0, 3\)"),
        ([["wine", 0.1]], "no table of numbers .*'wine'"),
    ],
)
def test_impossible_tables_are_refused(values, sentence):
    with pytest.raises(ValueError, match=sentence):
        average_ranks(values)


def test_other_impossible_words():
    with pytest.raises(ValueError, match=r"shape \(1, 3\): the test needs at least two sets"):
        friedman_test([[0.1, 0.2, 0.3]])
    with pytest.raises(ValueError, match="'low' or 'high', got 'up'"):
        average_ranks(AUC, better="up")
    with pytest.raises(ValueError, match="n_methods=1: give a whole number, 2 or more"):
        critical_difference(1, 5)
    with pytest.raises(ValueError, match=r"n_sets=2\.5"):
        critical_difference(3, 2.5)
    with pytest.raises(ValueError, match="alpha=5 must lie between 0 and 1"):
        critical_difference(3, 5, 5)
    with pytest.raises(ValueError, match=r"holds 0\.5 at position 1"):
        groups_alike([1.0, 0.5], 1.0)
    with pytest.raises(ValueError, match="cd=0 must be above 0"):
        groups_alike([1.0, 2.0], 0)
    with pytest.raises(ValueError, match=r"ranks has shape \(1, 2\)"):
        groups_alike([[1.0, 2.0]], 1.0)
