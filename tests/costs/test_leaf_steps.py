"""Leaf steps: what each guarantees for one matrix of costs, and for the loss of a whole process."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.problems import labelled_answers
from uneven.boosting.score_leaves import edge_of
from uneven.costs import vote_weight
from uneven.costs.leaf_steps import (
    LARGEST_STEP,
    balanced_step,
    closed_step,
    leaf_loss,
    newton_step,
)
from uneven.costs.score_costs import LOSSES, LabelModel, ScoreCosts

NONE = np.zeros((0, 0))


@st.composite
def leaves(draw, max_leaves=3, max_classes=8, spread=3.0):
    """Cost matrices (L, K, K) without diagonal: entries of many sizes, zeros, silent classes."""
    n_classes = draw(st.integers(2, max_classes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = (draw(st.integers(1, max_leaves)), n_classes, n_classes)
    width = draw(st.sampled_from([0.0, 1.0, spread]))
    costs = rng.gamma(0.8, size=shape) * 10.0 ** rng.uniform(-width, width, shape)
    costs[rng.random(shape) < draw(st.sampled_from([0.0, 0.3, 0.7]))] = 0.0
    if draw(st.booleans()):
        silent = rng.integers(n_classes)
        costs[:, silent], costs[:, :, silent] = 0.0, 0.0
    costs[:, np.arange(n_classes), np.arange(n_classes)] = 0.0
    return costs * 10.0 ** draw(st.integers(-100, 100))


def connected(costs):
    """The same without zeros: every class is mistaken for every other, so a minimum exists."""
    return costs + 1e-2 * max(costs.max(), 1e-300) * (1.0 - np.eye(costs.shape[1]))


def owed_and_paid(costs):
    return costs.sum(axis=2), costs.sum(axis=1)


def steps_of(costs):
    return {"balance": balanced_step(costs), "closed": closed_step(*owed_and_paid(costs))}


def hard_loss(costs):
    """Loss after the hard vote of the best answer of each leaf, by its bound and by itself."""
    owed, paid = owed_and_paid(costs)
    answer = (owed - paid).argmax(axis=1)
    each = np.arange(len(costs))
    edge = float((owed - paid)[each, answer].sum() / costs.sum())
    scores = np.zeros(owed.shape)
    scores[each, answer] = vote_weight(edge)
    return np.sqrt(max(1.0 - edge**2, 0.0)) * costs.sum(), leaf_loss(costs, scores).sum()


@given(leaves(), st.floats(0.0, 1.0, exclude_min=True))
def test_no_learning_rate_raises_the_loss(costs, rate):
    before = leaf_loss(costs, np.zeros(costs.shape[:2]))
    np.testing.assert_allclose(before, costs.sum(axis=(1, 2)), rtol=1e-12)
    for steps in steps_of(costs).values():
        assert (leaf_loss(costs, rate * steps) <= before * (1 + 1e-9)).all()


@given(leaves(), st.floats(0.0, 1.0))
def test_a_part_of_a_step_brings_that_part_of_the_fall(costs, rate):
    before = costs.sum(axis=(1, 2))
    for steps in steps_of(costs).values():
        convex = (1 - rate) * before + rate * leaf_loss(costs, steps)
        assert (leaf_loss(costs, rate * steps) <= convex * (1 + 1e-9)).all()


@given(leaves())
def test_balance_beats_the_closed_form_and_the_hard_vote(costs):
    assume(costs.sum() > 0.0)
    balanced, closed = (leaf_loss(costs, steps).sum() for steps in steps_of(costs).values())
    bound, hard = hard_loss(costs)
    assert balanced <= closed * (1 + 1e-6) + 1e-9 * costs.sum()
    assert closed <= bound * (1 + 1e-9) + 1e-9 * costs.sum()
    assert hard <= bound * (1 + 1e-9) + 1e-4 * costs.sum()
    assert balanced <= hard * (1 + 1e-6) + 1e-9 * costs.sum()


@given(leaves(max_classes=5, max_leaves=1, spread=1.0), st.integers(0, 2**32 - 1))
def test_balance_is_the_minimum(costs, seed):
    costs, n_classes = connected(costs), costs.shape[1]
    found = leaf_loss(costs, balanced_step(costs))
    others = np.random.default_rng(seed).normal(scale=2.0, size=(100, n_classes))
    near = balanced_step(costs) + 0.05 * others
    for scores in np.concatenate([others, near]):
        assert found <= leaf_loss(costs, scores[None]) * (1 + 1e-6) + 1e-9 * costs.sum()


@given(leaves())
def test_closed_form_keeps_its_bound(costs):
    owed, paid = owed_and_paid(costs)
    loss = leaf_loss(costs, closed_step(owed, paid))
    bound = np.sqrt(owed * paid).sum(axis=1)
    cut_off = np.exp(-2.0 * LARGEST_STEP) * costs.sum(axis=(1, 2))
    assert (loss <= (bound + cut_off) * (1 + 1e-9)).all()


@given(leaves())
def test_the_split_gain_is_a_certificate(costs):
    owed, paid = owed_and_paid(costs)
    whole = np.where(owed + paid > 0.0, owed + paid, 1.0)
    certified = 0.25 * ((owed - paid) ** 2 / whole).sum(axis=1)
    before = costs.sum(axis=(1, 2))
    for steps in steps_of(costs).values():
        fall = before - leaf_loss(costs, steps)
        assert (fall >= certified - 1e-9 * before).all()


@given(leaves())
def test_the_edge_is_that_of_a_hard_voter_with_the_same_bound(costs):
    assume(costs.sum() > 0.0)
    owed, paid = owed_and_paid(costs)
    edge = edge_of(owed, paid)
    assert 0.0 <= edge < 1.0
    bound = np.sqrt(owed * paid).sum() / costs.sum()
    assert np.sqrt(1.0 - edge**2) == pytest.approx(bound, rel=1e-6, abs=2e-5)


def test_no_costs_have_no_edge():
    assert edge_of(np.zeros((2, 3)), np.zeros((2, 3))) == 0.0


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.integers(-100, 100))
def test_two_classes_are_real_adaboost(first, second, power):
    costs = np.array([[[0.0, first], [second, 0.0]]]) * 10.0**power
    margin = 0.5 * np.log(first / second)
    for steps in steps_of(costs).values():
        np.testing.assert_allclose(steps[0, 0] - steps[0, 1], margin, rtol=1e-6, atol=1e-9)
        exact = 2.0 * np.sqrt(costs[0, 0, 1] * costs[0, 1, 0])
        np.testing.assert_allclose(leaf_loss(costs, steps), exact, rtol=1e-9)


@given(leaves(spread=1.0))
def test_balanced_leaves_owe_what_they_pay(costs):
    costs = connected(costs)
    steps = balanced_step(costs)
    scaled = costs * np.exp(steps[:, None, :] - steps[:, :, None])
    owed, paid = owed_and_paid(scaled)
    np.testing.assert_allclose(owed, paid, rtol=1e-4, atol=1e-4 * scaled.max(initial=1e-300))


@given(leaves(), st.floats(1e-3, 1e3))
def test_smoothing_balances_the_smoothed_costs(costs, share):
    n_classes = costs.shape[1]
    smoothing = share * max(costs.max(), 1e-300)
    spread = smoothing / (n_classes - 1) * (1.0 - np.eye(n_classes))
    np.testing.assert_allclose(
        balanced_step(costs, smoothing), balanced_step(costs + spread), rtol=1e-9, atol=1e-12
    )
    owed, paid = owed_and_paid(costs)
    smoothed = closed_step(owed + smoothing, paid + smoothing)
    np.testing.assert_allclose(closed_step(owed, paid, smoothing), smoothed, rtol=1e-12)


@given(leaves(), st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 0.5, 3.0]))
def test_scores_add_up_to_zero_and_are_bounded(costs, smoothing, l2):
    owed, paid = owed_and_paid(costs)
    for steps in (
        balanced_step(costs, smoothing),
        closed_step(owed, paid, smoothing),
        newton_step(owed, paid, owed + paid, l2),
    ):
        assert np.isfinite(steps).all()
        np.testing.assert_allclose(steps.sum(axis=1), 0.0, atol=1e-9)
        assert (np.abs(steps) <= 2.0 * LARGEST_STEP).all()


@given(leaves())
def test_classes_without_costs_take_no_side(costs):
    owed, paid = owed_and_paid(costs)
    silent = (owed == 0.0) & (paid == 0.0)
    assume(silent.any())
    for steps in (*steps_of(costs).values(), newton_step(owed, paid, owed + paid, 0.0)):
        for leaf in range(len(costs)):
            assert len(np.unique(steps[leaf, silent[leaf]])) <= 1
            if silent[leaf].all():
                assert not steps[leaf].any()


def test_newton_is_the_gradient_over_the_curvature():
    owed = np.array([[4.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    paid = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    curvature = np.array([[4.0, 3.0, 1.0], [0.0, 0.0, 0.0]])
    expected = np.array([3.0 / 5.0, -1.0 / 4.0, -2.0 / 2.0])
    steps = newton_step(owed, paid, curvature, 1.0)
    np.testing.assert_allclose(steps[0], expected - expected.mean(), rtol=1e-15)
    assert not newton_step(owed, paid, curvature, 0.0)[1].any()


@given(leaves(spread=1.0))
def test_newton_starts_downhill(costs):
    owed, paid = owed_and_paid(costs)
    steps = newton_step(owed, paid, owed + paid, 0.0)
    before = costs.sum(axis=(1, 2))
    assert (leaf_loss(costs, 1e-3 * steps) <= before * (1 + 1e-12)).all()


def test_a_leaf_that_knows_its_class_for_sure_has_a_finite_score():
    costs = np.zeros((1, 3, 3))
    costs[0, 0, 1:] = 5.0
    for steps in steps_of(costs).values():
        assert steps.argmax() == 0
        assert np.ptp(steps) == pytest.approx(2.0 * LARGEST_STEP)
    assert leaf_loss(costs, balanced_step(costs))[0] < 1e-8


def process(y, n_classes, loss, seed, with_prices):
    """Costs with uneven weights, and maybe prices."""
    rng = np.random.default_rng(seed)
    prices = rng.uniform(0.1, 5.0, (n_classes, n_classes)) if with_prices else NONE
    weight = 10.0 ** rng.uniform(-2, 2, len(y))
    labels = LabelModel(y.astype(np.int32), weight, prices, NONE, np.ones(n_classes))
    keys = rng.integers(0, 2**63, len(y)).astype(np.uint64)
    return ScoreCosts(labels, n_classes, loss, keys)


@given(
    labelled_answers(),
    st.sampled_from(sorted(LOSSES)),
    st.sampled_from(["balance", "closed"]),
    st.booleans(),
    st.floats(0.05, 1.0),
    st.integers(0, 2**32 - 1),
)
def test_no_round_raises_either_loss(problem, loss, step, with_prices, rate, seed):
    y, n_classes, answers = problem
    costs = process(y, n_classes, loss, seed, with_prices)
    rng = np.random.default_rng(seed)
    before = costs.loss
    for number in range(6):
        leaf_of = answers if number == 0 else rng.integers(-1, 4, len(y))
        n_leaves = int(max(leaf_of.max() + 1, 1))
        if step == "balance":
            steps = balanced_step(costs.leaf_pairs(leaf_of, n_leaves), 1e-9)
        else:
            steps = closed_step(*costs.leaf_sums(leaf_of, n_leaves)[:2], 1e-9)
        costs.add(leaf_of, rate * steps)
        after = costs.loss
        assert after <= before * (1 + 1e-5) + 1e-9
        before = after


def test_the_loss_of_a_leaf_is_what_the_process_then_has():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 60)
    costs = process(y, 4, "exponential", 1, with_prices=True)
    leaf_of = rng.integers(0, 3, 60)
    pairs = costs.leaf_pairs(leaf_of, 3)
    owed, paid, _ = costs.leaf_sums(leaf_of, 3)
    np.testing.assert_allclose(pairs.sum(axis=2), owed, rtol=1e-6)
    np.testing.assert_allclose(pairs.sum(axis=1), paid, rtol=1e-6)
    steps = balanced_step(pairs)
    unit = costs.loss / pairs.sum()
    costs.add(leaf_of, steps)
    assert costs.loss == pytest.approx(unit * leaf_loss(pairs, steps).sum(), rel=1e-5)
