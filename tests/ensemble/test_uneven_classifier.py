"""UnevenClassifier: what it learns, how it decides, and what it takes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.naive_bayes import GaussianNB

from tests.callbacks import StopAfter
from tests.ensemble.tables import uneven_table
from tests.few_trees import few_own_trees
from uneven import TunedDecisionClassifier, UnevenClassifier
from uneven.datasets import make_imbalanced_views, make_uneven_views
from uneven.decisions.decision import fit_decision
from uneven.ensemble.pooling import (
    PooledMember,
    PooledRows,
    ask_members,
    choose_members,
    pooled_probabilities,
)
from uneven.metrics import confusion_norm

FEW = ["boost", "landmarks", "logistic"]
few_trees = pytest.mark.usefixtures("small_ensembles")
"""For tests that do not ask how well many trees learn."""


@pytest.fixture
def small_ensembles():
    with few_own_trees():
        yield


def few(**words):
    return UnevenClassifier(**{"members": FEW, "random_state": 0, **words})


@pytest.fixture(scope="module")
def table():
    X, y = uneven_table()
    return X, np.array(["common", "less", "rare", "tiny"])[y]


@pytest.fixture(scope="module")
def fitted(table):
    return few().fit(*table)


def test_probabilities_are_the_pool_and_answers_are_the_decision(fitted, table):
    X, _ = table
    every = np.ones(len(X), dtype=bool)
    said = [one.probabilities(X, every, None) for one in fitted.members_]
    shares = fitted.pool_.probabilities(said)
    np.testing.assert_allclose(fitted.predict_proba(X), shares)
    assert np.array_equal(fitted.predict(X), fitted.classes_[fitted.decision_.answers(shares)])
    scores = fitted.decision_function(X)
    assert np.array_equal(fitted.classes_[scores.argmax(axis=1)], fitted.predict(X))
    assert fitted.weights_ == dict(zip(FEW, fitted.pool_.weights))
    assert np.array_equal(fitted.factors_, fitted.decision_.factors)


def test_probabilities_do_not_depend_on_the_measure(fitted, table):
    X, y = table
    other = few(measure="accuracy").fit(X, y)
    assert np.array_equal(fitted.predict_proba(X), other.predict_proba(X))
    assert np.array_equal(other.predict(X), other.classes_[other.predict_proba(X).argmax(axis=1)])
    priced = few(cost=1.0 - np.eye(4)).fit(X, y)
    assert np.array_equal(priced.predict(X), other.predict(X))
    assert priced.factors_ is None


@pytest.mark.slow
def test_it_beats_a_forest_divided_by_the_prior_where_a_line_tells_the_classes():
    X, y = uneven_table(8, (400, 80, 20), gap=1.0)
    X_new, y_new = uneven_table(8, (4000, 800, 200), gap=1.0)
    model = UnevenClassifier(random_state=0).fit(X, y)
    forest = RandomForestClassifier(300, random_state=0).fit(X, y)
    shares = forest.predict_proba(X_new)
    answers = (shares / np.bincount(y)).argmax(axis=1)
    assert confusion_norm(y_new, model.predict(X_new)) < confusion_norm(y_new, answers)
    assert log_loss(y_new, model.predict_proba(X_new)) < log_loss(y_new, shares)


def test_permuted_labels_give_chance_and_no_hope():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 6)), rng.permutation(np.repeat([0, 1, 2], [180, 90, 30]))
    model = few().fit(X, y)
    chance = -(np.bincount(y) / 300 * np.log(np.bincount(y) / 300)).sum()
    assert model.unseen_log_loss_ > 0.93 * chance
    recalls = model.decision_.recalls
    assert recalls.mean() < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ensemble", "wrapper"])
def test_permuted_labels_give_chance_also_where_classes_have_few_rows(kind):
    told, sizes = [], [100, 40, 5, 3]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        model = TunedDecisionClassifier(LogisticRegression())
        if kind == "ensemble":
            model = few(members=["landmarks", "logistic"], random_state=seed)
        model.fit(rng.normal(size=(148, 6)), np.repeat([0, 1, 2, 3], sizes))
        told.append(model.decision_.recalls)
        unseen = model.unseen_
        chance = -(np.log(np.array(sizes) / 148)[unseen.codes]).mean()
        assert log_loss(unseen.codes, unseen.probabilities, labels=range(4)) > 0.9 * chance
    assert np.mean(told) < 0.3
    assert np.mean(told, axis=0)[2:].max() < 0.45


def test_unseen_log_loss_tells_that_of_new_rows():
    X, y = uneven_table(sizes=(200, 100, 60))
    X_new, y_new = uneven_table(sizes=(2000, 1000, 600))
    model = few().fit(X, y)
    new = log_loss(y_new, model.predict_proba(X_new))
    assert abs(model.unseen_log_loss_ - new) < 0.35 * new


@few_trees
@pytest.mark.parametrize("members", [FEW, ["forest", "extra_trees"]])
def test_threads_change_nothing(members, table):
    X, y = table
    one = few(members=members).fit(X, y)
    two = few(members=members, n_jobs=2).fit(X, y)
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    assert one.weights_ == two.weights_


@few_trees
@pytest.mark.parametrize("sizes", [(40, 12, 1), (30, 2, 2, 1), (9, 1), (1, 1), (2, 1, 1, 1)])
@pytest.mark.parametrize("measure", ["norm", "macro_f1"])
def test_classes_of_a_row_or_two_are_learnt(sizes, measure):
    X, y = uneven_table(3, sizes)
    model = UnevenClassifier(measure=measure, random_state=0).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert set(model.predict(X)) <= set(range(len(sizes)))
    assert np.isfinite(model.unseen_log_loss_)


def test_a_class_of_one_row_is_recognised_where_it_is_far_away():
    X, y = uneven_table(3, (60, 30, 1))
    X[y == 2] = 9.0
    model = UnevenClassifier(random_state=0).fit(X, y)
    assert model.predict([[9.0, 9.0, 9.0]]) == [2]


def test_one_class_is_always_answered():
    model = few().fit([[0.0], [1.0]], ["only", "only"])
    assert model.predict([[5.0]]) == ["only"]
    assert model.members_ == []
    assert "nothing to decide" in str(model.explain())


def test_a_table_without_a_filled_cell_answers_the_most_frequent_class():
    X, y = np.full((9, 2), np.nan), np.repeat(["a", "b"], [3, 6])
    model = few().fit(X, y)
    assert set(model.predict(X)) == {"b"}
    np.testing.assert_allclose(model.predict_proba(X)[0], [1 / 3, 2 / 3])


def test_constant_columns_leave_the_class_shares():
    X, y = np.ones((60, 2)), np.repeat([0, 1], [40, 20])
    model = UnevenClassifier(random_state=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], [2 / 3, 1 / 3], atol=0.03)


@few_trees
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_with_categories_and_gaps(kind):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(190, 5)), np.repeat([0, 1, 2], [120, 50, 20])
    word = np.array(["red", "green", "blue"])[np.where(rng.random(len(y)) < 0.8, y, 0)]
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame.loc[::4, "a"] = np.nan
    frame["word"] = pd.Categorical(word)
    given = frame if kind is pd.DataFrame else pl.from_pandas(frame)
    model = UnevenClassifier(random_state=0).fit(given, y)
    assert balanced_accuracy_score(y, model.predict(given)) > 0.7
    top = model.explain().feature_share.mean(axis=1).argmax()
    assert model.explain().feature_names[top] == "word"


@few_trees
def test_codes_of_categories_are_named():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 12, 400)
    X = np.column_stack([code, rng.normal(size=400)])
    y = (code % 3 == 0).astype(int)
    told = few(members=["logistic"], categorical_features=[0]).fit(X, y)
    plain = few(members=["logistic"]).fit(X, y)
    assert told.score(X, y) == 1.0 > plain.score(X, y)
    with pytest.raises(ValueError, match="categorical_features"):
        few(categorical_features=[1]).fit(X, y)


def test_a_sparse_table_has_linear_members():
    rng = np.random.default_rng(0)
    y = np.repeat(["news", "sport", "odd"], [120, 60, 12])
    topic = np.unique(y, return_inverse=True)[1]
    X = sp.csr_matrix(rng.poisson(0.1 + 0.9 * (np.arange(60) % 5 == topic[:, None])) * 1.0)
    model = UnevenClassifier(random_state=0).fit(X, y)
    assert set(model.weights_) == {"logistic", "word_counts"}
    assert balanced_accuracy_score(y, model.predict(X)) > 0.9
    assert np.allclose(model.predict_proba(X), model.predict_proba(sp.csc_array(X)))


@few_trees
@pytest.mark.parametrize("members", [["forest"], ["landmarks"], ["boost"]])
def test_named_members_take_a_small_sparse_table(members):
    X, y = uneven_table()
    X = np.where(X > 0.5, X, 0.0)
    dense = few(members=members).fit(X, y)
    loose = few(members=members).fit(sp.csr_array(X), y)
    assert (dense.predict(X) == loose.predict(sp.csr_array(X))).mean() > 0.85


@few_trees
def test_weights_move_probabilities_and_only_their_proportions_matter():
    X, y = uneven_table(sizes=(120, 60, 20), gap=0.5)
    heavy = np.where(y == 2, 20.0, 1.0)
    plain = few().fit(X, y).predict_proba(X)
    weighed = few().fit(X, y, heavy).predict_proba(X)
    assert weighed[:, 2].mean() > 2.0 * plain[:, 2].mean()
    scaled = few().fit(X, y, 1e-150 * heavy).predict_proba(X)
    np.testing.assert_allclose(scaled, weighed, atol=0.02)


@few_trees
def test_rows_of_weight_zero_are_left_out(table):
    X, y = table
    kept = np.arange(len(y)) % 3 > 0
    some = few().fit(X[kept], y[kept]).predict_proba(X)
    assert np.array_equal(few().fit(X, y, kept * 1.0).predict_proba(X), some)


def test_constraints_are_kept_on_the_rows_not_seen(table):
    X, y = table
    model = few(measure="accuracy", constraints={"tiny": 0.9}).fit(X, y)
    assert model.decision_.recalls[3] >= 0.9
    for constraints, words in [({"none": 0.5}, "no class"), ([0.5], "must be a dict")]:
        with pytest.raises(ValueError, match=words):
            few(constraints=constraints).fit(X, y)


def test_a_prior_moves_answers_towards_what_will_be_frequent(table):
    X, y = table
    usual = few(measure="accuracy").fit(X, y).predict(X)
    moved = few(measure="accuracy", prior=[0.1, 0.1, 0.1, 0.7]).fit(X, y).predict(X)
    assert (moved == "tiny").sum() > (usual == "tiny").sum()


def test_costs_are_lower_than_those_of_the_most_probable_class():
    X, y = uneven_table(sizes=(300, 60, 30), gap=0.8)
    X_new, y_new = uneven_table(sizes=(3000, 600, 300), gap=0.8)
    cost = np.array([[0, 1, 1], [9, 0, 1], [9, 1, 0.0]])
    model = few(cost=cost).fit(X, y)
    likely = model.predict_proba(X_new).argmax(axis=1)
    assert cost[y_new, model.predict(X_new)].mean() < cost[y_new, likely].mean()


def views_table():
    data = make_uneven_views(300, random_state=0)
    return data.data, data.target, data.views


def test_members_of_views_join_where_they_help():
    X, y, views = views_table()
    model = few(views=views).fit(X, y)
    assert any(" of " in name for name in model.weights_)
    plain = few().fit(X, y)
    assert model.unseen_log_loss_ < plain.unseen_log_loss_


def test_members_of_views_that_do_not_help_are_left_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 4))
    y = (X[:, 0] * X[:, 2] > 0).astype(int)
    model = few(views=[0, 2, 4]).fit(X, y)
    assert set(model.weights_) == set(FEW)


@few_trees
def test_missing_views_abstain():
    X, y, views = views_table()
    model = few(views=views).fit(X, y)
    name = next(iter(views))
    gone = X.copy()
    gone[:, views[name]] = np.nan
    presence = model.views_.presence(gone)
    for one in model.members_:
        said = one.probabilities(gone, one.speaks_on(presence), None)
        assert np.isnan(said).all() == one.name.endswith(f" of {name}")
    assert np.isfinite(model.predict_proba(gone)).all()
    nothing = np.full_like(X[:3], np.nan)
    np.testing.assert_allclose(model.predict_proba(nothing), [model.class_prior_] * 3)
    frequent = model.classes_[model.class_prior_.argmax()]
    assert (model.predict(nothing) == frequent).all()


@few_trees
@pytest.mark.parametrize("shares_gaps", [True, False])
@pytest.mark.parametrize("view", [-1, 0])
def test_members_without_weight_are_asked_only_where_nobody_else_speaks(view, shares_gaps):
    X, y, views = views_table()
    X[:40, views[next(iter(views))]] = np.nan
    own = ["logistic", "landmarks", ("own", RandomForestClassifier(9, random_state=0))]
    model = few(members=own, views=views).fit(X, y)
    here = np.array([one.view == view for one in model.members_])
    assert 0 < here.sum() < len(here)
    pool = replace(model.pool_, weights=0.5 * here, shares_gaps=shares_gaps)
    presence = model.views_.presence(X)
    everyone = [one.probabilities(X, one.speaks_on(presence), None) for one in model.members_]
    said = ask_members(model.members_, pool.weights, X, presence, None)
    shares = pool.probabilities(everyone)
    np.testing.assert_allclose(pool.probabilities(said), shares, rtol=1e-9)
    silent = presence[:, 0] if view == 0 else np.ones(len(X), dtype=bool)
    for one, is_heard, all_said in zip(said, here, everyone):
        asked = ~np.isnan(all_said[:, 0]) & (is_heard | ~silent)
        np.testing.assert_array_equal(~np.isnan(one[:, 0]), asked)


@few_trees
def test_columns_outside_of_the_views_are_not_read():
    X, y = uneven_table(4, (90, 30))
    model = few(views={"left": [0, 1], "right": [2]}).fit(X, y)
    changed = X.copy()
    changed[:, 3] = 1e9
    assert np.array_equal(model.predict_proba(X), model.predict_proba(changed))


@few_trees
def test_a_view_that_no_training_row_has_is_named(table):
    X, y = table
    gone = X.copy()
    gone[:, 0] = np.nan
    with pytest.warns(UserWarning, match=r"views \['lost'\] are not used: they are missing"):
        model = few(views={"lost": [0], "kept": [1, 2]}).fit(gone, y)
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(gone))


def test_choice_of_views_looks_at_the_other_half():
    y = np.tile([0, 1], 50)
    blind = np.full((100, 2), 0.5)
    sharp = np.where(y[:, None] == [0, 1], 0.9, 0.1)
    none = np.zeros(1, dtype=np.int64)
    members = [PooledMember("all", None, none), PooledMember("part", None, none, 0)]
    rows = PooledRows([blind, sharp], y, np.ones(100), np.full(2, 0.5))
    assert choose_members(members, rows, seed=0) == [0, 1]
    rows = PooledRows([sharp, blind], y, np.ones(100), np.full(2, 0.5))
    assert choose_members(members, rows, seed=0) == [0]


def redundant_views(n=240, seed=0):
    """Two views that tell half of the truth each, a copy of the first, and noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    first, second = (np.eye(3)[y] + rng.normal(0.0, 0.8, (n, 3)) for _ in range(2))
    copy, noise = first + rng.normal(0.0, 0.02, (n, 3)), rng.normal(size=(n, 3))
    views = {"first": [0, 1, 2], "copy": [3, 4, 5], "noise": [6, 7, 8], "second": [9, 10, 11]}
    return np.hstack([first, copy, noise, second]), y, views


