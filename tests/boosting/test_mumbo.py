"""MuMBo: rounds worked by hand, its theorems, its rules, its equivalences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from tests.boosting.scripted import Scripted, row_numbers
from tests.problems import four_view_classes, gaussian_classes, view_tables
from uneven import AdaBoostMMClassifier, MuComboClassifier, MumboClassifier
from uneven.boosting import ShareBoostClassifier
from uneven.boosting.multiview import SELECTION_RULES
from uneven.boosting.mumbo import COOPERATION_RULES, cooperation_shares, gauss
from uneven.bounds import margin_error_bound
from uneven.datasets import make_imbalanced_views, make_uneven_views
from uneven.voters import Resampled, TreeVoter

Y = np.array([0, 0, 0, 1, 1, 2])
FIRST = [[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 2, 2]]
SECOND = [[0, 0, 2, 1, 0, 2], [0, 0, 0, 0, 1, 1]]
pytestmark = pytest.mark.filterwarnings(
    "ignore:no voter does better", "ignore:views .* are not used"
)


def random_shares(right, view_mask):
    """A cooperation rule of a user: any numbers in [0, 1]."""
    return np.random.default_rng(right.sum()).random(right.shape)


def by_hand(**params):
    script = {"a": Scripted(FIRST), "b": Scripted(SECOND)}
    model = MumboClassifier(script, views={"a": [0], "b": [1]}, n_estimators=2, **params)
    return model.fit(row_numbers(6, 2), Y)


def test_two_rounds_worked_by_hand():
    model = by_hand()
    past = model.history_
    np.testing.assert_allclose(
        past["view_edge"], [[0.75, 0.5], [0.607625219, 0.598076211]], atol=1e-9
    )
    np.testing.assert_allclose(
        past["view_weight"],
        [[0.972955075, 0.549306144], [0.705147946, 0.690146663]],
        atol=1e-9,
    )
    np.testing.assert_allclose(past["selection_edge"], [[0.75, 0.5], [0.694590453, 0.0]], atol=1e-9)
    np.testing.assert_allclose(
        np.exp(past["view_log_loss"]),
        [[5.779644730, 8.618802154], [3.620296005, 5.473581564]],
        atol=1e-8,
    )
    np.testing.assert_allclose(past["weight"], [0.972955075, 0.856771359], atol=1e-9)
    np.testing.assert_allclose(np.exp(past["log_loss"]), [7.425396041, 5.047029711], atol=1e-8)
    np.testing.assert_array_equal(past["view"], [0, 0])
    np.testing.assert_array_equal(model.selection_counts_, [2, 0])
    np.testing.assert_array_equal(model.predict(row_numbers(6, 2)), [0, 0, 0, 1, 1, 1])


def test_shares_of_the_fixture_and_of_the_three_view_toy():
    first = np.column_stack([np.array(FIRST[0]) == Y, np.array(SECOND[0]) == Y])
    everywhere = np.ones_like(first)
    np.testing.assert_array_equal(
        cooperation_shares("binary", first, everywhere).T,
        [[1, 1, 1, 1, 1, 0], [1, 1, 0, 1, 0, 1]],
    )
    view1 = np.array([1, 1, 0, 1, 0, 1, 0, 1, 0, 1], dtype=bool)
    others = np.array([0, 0, 1, 0, 0, 0, 1, 0, 1, 0], dtype=bool)
    toy = np.column_stack([view1, others, others])
    shares = cooperation_shares("binary", toy, np.ones_like(toy))
    np.testing.assert_array_equal(shares[:, 0], [1, 1, 0, 1, 1, 1, 0, 1, 0, 1])


@pytest.mark.parametrize(
    ("rule", "one_of_four_wrong", "three_of_four_wrong"),
    [
        ("binary", 0.0, 0.0),
        ("ratio", 0.75, 0.25),
        ("gauss", np.exp(-0.0625), np.exp(-0.0625)),
        ("half", 0.25, 0.25),
        (lambda right, view_mask: gauss(right, view_mask, centre=0.25), 1.0, np.exp(-0.25)),
    ],
)
def test_cooperation_rules(rule, one_of_four_wrong, three_of_four_wrong):
    right = np.array([[0, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]], dtype=bool)
    shares = cooperation_shares(rule, right, np.ones_like(right))
    np.testing.assert_allclose(shares[0], [one_of_four_wrong, 1, 1, 1])
    np.testing.assert_allclose(shares[1], [three_of_four_wrong] * 3 + [1])
    np.testing.assert_array_equal(shares[2:], 1.0)


def test_absent_views_are_neither_right_nor_wrong():
    right = np.array([[True, False, False], [False, False, False]])
    view_mask = np.array([[True, True, False], [True, False, False]])
    shares = cooperation_shares("ratio", right, view_mask)
    np.testing.assert_allclose(shares[0], [1.0, 0.5, 0.5])
    np.testing.assert_array_equal(shares[1], 1.0)


def margins_by_round(model, X, y):
    """(largest other score - own score) / sum of the weights so far, after each round."""
    rows = np.arange(len(y))
    total = np.cumsum(model.history_["weight"])
    for weight, scores in zip(total, model.vote_.staged_score(X)):
        own = scores[rows, y].copy()
        scores[rows, y] = -np.inf
        yield (own - scores.max(axis=1)) / weight


@given(view_tables(), st.sampled_from([*COOPERATION_RULES, random_shares]), st.sampled_from([1, 2]))
def test_losses_errors_and_margins_keep_their_bounds(problem, cooperation, depth):
    X, y, n_classes, views = problem
    model = MumboClassifier(
        n_estimators=12, max_depth=depth, cooperation=cooperation, views=views
    ).fit(X, y)
    if not model.n_estimators_:
        return
    past = model.history_
    seen = model.views_.presence(X)
    if len(views) > 2:
        seen &= [len(np.unique(y[here])) > 1 for here in seen.T]
    n_seen = seen.any(axis=1).sum()
    shrink = np.cumprod(np.sqrt(1 - np.minimum(past["edge"], 1 - 1e-10) ** 2))
    assert (np.exp(past["log_loss"]) <= n_seen * (n_classes - 1) * shrink * (1 + 1e-9)).all()
    known = seen.any(axis=1)
    errors = [np.mean(answers[known] != y[known]) for answers in model.staged_predict(X)]
    assert (errors <= (n_classes - 1) * shrink + 1e-9).all()
    start = np.log((n_classes - 1) * np.maximum(seen.sum(axis=0), 1e-300))
    before = np.vstack([start, past["view_log_loss"][:-1]])
    step = 0.5 * np.log1p(-(np.clip(past["view_edge"], 0.0, 1 - 1e-10) ** 2))
    finite = np.isfinite(past["view_log_loss"])
    assert (past["view_log_loss"][finite] <= (before + step)[finite] + 1e-9).all()
    edges = np.minimum(past["edge"], 1 - 1e-10)
    for t, margins in enumerate(margins_by_round(model, X[known], y[known]), start=1):
        for theta in (0.0, 0.1, 0.3):
            bound = margin_error_bound(edges[:t], theta, n_classes)[-1]
            assert np.mean(margins <= theta) <= bound + 1e-9


def test_margin_factor_is_below_one_for_small_margins():
    edge, theta = np.meshgrid(np.linspace(0.01, 0.99, 60), np.linspace(0.0, 0.49, 60))
    for one, margin in zip(edge[theta < edge / 2], theta[theta < edge / 2]):
        assert margin_error_bound([one], margin, 2)[0] < 1.0
    threshold = -np.log1p(-(edge[0] ** 2)) / np.log((1 + edge[0]) / (1 - edge[0]))
    assert (threshold >= edge[0] / 2).all()


@pytest.mark.parametrize("depth", [1, 3])
def test_one_view_is_adaboost_mm_to_the_last_bit(depth):
    X, y = gaussian_classes([80, 40, 12])
    X[::7, 0] = np.nan
    one = MumboClassifier(n_estimators=40, max_depth=depth).fit(X, y)
    plain = AdaBoostMMClassifier(n_estimators=40, max_depth=depth).fit(X, y)
    np.testing.assert_array_equal(one.history_["weight"], plain.history_["weight"])
    np.testing.assert_array_equal(one.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize("selection", ["max_edge", "combination", "quota", "diversity"])
def test_identical_views_are_adaboost_mm(selection):
    X, y = gaussian_classes([80, 40, 12])
    twice = MumboClassifier(n_estimators=40, views=[0, 4, 8], selection=selection)
    twice.fit(np.hstack([X, X]), y)
    plain = AdaBoostMMClassifier(n_estimators=40).fit(X, y)
    np.testing.assert_array_equal(twice.history_["weight"], plain.history_["weight"])
    scores = twice.vote_.score(np.hstack([X, X]))
    np.testing.assert_allclose(scores, plain.decision_function(X), rtol=1e-12)


def test_a_random_learner_in_one_view_is_adaboost_mm_too():
    X, y = gaussian_classes([80, 40, 12])
    weak = Resampled(DecisionTreeClassifier(max_depth=2))
    one = MumboClassifier(weak, n_estimators=8, random_state=3).fit(X, y)
    plain = AdaBoostMMClassifier(weak, n_estimators=8, random_state=3).fit(X, y)
    np.testing.assert_array_equal(one.history_["weight"], plain.history_["weight"])


def test_order_of_views_and_names_of_classes_do_not_matter():
    X, y, views = four_view_classes()
    weight = np.random.default_rng(0).uniform(0.5, 1.5, len(y))
    plain = MumboClassifier(n_estimators=25, views=views).fit(X, y, weight)
    blocks = {"d": slice(9, 12), "b": slice(3, 6), "a": slice(0, 3), "c": slice(6, 9)}
    other = MumboClassifier(n_estimators=25, views=blocks).fit(X, y, weight)
    np.testing.assert_allclose(other.decision_function(X), plain.decision_function(X), rtol=1e-9)
    np.testing.assert_array_equal(other.selection_counts_, plain.selection_counts_[[3, 1, 0, 2]])
    swap = np.array([2, 0, 3, 1])
    swapped = MumboClassifier(n_estimators=25, views=views).fit(X, swap[y], weight)
    np.testing.assert_allclose(
        plain.decision_function(X), swapped.decision_function(X)[:, swap], rtol=1e-9
    )


def test_doubling_the_sample_changes_nothing():
    X, y, views = four_view_classes()
    plain = MumboClassifier(n_estimators=20, views=views).fit(X, y)
    doubled = MumboClassifier(n_estimators=20, views=views)
    doubled.fit(np.vstack([X, X]), np.concatenate([y, y]))
    np.testing.assert_allclose(doubled.history_["edge"], plain.history_["edge"], rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("selection", [*SELECTION_RULES])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_every_selection_rule_learns_and_resumes(selection, missing):
    X, y, views = four_view_classes()
    gone = np.random.default_rng(1).random((len(y), 4)) < missing
    X[np.repeat(gone, 3, axis=1)] = np.nan
    params = {"max_depth": 1, "views": views, "selection": selection, "random_state": 0}
    whole = MumboClassifier(n_estimators=30, **params).fit(X, y)
    assert whole.score(X, y) > 0.7
    grown = MumboClassifier(n_estimators=11, warm_start=True, **params).fit(X, y)
    grown.set_params(n_estimators=30).fit(X, y)
    np.testing.assert_array_equal(grown.history_["weight"], whole.history_["weight"])
    np.testing.assert_allclose(grown.decision_function(X), whole.decision_function(X), rtol=1e-12)
    np.testing.assert_array_equal(
        grown.history_["view_log_loss"][-1], whole.history_["view_log_loss"][-1]
    )


def test_quotas_are_kept():
    X, y, views = four_view_classes()
    model = MumboClassifier(
        n_estimators=40, max_depth=1, views=views, selection="quota", quotas=[2, 1, 1, 0]
    ).fit(X, y)
    np.testing.assert_allclose(model.selection_counts_, [20, 10, 10, 0], atol=1)


def test_focus_on_a_class_raises_its_recall():
    X, y, views = four_view_classes([80, 80, 80, 40])
    params = {"n_estimators": 10, "max_depth": 2, "views": views}
    plain = MumboClassifier(**params).fit(X, y)
    keen = MumboClassifier(selection="class_focus", focus=3, **params).fit(X, y)
    rare = y == 3
    assert (keen.predict(X)[rare] == 3).mean() > (plain.predict(X)[rare] == 3).mean()
    turns = MumboClassifier(selection="class_focus", focus="round_robin", **params).fit(X, y)
    for t in range(4):
        voters = [vote.term(t).voter for vote in turns.view_votes_]
        recalls = [np.mean(voter.predict(X)[y == t] == t) for voter in voters]
        assert recalls[turns.history_["view"][t]] == max(recalls)


def test_combination_or_best_has_the_larger_edge_of_both():
    X, y, views = four_view_classes()
    params = {"n_estimators": 1, "max_depth": 1, "views": views}
    edges = {
        rule: MumboClassifier(selection=rule, **params).fit(X, y).history_["edge"][0]
        for rule in ("max_edge", "combination", "combination_or_best")
    }
    assert edges["combination_or_best"] == max(edges.values())


def test_a_round_without_a_useful_voter_halts():
    model = MumboClassifier(
        {"a": Scripted([[1, 1, 1, 0, 0, 0]])}, views={"a": [0]}, n_estimators=3
    ).fit(row_numbers(6, 1), Y)
    assert model.n_estimators_ == 0
    assert model.stop_reason_ == "no voter with a positive edge"


def test_retry_learns_again_and_forgets_the_failure():
    good, bad = [0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]
    model = MumboClassifier(
        {"a": Scripted([bad, bad, good])}, views={"a": [0]}, n_estimators=1, on_failure="retry"
    ).fit(row_numbers(6, 1), Y)
    assert model.n_estimators_ == 1
    np.testing.assert_allclose(model.history_["edge"], 0.75)
    assert len(model.view_votes_[0]) == 1
    tired = MumboClassifier(
        {"a": Scripted([bad])}, views={"a": [0]}, on_failure="retry", max_retries=2
    )
    assert tired.fit(row_numbers(6, 1), Y).n_estimators_ == 0
    assert tired.estimator["a"].asked == 3


def test_skip_lets_the_views_learn_and_gives_up_in_the_end():
    good, bad = [0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]
    model = MumboClassifier(
        {"a": Scripted([bad, bad, good, bad])},
        views={"a": [0]}, n_estimators=20, on_failure="skip", patience=4,
    ).fit(row_numbers(6, 1), Y)  # fmt: skip
    assert model.n_estimators_ == 1
    assert model.history_["round"].tolist() == [3]
    assert model.estimator["a"].asked == 7
    assert "again and again" in model.stop_reason_


def test_each_view_may_have_its_own_learner():
    X, y, _views = four_view_classes()
    names = {f"v{j}": slice(3 * j, 3 * j + 3) for j in range(4)}
    own = {"v0": LinearSVC(), "v1": DecisionTreeClassifier(max_depth=2)}
    model = MumboClassifier(own, views=names, n_estimators=12, random_state=0).fit(X, y)
    kinds = [type(vote.term(0).voter).__name__ for vote in model.view_votes_]
    assert kinds == ["EstimatorVoter", "EstimatorVoter", "TreeVoter", "TreeVoter"]
    assert model.score(X, y) > 0.7
    with pytest.raises(ValueError, match="names a view that is not there: 'v9'"):
        MumboClassifier({"v9": LinearSVC()}, views=names).fit(X, y)


@pytest.mark.parametrize("method", [MumboClassifier, MuComboClassifier, ShareBoostClassifier])
@pytest.mark.parametrize("weak", [LinearSVC(), KNeighborsClassifier(3), None])
def test_learners_that_take_no_missing_values_are_asked_about_present_rows_only(method, weak):
    X, y, views = four_view_classes()
    X[np.random.default_rng(0).random(len(y)) < 0.3, :3] = np.nan
    params = {"views": views, "random_state": 0}
    whole = method(weak, n_estimators=5, **params).fit(X, y)
    grown = method(weak, n_estimators=2, warm_start=True, **params).fit(X, y)
    grown.set_params(n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(grown.history_["edge"], whole.history_["edge"])


@pytest.mark.parametrize("method", [MumboClassifier, MuComboClassifier, ShareBoostClassifier])
@pytest.mark.parametrize("weak", [LogisticRegression(), KNeighborsClassifier(3), None])
@pytest.mark.parametrize("kept", [[], [0]])
def test_a_view_with_fewer_than_two_classes_stays_silent(method, weak, kept):
    X, y, views = four_view_classes()
    X[~np.isin(y, kept), :3] = np.nan
    model = method(weak, views=views, n_estimators=4, random_state=0)
    with pytest.warns(UserWarning, match=r"views \['view0'\] are not used"):
        model.fit(X, y)
    assert not (model.vote_.view_of_term == 0).any()
    others = method(weak, views=[0, 3, 6, 9], n_estimators=4, random_state=0).fit(X[:, 3:], y)
    if weak is None:
        np.testing.assert_allclose(model.vote_.score(X), others.vote_.score(X[:, 3:]), rtol=1e-12)


@pytest.mark.parametrize("method", [MumboClassifier, MuComboClassifier, ShareBoostClassifier])
def test_warm_start_refuses_other_views(method):
    X, y, _ = four_view_classes()
    model = method(views={"a": [0, 1], "b": [3, 4]}, n_estimators=3, warm_start=True).fit(X, y)
    before = model.decision_function(X)
    for other in ({"b": [3, 4], "a": [0, 1]}, {"a": [0, 1, 3, 4]}):
        with pytest.raises(ValueError, match="warm_start needs the views of the first fit"):
            model.set_params(views=other).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_view_names_need_not_be_strings():
    X, y, _ = four_view_classes()
    model = MumboClassifier({0: LinearSVC()}, views={0: [0, 1], 1: [3, 4]}, n_estimators=2)
    assert type(model.fit(X, y).view_votes_[0].term(0).voter).__name__ == "EstimatorVoter"
    with pytest.raises(ValueError, match="the same name when written out"):
        MumboClassifier(views={1: [0], "1": [1]}).fit(X, y)


def test_views_answer_alone_as_they_learnt():
    X, y, views = four_view_classes()
    model = MumboClassifier(n_estimators=20, views=views).fit(X, y)
    alone = model.predict_by_view(X)
    assert list(alone) == ["view0", "view1", "view2", "view3"]
    assert all(np.mean(answers == y) > np.mean(y == 0) for answers in alone.values())
    voter = model.view_votes_[2].term(0).voter
    assert isinstance(voter, TreeVoter)
    assert set(voter.feature[~voter.is_leaf]) <= {6, 7, 8}


def test_early_stopping_cuts_the_views_too():
    X, y, views = four_view_classes()
    model = MumboClassifier(
        n_estimators=60, views=views, early_stopping=True, n_iter_no_change=5, random_state=0
    ).fit(X, y)
    assert model.stop_reason_ == "early stopping"
    assert len(model.view_votes_[0]) == model.n_estimators_ == len(model.history_["view_edge"])


def test_threads_change_nothing():
    X, y = gaussian_classes([9000, 4000, 2000], n_features=12)
    params = {"n_estimators": 5, "views": [0, 4, 8, 12]}
    single = MumboClassifier(n_jobs=1, **params).fit(X, y)
    several = MumboClassifier(n_jobs=8, **params).fit(X, y)
    np.testing.assert_array_equal(single.decision_function(X), several.decision_function(X))
    np.testing.assert_array_equal(
        single.history_["view_log_loss"], several.history_["view_log_loss"]
    )


def test_strong_views_are_chosen_and_accuracy_is_not_below_the_best_view():
    data = make_uneven_views(600, major_noise=0.1, random_state=0)
    train, test = slice(0, 300), slice(300, None)
    model = MumboClassifier(views=data.views, n_estimators=60, max_depth=1)
    model.fit(data.data[train], data.target[train])
    assert model.selection_counts_[0] > model.selection_counts_[1:].max()
    assert model.history_["view"][0] == 0
    wide = make_imbalanced_views(2400, random_state=1)
    train, test = slice(0, 1200), slice(1200, None)
    alone = [
        AdaBoostMMClassifier(max_depth=1, n_estimators=100, views={"v": columns})
        .fit(wide.data[train], wide.target[train])
        .score(wide.data[test], wide.target[test])
        for columns in wide.views.values()
    ]
    together = MumboClassifier(views=wide.views, n_estimators=100, max_depth=1)
    together.fit(wide.data[train], wide.target[train])
    assert together.score(wide.data[test], wide.target[test]) > max(alone) + 0.1


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"cooperation": "full"}, "cooperation must be one of 'binary', 'gauss', 'half', 'ratio'"),
        ({"cooperation": lambda right, mask: 2.0}, "must return numbers in"),
        (
            {"cooperation": lambda right, mask: right[:, 0]},
            "must return a number, or an array",
        ),
        ({"estimator": {"view0": LinearSVC()}, "max_depth": 0}, "max_depth must be a whole number"),
        ({"selection": "best"}, "selection must be one of 'class_focus'"),
        ({"on_failure": "ignore"}, "on_failure must be one of 'halt', 'retry', 'skip'"),
        ({"quotas": [1, 2]}, "quotas must hold one number >= 0 for each of the 4 views"),
        ({"quotas": [0, 0, 0, 0]}, "not all zero"),
        ({"focus": "rare"}, "focus must be"),
        ({"max_retries": -1}, "max_retries must be a whole number at least 0"),
        ({"patience": 0}, "patience must be a whole number at least 1"),
    ],
)
def test_bad_parameters_are_named(params, message):
    X, y, views = four_view_classes()
    with pytest.raises(ValueError, match=message):
        MumboClassifier(views=views, n_estimators=2, **params).fit(X, y)
