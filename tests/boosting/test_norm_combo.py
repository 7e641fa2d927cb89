"""NormCoMBo as users meet it: its boosts, its factors, what it takes and what it refuses."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from tests.callbacks import StopAfter
from tests.problems import gaussian_classes
from uneven import ComboClassifier, NormComboClassifier
from uneven.boosting.norm import Boost, steering_costs
from uneven.datasets import make_balance_scale, make_long_tailed
from uneven.metrics import confusion_norm, error_matrix
from uneven.metrics.confusion import matrix_norm


def quick(**params):
    return NormComboClassifier(**({"n_estimators": 20, "random_state": 0} | params))


def same_model(one, other, X):
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    np.testing.assert_array_equal(one.vote_.weights, other.vote_.weights)
    np.testing.assert_array_equal(one.unseen_errors_, other.unseen_errors_)


class Watched(NormComboClassifier):
    """Remembers the rows drawn and the state of learning."""

    def _begin(self, table, rows):
        self._draws = []
        self._process = super()._begin(table, rows)
        return self._process

    def _draw(self, y, rng):
        self._draws.append(super()._draw(y, rng))
        return self._draws[-1]


class OneBoost(Watched):
    """A single boost that reads all columns."""

    def _boosts(self, n_classes, n_rows):
        return [Boost(self.n_estimators, 3, 1.0)]


def test_one_boost_is_combo_on_its_bootstrap():
    X, y = gaussian_classes([300, 120, 40], separation=0.5)
    X = np.clip(np.round(X), -2, 3)
    prices = np.array([[1.0, 2.0, 1.0], [1.0, 1.0, 0.0], [3.0, 1.0, 1.0]])
    model = OneBoost(
        n_estimators=15, class_factors=False, class_cost=prices, learning_rate=0.7, random_state=0
    ).fit(X, y)
    drawn = model._draws[0]
    combo = ComboClassifier(n_estimators=15, class_cost=prices, learning_rate=0.7)
    combo.fit(X, y, sample_weight=drawn)
    assert combo.n_estimators_ == model.n_estimators_ == 15
    alpha = combo.history_["weight"]
    np.testing.assert_allclose(model.vote_.weights[:, 0], alpha / alpha.sum(), rtol=1e-9)
    scores = combo.decision_function(X) / alpha.sum()
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-9, atol=1e-12)
    heard = model._process.learnt.unseen.votes
    np.testing.assert_allclose(heard[drawn == 0], scores[drawn == 0], rtol=1e-9, atol=1e-12)
    assert not heard[drawn > 0].any()


def test_boosts_are_heard_where_they_drew_nothing_and_steer_the_next(problem):
    X, y = problem
    prices = np.array([[1.0, 2.0, 0.5], [0.5, 1.0, 1.0], [1.5, 0.5, 1.0]])
    model = Watched(n_estimators=40, class_factors=False, class_cost=prices, random_state=1)
    model.fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert len(stages) == len(model._draws) == len(model.history_["trees"])
    votes = np.zeros_like(stages[0])
    for before, after, drawn in zip([np.zeros_like(votes), *stages], stages, model._draws):
        np.testing.assert_allclose((after - before).sum(axis=1), 1.0)
        votes[drawn == 0] += (after - before)[drawn == 0]
    np.testing.assert_allclose(model._process.learnt.unseen.votes, votes, atol=1e-12)
    judged = votes.any(axis=1)
    assert model.history_["judged"][-1] == judged.mean()
    answers = model._process.learnt.unseen.votes.argmax(axis=1)
    errors = error_matrix(y[judged], answers[judged]) * prices
    assert model.unseen_norm_ == pytest.approx(matrix_norm(errors))
    np.testing.assert_array_equal(model.judged_, np.bincount(y[judged]))
    assert model.history_["unseen_norm"][-1] == pytest.approx(model.unseen_norm_)
    counts = np.zeros((3, 3))
    np.add.at(counts, (y[judged], answers[judged]), 1.0)
    rates = (counts + 1 / 3) / (counts.sum(axis=1, keepdims=True) + 1.0)
    np.fill_diagonal(rates, 0.0)
    np.testing.assert_allclose(model.steering_cost_, steering_costs(rates * prices, 0.5))


def test_steering_changes_the_boosts_after_the_fourth(problem):
    X, y = problem
    params = {"n_estimators": 30, "class_factors": False}
    free, steered = (quick(steering=s, **params).fit(X, y) for s in (0.0, 1.0))
    np.testing.assert_array_equal(free.steering_cost_, np.ones((3, 3)))
    stages = zip(free.staged_decision_function(X), steered.staged_decision_function(X))
    same = [np.array_equal(a, b) for a, b in stages]
    assert all(same[:4])
    assert not any(same[4:])


def test_trees_are_counted_and_half_of_the_columns_is_read(problem):
    X, y = problem
    model = quick(n_estimators=45).fit(X, y)
    assert model.n_estimators_ == len(model.vote_) == model.history_["trees"].sum() == 45
    assert set(model.history_["depth"]) == {3, 6}
    ends = [0, *model.vote_.rounds.tolist()]
    read = []
    for start, end in list(pairwise(ends))[1::2]:
        trees = [model.vote_.term(t).voter for t in range(start, end)]
        read += [set(tree.feature[np.isfinite(tree.threshold)]) for tree in trees]
    assert all(len(columns) <= 2 for columns in read)
    assert len(set(map(frozenset, read))) > 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_factors_are_in_the_vote(n_classes):
    X, y = gaussian_classes([150, 30, 15][:n_classes], separation=1.0, seed=1)
    plain = quick(class_factors=False).fit(X, y)
    model = quick().fit(X, y)
    assert model.class_factors_.shape == (n_classes,)
    assert np.ptp(model.class_factors_) > 0.0
    np.testing.assert_array_equal(plain.class_factors_, np.ones(n_classes))
    scores = plain.vote_.score(X) * model.class_factors_
    np.testing.assert_allclose(model.vote_.score(X), scores, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), scores.argmax(axis=1))
    assert np.log(model.class_factors_).mean() == pytest.approx(0.0, abs=1e-12)
    assert model.unseen_norm_ == pytest.approx(matrix_norm(model.unseen_errors_))
    assert model.unseen_norm_ <= plain.unseen_norm_ + 0.1


def test_accuracy_weight_keeps_accuracy():
    X, y = gaussian_classes([600, 150, 40], separation=0.7, seed=2)
    greedy, careful = (quick(accuracy_weight=a).fit(X, y) for a in (0.0, 100.0))
    assert greedy.unseen_norm_ < careful.unseen_norm_ - 0.05
    assert careful.score(X, y) > greedy.score(X, y)


def test_the_norm_on_unseen_rows_is_that_on_fresh_rows():
    X, y = gaussian_classes([9000, 3000, 1500], separation=0.6)
    model = quick(n_estimators=40).fit(X[:4500], y[:4500])
    fresh = confusion_norm(y[4500:], model.predict(X[4500:]))
    assert model.unseen_norm_ == pytest.approx(fresh, abs=0.04)
    on_training = confusion_norm(y[:4500], model.predict(X[:4500]))
    assert on_training < model.unseen_norm_ - 0.05


def test_seeds_and_n_jobs():
    X, y = gaussian_classes([20_000, 8_000, 4_000], n_features=6)
    one, two = (quick(n_estimators=3, n_jobs=n).fit(X, y) for n in (1, 2))
    same_model(one, two, X)
    other = quick(n_estimators=3, random_state=1).fit(X, y)
    assert not np.array_equal(one.decision_function(X), other.decision_function(X))


def test_clone_pickle_and_stages(problem):
    X, y = problem
    model = quick().fit(X, y)
    same_model(clone(model).fit(X, y), model, X)
    same_model(pickle.loads(pickle.dumps(model)), model, X)
    *_, last = model.staged_predict(X)
    np.testing.assert_array_equal(last, model.predict(X))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.explain().view_share.shape == (1, 3)


def test_kinds_of_tables_do_not_matter(problem):
    X, y = problem
    X = np.where(X > 0, X, 0.0).astype(np.float32)
    expected = quick().fit(X, y)
    for same in (np.asfortranarray(X, dtype=np.float64), sp.csr_matrix(X), sp.csc_array(X)):
        same_model(quick().fit(same, y), expected, X)
    words = np.array(["b", "ä", "a"])
    model = quick(views={"first": [0, 1], "second": [2, 3]}).fit(X, words[y])
    assert model.classes_.tolist() == ["a", "b", "ä"]
    assert model.views_.names == ("first", "second")
    assert np.mean(model.predict(X) == words[y]) > 0.8


def test_frames_with_categories():
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    sizes, pick = np.array(["small", "medium", "large"]), rng.integers(0, 3, 90)
    noise = rng.normal(size=90)
    kinds = pd.Categorical(sizes[pick], categories=sizes, ordered=True)
    frame = pd.DataFrame({"size": kinds, "noise": noise})
    model = quick().fit(frame, pick)
    assert model.score(frame, pick) == 1.0
    assert model.categories_ == {"size": sizes.tolist()}
    codes = pl.Series(sizes[pick].tolist(), dtype=pl.Enum(sizes.tolist()))
    polars = pl.DataFrame({"size": codes, "noise": noise})
    np.testing.assert_array_equal(quick().fit(polars, pick).predict(polars), model.predict(frame))


def test_one_class_one_row_and_one_row_per_class():
    for rows, labels in ((np.arange(6.0)[:, None], ["only"] * 6), ([[1.0]], ["only"])):
        model = quick().fit(rows, labels)
        assert model.predict([[3.0], [np.nan]]).tolist() == ["only", "only"]
        assert (model.n_estimators_, model.stop_reason_) == (0, "one class")
        assert model.unseen_norm_ == 0.0
    for n_classes in (2, 3):
        numbers = np.arange(float(n_classes))[:, None]
        model = quick().fit(numbers, np.arange(n_classes))
        assert model.predict(numbers).tolist() == list(range(n_classes))
        np.testing.assert_array_equal(model.class_factors_, np.ones(n_classes))
        assert not model.history_["judged"].any()


@pytest.mark.parametrize("value", [1.0, np.nan])
def test_columns_without_information_answer_the_prior(value):
    with pytest.warns(UserWarning, match="no weak learner is better than guessing"):
        model = quick().fit(np.full((6, 2), value), [0, 0, 0, 1, 1, 2])
    assert model.predict(np.zeros((2, 2))).tolist() == [0, 0]
    assert model.n_estimators_ == 0
    np.testing.assert_allclose(model.predict_proba([[5.0, 5.0]]), [[1 / 2, 1 / 3, 1 / 6]])


def test_columns_that_say_nothing_do_no_harm(problem):
    X, y = problem
    wide = np.column_stack([X, np.full(len(y), np.nan), np.ones(len(y))])
    assert quick(n_estimators=60).fit(wide, y).score(wide, y) > 0.9


def test_rows_with_nothing_known_teach_nothing_and_are_not_drawn(problem):
    X, y = problem
    holes = np.vstack([X, np.full((30, 4), np.nan)])
    model = Watched(n_estimators=20, random_state=0).fit(holes, np.append(y, np.full(30, 0)))
    assert {len(drawn) for drawn in model._draws} == {len(y)}
    assert model.history_["judged"][-1] <= len(y) / len(holes)
    assert model.predict(holes[-2:]).tolist() == [0, 0]
    assert model.undecided(holes)[-30:].all()
    without = Watched(n_estimators=20, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model._draws, without._draws)


def test_a_class_with_one_row_to_be_seen_is_learnt_by_every_boost():
    X, y = gaussian_classes([60, 60], separation=4.0)
    ones = np.flatnonzero(y == 1)
    X[ones[1:]] = np.nan
    model = quick().fit(X, y)
    assert model.predict(X[ones[:1]]).tolist() == [1]
    for answers in model.staged_predict(X[ones[:1]]):
        assert answers.tolist() == [1]


@pytest.mark.parametrize("scale", [1e-200, 1e-6, 1 / 300, 1e3, 1e200])
def test_units_of_weights_and_prices_do_not_matter(problem, scale):
    X, y = problem
    prices = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 4.0], [3.0, 1.0, 0.0]])
    plain = quick(class_cost=prices).fit(X, y)
    scaled = quick(class_cost=prices * scale).fit(X, y, sample_weight=np.full(len(y), scale))
    np.testing.assert_array_equal(scaled.predict(X), plain.predict(X))
    np.testing.assert_allclose(scaled.class_factors_, plain.class_factors_)
    np.testing.assert_allclose(scaled.steering_cost_, plain.steering_cost_)
    assert scaled.unseen_norm_ == pytest.approx(plain.unseen_norm_)
    uneven = quick().fit(X, y, np.where(y == 0, 1e300, 1e-300))
    assert uneven.classes_.tolist() == [0, 1, 2]
    assert np.isfinite(uneven.decision_function(X)).all()


def test_a_single_row_is_never_judged(problem):
    X, y = np.vstack([problem[0], [9.0] * problem[0].shape[1]]), np.append(problem[1], 3)
    model = Watched(n_estimators=3, random_state=0).fit(X, y)
    unseen = np.any([drawn == 0 for drawn in model._draws], axis=0)
    np.testing.assert_array_equal(model.judged_, np.bincount(y[unseen], minlength=4))
    assert model.judged_[3] == 0 < model.judged_.sum() < len(y)
    assert not model.unseen_errors_[3].any()


class FewColumns(NormComboClassifier):
    """A single boost whose trees read one column in five."""

    def _boosts(self, n_classes, n_rows):
        return [Boost(12, 2, 0.2)]


@pytest.mark.filterwarnings("ignore:no voter does better")
def test_a_draw_of_useless_columns_does_not_end_a_boost():
    X = np.zeros((60, 5))
    X[:, 4] = np.arange(60)
    y = np.arange(60) // 30
    found = [FewColumns(random_state=seed).fit(X, y).n_estimators_ for seed in range(10)]
    assert sum(n > 0 for n in found) >= 7


def test_nothing_to_learn_is_told():
    X, y = np.ones((20, 2)), np.arange(20) // 10
    with pytest.warns(UserWarning, match="no weak learner is better than guessing"):
        model = quick().fit(X, y)
    assert model.stop_reason_ == "no voter with a positive edge"


def test_zero_weights_are_like_missing_rows(problem):
    X, y = problem
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    removed = quick().fit(X[weight > 0], y[weight > 0])
    weighed = quick().fit(X, y, sample_weight=weight)
    same_model(weighed, removed, X)
    np.testing.assert_array_equal(weighed.judged_, removed.judged_)
    assert weighed.judged_.sum() <= weight.sum()


def test_weights_count_in_the_error_rates(problem):
    X, y = problem
    weight = np.random.default_rng(0).choice([0.2, 5.0], len(y))
    model = Watched(n_estimators=20, random_state=0).fit(X, y, sample_weight=weight)
    votes = model._process.learnt.unseen.votes * model.class_factors_
    judged = votes.any(axis=1)
    norm = confusion_norm(y[judged], votes[judged].argmax(axis=1), sample_weight=weight[judged])
    assert model.unseen_norm_ == pytest.approx(norm)


def test_mistakes_that_cost_nothing_are_made(problem):
    X, y = problem
    free = np.ones((3, 3))
    free[2, :] = 0.0
    paid, unpaid = (quick(class_cost=c).fit(X, y) for c in (None, free))
    assert np.mean(paid.predict(X)[y == 2] == 2) > 0.8
    assert np.mean(unpaid.predict(X)[y == 2] == 2) < 0.2
    assert unpaid.unseen_errors_[2].sum() > 0.8
    assert unpaid.unseen_norm_ == pytest.approx(matrix_norm(unpaid.unseen_errors_[:2]) * 1.5)


@pytest.mark.parametrize(
    "estimator", [DecisionTreeClassifier(max_depth=2), LogisticRegression(C=0.1)]
)
def test_any_classifier_can_vote(problem, estimator):
    X, y = problem
    model = quick(estimator=estimator, n_estimators=8).fit(X, y)
    assert model.score(X, y) > 0.65
    same_model(clone(model).fit(X, y), model, X)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_estimators": 0}, "n_estimators must be a whole number at least 1, got 0"),
        ({"max_depth": 31}, "max_depth"),
        ({"learning_rate": 1.5}, "learning_rate"),
        ({"steering": 1.1}, "steering must be between 0 and 1, got 1.1"),
        ({"steering": np.nan}, "steering"),
        ({"steering": True}, "steering must be between 0 and 1, got True"),
        ({"steering": "full"}, "steering must be between 0 and 1, got 'full'"),
        ({"accuracy_weight": -1}, "accuracy_weight must be between 0 and 1e9, got -1"),
        ({"accuracy_weight": np.inf}, "accuracy_weight"),
        ({"class_factors": "yes"}, "class_factors must be True or False, got 'yes'"),
        ({"class_cost": np.ones((2, 2))}, r"shape \(2, 2\), but y holds 3 classes"),
        ({"class_cost": np.zeros((3, 3))}, "nothing to learn"),
        ({"views": [0, 2]}, "boundaries"),
    ],
)
def test_bad_parameters_are_named(params, message, problem):
    X, y = problem
    model = quick(**params)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_fit_that_fails_leaves_the_earlier_one(problem, monkeypatch, error):
    X, y = problem
    model = quick().fit(X, y)
    kept = clone(model).fit(X, y)

    def fail(*_):
        raise error

    monkeypatch.setattr(NormComboClassifier, "_record", fail)
    with pytest.raises(error):
        model.fit(X[:, :2], y + 1)
    same_model(model, kept, X)
    assert model.classes_.tolist() == [0, 1, 2]
    assert len(model.history_["trees"]) == len(kept.history_["trees"])


def test_callbacks_see_every_boost_and_can_stop(problem):
    pytest.importorskip("sklearn.callback")
    X, y = problem

    watch = StopAfter(3, lambda model: model.decision_function(X))
    model = quick().set_callbacks(watch).fit(X, y)
    assert watch.seen == len(model.history_["trees"]) == 3
    assert model.stop_reason_ == "a callback asked to stop"
    np.testing.assert_allclose(model.decision_function(X), watch.answer * model.class_factors_)


def test_early_stopping_ends_when_the_norm_no_longer_falls():
    X, y = load_wine(return_X_y=True)
    model = quick(n_estimators=200, n_iter_no_change=3).fit(X, y)
    norms = model.history_["unseen_norm"]
    assert model.stop_reason_ == "the norm on out-of-bag rows no longer falls"
    assert len(norms) < len(quick(n_estimators=200)._boosts(3, len(y)))
    assert norms[-3:].min() >= norms[:-3].min()
    whole = quick(n_estimators=200).fit(X, y)
    np.testing.assert_array_equal(norms, whole.history_["unseen_norm"][: len(norms)])


def test_warm_start_adds_the_boosts_of_one_long_fit():
    X, y = load_wine(return_X_y=True)
    whole = quick(n_estimators=700).fit(X, y)
    grown = quick(n_estimators=600, warm_start=True).fit(X, y)
    first = grown.vote_
    grown.set_params(n_estimators=700).fit(X, y)
    assert len(grown.vote_.rounds) > len(first.rounds)
    same_model(grown, whole, X)
    for key, values in whole.history_.items():
        np.testing.assert_array_equal(grown.history_[key], values)
    assert grown.fit(X, y).n_estimators_ == whole.n_estimators_


def test_warm_start_adds_the_trees_asked_for(problem):
    X, y = problem
    grown = quick(n_estimators=30, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=80).fit(X, y)
    assert 60 < grown.n_estimators_ <= 80
    assert grown.history_["trees"].sum() == grown.n_estimators_


def test_warm_start_goes_on_after_a_callback_has_stopped_it(problem):
    pytest.importorskip("sklearn.callback")
    X, y = problem
    whole = quick().fit(X, y)
    grown = quick(warm_start=True).set_callbacks(StopAfter(3, lambda fitted: None)).fit(X, y)
    assert len(grown.history_["trees"]) == 3
    same_model(grown.set_callbacks().fit(X, y), whole, X)


def test_an_interrupted_warm_start_leaves_the_model_as_it_was(problem, monkeypatch):
    X, y = problem
    grown = quick(n_estimators=30, warm_start=True).fit(X, y)
    before = grown.decision_function(X)

    def interrupted(*anything):
        raise KeyboardInterrupt

    monkeypatch.setattr(NormComboClassifier, "_finish", interrupted)
    with pytest.raises(KeyboardInterrupt):
        grown.set_params(n_estimators=80).fit(X, y)
    monkeypatch.undo()
    np.testing.assert_array_equal(grown.decision_function(X), before)
    once = quick(n_estimators=30, warm_start=True).fit(X, y).set_params(n_estimators=80)
    same_model(grown.fit(X, y), once.fit(X, y), X)


def test_warm_start_refuses_what_it_cannot_continue(problem):
    X, y = problem
    model = quick(warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="copied or loaded"):
        pickle.loads(pickle.dumps(model)).fit(X, y)
    with pytest.raises(ValueError, match=r"y, weights, .* differ"):
        model.fit(X, y[::-1])
    with pytest.raises(ValueError, match="number of columns"):
        model.fit(X[:, :1], y)
    with pytest.raises(ValueError, match="take trees away"):
        model.set_params(n_estimators=5).fit(X, y)


def test_verbose_prints_boosts(problem, capsys):
    X, y = problem
    quick(verbose=10).fit(X, y)
    printed = capsys.readouterr().out
    assert printed.count("NormComboClassifier  round") == len(quick()._boosts(3, 100))
    assert "unseen_norm" in printed


def norm_by_folds(model, X, y):
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    return confusion_norm(y, cross_val_predict(model, X, y, cv=folds))


@pytest.mark.slow
def test_norms_below_those_of_combo_and_of_weighted_forests():
    scale = make_balance_scale()
    tail = make_long_tailed(*load_digits(return_X_y=True), ratio=20.0)
    for (X, y), n_estimators in (((scale.data, scale.target), 600), (tail, 200)):
        found = norm_by_folds(quick(n_estimators=n_estimators), X, y)
        forest = RandomForestClassifier(40, class_weight="balanced", random_state=0)
        assert found < norm_by_folds(forest, X, y) - 0.03
        assert found < norm_by_folds(ComboClassifier(n_estimators=60), X, y) - 0.03
