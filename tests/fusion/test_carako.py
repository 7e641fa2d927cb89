"""Carako: the alternation, its two versions and procedures, learning, and odd inputs."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tests.problems import four_view_classes
from uneven import CarakoClassifier
from uneven.costs import exponential_costs
from uneven.datasets import make_imbalanced_views
from uneven.fusion import BestViewClassifier, carako_losses
from uneven.fusion.carako_losses import JointLoss, SplitLoss
from uneven.voters import CostTree, EstimatorVoter
from uneven.votes import Term, Vote

VERSIONS = [{"version": 2}, {"version": 1}, {"version": 1, "sweeps": 3}]


@pytest.fixture(scope="module")
def halves():
    data = make_imbalanced_views(1600, random_state=3)
    X, y = data.data, data.target
    return data.views, X[::2], y[::2], X[1::2], y[1::2]


@pytest.mark.parametrize("words", VERSIONS)
def test_all_views_together_know_more_than_the_best_one(halves, words):
    views, X, y, X_new, y_new = halves
    carako = CarakoClassifier("published", max_depth=5, views=views, random_state=0, **words).fit(
        X, y
    )
    alone = BestViewClassifier(DecisionTreeClassifier(max_depth=5), views=views, random_state=0)
    best = alone.fit(X, y).predict(X_new)
    assert carako.score(X_new, y_new) > (best == y_new).mean() + 0.05
    assert balanced_accuracy_score(y_new, carako.predict(X_new)) > 0.5


@pytest.mark.parametrize("words", VERSIONS)
def test_the_best_iterate_is_kept(halves, words):
    views, X, y, _, _ = halves
    carako = CarakoClassifier(
        "published", max_depth=4, views=views, random_state=1, tol=0.0, **words
    )
    carako.fit(X, y)
    assert carako.objective_ == carako.history_["objective"].min()
    assert carako.history_["objective"][0] > carako.objective_
    assert carako.n_iter_ == len(carako.history_["iteration"])
    kept = carako.history_["objective"].argmin()
    assert 1.0 - carako.score(X, y) == pytest.approx(carako.history_["error"][kept])


def test_several_starts_are_at_least_as_good_as_the_first(halves):
    views, X, y, _, _ = halves
    one = CarakoClassifier("published", max_depth=3, views=views, random_state=0).fit(X, y)
    many = clone(one).set_params(procedure="joint", n_restarts=4).fit(X, y)
    assert many.objective_ < one.objective_
    assert set(many.history_["start"]) == {0, 1, 2, 3}
    first = many.history_["objective"][many.history_["start"] == 0]
    assert np.array_equal(first, one.history_["objective"])
    winner = many.history_["start"][many.history_["objective"].argmin()]
    assert many.n_iter_ == (many.history_["start"] == winner).sum()


def test_the_fitted_form_is_a_vote_with_a_term_per_view(halves):
    views, X, y, _, _ = halves
    carako = CarakoClassifier("published", max_depth=3, views=views, random_state=0).fit(X, y)
    assert len(carako.vote_) == 4
    breakers = carako.vote_.weights - carako.coefficients_
    assert breakers.min() >= 0.0
    assert 0.0 < breakers.sum(axis=0).max() < 2.0**-17
    assert np.array_equal(carako.coefficients_.sum(axis=0), np.ones(6))
    published = clone(carako).set_params(ties="first").fit(X, y)
    assert np.array_equal(published.vote_.weights, published.coefficients_)
    np.testing.assert_allclose(published.coefficients_, carako.coefficients_, atol=1e-4)
    explanation = carako.explain()
    assert explanation.view_share.shape == (4, 6)
    groups = make_imbalanced_views(12, random_state=0).groups
    for label in range(6):
        assert label in groups[explanation.view_share[:, label].argmax()]


def _nudged(values, rng):
    """Every number moved by at most one unit in its last place."""
    return values * (1.0 + rng.integers(-1, 2, size=np.shape(values)) * 2.0**-52)


@pytest.fixture
def rough(monkeypatch):
    """Let exponentials and coefficients be wrong in their last bit."""

    def begin(seed):
        rng = np.random.default_rng(seed)
        for loss in (SplitLoss, JointLoss):
            exact = loss.coefficients
            monkeypatch.setattr(
                loss, "coefficients", lambda *args, exact=exact: _nudged(exact(*args), rng)
            )
        monkeypatch.setattr(
            carako_losses,
            "exponential_costs",
            lambda scores, y, weights: exponential_costs(
                _nudged(scores, rng), y, _nudged(weights, rng)
            ),
        )

    return begin


@pytest.mark.slow
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("draw", range(3))
def test_one_unit_in_the_last_place_changes_nothing(draw, version, rough):
    data = make_imbalanced_views(2400, random_state=draw)
    X, y = data.data[::2], data.target[::2]
    carako = CarakoClassifier(
        "published", max_depth=5, version=version, views=data.views, random_state=0
    )
    expected = carako.fit(X, y).decision_function(data.data)
    published = clone(carako).set_params(ties="first").fit(X, y).predict(data.data)
    rng = np.random.default_rng(draw)
    for other in (X * (1.0 + 1e-15), _nudged(X, rng), _nudged(X, rng)):
        again = clone(carako).fit(other, y)
        assert np.array_equal(again.decision_function(data.data), expected)
    moved = []
    for seed in range(3):
        rough(seed)
        weights = _nudged(np.ones(len(y)), rng) if seed else None
        again = clone(carako).fit(_nudged(X, rng), y, weights)
        assert np.array_equal(again.decision_function(data.data), expected)
        literal = clone(carako).set_params(ties="first").fit(X, y)
        moved.append((literal.predict(data.data) != published).mean())
    assert version == 2 or max(moved) > 0.01


@pytest.mark.slow
def test_ties_decided_by_precision_are_decided_better():
    accuracy = {"precision": [], "first": []}
    for draw in range(6):
        data = make_imbalanced_views(1600, random_state=draw)
        X, y = data.data, data.target
        for ties, figures in accuracy.items():
            carako = CarakoClassifier(
                "published", max_depth=5, version=1, views=data.views, ties=ties, random_state=0
            )
            figures.append(carako.fit(X[::2], y[::2]).score(X[1::2], y[1::2]))
    assert np.mean(accuracy["precision"]) > np.mean(accuracy["first"]) + 0.01


def test_threads_change_nothing(halves):
    views, X, y, X_new, _ = halves
    one, two = (
        CarakoClassifier("published", max_depth=6, views=views, random_state=0, n_jobs=n).fit(X, y)
        for n in (1, 2)
    )
    assert np.array_equal(one.decision_function(X_new), two.decision_function(X_new))
    assert np.array_equal(one.history_["objective"], two.history_["objective"])


def test_one_view_counts_for_everything():
    X, y, _ = four_view_classes()
    carako = CarakoClassifier("published", max_depth=3, random_state=0).fit(X, y)
    assert np.array_equal(carako.coefficients_, np.ones((1, 4)))


def test_it_stops_without_training_errors():
    X, y, _ = four_view_classes()
    X[:, 0] = y
    carako = CarakoClassifier("published", views={"all": slice(None)}, random_state=0).fit(X, y)
    assert carako.stop_reason_ == "no training errors"
    assert carako.n_iter_ == 1
    assert carako.score(X, y) == 1.0


@pytest.mark.parametrize("procedure", ["two_step", "joint"])
def test_voters_without_training_errors_are_kept_even_if_their_loss_is_larger(procedure):
    rng = np.random.default_rng(103)
    rng.integers(2, 24, 2)
    y = np.arange(14) % 3
    X = np.round(rng.normal(size=(14, 4)) + (y[:, None] == np.arange(4) % 3), 1)
    carako = CarakoClassifier(
        "published",
        version=1,
        max_depth=2,
        tol=0.0,
        views=[0, 2, 4],
        random_state=103,
        procedure=procedure,
    ).fit(X, y)
    first = carako.history_["start"] == 0
    assert carako.history_["error"][first][-1] == 0.0
    assert carako.history_["objective"][first].argmin() < first.sum() - 1
    assert carako.stop_reason_ == "no training errors"
    assert carako.score(X, y) == 1.0
    errorless = carako.history_["error"] == 0.0
    assert carako.objective_ == carako.history_["objective"][errorless].min()


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        KNeighborsClassifier(),
        CostTree(max_depth=2),
        {"view0": LogisticRegression(), "view2": DecisionTreeClassifier(max_depth=2)},
    ],
)
@pytest.mark.parametrize("version", [1, 2])
def test_any_classifier_may_speak_for_a_view(estimator, version):
    X, y, views = four_view_classes()
    carako = CarakoClassifier(
        estimator, version=version, views=views, max_iter=3, max_depth=2, random_state=0
    )
    assert carako.fit(X, y).score(X, y) > 0.65


def test_a_mapping_gives_each_view_its_own_learner():
    X, y, views = four_view_classes()
    given = {"view1": LogisticRegression()}
    vote = CarakoClassifier(given, views=views, max_iter=2, random_state=0).fit(X, y).vote_
    kinds = [type(term.voter).__name__ for term in vote.terms()]
    assert kinds == ["TreeVoter", "EstimatorVoter", "TreeVoter", "TreeVoter"]
    with pytest.raises(ValueError, match="'sound'"):
        CarakoClassifier({"sound": LogisticRegression()}, views=views).fit(X, y)


class _Says:
    def __init__(self, label):
        self.label = label

    def predict(self, X):
        return np.full(len(X), self.label)


def test_rows_without_any_vote_are_reported_and_get_the_most_frequent_class():
    X = np.arange(24.0).reshape(8, 3)
    y = np.array(["a", "b", "c", "d", "d", "d", "e", "e"])
    views = [0, 1, 2, 3]
    carako = CarakoClassifier("published", views=views, random_state=0).fit(X, y)
    assert not carako.undecided(X).any()
    owned = np.array([[1.0, 0, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 1, 1]])
    terms = [
        Term(EstimatorVoter(_Says(said), np.array([j]), np.zeros(5)), owned[j], j)
        for j, said in enumerate([1, 0, 0])
    ]
    carako.vote_ = Vote(terms, [3], 5, carako.views_)
    assert carako.undecided(X).all()
    assert set(carako.predict(X)) == {"d"}
    np.testing.assert_allclose(carako.predict_proba(X), np.tile(carako.class_prior_, (8, 1)))


def test_undecided_training_rows_are_counted():
    X, y, views = four_view_classes()
    X[:7] = np.nan
    carako = CarakoClassifier("published", views=views, max_depth=2, random_state=0).fit(X, y)
    assert carako.undecided_ == carako.undecided(X).sum() >= 7
    assert carako.undecided(X)[:7].all()


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("estimator", ["published", LogisticRegression()])
def test_missing_views_abstain(version, estimator):
    X, y, views = four_view_classes()
    rng = np.random.default_rng(0)
    for a in views[:-1]:
        X[rng.random(len(X)) < 0.3, a : a + 3] = np.nan
    carako = CarakoClassifier(
        estimator, version=version, views=views, max_depth=3, max_iter=4, random_state=0
    ).fit(X, y)
    gone = np.isnan(X).all(axis=1)
    assert np.array_equal(carako.undecided(X)[gone], np.ones(gone.sum(), dtype=bool))
    assert balanced_accuracy_score(y[~gone], carako.predict(X[~gone])) > 0.55
    alone = X.copy()
    alone[:, 3:] = np.nan
    here = ~np.isnan(alone[:, 0])
    voters = {term.view: term for term in carako.vote_.terms()}
    said = voters[0].voter.predict(alone[here])
    expected = np.zeros((here.sum(), 4))
    expected[np.arange(len(said)), said] = voters[0].weight[said]
    assert np.array_equal(carako.vote_.score(alone)[here], expected)


def test_a_view_that_is_never_there_stays_silent():
    X, y, views = four_view_classes()
    X[:, 3:6] = np.nan
    with pytest.warns(UserWarning, match=r"\['view1'\] are not used"):
        carako = CarakoClassifier("published", views=views, max_depth=2, random_state=0).fit(X, y)
    assert not carako.coefficients_[1].any()
    assert carako.vote_.view_of_term.tolist() == [0, 2, 3]
    complete, _, _ = four_view_classes()
    assert np.array_equal(carako.predict(complete), carako.predict(X))


def test_tables_of_every_kind_give_the_same_model():
    X, y, views = four_view_classes()
    X = np.round(X.astype(np.float32), 1).astype(np.float64)
    X[np.abs(X) < 0.4] = 0.0
    names = np.array(["no", "a little", "much", "all"])[y]
    carako = CarakoClassifier("published", views=views, max_depth=3, random_state=0)
    expected = clone(carako).fit(X, y).decision_function(X)
    for table in (sp.csr_array(X), sp.csc_array(X), np.asfortranarray(X), pd.DataFrame(X)):
        assert np.array_equal(clone(carako).fit(table, y).decision_function(table), expected)
    named = clone(carako).fit(X, names)
    assert named.classes_.tolist() == sorted(set(names))
    assert set(named.predict(X)) <= set(names)


def test_prefixed_columns_of_a_frame_are_views():
    X, y, _ = four_view_classes()
    frame = pd.DataFrame(X, columns=[f"{'abcd'[k // 3]}__{k}" for k in range(12)])
    carako = CarakoClassifier("published", views="prefix", max_depth=2, random_state=0).fit(
        frame, y
    )
    assert carako.explain().view_names == ["a", "b", "c", "d"]


def test_one_class_is_always_answered():
    X, _, views = four_view_classes()
    carako = CarakoClassifier("published", views=views).fit(X, np.full(len(X), "only"))
    assert set(carako.predict(X)) == {"only"}
    assert carako.undecided(X).all()
    assert carako.stop_reason_ == "one class"
    assert np.isnan(carako.objective_)


def test_without_any_view_it_says_so():
    X, y, views = four_view_classes()
    with pytest.warns(UserWarning, match=r"'view3'\] are not used"):
        carako = CarakoClassifier("published", views=views).fit(np.full_like(X, np.nan), y)
    assert carako.stop_reason_ == "no view shows two classes"
    assert np.isnan(carako.objective_)
    assert set(carako.predict(X)) == {0}
    assert carako.undecided_ == len(y)


def test_weights_count_like_repeated_rows():
    X, y, views = four_view_classes()
    times = np.random.default_rng(0).integers(1, 4, len(y))
    carako = CarakoClassifier("published", views=views, max_depth=3, random_state=0)
    weighted = clone(carako).fit(X, y, sample_weight=times)
    repeated = clone(carako).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.coefficients_, repeated.coefficients_, atol=1e-9)
    assert np.array_equal(weighted.predict(X), repeated.predict(X))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"version": 3}, "version must be 1 or 2, got 3"),
        ({"procedure": "both"}, "procedure must be one of"),
        ({"constraint": "ge1"}, "constraint must be one of"),
        ({"max_iter": 0}, "max_iter must be a whole number at least 1, got 0"),
        ({"n_restarts": 1.5}, "n_restarts"),
        ({"sweeps": 0}, "sweeps"),
        ({"tol": -1.0}, "tol must be in"),
        ({"tol": "small"}, "tol must be in"),
        ({"ties": "last"}, "ties must be one of 'first', 'precision'; got 'last'"),
        ({"max_depth": 0}, "max_depth"),
    ],
)
def test_impossible_parameters_are_refused(words, message):
    X, y, views = four_view_classes()
    carako = CarakoClassifier("published", views=views, **words)
    with pytest.raises(ValueError, match=message):
        carako.fit(X, y)
    assert not hasattr(carako, "vote_")


@pytest.mark.parametrize("value", [np.nan, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_nothing_to_learn_is_told(value, n_classes):
    X, y = np.full((30, 2), value), np.arange(30) % n_classes
    with pytest.warns(UserWarning, match="no voter separates the classes in any view"):
        CarakoClassifier("published", views=[0, 1, 2]).fit(X, y)


def test_nothing_is_told_where_something_was_learnt():
    X, y = np.arange(60.0).reshape(30, 2), np.arange(30) // 15
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert CarakoClassifier("published", views=[0, 1, 2]).fit(X, y).score(X, y) == 1.0
        assert (
            CarakoClassifier("published", views=[0, 1, 2])
            .fit(X, np.zeros(30))
            .score(X, np.zeros(30))
            == 1.0
        )