@pytest.mark.slow
def test_views_that_repeat_others_or_say_nothing_are_dropped():
    X, y, views = redundant_views()
    model = few(views=views, max_views=4).fit(X, y)
    assert model.views_.names in {("first", "second"), ("copy", "second")}
    dropped = np.setdiff1d(np.arange(12), model.views_.used_columns)
    changed = X.copy()
    changed[:, dropped] = np.nan
    assert np.array_equal(model.predict_proba(X), model.predict_proba(changed))
    assert len(few(views=views, max_views=1).fit(X, y).views_) == 1


@few_trees
def test_views_that_are_missing_only_later_make_it_less_certain():
    data = make_imbalanced_views(450, random_state=0)
    X, y, views = data.data, data.target, data.views
    train, rest = np.arange(300), np.arange(300, 450)
    model = UnevenClassifier(views=views, random_state=0).fit(X[train], y[train])
    assert {one.view for one in model.view_members_} == {0, 1, 2, 3}
    whole = X[rest].copy()
    expected = pooled_probabilities(
        model.members_, model.pool_, whole, np.ones((150, 4), bool), model.class_prior_, None
    )
    np.testing.assert_array_equal(model.predict_proba(whole), expected)
    one = whole.copy()
    one[:, 5:] = np.nan
    told = model.predict_proba(one)
    presence = model.views_.presence(one)
    joint = pooled_probabilities(
        model.members_, model.pool_, one, presence, model.class_prior_, None
    )
    chance = log_loss(y[rest], np.tile(model.class_prior_, (150, 1)))
    assert log_loss(y[rest], told) < min(chance, log_loss(y[rest], joint) - 0.1)
    both = np.vstack([whole[:3], one[3:]])
    np.testing.assert_allclose(model.predict_proba(both)[:3], expected[:3], rtol=1e-12)
    older = clone(model).fit(X[train], y[train])
    del older.view_members_, older.view_pool_
    np.testing.assert_array_equal(older.predict_proba(one), joint)


