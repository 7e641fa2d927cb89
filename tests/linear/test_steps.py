"""The rules of the steps, their values, and the compiled ones beside their twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from tests.linear import twins
from uneven.linear.steps import ERROR_STEPS, STEP_CODES, check_step, error_set

NAMES = sorted(ERROR_STEPS)


@st.composite
def mistakes(draw, whole=False):
    n_classes = draw(st.integers(2, 7))
    number = st.integers(-3, 3).map(float) if whole else st.floats(-10, 10)
    scores = np.array(draw(st.lists(number, min_size=n_classes, max_size=n_classes)))
    truth = draw(st.integers(0, n_classes - 1))
    scores[truth] = min(scores[truth], np.delete(scores, truth).max())
    return scores, truth, error_set(scores, truth)


def test_names_and_codes_agree():
    assert sorted(STEP_CODES) == NAMES
    assert len(set(STEP_CODES.values())) == len(NAMES)


def test_ties_are_errors():
    assert error_set([1.0, 1.0, 0.5], 0).tolist() == [1]
    assert error_set([1.0, 0.9, 0.5], 0).tolist() == []


@pytest.mark.parametrize("name", NAMES)
@given(case=st.one_of(mistakes(), mistakes(whole=True)), seed=st.integers(0, 99))
def test_every_step_keeps_the_rules_and_the_lemma(name, case, seed):
    scores, truth, errors = case
    tau = ERROR_STEPS[name](scores, truth, errors, np.random.default_rng(seed), 2.5)
    check_step(tau, truth, errors, relaxed=name == "mira")
    assert (tau**2).sum() <= 2 + 1e-9


@pytest.mark.parametrize("name", NAMES)
@given(case=st.one_of(mistakes(), mistakes(whole=True)), seed=st.integers(0, 99))
def test_every_step_agrees_with_its_twin(name, case, seed):
    scores, truth, errors = case
    found = ERROR_STEPS[name](scores, truth, errors, np.random.default_rng(seed), 2.5)
    expected = twins.step(name, scores, truth, errors, np.random.default_rng(seed), 2.5)
    np.testing.assert_allclose(found, expected, atol=2e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8).filter(any), st.data())
def test_admissible_steps_have_at_most_two_as_squared_sum(shares, data):
    debts = -np.array(shares) / sum(shares)
    place = data.draw(st.integers(0, len(debts)))
    tau = np.insert(debts, place, 1.0)
    check_step(tau, place, np.delete(np.arange(len(tau)), place))
    assert (tau**2).sum() <= 2 + 1e-9


@pytest.mark.parametrize(
    ("tau", "reason"),
    [
        ((1, 5, -6), "only the true class 0 may gain"),
        ((0.5, -0.5, 0), "by exactly 1"),
        ((1, 0, -1), "class 2, which is not in the error set"),
        ((1, -0.5, 0), "sums to 0.5"),
        ((1, np.nan, 0), "not finite"),
        (((1, -1, 0),), "expected one number per class"),
    ],
)
def test_a_step_against_the_rules_is_refused(tau, reason):
    with pytest.raises(ValueError, match=reason):
        check_step(tau, 0, [1] if "error set" in reason else [1, 2])


def test_only_a_relaxed_step_may_be_short():
    assert check_step([0.5, -0.5], 0, [1], relaxed=True).tolist() == [0.5, -0.5]
    for tau in ([0.0, 0.0], [1.5, -1.5]):
        with pytest.raises(ValueError, match=r"outside \(0, 1\]"):
            check_step(tau, 0, [1], relaxed=True)


def test_mira_by_hand():
    tau = ERROR_STEPS["mira"]([0.6, 0.2, 0.9, -0.4], 1, [0, 2], squared_norm=2.0)
    np.testing.assert_allclose(tau, [-1 / 60, 11 / 60, -1 / 6, 0], atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_mira_solves_its_programme(seed):
    rng = np.random.default_rng(seed)
    weights, x = rng.normal(size=(3, 5)), rng.normal(size=3)
    scores = x @ weights
    truth = int(scores.argmin())
    found = ERROR_STEPS["mira"](scores, truth, error_set(scores, truth), squared_norm=x @ x)

    def size(tau):
        return 0.5 * ((weights + np.outer(x, tau)) ** 2).sum()

    bounds = [(None, float(r == truth)) for r in range(5)]
    constraint = {"type": "eq", "fun": np.sum}
    best = minimize(size, np.zeros(5), bounds=bounds, constraints=[constraint], tol=1e-14)
    np.testing.assert_allclose(found, best.x, atol=1e-6)


def test_tied_mira_moves_like_the_uniform_step():
    assert ERROR_STEPS["mira"]([0.0, 0.0, 0.0], 1, [0, 2]).tolist() == [-0.5, 1.0, -0.5]


def test_a_step_needs_somebody_who_pays():
    with pytest.raises(ValueError, match="error set is empty"):
        ERROR_STEPS["max"]([1.0, 0.0], 0, [])
    with pytest.raises(ValueError, match="squared_norm=0"):
        ERROR_STEPS["mira"]([0.0, 1.0], 0, [1], squared_norm=0)


def test_the_random_step_reaches_the_whole_error_set():
    rng = np.random.default_rng(0)
    payers = [int(ERROR_STEPS["random"](np.zeros(4), 0, [1, 3], rng).argmin()) for _ in range(50)]
    assert set(payers) == {1, 3}
