"""Level-1 scores are those of scikit-learn's stacking, so that both can be compared on them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from uneven.stacking import level_one, score_members


@pytest.mark.parametrize("final", [LogisticRegression(C=0.1), RidgeClassifier()])
def test_final_estimators_on_flat_scores_are_stacking_classifiers(final):
    X, y = load_wine(return_X_y=True)
    members = [
        ("bayes", GaussianNB()),
        ("stump", DecisionTreeClassifier(max_depth=1, random_state=0)),
        ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
    ]
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    theirs = StackingClassifier(members, final, cv=folds).fit(X[::2], y[::2])
    level = level_one(members, X[::2], y[::2], cv=folds)
    ours = final.fit(level.scores.reshape(len(level.y), -1), level.y)
    np.testing.assert_allclose(ours.coef_, theirs.final_estimator_.coef_, rtol=1e-6)
    new = score_members(level.members, X[1::2])
    np.testing.assert_allclose(new.reshape(len(new), -1), theirs.transform(X[1::2]))
    assert (ours.predict(new.reshape(len(new), -1)) == theirs.predict(X[1::2])).all()
