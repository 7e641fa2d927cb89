"""Coefficients of views for classes: golden values, optimality, and the cases without an answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from uneven.costs.class_weights import (
    exact_coefficients,
    leaf_coefficients,
    simplified_coefficients,
)
from uneven.costs.leaf_steps import leaf_loss

RIGHT = np.array([[2.0, 2.0, 0.0], [4 / 3, 1.0, 2.0]])
WRONG = np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 1 / 3]])
WEIGHT = np.arctanh([0.5, 7 / 12])


def loss(coefficients, right, wrong, weight):
    """Loss of each class, shape (n_classes,)."""
    step = weight[:, None] * coefficients
    return (np.exp(-step) * right + np.exp(step) * wrong).sum(axis=0)


@st.composite
def views_and_classes(draw, max_views=5):
    """(right, wrong, weight) with zeros, large weights and tiny ones among them."""
    v, k = draw(st.integers(1, max_views)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    right, wrong = rng.exponential(size=(2, v, k)) * (rng.random((2, v, k)) < 0.85)
    weight = rng.choice([0.0, 1e-12, 1e-3, 0.1, 1.0, 3.0, 11.86], size=v) * rng.random(v)
    return right, wrong, weight


def twin(right, wrong, weight, may_be_less):
    """One class by NumPy: walk down the sorted slopes with a plain bisection of 200 steps."""

    def place(slope):
        u = (slope + np.sqrt(slope**2 + 4 * weight**2 * right * wrong)) / (2 * weight * wrong)
        return np.clip(np.log(u) / weight, 0.0, 1.0)

    if may_be_less and place(0.0).sum() <= 1.0:
        return place(0.0)
    bound = (weight * np.exp(weight) * (right + wrong)).max()
    low, high = -bound, bound
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if place(middle).sum() < 1.0 else (low, middle)
    return place(high)


def test_a_round_worked_by_hand():
    exact = exact_coefficients(RIGHT, WRONG, WEIGHT)
    np.testing.assert_allclose(exact, [[1, 0.182333, 0], [0, 0.817667, 1]], atol=1e-6)
    simplified = simplified_coefficients(RIGHT, WRONG, WEIGHT, smoothing=1 / 3)
    golden = [[0.773315, 0.329101, 0], [0.226685, 0.670899, 1]]
    np.testing.assert_allclose(simplified, golden, atol=1e-6)
    capped = simplified_coefficients(RIGHT, WRONG, WEIGHT, smoothing=1 / 3, normalise="cap")
    np.testing.assert_allclose(capped[:, 2], [0, 0.938398], atol=1e-6)
    np.testing.assert_allclose(capped[:, :2], np.array(golden)[:, :2], atol=1e-6)


@given(views_and_classes())
def test_coefficients_of_a_class_are_shares(problem):
    right, wrong, weight = problem
    exact = exact_coefficients(*problem)
    for found in (exact, simplified_coefficients(*problem)):
        assert found.min() >= 0.0
        assert found.max() <= 1.0 + 1e-15
        np.testing.assert_allclose(found.sum(axis=0), 1.0, rtol=1e-12)
    for found in (exact_coefficients(*problem, "le1"), simplified_coefficients(*problem, 0, "cap")):
        assert found.min() >= 0.0
        assert found.sum(axis=0).max() <= 1.0 + 1e-12
    idle = (weight == 0.0)[:, None] | ((right == 0.0) & (wrong == 0.0))
    partly = idle & ~idle.all(axis=0)
    assert not exact[partly].any()


@given(views_and_classes())
def test_exact_coefficients_satisfy_the_optimality_conditions(problem):
    """Moving weight from a view to another cannot help: slopes are sorted around one number."""
    right, wrong, weight = problem
    found = exact_coefficients(*problem)
    step = weight[:, None] * found
    slope = weight[:, None] * (np.exp(step) * wrong - np.exp(-step) * right)
    active = (weight > 0.0)[:, None] & (right + wrong > 0.0)
    tolerance = 1e-9 * (weight[:, None] * np.exp(weight)[:, None] * (right + wrong)).max()
    for c in np.flatnonzero(active.any(axis=0)):
        on, can_fall = active[:, c], active[:, c] & (found[:, c] > 0.0)
        can_rise = on & (found[:, c] < 1.0)
        if can_fall.any() and can_rise.any():
            assert slope[can_fall, c].max() <= slope[can_rise, c].min() + tolerance


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("constraint", ["eq1", "le1"])
def test_exact_coefficients_against_a_generic_solver(seed, constraint):
    rng = np.random.default_rng(seed)
    right, wrong, weight = rng.random((4, 1)), rng.random((4, 1)), 2 * rng.random(4)
    found = exact_coefficients(right, wrong, weight, constraint)
    solution = minimize(
        lambda b: loss(b[:, None], right, wrong, weight)[0],
        np.full(4, 0.25),
        method="SLSQP",
        bounds=[(0, 1)] * 4,
        constraints={"type": constraint.replace("1", "").replace("le", "ineq"), "fun": slack},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert loss(found, right, wrong, weight)[0] <= solution.fun + 1e-12
    assert loss(found, right, wrong, weight)[0] == pytest.approx(solution.fun, abs=1e-8)


def slack(b):
    return 1.0 - b.sum()


@given(views_and_classes(max_views=2))
def test_exact_coefficients_of_two_views_against_a_grid(problem):
    right, wrong, weight = (np.resize(part, (2, *part.shape[1:])) for part in problem)
    found = exact_coefficients(right, wrong, weight)
    grid = np.linspace(0, 1, 201)
    best = np.min([loss(np.array([[b], [1 - b]]), right, wrong, weight) for b in grid], axis=0)
    active = ((weight > 0.0)[:, None] & (right + wrong > 0.0)).all(axis=0)
    assert np.all(loss(found, right, wrong, weight)[active] <= best[active] * (1 + 1e-9))


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_kernel_against_its_twin(seed, may_be_less):
    rng = np.random.default_rng(seed)
    right, wrong = rng.random((2, 3, 1)) + 0.01
    weight = rng.random(3) + 0.01
    found = exact_coefficients(right, wrong, weight, "le1" if may_be_less else "eq1")
    slow = twin(right[:, 0], wrong[:, 0], weight, may_be_less)
    np.testing.assert_allclose(found[:, 0], slow, atol=1e-9)


@given(views_and_classes())
def test_with_a_sum_of_at_most_one_the_loss_never_grows(problem):
    right, wrong, weight = problem
    active = ((weight > 0.0)[:, None] & (right + wrong > 0.0)).any(axis=0)
    before = (right + wrong).sum(axis=0)[active] * (1 + 1e-12)
    assert np.all(loss(exact_coefficients(*problem, "le1"), *problem)[active] <= before)
    capped = simplified_coefficients(*problem, normalise="cap")
    assert np.all(loss(capped, *problem)[active] <= before)


def test_a_class_that_every_view_gets_wrong():
    right, wrong, weight = np.array([[1.0], [1.0]]), np.array([[4.0], [3.0]]), np.ones(2)
    before = loss(np.zeros((2, 1)), right, wrong, weight)
    assert loss(exact_coefficients(right, wrong, weight), right, wrong, weight) > before
    assert exact_coefficients(right, wrong, weight, "le1").tolist() == [[0.0], [0.0]]
    assert simplified_coefficients(right, wrong, weight).tolist() == [[0.5], [0.5]]
    assert simplified_coefficients(right, wrong, weight, normalise="cap").tolist() == [[0.0], [0.0]]


def test_one_view_takes_all():
    rng = np.random.default_rng(0)
    right, wrong = rng.random((2, 1, 6))
    assert np.all(exact_coefficients(right, wrong, np.array([0.7])) == 1.0)


def test_views_that_cannot_vote_leave_their_share_to_the_others():
    right = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 1.0]])
    wrong = np.zeros((3, 3))
    weight = np.array([1.0, 0.0, 1.0])
    expected = [[0.5, 1 / 3, 0.0], [0.0, 1 / 3, 0.0], [0.5, 1 / 3, 1.0]]
    np.testing.assert_allclose(exact_coefficients(right, wrong, weight), expected, atol=1e-12)
    np.testing.assert_allclose(simplified_coefficients(right, wrong, weight), expected)


@pytest.mark.parametrize("weight", [1e-300, 1e-18, 1e-12, 50.0, 800.0])
def test_extreme_weights(weight):
    found = exact_coefficients(RIGHT, WRONG + 1e-3, np.full(2, weight))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=0), 1.0, rtol=1e-12)


@pytest.mark.parametrize("factor", [1e-290, 1e290])
def test_the_scale_of_a_class_does_not_matter(factor):
    expected = exact_coefficients(RIGHT, WRONG, WEIGHT)
    scale = np.array([factor, 1.0, factor])
    np.testing.assert_allclose(
        exact_coefficients(RIGHT * scale, WRONG * scale, WEIGHT), expected, atol=1e-12
    )


def test_unknown_words_are_refused():
    with pytest.raises(ValueError, match="constraint='eq'"):
        exact_coefficients(RIGHT, WRONG, WEIGHT, "eq")
    with pytest.raises(ValueError, match="normalise='max'"):
        simplified_coefficients(RIGHT, WRONG, WEIGHT, normalise="max")


def leaf_bound(coefficients, owed, paid, scores):
    """Upper bound of the loss of all views for each class, shape (n_views, n_classes)."""
    steps = 2 * coefficients[:, None, :] * scores
    return ((paid * np.exp(steps) + owed * np.exp(-steps)) / 2).sum(axis=1)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.1, 1.0, 5.0]))
def test_leaf_coefficients_never_raise_the_loss_of_a_view(seed, size):
    rng = np.random.default_rng(seed)
    v, n_leaves, k = rng.integers(1, [4, 5, 5], endpoint=True)
    pairs = rng.gamma(0.3, size=(v, n_leaves, k, k)) * (1.0 - np.eye(k))
    owed, paid = pairs.sum(axis=3), pairs.sum(axis=2)
    scores = size * rng.normal(size=(v, n_leaves, k))
    found = leaf_coefficients(owed, paid, scores)
    assert found.min() >= 0.0
    assert found.sum(axis=0).max() <= 1.0 + 1e-12
    for j in range(v):
        before = pairs[j].sum()
        after = leaf_loss(pairs[j], found[j] * scores[j]).sum()
        assert after <= before * (1 + 1e-12)
        bound = leaf_bound(found, owed, paid, scores)[j].sum()
        assert after <= bound * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_leaf_coefficients_against_a_generic_solver(seed):
    rng = np.random.default_rng(seed)
    owed, paid = rng.gamma(1.0, size=(2, 3, 4, 1))
    scores = np.log(owed / paid) / 4 + 0.1 * rng.normal(size=owed.shape)
    found = leaf_coefficients(owed, paid, scores)
    solution = minimize(
        lambda b: leaf_bound(b[:, None], owed, paid, scores).sum(),
        np.full(3, 0.25),
        bounds=[(0.0, 1.0)] * 3,
        constraints=[{"type": "ineq", "fun": lambda b: 1.0 - b.sum()}],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert leaf_bound(found, owed, paid, scores).sum() <= solution.fun * (1 + 1e-9)
    np.testing.assert_allclose(found[:, 0], solution.x, atol=1e-4)
