import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import comb

from uneven.bounds import (
    binary_kl,
    binary_kl_inverse,
    confusion_generalisation_bound,
    gibbs_confusion_bound,
    gibbs_risk_bound,
    majority_vote_bound,
    margin_error_bound,
    risk_bound,
    risk_from_confusion,
    training_loss_bound,
    vote_divergence,
)

unit = st.floats(0, 1)


@st.composite
def confusion_and_prior(draw):
    k = draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sharpness = draw(st.sampled_from([0.05, 1.0, 20.0]))
    errors = rng.dirichlet(np.full(k, sharpness), size=k)
    np.fill_diagonal(errors, 0.0)
    return errors, rng.dirichlet(np.full(k, sharpness))


def test_corollary_fixture():
    assert confusion_generalisation_bound(0.0, [1000, 500, 200]) == pytest.approx(
        0.443315, abs=5e-7
    )
    assert confusion_generalisation_bound(0.2, [1000, 500, 200]) == pytest.approx(
        0.643315, abs=5e-7
    )


def test_pac_bayes_fixture():
    assert gibbs_confusion_bound(0.0, [1000] * 3, 0.5) == pytest.approx(0.470887, abs=5e-7)
    assert gibbs_confusion_bound(0.0, [1000, 4000, 9000], 0.5) == pytest.approx(0.470887, abs=5e-7)


@given(
    st.lists(st.integers(1, 10**5), min_size=2, max_size=6),
    st.floats(0, 50),
    st.floats(0.001, 0.5),
)
def test_fine_form_is_never_above_the_published_one(counts, divergence, delta):
    published = gibbs_confusion_bound(0.1, counts, divergence, delta)
    fine = gibbs_confusion_bound(0.1, counts, divergence, delta, form="fine")
    assert fine <= published * (1 + 1e-12)
    assert fine > 0.1


def test_forms_agree_on_equal_classes():
    counts = [400] * 4
    assert gibbs_confusion_bound(0, counts, 1.0) == pytest.approx(
        gibbs_confusion_bound(0, counts, 1.0, form="fine")
    )


@pytest.mark.parametrize("smallest", [9, 24])
def test_outside_the_domain_the_bound_is_infinite(smallest):
    assert gibbs_confusion_bound(0, [smallest, 500, 500], 0.0) == math.inf
    assert math.isfinite(gibbs_confusion_bound(0, [25, 500, 500], 0.0))


def test_fine_form_reaches_further():
    counts = [20, 5000, 5000]
    assert gibbs_confusion_bound(0, counts, 0.0) == math.inf
    assert math.isfinite(gibbs_confusion_bound(0, counts, 0.0, form="fine"))
    assert gibbs_confusion_bound(0, [8, 5000, 5000], 0.0, form="fine") == math.inf


@given(confusion_and_prior())
def test_risk_is_below_its_bounds(case):
    errors, prior = case
    k = len(prior)
    norm = np.linalg.norm(errors, 2)
    risk = risk_from_confusion(errors, prior)
    assert risk == pytest.approx(np.abs(prior @ errors).sum())
    sharp = risk_bound(norm, class_prior=prior)
    assert risk <= sharp + 1e-12
    assert sharp <= risk_bound(norm, k) + 1e-12


def test_risk_bound_is_reached_by_equal_classes_and_equal_errors():
    k = 4
    errors = (np.ones((k, k)) - np.eye(k)) * 0.1
    prior = np.full(k, 1 / k)
    assert risk_from_confusion(errors, prior) == pytest.approx(0.3)
    assert risk_bound(np.linalg.norm(errors, 2), class_prior=prior) == pytest.approx(0.3)


@given(unit, unit, st.floats(0.01, 0.99))
def test_two_classes_norm_is_the_larger_rate_and_bounds_the_risk(a, b, p):
    errors = np.array([[0, a], [b, 0]])
    norm = np.linalg.norm(errors, 2)
    assert norm == pytest.approx(max(a, b), abs=1e-12)
    assert risk_from_confusion(errors, [p, 1 - p]) <= norm + 1e-12


def test_majority_vote_pays_k_times():
    assert majority_vote_bound(0.2, 5) == pytest.approx(1.0)
    assert majority_vote_bound(math.inf, 5) == math.inf


@given(arrays(np.float64, st.integers(1, 12), elements=st.floats(0.01, 5)), st.integers(0, 50))
def test_divergence_is_the_sum_it_stands_for(weights, more):
    pool = len(weights) + more
    q = weights / weights.sum()
    expected = sum(share * math.log(share * pool) for share in q)
    assert vote_divergence(weights, pool) == pytest.approx(expected, abs=1e-9)
    assert vote_divergence(3 * weights, pool) == pytest.approx(expected, abs=1e-9)
    assert 0 <= vote_divergence(weights, pool) <= math.log(pool) + 1e-12


