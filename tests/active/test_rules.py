"""Query rules: what they prefer, and where two of them are the same."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from uneven import (
    ActiveLearner,
    BayesPointClassifier,
    LateFusionClassifier,
    MuComboClassifier,
    MumboClassifier,
)
from uneven.active import Pool
from uneven.active.orientation import _Cloud, _density_at_zero, orientation_aware
from uneven.active.registry import RULES
from uneven.active.rules import (
    balanced_votes,
    centre_of_gravity,
    expected_model_change,
    maxmin_margin,
    ratio_margin,
    simple_margin,
    uncertainty,
    views_disagree,
)
from uneven.bounds import approximate_centre_lambda
from uneven.linear import gram, hard_margin
from uneven.versionspace import VersionSpace, exact_centre


def unit_rows(seed: int, n: int, d: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, d))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def started(X, y, known, estimator=None, **choices) -> ActiveLearner:
    """A learner that knows the labels of some rows."""
    estimator = estimator or BayesPointClassifier("linear")
    return ActiveLearner(estimator, random_state=0, **choices).start(X).tell(known, y[known])


@pytest.fixture
def cone():
    """A pool in three dimensions with a few labels, where all centres differ."""
    X = unit_rows(4, 60, 3)
    y = np.where(X @ np.array([0.3, -0.2, 0.9]) >= 0, 1, -1)
    known = np.array([0, 1, 2, 3, 4, 5])
    return X, y, known


def test_centre_of_gravity_prefers_the_hyperplane_nearest_to_the_exact_centre(cone):
    X, y, known = cone
    learner = started(X, y, known, query="centre_of_gravity")
    space = VersionSpace.from_labels(X[known], y[known])
    exact = exact_centre(space.cuts).centre
    exact = exact / np.linalg.norm(exact)
    utilities = centre_of_gravity(learner.state())
    distances = np.abs(X[learner.unlabelled_] @ exact)
    np.testing.assert_allclose(utilities, -distances, atol=0.02)
    assert learner.ask(1)[0] == learner.unlabelled_[distances.argmin()]


def test_simple_prefers_the_row_nearest_to_the_hard_margin(cone):
    X, y, known = cone
    learner = started(X, y, known, query="simple")
    w = hard_margin(X[known] * y[known][:, None]).w
    expected = -np.abs(X[learner.unlabelled_] @ w) / np.linalg.norm(w)
    np.testing.assert_allclose(simple_margin(learner.state()), expected, atol=1e-9)


def test_lengths_of_rows_do_not_matter(cone):
    X, y, known = cone
    long = X * np.random.default_rng(0).uniform(0.1, 50.0, len(X))[:, None]
    for rule in (centre_of_gravity, simple_margin, balanced_votes):
        np.testing.assert_allclose(
            rule(started(long, y, known).state()), rule(started(X, y, known).state()), atol=1e-6
        )


def test_votes_that_are_even_change_the_model_most(cone):
    X, y, known = cone
    state = started(X, y, known).state()
    share = state.votes()[:, 1]
    np.testing.assert_allclose(expected_model_change(state), 2 * share * (1 - share), atol=1e-12)
    np.testing.assert_allclose(balanced_votes(state), -np.abs(2 * share - 1), atol=1e-12)
    assert expected_model_change(state).argmax() == balanced_votes(state).argmax()


def test_with_many_classes_the_two_most_popular_answers_are_balanced():
    X, y = load_iris(return_X_y=True)
    state = started(X, y, np.arange(0, 150, 10)).state()
    votes = np.sort(state.votes(), axis=1)
    np.testing.assert_allclose(balanced_votes(state), votes[:, 1] - votes[:, 2], atol=1e-12)


def test_balanced_splits_the_exact_volume_almost_evenly(cone):
    X, y, known = cone
    learner = started(X, y, known)
    row = learner.unlabelled_[balanced_votes(learner.state()).argmax()]
    space = VersionSpace.from_labels(X[known], y[known])
    whole = exact_centre(space.cuts).share
    parts = [exact_centre(space.with_cut(X[row], t).cuts).share / whole for t in (1, -1)]
    assert sum(parts) == pytest.approx(1.0, abs=1e-9)
    assert min(parts) > 0.35


def test_margins_after_both_answers_decide_maxmin_and_ratio(cone):
    X, y, known = cone
    state = started(X, y, known).state()
    cuts = X[known] * y[known][:, None]
    space = VersionSpace(cuts)
    worst, even = maxmin_margin(state, candidates=None), ratio_margin(state, candidates=None)
    for i, row in enumerate(state.candidates):
        if space.implied_labels(X[row : row + 1])[0]:
            assert worst[i] == even[i] == 0.0
            continue
        m = [hard_margin(np.vstack([cuts, t * X[row]])).margin for t in (1, -1)]
        assert worst[i] == pytest.approx(min(m))
        assert even[i] == pytest.approx(min(m) / max(m))
    few = maxmin_margin(state, candidates=7)
    assert np.isfinite(few).sum() == 7
    np.testing.assert_allclose(few[np.isfinite(few)], worst[np.isfinite(few)])


def test_orientation_prefers_the_wide_direction_at_equal_distance():
    half_width = 0.1
    corners = [(0.0, half_width), (0.0, -half_width), (1.2, 0.0)]
    corners = np.array(
        [[np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)] for a, b in corners]
    )
    cuts = np.cross(corners, np.roll(corners, -1, axis=0))
    cuts *= np.sign(cuts @ corners.mean(axis=0))[:, None]
    cuts /= np.linalg.norm(cuts, axis=1, keepdims=True)
    centre = exact_centre(cuts).centre
    along = corners[2] - corners[0] - corners[1]
    tilt = 0.004
    rows = []
    for direction in (along, np.array([0.0, 0.0, 1.0])):
        v = direction - (direction @ centre) / (centre @ centre) * centre
        v /= np.linalg.norm(v)
        rows.append(v * np.cos(tilt) + centre / np.linalg.norm(centre) * np.sin(tilt))
    X = np.vstack([cuts, -cuts[:1], rows])
    y = np.array([1, 1, 1, -1, 1, 1])
    learner = started(X, y, np.arange(4))
    gravity = centre_of_gravity(learner.state())
    assert gravity[0] == pytest.approx(gravity[1], abs=0.03)
    utilities = orientation_aware(learner.state(), n_samples=4000)
    assert utilities[0] > utilities[1] + 1.0


def test_uncertainty_reads_probabilities_or_scores_of_any_classifier():
    X, y = load_iris(return_X_y=True)
    known = np.arange(0, 150, 10)
    state = started(X, y, known, LogisticRegression()).state()
    best = np.sort(state.model.predict_proba(X[state.candidates]), axis=1)
    np.testing.assert_allclose(uncertainty(state), best[:, -2] - best[:, -1])
    state = started(X, y, known, SVC()).state()
    best = np.sort(state.model.decision_function(X[state.candidates]), axis=1)
    np.testing.assert_allclose(uncertainty(state), best[:, -2] - best[:, -1])


TWO = {"left": [0, 1], "right": [2, 3]}


@pytest.fixture
def two_views():
    """Two views that tell the class, but in six rows, where the right one lies or is missing."""
    rng = np.random.default_rng(0)
    y = np.arange(66) % 2
    X = 3.0 * y[:, None] + 0.3 * rng.normal(size=(66, 4))
    X[60:63, 2:] = 3.0 - X[60:63, 2:]
    X[63:, 2:] = np.nan
    return X, y, np.arange(20)


@pytest.mark.parametrize("form", ["array", "sparse", "frame"])
@pytest.mark.parametrize(
    "model",
    [
        MuComboClassifier(n_estimators=6),
        LateFusionClassifier(LogisticRegression()),
    ],
    ids=["mucombo", "late"],
)
def test_views_that_contradict_each_other_are_asked_first(two_views, model, form):
    X, y, known = two_views
    forms = {"array": np.asarray, "sparse": sp.csr_matrix}
    pool = forms.get(form, lambda rows: pd.DataFrame(rows, columns=list("abcd")))(X)
    learner = started(pool, y, known, model.set_params(views=TWO), query="views_disagree")
    utilities = views_disagree(learner.state())
    assert set(learner.unlabelled_[np.argsort(-utilities)[:3]]) == {60, 61, 62}
    contested = np.isin(learner.unlabelled_, [60, 61, 62])
    expected = uncertainty(learner.state()) + contested
    np.testing.assert_allclose(utilities, expected, atol=1e-12)


def test_parts_of_the_pool_and_the_whole_say_the_same(two_views, monkeypatch):
    X, y, known = two_views
    model = LateFusionClassifier(GaussianNB(), views=TWO)
    state = started(X, y, known, model, query="views_disagree").state()
    whole = views_disagree(state)
    monkeypatch.setattr("uneven.active.rules._CELLS_AT_ONCE", 28)
    np.testing.assert_allclose(views_disagree(state), whole)


def test_without_views_nobody_can_disagree(cone, two_views):
    one_view_speaks = MumboClassifier(n_estimators=1, views=TWO)
    for learner in (started(*cone), started(*two_views, one_view_speaks, query="uncertainty")):
        state = learner.state()
        np.testing.assert_array_equal(views_disagree(state), uncertainty(state))


@pytest.mark.parametrize("name", sorted(RULES))
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_every_rule_answers_for_many_classes(name, sparse, multi_class):
    X, y = load_iris(return_X_y=True)
    known = np.array([0, 20, 60, 80, 110, 120, 130])
    pool = sp.csr_matrix(X) if sparse else X
    estimator = BayesPointClassifier("linear", fit_intercept=True, multi_class=multi_class)
    learner = started(pool, y, known, estimator, query=name)
    utilities = RULES[name](learner.state())
    assert utilities.shape == (143,)
    assert len(np.unique(utilities[np.isfinite(utilities)])) > 10
    rows = learner.ask(3)
    assert len(set(rows) - set(known)) == 3


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
def test_rules_look_at_the_space_of_the_kernel(kernel):
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = (np.hypot(*X.T) > 1.1).astype(int)
    known = np.r_[np.flatnonzero(y == 0)[:3], np.flatnonzero(y == 1)[:3]]
    learner = started(X, y, known, BayesPointClassifier(kernel, gamma=1.0))
    space = learner.model_.spaces_[0]
    mean = learner.model_.means_[0]
    expected = -np.abs(space.scores(mean / np.linalg.norm(mean), X[learner.unlabelled_]))
    np.testing.assert_allclose(centre_of_gravity(learner.state()), expected, atol=1e-7)
    assert np.isfinite(partial(orientation_aware, candidates=5)(learner.state())).sum() == 5


def test_the_geometry_may_differ_from_the_classifier(cone):
    X, y, known = cone
    geometry = BayesPointClassifier("linear")
    learner = started(X, y, known, LogisticRegression(), geometry=geometry)
    np.testing.assert_array_equal(
        centre_of_gravity(learner.state()), centre_of_gravity(started(X, y, known).state())
    )


@pytest.mark.parametrize("name", ["maxmin", "ratio", "orientation_aware"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_an_intercept_is_a_constant_column(name, sparse):
    X, y = load_iris(return_X_y=True)
    X, y = X[:100] - X[:100].mean(axis=0) + 0.7, y[:100]
    known = np.array([0, 30, 60, 90])
    with_column = np.column_stack([X, np.ones(len(X))])
    kind = sp.csr_matrix if sparse else np.asarray
    by_hand = started(kind(with_column), y, known)
    fitted = started(kind(X), y, known, BayesPointClassifier("linear", fit_intercept=True))
    without = started(kind(X), y, known)
    utilities = [RULES[name](learner.state()) for learner in (fitted, by_hand, without)]
    np.testing.assert_allclose(utilities[0], utilities[1], rtol=1e-6, atol=1e-9)
    seen = np.isfinite(utilities[0]) & np.isfinite(utilities[2])
    assert np.abs(utilities[0][seen] - utilities[2][seen]).max() > 1e-3


def test_rows_of_given_kernel_values_have_their_own_lengths():
    rng = np.random.default_rng(0)
    X = unit_rows(0, 40, 6) * rng.uniform(0.1, 9.0, 40)[:, None]
    y = np.where(X @ rng.normal(size=6) > 0, 1, -1)
    known = np.r_[np.flatnonzero(y > 0)[:2], np.flatnonzero(y < 0)[:2]]
    given = started(X @ X.T, y, known, BayesPointClassifier("precomputed"))
    plain = started(X, y, known)
    for rule in (maxmin_margin, ratio_margin, centre_of_gravity):
        np.testing.assert_allclose(rule(given.state()), rule(plain.state()), atol=1e-6)


def test_rows_are_placed_together(cone, monkeypatch):
    X, y, known = cone
    state = started(X, y, known).state()
    calls = []
    place = type(state.centre().span_).coordinates
    monkeypatch.setattr(
        type(state.centre().span_),
        "coordinates",
        lambda self, *rest: calls.append(1) or place(self, *rest),
    )
    orientation_aware(state, n_samples=10)
    assert len(calls) == 1


@pytest.mark.parametrize("name", ["simple", "maxmin", "ratio", "orientation_aware"])
def test_a_ridge_lets_the_rules_live_with_labels_that_contradict(name):
    X = np.vstack([unit_rows(0, 20, 3), [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]])
    y = np.append((X[:20, 0] > 0).astype(int), [0, 1])
    known = np.array([0, 1, 2, 3, 20, 21])
    soft = started(X, y, known, BayesPointClassifier("linear", ridge=0.01), query=name)
    assert len(soft.ask(2)) == 2
    hard = started(X, y, known, query=name)
    with pytest.raises(ValueError, match=r"agrees with all labels.*ridge"):
        hard.ask(1)


def test_the_guarantee_counts_the_reach_on_the_small_side():
    """Of two cuts that are equally far off and dense, the one with more beyond it is better."""
    cuts = np.eye(3)
    cloud = _Cloud(cuts, 20_000, np.random.default_rng(0))
    x = np.array([0.2, -0.6, 0.5])
    x /= np.linalg.norm(x)
    products = cloud.products(x, 0.0)
    beyond = np.linalg.norm(np.clip(-x if products.mean() > 0 else x, 0.0, None))
    before = np.linalg.norm(np.clip(x if products.mean() > 0 else -x, 0.0, None))
    expected = approximate_centre_lambda(
        abs(products.mean()), _density_at_zero(products), beyond, before, 3, log=True
    )
    assert beyond != pytest.approx(before, rel=0.1)
    assert cloud.cut(x, 0.0).log_lambda() == pytest.approx(expected)


def test_lengths_follow_a_kernel_whose_width_follows_the_labels():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = (X[:, 0] > 0).astype(int)
    learner = started(X, y, np.arange(4), BayesPointClassifier("poly", degree=2))
    centre_of_gravity(learner.state())
    learner.tell(np.arange(4, 12), y[4:12])
    fresh = started(X, y, np.arange(12), BayesPointClassifier("poly", degree=2))
    np.testing.assert_allclose(
        centre_of_gravity(learner.state()), centre_of_gravity(fresh.state()), atol=1e-12
    )


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("name", sorted(set(RULES) - {"random"}))
def test_kernel_values_ask_what_their_kernel_asks(kernel, name):
    X = np.random.default_rng(1).normal(size=(40, 6)) * np.linspace(0.5, 3.0, 40)[:, None]
    y = (X[:, 0] > 0).astype(int)
    known = np.r_[np.flatnonzero(y == 0)[:3], np.flatnonzero(y == 1)[:3]]
    values = gram(X, None, kernel, gamma=0.2)
    by_length = ("balanced", "expected_model_change", "uncertainty", "views_disagree")
    if kernel == "linear" and name in by_length:
        values = values / np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(X, axis=1))
    by_name = started(X, y, known, BayesPointClassifier(kernel, gamma=0.2), query=name)
    by_values = started(values, y, known, BayesPointClassifier("precomputed"), query=name)
    np.testing.assert_array_equal(by_values.ask(3), by_name.ask(3))


@pytest.mark.parametrize(("kernel", "times"), [("linear", 1), ("poly", 3)])
def test_lengths_of_rows_are_measured_again_only_if_the_kernel_changes(kernel, times, monkeypatch):
    measured = []
    measure = Pool._measure
    monkeypatch.setattr(Pool, "_measure", lambda *told: measured.append(1) or measure(*told))
    X = np.random.default_rng(0).normal(size=(40, 5))
    learner = ActiveLearner(BayesPointClassifier(kernel), "balanced", random_state=0).start(X)
    learner.tell([0, 1, 2], [0, 1, 1])
    for row in (3, 4, 5):
        learner.ask(2)
        learner.tell([row], [row % 2])
    assert len(measured) == times
    assert len(learner._pool._norms) == 1
