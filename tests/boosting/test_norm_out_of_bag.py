"""Votes on rows not drawn: what they estimate, and that they do so without bias."""

import numpy as np
import pytest

from uneven import NormComboClassifier
from uneven.boosting.norm import Boost, OutOfBag, bootstrap_by_class
from uneven.metrics import confusion_rates


def test_every_class_is_drawn_as_often_as_it_has_rows():
    rng = np.random.RandomState(0)
    y = np.random.default_rng(1).permutation(np.repeat([0, 1, 2, 4], [2000, 40, 2, 1]))
    draws = np.array([bootstrap_by_class(y, rng) for _ in range(200)])
    for label, size in zip([0, 1, 2, 4], [2000, 40, 2, 1]):
        np.testing.assert_array_equal(draws[:, y == label].sum(axis=1), size)
    undrawn = draws == 0
    assert undrawn[:, y == 0].mean() == pytest.approx(np.exp(-1.0), abs=0.005)
    assert undrawn[:, y == 1].mean() == pytest.approx((1 - 1 / 40) ** 40, abs=0.02)
    assert undrawn[:, y == 2].mean() == pytest.approx(0.25, abs=0.08)
    assert not undrawn[:, y == 4].any()
    assert len(np.unique(draws, axis=0)) == 200


def test_draws_follow_the_seed_and_an_empty_table_has_none():
    y = np.array([1, 0, 1, 1, 0])
    first, again = (bootstrap_by_class(y, np.random.RandomState(3)) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert bootstrap_by_class(np.empty(0, dtype=np.int32), np.random.RandomState(0)).shape == (0,)


def test_votes_add_up_as_shares_over_who_has_not_seen_a_row():
    bag = OutOfBag(np.array([0, 1, 1, 2]), 3, np.array([1.0, 3.0, 1.0, 1.0]))
    assert not bag.judged.any()
    np.testing.assert_array_equal(bag.errors(), np.zeros((3, 3)))
    votes = np.array([[4.0, 0.0, 0.0], [3.0, 1.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    bag.add_votes(votes, np.array([True, True, False, True]))
    bag.add_votes(np.eye(3)[[1, 1, 1, 1]] * 1e9, np.array([False, True, True, False]))
    np.testing.assert_allclose(bag.votes, [[1, 0, 0], [0.75, 1.25, 0], [0, 1, 0], [0, 0, 0]])
    assert bag.judged.tolist() == [True, True, True, False]
    np.testing.assert_array_equal(bag.errors(), np.zeros((3, 3)))
    tilted = bag.errors(np.array([2.0, 1.0, 1.0]))
    np.testing.assert_allclose(tilted, [[0, 0, 0], [0.75, 0, 0], [0, 0, 0]])
    drawn_to_chance = bag.errors(np.array([2.0, 1.0, 1.0]), prior=1.0)
    third = 1 / 3
    expected = [[0, third / 2, third / 2], [(3 + third) / 5, 0, third / 5], [third, third, 0]]
    np.testing.assert_allclose(drawn_to_chance, expected)
    kept, labels, mass = bag.judged_votes()
    np.testing.assert_array_equal(kept, bag.votes[:3])
    assert labels.tolist() == [0, 1, 1]
    assert mass.tolist() == [1.0, 3.0, 1.0]


class OneBoost(NormComboClassifier):
    """A single boost, which remembers the rows that it drew."""

    def _boosts(self, n_classes, n_rows):
        return [Boost(self.n_estimators, self.max_depth, 1.0)]

    def _draw(self, y, rng):
        self._drawn = super()._draw(y, rng)
        return self._drawn


def overlapping(rng, n):
    """Two informative columns and three of noise; one class in six is of the second kind."""
    y = (rng.random(n) < 1 / 6).astype(int)
    y[:2] = 0, 1
    return np.round(rng.normal(size=(n, 5)) + 0.8 * y[:, None] * [1, 1, 0, 0, 0], 1), y


def error_rates(y, answers):
    return confusion_rates(y, answers, labels=[0, 1])[[0, 1], [1, 0]]


@pytest.mark.slow
def test_error_rates_on_rows_not_drawn_are_those_on_fresh_rows():
    unseen, seen = [], []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X, y = overlapping(rng, 150)
        fresh, truth = overlapping(rng, 400)
        model = OneBoost(n_estimators=4, max_depth=3, class_factors=False, random_state=seed).fit(
            X, y
        )
        left, taken = model._drawn == 0, model._drawn > 0
        honest = error_rates(truth, model.predict(fresh))
        answers = model.predict(X)
        np.testing.assert_allclose(
            model.unseen_errors_[[0, 1], [1, 0]], error_rates(y[left], answers[left])
        )
        unseen.append(error_rates(y[left], answers[left]) - honest)
        seen.append(error_rates(y[taken], answers[taken]) - honest)
    for differences, is_honest in ((np.array(unseen), True), (np.array(seen), False)):
        error = differences.std(axis=0, ddof=1) / np.sqrt(len(differences))
        away = np.abs(differences.mean(axis=0)) / error
        assert (away < 3.5).all() if is_honest else (away > 8.0).all()
