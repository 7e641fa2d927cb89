"""Protocols that documents share: what learns from which rows, and who is asked about which."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import Bunch

from uneven_published import Context
from uneven_published.protocols import (
    MEASURES,
    CrossValidated,
    Drawn,
    Outcome,
    Sample,
    pick,
    teach,
)


class Seeded(ClassifierMixin, BaseEstimator):
    """Answers with its seed."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.random_state)


class Scored(ClassifierMixin, BaseEstimator):
    """Knows classes 0 and 1; scores are given by the column."""

    classes_ = np.array([0, 1])

    def decision_function(self, X):
        return np.column_stack([-X[:, 0], X[:, 0]])


def _seed_answered(outcome):
    return float(outcome.answers[0])


def _tables(X, y):
    return {"T": lambda context: Bunch(data=X, target=y)}


def test_folds_are_judged_on_rows_that_were_not_learnt():
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 2)), rng.integers(0, 2, size=300)
    protocol = CrossValidated(_tables(X, y), {"A": KNeighborsClassifier(1)}, pick("error"))
    assert np.mean(protocol("T", 0, Context())["A"]["error"]) == pytest.approx(0.5, abs=0.1)


def test_methods_get_the_seed_of_their_repetition():
    X, y = np.zeros((10, 1)), np.repeat([0, 1], 5)
    methods = {"free": Seeded(), "fixed": Seeded(7)}
    measures = {"seed": _seed_answered}
    folds = CrossValidated(_tables(X, y), methods, measures, n_folds=5, fold_by_fold=True)
    assert folds("T", 12, Context()) == {"free": {"seed": [2.0]}, "fixed": {"seed": [7.0]}}
    drawn = Drawn(lambda item, repeat: Sample(X, y, {"": X}, y), methods, measures)
    assert drawn("T", 3, Context()) == {"free": {"seed": [3.0]}, "fixed": {"seed": [7.0]}}
    assert teach(Seeded(), X, y, 5).random_state == 5


def test_a_class_without_a_test_row_has_no_row_in_the_matrix():
    model = DummyClassifier().fit(np.zeros((3, 1)), ["a", "a", "b"])
    y = np.array(["a", "b"])
    found = MEASURES["matrix"](Outcome(model, np.zeros((2, 1)), y, np.array(["a", "b", "c"])))
    np.testing.assert_array_equal(found, [[0, 0, 0], [1, 0, 0], [np.nan] * 3])


def test_mauc_leaves_out_rows_of_classes_that_were_not_learnt():
    X, y = np.array([[-1.0], [1.0], [0.0]]), np.array([0, 1, 2])
    assert MEASURES["mauc"](Outcome(Scored(), X, y, np.arange(3))) == 1.0
    whole = GaussianNB().fit(X, y)
    assert MEASURES["error"](Outcome(whole, X, y, np.arange(3))) == 0.0