@few_trees
def test_a_view_that_tells_nothing_may_be_missing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 6))
    y = ((X[:, 0] > 0) ^ (X[:, 2] > 0)).astype(int)
    views = {"a": [0, 1], "b": [2, 3], "noise": [4, 5]}
    model = UnevenClassifier(members=["forest", "boost"], views=views, random_state=0)
    model.fit(X[:300], y[:300])
    X[300:, 4:] = np.nan
    assert model.score(X[300:], y[300:]) > 0.9


@few_trees
@pytest.mark.parametrize("n_gaps", [1, 11, 12])
def test_views_that_are_missing_in_training_are_weighed_there(n_gaps):
    X, y, views = redundant_views(120)
    X[:n_gaps, 3:] = np.nan
    model = few(views=views).fit(X, y)
    assert (model.view_pool_ is None) == (n_gaps == 12)


def test_frames_may_lack_columns_that_no_view_reads():
    X, y, _ = redundant_views(90)
    frame = pd.DataFrame(X[:, :4], columns=list("abcd"))
    frame["b"] = pd.Categorical(np.array(["p", "q"])[(X[:, 1] > 0).astype(int)])
    model = few(members=["logistic"], views={"kept": ["a", "d"]}).fit(frame, y)
    expected = model.predict_proba(frame)
    for kept in (["a", "d"], ["a", "c", "d"]):
        np.testing.assert_array_equal(model.predict_proba(frame[kept]), expected)
    for wrong in (["a", "b", "c"], ["d", "a"]):
        with pytest.raises(ValueError, match=r"feature names"):
            model.predict_proba(frame[wrong])


