"""The depth of trees in multi-view boosting follows the number of classes."""

import numpy as np
import pytest

from tests.problems import gaussian_classes
from uneven import AdaBoostMMClassifier, MuComboClassifier, MumboClassifier
from uneven.boosting import ShareBoostClassifier

KINDS = [MumboClassifier, MuComboClassifier, ShareBoostClassifier]
VIEWS = [0, 4, 8]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n_classes", "depth"), [(16, 3), (17, 5), (33, 6)])
def test_automatic_depth_gives_a_leaf_to_each_of_many_classes(kind, n_classes, depth):
    X, y = gaussian_classes([6] * n_classes, n_features=8)
    model = kind(views=VIEWS, n_estimators=3).fit(X, y)
    same = kind(views=VIEWS, n_estimators=3, max_depth=depth).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), same.decision_function(X))
    other = kind(views=VIEWS, n_estimators=3, max_depth=depth - 1).fit(X, y)
    assert (model.decision_function(X) != other.decision_function(X)).any()


@pytest.mark.parametrize("kind", [MumboClassifier, ShareBoostClassifier])
def test_many_classes_are_learnt_by_default(kind):
    X, y = gaussian_classes([24] * 40, n_features=8, separation=2.0)
    default, shallow = (
        kind(views=VIEWS, n_estimators=20, **depth).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
        for depth in ({}, {"max_depth": 3})
    )
    assert default > shallow + 0.1


@pytest.mark.parametrize("kind", [MumboClassifier, MuComboClassifier])
def test_leaves_with_scores_know_all_classes_at_depth_3(kind):
    X, y = gaussian_classes([6] * 20, n_features=8)
    scores = {"views": VIEWS, "n_estimators": 3, "leaves": "scores", "random_state": 0}
    model, same = kind(**scores).fit(X, y), kind(max_depth=3, **scores).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba(X))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("depth", ["deep", 0, None])
def test_other_depths_are_refused(kind, depth):
    with pytest.raises((TypeError, ValueError), match="max_depth"):
        kind(views=VIEWS, max_depth=depth).fit(*gaussian_classes([6] * 3, n_features=8))


def test_methods_for_one_view_have_no_automatic_depth():
    with pytest.raises((TypeError, ValueError), match="max_depth"):
        AdaBoostMMClassifier(max_depth="auto").fit(*gaussian_classes([6] * 3))
