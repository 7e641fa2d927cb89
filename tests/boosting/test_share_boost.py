"""ShareBoost and its relatives."""

import numpy as np
import pytest

from tests.problems import four_view_classes, gaussian_classes
from uneven import AdaBoostMMClassifier, MumboClassifier
from uneven.boosting import ShareBoostClassifier
from uneven.boosting.share_boost import _Bandit

SELECTIONS = ["max_edge", "random", "bandit", "combination"]


@pytest.mark.parametrize("selection", SELECTIONS)
def test_one_view_is_adaboost_mm(selection):
    X, y = gaussian_classes([80, 40, 12])
    one = ShareBoostClassifier(n_estimators=30, selection=selection, random_state=0).fit(X, y)
    plain = AdaBoostMMClassifier(n_estimators=30).fit(X, y)
    np.testing.assert_allclose(one.history_["weight"], plain.history_["weight"], rtol=1e-12)
    np.testing.assert_allclose(one.decision_function(X), plain.decision_function(X), rtol=1e-12)


def test_greedy_stumps_on_shared_costs_are_early_fusion():
    X, y, views = four_view_classes()
    shared = ShareBoostClassifier(n_estimators=40, max_depth=1, views=views).fit(X, y)
    early = AdaBoostMMClassifier(n_estimators=40, max_depth=1).fit(X, y)
    np.testing.assert_allclose(shared.history_["edge"], early.history_["edge"], rtol=1e-9)
    np.testing.assert_allclose(shared.decision_function(X), early.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_learns_keeps_its_bound_and_resumes(selection, missing):
    X, y, views = four_view_classes()
    gone = np.random.default_rng(1).random((len(y), 4)) < missing
    gone[gone.all(axis=1), 0] = False
    X[np.repeat(gone, 3, axis=1)] = np.nan
    params = {"max_depth": 1, "views": views, "selection": selection, "random_state": 0}
    whole = ShareBoostClassifier(n_estimators=30, **params).fit(X, y)
    assert whole.score(X, y) > 0.7
    shrink = np.cumprod(np.sqrt(1 - whole.history_["edge"] ** 2))
    assert (np.exp(whole.history_["log_loss"]) <= len(y) * 3 * shrink * (1 + 1e-9)).all()
    grown = ShareBoostClassifier(n_estimators=11, warm_start=True, **params).fit(X, y)
    grown.set_params(n_estimators=30).fit(X, y)
    same = 30 if selection != "bandit" else 11
    np.testing.assert_array_equal(grown.history_["weight"][:same], whole.history_["weight"][:same])
    assert grown.n_estimators_ == 30


def test_two_boost_of_two_classes_by_hand():
    X, y = gaussian_classes([150, 90], n_features=6, separation=0.4)
    model = ShareBoostClassifier(
        n_estimators=6, max_depth=1, views=[0, 2, 4, 6], selection="combination"
    ).fit(X, y)
    weights = np.full(len(y), 1 / len(y))
    sign = 2 * y - 1
    for term, alpha in zip(model.vote_.terms(), model.history_["weight"]):
        total = np.zeros(len(y))
        for member in term.voter.vote.terms():
            answers = 2 * member.voter.predict(X) - 1
            error = weights[answers != sign].sum()
            total += 0.5 * np.log((1 - error) / error) * answers
        together = np.where(total > 0, 1, -1)
        error = weights[together != sign].sum()
        assert alpha == pytest.approx(0.5 * np.log((1 - error) / error), rel=1e-6)
        weights *= np.exp(-alpha * together * sign)
        weights /= weights.sum()


def test_random_spreads_over_the_views_and_the_bandit_finds_the_good_one():
    rng = np.random.default_rng(0)
    X, y = gaussian_classes([300, 300], separation=0.6)
    X = np.hstack([X, rng.normal(size=(len(y), 12))])
    params = {"views": [0, 4, 8, 12, 16], "max_depth": 1, "n_estimators": 400, "random_state": 0}
    even = ShareBoostClassifier(selection="random", **params).fit(X, y).selection_counts_
    assert even.min() > 60
    bandit = _Bandit(4, 400)
    for _ in range(200):
        bandit.pay(2, 0.5)
    chances = bandit.probabilities()
    assert chances.argmax() == 2
    assert chances.sum() == pytest.approx(1.0)
    assert chances.min() >= 0.3 / 4


def test_missing_views_do_not_shape_what_a_view_learns():
    X, y, _views = four_view_classes([150, 150])
    gone = np.random.default_rng(0).random(len(y)) < 0.5
    X[gone, 0:3] = np.nan
    model = ShareBoostClassifier(n_estimators=1, max_depth=1, views={"first": [0, 1, 2]}).fit(X, y)
    alone = MumboClassifier(n_estimators=1, max_depth=1).fit(X[~gone, :3], y[~gone])
    np.testing.assert_allclose(model.history_["edge"], alone.history_["edge"], rtol=1e-12)


def test_a_bad_selection_is_named():
    X, y, views = four_view_classes()
    with pytest.raises(ValueError, match="selection must be one of 'bandit', 'combination'"):
        ShareBoostClassifier(selection="quota", views=views).fit(X, y)
