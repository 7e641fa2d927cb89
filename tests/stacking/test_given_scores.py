"""Stacks that learn from out-of-fold scores which are known already."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from uneven import MarginStackingClassifier
from uneven.stacking import Member, level_one

X, Y = load_iris(return_X_y=True)
FOLDS = list(KFold(3, shuffle=True, random_state=0).split(X))


class Counted(GaussianNB):
    """Naive Bayes that counts how often it is fitted."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counted.fits += 1
        return super().fit(X, y, sample_weight)


def raw_scores(members, X, y):
    """Out-of-fold scores as a person computes them, margins as they are."""
    said = np.zeros((len(y), len(members), len(np.unique(y))))
    for train, test in FOLDS if len(y) == len(Y) else KFold(3).split(X):
        for m, (_, model) in enumerate(members):
            fitted = model.fit(X[train], y[train])
            if hasattr(fitted, "predict_proba"):
                said[test, m] = fitted.predict_proba(X[test])
            else:
                margins = fitted.decision_function(X[test])
                both = np.column_stack([-margins / 2, margins / 2])
                said[test, m] = both if margins.ndim == 1 else margins
    return said


@pytest.mark.parametrize("n_classes", [2, 3])
def test_known_scores_give_the_stack_that_fits_for_them(n_classes):
    rows = np.flatnonzero(n_classes > Y)
    data, y = X[rows], Y[rows]
    folds = FOLDS if n_classes == 3 else list(KFold(3).split(data))
    members = [
        ("bayes", GaussianNB()),
        ("margins", LinearSVC(random_state=0)),
        ("lda", LinearDiscriminantAnalysis()),
    ]
    words = {"strength": 0.01, "random_state": 0}
    fitted = MarginStackingClassifier(members, cv=folds, **words).fit(data, y)
    known = MarginStackingClassifier(members, **words)
    known.fit_scores(data, y, raw_scores(members, data, y))
    np.testing.assert_allclose(known.coef_, fitted.coef_, atol=1e-9)
    assert known.selected_ == fitted.selected_
    np.testing.assert_allclose(known.predict_proba(data), fitted.predict_proba(data), atol=1e-9)
    scales = [[m.scale for m in one.estimators_] for one in (known, fitted)]
    np.testing.assert_allclose(*scales)


def test_fitted_members_are_used_as_they_are():
    Counted.fits = 0
    bayes = Counted().fit(X, Y)
    members = [("bayes", bayes), ("near", KNeighborsClassifier(5))]
    level = level_one(members, X, Y, random_state=0)
    Counted.fits = 0
    stack = MarginStackingClassifier(members, penalty="l2", random_state=0)
    stack.fit_scores(X, Y, level.scores, fitted=["bayes"])
    assert Counted.fits == 0
    assert stack.estimators_[0].model is bayes
    stack.fit_scores(X, Y, level.scores)
    assert Counted.fits == 1
    assert stack.estimators_[0].model is not bayes


def test_some_rows_and_the_times_of_members():
    members = [("bayes", GaussianNB()), ("slow", KNeighborsClassifier(5))]
    level = level_one(members, X, Y, random_state=0)
    rows = np.arange(0, 150, 2)
    stack = MarginStackingClassifier(members, time_budget=1.0, random_state=0)
    stack.fit_scores(X, Y, level.scores[rows], rows=rows, seconds=[0.5, 2.0])
    assert stack.selected_ == ["bayes"]
    np.testing.assert_array_equal(stack.level_one_.y, Y[rows])
    assert stack.score(X, Y) > 0.9


def test_members_of_some_columns_learn_from_these():
    members = [("left", Member(GaussianNB(), columns=[0, 1])), ("right", GaussianNB())]
    level = level_one(members, X, Y, random_state=0)
    stack = MarginStackingClassifier(members, penalty="l2", random_state=0)
    stack.fit_scores(X, Y, level.scores)
    assert [member.model.n_features_in_ for member in stack.estimators_] == [2, 4]


GOOD = np.full((150, 1, 3), 1 / 3)


@pytest.mark.parametrize(
    ("scores", "words", "says"),
    [
        (GOOD[:, :, :2], {}, r"shape \(150, 1, 2\), but 150 rows, 1 members and 3 classes"),
        (GOOD * np.nan, {}, "scores must be finite"),
        (GOOD, {"rows": [0, 1]}, "but 2 rows"),
        (GOOD[:0], {"rows": []}, "of no row"),
        (GOOD, {"seconds": [1.0, 2.0]}, "a time per member"),
        (GOOD, {"fitted": ["other"]}, "'other', which is no member"),
        (GOOD, {"fitted": ["bayes"]}, "is not fitted"),
    ],
)
def test_what_does_not_belong_together_is_refused(scores, words, says):
    stack = MarginStackingClassifier([("bayes", GaussianNB())], penalty="l2", strength=1e-3)
    with pytest.raises(ValueError, match=says):
        stack.fit_scores(X, Y, scores, **words)
    assert not hasattr(stack, "classes_")
