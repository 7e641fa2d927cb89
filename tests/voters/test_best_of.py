"""Several weak learners in one vote, and columns drawn in every round."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from tests.problems import gaussian_classes, tables
from tests.voters.test_cost_tree import costs_for
from uneven import ComboClassifier, MuComboClassifier, MumboClassifier
from uneven.voters import BestOf, CostTree, TrainingTable, as_weak_learner

METHODS = [ComboClassifier, MumboClassifier, MuComboClassifier]
VIEWS = {"one": [0, 1], "two": [2, 3]}


@given(tables(max_columns=4), st.integers(0, 2**32 - 1))
def test_the_edge_is_the_largest_of_the_learners(problem, seed):
    X, y, n_classes = problem
    costs = costs_for(y, n_classes, seed)
    table = TrainingTable(X, y, n_classes, np.ones(len(y)))
    columns = np.arange(X.shape[1])
    learners = [CostTree(max_depth=1), CostTree(max_depth=2, criterion="cost")]
    edges = [costs.edge(one.learn(table, columns, costs)[1]) for one in learners]
    _, answers = BestOf(learners).learn(table, columns, costs)
    assert costs.edge(answers) == max(edges)


@pytest.mark.parametrize("method", METHODS)
def test_a_list_of_one_learner_is_that_learner(method):
    X, y = gaussian_classes([40, 20, 20], n_features=4)
    given = {"n_estimators": 6, "max_depth": 2, "views": VIEWS, "random_state": 0}
    plain, listed = method(None, **given).fit(X, y), method([None], **given).fit(X, y)
    np.testing.assert_array_equal(plain.decision_function(X), listed.decision_function(X))


@pytest.mark.parametrize("method", METHODS)
def test_learners_of_different_kinds_meet_in_one_vote(method):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    box = np.column_stack([y + rng.normal(0, 3, 300), rng.normal(size=300)])
    line = rng.normal(size=(300, 2))
    line[:, 0] += np.where(y == 1, 1.5, -1.5) - line[:, 1]
    box[:, 1] = np.where(y == 1, np.abs(box[:, 1]) < 0.5, rng.random(300) < 0.5)
    X = np.hstack([box, line])
    model = method([None, LogisticRegression()], views=VIEWS, n_estimators=12, max_depth=1)
    model = clone(model).fit(X, y)
    kinds = {type(term.voter).__name__ for term in model.vote_.terms()}
    assert kinds == {"TreeVoter", "EstimatorVoter"}
    trees = method(views=VIEWS, n_estimators=1, max_depth=1).fit(X, y)
    assert np.all(model.history_["edge"][0] >= trees.history_["edge"][0])


def test_lists_without_learners_are_refused():
    with pytest.raises(ValueError, match="names no weak learner"):
        as_weak_learner([])
    with pytest.raises(TypeError, match="or a list of these, got 'tree'"):
        as_weak_learner([GaussianNB(), "tree"])


@pytest.mark.parametrize("method", METHODS)
def test_rounds_look_at_a_share_of_the_columns(method):
    X, y = gaussian_classes([60, 60, 60], n_features=20)
    views = [0, 10, 20] if method is not ComboClassifier else None
    given = {"views": views, "n_estimators": 10, "max_depth": 3, "max_features": 0.1}
    model = method(**given, random_state=0).fit(X, y)
    same = method(**given, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), same.decision_function(X))
    asked = [np.unique(term.voter.feature[~term.voter.is_leaf]) for term in model.vote_.terms()]
    assert max(map(len, asked)) <= 2
    assert len(np.unique(np.concatenate(asked))) > 2
