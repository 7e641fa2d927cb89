"""Stacks in which classes count unevenly, and penalties that keep members together."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from uneven import MarginStackingClassifier


def test_balanced_classes_count_alike():
    X, y = make_classification(
        600, 8, n_informative=4, weights=[0.9, 0.1], class_sep=0.5, random_state=0
    )
    members = [("line", LogisticRegression()), ("near", KNeighborsClassifier(25))]
    plain = MarginStackingClassifier(members, strength=0.01, random_state=0).fit(X[::2], y[::2])
    fair = clone(plain).set_params(class_weight="balanced").fit(X[::2], y[::2])
    by_name = clone(plain).set_params(class_weight={1: 9.0}).fit(X[::2], y[::2])
    rare = y[1::2] == 1
    caught = [(model.predict(X[1::2])[rare] == 1).mean() for model in (plain, fair, by_name)]
    assert caught[1] > caught[0] + 0.1
    assert caught[2] > caught[0] + 0.1
    shares = np.bincount(fair.level_one_.y, fair.level_one_.share)
    np.testing.assert_allclose(shares, 0.5)


@pytest.mark.parametrize(
    ("class_weight", "sentence"),
    [("even", '"balanced" or None'), ({7: 2.0}, "not among the classes"), ({1: -1.0}, ">= 0")],
)
def test_odd_class_weights_are_refused(class_weight, sentence):
    X, y = make_classification(60, random_state=0)
    stack = MarginStackingClassifier(
        [("tree", DecisionTreeClassifier())], class_weight=class_weight
    )
    with pytest.raises(ValueError, match=sentence):
        stack.fit(X, y)


def test_elastic_reaches_the_solver():
    X, y = make_classification(300, 8, n_informative=4, n_classes=3, random_state=0)
    members = [(f"near{k}", KNeighborsClassifier(k)) for k in range(1, 12)]
    lone = MarginStackingClassifier(members, strength=0.05, random_state=0).fit(X, y)
    shared = clone(lone).set_params(elastic=1.0).fit(X, y)
    assert len(shared.selected_) > len(lone.selected_)
    with pytest.raises(ValueError, match="leave elastic=0"):
        clone(lone).set_params(elastic=1.0, penalty="l2").fit(X, y)
