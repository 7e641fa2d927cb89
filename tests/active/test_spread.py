"""The first rows: far from each other and from those that have a label."""

import numpy as np
import pytest
import scipy.sparse as sp

from uneven import ActiveLearner
from uneven.active import StablePredictions
from uneven.active.batches import spread_rows


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
