"""The two losses of Carako: what they bound, their closed form, their slopes and minimisers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from uneven.fusion.carako_losses import JointLoss, SplitLoss, coarsen, put_on_grid
from uneven.utils.simplex import project_on_simplex


@st.composite
def answered(draw, silent=True):
    """(y, n_classes, weights, answers, coefficients): random answers of one to four views."""
    n_classes, n_views = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    n = draw(st.integers(n_classes, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    answers = rng.integers(0, n_classes, (n_views, n))
    answers = np.where(rng.random((n_views, n)) < rng.random(), y, answers)
    if silent:
        answers[rng.random((n_views, n)) < draw(st.sampled_from([0.0, 0.3]))] = -1
    coefficients = rng.dirichlet(np.full(n_views, 0.5), size=n_classes).T
    return y, n_classes, 1.0 / np.bincount(y)[y], answers, coefficients


def literal(problem, joint):
    """Either loss as it is printed: sums over rows, wrong labels and views."""
    y, n_classes, weights, answers, coefficients = problem
    total = 0.0
    for i, label in enumerate(y):
        for c in range(n_classes):
            if c != label:
                gaps = [
                    b[c] * (said[i] == c) - b[label] * (said[i] == label)
                    for said, b in zip(answers, coefficients)
                ]
                total += weights[i] * (np.exp(sum(gaps)) if joint else np.exp(gaps).sum())
    return total


@given(st.lists(st.floats(-5, 1), min_size=1, max_size=6))
def test_an_exponential_of_a_sum_is_below_the_sum_of_exponentials(terms):
    scaled = np.array(terms)
    if scaled.sum() > 1.0:
        scaled = scaled / scaled.sum()
    assert np.exp(scaled.sum()) <= np.exp(scaled).sum() * (1 + 1e-12)


def test_that_inequality_needs_its_condition():
    assert np.exp(1.0 + 1.0) > np.exp(1.0) + np.exp(1.0)


@given(answered())
def test_losses_are_what_they_say(problem):
    y, n_classes, weights, answers, coefficients = problem
    split = SplitLoss(y, n_classes, weights).value(answers, coefficients)
    joint = JointLoss(y, n_classes, weights).value(answers, coefficients)
    assert split == pytest.approx(literal(problem, joint=False), rel=1e-9)
    assert joint == pytest.approx(literal(problem, joint=True), rel=1e-9)


@given(answered())
def test_losses_bound_the_confusion_matrix(problem):
    y, n_classes, weights, answers, coefficients = problem
    joint, split = JointLoss(y, n_classes, weights), SplitLoss(y, n_classes, weights)
    scores = joint.scores(answers, coefficients)
    confusion = weights[scores.argmax(axis=1) != y].sum()
    q1, q2 = joint.value(answers, coefficients), split.value(answers, coefficients)
    assert confusion <= q1 * (1 + 1e-12)
    assert q1 <= q2 * (1 + 1e-12)


@given(answered())
def test_slopes_of_the_joint_loss_against_differences(problem):
    y, n_classes, weights, answers, coefficients = problem
    loss = JointLoss(y, n_classes, weights)
    slopes = loss.gradient(answers, coefficients)
    for j, c in np.ndindex(slopes.shape):
        step = np.zeros_like(coefficients)
        step[j, c] = 1e-5
        up, down = (loss.value(answers, coefficients + s * step) for s in (1, -1))
        assert slopes[j, c] == pytest.approx((up - down) / 2e-5, abs=1e-6)


def among_those_who_answer(answers, coefficients):
    """The same shares, but nothing for a view that never answers a class while another one does."""
    labels = np.arange(coefficients.shape[1])
    heard = (answers[:, :, None] == labels).any(axis=1)
    shares = np.where(heard | ~heard.any(axis=0), coefficients + 1e-9, 0.0)
    return shares / shares.sum(axis=0)


@given(answered(), st.sampled_from(["eq1", "le1"]), st.sampled_from([SplitLoss, JointLoss]))
def test_new_coefficients_are_feasible_and_never_worse(problem, constraint, kind):
    y, n_classes, weights, answers, coefficients = problem
    loss = kind(y, n_classes, weights, constraint)
    if kind is SplitLoss:
        coefficients = among_those_who_answer(answers, coefficients)
    found = loss.coefficients(answers, coefficients)
    assert found.min() >= 0.0
    sums = found.sum(axis=0)
    assert sums.max() <= 1.0 + 1e-9
    if constraint == "eq1":
        np.testing.assert_allclose(sums, 1.0, rtol=1e-9)
    assert loss.value(answers, found) <= loss.value(answers, coefficients) * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [SplitLoss, JointLoss])
def test_coefficients_against_a_generic_solver(seed, kind):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.integers(0, 3, 60)])
    answers = np.where(rng.random((2, 63)) < 0.6, y, rng.integers(0, 3, (2, 63)))
    loss = kind(y, 3, 1.0 / np.bincount(y)[y])
    found = loss.value(answers, loss.coefficients(answers, np.full((2, 3), 0.5)))
    solution = minimize(
        lambda first: loss.value(answers, np.array([first, 1.0 - first])),
        np.full(3, 0.5),
        bounds=[(0, 1)] * 3,
        method="L-BFGS-B",
        options={"ftol": 1e-14, "gtol": 1e-9},
    )
    assert found == pytest.approx(solution.fun, rel=1e-6)


@given(answered(), st.integers(0, 3), st.sampled_from([SplitLoss, JointLoss]))
def test_prices_are_the_loss_after_each_answer(problem, view, kind):
    y, n_classes, weights, answers, coefficients = problem
    view %= len(answers)
    loss = kind(y, n_classes, weights)
    prices = loss.prices(view, answers, coefficients)
    values = []
    for c in range(n_classes):
        said = answers.copy()
        said[view] = c
        values.append(loss.value(said, coefficients))
    differences = np.array(values) - values[0]
    np.testing.assert_allclose(
        differences, prices.sum(axis=0) - prices[:, 0].sum(), rtol=1e-9, atol=1e-9
    )
    assert np.all(prices[np.arange(len(y)), y] <= prices.min(axis=1) * (1 + 1e-12))


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_projection_finds_the_nearest_point(seed, may_be_less):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(3, 4))
    found = project_on_simplex(points, may_be_less)
    assert found.min() >= 0.0
    assert found.sum(axis=0).max() <= 1.0 + 1e-12
    others = rng.dirichlet(np.ones(3), size=(50, 4)).transpose(0, 2, 1)
    if may_be_less:
        others = others * rng.random((50, 1, 4))
    else:
        np.testing.assert_allclose(found.sum(axis=0), 1.0)
    distance = ((found - points) ** 2).sum(axis=0)
    assert np.all(distance <= ((others - points) ** 2).sum(axis=1).min(axis=0) + 1e-12)


def test_an_example_that_owned_classes_leave_undecided():
    """Five classes shared out among three views: each view answers a class it does not own."""
    owned = np.array([[1.0, 0, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 1, 1]])
    answers = np.array([[1], [0], [0]])
    loss = JointLoss(np.array([0]), 5, np.ones(1))
    assert not loss.scores(answers, owned).any()
    assert loss.value(answers, owned) == pytest.approx(4.0)


@given(answered())
def test_a_grid_makes_sums_exact_and_moves_little(problem):
    coefficients = problem[-1]
    found = put_on_grid(coefficients)
    assert np.array_equal(found * 2.0**16, np.rint(found * 2.0**16))
    assert np.array_equal(found.sum(axis=0), np.ones(problem[1]))
    assert np.abs(found - coefficients).max() <= len(found) * 2.0**-16
    assert np.array_equal(put_on_grid(coefficients * (1.0 - 2.0**-53)), found)


def test_coefficients_that_leave_something_over_keep_it():
    some = np.array([[0.5, 0.25], [0.25, 0.75]])
    assert np.array_equal(put_on_grid(some), some)
    assert np.array_equal(put_on_grid(np.zeros((2, 2))), np.zeros((2, 2)))


@given(answered())
def test_the_more_precise_answer_breaks_a_tie_and_nothing_else(problem):
    y, n_classes, weights, answers, _ = problem
    breakers = SplitLoss(y, n_classes, weights).tie_breakers(answers)
    unit = 2.0**-17 / 2 ** len(answers).bit_length()
    for j, said in enumerate(answers):
        for c in range(n_classes):
            mass = weights[said == c].sum()
            right = weights[(said == c) & (y == c)].sum()
            assert breakers[j, c] / unit == pytest.approx(right / mass if mass else 0.0, abs=1e-6)
    assert breakers.sum(axis=0).max() < 2.0**-17


def test_prices_lose_their_last_bits_only():
    rng = np.random.default_rng(0)
    prices = rng.gamma(1.0, size=(200, 3))
    coarse = coarsen(prices)
    np.testing.assert_allclose(coarse, prices, atol=prices.max() * 2.0**-32)
    assert not np.array_equal(coarse, prices)
    assert np.array_equal(
        coarsen(prices * (1.0 + rng.integers(-1, 2, (200, 3)) * 2.0**-52)), coarse
    )
    assert np.array_equal(coarsen(np.zeros((2, 2))), np.zeros((2, 2)))