@few_trees
@pytest.mark.slow
def test_rows_without_a_kept_view_get_the_class_shares():
    X, y, views = redundant_views()
    X[:40, :6] = np.nan
    X[:40, 9:] = np.nan
    model = few(views=views, max_views=4).fit(X, y)
    assert "noise" not in model.views_.names
    np.testing.assert_allclose(model.predict_proba(X[:2]), [model.class_prior_] * 2)


@few_trees
def test_one_view_or_one_class_leaves_nothing_to_choose(table):
    X, y = table
    plain, told = (few(max_views=most, random_state=3).fit(X, y) for most in (None, 2))
    assert plain.views_.names == told.views_.names
    assert few(views=[0, 2, X.shape[1]], max_views=1).fit(X, np.zeros(len(X))).predict(X[:1]) == 0


@few_trees
def test_time_budget_keeps_the_first_member(table):
    model = few(time_budget=0.0).fit(*table)
    assert list(model.weights_) == ["boost"]


@few_trees
def test_members_of_other_libraries_join(table):
    X, y = table
    line = LogisticRegression(max_iter=500)
    model = few(members=["boost", ("line", line)]).fit(X, y)
    assert list(model.weights_) == ["boost", "line"]
    assert not hasattr(line, "coef_")


@few_trees
def test_parameters_are_searched_and_cloned(table):
    search = GridSearchCV(few(), {"measure": ["norm", "accuracy"]}, cv=2, scoring="accuracy")
    assert search.fit(*table).best_params_["measure"] == "accuracy"
    assert clone(few(members=["boost"])).members == ["boost"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"measure": "nrom"}, "measure must be one of"),
        ({"time_budget": -1}, "time_budget"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"members": ["trees"]}, "unknown member"),
        ({"cost": np.eye(2)}, "cost"),
        ({"prior": [1.0]}, "prior"),
        ({"views": {"a": [99]}}, "outside"),
        ({"max_views": 0}, "max_views must be a whole number at least 1"),
    ],
)
def test_bad_parameters_are_named(words, says, table):
    with pytest.raises(ValueError, match=says):
        few(**words).fit(*table)


