"""Multi-response linear regression: least squares, least length, no negative weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from tests.stacking.problems import GOLDEN_P, GOLDEN_Y, level_one_problem
from uneven.stacking.solvers.multiresponse import mlr
from uneven.stacking.solvers.solve import solve

FAMILIES = ("ws", "cws", "lsg")


@pytest.mark.parametrize("combination", FAMILIES)
@pytest.mark.parametrize("target", ["01", "pm1"])
def test_it_is_the_penalised_solution_when_the_penalty_fades(combination, target):
    P, y = level_one_problem(80, 3, 3, 0)
    share = np.random.default_rng(0).uniform(0.5, 1.5, 80)
    words = {"combination": combination, "target": target, "share": share}
    found = mlr(P, y, **words)
    ridge = solve(P, y, loss="squared", penalty="l2", strength=1e-10, **words)
    assert found.objective == pytest.approx(ridge.objective, rel=1e-6)
    assert found.objective <= ridge.objective
    assert found.scores(P) == pytest.approx(ridge.scores(P), abs=1e-4)
    assert found.coef.shape == ridge.coef.shape


def test_linear_stacking_is_linear_regression_on_all_scores():
    P, y = level_one_problem(60, 2, 3, 1)
    model = LinearRegression().fit(P.reshape(60, -1), np.eye(3)[y])
    assert mlr(P, y).scores(P) == pytest.approx(model.predict(P.reshape(60, -1)), abs=1e-8)


def test_the_shortest_weights_where_there_are_several():
    P, y = level_one_problem(50, 2, 3, 2)
    twice = np.concatenate([P, P], axis=1)
    for combination in FAMILIES:
        one, two = (mlr(table, y, combination=combination) for table in (P, twice))
        assert two.coef[:2] == pytest.approx(two.coef[2:], abs=1e-8)
        assert two.scores(twice) == pytest.approx(one.scores(P), abs=1e-8)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(FAMILIES))
def test_no_weight_below_zero_and_no_better_one(seed, combination):
    P, y = level_one_problem(30, 3, 3, seed)
    free, bound = (mlr(P, y, combination=combination, nonneg=flag) for flag in (False, True))
    assert bound.coef.min() >= 0.0
    assert bound.objective >= free.objective - 1e-9
    if free.coef.min() >= 0.0:
        assert bound.coef == pytest.approx(free.coef, abs=1e-6)
    slopes = _slopes(P, y, bound)
    assert slopes.min() > -1e-7
    assert np.abs(slopes[bound.coef > 1e-9]).max(initial=0.0) < 1e-7


def _slopes(P, y, combiner):
    """Gradient of the mean squared error in the weights, by differences."""
    targets = np.eye(P.shape[2])[y]
    error = combiner.scores(P) - targets
    slopes = np.empty_like(combiner.coef)
    zero = np.zeros_like(combiner.intercept)
    for place in np.ndindex(combiner.coef.shape):
        unit = np.zeros_like(combiner.coef)
        unit[place] = 1.0
        moved = type(combiner)(combiner.combination, unit, zero).scores(P)
        if len(zero):
            moved = moved - moved.mean(axis=0)
        slopes[place] = 2.0 * (error * moved).sum() / len(y)
    return slopes


def test_targets_below_zero_do_harm_without_intercepts():
    errors = {
        target: int(
            (
                mlr(GOLDEN_P, GOLDEN_Y, combination="ws", target=target).predict(GOLDEN_P)
                != GOLDEN_Y
            ).sum()
        )
        for target in ("01", "pm1")
    }
    assert errors["01"] == 0 < errors["pm1"]


def test_more_weights_than_rows_is_no_error():
    P, y = level_one_problem(8, 6, 3, 4)
    found = mlr(P, y)
    assert np.isfinite(found.coef).all()
    assert found.objective == pytest.approx(0.0, abs=1e-12)
    assert (found.predict(P) == y).all()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [({"combination": "sum"}, "combination must be one of"), ({"target": "2"}, "target must be")],
)
def test_impossible_words_are_refused(words, sentence):
    with pytest.raises(ValueError, match=sentence):
        mlr(GOLDEN_P, GOLDEN_Y, **words)
