"""Rows that count twice are rows that are there twice, from the choice of a strength to the end."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import PredefinedSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tests.stacking.problems import level_one_problem
from uneven import MarginStackingClassifier
from uneven.stacking.links import fit_link
from uneven.stacking.solvers.selection import select, select_then_refit

GRID = [0.005, 0.02, 0.08]


@pytest.mark.parametrize("how", [select, select_then_refit])
@pytest.mark.parametrize("combination", ["ws", "cws"])
def test_weights_of_rows_count_like_copies_through_a_whole_selection(how, combination):
    P, y = level_one_problem(60, 6, 3, seed=4)
    rng = np.random.default_rng(3)
    counts, fold = rng.integers(1, 9, size=60), np.arange(60) % 2
    rows = np.repeat(np.arange(60), counts)
    words = {"combination": combination, "tol": 1e-8}
    weighed = how(P, y, GRID, share=counts / counts.sum(), cv=PredefinedSplit(fold), **words)
    copied = how(P[rows], y[rows], GRID, cv=PredefinedSplit(fold[rows]), **words)
    plain = how(P, y, [copied.choice.strength], cv=PredefinedSplit(fold), **words)
    assert np.abs(plain.coef - copied.coef).max() > 0.05
    assert weighed.choice.strength == copied.choice.strength
    np.testing.assert_allclose(weighed.choice.error, copied.choice.error, atol=1e-9)
    np.testing.assert_array_equal(weighed.mask, copied.mask)
    np.testing.assert_allclose(weighed.coef, copied.coef, atol=1e-3)
    assert weighed.combiner.objective == pytest.approx(copied.combiner.objective, rel=1e-6)
    if how is select_then_refit:
        np.testing.assert_allclose(weighed.refit.error, copied.refit.error, atol=1e-9)


def test_weights_of_rows_count_in_the_temperature():
    X, y = load_iris(return_X_y=True)
    members = [("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
    halves = PredefinedSplit(np.arange(len(y)) % 2)
    words = {"strengths": [0.01], "inner_cv": halves, "random_state": 0}
    wrong = MarginStackingClassifier(members, **words).fit(X, y).predict(X) != y
    weight = np.where(wrong, 30.0, 1.0)
    stack = MarginStackingClassifier(members, **words).fit(X, y, weight)
    level = stack.level_one_
    assert level.share == pytest.approx(weight / weight.sum())
    words = {"loss": "squared", "elastic": 0.1, "cv": halves, "tol": 1e-5}
    found = select(level.scores, level.y, [0.01], share=level.share, **words)
    floor, said = fit_link(found.held_out, level.y, level.share)
    assert stack.combiner_.floor == pytest.approx(floor, rel=1e-6)
    assert stack.combiner_.temperature == pytest.approx(said, rel=1e-6)
    assert stack.combiner_.temperature > 1.3 * fit_link(found.held_out, level.y)[1]
