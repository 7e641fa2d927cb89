"""Bounds of votes of two levels: worked values, known cases, and how often they hold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from uneven.bounds import (
    c_bound,
    disagreement_bound,
    gibbs_risk_bound,
    two_level_divergence,
    vote_divergence,
)


def test_divergence_worked_by_hand():
    between, within = two_level_divergence([3.0, 0.0, 1.0], [0, 0, 1])
    assert between == pytest.approx(0.75 * math.log(1.5) + 0.25 * math.log(0.5))
    assert within == pytest.approx(0.75 * math.log(2))
    wide, same = two_level_divergence([3.0, 0.0, 1.0], [0, 0, 1], n_views=4)
    assert wide == pytest.approx(between + math.log(2))
    assert same == within


def test_even_weights_are_the_prior_and_one_view_is_one_level():
    assert two_level_divergence([1.0, 1.0, 2.0], [0, 0, 1]) == pytest.approx((0.0, 0.0))
    weights = [0.5, 0.3, 0.2]
    assert two_level_divergence(weights, [0, 0, 0]) == (0.0, vote_divergence(weights, 3))


@given(arrays(float, 7, elements=st.floats(0.01, 5)), arrays(int, 7, elements=st.integers(0, 2)))
def test_levels_add_up_to_the_divergence_of_pairs(weights, views):
    _, groups, sizes = np.unique(views, return_inverse=True, return_counts=True)
    posterior = weights / weights.sum()
    prior = 1.0 / len(sizes) / sizes[groups]
    expected = (posterior * np.log(posterior / prior)).sum()
    assert sum(two_level_divergence(weights, views)) == pytest.approx(expected, abs=1e-9)


def test_c_bound_worked_by_hand():
    assert c_bound(0.3, 0.4) == pytest.approx(1 - 0.16 / 0.2)
    assert c_bound(0.3, 0.0) == pytest.approx(0.84)
    assert c_bound(0.5, 0.1) == 1.0
    assert c_bound(0.3, 0.42) == pytest.approx(0.0)


@given(arrays(float, (20, 5), elements=st.sampled_from([0.0, 0.5, 1.0])))
def test_c_bound_holds_on_every_table_of_losses(losses):
    mean = losses.mean(axis=1)
    risk, disagreement = mean.mean(), 2 * (mean * (1 - mean)).mean()
    assert (mean >= 0.5).mean() <= c_bound(risk, disagreement) + 1e-9


@given(st.floats(0, 1), st.integers(1, 5000), st.floats(0, 20))
def test_disagreement_is_bounded_from_below(disagreement, n, divergence):
    bound = disagreement_bound(disagreement, n, divergence)
    assert -1e-12 <= bound <= disagreement + 1e-12
    assert bound <= disagreement_bound(disagreement, 4 * n, divergence) + 1e-9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: two_level_divergence([1.0], [0, 1]), "one value per voter"),
        (lambda: two_level_divergence([1.0, 1.0], [0, 1], n_views=1), "smaller than the 2 views"),
        (lambda: two_level_divergence([0.0], [0]), "not all zero"),
        (lambda: c_bound(0.1, 0.4), "disagree on at most 0.18"),
        (lambda: c_bound(float("nan"), 0.1), "negative or NaN"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_bounds_hold_for_weights_that_were_chosen_on_the_same_rows():
    rng = np.random.default_rng(0)
    views = np.repeat([0, 1, 2], [4, 3, 5])
    rates = rng.uniform(0.15, 0.45, size=12)
    held = []
    for _ in range(300):
        losses = (rng.random((150, 12)) < rates).astype(float)
        weights = np.exp(-20.0 * losses.mean(axis=0))
        weights /= weights.sum()
        kl = sum(two_level_divergence(weights, views))
        mean = losses @ weights
        risk, apart = mean.mean(), 2 * (mean * (1 - mean)).mean()
        true_risk = weights @ rates
        true_square = true_risk**2 + (weights**2) @ (rates * (1 - rates))
        held.append(
            (
                true_risk <= gibbs_risk_bound(risk, 150, kl),
                2 * (true_risk - true_square) >= disagreement_bound(apart, 150, kl),
            )
        )
    assert np.mean(held, axis=0).min() >= 0.95
