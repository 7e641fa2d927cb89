"""Theorems and exact equivalences of the boosting methods, on learnt votes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from tests.problems import gaussian_classes, tables
from uneven import AdaBoostMMClassifier, ComboClassifier
from uneven.bounds import training_loss_bound
from uneven.metrics import error_matrix


def normalised_loss(scores, y, weights):
    pairs = np.exp(scores - scores[np.arange(len(y)), y][:, None])
    pairs[np.arange(len(y)), y] = 0.0
    return float((weights * pairs.sum(axis=1)).sum())


@pytest.mark.filterwarnings("ignore:no voter does better")
@given(tables(), st.sampled_from([1, 3]))
def test_combo_bounds_the_confusion_norm_in_every_round(problem, depth):
    X, y, n_classes = problem
    model = ComboClassifier(n_estimators=15, max_depth=depth).fit(X, y)
    if not model.n_estimators_:
        return
    start = n_classes * (n_classes - 1)
    losses = np.exp(model.history_["log_loss"])
    bounds = start * np.cumprod(np.sqrt(1 - np.minimum(model.history_["edge"], 1 - 1e-10) ** 2))
    assert (losses <= bounds * (1 + 1e-9)).all()
    assert (bounds <= start * np.exp(-0.5 * np.cumsum(model.history_["edge"] ** 2)) + 1e-9).all()
    for loss, answers in zip(losses, model.staged_predict(X)):
        errors = error_matrix(y, answers)
        norm = np.linalg.norm(errors, 2)
        assert norm**2 <= (errors**2).sum() + 1e-9
        assert (errors**2).sum() <= errors.sum() + 1e-9
        assert errors.sum() <= loss * (1 + 1e-9)
        assert norm <= min(loss, np.sqrt(loss)) * (1 + 1e-9)


@pytest.mark.filterwarnings("ignore:no voter does better")
@given(tables())
def test_adaboost_mm_bounds_its_training_error(problem):
    X, y, n_classes = problem
    model = AdaBoostMMClassifier(n_estimators=15, max_depth=2).fit(X, y)
    if not model.n_estimators_:
        return
    losses = np.exp(model.history_["log_loss"])
    shrink = np.cumprod(np.sqrt(1 - np.minimum(model.history_["edge"], 1 - 1e-10) ** 2))
    assert (losses <= len(y) * (n_classes - 1) * shrink * (1 + 1e-9)).all()
    errors = [np.mean(answers != y) for answers in model.staged_predict(X)]
    assert (errors <= (n_classes - 1) * shrink + 1e-9).all()
    if n_classes == 2 and model.history_["edge"].max() < 1 - 1e-6:
        np.testing.assert_allclose(losses, len(y) * shrink, rtol=1e-6)


@pytest.mark.parametrize("n_classes", [3, 5])
def test_normalised_votes_cannot_push_the_loss_below_its_floor(n_classes):
    X, y = gaussian_classes([40] * n_classes, separation=3.0)
    model = ComboClassifier(n_estimators=60).fit(X, y)
    scores = model.decision_function(X) / model.history_["weight"].sum()
    loss = normalised_loss(scores, y, 1.0 / np.bincount(y)[y])
    assert loss >= n_classes * (n_classes - 1) / np.e


def test_two_classes_are_adaboost():
    X, y = gaussian_classes([150, 90], separation=0.7)
    ours = AdaBoostMMClassifier(n_estimators=40, max_depth=1).fit(X, y)
    np.testing.assert_allclose(ours.history_["weight"], adaboost(X, y, ours), rtol=1e-9)


def test_two_classes_are_scikit_learns_adaboost_with_the_same_weak_learner():
    X, y = gaussian_classes([150, 90], separation=0.7)
    stump = DecisionTreeClassifier(max_depth=1)
    ours = AdaBoostMMClassifier(stump, n_estimators=25, random_state=0).fit(X, y)
    theirs = AdaBoostClassifier(stump, n_estimators=25, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.history_["weight"], 0.5 * theirs.estimator_weights_, rtol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def adaboost(X, y, model):
    """Vote weights of AdaBoost when its rounds answer what the model's voters answer."""
    sign = 2 * y - 1
    weights = np.full(len(y), 1 / len(y))
    votes = []
    for term in model.vote_.terms():
        answers = 2 * term.voter.predict(X) - 1
        error = weights[answers != sign].sum()
        votes.append(0.5 * np.log((1 - error) / error))
        weights *= np.exp(-votes[-1] * answers * sign)
        weights /= weights.sum()
    return votes


