"""The divergence, its tilts, the steps and the rules for the views, as plain functions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog, minimize_scalar

from tests.fusion.bregman_problems import GOLDEN
from uneven.fusion.bregman import (
    VIEW_RULES,
    hits_and_misses,
    logistic_loss,
    relative_entropy,
    sigma,
    step_and_gain,
    tilt,
)
from uneven.utils.simplex import project_on_simplex

shares = arrays(float, 4, elements=st.floats(1e-6, 1 - 1e-6))
reals = arrays(float, 4, elements=st.floats(-6, 6))
gains = arrays(float, 5, elements=st.floats(0, 50))


@given(shares, shares)
def test_divergence_is_zero_only_between_equals(p, q):
    assert relative_entropy(q, q) == 0.0
    distance = relative_entropy(p, q)
    assert distance >= 2.0 * np.sum((p - q) ** 2) - 1e-12
    assert relative_entropy(np.zeros(4), q) == pytest.approx(-np.log1p(-q).sum(), abs=1e-12)


def test_divergence_at_the_corners():
    assert relative_entropy(np.array([0.0, 1.0]), np.array([0.0, 1.0])) == 0.0
    assert relative_entropy(np.array([1.0]), np.array([0.0])) == np.inf


@given(st.floats(0.01, 0.99), st.floats(-5, 5))
def test_tilt_minimises_divergence_plus_price(q, r):
    found = minimize_scalar(
        lambda p: relative_entropy(np.array([p]), np.array([q])) + r * p,
        bounds=(0.0, 1.0),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert tilt(np.array([q]), np.array([r]))[0] == pytest.approx(found.x, abs=1e-6)
    assert tilt(q, r) == pytest.approx(q * np.exp(-r) / (1 - q + q * np.exp(-r)), abs=1e-12)


@given(shares, reals, reals)
def test_tilts_add_up(q, r, s):
    np.testing.assert_allclose(tilt(tilt(q, r), s), tilt(q, r + s), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(tilt(np.full(4, 0.5), r), sigma(r), atol=1e-12)


@given(reals)
def test_divergence_from_zero_is_the_logistic_loss(z):
    direct = relative_entropy(np.zeros(4), tilt(np.full(4, 0.5), z))
    assert direct == pytest.approx(logistic_loss(z), abs=1e-12)


@pytest.mark.parametrize("z", [-700.0, -40.0, 0.0, 40.0, 700.0])
def test_large_margins_neither_overflow_nor_vanish(z):
    exact = max(-z, 0.0) + np.log1p(np.exp(-abs(z)))
    assert logistic_loss(np.array([z])) == pytest.approx(exact, rel=1e-12, abs=0.0)
    assert sigma(np.array([z]))[0] == pytest.approx(np.exp(-max(z, 0)) / (1 + np.exp(-abs(z))))


def test_loss_bounds_the_share_of_errors():
    z = np.linspace(-5, 5, 1001)
    bound = np.array([logistic_loss(np.array([one])) / np.log(2) for one in z])
    assert (bound >= (z <= 0)).all()
    assert bound[500] == pytest.approx(1.0)


@given(st.floats(0.01, 5), st.floats(0.01, 5))
def test_step_minimises_the_bound_of_a_voter(hits, misses):
    step, gain = step_and_gain(np.array([hits]), np.array([misses]), 1.0, 0.0)
    grid = np.linspace(-5, 5, 4001)
    bound = hits * np.expm1(-grid) + misses * np.expm1(grid)
    assert grid[bound.argmin()] == pytest.approx(step[0], abs=0.003)
    assert -gain == pytest.approx(bound.min(), abs=1e-4)


@given(st.floats(0.0, 5), st.floats(0.0, 5), st.floats(0.0, 1.0))
def test_smoothing_only_shortens_steps(hits, misses, smoothing):
    plain, plain_gain = step_and_gain(np.array([hits]), np.array([misses]), 5.0, 0.0)
    smooth, smooth_gain = step_and_gain(np.array([hits]), np.array([misses]), 5.0, smoothing)
    assert np.isfinite(plain).all()
    assert abs(smooth[0]) <= abs(plain[0]) + 1e-12
    assert smooth[0] * plain[0] >= 0.0
    assert smooth_gain <= plain_gain + 1e-9


def test_worked_example_of_one_step():
    z = sum(0.5 * M.mean(axis=1) for M in GOLDEN)
    np.testing.assert_allclose(z, [2 / 3, 0.5, 1 / 6, 2 / 3, -2 / 3])
    assert logistic_loss(z) == pytest.approx(2.99713597, abs=1e-8)
    assert logistic_loss(z) / np.log(2) / 5 == pytest.approx(0.86479064, abs=1e-8)
    q = sigma(z)
    np.testing.assert_allclose(
        q, [0.33924363, 0.37754067, 0.45842952, 0.33924363, 0.66075637], atol=1e-8
    )
    expected = [
        ([1.05602793, 1.13691678], [1.11918589, 1.03829704], [-0.02904345, 0.04536906], 0.00315386),
        (
            [1.83597019, 1.17521382, 1.05602793],
            [0.33924363, 1.0, 1.11918589],
            [0.84430490, 0.08072505, -0.02904345],
            0.60479338,
        ),
    ]
    for M, (hits, misses, steps, gain) in zip(GOLDEN, expected):
        found = hits_and_misses(M, q)
        np.testing.assert_allclose(found, (hits, misses), atol=1e-8)
        step, total = step_and_gain(*found, q.sum(), 0.0)
        np.testing.assert_allclose(step, steps, atol=1e-8)
        assert total == pytest.approx(gain, abs=1e-8)


def rule(name, gain, rho=None, votes=None, mass=None):
    gain = np.asarray(gain)
    rho = np.full(len(gain), 1 / len(gain)) if rho is None else rho
    return VIEW_RULES[name](rho, gain, votes, mass)


def test_worked_example_of_the_view_rules():
    assert rule("lp", [0.00315386, 0.60479338]).tolist() == [0.0, 1.0]
    mean = np.array([0.00157693, 0.20159779])
    np.testing.assert_allclose(rule("proportional", mean), [0.00776144, 0.99223856], atol=1e-8)
    projected = rule("projected", [0.00315386, 0.60479338])
    np.testing.assert_allclose(projected, [0.19918024, 0.80081976], atol=1e-8)
    np.testing.assert_allclose(rule("projected", [3, 2.9, 2.8, 2.7]), [0.4, 0.3, 0.2, 0.1])


def test_ties_between_views_are_shared():
    pair = [
        np.array([[1, 1], [1, -1], [-1, 1], [1, 1]], dtype=float),
        np.array([[1, -1], [1, 1], [1, 1], [-1, 1]], dtype=float),
    ]
    z = sum(0.5 * M.mean(axis=1) for M in pair)
    np.testing.assert_allclose(z, 0.5)
    assert logistic_loss(z) == pytest.approx(1.89630794, abs=1e-8)
    gain = [step_and_gain(*hits_and_misses(M, sigma(z)), 1.0, 0.0)[1] for M in pair]
    np.testing.assert_allclose(gain, 0.40464687, atol=1e-8)
    assert rule("lp", gain).tolist() == [0.5, 0.5]
    assert rule("lp", [0.0, 0.0]).tolist() == [0.5, 0.5]
    assert rule("proportional", [0.0, 0.0], rho=np.array([0.3, 0.7])).tolist() == [0.3, 0.7]


@given(gains)
def test_linear_problem_of_the_views_has_one_view_as_its_solution(gain):
    solution = linprog(-gain, A_eq=np.ones((1, 5)), b_eq=[1.0], bounds=(0, 1))
    found = rule("lp", gain)
    assert found @ gain == pytest.approx(-solution.fun, abs=1e-6)
    if np.diff(np.sort(gain))[-1] > 1e-6:
        assert found.max() == 1.0


@given(gains)
def test_projection_is_the_nearest_point(point):
    found = project_on_simplex(point)
    np.testing.assert_allclose(project_on_simplex(point + 0.2), found, atol=1e-9)
    assert found.min() >= 0.0
    assert found.sum() == pytest.approx(1.0)
    for corner in np.eye(5):
        assert (point - found) @ (corner - found) <= 1e-7


@pytest.mark.parametrize("name", ["exact", "frank_wolfe"])
def test_exact_and_steepest_rules_reach_the_least_loss(name):
    rng = np.random.default_rng(0)
    votes, mass = rng.normal(0.2, 1.0, (40, 2)), rng.integers(1, 4, 40).astype(float)
    rho = np.array([0.9, 0.1])
    found = VIEW_RULES[name](rho, np.zeros(2), votes, mass)
    grid = np.linspace(0, 1, 2001)
    losses = [logistic_loss(votes @ np.array([a, 1 - a]), mass) for a in grid]
    assert logistic_loss(votes @ found, mass) == pytest.approx(min(losses), abs=1e-4)
    assert found[0] == pytest.approx(grid[int(np.argmin(losses))], abs=2e-3)
