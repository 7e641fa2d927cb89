import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm, wilcoxon
from sklearn.datasets import load_iris

from uneven.metrics import (
    five_by_two,
    five_by_two_f_test,
    five_by_two_t_test,
    holm_correction,
    signed_rank_test,
)

GOLDEN = np.array([0.5, -0.1, 0.4, 0.3, 0.8, 0.2, 0.6, -0.05, 0.7, 0.9])
errors = arrays(np.float64, 10, elements=st.integers(0, 1000).map(lambda n: n / 1000))


def test_golden_signed_ranks():
    found = signed_rank_test(GOLDEN, np.zeros(10), "greater")
    assert found.statistic == 52.0
    assert found.pvalue == 0.0048828125
    assert found.mean_difference == pytest.approx(0.425)
    shifted = signed_rank_test(10.0 + GOLDEN, np.full(10, 10.0), "greater")
    assert (shifted.statistic, shifted.pvalue) == (52.0, 0.0048828125)


@pytest.mark.parametrize(("smaller", "pvalue"), [(10, 0.0420), (11, 0.0527)])
def test_ten_splits_reject_at_rank_sum_ten(smaller, pvalue):
    sizes = np.arange(1.0, 11.0)
    signs = np.ones(10)
    signs[[smaller - 7, 5]] = -1.0
    sizes_of_losers = sizes[signs < 0].sum()
    assert sizes_of_losers == smaller
    assert signed_rank_test(sizes * signs, np.zeros(10), "greater").pvalue == pytest.approx(
        pvalue, abs=5e-5
    )


def test_ties_share_ranks_and_go_to_the_normal_distribution():
    apart = np.array([1.0, 1.0, 1.0, -1.0, 2.0, 3.0, 0.0])
    found = signed_rank_test(apart, np.zeros(7), "greater")
    assert found.statistic == 18.5
    n, ties = 6, 4
    variance = n * (n + 1) * (2 * n + 1) / 24 - (ties**3 - ties) / 48
    expected = norm.sf((18.5 - n * (n + 1) / 4 - 0.5) / np.sqrt(variance))
    assert found.pvalue == pytest.approx(expected)


def test_many_splits_go_to_the_normal_distribution():
    apart = np.random.default_rng(0).normal(0.2, 1.0, 26)
    found = signed_rank_test(apart, np.zeros(26), "greater")
    normal = wilcoxon(apart, alternative="greater", correction=True, method="approx")
    exact = wilcoxon(apart, alternative="greater", method="exact")
    assert found.pvalue == normal.pvalue != exact.pvalue


def test_rounding_makes_no_difference():
    first = np.array([0.3, 0.5, 0.5, 0.9])
    second = np.array([0.1, 0.7, 0.6, 0.2])
    found = signed_rank_test(first, second)
    scaled = signed_rank_test(first * 3, second * 3)
    assert (scaled.statistic, scaled.pvalue) == (found.statistic, found.pvalue)
    assert found.statistic == 2.5 + 4.0
    assert signed_rank_test([0.1 + 0.2], [0.3], "greater").pvalue == 1.0


@settings(max_examples=50, deadline=None)
@given(errors, errors)
def test_sides_mirror_each_other(a, b):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for test in (signed_rank_test, five_by_two_t_test):
            less, greater = test(a, b, "less"), test(b, a, "greater")
            both = test(a, b, "two-sided")
            assert less.pvalue == pytest.approx(greater.pvalue)
            assert less.mean_difference == -greater.mean_difference
            assert 0.0 <= less.pvalue <= 1.0
            assert both.pvalue <= 1.0
            assert both.pvalue == pytest.approx(
                min(1.0, 2 * min(less.pvalue, test(a, b, "greater").pvalue)), abs=1e-9
            )
        assert five_by_two_f_test(a, b).pvalue == pytest.approx(five_by_two_f_test(b, a).pvalue)


@settings(max_examples=50, deadline=None)
@given(errors, errors, st.permutations(range(5)))
def test_the_f_test_does_not_look_at_the_order(a, b, order):
    found = five_by_two_f_test(a, b)
    turned = [errors.reshape(5, 2)[list(order)][:, ::-1] for errors in (a, b)]
    assert five_by_two_f_test(*turned).statistic == pytest.approx(found.statistic)


