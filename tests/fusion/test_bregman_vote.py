"""The Bregman vote as an estimator: it learns, and its vote is what the formulas say."""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tests.fusion.bregman_problems import GOLDEN
from uneven import BregmanVoteClassifier
from uneven.datasets import load_demo
from uneven.fusion.bregman import VIEW_RULES
from uneven.voters import TreeVoter

VIEWS = {"left": [0, 1, 2], "right": [3, 4, 5]}


def two_views(n=120, n_classes=2, seed=0, strength=(1.2, 0.7)):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    means = rng.normal(size=(n_classes, 6)) * np.repeat(strength, 3)
    return means[y] + rng.normal(size=(n, 6)), y


def direct_vote(model, X, label, n_classes):
    """``B`` of a class, term by term, from the fitted weights of voters and views."""
    rho = model.view_weights_ if n_classes == 2 else model.view_weights_[label]
    pi = model.voter_weights_ if n_classes == 2 else model.voter_weights_[label]
    present = model.views_.presence(X)
    terms = [t for t in model.vote_.terms() if n_classes == 2 or t.weight[label] != 0.0]
    total = np.zeros(len(X))
    for view in range(len(rho)):
        mine = [t for t in terms if t.view == view][: len(pi[view])]
        for weight, term in zip(pi[view], mine, strict=True):
            here = present[:, view]
            h = np.where(term.voter.predict(X[here]) == label, 1.0, -1.0)
            total[here] += rho[view] * weight * h
    return total


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("voters", [None, [GaussianNB(), DecisionTreeClassifier(max_depth=2)]])
def test_scores_are_the_double_weighted_vote(n_classes, voters):
    X, y = two_views(150, n_classes)
    X[::7, :3] = np.nan
    X[3::7, 3:] = np.nan
    model = BregmanVoteClassifier(voters, views=VIEWS, max_iter=3, random_state=0).fit(X, y)
    scores = model.decision_function(X)
    if n_classes == 2:
        np.testing.assert_allclose(scores, direct_vote(model, X, 1, 2), atol=1e-12)
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(scores), atol=1e-12)
        np.testing.assert_array_equal(model.predict(X), (scores >= 0).astype(int))
        return
    for label in range(n_classes):
        direct = direct_vote(model, X, label, n_classes)
        np.testing.assert_allclose(scores[:, label], direct, atol=1e-12)
    odds = expit(scores)
    expected = odds / odds.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), scores.argmax(axis=1))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_history_tells_the_loss_of_the_fitted_vote(n_classes):
    X, y = two_views(160, n_classes)
    model = BregmanVoteClassifier("published", views=VIEWS, max_iter=4, random_state=0).fit(X, y)
    scores = model.decision_function(X).reshape(len(X), -1)
    labels = [1] if n_classes == 2 else range(n_classes)
    losses = [
        np.logaddexp(0.0, -np.where(y == label, 1, -1) * scores[:, k]).sum()
        for k, label in enumerate(labels)
    ]
    np.testing.assert_allclose(np.ravel(model.history_["loss_after_views"][-1]), losses)
    assert np.all(model.history_["loss_after_views"] <= model.history_["loss_after_voters"])
    assert np.all(np.diff(model.history_["loss_after_views"], axis=0) <= 0)
    np.testing.assert_array_equal(model.history_["view_weight"][-1], model.view_weights_)
    assert len(model.history_["view_weight"]) == model.n_iter_ <= 4


def test_a_class_that_stops_earlier_keeps_its_last_values():
    X, y = two_views(90, 3, strength=(0.6, 0.3))
    model = BregmanVoteClassifier(
        "published", views=VIEWS, max_iter=400, tol=0.003, out_of_fold=3, random_state=0
    ).fit(X, y)
    losses = model.history_["loss_after_views"]
    assert losses.shape == (model.n_iter_, 3)
    done = [int(np.sum(np.diff(losses[:, k]) != 0.0)) + 1 for k in range(3)]
    assert max(done) == model.n_iter_ < 400
    assert min(done) < max(done)


