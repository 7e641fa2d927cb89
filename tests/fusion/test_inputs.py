"""What all methods of the room do with a table before they learn from it or are asked."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tests.problems import four_view_classes
from uneven import (
    BregmanVoteClassifier,
    CarakoClassifier,
    EarlyFusionClassifier,
    LateFusionClassifier,
)
from uneven.fusion import BestViewClassifier, HoldoutFusionClassifier
from uneven.fusion.forest_logistic import ForestLogisticClassifier
from uneven.utils.validation import narrow_indices

TREE = DecisionTreeClassifier(max_depth=3, class_weight="balanced")
METHODS = [
    EarlyFusionClassifier(),
    EarlyFusionClassifier(scale=True),
    LateFusionClassifier("published"),
    LateFusionClassifier(ForestLogisticClassifier(3), rule="product"),
    HoldoutFusionClassifier(),
    BestViewClassifier(cv=2),
    CarakoClassifier(TREE, max_iter=2),
    BregmanVoteClassifier("published"),
    BregmanVoteClassifier(TREE),
]


def wide(X):
    X = X.copy()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
def test_sparse_tables_with_wide_indices(method, kind):
    X, y, views = four_view_classes()
    X = kind(np.where(X > 0.5, X, 0.0))
    model = clone(method).set_params(views=views, random_state=0)
    expected = clone(model).fit(X, y).predict(X)
    given = wide(X)
    found = model.fit(given, y).predict(given)
    assert given.indices.dtype == np.int64
    np.testing.assert_array_equal(found, expected)


def test_only_indices_that_fit_are_narrowed():
    X = sp.csr_array((np.ones(1), [2**31 + 5], [0, 1]), shape=(1, 2**31 + 9))
    assert narrow_indices(X) is X
    plain = sp.csr_array(np.eye(3))
    assert narrow_indices(plain) is plain
    narrow = narrow_indices(wide(sp.csr_matrix(np.eye(3))))
    assert isinstance(narrow, sp.csr_matrix)
    assert narrow.indptr.dtype == np.int32


@pytest.mark.parametrize("method", [m for m in METHODS if "n_jobs" in m.get_params()])
def test_a_number_of_threads_that_is_none_is_named(method):
    X, y, views = four_view_classes()
    model = clone(method).set_params(views=views, n_jobs="a")
    with pytest.raises(ValueError, match=r"n_jobs must be a whole number .* got 'a'"):
        model.fit(X, y)
    assert model.set_params(n_jobs=-1).fit(X, y).score(X, y) > 0.4


@pytest.mark.parametrize("method", [LateFusionClassifier, BestViewClassifier])
def test_equal_weights_are_no_weights(method):
    X, y, views = four_view_classes()
    plain = method(KNeighborsClassifier(), views=views, random_state=0).fit(X, y)
    equal = method(KNeighborsClassifier(), views=views, random_state=0).fit(
        X, y, np.full(len(y), 2.0)
    )
    np.testing.assert_array_equal(equal.predict(X), plain.predict(X))


class _Fails(ClassifierMixin, BaseEstimator):
    """A tree that cannot learn from more than so many rows."""

    def __init__(self, limit=100):
        self.limit = limit

    def fit(self, X, y, sample_weight=None):
        if len(X) > self.limit:
            raise KeyboardInterrupt
        self.classes_ = np.unique(y)
        self._tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y, sample_weight)
        return self

    def predict(self, X):
        return self._tree.predict(X)


@pytest.mark.parametrize("method", METHODS)
def test_an_interrupted_fit_leaves_the_old_model_alone(method):
    X, y, views = four_view_classes()
    taught = "voters" if isinstance(method, BregmanVoteClassifier) else "estimator"
    model = clone(method).set_params(views=views, random_state=0, **{taught: _Fails(len(y))})
    if "combine" in model.get_params():
        model.set_params(combine="votes", rule="sum")
    first = np.hstack([X[:, 9:], X[:, :9]])
    before = model.fit(first, y).predict(first)
    kept = dict(vars(model))
    with pytest.raises(KeyboardInterrupt):
        model.fit(np.vstack([X, X]), np.append(y, y))
    np.testing.assert_array_equal(model.predict(first), before)
    assert {k: v for k, v in vars(model).items() if k.startswith("_")} == {
        k: v for k, v in kept.items() if k.startswith("_")
    }
