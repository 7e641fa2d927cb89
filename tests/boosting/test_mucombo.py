"""µCoMBo: a round worked by hand, its theorems and its equivalences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.boosting.scripted import Scripted, row_numbers
from tests.problems import four_view_classes, gaussian_classes, view_tables
from uneven import (
    AdaBoostMMClassifier,
    ComboClassifier,
    LateFusionClassifier,
    MuComboClassifier,
    MumboClassifier,
)
from uneven.costs.class_weights import exact_coefficients
from uneven.datasets import make_imbalanced_views
from uneven.metrics import confusion_norm, error_matrix, geometric_mean_recall

Y = np.array([0, 0, 0, 1, 1, 2])
pytestmark = pytest.mark.filterwarnings(
    "ignore:no voter does better", "ignore:views .* are not used"
)


def by_hand(**params):
    script = {"a": Scripted([[0, 0, 0, 1, 1, 1]]), "b": Scripted([[0, 0, 2, 1, 0, 2]])}
    model = MuComboClassifier(script, views={"a": [0], "b": [1]}, n_estimators=1, **params)
    return model.fit(row_numbers(6, 2), Y)


@pytest.mark.parametrize(
    ("coefficients", "expected"),
    [
        ("exact", [[1, 0.182333, 0], [0, 0.817667, 1]]),
        ("simplified", [[0.773315, 0.329101, 0], [0.226685, 0.670899, 1]]),
        ("ones", [[1, 1, 1], [1, 1, 1]]),
    ],
)
def test_one_round_worked_by_hand(coefficients, expected):
    model = by_hand(coefficients=coefficients)
    np.testing.assert_allclose(model.history_["view_edge"], [[0.5, 0.583333333]], atol=1e-9)
    np.testing.assert_allclose(
        model.history_["view_weight"], [[0.549306144, 0.667500533]], atol=1e-9
    )
    np.testing.assert_allclose(model.history_["coefficients"][0], expected, atol=1e-6)
    np.testing.assert_allclose(model.coefficients_, expected, atol=1e-6)
    votes = model.history_["view_weight"][0][:, None] * model.history_["coefficients"][0]
    spoken = {t.view: t.weight for t in model.vote_.terms()}
    for view, weight in spoken.items():
        np.testing.assert_array_equal(weight, votes[view])


def slow_loss(model, X, y, view):
    """The exponential loss of one view's own scores, row by row."""
    present = model.views_.presence(X)[:, view]
    sizes = np.bincount(y[present], minlength=y.max() + 1)
    scores = np.zeros((len(y), y.max() + 1))
    for term in model.vote_.terms():
        if term.view == view:
            answers = term.voter.predict(X)
            scores[np.arange(len(y)), answers] += term.weight[answers]
    total = 0.0
    for i in np.flatnonzero(present):
        wrong = np.arange(scores.shape[1]) != y[i]
        total += np.exp(scores[i, wrong] - scores[i, y[i]]).sum() / sizes[y[i]]
    return total


