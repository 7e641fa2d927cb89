"""Margins and coefficients that stand for classes, for pairs of classes, or for some classes."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC

from tests.problems import four_view_classes
from uneven import ComboClassifier, EarlyFusionClassifier, LateFusionClassifier
from uneven.fusion import BestViewClassifier
from uneven.utils.estimators import check_margins

PAIRWISE = SVC(decision_function_shape="ovo")


def some_classes(n_classes):
    X, y, views = four_view_classes()
    kept = y < n_classes
    return X[kept], y[kept], views


@pytest.mark.parametrize("n_classes", [3, 4])
@pytest.mark.parametrize(
    "model",
    [
        PAIRWISE,
        NuSVC(nu=0.1, decision_function_shape="ovo"),
        make_pipeline(StandardScaler(), PAIRWISE),
        GridSearchCV(make_pipeline(PAIRWISE), {"svc__C": [1.0]}, cv=2),
        BaggingClassifier(PAIRWISE, n_estimators=2),
    ],
)
def test_margins_of_pairs_are_refused(n_classes, model):
    X, y, views = some_classes(n_classes)
    message = "compares pairs of classes.*ovr"
    late = LateFusionClassifier(model, combine="margins", views=views)
    with pytest.raises(ValueError, match=message):
        late.fit(X, y)
    assert not hasattr(late, "classes_")
    assert late.set_params(combine="votes").fit(X, y).score(X, y) > 0.6
    for whole in (EarlyFusionClassifier(model), BestViewClassifier(model, cv=2)):
        whole.fit(X, y)
        assert whole.score(X, y) > 0.6
        with pytest.raises(ValueError, match=message):
            whole.decision_function(X)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize(
    "model", [SVC(), OneVsRestClassifier(PAIRWISE), BaggingClassifier(SVC(), n_estimators=2)]
)
def test_margins_of_classes_are_not_refused(n_classes, model):
    X, y, views = some_classes(n_classes)
    late = LateFusionClassifier(model, combine="margins", views=views).fit(X, y)
    assert late.score(X, y) > 0.6


def test_two_classes_have_no_other_pairs_and_other_widths_are_named():
    X, y, views = some_classes(2)
    late = LateFusionClassifier(PAIRWISE, combine="margins", views=views).fit(X, y)
    expected = sum(
        SVC().fit(X[:, a : a + 3], y).decision_function(X[:, a : a + 3]) for a in views[:-1]
    )
    np.testing.assert_allclose(late.decision_function(X), expected)
    with pytest.raises(ValueError, match="SVC has 5 columns for 2 classes: 2 are needed"):
        check_margins(SVC().fit(X, y), np.zeros((3, 5)))
    with pytest.raises(ValueError, match="SVC has 1 columns for 2 classes"):
        check_margins(SVC().fit(X, y), np.zeros((3, 1)))


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_coefficients_of_pairs_count_for_both_classes(n_classes):
    X, y, _ = some_classes(n_classes)
    told = EarlyFusionClassifier(SVC(kernel="linear")).fit(X, y).explain().feature_share
    sizes = np.abs(SVC(kernel="linear").fit(X, y).coef_)
    expected = np.zeros((12, n_classes))
    for row, pair in zip(sizes, combinations(range(n_classes), 2), strict=True):
        expected[:, list(pair)] += row[:, None]
    np.testing.assert_allclose(told, expected / expected.sum(axis=0))


@pytest.mark.parametrize("model", [SVC(kernel="linear"), LogisticRegression(), LinearSVC()])
def test_sparse_coefficients_are_read(model):
    X, y, views = some_classes(3)
    dense = EarlyFusionClassifier(model, views=views, random_state=0).fit(X, y)
    sparse = EarlyFusionClassifier(model, views=views, random_state=0).fit(sp.csr_array(X), y)
    if hasattr(sparse.model_, "sparsify"):
        sparse.model_.sparsify()
    assert sp.issparse(sparse.model_.coef_)
    np.testing.assert_allclose(sparse.explain().view_share, dense.explain().view_share, atol=0.01)


@pytest.mark.parametrize(
    "model", [ComboClassifier(n_estimators=5), None, LogisticRegression(), SVC(kernel="linear")]
)
def test_a_class_that_no_training_row_shows_has_no_share(model):
    X, y, views = some_classes(4)
    X[y == 1] = np.nan
    early = EarlyFusionClassifier(model, views=views, random_state=0).fit(X, y)
    told = early.explain().view_share
    np.testing.assert_allclose(told.sum(axis=0), [1.0, 0.0, 1.0, 1.0])
    known = np.flatnonzero(y != 1)
    seen = EarlyFusionClassifier(model, views=views, random_state=0).fit(X[known], y[known])
    np.testing.assert_allclose(told[:, [0, 2, 3]], seen.explain().view_share)