@few_trees
def test_a_fit_that_fails_leaves_the_model_as_it_was(table):
    X, y = table
    model = few().fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="cost"):
        model.set_params(cost=np.eye(2)).fit(X, y)
    assert np.array_equal(model.predict(X), before)


def test_explanation_tells_weights_factors_and_columns(fitted, table):
    found = fitted.explain()
    text = str(found)
    assert all(name in text for name in [*FEW, "tiny"])
    np.testing.assert_allclose(found.feature_share.sum(axis=0), 1.0)


@few_trees
def test_a_callback_may_end_learning_after_a_member(table):
    if not hasattr(UnevenClassifier, "set_callbacks"):
        pytest.skip("scikit-learn before 1.9 has no callbacks")
    X, y = table
    stop = StopAfter(2, lambda model: model.predict(X[:3]))
    stop.task = "member"
    model = few().set_callbacks(stop).fit(X, y)
    assert list(model.weights_) == FEW[:2]
    assert len(stop.answer) == 3


def test_many_rows_are_learnt_by_one_boost_judged_on_rows_left_out():
    X, y = uneven_table(6, (14_000, 5_900, 130))
    X_train, X_new, y_train, y_new = train_test_split(
        np.vstack([X, X[:2000]]), np.concatenate([y, y[:2000]]), random_state=0, test_size=2000
    )
    model = UnevenClassifier(random_state=0).fit(X_train, y_train)
    assert list(model.weights_) == ["boost"]
    assert len(model.members_[0].model.parts) == 1
    assert model.decision_.confusion.sum() < 0.2 * len(y_train)
    assert balanced_accuracy_score(y_new, model.predict(X_new)) > 0.8


