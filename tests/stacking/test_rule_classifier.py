"""A list of classifiers joined by a rule: scores, folds, probabilities, odd inputs."""

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from uneven.fusion.rules import RULES, WEIGHTED_RULES, join_scores
from uneven.fusion.trained_rules import TRAINED_RULES
from uneven.stacking.out_of_fold.members import Member
from uneven.stacking.rule_classifier import RuleClassifier

X, Y = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
MEMBERS = [
    ("bayes", GaussianNB()),
    ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
    ("near", KNeighborsClassifier(1)),
]
NEW = np.random.default_rng(0).normal(size=(40, X.shape[1]))


class Counted(GaussianNB):
    """Counts its trainings."""

    trainings = 0

    def fit(self, X, y, sample_weight=None):
        type(self).trainings += 1
        return super().fit(X, y, sample_weight)


def opinions(rows, members=MEMBERS):
    said = [clone(model).fit(X, Y).predict_proba(rows) for _, model in members]
    return np.stack(said, axis=1)


def held_out(cv):
    said = [cross_val_predict(model, X, Y, cv=cv, method="predict_proba") for _, model in MEMBERS]
    return np.stack(said, axis=1)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_fixed_rules_join_members_that_learnt_from_all_rows(rule):
    joined = RuleClassifier(MEMBERS, rule=rule).fit(X, Y)
    expected = join_scores(opinions(NEW), rule)
    np.testing.assert_allclose(joined.decision_function(NEW), expected)
    assert np.array_equal(joined.predict(NEW), expected.argmax(axis=1))
    shares = joined.predict_proba(NEW)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert np.array_equal(shares.argmax(axis=1), joined.predict(NEW))


@pytest.mark.parametrize("rule", sorted(TRAINED_RULES))
def test_trained_rules_learn_from_rows_that_the_members_did_not(rule):
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    joined = RuleClassifier(MEMBERS, rule=rule, cv=folds).fit(X, Y)
    expected = TRAINED_RULES[rule]().fit(held_out(folds), Y)
    np.testing.assert_allclose(joined.decision_function(NEW), expected.scores(opinions(NEW)))
    naive = TRAINED_RULES[rule]().fit(opinions(X), Y).scores(opinions(NEW))
    assert not np.allclose(joined.decision_function(NEW), naive)
    shares = joined.predict_proba(NEW)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert np.array_equal(shares.argmax(axis=1), joined.predict(NEW))


@pytest.mark.parametrize("rule", sorted(WEIGHTED_RULES))
def test_given_weights_leave_nothing_to_learn(rule):
    Counted.trainings = 0
    members = [("bayes", Counted()), *MEMBERS[1:]]
    joined = RuleClassifier(members, rule=rule, weights=[1, 0, 3]).fit(X, Y)
    assert Counted.trainings == 1
    expected = join_scores(opinions(NEW), rule, [1, 0, 3])
    np.testing.assert_allclose(joined.decision_function(NEW), expected)


def test_fixed_rules_train_every_member_once_and_trained_ones_once_per_fold_too():
    for rule, times in (("mean", 1), ("dempster_shafer", 4)):
        Counted.trainings = 0
        RuleClassifier([("bayes", Counted())], rule=rule, cv=3).fit(X, Y)
        assert Counted.trainings == times


@pytest.mark.parametrize("rule", ["mean", "decision_templates", "weighted_mean"])
def test_fitted_members_are_not_fitted_again(rule):
    members = [(name, clone(model).fit(X[::2], Y[::2])) for name, model in MEMBERS]
    joined = RuleClassifier(members, rule=rule, cv="prefit").fit(X[1::2], Y[1::2])
    assert [member.model for member in joined.estimators_] == [model for _, model in members]
    said = np.stack([model.predict_proba(X[1::2]) for _, model in members], axis=1)
    new = np.stack([model.predict_proba(NEW) for _, model in members], axis=1)
    if rule in TRAINED_RULES:
        expected = TRAINED_RULES[rule]().fit(said, Y[1::2]).scores(new)
    else:
        expected = join_scores(new, rule)
    np.testing.assert_allclose(joined.decision_function(NEW), expected)


def test_margins_are_compared_on_one_scale():
    loud = np.vstack([1000.0 * X[:, :1].T, X[:, 1:].T]).T
    members = [("loud", Perceptron(tol=None), [0]), ("rest", Perceptron(tol=None), slice(1, 13))]
    joined = RuleClassifier(members, rule="mean").fit(loud, Y)
    said = np.stack([member.scores(loud) for member in joined.estimators_], axis=1)
    np.testing.assert_allclose(np.sqrt((said**2).mean(axis=(0, 2))), 1.0)
    np.testing.assert_allclose(joined.decision_function(loud), said.mean(axis=1))


def test_margins_have_probabilities_only_if_the_rule_learns():
    members = [*MEMBERS, ("margin", Perceptron())]
    fixed = RuleClassifier(members, rule="median")
    assert not hasattr(fixed, "predict_proba")
    assert not hasattr(fixed.fit(X, Y), "predict_proba")
    assert not hasattr(fixed.set_params(rule="dempster_shafer"), "predict_proba")
    assert hasattr(fixed.fit(X, Y), "predict_proba")
    assert hasattr(RuleClassifier(members, rule="majority", score_method="predict"), "predict")
    for rule in ("weighted_mean", "decision_templates", "dempster_shafer"):
        joined = RuleClassifier(members, rule=rule, random_state=0).fit(X[::2], Y[::2])
        shares = joined.predict_proba(X[1::2])
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        right = shares[np.arange(len(shares)), Y[1::2]]
        assert -np.log(right).mean() < 0.5
        assert np.array_equal(shares.argmax(axis=1), joined.predict(X[1::2]))