@pytest.mark.parametrize("depth", [1, 3])
def test_combo_on_even_classes_is_adaboost_mm(depth):
    X, y = gaussian_classes([64] * 4)
    combo = ComboClassifier(n_estimators=60, max_depth=depth).fit(X, y)
    plain = AdaBoostMMClassifier(n_estimators=60, max_depth=depth).fit(X, y)
    np.testing.assert_allclose(combo.history_["weight"], plain.history_["weight"], rtol=1e-9)
    np.testing.assert_allclose(combo.decision_function(X), plain.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize("method", [AdaBoostMMClassifier, ComboClassifier])
def test_permuting_labels_permutes_votes(method):
    X, y = gaussian_classes([60, 30, 15])
    swap = np.array([2, 0, 1])
    no_ties = np.random.default_rng(0).uniform(0.5, 1.5, len(y))
    plain = method(n_estimators=30).fit(X, y, no_ties)
    swapped = method(n_estimators=30).fit(X, swap[y], no_ties)
    np.testing.assert_allclose(
        plain.decision_function(X), swapped.decision_function(X)[:, swap], rtol=1e-9
    )


@pytest.mark.parametrize("method", [AdaBoostMMClassifier, ComboClassifier])
def test_doubling_the_sample_or_scaling_its_weights_changes_nothing(method):
    X, y = gaussian_classes([60, 30, 15])
    plain = method(n_estimators=30).fit(X, y)
    doubled = method(n_estimators=30).fit(np.vstack([X, X]), np.concatenate([y, y]))
    scaled = method(n_estimators=30).fit(X, y, sample_weight=np.full(len(y), 1e-130))
    for other in (doubled, scaled):
        np.testing.assert_allclose(other.history_["edge"], plain.history_["edge"], rtol=1e-9)
        np.testing.assert_array_equal(other.predict(X), plain.predict(X))


def test_oversampling_equals_weights():
    X, y = gaussian_classes([60, 20], separation=0.8)
    repeats = np.where(y == 1, 3, 1)
    repeated = AdaBoostMMClassifier(n_estimators=20).fit(
        np.repeat(X, repeats, axis=0), np.repeat(y, repeats)
    )
    weighted = AdaBoostMMClassifier(n_estimators=20).fit(X, y, sample_weight=repeats)
    np.testing.assert_allclose(weighted.history_["edge"], repeated.history_["edge"], rtol=1e-9)
    np.testing.assert_allclose(weighted.vote_.score(X), repeated.vote_.score(X), rtol=1e-7)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_combo_is_adaboost_mm_with_every_class_weighing_the_same(depth):
    X, y = gaussian_classes([90, 30, 12])
    combo = ComboClassifier(n_estimators=40, max_depth=depth).fit(X, y)
    plain = AdaBoostMMClassifier(n_estimators=40, max_depth=depth)
    plain.fit(X, y, sample_weight=1.0 / np.bincount(y)[y])
    np.testing.assert_allclose(combo.history_["edge"], plain.history_["edge"], rtol=1e-9)
    np.testing.assert_allclose(combo.decision_function(X), plain.decision_function(X), rtol=1e-9)


def test_line_search_never_takes_a_smaller_step_and_agrees_for_two_classes():
    X, y = gaussian_classes([50, 30, 20])
    searched = ComboClassifier(n_estimators=30, max_depth=1, line_search=True).fit(X, y)
    published = ComboClassifier(n_estimators=30, max_depth=1).fit(X, y)
    assert searched.history_["weight"][0] >= published.history_["weight"][0]
    assert searched.history_["log_loss"][0] <= published.history_["log_loss"][0] + 1e-12
    two = y < 2
    searched = ComboClassifier(n_estimators=30, line_search=True).fit(X[two], y[two])
    published = ComboClassifier(n_estimators=30).fit(X[two], y[two])
    np.testing.assert_allclose(searched.history_["weight"], published.history_["weight"], rtol=1e-6)


def test_history_obeys_the_published_bound():
    X, y = gaussian_classes([80, 20, 10])
    model = ComboClassifier(n_estimators=40, max_depth=1).fit(X, y)
    bound = training_loss_bound(model.history_["edge"], initial_loss=6.0)
    assert np.exp(model.history_["log_loss"][-1]) <= np.ravel(bound)[-1] * (1 + 1e-9)


def test_dear_mistakes_become_rare():
    X, y = gaussian_classes([150, 150, 150], separation=0.6)
    price = np.ones((3, 3))
    price[0, 2] = 50.0
    plain = ComboClassifier(n_estimators=30, max_depth=1).fit(X, y)
    costly = ComboClassifier(n_estimators=30, max_depth=1, class_cost=price).fit(X, y)
    assert error_matrix(y, costly.predict(X))[0, 2] < 0.5 * error_matrix(y, plain.predict(X))[0, 2]