def test_unused_voters_carry_no_weight():
    assert vote_divergence([1, 0, 1], 4) == pytest.approx(math.log(2))


def test_loss_bound_of_the_fixture():
    edges = [0.5, 0.541917462, 0.593576563]
    bound = training_loss_bound(edges, initial_loss=6)
    assert bound == pytest.approx(6 * np.cumprod(np.sqrt(1 - np.square(edges))))
    assert (np.array([5.041451884, 4.090838157, 3.196742314]) <= bound).all()


def test_loss_bound_of_perfect_and_worthless_rounds():
    assert training_loss_bound([0.0, 1.0, 0.5], initial_loss=2).tolist() == [2.0, 0.0, 0.0]
    assert training_loss_bound([], initial_loss=2).shape == (0,)


def test_the_margin_bound_without_a_margin_is_that_of_the_error():
    edges = [0.1, 0.7, 0.0, 1.0]
    whole = training_loss_bound(edges, initial_loss=3)
    assert np.allclose(margin_error_bound(edges, 0.0, 4), whole)
    assert (margin_error_bound(edges[:2], 0.2, 4) > whole[:2]).all()


def test_loss_bound_survives_thousands_of_rounds():
    bound = training_loss_bound(np.full(5000, 0.9), initial_loss=1)
    assert bound[-1] == 0.0
    assert (np.diff(bound) <= 0).all()


@given(unit, st.floats(0, 10))
def test_kl_inverse_spends_the_budget(q, budget):
    p = binary_kl_inverse(q, budget)
    assert q <= p <= 1
    if p < 1 - 1e-6:
        assert binary_kl(q, p) == pytest.approx(budget, abs=1e-6)
    if p + 1e-6 < 1:
        assert binary_kl(q, p + 1e-6) >= budget - 1e-9


@given(st.floats(0, 0.99), st.floats(0.001, 1))
def test_pinsker(q, budget):
    assert binary_kl_inverse(q, budget) <= q + math.sqrt(budget / 2) + 1e-9


@pytest.mark.parametrize("m", [1, 7, 60])
def test_gibbs_risk_spends_the_exact_budget(m):
    xi = sum(comb(m, k) * (k / m) ** k * (1 - k / m) ** (m - k) for k in range(m + 1))
    p = gibbs_risk_bound(0.0, m, divergence=0.3, delta=0.1)
    assert binary_kl(0.0, p) == pytest.approx((0.3 + math.log(xi / 0.1)) / m, rel=1e-6)


def test_large_samples_use_the_looser_constant_without_a_jump():
    below = gibbs_risk_bound(0.2, 10_000, 1.0)
    above = gibbs_risk_bound(0.2, 10_001, 1.0)
    assert below < above < below + 5e-4
    assert gibbs_risk_bound(0.2, 10**9, 1.0) == pytest.approx(0.2, abs=1e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: confusion_generalisation_bound(0.1, [10, 0]), "0.0 for class 1"),
        (lambda: confusion_generalisation_bound(0.1, []), r"shape \(0,\)"),
        (lambda: confusion_generalisation_bound(-0.1, [10, 10]), "empirical_norm=-0.1"),
        (lambda: confusion_generalisation_bound(0.1, [10, 10], delta=0), "delta=0"),
        (lambda: confusion_generalisation_bound(math.nan, [10, 10]), "empirical_norm=nan"),
        (lambda: gibbs_confusion_bound(0.1, [10, 10], -1), "divergence=-1"),
        (lambda: gibbs_confusion_bound(0.1, [10, 10], 1, form="best"), "form='best'"),
        (lambda: majority_vote_bound(0.1, 0), "n_classes=0"),
        (lambda: risk_bound(0.1), "n_classes or class_prior"),
        (lambda: risk_bound(0.1, 3, class_prior=[0.5, 0.5]), "n_classes=3"),
        (lambda: risk_bound(0.1, class_prior=[0.5, 0.6]), "sum to 1"),
        (lambda: risk_from_confusion(np.eye(2), [0.5, 0.5]), "diagonal"),
        (lambda: risk_from_confusion(np.zeros((3, 3)), [0.5, 0.5]), r"\(3, 3\)"),
        (lambda: vote_divergence([1, 1, 1], 2), "pool_size=2 is smaller than the 3"),
        (lambda: vote_divergence([0, 0], 2), "not all zero"),
        (lambda: vote_divergence([], 2), r"shape \(0,\)"),
        (lambda: training_loss_bound([0.5, 1.5]), "1.5 in round 1"),
        (lambda: training_loss_bound([[0.5]]), r"shape \(1, 1\)"),
        (lambda: margin_error_bound([1.5], 0.1, 2), "1.5 in round 0"),
        (lambda: margin_error_bound([0.5], 1.0, 2), "margin must be at least 0 and below 1"),
        (lambda: binary_kl(1.2, 0.5), "q=1.2"),
        (lambda: gibbs_risk_bound(0.1, 0), "n_samples=0"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
