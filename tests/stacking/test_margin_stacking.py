"""The stacking classifier: it learns, drops members, never asks them, and takes odd inputs."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from joblib import parallel_config
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tests.stacking.counted import CALLS, GRID, Counted, small_members
from uneven import MarginStackingClassifier
from uneven.stacking import Member, RuleClassifier


def test_digits_beat_the_mean_and_few_members_are_kept():
    X, y = load_digits(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X, y, train_size=400, test_size=800, random_state=0)
    members = [("bayes", GaussianNB(var_smoothing=0.01))]
    members += [(f"near{k}", KNeighborsClassifier(k)) for k in (1, 5, 15)]
    members += [
        (f"tree{k}", DecisionTreeClassifier(max_depth=3 + k, random_state=k)) for k in range(8)
    ]
    mean = RuleClassifier(members, random_state=0).fit(X, y)
    stack = MarginStackingClassifier.as_published(
        members, strengths=[0.01, 0.03, 0.1], random_state=0
    )
    stack.fit(X, y)
    default = MarginStackingClassifier(members, random_state=0).fit(X, y)
    assert default.score(X_new, y_new) > 0.95
    assert 0 < len(default.selected_) < len(members)
    assert stack.score(X_new, y_new) >= mean.score(X_new, y_new) + 0.02
    assert stack.score(X_new, y_new) > 0.95
    assert 0 < len(stack.selected_) < len(members) / 2
    assert log_loss(y_new, stack.predict_proba(X_new)) < 0.3


def test_dropped_members_are_neither_fitted_on_all_rows_nor_asked():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=80)
    X = np.column_stack([y + 0.1 * rng.normal(size=80), rng.normal(size=(80, 2))])
    members = [("good", Counted("good"))]
    members += [(f"bad{k}", Counted(f"bad{k}", noise=1.0)) for k in range(3)]
    CALLS["fit"].clear()
    stack = MarginStackingClassifier(members, strength=0.05, random_state=0).fit(X, y)
    assert stack.selected_ == ["good"]
    assert [tag for tag, rows in CALLS["fit"] if rows == 80] == ["good"]
    assert len(CALLS["fit"]) == 4 * 4 + 1
    CALLS["predict"].clear()
    stack.predict(X)
    stack.predict_proba(X)
    stack.decision_function(X)
    assert {tag for tag, _ in CALLS["predict"]} == {"good"}
    assert len(CALLS["predict"]) == 3


def test_attributes_fit_together(fitted, wine):
    _, X_new, _, y_new = wine
    assert fitted.names_ == ["bayes", "tree", "near", "ridge"]
    assert fitted.selected_ == [n for n, kept in zip(fitted.names_, fitted.selected_mask_) if kept]
    assert [member.name for member in fitted.estimators_] == fitted.selected_
    assert fitted.coef_.shape == (4, 3)
    assert not fitted.coef_[~fitted.selected_mask_].any()
    assert np.array_equal(fitted.coef_[fitted.selected_mask_], fitted.combiner_.coef)
    assert fitted.strength_ in GRID
    assert fitted.cv_results_["strength"].tolist() == GRID
    assert fitted.score(X_new, y_new) > 0.9


def test_scores_are_those_of_the_combiner(fitted, wine):
    _, X_new, _, _ = wine
    P = np.stack([member.scores(X_new) for member in fitted.estimators_], axis=1)
    assert np.allclose(fitted.decision_function(X_new), fitted.combiner_.scores(P))
    shares = fitted.predict_proba(X_new)
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert np.array_equal(fitted.classes_[shares.argmax(axis=1)], fitted.predict(X_new))


def test_explanation_shares_add_up(fitted):
    shares = fitted.explain()
    assert np.allclose(shares.share.sum(axis=0), 1.0)
    assert not shares.share[~fitted.selected_mask_].any()
    assert shares.n_dropped == 4 - len(fitted.selected_)
    assert f"{shares.n_dropped} of 4 members are dropped" in str(shares)


def test_path_uses_the_grid_and_marks_the_choice(fitted):
    path = fitted.path()
    assert path.strengths.tolist() == GRID
    assert path.strengths[path.chosen] == fitted.strength_
    assert np.array_equal(path.selected[path.chosen], fitted.selected_mask_)
    assert np.allclose(path.error_mean, fitted.cv_results_["mean_error"])
    other = fitted.path([0.01, 5.0])
    assert other.n_selected[1] == 0
    assert other.chosen is None
    assert other.error_mean[1] > other.error_mean[0]


def test_wanted_number_of_members(fitted, wine):
    X, _, y, _ = wine
    strength = fitted.strength_for(1)
    again = clone(fitted).set_params(strength=strength).fit(X, y)
    assert len(again.selected_) == 1


def test_path_needs_level_one_scores(wine):
    X, _, y, _ = wine
    stack = MarginStackingClassifier(small_members(), strength=0.1, keep_level_one=False)
    stack.fit(X, y)
    assert not hasattr(stack, "level_one_")
    with pytest.raises(ValueError, match="fit with keep_level_one=True"):
        stack.path()


def test_select_then_refit_keeps_the_set_and_changes_the_weights(wine):
    X, _, y, _ = wine
    words = {"strengths": [0.1], "random_state": 0}
    once = MarginStackingClassifier(small_members(), **words).fit(X, y)
    twice = MarginStackingClassifier(small_members(), select_then_refit=True, **words).fit(X, y)
    assert once.selected_ == twice.selected_
    assert not np.allclose(once.coef_, twice.coef_)
    assert twice.refit_strength_ == 0.1
    assert not hasattr(once, "refit_strength_")
    twice.set_params(select_then_refit=False).fit(X, y)
    assert not hasattr(twice, "refit_strength_")


@pytest.mark.parametrize("combination", ["ws", "lsg", "auto"])
def test_other_combinations_learn(wine, combination):
    X, X_new, y, y_new = wine
    stack = MarginStackingClassifier(
        small_members(), combination=combination, strengths=[0.01, 0.1], random_state=0
    ).fit(X, y)
    assert stack.score(X_new, y_new) > 0.9
    assert stack.combination_ in ("ws", "cws", "lsg")
    assert len(stack.intercept_) == (3 if stack.combination_ == "lsg" else 0)


@pytest.mark.parametrize(("kernel", "loss"), [("rbf", "hinge"), ("poly", "squared")])
def test_kernels_keep_all_members(wine, kernel, loss):
    X, X_new, y, y_new = wine
    stack = MarginStackingClassifier(
        small_members(), kernel=kernel, loss=loss, penalty="l2", strengths=[0.001, 0.01], degree=2
    ).fit(X, y)
    assert len(stack.selected_) == 4
    assert not hasattr(stack, "coef_")
    assert (stack.degree_ == 2) if kernel == "poly" else (stack.gamma_ > 0.0)
    assert stack.score(X_new, y_new) > 0.9
    assert np.allclose(stack.explain().share.sum(axis=0), 1.0)
    with pytest.raises(ValueError, match="with a kernel no member is ever dropped"):
        stack.path()


def test_too_strong_penalty_warns_and_answers_frequencies(wine):
    X, X_new, y, _ = wine
    stack = MarginStackingClassifier(small_members(), strength=100.0)
    with pytest.warns(UserWarning, match="leaves no member"):
        stack.fit(X, y)
    assert stack.estimators_ == []
    assert set(stack.predict(X_new)) == {np.bincount(y).argmax()}
    assert np.allclose(stack.predict_proba(X_new), np.bincount(y) / len(y))


def test_prefit_members_are_used_as_they_are(wine):
    X, X_new, y, y_new = wine
    members = [
        ("bayes", GaussianNB().fit(X[:40], y[:40])),
        ("odd", GaussianNB().fit(X[:20], y[:20])),
    ]
    stack = MarginStackingClassifier(members, cv="prefit", strength=0.01).fit(X[40:], y[40:])
    assert stack.estimators_[0].model is members[0][1]
    assert stack.score(X_new, y_new) > 0.85


def test_two_classes_have_one_margin():
    X, y = load_breast_cancer(return_X_y=True)
    labels = np.where(y[:150], "benign", "malignant")
    stack = MarginStackingClassifier(small_members()[:2], strength=0.01).fit(X[:150], labels)
    margins = stack.decision_function(X[150:])
    assert margins.shape == (len(X) - 150,)
    assert np.array_equal(margins > 0.0, stack.predict(X[150:]) == "malignant")
    truth = np.where(y[150:], "benign", "malignant")
    assert np.mean(stack.predict(X[150:]) == truth) > 0.85


def test_one_member_is_enough(wine):
    X, X_new, y, _ = wine
    stack = MarginStackingClassifier([("bayes", GaussianNB())], strength=0.01).fit(X, y)
    alone = GaussianNB().fit(X, y)
    assert np.mean(stack.predict(X_new) == alone.predict(X_new)) > 0.9


def test_members_read_their_columns_and_views(wine):
    X, X_new, y, _ = wine
    members = [
        ("first", GaussianNB(), [0, 1, 2]),
        ("rest", GaussianNB(), "rest"),
        ("member", Member(DecisionTreeClassifier(max_depth=2, random_state=0), columns=[6, 12])),
    ]
    views = {"first": slice(0, 3), "rest": slice(3, 13)}
    stack = MarginStackingClassifier(members, strength=0.001, views=views, random_state=0).fit(X, y)
    widths = {member.name: member.model.n_features_in_ for member in stack.estimators_}
    assert widths == {"first": 3, "rest": 10, "member": 2}
    spoilt = X_new.copy()
    spoilt[:, 3:] = np.nan
    known = GaussianNB().fit(X[:, :3], y).predict_proba(X_new[:, :3])
    assert np.allclose(stack.estimators_[0].scores(spoilt), known)


def test_frames_reach_pipelines_with_words():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=90)
    frame = pd.DataFrame({"size": y + 0.4 * rng.normal(size=90), "kind": np.array(["a", "b"])[y]})
    words = make_pipeline(
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["kind"])),
        LogisticRegression(),
    )
    members = [("words", words), ("size", GaussianNB(), ["size"])]
    stack = MarginStackingClassifier(members, strength=0.01).fit(frame, y)
    assert stack.feature_names_in_.tolist() == ["size", "kind"]
    assert stack.score(frame, y) == 1.0
    with pytest.raises(ValueError, match="feature names"):
        stack.predict(frame.rename(columns={"size": "length"}))


def test_polars_frames_give_the_answers_of_arrays(wine):
    X, X_new, y, _ = wine
    frame = pl.DataFrame(X, schema=[f"c{k}" for k in range(13)])
    new = pl.DataFrame(X_new, schema=frame.columns)
    words = {"strength": 0.01, "random_state": 0}
    members = [("bayes", GaussianNB()), ("few", GaussianNB(), ["c0", "c6"])]
    there = MarginStackingClassifier(members, **words).fit(frame, y)
    members = [("bayes", GaussianNB()), ("few", GaussianNB(), [0, 6])]
    here = MarginStackingClassifier(members, **words).fit(X, y)
    assert np.allclose(there.decision_function(new), here.decision_function(X_new))


def test_sparse_rows_give_the_answers_of_dense_ones(wine):
    X, X_new, y, _ = wine
    members = [("tree", DecisionTreeClassifier(max_depth=3)), ("near", KNeighborsClassifier())]
    stack = MarginStackingClassifier(members, strength=0.01, random_state=0)
    dense = clone(stack).fit(X, y).decision_function(X_new)
    sparse = stack.fit(sp.csc_array(X), y).decision_function(sp.coo_array(X_new))
    assert np.allclose(dense, sparse)


def test_holes_reach_members_that_take_them(wine):
    X, X_new, y, y_new = wine
    X, X_new = X.copy(), X_new.copy()
    X[::5, 0] = X_new[::5, 0] = np.nan
    members = [
        ("boost", HistGradientBoostingClassifier(max_iter=10)),
        ("tree", DecisionTreeClassifier(max_depth=3)),
    ]
    stack = MarginStackingClassifier(members, strength=0.01, random_state=0).fit(X, y)
    assert stack.score(X_new, y_new) > 0.8
    assert stack.__sklearn_tags__().input_tags.allow_nan
    whole = MarginStackingClassifier([*members, ("bayes", GaussianNB())], strength=0.01)
    with pytest.raises(ValueError, match="contains NaN"):
        whole.fit(X, y)
    part = MarginStackingClassifier(
        [*members, ("bayes", GaussianNB(), slice(1, 13))], strength=0.01
    )
    assert part.fit(X, y).score(X_new, y_new) > 0.8
    holed = MarginStackingClassifier([*members, ("bayes", GaussianNB(), [0])], strength=0.01)
    with pytest.raises(ValueError, match=r"member 'bayes' .* could not be fitted"):
        holed.fit(X, y)


def test_holes_reach_pipelines_that_impute(wine):
    X, X_new, y, y_new = wine
    X, X_new = X.copy(), X_new.copy()
    X[::5, 0] = X_new[::5, 0] = np.nan
    filled = ("filled", make_pipeline(SimpleImputer(), GaussianNB()))
    tree = ("tree", DecisionTreeClassifier(max_depth=3))
    stack = MarginStackingClassifier([filled, tree], strength=0.01, random_state=0)
    assert stack.fit(X, y).score(X_new, y_new) > 0.8
    scaled = ("scaled", make_pipeline(StandardScaler(), GaussianNB()))
    with pytest.raises(ValueError, match=r"member 'scaled' .* could not be fitted"):
        MarginStackingClassifier([scaled, tree], strength=0.01).fit(X, y)


def test_a_list_of_costs_is_refused_by_its_name(wine):
    X, _, y, _ = wine
    with pytest.raises(ValueError, match="member_cost must be 2 finite numbers"):
        MarginStackingClassifier(small_members()[:2], member_cost=[1.0]).fit(X, y)


def test_a_kernel_refuses_the_log_loss(wine):
    X, _, y, _ = wine
    stack = MarginStackingClassifier(small_members()[:2], kernel="rbf", penalty="l2", loss="log")
    with pytest.raises(ValueError, match='loss="log" takes no kernel'):
        stack.fit(X, y)


def test_weights_of_rows_count(wine):
    X, _, y, _ = wine
    spoilt = np.where(np.arange(len(y)) < 60, y, (y + 1) % 3)
    weight = np.where(np.arange(len(y)) < 60, 1.0, 0.0)
    members = small_members()[:2]
    stack = MarginStackingClassifier(members, strength=0.01, random_state=0)
    weighted = clone(stack).fit(X, spoilt, sample_weight=weight)
    assert weighted.level_one_.scores.shape[0] == 60
    assert weighted.score(X, y) > stack.fit(X, spoilt).score(X, y) + 0.05


def test_splits_and_rows_count_rows_without_weight(wine):
    X, _, y, _ = wine
    X, y = X[:60], y[:60]
    weight = np.where(np.arange(60) % 3 == 0, 0.0, 1.0)
    left = np.flatnonzero(weight)
    folds = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
    few = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]
    members = [("a", GaussianNB()), ("b", Member(GaussianNB(), rows=np.arange(50)))]
    there = MarginStackingClassifier(members, strength=0.01, cv=folds)
    there.fit(X, y, sample_weight=weight)
    members = [("a", GaussianNB()), ("b", Member(GaussianNB(), rows=np.flatnonzero(left < 50)))]
    here = MarginStackingClassifier(members, strength=0.01, cv=few).fit(X[left], y[left])
    assert np.allclose(there.level_one_.scores, here.level_one_.scores)
    assert np.allclose(there.predict_proba(X), here.predict_proba(X))


def test_result_does_not_depend_on_jobs(wine):
    X, X_new, y, _ = wine
    stack = MarginStackingClassifier(small_members(), strengths=GRID, random_state=1)
    one = clone(stack).fit(X, y)
    with parallel_config(backend="threading"):
        two = clone(stack).set_params(n_jobs=2).fit(X, y)
        scores = two.decision_function(X_new)
    assert np.array_equal(one.coef_, two.coef_)
    assert np.array_equal(one.decision_function(X_new), scores)


def test_grid_search_over_strengths_trains_members_once(wine, tmp_path):
    X, _, y, _ = wine
    members = [("a", Counted("a")), ("b", Counted("b", noise=0.3))]
    stack = MarginStackingClassifier(members, random_state=0, memory=str(tmp_path), cv=2)
    CALLS["fit"].clear()
    search = GridSearchCV(stack, {"strength": [0.001, 0.01, 0.1]}, cv=2, refit=False).fit(X, y)
    assert len(search.cv_results_["mean_test_score"]) == 3
    in_folds = [tag for tag, rows in CALLS["fit"] if rows < 30]
    assert sorted(in_folds) == ["a"] * 4 + ["b"] * 4
    assert len(CALLS["fit"]) <= 12
