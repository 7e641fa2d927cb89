from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from uneven import ActiveLearner, BayesPointClassifier
from uneven.active import StablePredictions, pick_batch
from uneven.active.batches import spread_rows

HALF = 0.5**0.5


def state_of(X, kernel="linear", **choices):
    """A state whose candidates are all rows but the first two, which have labels."""
    X = np.vstack([np.eye(X.shape[1])[0], -np.eye(X.shape[1])[0], X])
    geometry = BayesPointClassifier(kernel, **choices)
    learner = ActiveLearner(geometry, random_state=0).start(X)
    return learner.tell([0, 1], [1, 0]).state()


@pytest.mark.parametrize("how", ["best", "diverse"])
def test_one_row_is_the_best_row(how):
    state = state_of(np.random.default_rng(0).normal(size=(30, 3)))
    worth = np.random.default_rng(1).normal(size=30)
    assert pick_batch(how, state, worth, 1).tolist() == [worth.argmax()]


def test_best_takes_the_highest_in_order_and_the_first_of_equals():
    state = state_of(np.random.default_rng(0).normal(size=(5, 3)))
    worth = np.array([0.5, 0.7, -np.inf, 0.7, 0.1])
    assert pick_batch("best", state, worth, 3).tolist() == [1, 3, 0]
    assert pick_batch("best", state, worth, 9).tolist() == [1, 3, 0, 4, 2]


def test_random_ties_are_drawn_and_repeat_with_the_seed():
    rows = np.random.default_rng(0).normal(size=(40, 3))
    drawn = [pick_batch("best", state_of(rows), np.zeros(40), 5, "random") for _ in range(2)]
    assert drawn[0].tolist() == drawn[1].tolist()
    assert drawn[0].tolist() != [0, 1, 2, 3, 4]


def test_diverse_gives_up_utility_for_another_direction():
    rows = np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.01], [0.0, -2.0, 0.0], [0.0, 0.0, 1.0]])
    worth = np.array([1.0, 0.9, 0.8, 0.5])
    assert pick_batch("diverse", state_of(rows), worth, 2).tolist() == [0, 3]
    assert pick_batch("best", state_of(rows), worth, 2).tolist() == [0, 1]


def test_the_trade_weighs_utility_and_cosine_alike():
    rows = np.array([[0.0, 1.0, 0.0], [0.0, HALF, HALF], [0.0, 0.0, 1.0]])
    for middle, second in ((0.8, 1), (0.6, 2)):
        worth = np.array([1.0, middle, 0.0])
        assert pick_batch("diverse", state_of(rows), worth, 2).tolist() == [0, second]


def test_cosines_are_those_of_the_kernel():
    rows = np.array([[0.0, 1.0], [0.0, 3.0], [0.2, 1.0]])
    worth = np.array([1.0, 0.9, 0.9])
    near = state_of(rows, "rbf", gamma=1.0)
    assert pick_batch("diverse", near, worth, 2).tolist() == [0, 1]
    assert pick_batch("diverse", state_of(rows), worth, 2).tolist() == [0, 2]


def test_rows_without_utility_come_last():
    rows = np.eye(3)[[0, 1, 2, 1, 0]]
    worth = np.array([-np.inf, 0.1, -np.inf, 0.2, -np.inf])
    chosen = pick_batch("diverse", state_of(rows), worth, 4).tolist()
    assert sorted(chosen[:2]) == [1, 3]
    assert len(set(chosen)) == 4
    nothing = pick_batch("diverse", state_of(rows), np.full(5, -np.inf), 2)
    assert len(set(nothing.tolist())) == 2


def test_rows_of_zeros_and_sparse_pools_have_cosines():
    X = sp.csr_matrix(np.vstack([np.eye(4), -np.eye(4), np.zeros((2, 4))]))
    learner = ActiveLearner(BayesPointClassifier("linear"), random_state=0).start(X)
    state = learner.tell([0, 4], ["a", "b"]).state()
    chosen = pick_batch("diverse", state, np.zeros(8), 4)
    assert len({abs(X[state.candidates[i]]).toarray().argmax() for i in chosen}) >= 3


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 12), st.integers(0, 10**6))
def test_a_batch_holds_each_row_once_and_begins_with_the_best(n, seed):
    rng = np.random.default_rng(seed)
    state = state_of(rng.normal(size=(30, 3)))
    worth = rng.normal(size=30)
    chosen = pick_batch("diverse", state, worth, n)
    assert len(set(chosen.tolist())) == n
    assert chosen[0] == worth.argmax()


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_every_direction_is_seen_before_one_comes_again(kind):
    X = np.repeat(np.eye(5), 4, axis=0) * np.arange(1.0, 21.0)[:, None]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = spread_rows(kind(X), np.array([7]), 4, rng)
        assert sorted(np.r_[rows, 7] // 4) == [0, 1, 2, 3, 4]


def test_rows_that_are_all_alike_are_asked_for_once_each():
    learner = ActiveLearner(random_state=0).start(np.ones((10, 2)))
    rows = learner.ask(4)
    assert len(set(rows.tolist())) == 4
    learner.tell(rows, ["a"] * 4)
    again = learner.ask(5)
    assert not set(rows.tolist()) & set(again.tolist())
    assert len(set(again.tolist())) == 5


def test_later_first_questions_keep_away_from_rows_with_labels():
    X = np.repeat(np.eye(4), 25, axis=0)
    for seed in range(10):
        learner = ActiveLearner(random_state=seed).start(X)
        first = learner.ask(2)
        learner.tell(first, [1, 1])
        second = learner.ask(2)
        assert len(set(np.r_[first, second] // 25)) == 4


def test_rows_of_zeros_can_be_chosen_too():
    X = np.vstack([np.zeros((2, 3)), np.eye(3)])
    rows = spread_rows(X, np.empty(0, dtype=int), 5, np.random.default_rng(0))
    assert sorted(rows) == [0, 1, 2, 3, 4]


def test_telling_nothing_changes_nothing():
    X = np.random.default_rng(0).normal(size=(20, 3))
    learner = ActiveLearner(stop=StablePredictions(2), random_state=0).start(X).tell([], [])
    assert learner.history_ == []
    learner.tell([0, 1, 2, 3], [0, 1, 0, 1])
    assert learner.stop_reason() is None


def test_sparse_rows_that_are_the_same_are_parts_without_a_warning(recwarn):
    pool = sp.csr_matrix(np.vstack([np.eye(10), np.zeros((10, 10))]))
    learner = ActiveLearner(random_state=0).start(pool).tell([0, 1], [0, 1])
    assert len(learner.ask(3)) == 3
    assert not recwarn.list
