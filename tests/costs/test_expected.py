"""Uncertain labels: beliefs and expected costs against slow twins, and what they must satisfy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from uneven.costs import EDGE_TOLERANCE, vote_weight
from uneven.costs.expected import Beliefs, ExpectedCosts
from uneven.costs.matrices import RunningCosts
from uneven.utils.parallel import ThreadPool, thread_pool


def slow_beliefs(y, noise, prior, units, scores):
    """Bayes' rule row by row."""
    found = np.empty_like(scores)
    for i, label in enumerate(y):
        known = prior if not scores[i].any() else units * np.exp(2.0 * scores[i])
        found[i] = noise[label] * known
    return found / found.sum(axis=1, keepdims=True)


def slow_expected(beliefs, scores, mass, units, prices):
    """Mean of the cost rows of every possible true class, pair by pair."""
    n, n_classes = scores.shape
    costs, cancelled = np.zeros((2, n, n_classes))
    for i in range(n):
        for q in range(n_classes):
            for k in set(range(n_classes)) - {q}:
                pair = mass[i] * beliefs[i, q] / units[q] * prices[q, k]
                pair *= np.exp(scores[i, k] - scores[i, q])
                costs[i, k] += pair
                costs[i, q] -= pair
                cancelled[i, q] += pair
    return costs, cancelled


@st.composite
def noisy_problems(draw):
    n_classes = draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 30))
    noise = rng.dirichlet(np.ones(n_classes), n_classes).T * 0.5 + 0.5 * np.eye(n_classes)
    return {
        "y": rng.integers(0, n_classes, n).astype(np.int32),
        "noise": noise,
        "prior": rng.dirichlet(np.ones(n_classes)) * 0.9 + 0.1 / n_classes,
        "units": rng.uniform(0.5, 20.0, n_classes),
        "mass": rng.uniform(0.1, 3.0, n) * (rng.random(n) < 0.9),
        "prices": rng.uniform(0.5, 2.0, (n_classes, n_classes)),
        "rng": rng,
    }


@given(noisy_problems(), st.booleans(), st.integers(0, 6))
def test_beliefs_and_costs_follow_the_slow_twins(problem, priced, n_votes):
    y, noise, units, mass, rng = (problem[k] for k in ("y", "noise", "units", "mass", "rng"))
    n_classes = len(units)
    beliefs = Beliefs(y, noise, problem["prior"], units)
    prices = problem["prices"] if priced else np.ones((n_classes, n_classes))
    costs = ExpectedCosts(y, mass, beliefs, units, prices if priced else None, updates_beliefs=True)
    scores = np.zeros((len(y), n_classes))
    for _ in range(n_votes):
        beliefs.begin_round()
        answers = rng.integers(-1, n_classes, len(y)).astype(np.int32)
        votes = rng.uniform(0.1, 1.0, n_classes)
        costs.add(answers, votes)
        spoken = np.flatnonzero(answers >= 0)
        scores[spoken, answers[spoken]] += votes[answers[spoken]]
    believed = slow_beliefs(y, noise, problem["prior"], units, scores)
    np.testing.assert_allclose(beliefs.current(), believed, atol=1e-12)
    slow, cancelled = slow_expected(believed, scores, mass, units, prices)
    stake = max(cancelled.sum(), 1e-300)
    np.testing.assert_allclose(costs.matrix[:, :n_classes], slow * costs.stake / stake, atol=1e3)
    assert np.all(costs.matrix[:, :n_classes].sum(axis=1) == 0.0)
    if mass.any():
        assert costs.log_loss == pytest.approx(np.log(stake), abs=1e-9)
        answers = rng.integers(0, n_classes, len(y)).astype(np.int32)
        right, wrong = costs.right_and_wrong(answers)
        rows = np.arange(len(y))
        assert right == pytest.approx(cancelled[rows, answers].sum() / stake, abs=1e-9)
        assert wrong - right == pytest.approx(slow[rows, answers].sum() / stake, abs=1e-9)
        assert costs.edge(answers) == pytest.approx(right - wrong, abs=1e-9)
        np.testing.assert_allclose(costs.distribution(), cancelled.sum(axis=1) / stake, atol=1e-9)


@given(noisy_problems(), st.integers(1, 40))
def test_certain_labels_give_the_costs_of_plain_boosting(problem, n_rounds):
    y, mass, units, rng = (problem[k] for k in ("y", "mass", "units", "rng"))
    n_classes = len(units)
    beliefs = Beliefs(y, np.eye(n_classes), problem["prior"], units)
    expected = ExpectedCosts(y, mass, beliefs, units, problem["prices"], updates_beliefs=True)
    plain = RunningCosts(y, n_classes, mass / units[y], problem["prices"])
    for _ in range(n_rounds):
        answers = rng.integers(-1, n_classes, len(y)).astype(np.int32)
        share = rng.random(len(y))
        expected.add(answers, 0.3, share)
        plain.add(answers, 0.3, share)
    if not mass.any():
        return
    assert expected.log_loss == pytest.approx(plain.log_loss, abs=1e-9)
    ours, theirs = expected.matrix[:, :n_classes], plain.matrix[:, :n_classes]
    np.testing.assert_allclose(ours / expected.stake, theirs / plain.stake, atol=1e-9)
    rows, labels, weights = expected.examples()
    found = np.zeros(len(y))
    found[rows] = weights
    np.testing.assert_allclose(found, plain.distribution(), atol=1e-9)
    assert np.array_equal(labels, y[rows])


