"""The log-linear pool: convex, one optimum, calibration as its case of one member."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad, minimize_scalar
from scipy.special import softmax
from sklearn.metrics import log_loss

from uneven.decisions.log_pool import LogPool, fit_log_pool, pool_loss


@st.composite
def pools(draw):
    """(members, y): probabilities with zeros, of members that know something."""
    n_members, n_classes = draw(st.integers(1, 4)), draw(st.integers(2, 5))
    n = draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.integers(0, n_classes, n)
    members = []
    for _ in range(n_members):
        scores = rng.normal(size=(n, n_classes)) * 2.0
        scores[np.arange(n), y] += 1.0
        p = softmax(scores, axis=1)
        p[p < 0.05] = 0.0
        members.append(p / p.sum(axis=1, keepdims=True))
    return members, y


def problem(members, y):
    floors = [np.clip(p[p > 0.0].min() / 2.0, 1e-6, 1e-2) for p in members]
    logs = np.stack([np.log(np.maximum(p, floor)) for p, floor in zip(members, floors)])
    size = len(members) + members[0].shape[1]
    centre = np.zeros(size)
    centre[: len(members)] = 1.0 / len(members)
    penalty = np.full(size, 10.0 / len(y))
    penalty[: len(members)] = 3.0 / len(y)
    return logs, y, np.full(len(y), 1.0 / len(y)), centre, penalty


@settings(max_examples=40, deadline=None)
@given(pools(), st.integers(0, 2**32 - 1))
def test_gradient_convexity_and_one_optimum(drawn, seed):
    members, y = drawn
    arguments = problem(members, y)
    rng = np.random.default_rng(seed)
    one, other = rng.normal(size=(2, len(arguments[3])))
    error = check_grad(
        lambda z: pool_loss(z, *arguments)[0], lambda z: pool_loss(z, *arguments)[1], one
    )
    assert error < 1e-5
    middle = pool_loss((one + other) / 2, *arguments)[0]
    ends = (pool_loss(one, *arguments)[0] + pool_loss(other, *arguments)[0]) / 2
    assert middle < ends
    pool = fit_log_pool(members, y)
    found = np.concatenate([pool.weights, pool.bias])
    _, slope = pool_loss(found, *arguments)
    n_members = len(members)
    assert (pool.weights >= 0.0).all()
    assert np.abs(slope[n_members:]).max() < 1e-5
    inside = pool.weights > 0.0
    assert np.abs(slope[:n_members][inside]).max(initial=0.0) < 1e-5
    assert slope[:n_members][~inside].min(initial=0.0) > -1e-5


@settings(max_examples=20, deadline=None)
@given(pools(), st.integers(0, 2**32 - 1))
def test_signs_of_the_class_are_certain_ones_if_one_class_alone_gives_them(drawn, seed):
    members, y = drawn
    rng = np.random.default_rng(seed)
    logs, _, *others = problem(members, y)
    chances = rng.random((len(y), logs.shape[2]))
    point = rng.normal(size=len(others[1]))
    error = check_grad(
        lambda z: pool_loss(z, logs, chances, *others)[0],
        lambda z: pool_loss(z, logs, chances, *others)[1],
        point,
    )
    assert error < 1e-5
    certain = np.eye(logs.shape[2])[y]
    for one, other in zip(
        pool_loss(point, logs, certain, *others), pool_loss(point, logs, y, *others)
    ):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_pool_of_noisy_labels_through_their_matrix_is_near_that_of_true_ones():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 5000)
    noise = np.array([[0.7, 0.1, 0.2], [0.1, 0.8, 0.3], [0.2, 0.1, 0.5]])
    labels = (rng.random(5000)[:, None] > np.cumsum(noise[:, y].T, axis=1)).sum(axis=1)
    scores = rng.normal(size=(2, 5000, 3))
    scores[0, np.arange(5000), y] += 2.0
    said = [*softmax(scores, axis=2)]
    truth, fooled = fit_log_pool(said, y), fit_log_pool(said, labels)
    mended = fit_log_pool(said, noise[labels], prior=truth.prior)
    assert np.array_equal(mended.prior, truth.prior)
    assert abs(mended.weights[0] - truth.weights[0]) < 0.2
    assert fooled.weights[0] < truth.weights[0] - 0.5


@settings(max_examples=20, deadline=None)
@given(pools(), st.floats(1e-6, 1e6))
def test_weights_of_rows_matter_by_proportion_and_zero_is_absence(drawn, scale):
    members, y = drawn
    weight = np.where(np.arange(len(y)) % 3 == 2, 0.0, scale)
    kept = weight > 0.0
    one = fit_log_pool(members, y, weight)
    other = fit_log_pool([p[kept] for p in members], y[kept])
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-5)
    np.testing.assert_allclose(one.bias, other.bias, atol=1e-5)


def test_one_member_without_bias_is_the_best_temperature():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    scores = rng.normal(size=(400, 3)) * 3.0
    scores[np.arange(400), y] += 3.0
    p = np.maximum(softmax(scores, axis=1), 1e-5)
    p /= p.sum(axis=1, keepdims=True)
    pool = fit_log_pool([p], y, weight_penalty=0.0, bias_penalty=1e9)
    best = minimize_scalar(lambda a: log_loss(y, softmax(a * np.log(p), axis=1)), (0.1, 1.0))
    assert pool.weights[0] == pytest.approx(best.x, abs=1e-3)
    assert log_loss(y, pool.probabilities([p])) < log_loss(y, p)


def test_a_useless_member_gets_no_weight_and_permuted_labels_give_chance():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 2000)
    scores = rng.normal(size=(2000, 2))
    scores[np.arange(2000), y] += 2.0
    good, noise = softmax(scores, axis=1), softmax(rng.normal(size=(2000, 2)), axis=1)
    pool = fit_log_pool([good, noise], y)
    assert pool.weights[1] < 0.15 < 0.5 < pool.weights[0]
    blind = fit_log_pool([good, noise], rng.permutation(y))
    assert np.abs(blind.probabilities([good, noise]) - 0.5).max() < 0.2


def test_members_that_abstain_leave_their_weight_to_the_others():
    pool = LogPool(
        np.array([0.6, 0.2, 0.2]), np.array([0.1, 0.0]), np.array([0.7, 0.3]), np.full(3, 1e-6)
    )
    a, b, c = ([[x, 1 - x]] for x in (0.3, 0.8, 0.6))
    gap = [[np.nan, np.nan]]
    expected = softmax(0.75 * np.log(a) + 0.25 * np.log(b) + np.array([0.1, 0.0]), axis=1)
    np.testing.assert_allclose(pool.probabilities([a, b, gap]), expected)
    np.testing.assert_allclose(pool.probabilities([gap] * 3), [[0.7, 0.3]])
    assert np.isfinite(pool.probabilities([a, b, c])).all()
    only_zero = LogPool(np.array([0.0, 1.0]), np.zeros(2), np.array([0.5, 0.5]), np.full(2, 1e-6))
    np.testing.assert_allclose(only_zero.probabilities([a, gap]), a)


def test_a_pool_learns_how_sure_to_be_where_few_speak():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    said, alike = [], []
    for _ in range(4):  # evidence of its own in every member, and the same evidence in all
        seen = np.where(rng.random(2000) < 0.75, y, 1 - y)
        said.append(np.where(np.eye(2)[seen], 0.75, 0.25))
        alike.append(said[0].copy())
    for one, other in zip(said, alike):
        gone = rng.random(2000) < 0.5
        one[gone] = other[gone] = np.nan
    apart, same = fit_log_pool(said, y), fit_log_pool(alike, y)
    assert not apart.shares_gaps
    assert same.shares_gaps
    gap = np.full((1, 2), np.nan)
    one, two = (
        apart.probabilities([np.array([[0.75, 0.25]])] * k + [gap] * (4 - k)) for k in (1, 2)
    )
    assert two[0, 0] > one[0, 0] + 0.05


def test_a_pool_is_fitted_with_gaps():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 600)
    scores = rng.normal(size=(600, 2))
    scores[np.arange(600), y] += 2.0
    good, noise = softmax(scores, axis=1), softmax(rng.normal(size=(600, 2)), axis=1)
    good[rng.random(600) < 0.3] = np.nan
    noise[rng.random(600) < 0.3] = np.nan
    pool = fit_log_pool([good, noise], y)
    assert pool.weights[0] > 5 * pool.weights[1]


@pytest.mark.parametrize(
    ("members", "y", "words"),
    [
        ([], [0], "members is empty"),
        ([[[0.5, 0.4]]], [0], "sums to 0.9"),
        ([[[1.5, -0.5]]], [0], "row 0"),
        ([[[np.nan, 1.0]]], [0], "row 0"),
        ([[[0.5, 0.5]]], [2], "got 2 at position 0"),
        ([[[0.5, 0.5]]], [0.5], "got 0.5 at position 0"),
        ([[[0.5, 0.5]]], [0, 1], "1 rows"),
        ([[[0.5, 0.5]], [[1.0, 0.0, 0.0]]], [0], "2 classes"),
        ([[[0.5, 0.5]]], [[0.5, 0.5], [0.5, 0.5]], "there are 1 rows"),
        ([[[0.5, 0.5]]], [[0.5, 1.5]], "row 0 of y must hold probabilities"),
        ([[[0.5, 0.5]]], [[0.0, 0.0]], "not all of them 0"),
    ],
)
def test_what_is_refused(members, y, words):
    with pytest.raises(ValueError, match=words):
        fit_log_pool(members, y)


def test_no_rows_and_absent_classes():
    pool = fit_log_pool([np.empty((0, 3))], [])
    np.testing.assert_array_equal(pool.weights, [1.0])
    pool = fit_log_pool([np.full((5, 3), 1 / 3)], [0] * 5)
    assert np.isfinite(pool.bias).all()
    assert (pool.prior > 0.0).all()
