"""Late fusion: what is added up, weights, views that are missing or know few classes."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from tests.problems import four_view_classes
from uneven import AdaBoostMMClassifier, ComboClassifier, LateFusionClassifier
from uneven.datasets import make_imbalanced_views
from uneven.fusion.forest_logistic import ForestLogisticClassifier
from uneven.fusion.rules import RULES, WEIGHTED_RULES, join_scores

BOOSTED = ComboClassifier(n_estimators=8, max_depth=1)


def by_view(X, views):
    return [X[:, a:b] for a, b in pairwise(views)]


@pytest.mark.parametrize("n_classes", [2, 4])
def test_margins_of_boosted_views_add_up_without_being_normalised(n_classes):
    X, y, views = four_view_classes()
    y = y % n_classes
    late = LateFusionClassifier(BOOSTED, combine="margins", views=views).fit(X, y)
    expected = sum(
        clone(BOOSTED).fit(part, y).decision_function(part) for part in by_view(X, views)
    )
    np.testing.assert_allclose(late.decision_function(X), expected, atol=1e-12)


def test_normalised_margins_of_boosted_views_are_shares_of_their_votes():
    X, y, views = four_view_classes()
    late = LateFusionClassifier(BOOSTED, combine="margins", normalise=True, views=views).fit(X, y)
    expected = 0.0
    for part in by_view(X, views):
        alone = clone(BOOSTED).fit(part, y)
        expected = expected + alone.decision_function(part) / alone.history_["weight"].sum()
    np.testing.assert_allclose(late.decision_function(X), expected, atol=1e-12)


def test_normalised_margins_of_other_classifiers_have_mean_size_one():
    X, y, views = four_view_classes()
    X[:, 3:6] *= 100.0
    y = y % 2
    late = LateFusionClassifier(SVC(), combine="margins", normalise=True, views=views).fit(X, y)
    expected = 0.0
    for part in by_view(X, views):
        margin = SVC().fit(part, y).decision_function(part)
        expected = expected + margin / np.abs(margin).mean()
    np.testing.assert_allclose(late.decision_function(X), expected, atol=1e-9)


def test_scores_are_sums_of_probabilities():
    X, y, views = four_view_classes()
    weights = [1.0, 2.0, 0.5, 0.0]
    late = LateFusionClassifier(GaussianNB(), combine="scores", weights=weights, views=views)
    late.fit(X, y)
    parts = [GaussianNB().fit(part, y).predict_proba(part) for part in by_view(X, views)]
    expected = sum(w * part for w, part in zip(weights, parts))
    np.testing.assert_allclose(late.decision_function(X), expected)
    np.testing.assert_allclose(late.predict_proba(X), expected / 3.5)


def test_votes_are_a_weighted_majority_and_a_vote():
    X, y, views = four_view_classes()
    weights = [1.0, 2.5, 1.0, 1.0]
    late = LateFusionClassifier(GaussianNB(), combine="votes", weights=weights, views=views)
    late.fit(X, y)
    answers = [GaussianNB().fit(part, y).predict(part) for part in by_view(X, views)]
    expected = sum(w * np.eye(4)[said] for w, said in zip(weights, answers))
    assert np.array_equal(late.decision_function(X), expected)
    assert np.array_equal(late.vote_.score(X), expected)
    recall = np.array([[(said[y == c] == c).mean() for c in range(4)] for said in answers])
    credit = np.array(weights)[:, None] * recall
    np.testing.assert_allclose(late.explain().view_share, credit / credit.sum(axis=0))


@pytest.mark.parametrize("rule", [*RULES, *WEIGHTED_RULES])
def test_probabilities_are_joined_by_any_rule(rule):
    X, y, views = four_view_classes()
    weights = [1.0, 2.0, 0.5, 0.0] if rule in WEIGHTED_RULES else None
    late = LateFusionClassifier(
        GaussianNB(), combine="scores", rule=rule, weights=weights, views=views
    )
    late.fit(X, y)
    parts = [GaussianNB().fit(part, y).predict_proba(part) for part in by_view(X, views)]
    expected = join_scores(np.stack(parts, axis=1), rule, weights)
    np.testing.assert_allclose(late.decision_function(X), expected)
    np.testing.assert_array_equal(late.predict(X), expected.argmax(axis=1))
    shares = expected / expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(late.predict_proba(X), shares)
    assert late.score(X, y) > 0.6


@pytest.mark.parametrize("combine", ["votes", "scores", "margins"])
def test_a_mean_of_all_views_answers_as_their_sum(combine):
    X, y, views = four_view_classes()
    late = LateFusionClassifier(LogisticRegression(), combine=combine, views=views).fit(X, y)
    total = late.decision_function(X)
    for rule in ("mean", "weighted_mean"):
        found = late.set_params(rule=rule).fit(X, y).decision_function(X)
        np.testing.assert_allclose(found, total / 4.0)


def test_a_majority_counts_answers_and_asks_the_probabilities_only_in_a_tie():
    X, y, views = four_view_classes()
    late = LateFusionClassifier(GaussianNB(), combine="votes", views=views).fit(X, y)
    votes = late.decision_function(X)
    top = votes == votes.max(axis=1, keepdims=True)
    tied = top.sum(axis=1) > 1
    assert 0 < tied.sum() < len(y)
    late.set_params(combine="scores", rule="majority").fit(X, y)
    assert np.array_equal(late.predict(X)[~tied], votes[~tied].argmax(axis=1))
    parts = [GaussianNB().fit(part, y).predict_proba(part) for part in by_view(X, views)]
    chosen = np.where(top, sum(parts), -1.0).argmax(axis=1)
    assert np.array_equal(late.predict(X)[tied], chosen[tied])
    assert (chosen[tied] != votes[tied].argmax(axis=1)).any()
    answers = late.set_params(combine="votes").fit(X, y)
    assert np.array_equal(answers.predict(X), votes.argmax(axis=1))


def test_margins_are_compared_on_one_scale_if_they_are_normalised():
    X, y, views = four_view_classes()
    X[:, 3:6] *= 100.0
    y = y % 2
    late = LateFusionClassifier(
        SVC(), combine="margins", rule="median", normalise=True, views=views
    ).fit(X, y)
    margins = [SVC().fit(part, y).decision_function(part) for part in by_view(X, views)]
    evened = np.stack([margin / np.abs(margin).mean() for margin in margins], axis=1)
    np.testing.assert_allclose(late.decision_function(X), np.median(evened, axis=1), atol=1e-9)


@pytest.mark.parametrize("rule", ["sum", *RULES, *WEIGHTED_RULES])
def test_rules_leave_out_views_that_are_missing(rule):
    X, y, views = four_view_classes()
    late = LateFusionClassifier(LogisticRegression(), combine="scores", rule=rule, views=views)
    late.fit(X, y)
    some = X.copy()
    some[:, 3:] = np.nan
    some[5] = np.nan
    said = LogisticRegression().fit(X[:, :3], y).predict_proba(X[:, :3])
    assert late.undecided(some).tolist() == [i == 5 for i in range(len(X))]
    seen = np.arange(len(X)) != 5
    assert np.array_equal(late.predict(some)[seen], said[seen].argmax(axis=1))
    if rule != "majority":
        np.testing.assert_allclose(late.predict_proba(some)[seen], said[seen])


def test_a_trimmed_mean_leaves_out_what_it_is_told():
    X, y, views = four_view_classes()
    late = LateFusionClassifier(
        GaussianNB(), combine="scores", rule="trimmed_mean", percent=10, views=views
    ).fit(X, y)
    parts = [GaussianNB().fit(part, y).predict_proba(part) for part in by_view(X, views)]
    np.testing.assert_allclose(late.decision_function(X), np.mean(parts, axis=0))
    late.set_params(percent=40)
    np.testing.assert_allclose(late.decision_function(X), np.mean(parts, axis=0))
    late.fit(X, y)
    np.testing.assert_allclose(late.decision_function(X), np.median(parts, axis=0))


def test_by_default_probabilities_are_multiplied_and_divided_by_the_class_shares():
    X, y, views = four_view_classes()
    kept = (y > 0) | (np.arange(len(y)) % 3 == 0)
    X, y = X[kept], y[kept]
    late = LateFusionClassifier(views=views, random_state=0).fit(X, y)
    assert all(isinstance(member, ForestLogisticClassifier) for member in late.estimators_)
    said = [one.predict_proba(part) for one, part in zip(late.estimators_, by_view(X, views))]
    joined = join_scores(np.stack(said, axis=1), "product")
    shares = joined / joined.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(late.predict_proba(X), shares)
    np.testing.assert_array_equal(late.predict(X), (joined / late.class_prior_).argmax(axis=1))
    given = LateFusionClassifier(GaussianNB(), views=views).fit(X, y)
    assert (given.combine_, given.rule_, given.divides_by_prior_) == ("scores", "sum", False)
    hard = LateFusionClassifier(LinearSVC(), views=views).fit(X, y)
    assert (hard.combine_, hard.rule_) == ("votes", "sum")


def test_rare_classes_are_found_where_answers_are_divided_by_the_class_shares():
    data = make_imbalanced_views(500, random_state=0)
    X, y = data.data, data.target
    late = LateFusionClassifier(ForestLogisticClassifier(20), rule="product", views=data.views)
    recalls = []
    for divide in (False, True):
        late.set_params(divide_by_prior=divide, random_state=0).fit(X[::2], y[::2])
        recalls.append(balanced_accuracy_score(y[1::2], late.predict(X[1::2])))
    assert recalls[1] > recalls[0] + 0.02


def test_the_published_setting_is_the_majority_of_full_trees():
    X, y, views = four_view_classes()
    late = LateFusionClassifier("published", views=views, random_state=0).fit(X, y)
    assert all(isinstance(member, DecisionTreeClassifier) for member in late.estimators_)
    assert late.score(X, y) == 1.0
    assert np.array_equal(late.decision_function(X), 4.0 * np.eye(4)[y])


def test_weights_by_accuracy_prefer_views_that_hold_out():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = np.column_stack([y + 0.5 * rng.normal(size=300), rng.normal(size=300)])
    late = LateFusionClassifier("published", weights="accuracy", views=[0, 1, 2], random_state=0)
    late.fit(X, y)
    assert late.weights_[0] > 0.7
    assert 0.4 < late.weights_[1] < 0.6
    assert np.array_equal(late.vote_.weights[:, 0], late.weights_)


def test_late_margins_of_combo_beat_its_best_view():
    data = make_imbalanced_views(1200, random_state=1)
    X, y, X_new, y_new = data.data[::2], data.target[::2], data.data[1::2], data.target[1::2]
    boosted = ComboClassifier(n_estimators=40, max_depth=1)
    late = LateFusionClassifier(boosted, combine="margins", views=data.views).fit(X, y)
    alone = [
        clone(boosted).fit(X[:, part], y).score(X_new[:, part], y_new)
        for part in data.views.values()
    ]
    assert late.score(X_new, y_new) > max(alone) + 0.15


@pytest.mark.parametrize("combine", ["votes", "scores", "margins"])
def test_views_are_silent_where_they_are_missing(combine):
    X, y, views = four_view_classes()
    X[:40, 0:3] = np.nan
    X[5] = np.nan
    late = LateFusionClassifier(LogisticRegression(), combine=combine, views=views).fit(X, y)
    assert late.undecided(X).tolist() == [i == 5 for i in range(len(X))]
    assert late.predict(X)[5] == 0
    seen = ~np.isnan(X[:, 0])
    model = LogisticRegression().fit(X[seen, :3], y[seen])
    only = X.copy()
    only[:, 3:] = np.nan
    scores = late.decision_function(only)
    assert not scores[~seen].any()
    assert np.array_equal(scores[seen].argmax(axis=1), model.predict(X[seen, :3]))
    if combine != "margins":
        np.testing.assert_allclose(late.predict_proba(X)[5], np.bincount(y) / len(y))


@pytest.mark.parametrize("combine", ["votes", "scores", "margins"])
@pytest.mark.parametrize("known", [[0, 2], [1, 2, 3]])
def test_a_view_that_never_saw_a_class_does_not_speak_for_it(combine, known):
    X, y, views = four_view_classes()
    X[~np.isin(y, known), :3] = np.nan
    late = LateFusionClassifier(LogisticRegression(), combine=combine, views=views).fit(X, y)
    rows = np.isin(y, known)
    model = LogisticRegression().fit(X[rows, :3], y[rows])
    only = X[rows].copy()
    only[:, 3:] = np.nan
    scores = late.decision_function(only)
    strangers = [c for c in range(4) if c not in known]
    assert np.all(scores[:, strangers].max(axis=1) <= scores[:, known].min(axis=1))
    assert np.array_equal(late.predict(only), model.predict(X[rows, :3]))


def test_a_view_with_one_class_stays_silent():
    X, y, views = four_view_classes()
    X[y != 2, :3] = np.nan
    with pytest.warns(UserWarning, match=r"\['view0'\] are not used"):
        late = LateFusionClassifier(LogisticRegression(), views=views).fit(X, y)
    assert late.estimators_[0] is None
    assert late.vote_.view_of_term.tolist() == [1, 2, 3]
    only = X[y == 2]
    only[:, 3:] = np.nan
    assert late.undecided(only).all()


def test_a_mapping_gives_each_view_its_own_classifier():
    X, y, views = four_view_classes()
    late = LateFusionClassifier({"view1": GaussianNB(), "view3": SVC()}, views=views).fit(X, y)
    kinds = [type(member).__name__ for member in late.estimators_]
    assert kinds == ["ForestLogisticClassifier", "GaussianNB", "ForestLogisticClassifier", "SVC"]


def test_seeds_differ_by_view_and_do_not_depend_on_threads():
    X, y, views = four_view_classes()
    X[:, 3:6] = X[:, :3]
    tree = DecisionTreeClassifier(splitter="random", max_features=1, max_depth=3)
    one, two = (
        LateFusionClassifier(tree, views=views, random_state=0, n_jobs=n).fit(X, y) for n in (1, 2)
    )
    assert np.array_equal(one.decision_function(X), two.decision_function(X))
    seeds = {member.random_state for member in one.estimators_}
    assert len(seeds) == 4


def test_labels_and_tables_of_every_kind():
    X, y, views = four_view_classes()
    names = np.array(["w", "x", "y", "z"])[y]
    late = LateFusionClassifier(GaussianNB(), views={f"v{j}": [3 * j] for j in range(4)})
    expected = clone(late).fit(X, names).predict(X)
    assert set(expected) <= set(names)
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(12)])
    for table in (np.asfortranarray(X), frame):
        assert np.array_equal(clone(late).fit(table, names).predict(table), expected)
    sparse = LateFusionClassifier(LinearSVC(), combine="margins", views=views)
    dense = clone(sparse).fit(X, names).decision_function(X)
    for kind in (sp.csr_array, sp.csc_array, sp.csr_matrix):
        found = clone(sparse).fit(kind(X), names).decision_function(kind(X))
        np.testing.assert_allclose(found, dense, atol=1e-2)


def test_sample_weights_reach_the_classifiers():
    X, y, views = four_view_classes()
    times = np.random.default_rng(0).integers(0, 4, len(y))
    late = LateFusionClassifier(BOOSTED, combine="margins", views=views)
    weighted = clone(late).fit(X, y, sample_weight=times).decision_function(X)
    repeated = clone(late).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted, repeated.decision_function(X), atol=1e-9)
    deaf = LateFusionClassifier(KNeighborsClassifier(), views=views)
    deaf.fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match=r"KNeighborsClassifier.fit takes no sample_weight"):
        deaf.fit(X, y, sample_weight=times)
    pipe = LateFusionClassifier(make_pipeline(StandardScaler(), SVC()), views=views)
    assert pipe.fit(X, y).score(X, y) > 0.6


@pytest.mark.parametrize("loud", [BOOSTED, LogisticRegression()])
def test_the_explanation_follows_how_loud_each_view_speaks(loud):
    X, y, views = four_view_classes()
    late = LateFusionClassifier(loud, combine="margins", views=views)
    share = {
        normalise: clone(late).set_params(normalise=normalise).fit(X, y).explain().view_share
        for normalise in (False, True)
    }
    voted = LateFusionClassifier(loud, views=views).fit(X, y)
    np.testing.assert_allclose(share[True], voted.explain().view_share)
    if loud is BOOSTED:
        scale = np.array([m.vote_.weights.max(axis=1).sum() for m in voted.estimators_])
    else:
        parts = zip(voted.estimators_, by_view(X, views), strict=True)
        scale = np.array([np.abs(m.decision_function(part)).mean() for m, part in parts])
    expected = share[True] * scale[:, None]
    np.testing.assert_allclose(share[False], expected / expected.sum(axis=0))


def test_parameters_that_change_after_fitting_do_not_change_the_answers():
    X, y, views = four_view_classes()
    late = LateFusionClassifier(LogisticRegression(), combine="scores", views=views).fit(X, y)
    expected = late.predict_proba(X)
    for other in ("votes", "margins"):
        np.testing.assert_array_equal(late.set_params(combine=other).predict_proba(X), expected)
    late.fit(X, y)
    assert not hasattr(late, "predict_proba")
    assert not hasattr(late.set_params(combine="votes"), "predict_proba")


def test_margins_have_no_shares():
    late = LateFusionClassifier(AdaBoostMMClassifier(), combine="margins")
    assert not hasattr(late, "predict_proba")
    assert hasattr(LateFusionClassifier(), "predict_proba")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"combine": "mean"}, "combine must be one of"),
        ({"rule": "vote"}, "rule must be one of 'auto'"),
        ({"rule": "product", "combine": "votes"}, "rule='product' cannot join combine='votes'"),
        ({"rule": "product", "combine": "margins"}, "cannot join combine='margins'"),
        ({"rule": "median", "combine": "scores", "weights": "accuracy"}, "no use of weights"),
        ({"percent": 50.0}, "less than 50 percent"),
        ({"normalise": True}, 'normalise=True needs combine="margins"'),
        ({"weights": [1.0, 2.0]}, r"weights has shape \(2,\), but there are 4 views"),
        ({"weights": [0.0] * 4}, "weights must be finite"),
        ({"weights": [1.0, -1.0, 1.0, 1.0]}, "weights must be finite"),
        ({"weights": "recall"}, "weights must be one of 'accuracy'"),
        ({"combine": "margins"}, "needs classifiers with decision_function; ForestLogistic"),
        ({"divide_by_prior": True, "combine": "votes"}, 'needs combine="scores"'),
        ({"divide_by_prior": True, "estimator": LinearSVC()}, "classifiers with predict_proba"),
        ({"divide_by_prior": "yes"}, "divide_by_prior must be"),
        ({"combine": "scores", "estimator": LinearSVC()}, "LinearSVC has none"),
        ({"estimator": {"sound": SVC()}}, "'sound'"),
    ],
)
def test_impossible_parameters_are_refused(words, message):
    X, y, views = four_view_classes()
    late = LateFusionClassifier(views=views, **words)
    with pytest.raises(ValueError, match=message):
        late.fit(X, y)
    assert not hasattr(late, "vote_")


def test_an_estimator_that_is_none_is_refused():
    X, y, views = four_view_classes()
    with pytest.raises(TypeError, match="must be a scikit-learn classifier, got 'tree'"):
        LateFusionClassifier("tree", views=views).fit(X, y)


def test_a_view_whose_margins_are_zero_has_no_share_of_them():
    X, y, views = four_view_classes()
    X[:, :3] = 0.0
    y = y % 2
    late = LateFusionClassifier(LinearSVC(fit_intercept=False), combine="margins", views=views)
    share = clone(late).fit(X, y).explain().view_share
    assert not share[0].any()
    np.testing.assert_allclose(share.sum(axis=0), 1.0)
    evened = late.set_params(normalise=True).fit(X, y)
    assert evened.weights_[0] == 1.0
    assert np.isfinite(evened.decision_function(X)).all()


def test_columns_are_explained_by_members_that_can():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = np.column_stack([rng.normal(size=120), y + 0.1 * rng.normal(size=120), y == 0])
    views = {"a": [0, 1], "b": [2]}
    ours = LateFusionClassifier(ComboClassifier(n_estimators=5, max_depth=2), views=views)
    told = ours.fit(X, y).explain()
    assert told.feature_share[1].min() > 5 * told.feature_share[0].max()
    inner = ours.estimators_[0].explain().feature_share
    seen = told.feature_share[:2] / told.feature_share[:2].sum(axis=0)
    np.testing.assert_allclose(seen, inner)
    np.testing.assert_allclose(told.feature_share[:2].sum(axis=0), told.view_share[0])
    others = LateFusionClassifier("published", views=views).fit(X, y).explain()
    np.testing.assert_array_equal(others.feature_share[0], others.feature_share[1])


def test_members_that_miss_a_class_explain_the_classes_they_know():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = np.column_stack([rng.normal(size=120), y + 0.1 * rng.normal(size=120), y * 1.0])
    X[y == 1, :2] = np.nan
    late = LateFusionClassifier(ComboClassifier(n_estimators=3), views={"a": [0, 1], "b": [2]})
    told = late.fit(X, y).explain()
    assert late.estimators_[0].classes_.tolist() == [0, 2]
    assert told.view_share[0, 1] == 0.0
    assert told.feature_share[1, 2] > 5 * told.feature_share[0, 2]