@given(noisy_problems(), st.integers(0, 5))
def test_a_voter_shrinks_the_loss_as_long_as_beliefs_stay(problem, n_votes):
    y, units, rng = problem["y"], problem["units"], problem["rng"]
    n_classes = len(units)
    beliefs = Beliefs(y, problem["noise"], problem["prior"], units)
    costs = ExpectedCosts(y, problem["mass"] + 0.1, beliefs, units, problem["prices"])
    for _ in range(n_votes):
        costs.add(rng.integers(0, n_classes, len(y)).astype(np.int32), 0.4)
    answers = costs.matrix[:, :n_classes].argmin(axis=1).astype(np.int32)
    edge, before = costs.edge(answers), costs.log_loss
    assert edge > EDGE_TOLERANCE
    costs.add(answers, vote_weight(edge))
    assert costs.log_loss <= before + 0.5 * np.log1p(-(min(edge, 1 - 1e-10) ** 2)) + 1e-9


@given(
    hnp.arrays(np.float64, 3, elements=st.floats(0.05, 1.0)),
    hnp.arrays(np.float64, 3, elements=st.floats(0.5, 9.0)),
)
def test_the_minimiser_of_the_loss_tells_the_class_probabilities(shares, units):
    """With ``exp(2 f)`` in proportion to ``P / units``, no single score can lower the loss."""
    chances = shares / shares.sum()
    scores = 0.5 * np.log(chances / units)
    y = np.zeros(1, dtype=np.int32)
    noise = np.full((3, 3), 1.0 / 3.0)
    costs = ExpectedCosts(y, np.ones(1), Beliefs(y, noise, chances), units)
    for label, score in enumerate(scores):
        costs.add(np.array([label], dtype=np.int32), score)
    np.testing.assert_allclose(costs.matrix[0, :3] / costs.stake, 0.0, atol=1e-9)


def test_rows_that_voters_learnt_from_do_not_hear_them():
    noise = np.array([[0.8, 0.3], [0.2, 0.7]])
    y = np.array([0, 0, 1, 1], dtype=np.int32)
    beliefs = Beliefs(y, noise, np.array([0.5, 0.5]))
    untouched = beliefs.current().copy()
    ones = np.ones(4, dtype=np.int32)
    beliefs.begin_round(np.array([True, False, True, False]))
    beliefs.update(ones, np.array([0.4, 0.4]))
    after_one = beliefs.current().copy()
    np.testing.assert_array_equal(after_one[[0, 2]], untouched[[0, 2]])
    assert np.all(after_one[[1, 3], 1] > untouched[[1, 3], 1])
    beliefs.begin_round(np.array([False, False, True, True]))
    beliefs.update(ones, np.array([0.4, 0.4]))
    both = beliefs.current()
    np.testing.assert_allclose(both[0], both[1], atol=1e-12)
    np.testing.assert_array_equal(both[2], untouched[2])


def test_costs_and_beliefs_do_not_depend_on_threads():
    rng = np.random.default_rng(0)
    n, n_classes = 40_000, 20
    y = rng.integers(0, n_classes, n).astype(np.int32)
    noise = 0.7 * np.eye(n_classes) + 0.3 * np.roll(np.eye(n_classes), 1, axis=0)
    results = []
    for n_jobs in (1, 2):
        with thread_pool(n_jobs) as pool:
            results.append(_matrix_after_votes(y, noise, n_classes, pool))
    assert np.array_equal(*results)


def _matrix_after_votes(y: np.ndarray, noise: np.ndarray, n_classes: int, pool: ThreadPool):
    beliefs = Beliefs(y, noise, np.full(n_classes, 1 / n_classes), pool=pool)
    costs = ExpectedCosts(
        y, np.ones(len(y)), beliefs, np.ones(n_classes), updates_beliefs=True, pool=pool
    )
    rng = np.random.default_rng(1)
    for _ in range(3):
        beliefs.begin_round(rng.random(len(y)) < 0.5)
        costs.add(rng.integers(0, n_classes, len(y)).astype(np.int32), 0.7)
    return costs.matrix.copy()


def test_extreme_scores_stay_finite():
    y = np.array([0, 1, 2], dtype=np.int32)
    noise = np.array([[0.9, 0.2, 0.0], [0.1, 0.8, 0.1], [0.0, 0.0, 0.9]])
    beliefs = Beliefs(y, noise, np.full(3, 1 / 3))
    costs = ExpectedCosts(
        y, np.array([1e-90, 1.0, 1e90]), beliefs, np.ones(3), updates_beliefs=True
    )
    for answers in ([0, 0, 0], [2, 2, 2]):
        costs.add(np.array(answers, dtype=np.int32), 900.0)
    assert np.isfinite(costs.matrix).all()
    assert np.isfinite(beliefs.current()).all()
    assert np.isfinite(costs.log_loss)
