"""Every rule that joins views, on random tables with missing views and rare classes."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from tests.problems import view_tables
from uneven import (
    CarakoClassifier,
    ComboClassifier,
    EarlyFusionClassifier,
    LateFusionClassifier,
)
from uneven.fusion import BestViewClassifier, HoldoutFusionClassifier

RULES = [
    CarakoClassifier("published", max_depth=3),
    CarakoClassifier("published", version=1, max_depth=2, max_iter=3),
    CarakoClassifier(DecisionTreeClassifier(max_depth=2), max_iter=2),
    LateFusionClassifier("published"),
    LateFusionClassifier(DecisionTreeClassifier(), weights="accuracy"),
    LateFusionClassifier(ComboClassifier(n_estimators=3), combine="margins", normalise=True),
    EarlyFusionClassifier(),
    EarlyFusionClassifier(scale=True, reduce="pca"),
    BestViewClassifier(cv=2),
    HoldoutFusionClassifier(inputs="probabilities"),
]


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule)[:60])
@given(problem=view_tables())
@settings(max_examples=12)
def test_answers_are_whole_whatever_is_missing(rule, problem):
    X, y, n_classes, views = problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = clone(rule).set_params(views=views, random_state=0).fit(X, y)
    answers, undecided = model.predict(X), model.undecided(X)
    assert undecided[np.isnan(X).all(axis=1)].all()
    assert set(answers[undecided]) <= {np.bincount(y).argmax()}
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        assert shares.shape == (len(y), n_classes)
        assert shares.min() >= 0.0
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert model.predict(X[:1]) == answers[:1]
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), answers)