def test_decision_is_that_of_the_decision_layer_on_unseen_rows(fitted, table):
    """The rule that is kept is the one that fit_decision finds on pooled unseen rows."""
    _, y = table
    codes = np.unique(y, return_inverse=True)[1]
    again = fit_decision(np.eye(4)[codes] * 0.9 + 0.025, codes)
    assert again.factors is not None
    np.testing.assert_allclose(fitted.decision_.confusion.sum(axis=1), np.bincount(codes))


@pytest.mark.slow
def test_members_beside_a_boost_of_many_rows_are_judged_on_the_same_rows():
    X, y = make_classification(
        26_000, n_features=12, n_informative=8, n_classes=3, weights=[0.85, 0.1], class_sep=0.8,
        random_state=1,
    )  # fmt: skip
    X, X_new, y, y_new = X[:21_000], X[21_000:], y[:21_000], y[21_000:]
    alone = few(members=["boost"]).fit(X, y)
    both = few(members=["boost", "logistic"]).fit(X, y)
    assert alone.decision_.confusion.sum() == pytest.approx(both.decision_.confusion.sum())
    losses = [log_loss(y_new, model.predict_proba(X_new)) for model in (both, alone)]
    norms = [confusion_norm(y_new, model.predict(X_new)) for model in (both, alone)]
    assert losses[0] < losses[1] + 0.005
    assert norms[0] < norms[1] + 0.02


