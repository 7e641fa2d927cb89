"""Losses of margins: values, convexity, and the bound on the share of mistakes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import hinge_loss as sklearn_hinge

from uneven.metrics import MARGIN_LOSSES, empirical_risk, predictive_values

MARGINS = st.lists(st.floats(-20, 20), min_size=1, max_size=10)


@given(MARGINS)
def test_convex_losses_bound_the_share_of_mistakes(margin):
    mistakes = MARGIN_LOSSES["zero_one"](margin)
    for name in ("quadratic", "exponential", "hinge"):
        assert (MARGIN_LOSSES[name](margin) >= mistakes - 1e-12).all()
    assert (MARGIN_LOSSES["logistic"](margin) / np.log(2.0) >= mistakes - 1e-12).all()


@given(st.floats(-20, 20), st.floats(-20, 20), st.floats(0, 1))
def test_all_but_zero_one_are_convex(a, b, share):
    for name, loss in MARGIN_LOSSES.items():
        if name != "zero_one":
            middle = loss([share * a + (1 - share) * b])[0]
            chord = share * loss([a])[0] + (1 - share) * loss([b])[0]
            assert middle <= chord * (1 + 1e-9) + 1e-9


def test_risk_is_a_weighted_mean():
    rng = np.random.default_rng(0)
    y, scores = rng.choice([-1, 1], 50), rng.normal(size=50)
    assert empirical_risk(y * scores, "hinge") == pytest.approx(sklearn_hinge(y, scores))
    weights = rng.integers(0, 3, 50)
    repeated = np.repeat(y * scores, weights)
    weighted = empirical_risk(y * scores, "logistic", sample_weight=weights)
    assert weighted == pytest.approx(empirical_risk(repeated, "logistic"))
    assert empirical_risk(y * scores, lambda m: np.ones(len(m))) == 1.0


@pytest.mark.parametrize(
    ("margin", "loss", "message"),
    [
        ([[1.0]], "hinge", "shape"),
        ([], "hinge", "shape"),
        ([1.0, np.nan], "hinge", "NaN in row 1"),
        ([1.0], "squared", "loss must be one of"),
    ],
)
def test_refuses(margin, loss, message):
    with pytest.raises(ValueError, match=message):
        empirical_risk(margin, loss)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_predictive_values_by_counting(pairs):
    y, answers = np.array(pairs).T
    found = predictive_values(y, answers)
    for k, label in enumerate(found.label):
        yes, no = y[answers == label] == label, y[answers != label] != label
        expected = [part.mean() if len(part) else np.nan for part in (yes, no)]
        np.testing.assert_allclose([found.ppv[k], found.npv[k]], expected)
        np.testing.assert_allclose(found.fdr[k] + found.ppv[k], 1.0 if len(yes) else np.nan)
        np.testing.assert_allclose(
            found.false_omission[k] + found.npv[k], 1.0 if len(no) else np.nan
        )
