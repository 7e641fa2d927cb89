"""The double-weighted vote: worked examples, and what theory promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tests.fusion.bregman_problems import GOLDEN, loss_of, margins
from uneven.fusion.bregman import (
    VIEW_RULES,
    Descent,
    hits_and_misses,
    logistic_loss,
    relative_entropy,
    sigma,
    step_and_gain,
)
from uneven.utils.parallel import thread_pool

FIVE = np.ones(5)

WORKED = {
    "literal": (
        Descent("lp", 3, smoothing=0.0, shared_step=False, guarded=False),
        None,
        [2.117660, 3.566577, 2.145640],
        [0.0, 1.0],
    ),
    "safe, fixed": (
        Descent("fixed", 3, smoothing=0.0),
        [2.793649, 2.627380, 2.489651],
        [2.793649, 2.627380, 2.489651],
        [0.5, 0.5],
    ),
    "safe, proportional": (
        Descent("proportional", 3, smoothing=0.0),
        [2.793649, 2.327468, 2.203013],
        [2.496583, 2.327468, 2.203013],
        [0.007761, 0.992239],
    ),
    "safe, proportional, smoothed": (
        Descent("proportional", 3),
        [2.864529, 2.459878, 2.346589],
        [2.600127, 2.459878, 2.346589],
        [0.008398, 0.991602],
    ),
    "safe, exact, smoothed": (
        Descent("exact", 3),
        [2.864529, 2.457310, 2.344551],
        [2.597208, 2.457310, 2.344551],
        [0.0, 1.0],
    ),
    "shared step, not guarded": (
        Descent("proportional", 3, smoothing=0.0, guarded=False),
        [2.793649, 2.327468, 2.307868],
        [2.496583, 2.458146, 2.210187],
        None,
    ),
}


@pytest.mark.parametrize("name", list(WORKED))
def test_worked_example(name):
    descent, after_voters, after_views, rho = WORKED[name]
    learnt = descent.learn(GOLDEN, FIVE)
    np.testing.assert_allclose(learnt.history["loss_after_views"], after_views, atol=1e-6)
    assert loss_of(GOLDEN, learnt, FIVE) == pytest.approx(after_views[-1], abs=1e-6)
    if after_voters is not None:
        np.testing.assert_allclose(learnt.history["loss_after_voters"], after_voters, atol=1e-6)
    if rho is not None:
        np.testing.assert_allclose(learnt.view_weight, rho, atol=1e-6)


def test_the_literal_loss_grows():
    identical = [np.repeat([[1.0], [1.0], [1.0], [-1.0]], 10, axis=1)]
    literal = Descent("fixed", 1, smoothing=0.0, shared_step=False, guarded=False)
    learnt = literal.learn(identical, np.ones(4))
    assert logistic_loss(identical[0].mean(axis=1)) == pytest.approx(2.253047, abs=1e-6)
    assert learnt.history["loss_after_voters"] == [pytest.approx(2.303792, abs=1e-6)]
    four = literal.learn([identical[0][:, :4]], np.ones(4))
    assert four.history["loss_after_voters"] == [pytest.approx(2.252927, abs=1e-6)]


def test_no_weights_do_better_than_two_contradictions():
    learnt = Descent("fixed", 5000, smoothing=0.0).learn(GOLDEN, FIVE)
    assert 2 * np.log(2) < loss_of(GOLDEN, learnt, FIVE) < 2 * np.log(2) + 0.01


@pytest.mark.slow
@settings(max_examples=200)
@given(
    margins(),
    st.sampled_from(sorted(VIEW_RULES)),
    st.sampled_from([None, 0.0, 0.1]),
    st.booleans(),
)
def test_the_safe_loss_never_grows(problem, rule, smoothing, clip):
    views, mass = problem
    descent = Descent(rule, 3, smoothing=smoothing, clip_negative=clip)
    learnt = descent.learn(views, mass)
    start = logistic_loss(sum(M.mean(axis=1) for M in views) / len(views), mass)
    halves = np.column_stack(
        [learnt.history["loss_after_voters"], learnt.history["loss_after_views"]]
    ).ravel()
    assert np.all(np.diff([start, *halves]) <= 1e-12 * (1.0 + start))
    assert loss_of(views, learnt, mass) == pytest.approx(halves[-1])
    assert learnt.view_weight.min() >= 0.0
    assert learnt.view_weight.sum() == pytest.approx(1.0)
    if clip:
        assert min(weight.min() for weight in learnt.voter_weight) >= 0.0


@settings(max_examples=100)
@given(margins())
def test_a_shared_step_gains_at_least_what_its_bound_says(problem):
    views, mass = problem
    rho = 1.0 / len(views)
    start = sum(M.mean(axis=1) for M in views) * rho
    q = mass * sigma(start)
    promised = 0.0
    for M in views:
        gain = step_and_gain(*hits_and_misses(M, q), q.sum(), 0.0)[1]
        promised += rho / M.shape[1] * gain
    learnt = Descent("fixed", 1, smoothing=0.0).learn(views, mass)
    gained = logistic_loss(start, mass) - learnt.history["loss_after_voters"][0]
    assert gained >= promised - 1e-9


def test_bound_of_the_first_step_of_the_worked_example():
    q = sigma(sum(0.5 * M.mean(axis=1) for M in GOLDEN))
    gains = [step_and_gain(*hits_and_misses(M, q), q.sum(), 0.0)[1] for M in GOLDEN]
    assert gains[0] / 2 / 2 + gains[1] / 3 / 2 == pytest.approx(0.10158736, abs=1e-8)


def noisy_views(seed, n=60, sizes=(4, 3)):
    rng = np.random.default_rng(seed)
    return [np.where(rng.random((n, k)) < rng.uniform(0.5, 0.75, k), 1.0, -1.0) for k in sizes]


@pytest.mark.parametrize("seed", [0, 1])
def test_fixed_views_reach_the_logistic_optimum(seed):
    views, mass = noisy_views(seed), np.ones(60)
    pooled = np.hstack(views)
    best = minimize(
        lambda w: (logistic_loss(pooled @ w), -pooled.T @ sigma(pooled @ w)),
        np.zeros(pooled.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000},
    )
    learnt = Descent("fixed", 3000, smoothing=0.0).learn(views, mass)
    assert loss_of(views, learnt, mass) == pytest.approx(best.fun, abs=1e-6)
    few = Descent("fixed", 10, smoothing=0.0).learn(views, mass)
    assert loss_of(views, few, mass) > best.fun + 0.01

    q = sigma(sum(M @ learnt.joint(v) for v, M in enumerate(views)))
    for M in views:
        hits, misses = hits_and_misses(M, q)
        np.testing.assert_allclose(hits, misses, atol=1e-4)

    # Pythagoras: any p with the voters' totals of the optimum, any q of the family
    rng = np.random.default_rng(seed)
    null = np.linalg.svd(pooled.T)[2][pooled.shape[1] :]
    p = q + 0.01 * null.T @ rng.normal(size=len(null))
    other = sigma(pooled @ rng.normal(size=pooled.shape[1]))
    assert p.min() > 0.0
    assert p.max() < 1.0
    through = relative_entropy(p, q) + relative_entropy(q, other)
    assert relative_entropy(p, other) == pytest.approx(through, abs=1e-9)


@given(margins(), st.sampled_from(["proportional", "fixed", "lp", "projected"]))
def test_order_of_views_and_voters_does_not_matter(problem, rule):
    views, mass = problem
    descent = Descent(rule, 3)
    plain = descent.learn(views, mass)
    turned = descent.learn([M[:, ::-1] for M in views[::-1]], mass)
    np.testing.assert_allclose(turned.view_weight[::-1], plain.view_weight, atol=1e-6)
    for a, b in zip(turned.voter_weight[::-1], plain.voter_weight):
        np.testing.assert_allclose(a[::-1], b, atol=1e-6)


@given(margins())
def test_a_flipped_voter_takes_the_opposite_step(problem):
    views, mass = problem
    q = mass * sigma(views[0].mean(axis=1))
    step, gain = step_and_gain(*hits_and_misses(views[0], q), q.sum(), 0.1)
    flipped, same_gain = step_and_gain(*hits_and_misses(-views[0], q), q.sum(), 0.1)
    np.testing.assert_array_equal(flipped, -step)
    assert same_gain == gain


def test_only_the_products_of_weights_matter():
    learnt = Descent("proportional", 3).learn(GOLDEN, FIVE)
    before = loss_of(GOLDEN, learnt, FIVE)
    learnt.view_weight = learnt.view_weight / np.array([4.0, 0.5])
    learnt.voter_weight = [learnt.voter_weight[0] * 4.0, learnt.voter_weight[1] * 0.5]
    assert loss_of(GOLDEN, learnt, FIVE) == pytest.approx(before, abs=1e-12)


@given(margins(), st.sampled_from(sorted(VIEW_RULES)))
def test_whole_masses_are_repeated_rows(problem, rule):
    views, mass = problem
    descent = Descent(rule, 2)
    weighed = descent.learn(views, mass)
    repeated = descent.learn(
        [np.repeat(M, mass.astype(int), axis=0) for M in views], np.ones(int(mass.sum()))
    )
    np.testing.assert_allclose(
        weighed.history["loss_after_voters"][0], repeated.history["loss_after_voters"][0]
    )
    np.testing.assert_allclose(
        weighed.history["loss_after_views"][-1],
        repeated.history["loss_after_views"][-1],
        rtol=1e-5,
    )


def test_threads_do_not_change_a_bit():
    rng = np.random.default_rng(0)
    views = [np.where(rng.random((30_000, 6)) < 0.6, 1.0, -1.0) for _ in range(3)]
    mass = rng.random(30_000)
    alone = Descent(max_iter=3).learn(views, mass)
    with thread_pool(3) as pool:
        together = Descent(max_iter=3).learn(views, mass, pool)
    np.testing.assert_array_equal(alone.view_weight, together.view_weight)
    for a, b in zip(alone.voter_weight, together.voter_weight):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("shared", [True, False])
def test_perfect_and_silent_voters_keep_weights_finite(shared):
    views = [np.ones((6, 3)), np.zeros((6, 2)), -np.ones((6, 1)), np.zeros((6, 0))]
    for rule in VIEW_RULES:
        descent = Descent(rule, 40, smoothing=0.0, shared_step=shared, guarded=shared)
        learnt = descent.learn(views, np.ones(6))
        assert np.isfinite(learnt.view_weight).all()
        assert all(np.isfinite(weight).all() for weight in learnt.voter_weight)
        np.testing.assert_array_equal(learnt.voter_weight[1], 0.5)


@given(margins())
def test_abstentions_count_for_nobody(problem):
    views, mass = problem
    silent = [np.vstack([M, np.zeros((2, M.shape[1]))]) for M in views]
    q = np.append(mass, [1.0, 1.0])
    for M, more in zip(views, silent):
        np.testing.assert_allclose(hits_and_misses(M, mass), hits_and_misses(more, q))


def test_stopping_early_and_returning_the_iterate_before_the_last():
    long = Descent("fixed", 5000, smoothing=0.0, tol=1e-4).learn(noisy_views(0), np.ones(60))
    losses = long.history["loss_after_views"]
    assert 2 < len(losses) < 5000
    assert losses[-2] - losses[-1] < 1e-4 * losses[-2]
    assert losses[-3] - losses[-2] >= 1e-4 * losses[-3]
    one = Descent("proportional", 1).learn(GOLDEN, FIVE)
    before = Descent("proportional", 2, drop_last=True).learn(GOLDEN, FIVE)
    np.testing.assert_array_equal(before.view_weight, one.view_weight)
    np.testing.assert_array_equal(before.voter_weight[1], one.voter_weight[1])


def test_floor_is_kept_where_the_loss_allows_it():
    strong, other = np.ones((20, 1)), np.ones((20, 1))
    strong[:4] = -1.0
    other[4:13] = -1.0
    bare = Descent("lp", 1, floor=0.0).learn([strong, other], np.ones(20))
    assert bare.view_weight.tolist() == [1.0, 0.0]
    lifted = Descent("lp", 1, floor=0.05).learn([strong, other], np.ones(20))
    np.testing.assert_allclose(lifted.view_weight, np.array([1.0, 0.05]) / 1.05)
