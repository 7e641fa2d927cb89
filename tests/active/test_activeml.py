from __future__ import annotations

import pickle

import numpy as np
import pytest
from skactiveml.base import SingleAnnotatorPoolQueryStrategy
from skactiveml.classifier import SklearnClassifier
from skactiveml.exceptions import MappingError
from skactiveml.utils import MISSING_LABEL
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from uneven import ActiveLearner
from uneven.active import RULES, as_query_strategy

X, Y = load_iris(return_X_y=True)
pytestmark = pytest.mark.usefixtures("small_forests")


def some_labels(rows=(0, 60, 110)) -> np.ndarray:
    y = np.full(150, MISSING_LABEL)
    y[list(rows)] = Y[list(rows)]
    return y


@pytest.mark.slow
@pytest.mark.parametrize("rule", sorted(RULES))
def test_rules_run_in_a_loop_of_scikit_activeml(rule):
    strategy = as_query_strategy(rule, random_state=0)
    assert isinstance(strategy, SingleAnnotatorPoolQueryStrategy)
    y = some_labels()
    classifier = SklearnClassifier(GaussianNB(), classes=[0, 1, 2])
    for _ in range(6):
        rows = strategy.query(X=X, y=y, batch_size=3)
        assert np.isnan(y[rows]).all()
        y[rows] = Y[rows]
    assert classifier.fit(X, y).score(X, Y) > 0.8


def test_the_strategy_asks_what_the_learner_asks():
    y = some_labels()
    learner = ActiveLearner(random_state=0).start(X, y)
    strategy = as_query_strategy(random_state=0)
    for same in (strategy, clone(strategy), pickle.loads(pickle.dumps(strategy))):
        assert same.query(X, y, batch_size=5).tolist() == learner.ask(5).tolist()


def test_utilities_are_those_of_the_rule_and_missing_where_nothing_can_be_asked():
    y = some_labels()
    rows, steps = as_query_strategy("balanced").query(X, y, batch_size=3, return_utilities=True)
    state = ActiveLearner().start(X, y).state()
    assert steps.shape == (3, 150)
    np.testing.assert_allclose(steps[0][state.candidates], RULES["balanced"](state))
    assert np.isnan(steps[0][[0, 60, 110]]).all()
    assert [np.isnan(step).sum() for step in steps] == [3, 4, 5]
    assert np.isnan(steps[2][rows[:2]]).all()
    assert rows[0] == np.nanargmax(steps[0])


def test_only_candidates_are_asked_for():
    strategy = as_query_strategy(random_state=0)
    for y in (some_labels(), some_labels([0]), np.full(150, MISSING_LABEL)):
        rows = strategy.query(X, y, candidates=[70, 80, 90, 120], batch_size=2)
        assert len(set(rows.tolist()) & {70, 80, 90, 120}) == 2
    with pytest.raises(MappingError):
        strategy.query(X, some_labels(), candidates=X[:5])
    with pytest.raises(ValueError, match="labeled"):
        strategy.query(X, some_labels(), candidates=[0, 1])


def test_text_labels_with_a_mark_of_their_own():
    y = np.full(150, None, dtype=object)
    y[[0, 60, 110]] = ["a", "b", "c"]
    rows = as_query_strategy(missing_label=None, random_state=0).query(X, y, batch_size=4)
    assert len(set(rows.tolist()) - {0, 60, 110}) == 4


def test_a_rule_may_be_a_function_and_must_answer():
    y = some_labels()
    strategy = as_query_strategy(lambda state: state.candidates * 1.0, batch="best")
    assert strategy.query(X, y, batch_size=2).tolist() == [149, 148]
    with pytest.raises(ValueError, match="expected one number"):
        as_query_strategy(lambda state: np.zeros(2)).query(X, y)
