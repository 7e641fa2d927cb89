"""Orders of categories: along the main axes of their class shares, from the rows that count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.voters import score_twins as twins
from uneven.boosting.score_leaves import ScoreLearner, ScoreSettings
from uneven.costs.score_costs import LabelModel, ScoreCosts
from uneven.voters import TrainingTable
from uneven.voters.category_orders import leading_places, order_codes

_NONE = np.zeros((0, 0))


@given(st.integers(2, 40), st.integers(0, 2**32 - 1))
def test_two_classes_are_ordered_by_the_share_of_one(n, seed):
    mass = np.random.default_rng(seed).integers(1, 60, (n, 2)).astype(float)
    prior = mass.sum(axis=0) / mass.sum()
    share = (mass[:, 0] + 20.0 * prior[0]) / (mass.sum(axis=1) + 20.0)
    places = leading_places(mass, 1)[0]
    along = share[np.argsort(places)]
    steps = np.diff(along if along[-1] >= along[0] else along[::-1])
    assert (steps >= -1e-12).all()


@pytest.mark.parametrize("n_classes", [3, 5, 12])
def test_the_axes_are_those_of_the_slow_twin(n_classes):
    rng = np.random.default_rng(n_classes)
    strength = 3.0 ** -np.arange(n_classes)
    shares = (
        rng.normal(size=(60, n_classes))
        * strength
        @ np.linalg.qr(rng.normal(size=(n_classes, n_classes)))[0]
    )
    mass = rng.uniform(50, 500, (60, 1)) * np.exp(0.3 * shares)
    size = min(n_classes - 1, 3)
    found, expected = leading_places(mass, size), twins.leading_places(mass, size)
    for mine, other in zip(found, expected):
        assert abs(np.corrcoef(mine, other)[0, 1]) > 1 - 1e-6
        assert mine.std() == pytest.approx(other.std(), rel=1e-4)


def test_categories_that_do_not_differ_and_absent_classes_have_places():
    assert not leading_places(np.full((4, 3), 7.0), 2).any()
    assert not leading_places(np.zeros((4, 3)), 2).any()
    places = leading_places(np.array([[3.0, 0.0, 1.0], [1.0, 0.0, 3.0]]), 2)
    assert places[0, 0] != places[0, 1]
    np.testing.assert_array_equal(places[0], places[1])


def test_every_column_of_categories_has_orders_where_its_bins_are():
    mass = np.random.default_rng(0).integers(0, 30, (11, 4)).astype(float)
    first, is_category = np.array([0, 4, 5, 11]), np.array([True, False, True])
    orders = order_codes(mass, first, is_category)
    assert orders.shape == (3, 11)
    for low, high in ((0, 4), (5, 11)):
        own = leading_places(mass[low:high], 3)
        np.testing.assert_array_equal(orders[:, low:high], own.argsort(axis=1, kind="stable"))
    assert not orders[:, 4].any()
    assert order_codes(np.ones((11, 40)), first, is_category).shape == (7, 11)


def test_rows_that_count_nothing_order_nothing():
    """Rows that are left out to be judged must not tell their labels."""
    rng = np.random.default_rng(0)
    n, K = 400, 3
    X, y = rng.integers(0, 12, (n, 1)).astype(float), rng.integers(0, K, n).astype(np.int32)
    out = np.arange(n) < 200
    other = np.where(out, (y + X[:, 0].astype(int)) % K, y).astype(np.int32)
    settings = ScoreSettings("log", "newton", 8, 30, 0.1, 1.0, 0.1, 1.0, 1.0, 255)

    def orders(labels, weight):
        table = TrainingTable(X, labels, K, np.ones(n), n_codes=np.array([12]))
        learner = ScoreLearner(table, np.arange(1), 0, np.ones(n, dtype=bool), settings)
        model = LabelModel(labels, weight, _NONE, _NONE, np.ones(K))
        costs = ScoreCosts(model, K, "log", table.keys, table.pool)
        found = learner._codes_for(costs)
        assert learner._codes_for(costs) is found
        return found.orders

    weight = np.where(out, 0.0, 1.0)
    np.testing.assert_array_equal(orders(y, weight), orders(other, weight))
    assert (orders(y, np.ones(n)) != orders(other, np.ones(n))).any()