def test_classes_of_many_rows_keep_their_shares_though_tiny_ones_are_left_out_more_often():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(21_000, 8))
    y = (X[:, 0] > 1).astype(int)
    y[:3], y[3:5], y[5] = 2, 3, 4
    model = few(members=["boost"]).fit(X, y)
    np.testing.assert_allclose(model.decision_.prior, model.class_prior_)
    shares = model.predict_proba(rng.normal(size=(4000, 8))).mean(axis=0)
    assert (shares[2:] < 2.0 * model.class_prior_[2:]).all()


@pytest.mark.slow
@pytest.mark.parametrize("member", ["boost", "forest", "logistic"])
def test_a_class_of_one_row_is_found_by_chance_only_and_its_recall_is_not_told(member):
    found, answered = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(600, 5))
        y = (X[:, 0] > 1).astype(int)
        y[0] = 2
        model = few(members=[member], random_state=seed).fit(X, y)
        found.append(model.decision_.confusion[2, 2])
        answered.append((model.predict(rng.normal(size=(500, 5))) == 2).mean())
        assert np.isnan(model.decision_.recalls).tolist() == [False, False, True]
        assert "recall cannot be estimated" in str(model.explain())
    assert abs(np.mean(found) - np.mean(answered)) < 0.3


@few_trees
@pytest.mark.parametrize("members", [FEW, ["forest", "extra_trees"]])
def test_a_model_of_a_dense_table_takes_a_sparse_one(members):
    X, y = uneven_table()
    X = np.where(X > 0.5, X, 0.0)
    model = few(members=members).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(sp.csr_array(X)), model.predict_proba(X))


@pytest.mark.parametrize("table", [np.ones((40, 3)), -sp.eye_array(40, 3, format="csr")])
def test_word_counts_refuse_what_is_no_sparse_table_of_counts(table):
    y = np.repeat([0, 1], 20)
    with pytest.raises(ValueError, match="word_counts"):
        few(members=["word_counts"]).fit(table, y)
    few(members="auto").fit(table, y)


def test_an_empty_sparse_table_leaves_the_class_shares():
    X, y = sp.csr_array((60, 5)), np.repeat([0, 1], [40, 20])
    model = few(members=["word_counts"]).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], [2 / 3, 1 / 3], atol=0.03)


class GivesNaN(GaussianNB):
    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), np.nan)


@few_trees
def test_a_member_that_says_nan_does_not_pass_for_one_that_abstains(table):
    with pytest.raises(ValueError, match="GivesNaN"):
        few(members=["logistic", ("odd", GivesNaN())]).fit(*table)


class NeedsCodesFromZero(GaussianNB):
    """As XGBoost."""

    def fit(self, X, y, sample_weight=None):
        assert np.array_equal(np.unique(y), np.arange(len(np.unique(y))))
        return super().fit(X, y, sample_weight)


@few_trees
def test_members_get_codes_from_zero_though_a_fold_lacks_a_class():
    X, y = uneven_table(3, (30, 1, 20))
    model = few(members=[("own", NeedsCodesFromZero())]).fit(X, y)
    twin = GaussianNB().fit(X, y).predict_proba(X)
    present = np.ones((len(X), 1), dtype=bool)
    np.testing.assert_allclose(model.members_[0].probabilities(X, present, None), twin)


def test_a_prior_moves_probabilities_and_may_be_told_by_name(fitted, table):
    X, y = table
    told = {"common": 0.1, "tiny": 0.6, "rare": 0.1, "less": 0.2}
    model = few(prior=told).fit(X, y)
    shares = fitted.predict_proba(X) * [0.1, 0.2, 0.1, 0.6] / fitted.class_prior_
    shares /= shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), shares, rtol=1e-6, atol=1e-12)
    same = few(prior=[0.1, 0.2, 0.1, 0.6]).fit(X, y)
    assert np.array_equal(model.predict_proba(X), same.predict_proba(X))
    nothing = np.full((1, X.shape[1]), np.nan)
    np.testing.assert_allclose(model.predict_proba(nothing)[0], [0.1, 0.2, 0.1, 0.6])
    assert model.predict(nothing) == ["tiny"]
    with pytest.raises(ValueError, match="no class 'none'"):
        few(prior={"none": 1.0}).fit(X, y)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"cost": np.eye(2)}, "cost"),
        ({"prior": [0.5, 0.5]}, "prior"),
        ({"constraints": {"other": 0.5}}, "no class"),
        ({"constraints": {"only": 1.5}}, "recall"),
    ],
)
def test_one_class_does_not_hide_bad_parameters(words, says):
    with pytest.raises(ValueError, match=says):
        few(**words).fit([[0.0], [1.0]], ["only", "only"])
    few(cost=[[0.0]], prior=[1.0]).fit([[0.0], [1.0]], ["only", "only"])


