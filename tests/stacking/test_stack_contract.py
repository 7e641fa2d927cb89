"""The stacking classifier among others: parameters, copies, refits and refusals."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from tests.stacking.counted import CALLS, Counted, small_members
from uneven import MarginStackingClassifier
from uneven.stacking import Member


@pytest.mark.slow
def test_parameters_have_nested_names(wine):
    X, _, y, _ = wine
    stack = MarginStackingClassifier(small_members(), strength=0.01)
    names = stack.get_params()
    assert names["near__n_neighbors"] == 5
    assert names["ridge__ridgeclassifier__alpha"] == 1.0
    stack.set_params(near__n_neighbors=3, tree=GaussianNB(), strength=0.1)
    assert stack.get_params()["near__n_neighbors"] == 3
    assert type(stack.get_params()["tree"]) is GaussianNB
    assert dict(stack.estimators)["near"].n_neighbors == 3
    copy = clone(stack)
    assert copy.estimators[0][1] is not stack.estimators[0][1]
    with pytest.raises(ValueError, match="Invalid parameter"):
        stack.set_params(nobody__alpha=1.0)
    search = GridSearchCV(stack, {"near__n_neighbors": [1, 3]}, cv=2).fit(X, y)
    assert search.best_params_["near__n_neighbors"] in (1, 3)


def test_columns_stay_when_a_member_is_replaced():
    stack = MarginStackingClassifier([("a", GaussianNB(), [0])]).set_params(a=Perceptron())
    assert stack.estimators == [("a", stack.estimators[0][1], [0])]


def test_pickles_answer_the_same(fitted, wine):
    _, X_new, _, _ = wine
    back = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(back.decision_function(X_new), fitted.decision_function(X_new))


def test_failed_refit_changes_nothing(wine):
    X, X_new, y, _ = wine
    stack = MarginStackingClassifier(small_members(), strength=0.01).fit(X, y)
    before = stack.predict(X_new)
    with pytest.raises(ValueError):
        stack.fit(X[:, :4], np.zeros(len(y)))
    assert np.array_equal(stack.predict(X_new), before)


def test_refit_forgets_the_first_fit(wine):
    X, _, y, _ = wine
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(13)])
    stack = MarginStackingClassifier([("bayes", GaussianNB())], strength=0.01).fit(frame, y)
    stack.set_params(keep_level_one=False).fit(X, y)
    assert not hasattr(stack, "level_one_")
    assert not hasattr(stack, "feature_names_in_")


NB = GaussianNB()


@pytest.mark.parametrize(
    ("estimators", "words"),
    [
        ([], "is empty"),
        ("many", "must be a list"),
        ([("a", NB), ("a", NB)], "two members are called 'a'"),
        ([("penalty", NB)], "like a parameter of MarginStackingClassifier"),
        ([("a__b", NB)], "cannot be the name"),
        ([("a", LinearRegression())], "must be a classifier, got LinearRegression"),
        ([("a", 3)], "must be a classifier"),
        ([("a", Member(NB), [0])], "has columns beside its Member"),
        ([NB], "must be pairs"),
    ],
)
def test_wrong_members_are_named(wine, estimators, words):
    X, _, y, _ = wine
    with pytest.raises((TypeError, ValueError), match=words):
        MarginStackingClassifier(estimators).fit(X, y)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"combination": "sum"}, "combination must be one of"),
        ({"loss": "absolute"}, "loss must be one of"),
        ({"penalty": "l0"}, "penalty must be one of"),
        ({"strength": 0.0}, 'strength must be "cv" or a number above 0'),
        ({"strength": "best"}, "strength must be one of 'cv'"),
        ({"strengths": [0.0]}, "strengths must be a list"),
        ({"tie": "any"}, "tie must be one of"),
        ({"kernel": "rbf"}, 'needs penalty="l2"'),
        ({"kernel": "cosine", "penalty": "l2"}, "kernel must be one of"),
        ({"kernel": "rbf", "penalty": "l2", "combination": "auto"}, "not for kernels"),
        ({"select_then_refit": True, "penalty": "l2"}, "needs a penalty that selects"),
        ({"solver": "closed form"}, "solver='closed form' solves"),
        ({"score_method": "votes"}, "score_method must be one of"),
        ({"inner_cv": 1}, "inner_cv must be a whole number at least 2"),
        ({"cv": "none"}, "cv='none' is not known"),
        ({"tol": -1.0}, "tol must be positive"),
    ],
)
def test_wrong_parameters_are_named(wine, params, words):
    X, _, y, _ = wine
    with pytest.raises(ValueError, match=words):
        MarginStackingClassifier([("bayes", GaussianNB())], **params).fit(X, y)


def test_impossible_words_are_refused_before_members_are_trained(wine):
    X, _, y, _ = wine
    CALLS["fit"].clear()
    with pytest.raises(ValueError, match="solver"):
        MarginStackingClassifier([("a", Counted())], solver="lasso").fit(X, y)
    assert not CALLS["fit"]


def test_one_class_is_refused(wine):
    X, _, y, _ = wine
    with pytest.raises(ValueError, match="only one class"):
        MarginStackingClassifier(small_members()).fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match=r"1d array|1D"):
        MarginStackingClassifier(small_members()).fit(X, np.column_stack([y, y]))


def test_lists_of_texts_reach_text_pipelines():
    texts = ["good fine", "bad poor", "fine good good", "poor bad"] * 6
    labels = ["+", "-", "+", "-"] * 6
    members = [("words", make_pipeline(CountVectorizer(), MultinomialNB()))]
    stack = MarginStackingClassifier(members, strength=0.01).fit(texts, labels)
    assert stack.predict(["good", "bad"]).tolist() == ["+", "-"]


def test_fit_is_quiet_and_verbose_is_not(wine, capsys):
    X, _, y, _ = wine
    stack = MarginStackingClassifier([("bayes", GaussianNB())], strength=0.01, cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stack.fit(X, y)
    assert capsys.readouterr().out == ""
    stack.set_params(verbose=1).fit(X, y)
    assert "2 of 2 trainings" in capsys.readouterr().out
