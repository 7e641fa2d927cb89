"""The gradient of the norm as prices: what can be proved about it."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from tests.problems import labelled_answers
from uneven.boosting.norm import norm_gradient, steering_costs
from uneven.costs import exponential_costs
from uneven.metrics import confusion_norm
from uneven.utils.validation import check_class_cost


@st.composite
def error_matrices(draw, min_classes=2):
    """Error rates with zeros, ties, blocks, single entries and tiny values."""
    n = draw(st.integers(min_classes, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["dense", "sparse", "tied", "single", "levels", "zero"]))
    errors = rng.random((n, n)) / n
    if kind == "sparse":
        errors *= rng.random((n, n)) < 0.3
    elif kind == "tied":
        errors = 0.25 * np.roll(np.eye(n), 1, axis=1)
    elif kind == "single":
        errors = np.zeros((n, n))
        errors[tuple(rng.permutation(n)[:2])] = rng.random()
    elif kind == "levels":
        errors = rng.choice([0.0, 0.1, 0.2], (n, n))
    elif kind == "zero":
        errors = np.zeros((n, n))
    np.fill_diagonal(errors, 0.0)
    return errors * draw(st.sampled_from([1.0, 1.0, 1e-12, 1e-300]))


@settings(max_examples=80, deadline=None)
@given(error_matrices(), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_steering_costs_are_valid_prices(errors, strength):
    given_errors = errors.copy()
    costs = steering_costs(errors, strength)
    n = len(errors)
    wrong = costs[~np.eye(n, dtype=bool)]
    assert np.isfinite(costs).all()
    assert wrong.min() >= 1.0 - strength
    assert wrong.mean() == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_array_equal(np.diag(costs), np.ones(n))
    np.testing.assert_array_equal(check_class_cost(costs, np.arange(n)), costs)
    np.testing.assert_array_equal(errors, given_errors)
    if strength == 0.0 or not errors.any():
        np.testing.assert_array_equal(costs, np.ones((n, n)))


@settings(max_examples=80, deadline=None)
@given(error_matrices())
def test_the_gradient_is_a_matrix_of_prices_that_tells_the_norm(errors):
    gradient = norm_gradient(errors)
    if not errors.any():
        np.testing.assert_array_equal(gradient, np.zeros_like(errors))
        return
    assert gradient.min() >= 0.0
    scale = errors.max()
    norm = np.linalg.norm(errors / scale, 2)
    assert (gradient * (errors / scale)).sum() == pytest.approx(norm, rel=1e-6)
    assert np.linalg.norm(gradient, 2) == pytest.approx(1.0)
    assert np.linalg.matrix_rank(gradient, tol=1e-9) == 1


@settings(max_examples=40, deadline=None)
@given(error_matrices(), st.integers(0, 2**32 - 1))
def test_the_gradient_is_the_derivative(errors, seed):
    top = np.linalg.svd(errors, compute_uv=False)
    assume(top[0] > 1e-3 and top[0] - top[1] > 1e-2 * top[0])
    step = np.random.default_rng(seed).normal(size=errors.shape) * top[0]
    h = 1e-6
    slope = (np.linalg.norm(errors + h * step, 2) - np.linalg.norm(errors - h * step, 2)) / (2 * h)
    found = (norm_gradient(errors) * step).sum()
    assert slope == pytest.approx(found, rel=1e-4, abs=1e-4 * top[0])


@settings(max_examples=60, deadline=None)
@given(labelled_answers(max_classes=6), st.integers(0, 2**32 - 1), st.floats(0.0, 3.0))
def test_the_priced_loss_bounds_the_norm_better_than_combo_does(problem, seed, sharpness):
    y, n_classes, answers = problem
    rng = np.random.default_rng(seed)
    votes = rng.exponential(size=(len(y), n_classes)) + sharpness * np.eye(n_classes)[answers]
    errors = np.zeros((n_classes, n_classes))
    np.add.at(errors, (y, votes.argmax(axis=1)), 1.0 / np.bincount(y)[y])
    np.fill_diagonal(errors, 0.0)
    gradient = norm_gradient(errors)
    norm = confusion_norm(y, votes.argmax(axis=1), labels=np.arange(n_classes))
    weights = 1.0 / np.bincount(y)[y]
    loss = np.exp(exponential_costs(votes, y, weights)[1])
    priced = 0.0 if not errors.any() else np.exp(exponential_costs(votes, y, weights, gradient)[1])
    assert (gradient * errors).sum() == pytest.approx(norm, rel=1e-6, abs=1e-12)
    assert norm <= priced * (1 + 1e-9)
    assert priced <= loss * (1 + 1e-9)


@settings(max_examples=60, deadline=None)
@given(error_matrices(), st.integers(0, 2**32 - 1))
def test_mixing_in_answers_that_are_cheaper_lowers_the_norm(errors, seed):
    top = np.linalg.svd(errors, compute_uv=False)
    assume(top[0] > 1e-3 and top[0] - top[1] > 1e-2 * top[0])
    rng = np.random.default_rng(seed)
    others = rng.dirichlet(np.ones(len(errors)), size=len(errors)) * rng.random()
    np.fill_diagonal(others, 0.0)
    slope = (norm_gradient(errors) * (others - errors)).sum()
    assume(abs(slope) > 1e-3)
    t = 1e-5
    change = np.linalg.norm((1 - t) * errors + t * others, 2) - top[0]
    assert (change < 0) == (slope < 0)
    at_once = np.linalg.norm(others, 2) - top[0]
    assert at_once >= slope - 1e-9


def toy_law(seed, n_points=30, n_classes=4):
    """P(x | class) on finitely many points, and the chances of the classes."""
    rng = np.random.default_rng(seed)
    likelihood = rng.dirichlet(np.full(n_points, 0.5), size=n_classes)
    return likelihood, np.array([0.6, 0.25, 0.1, 0.05])


def rates(likelihood, answers):
    """Error matrix of one answer per point, shape (n_classes, n_classes)."""
    errors = likelihood @ np.eye(len(likelihood))[answers]
    np.fill_diagonal(errors, 0.0)
    return errors


def cheapest(likelihood, prices):
    """The answer per point that the prices of mistakes (zero diagonal) make cheapest."""
    prices = prices.copy()
    np.fill_diagonal(prices, 0.0)
    return (likelihood.T @ prices).argmin(axis=1)


def best_randomised_norm(likelihood):
    """Smallest norm of any randomised classifier, by convex optimisation."""
    n_classes, n_points = likelihood.shape
    answer = cp.Variable((n_points, n_classes), nonneg=True)
    wrong = 1.0 - np.eye(n_classes)
    errors = cp.multiply(likelihood @ answer, wrong)
    problem = cp.Problem(cp.Minimize(cp.sigma_max(errors)), [cp.sum(answer, axis=1) == 1])
    problem.solve()
    return float(problem.value)


@pytest.mark.parametrize("seed", [0, 1])
def test_following_the_gradient_in_the_population_reaches_the_smallest_norm(seed):
    likelihood, chances = toy_law(seed)
    accurate = np.linalg.norm(rates(likelihood, (likelihood.T * chances).argmax(axis=1)), 2)
    even = rates(likelihood, cheapest(likelihood, np.ones((4, 4))))
    optimum = best_randomised_norm(likelihood)
    errors, norms = even, [np.linalg.norm(even, 2)]
    for _ in range(150):
        step = rates(likelihood, cheapest(likelihood, steering_costs(errors, 1.0))) - errors
        found = minimize_scalar(
            lambda t, e=errors, s=step: np.linalg.norm(e + t * s, 2),
            bounds=(0.0, 1.0),
            options={"xatol": 1e-9},
        )
        errors = errors + found.x * step
        norms.append(np.linalg.norm(errors, 2))
    assert (np.diff(norms) <= 1e-7).all()
    assert optimum - 1e-4 <= norms[-1] <= optimum + 1e-3
    assert norms[-1] < norms[0] - 0.01
    assert norms[-1] < accurate - 0.1