def test_five_by_two_by_hand():
    apart = np.array([[0.02, 0.04], [0.01, 0.03], [0.00, 0.02], [0.05, 0.01], [0.03, 0.03]])
    spread = np.array([0.0002, 0.0002, 0.0002, 0.0008, 0.0])
    zeros = np.zeros((5, 2))
    t = five_by_two_t_test(apart, zeros)
    assert t.statistic == pytest.approx(0.02 / np.sqrt(spread.mean()))
    assert t.pvalue == pytest.approx(0.2856, abs=5e-5)
    f = five_by_two_f_test(apart.ravel(), zeros.ravel())
    assert f.statistic == pytest.approx((apart**2).sum() / (2 * spread.sum()))
    assert f.mean_difference == pytest.approx(0.024)


@pytest.mark.parametrize(("limit", "level"), [(4.735, 0.05), (10.051, 0.01)])
def test_the_f_test_rejects_at_the_tabulated_values(limit, level):
    """These are the upper quantiles of an F distribution of 10 and 5 degrees of freedom."""
    for statistic in (limit - 0.01, limit + 0.01):
        apart = np.tile([1.0, -1.0], (5, 1)) + np.sqrt(2.0 * statistic - 1.0)
        found = five_by_two_f_test(apart, np.zeros((5, 2)))
        assert found.statistic == pytest.approx(statistic)
        assert (found.pvalue < level) == (statistic > limit)


def test_equal_methods_false_alarms():
    """Among equal methods a test at level 0.05 says "different" about once in twenty times."""
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(2, 300, 10))
    alarms = {
        test: np.mean([test(a, b).pvalue <= 0.05 for a, b in zip(*draws)])
        for test in (signed_rank_test, five_by_two_t_test, five_by_two_f_test)
    }
    assert all(rate < 0.09 for rate in alarms.values())
    assert alarms[signed_rank_test] > 0.02
    assert alarms[five_by_two_t_test] > 0.005


def test_no_difference_and_a_constant_one():
    same, more = np.full(10, 0.2), np.full(10, 0.3)
    for test in (signed_rank_test, five_by_two_t_test, five_by_two_f_test):
        assert test(same, same).pvalue == 1.0
        assert test(same, same).statistic == 0.0
    assert five_by_two_t_test(same, more).statistic == -np.inf
    assert five_by_two_t_test(same, more).pvalue == 0.0
    assert five_by_two_f_test(same, more).pvalue == 0.0
    assert signed_rank_test(same, more).pvalue < 0.01


def test_halves():
    X, y = load_iris(return_X_y=True)
    splits = list(five_by_two(0).split(X, y))
    assert len(splits) == 10
    for (train, test), (train_again, test_again) in zip(splits[::2], splits[1::2]):
        assert np.array_equal(train, test_again)
        assert np.array_equal(test, train_again)
        assert np.bincount(y[train]).tolist() == [25, 25, 25]
    assert not np.array_equal(splits[0][0], splits[2][0])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (([0.1], [0.1, 0.2]), r"shapes \(1,\) and \(2,\)"),
        (([], []), "one error of each method"),
        (([0.1, np.nan], [0.1, 0.2]), "NaN or infinity"),
        (([0.1], [0.2], "better"), "'less', 'greater' or 'two-sided', got 'better'"),
    ],
)
def test_impossible_errors_are_refused(words, sentence):
    with pytest.raises(ValueError, match=sentence):
        signed_rank_test(*words)


def test_other_numbers_of_splits_are_refused():
    for test in (five_by_two_t_test, five_by_two_f_test):
        with pytest.raises(ValueError, match=r"errors of shape \(4,\); five times two are needed"):
            test(np.zeros(4), np.ones(4))
    with pytest.raises(ValueError, match="got 'up'"):
        five_by_two_t_test(np.zeros(10), np.ones(10), "up")


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12))
def test_holm_finds_what_the_stepwise_rule_finds(pvalues):
    corrected = holm_correction(pvalues)
    for level in (0.01, 0.05, 0.3):
        found = set()
        for step, k in enumerate(np.argsort(pvalues, kind="stable")):
            if pvalues[k] * (len(pvalues) - step) > level:
                break
            found.add(int(k))
        assert set(np.flatnonzero(corrected <= level)) == found
    assert (corrected >= pvalues).all()
    assert corrected.max() <= 1.0


@pytest.mark.parametrize("pvalues", [[0.1, np.nan], [1.5], [[0.1]], [-0.1]])
def test_holm_refuses_what_is_no_p_value(pvalues):
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm_correction(pvalues)
