"""What comes into a stack: members of every kind, rows, splits and texts, and who is to blame."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.ensemble import StackingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from uneven.stacking import (
    MarginStackingClassifier,
    Member,
    RuleClassifier,
    bagged_ensemble,
    level_one,
    random_subspaces,
)

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
NB = [("nb", GaussianNB())]
TWO = [*NB, ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]


def stack(members, **words):
    return MarginStackingClassifier(members, **({"strength": 0.01} | words))


class Looked(GaussianNB):
    """Counts how often its tags are asked for."""

    looks = 0

    def __sklearn_tags__(self):
        Looked.looks += 1
        return super().__sklearn_tags__()


@pytest.mark.parametrize("kind", [MarginStackingClassifier, RuleClassifier])
@pytest.mark.parametrize("table", [X, pd.DataFrame(X)])
def test_predict_does_not_look_at_declared_members(kind, table):
    fitted = kind([*NB, ("looked", Looked())]).fit(table, Y)
    fitted.estimators_ = fitted.estimators_[:1] * len(fitted.estimators_)
    Looked.looks = 0
    fitted.predict(table)
    assert Looked.looks == 0
    fitted.fit(table, Y)
    assert Looked.looks > 0


def test_other_members_may_take_holes_after_another_fit():
    holes = X.copy()
    holes[0, 0] = np.nan
    tree = DecisionTreeClassifier(max_depth=3)
    model = stack([("a", tree)]).fit(holes, Y)
    assert model.__sklearn_tags__().input_tags.allow_nan
    assert model.predict(holes).shape == (178,)
    model.set_params(a=GaussianNB()).fit(X, Y)
    assert not model.__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(ValueError, match="contains NaN"):
        model.predict(holes)


@pytest.mark.parametrize("cv", [KFold(3), list(KFold(3).split(X)), PredefinedSplit(Y)])
def test_classes_that_training_parts_lack_are_told(cv):
    with pytest.warns(UserWarning, match=r"in [23] of the 3 splits .* lacks a class .*\(0, .*2\)"):
        stack(TWO, cv=cv).fit(X[np.argsort(Y)], np.sort(Y))


def test_splitters_that_show_all_classes_are_quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = stack(TWO, cv=KFold(3, shuffle=True, random_state=0)).fit(X, Y)
    assert model.score(X, Y) > 0.9


@pytest.mark.parametrize("final", [None, RidgeClassifier(), LogisticRegression()])
def test_stacks_of_scikit_learn_are_members(final):
    inner = StackingClassifier(TWO, final, cv=2)
    joined = stack([("stack", inner), *NB], penalty="l2").fit(X, Y)
    method = "decision_function" if isinstance(final, RidgeClassifier) else "predict_proba"
    assert joined.estimators_[0].method == method
    assert (joined.estimators_[0].scale != 1.0) == (method == "decision_function")
    assert joined.score(X, Y) > 0.95
    assert RuleClassifier([("stack", inner), *NB]).fit(X, Y).score(X, Y) > 0.95
    ready = clone(inner).fit(X, Y)
    prefit = stack([("stack", ready), ("nb", GaussianNB().fit(X, Y))], cv="prefit").fit(X, Y)
    assert prefit.estimators_[0].method == method


def test_a_method_that_never_comes_is_told():
    inner = StackingClassifier(TWO, cv=2)
    members = [("stack", Member(inner, score="decision_function")), *NB]
    level = level_one(members, X, Y)
    assert level.members[0].method == "decision_function"
    inner = StackingClassifier(TWO, DecisionTreeClassifier(), cv=2)
    members = [("stack", Member(inner, score="decision_function"))]
    with pytest.raises(ValueError, match=r"member 'stack': StackingClassifier has no decision_f"):
        level_one(members, X, Y)


WEIGHTS = [None, np.where(np.arange(178) % 5 == 0, 0.0, 1.0)]


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([-1, 3], "rows reach from -1 to 3, but there are 178 rows"),
        ([178], "rows reach from 178 to 178, but there are 178 rows"),
        ([True] * 5, r"rows are a mask of shape \(5,\), but there are 178 rows"),
        ([], "rows name no row"),
    ],
)
def test_rows_are_checked_with_and_without_weights(weight, rows, sentence):
    members = [*NB, ("few", Member(GaussianNB(), rows=rows))]
    with pytest.raises(ValueError, match=sentence):
        stack(members).fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ([-1, 3], "the training rows of split 1 of cv reach from -1 to 3"),
        ([178], "the training rows of split 1 of cv reach from 178 to 178"),
        ([0.5], "the training rows of split 1 of cv must be a list of whole numbers"),
        ([True, False], r"the training rows of split 1 of cv are a mask of shape \(2,\)"),
    ],
)
def test_splits_are_checked_with_and_without_weights(weight, part, sentence):
    with pytest.raises(ValueError, match=sentence):
        stack(NB, cv=[(part, np.arange(9))]).fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize("weight", WEIGHTS)
def test_masks_are_rows(weight):
    odd = np.arange(178) % 2 == 1
    folds = [(odd, ~odd), (~odd, odd)]
    masked = stack([*NB, ("few", Member(GaussianNB(), rows=np.arange(178) < 160))], cv=folds)
    folds = [tuple(map(np.flatnonzero, fold)) for fold in folds]
    listed = stack([*NB, ("few", Member(GaussianNB(), rows=np.arange(160)))], cv=folds)
    first = masked.fit(X, Y, sample_weight=weight).level_one_.scores
    np.testing.assert_array_equal(first, listed.fit(X, Y, weight).level_one_.scores)


def test_predefined_splits_count_rows_without_weight():
    weight, fold = WEIGHTS[1], np.arange(178) % 3
    splitter = PredefinedSplit(fold)
    first = stack(NB, cv=splitter).fit(X, Y, weight).level_one_.scores
    second = stack(NB, cv=list(splitter.split())).fit(X, Y, weight).level_one_.scores
    np.testing.assert_array_equal(first, second)


def test_members_whose_rows_have_no_weight_are_named():
    with pytest.raises(ValueError, match="all rows of member 'few' have the sample_weight zero"):
        stack([*NB, ("few", Member(GaussianNB(), rows=[0, 5]))]).fit(X, Y, WEIGHTS[1])


def test_a_generator_that_is_used_up_is_told():
    splits = StratifiedKFold(2).split(X, Y)
    level_one(NB, X, Y, cv=splits)
    with pytest.raises(ValueError, match=r"cv gives no splits. A generator"):
        level_one(NB, X, Y, cv=splits)


class Loud(GaussianNB):
    def predict_proba(self, X):
        return 1e300 * super().predict_proba(X)


class Short(GaussianNB):
    def predict_proba(self, X):
        return super().predict_proba(X)[:-1]


class Lost(GaussianNB):
    def predict_proba(self, X):
        raise OSError("the disk is gone")


class Changed(GaussianNB):
    def predict_proba(self, X):
        return self.forgotten_


@pytest.mark.parametrize(
    ("bad", "kind", "sentence"),
    [
        (Loud(), ValueError, r"'bad' gives scores beyond 1e100 in 45 of 45 rows"),
        (Short(), ValueError, r"'bad' cannot score: its predict_proba returns 44 rows .* 45"),
        (Lost(), RuntimeError, r"'bad' cannot score: the disk is gone"),
        (Changed(), RuntimeError, r"'bad' cannot score: .*no attribute 'forgotten_'"),
        (LinearRegression(), TypeError, r"'bad' must be a classifier"),
        (GaussianNB, TypeError, r"'bad' must be a classifier"),
        (Member(LinearSVC(), score="predict_proba"), ValueError, r"'bad': LinearSVC has no pred"),
    ],
)
def test_members_that_fail_are_named(bad, kind, sentence):
    with pytest.raises(kind, match=f"member {sentence}"):
        level_one([("bad", bad)], X, Y)


def test_the_method_of_all_members_names_who_lacks_it():
    with pytest.raises(ValueError, match=r"member 'svm': LinearSVC has no predict_proba to score"):
        stack([*NB, ("svm", LinearSVC())], score_method="predict_proba").fit(X, Y)


@pytest.mark.parametrize(
    "kind", [list, tuple, np.array, lambda t: np.array(t, object), pd.Series, pl.Series]
)
def test_texts_of_every_kind(kind):
    texts = kind(["good fine", "bad poor", "fine good good", "poor bad"] * 6)
    labels = ["+", "-", "+", "-"] * 6
    members = [("words", make_pipeline(CountVectorizer(), MultinomialNB()))]
    for model in (stack(members), RuleClassifier(members)):
        model.fit(texts, labels, sample_weight=np.r_[0.0, np.ones(23)])
        assert model.predict(kind(["good", "bad"])).tolist() == ["+", "-"]


def test_prefit_members_have_the_labels_of_the_stack():
    ready = [("nb", GaussianNB().fit(X, Y))]
    sentence = r"member 'nb' was fitted to the labels \[0, 1, 2\], y has \['0', '1', '2'\]"
    with pytest.raises(ValueError, match=sentence):
        stack(ready, cv="prefit").fit(X, Y.astype(str))
    with pytest.raises(ValueError, match="clone, GridSearchCV and cross_val_score unfit members"):
        clone(stack(ready, cv="prefit")).fit(X, Y)


def test_columns_and_views_that_are_not_there():
    views = {"one": [0, 1], "two": [2, 3]}
    with pytest.raises(ValueError, match=r"member 'a' reads 'three', which is no view \(one, two"):
        stack([("a", GaussianNB(), "three")], views=views).fit(X, Y)
    with pytest.raises(ValueError, match=r"member 'a' reaches outside the 13 columns"):
        stack([("a", GaussianNB(), [13])]).fit(X, Y)
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(13)])
    model = stack([("a", GaussianNB(), "c3")], views={"one": ["c0"]}).fit(frame, Y)
    assert model.estimators_[0].columns.tolist() == [3]


def test_groups_are_asked_for():
    with pytest.raises(ValueError, match=r"cv=GroupKFold keeps groups together, but got no groups"):
        stack(NB, cv=GroupKFold(3)).fit(X, Y)


@pytest.mark.parametrize("weight", WEIGHTS)
def test_groups_stay_together(weight):
    groups = np.arange(178) // 6
    splits = list(GroupKFold(3).split(X, Y, groups))
    if weight is not None:
        left = np.flatnonzero(weight)
        kept = GroupKFold(3).split(X[left], Y[left], groups[left])
        splits = [(left[train], left[test]) for train, test in kept]
    grouped = stack(NB, cv=GroupKFold(3)).fit(X, Y, weight, groups=groups).level_one_.scores
    np.testing.assert_array_equal(grouped, stack(NB, cv=splits).fit(X, Y, weight).level_one_.scores)
    rule = RuleClassifier(NB, rule="weighted_mean", cv=GroupKFold(3))
    assert rule.fit(X, Y, groups=groups).score(X, Y) > 0.9
    with pytest.raises(ValueError, match="groups has 3 entries, X has 178 rows"):
        rule.fit(X, Y, weight, groups=[0, 1, 2])


def test_final_trainings_are_counted(capsys):
    stack(TWO, penalty="l2", cv=2, verbose=1).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == "[MarginStackingClassifier] 4 of 4 trainings"
    assert lines[4:] == [
        "[MarginStackingClassifier] 1 of 2 trainings on all rows",
        "[MarginStackingClassifier] 2 of 2 trainings on all rows",
    ]


def test_level_one_takes_triples():
    level = level_one([("few", GaussianNB(), [0, 1])], X, Y)
    same = level_one([("few", Member(GaussianNB(), columns=[0, 1]))], X, Y)
    np.testing.assert_array_equal(level.scores, same.scores)


@pytest.mark.parametrize("hole", [np.nan, None, pd.NA])
def test_rows_without_a_label_are_told(hole):
    labels = np.where(np.arange(178) == 7, hole, Y.astype(object))
    with pytest.raises(ValueError, match=f"y has no label in row 7, but {hole}"):
        level_one(NB, X, labels)


def test_ensembles_hold_classifiers():
    line = LinearRegression()
    with pytest.raises(TypeError, match="estimator must be a classifier, got LinearRegression"):
        bagged_ensemble(line, 2)
    with pytest.raises(TypeError, match="estimator must be a classifier, got LinearRegression"):
        random_subspaces(line, 4)