@given(
    view_tables(), st.sampled_from(["exact", "simplified", "ones"]), st.sampled_from(["eq1", "le1"])
)
def test_losses_are_what_they_say_and_bound_the_confusion_norm(problem, coefficients, constraint):
    X, y, n_classes, views = problem
    model = MuComboClassifier(
        n_estimators=8, max_depth=1, views=views, coefficients=coefficients, constraint=constraint
    ).fit(X, y)
    if not model.n_estimators_:
        return
    past = model.history_
    n_views = len(model.views_)
    losses = np.exp(past["view_log_loss"])
    seen = model.views_.presence(X)
    silent = [n_views > 1 and len(np.unique(y[here])) < 2 for here in seen.T]
    for view in np.flatnonzero(~np.array(silent)):
        np.testing.assert_allclose(losses[-1, view], slow_loss(model, X, y, view), rtol=1e-8)
    assert (losses[:, silent] == 0.0).all()
    np.testing.assert_allclose(np.exp(past["log_loss"]), losses.sum(axis=1), rtol=1e-9)
    if seen.any(axis=1).all():
        errors = error_matrix(y, model.predict(X)).sum()
        assert errors <= losses[-1].sum() + 2 * n_views * n_classes * (n_classes - 1) + 1e-9
    start = [len(np.unique(y[here])) * (n_classes - 1) for here in seen.T]
    before = np.vstack([start, losses[:-1]])
    if coefficients == "ones":
        shrink = np.sqrt(1 - np.minimum(past["view_edge"], 1 - 1e-10) ** 2)
        assert (losses <= before * shrink * (1 + 1e-9)).all()
    elif coefficients == "exact" and constraint == "le1":
        assert (losses <= before * (1 + 1e-9)).all()
    sums = past["coefficients"].sum(axis=1)
    if coefficients == "exact":
        assert (sums <= 1 + 1e-9).all() if constraint == "le1" else np.allclose(sums, 1)


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("coefficients", ["exact", "simplified", "ones"])
def test_one_view_is_combo_to_the_last_bit(depth, coefficients):
    X, y = gaussian_classes([80, 40, 12])
    X[::7, 0] = np.nan
    one = MuComboClassifier(n_estimators=40, max_depth=depth, coefficients=coefficients).fit(X, y)
    plain = ComboClassifier(n_estimators=40, max_depth=depth).fit(X, y)
    np.testing.assert_array_equal(one.history_["weight"], plain.history_["weight"])
    np.testing.assert_array_equal(one.decision_function(X), plain.decision_function(X))
    np.testing.assert_allclose(one.history_["log_loss"], plain.history_["log_loss"], rtol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_coefficients_of_one_are_late_fusion_of_combo(missing):
    X, y, views = four_view_classes()
    gone = np.random.default_rng(1).random((len(y), 4)) < missing
    X[np.repeat(gone, 3, axis=1)] = np.nan
    ours = MuComboClassifier(n_estimators=25, views=views, coefficients="ones").fit(X, y)
    late = LateFusionClassifier(ComboClassifier(n_estimators=25), combine="margins", views=views)
    late.fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), late.decision_function(X), atol=1e-12)


def test_coefficients_weigh_the_losses_of_the_views_against_each_other():
    X, y, views = four_view_classes()
    model = MuComboClassifier(n_estimators=8, max_depth=1, views=views).fit(X, y)
    stops = model.vote_.rounds
    scores = np.zeros((4, len(y), 4))
    for term in model.vote_.terms()[: stops[-2]]:
        answers = term.voter.predict(X)
        scores[term.view, np.arange(len(y)), answers] += term.weight[answers]
    right, wrong = np.zeros((2, 4, 4))
    for term in model.vote_.terms()[stops[-2] :]:
        costs = np.exp(scores[term.view] - scores[term.view][np.arange(len(y)), y][:, None])
        costs /= np.bincount(y)[y][:, None]
        costs[np.arange(len(y)), y] = 0.0
        answers = term.voter.predict(X)
        for c in range(4):
            right[term.view, c] = costs[(answers == c) & (y == c)].sum()
            wrong[term.view, c] = costs[(answers == c) & (y != c), c].sum()
    expected = exact_coefficients(right, wrong, model.history_["view_weight"][-1])
    np.testing.assert_allclose(model.history_["coefficients"][-1], expected, atol=1e-7)


