import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_rel

from uneven.metrics import corrected_t_test, wilson_interval


@given(st.integers(0, 10_000))
def test_without_shared_rows_it_is_the_paired_t_test(seed):
    first, second = np.random.default_rng(seed).normal(size=(2, 6))
    for side in ("two-sided", "less", "greater"):
        plain = ttest_rel(first, second, alternative=side)
        found = corrected_t_test(first, second, 0.0, side)
        assert found.statistic == pytest.approx(plain.statistic, rel=1e-6)
        assert found.pvalue == pytest.approx(plain.pvalue, rel=1e-6)


def test_shared_training_rows_make_it_less_sure():
    first, second = [0.10, 0.12, 0.11, 0.13, 0.09], [0.15, 0.13, 0.14, 0.15, 0.13]
    plain, corrected = (corrected_t_test(first, second, share) for share in (0.0, 0.25))
    assert corrected.statistic == pytest.approx(plain.statistic * (0.2 / 0.45) ** 0.5)
    assert corrected.pvalue > plain.pvalue
    assert corrected_t_test(first, first, 0.25).pvalue == 1.0
    with pytest.raises(ValueError, match="two folds or more"):
        corrected_t_test([0.1], [0.2], 0.25)


@given(st.integers(0, 30), st.integers(1, 30))
def test_wilson_is_scipys(hits, misses):
    found = binomtest(hits, hits + misses).proportion_ci(0.95, method="wilson")
    low, high = wilson_interval(hits / (hits + misses), hits + misses)
    assert (low, high) == pytest.approx((found.low, found.high), abs=1e-12)


def test_wilson_without_rows_knows_nothing():
    assert np.isnan(wilson_interval([0.5], [0])).all()