@few_trees
def test_a_fit_that_fails_late_leaves_nothing_behind(table):
    model = few(constraints={"common": 1.0, "less": 1.0, "rare": 1.0, "tiny": 1.0})
    with pytest.raises(ValueError, match="nearest ones reach"):
        model.fit(*table)
    assert set(vars(model)) == set(vars(few()))


class Untouched(GaussianNB):
    """May not be fitted."""

    def fit(self, X, y, sample_weight=None):
        raise AssertionError("it was fitted")


@pytest.mark.parametrize(
    "make",
    [
        lambda **w: few(members=[("own", Untouched())], **w),
        lambda **w: TunedDecisionClassifier(Untouched(), **w),
    ],
)
@pytest.mark.parametrize(
    "words",
    [
        {"cost": np.eye(2)},
        {"prior": {"common": 1.0}},
        {"constraints": {"fraud": 0.9}},
        {"cost": 1.0 - np.eye(4), "constraints": {"rare": 0.9}},
    ],
)
def test_a_decision_that_does_not_fit_the_classes_is_refused_before_anything_is_learnt(
    make, words, table
):
    with pytest.raises(ValueError, match=r"cost|prior|fraud"):
        make(**words).fit(*table)


def test_it_withholds_answers_that_would_cost_more_than_abstaining():
    X, y = uneven_table(sizes=(200, 100, 60))
    names = np.array(["a", "b", "c"])[y]
    sure, careful = (few(abstain_cost=c, random_state=0).fit(X, names) for c in (None, 0.3))
    said, plain = careful.predict(X), sure.predict(X)
    withheld = said == "abstain"
    assert 0 < withheld.sum() < len(y)
    assert np.array_equal(said[~withheld], plain[~withheld])
    assert careful.score(X, names) == np.mean(said == names)
    with pytest.raises(ValueError, match="is the name of a class"):
        few(abstain_cost=0.3, abstain_label="a").fit(X, names)


def test_it_adapts_to_shares_that_unlabelled_rows_tell():
    X, y = uneven_table(sizes=(300, 150, 90))
    X_new, y_new = uneven_table(sizes=(60, 60, 900))
    model = few(measure="accuracy", random_state=0).fit(X, y)
    moved = model.adapt(X_new)
    assert moved.decision_.target[2] > 2.0 * model.decision_.target[2]
    assert moved.score(X_new, y_new) > model.score(X_new, y_new)
    assert log_loss(y_new, moved.predict_proba(X_new)) < log_loss(y_new, model.predict_proba(X_new))
    assert np.array_equal(model.decision_.target, model.decision_.prior)
    assert moved.factors_ is moved.decision_.factors


@few_trees
def test_it_adapts_and_abstains_as_the_wrapper_with_the_same_probabilities():
    """One decision layer serves both."""
    X, y = uneven_table(sizes=(200, 100, 60))
    model = few(cost=[[0, 1, 1], [3, 0, 1], [9, 2, 0]], abstain_cost=0.4, random_state=0).fit(X, y)
    rows = model.unseen_
    twin = fit_decision(
        rows.probabilities, rows.codes, cost=model.cost, abstain_cost=0.4,
        sample_weight=rows.weight, trained=model.class_prior_,
    )  # fmt: skip
    expected = twin.answers(model.predict_proba(X))
    assert np.array_equal(model.predict(X), np.where(expected < 0, -1, expected))


def test_one_class_has_nothing_to_adapt_or_withhold():
    model = few(abstain_cost=0.3).fit(np.ones((5, 2)), np.ones(5, dtype=int))
    assert model.adapt(np.ones((3, 2))).predict(np.ones((2, 2))).tolist() == [1, 1]