def test_the_default_voters_are_the_full_tree_cut_at_every_depth():
    X, y = two_views(300, strength=(0.5, 0.3))
    model = BregmanVoteClassifier("published", max_iter=2, views=VIEWS, random_state=3).fit(X, y)
    rng = np.random.RandomState(3)
    for view, columns in enumerate(VIEWS.values()):
        seed = int(rng.randint(2**31 - 1))
        full = DecisionTreeClassifier(random_state=seed).fit(X[:, columns], y)
        mine = [t.voter for t in model.vote_.terms() if t.view == view]
        assert len(mine) == full.get_depth() - 2 >= 3
        for depth, voter in enumerate(mine, start=1):
            assert isinstance(voter, TreeVoter)
            assert voter.depth == depth
            expected = [walk(full.tree_, row, depth) for row in X[:, columns].astype(np.float32)]
            np.testing.assert_array_equal(voter.predict(X), expected)


def walk(tree, row, depth):
    """Answer of a scikit-learn tree after so many questions; the second class in a tie."""
    node = 0
    for _ in range(depth):
        if tree.children_left[node] >= 0:
            goes_left = row[tree.feature[node]] <= tree.threshold[node]
            node = (tree.children_left if goes_left else tree.children_right)[node]
    no, yes = tree.value[node, 0]
    return int(yes >= no)


def test_reach_and_explanation_of_cut_trees():
    X, y = two_views(300, strength=(2.0, 0.0))
    model = BregmanVoteClassifier(
        "published", max_iter=2, views=VIEWS, random_state=0, view_weights="exact"
    ).fit(X, y)
    share = model.explain().view_share
    np.testing.assert_allclose(share.sum(axis=0), 1.0)
    assert share[0].min() > 0.7
    tree = model.vote_.term(0).voter
    for label in (0, 1):
        right = np.mean(tree.predict(X)[y == label] == label)
        leaves = tree.is_leaf & (tree.label == label)
        assert tree.reach[leaves].sum() == pytest.approx(right)


def test_it_learns_more_than_its_best_view_and_than_the_literal_variant():
    demo = load_demo()
    even = np.isin(demo.target, ["zero", "two", "four", "six", "eight"])
    joint = BregmanVoteClassifier("published", max_iter=2, views=demo.views, random_state=0)
    single = [
        cross_val_score(DecisionTreeClassifier(random_state=0), demo.data[:, columns], even).mean()
        for columns in demo.views.values()
    ]
    reached = cross_val_score(joint, demo.data, even).mean()
    assert reached > max(single) + 0.02
    literal = BregmanVoteClassifier(
        "published", max_iter=2, variant="paper", views=demo.views, random_state=0
    )
    assert reached > cross_val_score(literal, demo.data, even).mean() + 0.1


@pytest.mark.slow
def test_voters_judged_by_rows_they_did_not_see_learn_better_in_the_long_run():
    demo = load_demo()
    even = np.isin(demo.target, ["zero", "two", "four", "six", "eight"])
    scores = [
        cross_val_score(
            BregmanVoteClassifier(
                "published",
                views=demo.views,
                random_state=0,
                max_iter=60,
                out_of_fold=out_of_fold,
            ),
            demo.data,
            even,
        ).mean()
        for out_of_fold in (False, 4)
    ]
    assert scores[1] > scores[0] + 0.02


def test_literal_variant_puts_all_weight_on_one_view_and_may_return_the_first_weights():
    X, y = two_views()
    literal = BregmanVoteClassifier(
        "published", max_iter=2, variant="paper", views=VIEWS, random_state=0
    ).fit(X, y)
    assert sorted(literal.view_weights_) == [0.0, 1.0]
    start = BregmanVoteClassifier(
        "published",
        variant="paper",
        return_index="paper",
        max_iter=1,
        views=VIEWS,
        random_state=0,
    ).fit(X, y)
    assert start.view_weights_.tolist() == [0.5, 0.5]
    assert all(np.ptp(weights) == 0.0 for weights in start.voter_weights_)


