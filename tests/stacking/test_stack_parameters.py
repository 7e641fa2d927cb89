"""Parameters of stacks: refused before members are trained, and kept as they were fitted."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from uneven import MarginStackingClassifier
from uneven.stacking import RuleClassifier

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
GRID = [0.003, 0.03, 0.1]


class NeverTrained(ClassifierMixin, BaseEstimator):
    """Fails if anybody asks it to learn."""

    def fit(self, X, y):
        raise AssertionError("a member was trained")

    def predict(self, X):
        raise AssertionError("a member was asked")


def members():
    return [
        ("bayes", GaussianNB()),
        ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
        ("near", KNeighborsClassifier(5)),
    ]


RBF = {"kernel": "rbf", "penalty": "l2"}
POLY = {"kernel": "poly", "penalty": "l2"}
COMMON = [
    ({"cv": "x"}, "cv='x' is not known"),
    ({"cv": 1}, "cv must be a whole number at least 2"),
    ({"cv": True}, "cv must be a whole number at least 2"),
    ({"cv": 1.5}, "share of rows that are held out"),
    ({"cv": []}, "cv holds no splits"),
    ({"cv": iter([([0], [1])])}, r"empty after the first fit: give list\(cv\)"),
    ({"cv": object()}, "cv must be a number, a splitter or a list"),
    ({"memory": 3}, "memory must be a folder"),
    ({"n_jobs": "lots"}, "n_jobs must be None or a whole number"),
    ({"n_jobs": 0}, "n_jobs must be None or a whole number"),
    ({"verbose": "yes"}, "verbose must be a whole number"),
    ({"random_state": "x"}, "cannot be used to seed"),
]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        *COMMON,
        ({"inner_cv": "x"}, "inner_cv must be a whole number at least 2, got 'x'"),
        ({"inner_cv": "prefit"}, "inner_cv must be"),
        ({"inner_cv": 1}, "inner_cv must be"),
        ({**RBF, "gamma": -1.0}, "gamma must be a finite number above 0"),
        ({**RBF, "gamma": "scale"}, "gamma must be a finite number above 0"),
        ({**POLY, "degree": 0}, "degree must be a whole number at least 1"),
        ({**POLY, "degree": 1.5}, "degree must be a whole number at least 1"),
        ({"gamma": 1.0}, "gamma=1.0 belongs to a kernel"),
        ({"degree": 2}, "degree=2 belongs to a kernel"),
        ({**RBF, "elastic": 1.0}, "leave elastic=0"),
        ({"select_then_refit": "yes"}, "select_then_refit must be True or False"),
        ({"keep_level_one": "yes"}, "keep_level_one must be True or False"),
        ({"strength": True}, 'strength must be "cv" or a number above 0'),
        ({"strength": 0.1, "strengths": "x"}, "strengths must be a list"),
        ({"class_weight": "even"}, "class_weight must be"),
    ],
)
def test_stacks_refuse_wrong_parameters_before_they_train(params, words):
    with pytest.raises(ValueError, match=words):
        MarginStackingClassifier([("a", NeverTrained())], **params).fit(X, Y)


@pytest.mark.parametrize(("params", "words"), COMMON)
def test_fixed_rules_refuse_wrong_parameters_too(params, words):
    with pytest.raises(ValueError, match=words):
        RuleClassifier([("a", NeverTrained())], rule="mean", **params).fit(X, Y)


@pytest.mark.parametrize("cv", [None, 2, 0.3, "holdout", KFold(2, shuffle=True, random_state=0)])
def test_right_folds_pass(cv):
    stack = MarginStackingClassifier(members(), cv=cv, strength=0.01, random_state=0)
    assert stack.fit(X, Y).score(X, Y) > 0.9


def test_parameters_of_dropped_members_are_named():
    stack = MarginStackingClassifier(members()).set_params(tree="drop")
    with pytest.raises(ValueError, match=r"'tree' is \"drop\" .* tree__max_depth"):
        stack.set_params(tree__max_depth=2)
    assert stack.set_params(tree=DecisionTreeClassifier(), tree__max_depth=2)


@pytest.mark.slow
def test_path_answers_about_the_fit_not_about_later_parameters():
    stack = MarginStackingClassifier(members(), strengths=GRID, random_state=0).fit(X, Y)
    before, one = stack.path(), stack.strength_for(1)
    other = stack.path([0.01, 0.05])
    stack.set_params(
        loss="squared", penalty="l2", strengths=[7.0], inner_cv=5, random_state=9, tol=0.1
    )
    after, again = stack.path(), stack.path([0.01, 0.05])
    assert np.array_equal(before.strengths, after.strengths)
    assert after.chosen == before.chosen
    assert np.array_equal(before.coef, after.coef)
    assert np.array_equal(other.coef, again.coef)
    assert np.array_equal(other.error_mean, again.error_mean)
    assert stack.strength_for(1) == one
    stack.set_params(**RBF)
    assert np.array_equal(stack.path().coef, before.coef)


def test_path_judges_with_the_folds_of_the_fit():
    stack = MarginStackingClassifier(
        members(), strengths=GRID, random_state=np.random.RandomState(3)
    ).fit(X, Y)
    wider = stack.path([*GRID, 5.0])
    assert np.allclose(wider.error_mean[:3], stack.cv_results_["mean_error"])


def test_path_marks_a_given_strength():
    stack = MarginStackingClassifier(members(), strength=0.02, strengths=GRID).fit(X, Y)
    path = stack.path()
    assert path.strengths.tolist() == [0.003, 0.02, 0.03, 0.1]
    assert path.chosen == 1
    assert np.array_equal(path.selected[1], stack.selected_mask_)