def perfect_and_noisy(seed=0):
    """(X, y, views): the first view tells everything, the two others nothing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 400)
    X = np.hstack([y[:, None] + 0.1 * rng.random((400, 1)), rng.normal(size=(400, 8))])
    return X, y, [0, 1, 5, 9]


@pytest.mark.parametrize("coefficients", ["exact", "simplified"])
def test_noise_cannot_outvote_a_perfect_view(coefficients):
    X, y, views = perfect_and_noisy()
    model = MuComboClassifier(views=views, coefficients=coefficients, n_estimators=60)
    model.fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) == 1.0
    assert model.n_estimators_ == 60


def test_in_late_fusion_a_perfect_view_ends_by_itself():
    X, y, views = perfect_and_noisy()
    model = MuComboClassifier(views=views, coefficients="ones", n_estimators=12).fit(X, y)
    assert model.history_["view_edge"][0, 0] == pytest.approx(1.0)
    assert (model.history_["view_edge"][1:, 0] == 0.0).all()
    assert (model.vote_.view_of_term == 0).sum() == 1
    late = LateFusionClassifier(ComboClassifier(n_estimators=12), combine="margins", views=views)
    np.testing.assert_allclose(
        model.decision_function(X), late.fit(X, y).decision_function(X), atol=1e-12
    )


def test_a_round_without_errors_ends_learning():
    X, y, _ = perfect_and_noisy()
    alone = MuComboClassifier(n_estimators=12, views={"v": [0], "w": [0]}).fit(X, y)
    assert alone.n_estimators_ == 1
    assert alone.stop_reason_ == "voters without training errors"


def test_a_round_in_which_nobody_has_a_say_ends_learning():
    X, y, views = four_view_classes()
    mute = MuComboClassifier(views=views, coefficients=lambda a, b, w: np.zeros_like(a))
    assert mute.fit(X, y).n_estimators_ == 0
    assert mute.stop_reason_ == "no view has a say in any class"


@pytest.mark.parametrize("coefficients", ["exact", "simplified"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_warm_start_arrives_where_one_fit_arrives(coefficients, missing):
    X, y, views = four_view_classes()
    gone = np.random.default_rng(1).random((len(y), 4)) < missing
    X[np.repeat(gone, 3, axis=1)] = np.nan
    params = {"views": views, "max_depth": 1, "coefficients": coefficients}
    whole = MuComboClassifier(n_estimators=30, **params).fit(X, y)
    grown = MuComboClassifier(n_estimators=11, warm_start=True, **params).fit(X, y)
    grown.set_params(n_estimators=30).fit(X, y)
    np.testing.assert_array_equal(grown.history_["view_edge"], whole.history_["view_edge"])
    np.testing.assert_array_equal(grown.coefficients_, whole.coefficients_)


def test_stages_are_rounds_of_all_views():
    X, y, views = four_view_classes()
    model = MuComboClassifier(n_estimators=7, views=views, max_depth=1).fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert len(stages) == 7
    np.testing.assert_allclose(stages[-1], model.decision_function(X), rtol=1e-12)
    first = list(model.vote_.terms()[: model.vote_.rounds[0]])
    assert len({t.view for t in first}) == len(first) > 1


def test_the_map_shows_which_view_knows_which_class():
    data = make_imbalanced_views(1200, random_state=0)
    for coefficients in ("exact", "simplified"):
        model = MuComboClassifier(
            views=data.views, n_estimators=60, max_depth=1, coefficients=coefficients
        ).fit(data.data, data.target)
        knows = np.zeros((4, 6), dtype=bool)
        for j, group in enumerate(data.groups):
            knows[j, list(group)] = True
        trust, support = model.coefficients_, model.explain().view_share
        for c in range(6):
            assert trust[knows[:, c], c].min() > trust[~knows[:, c], c].max()
            assert support[knows[:, c], c].min() > support[~knows[:, c], c].max()
        np.testing.assert_allclose(support.sum(axis=0), 1.0)


@pytest.mark.slow
def test_rare_classes_and_partial_views_profit():
    results = {}
    for seed in range(3):
        data = make_imbalanced_views(2400, random_state=seed)
        train, test = slice(0, 1200), slice(1200, None)
        X, y = data.data, data.target
        boost = {"n_estimators": 100, "max_depth": 1}
        late = LateFusionClassifier(AdaBoostMMClassifier(**boost), combine="margins")
        for name, model in {
            "mucombo": MuComboClassifier(**boost),
            "simplified": MuComboClassifier(coefficients="simplified", **boost),
            "mumbo": MumboClassifier(**boost),
            "combo early": ComboClassifier(**boost),
            "late": late,
        }.items():
            answers = model.set_params(views=data.views).fit(X[train], y[train]).predict(X[test])
            scores = confusion_norm(y[test], answers), geometric_mean_recall(y[test], answers)
            results.setdefault(name, []).append(scores)
    mean = {name: np.mean(values, axis=0) for name, values in results.items()}
    for ours in ("mucombo", "simplified"):
        for other in ("mumbo", "combo early", "late"):
            assert mean[ours][0] < mean[other][0], (ours, other)
            assert mean[ours][1] > mean[other][1], (ours, other)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"coefficients": "best"}, "coefficients must be one of 'exact', 'ones', 'simplified'"),
        ({"coefficients": lambda a, b, w: a[:1]}, "must return numbers in"),
        ({"constraint": "sum"}, "constraint must be one of 'eq1', 'le1'"),
    ],
)
def test_bad_parameters_are_named(params, message):
    X, y, views = four_view_classes()
    with pytest.raises(ValueError, match=message):
        MuComboClassifier(views=views, n_estimators=2, **params).fit(X, y)


def test_a_users_coefficients_are_used():
    X, y, views = four_view_classes()
    even = MuComboClassifier(
        views=views, n_estimators=5, coefficients=lambda a, b, w: np.full(a.shape, 0.25)
    ).fit(X, y)
    np.testing.assert_allclose(even.coefficients_, 0.25)