class _Recalls(ClassifierMixin, BaseEstimator):
    """Answers what one column says, whatever it was taught."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(X[:, self.column] > 0, 1, 0)


def test_literal_variant_reproduces_the_worked_example():
    sign = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    X = np.hstack([sign[:, None] * M for M in GOLDEN])
    voters = {"a": [_Recalls(0), _Recalls(1)], "b": [_Recalls(0), _Recalls(1), _Recalls(2)]}
    model = BregmanVoteClassifier(voters, variant="paper", max_iter=3)
    model.set_params(views={"a": [0, 1], "b": [2, 3, 4]}).fit(X, (sign > 0).astype(int))
    expected = [2.117660, 3.566577, 2.145640]
    np.testing.assert_allclose(model.history_["loss_after_views"], expected, atol=1e-6)
    assert model.view_weights_.tolist() == [0.0, 1.0]


def test_weights_are_counts_where_smoothing_is_one_examples_share():
    X, y = two_views()
    safe, literal = (
        [
            BregmanVoteClassifier(
                "published", max_iter=2, views=VIEWS, variant=variant, random_state=0
            )
            .fit(X, y, np.full(len(y), weight))
            .voter_weights_[0]
            for weight in (1.0, 2.0)
        ]
        for variant in ("safe", "paper")
    )
    assert np.all(np.abs(safe[1]) > np.abs(safe[0]))
    np.testing.assert_allclose(literal[1], literal[0])


@pytest.mark.parametrize("rule", sorted(VIEW_RULES))
def test_every_rule_gives_a_vote(rule):
    X, y = two_views()
    model = BregmanVoteClassifier(
        "published", max_iter=2, views=VIEWS, view_weights=rule, random_state=0
    ).fit(X, y)
    assert model.view_weights_.sum() == pytest.approx(1.0)
    assert model.score(X, y) > 0.8


def test_ties_go_to_the_second_class_and_are_reported():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    y = np.array(["bad", "bad", "good", "good"])
    model = BregmanVoteClassifier(
        "published", max_iter=2, views=[0, 1, 2], view_weights="fixed", random_state=0
    ).fit(X, y)
    torn = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert model.decision_function(torn).tolist() == [0.0, 0.0]
    assert model.predict(torn).tolist() == ["good", "good"]
    assert model.predict_proba(torn).tolist() == [[0.5, 0.5]] * 2
    assert model.undecided([*torn, X[0]]).tolist() == [True, True, False]


def test_integer_weights_are_repeated_rows():
    X, y = two_views(80, 3)
    counts = np.random.default_rng(0).integers(0, 4, 80)
    weighed = BregmanVoteClassifier("published", max_iter=2, views=VIEWS, random_state=0).fit(
        X, y, counts
    )
    twice = BregmanVoteClassifier("published", max_iter=2, views=VIEWS, random_state=0).fit(
        np.repeat(X, counts, axis=0), np.repeat(y, counts)
    )
    np.testing.assert_allclose(weighed.decision_function(X), twice.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(weighed.class_prior_, twice.class_prior_)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("voters", [None, [DecisionTreeClassifier(max_features=1)]])
def test_threads_do_not_change_a_bit(n_classes, voters):
    X, y = two_views(200, n_classes)
    models = [
        BregmanVoteClassifier(voters, views=VIEWS, n_jobs=k, out_of_fold=2, random_state=0)
        for k in (1, 2)
    ]
    one, two = (model.fit(X, y).decision_function(X) for model in models)
    np.testing.assert_array_equal(one, two)


def test_whether_to_judge_by_other_rows_may_be_a_numpy_truth():
    X, y = two_views()
    for mine, numpys in ((True, np.True_), (False, np.False_)):
        one, other = (
            BregmanVoteClassifier(
                "published", max_iter=2, views=VIEWS, out_of_fold=flag, random_state=0
            ).fit(X, y)
            for flag in (mine, numpys)
        )
        np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


def test_max_iter_can_be_searched():
    X, y = two_views()
    search = GridSearchCV(
        BregmanVoteClassifier("published", views=VIEWS, random_state=0),
        {"max_iter": [1, 2, 8]},
        cv=3,
    ).fit(X, y)
    assert search.best_params_["max_iter"] in (1, 2, 8)


def test_balanced_questions_find_more_of_a_rare_class():
    rng = np.random.default_rng(0)
    y = (np.arange(600) % 20 == 0).astype(int)
    X = y[:, None] * 1.0 + rng.normal(size=(600, 6))
    train, test = train_test_split(np.arange(600), stratify=y, random_state=0)
    recall = []
    for balance in (False, True):
        model = BregmanVoteClassifier(
            "published", max_iter=2, views=VIEWS, balance=balance, random_state=0
        )
        found = model.fit(X[train], y[train]).predict(X[test])
        recall.append(found[y[test] == 1].mean())
    assert recall[1] > recall[0] + 0.2
    assert model.class_prior_[1] == pytest.approx(0.05, abs=0.01)


def test_voters_of_each_view_by_name():
    X, y = two_views()
    model = BregmanVoteClassifier(
        {"left": [GaussianNB(), KNeighborsClassifier(3)]}, views=VIEWS, random_state=0
    ).fit(X, y, np.linspace(1, 2, len(y)))
    kinds = [type(t.voter).__name__ for t in model.vote_.terms() if t.view == 0]
    assert kinds == ["EstimatorVoter", "EstimatorVoter"]
    assert all(isinstance(t.voter, TreeVoter) for t in model.vote_.terms() if t.view == 1)
    weighed = GaussianNB().fit(X[:, :3], y, np.linspace(1, 2, len(y)))
    np.testing.assert_array_equal(model.vote_.term(0).voter.predict(X), weighed.predict(X[:, :3]))
    reach = model.vote_.term(0).voter.reach
    mass = np.linspace(1, 2, len(y))
    right = weighed.predict(X[:, :3]) == y
    expected = [np.average(right[y == c], weights=mass[y == c]) for c in (0, 1)]
    np.testing.assert_allclose(reach, expected)


def test_given_decision_trees_vote_as_scikit_learn_says():
    X, y = two_views(200, 3)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    X[np.isnan(X[:, 3:]).all(axis=1), 3] = 0.0
    trees = [DecisionTreeClassifier(max_depth=3, max_features=2)] * 4
    model = BregmanVoteClassifier(trees, views=VIEWS, random_state=0).fit(X, y)
    rng = np.random.RandomState(0)
    seeds = [int(rng.randint(2**31 - 1)) for _ in range(6)]
    for question in range(3):
        mine = [t for t in model.vote_.terms() if t.weight[question] != 0.0 and t.view == 1][:4]
        draw = np.random.RandomState(seeds[2 * question + 1])
        for term in mine:
            assert isinstance(term.voter, TreeVoter)
            seed = int(draw.randint(2**31 - 1))
            alone = DecisionTreeClassifier(max_depth=3, max_features=2, random_state=seed)
            shares = alone.fit(X[:, 3:], y == question).predict_proba(X[:, 3:])
            expected = shares[:, 1] >= shares[:, 0]
            np.testing.assert_array_equal(term.voter.predict(X) == question, expected)
    odd = [DecisionTreeClassifier(max_depth=1, class_weight="balanced")]
    kept = BregmanVoteClassifier(odd, views=VIEWS, random_state=0).fit(X, y == 1)
    assert type(kept.vote_.term(0).voter).__name__ == "EstimatorVoter"


def test_balanced_questions_draw_as_many_rows_of_either_side():
    X, y = two_views(120, 3)
    y[:30] = 0
    model = BregmanVoteClassifier(KNeighborsClassifier(1), views=VIEWS, balance=True).fit(X, y)
    voters = [t.voter for t in model.vote_.terms() if t.view == 0 and hasattr(t.voter, "estimator")]
    sizes = [min(np.sum(y == label), np.sum(y != label)) for label in range(3)]
    assert [voter.estimator.n_samples_fit_ for voter in voters] == [2 * size for size in sizes]


@pytest.mark.parametrize("value", [np.nan, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_nothing_to_learn_is_told(value, n_classes):
    X, y = np.full((30, 2), value), np.arange(30) % n_classes
    with pytest.warns(UserWarning, match="no voter separates the classes in any view"):
        BregmanVoteClassifier("published", max_iter=2, views=[0, 1, 2]).fit(X, y)


def test_nothing_is_told_where_something_was_learnt():
    X, y = np.arange(60.0).reshape(30, 2), np.arange(30) // 15
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            BregmanVoteClassifier("published", max_iter=2, views=[0, 1, 2]).fit(X, y).score(X, y)
            == 1.0
        )
        assert (
            BregmanVoteClassifier("published", max_iter=2, views=[0, 1, 2])
            .fit(X, np.zeros(30))
            .score(X, np.zeros(30))
            == 1.0
        )