def test_a_row_without_any_score_is_split_evenly():
    members = [(f"only{c}", LogisticRegression()) for c in range(2)]
    fitted = []
    for c, (name, model) in enumerate(members):
        model.fit(NEW, np.arange(len(NEW)) % 2)
        model.coef_[:], model.intercept_[:] = 0.0, 1e6 * (2 * c - 1)
        fitted.append((name, model))
    joined = RuleClassifier(fitted, rule="minimum", cv="prefit").fit(X, Y % 2)
    np.testing.assert_array_equal(joined.predict_proba(NEW), 0.5)


def test_rules_beat_the_average_member():
    alone = np.mean([clone(m).fit(X[::2], Y[::2]).score(X[1::2], Y[1::2]) for _, m in MEMBERS])
    for rule in {*RULES, *TRAINED_RULES} - {"minimum"}:
        joined = RuleClassifier(MEMBERS, rule=rule, random_state=0).fit(X[::2], Y[::2])
        assert joined.score(X[1::2], Y[1::2]) > alone


@pytest.mark.parametrize("rule", ["mean", "weighted_product", "dempster_shafer"])
def test_tables_and_labels_of_every_kind(rule):
    members = [
        ("few", GaussianNB(), [0, 6, 9]),
        ("part", Member(DecisionTreeClassifier(), columns="tail", share=0.8)),
        ("all", LogisticRegression()),
    ]
    joined = RuleClassifier(members, rule=rule, views={"tail": slice(5, 13)}, random_state=0)
    names = np.array(["barolo", "grignolino", "barbera"])[Y]
    expected = joined.fit(X, names).decision_function(X)
    assert set(joined.predict(X)) == set(names)
    for table in (np.asfortranarray(X), pd.DataFrame(X, columns=[f"c{k}" for k in range(13)])):
        found = clone(joined).fit(table, names).decision_function(table)
        np.testing.assert_allclose(found, expected)
    narrow = clone(joined).fit(X.astype(np.float32), names)
    assert np.mean(narrow.predict(X.astype(np.float32)) == joined.predict(X)) > 0.98
    two = clone(joined).fit(X, names == "barolo")
    assert two.decision_function(X).shape == (178,)
    with joblib.parallel_config(backend="threading"):
        parallel = clone(joined).set_params(n_jobs=2).fit(X, names)
    np.testing.assert_array_equal(parallel.decision_function(X), expected)
    sparse = RuleClassifier([("all", LogisticRegression())], rule=rule)
    dense = clone(sparse).fit(X, names).decision_function(X)
    found = sparse.fit(sp.csr_array(X), names).decision_function(sp.csr_array(X))
    np.testing.assert_allclose(found, dense, atol=1e-3)


def test_a_class_that_a_fold_lacks_is_no_obstacle():
    rare = np.where(np.arange(len(Y)) == 7, 3, Y)
    with pytest.warns(UserWarning, match="fewer rows than the 4 folds"):
        joined = RuleClassifier(MEMBERS, rule="decision_templates").fit(X, rare)
    assert joined.classes_.tolist() == [0, 1, 2, 3]
    assert np.isfinite(joined.predict_proba(X)).all()


def test_weights_of_rows_reach_the_rule():
    heavy = np.where(Y == 2, 5.0, 1.0) * np.linspace(0.1, 2.0, len(Y))
    members = [(name, model) for name, model in MEMBERS if name != "near"]
    fitted = [(name, clone(model).fit(X, Y)) for name, model in members]
    joined = RuleClassifier(fitted, rule="decision_templates", cv="prefit")
    said = np.stack([model.predict_proba(X) for _, model in fitted], axis=1)
    found = joined.fit(X, Y, sample_weight=heavy).rule_.templates[2]
    expected = np.average(said[Y == 2], axis=0, weights=heavy[Y == 2])
    np.testing.assert_allclose(found, expected)


def test_parameters_of_members_are_parameters():
    joined = RuleClassifier(MEMBERS).set_params(tree__max_depth=1, near=GaussianNB())
    assert joined.get_params()["tree__max_depth"] == 1
    assert [member.name for member in joined.fit(X, Y).estimators_] == ["bayes", "tree", "near"]
    assert isinstance(joined.estimators_[2].model, GaussianNB)
    joined.estimators[1][1].set_params(max_depth=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"rule": "vote"}, "rule must be one of 'decision_templates'"),
        ({"rule": "mean", "weights": [1, 1, 1]}, "rule='mean' takes no weights"),
        ({"rule": "weighted_mean", "weights": [1, 1]}, r"shape \(2,\), but there are 3 members"),
        ({"rule": "trimmed_mean", "percent": 60}, "less than 50 percent"),
        ({"score_method": "guess"}, "score"),
        ({"rule": "product", "estimators": [("p", Perceptron())]}, "member 'p' gives margins"),
        ({"rule": "weighted_product", "estimators": [("p", Perceptron())]}, "gives margins"),
        ({"rule": "dempster_shafer", "cv": "twice"}, "cv='twice' is not known"),
        ({"estimators": []}, "estimators is empty"),
        ({"estimators": [("rule", GaussianNB())]}, "like a parameter"),
    ],
)
def test_impossible_parameters_are_refused(words, message):
    joined = RuleClassifier(MEMBERS).set_params(**words)
    with pytest.raises(ValueError, match=message):
        joined.fit(X, Y)
    assert not hasattr(joined, "classes_")


def test_a_failed_fit_leaves_the_earlier_one():
    joined = RuleClassifier(MEMBERS, rule="dempster_shafer").fit(X, Y)
    expected = joined.predict_proba(NEW)
    with pytest.raises(ValueError, match="one class"):
        joined.fit(X, np.zeros(len(Y)))
    np.testing.assert_array_equal(joined.predict_proba(NEW), expected)
