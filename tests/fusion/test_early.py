"""Early fusion, the best view and hold-out fusion: one inner model, trained on class indices."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_selection import VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, recall_score
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale as standardise
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from tests.problems import four_view_classes
from uneven import ComboClassifier, EarlyFusionClassifier
from uneven.datasets import make_imbalanced_views
from uneven.fusion import BestViewClassifier, HoldoutFusionClassifier

ALL = [EarlyFusionClassifier, BestViewClassifier, HoldoutFusionClassifier]


def test_early_fusion_is_the_classifier_on_the_used_columns():
    X, y, _ = four_view_classes()
    views = {"a": [0, 1], "b": [1, 6]}
    early = EarlyFusionClassifier(GaussianNB(), views=views).fit(X, y)
    alone = GaussianNB().fit(X[:, [0, 1, 6]], y)
    assert early.columns_.tolist() == [0, 1, 6]
    assert np.array_equal(early.predict(X), alone.predict(X[:, [0, 1, 6]]))
    assert np.array_equal(early.predict_proba(X), alone.predict_proba(X[:, [0, 1, 6]]))


def test_scaling_gives_every_view_the_same_variance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 10)) * 10.0 ** rng.uniform(-3, 3, 10) + 5.0
    X[3, 2] = np.nan
    y = np.arange(200) % 2
    early = EarlyFusionClassifier(scale=True, views=[0, 1, 10]).fit(X, y)
    table = early._inputs(X, np.ones((200, 2), dtype=bool))
    assert np.isnan(table[3, 2])
    variance = np.nanvar(table, axis=0)
    np.testing.assert_allclose([variance[0], variance[1:].sum()], [1.0, 1.0])
    np.testing.assert_allclose(np.nanmean(table, axis=0), 0.0, atol=1e-9)
    shared = EarlyFusionClassifier(scale=True, views={"a": [0], "b": range(10)}).fit(X, y)
    table = shared._inputs(X, np.ones((200, 2), dtype=bool))
    np.testing.assert_allclose(np.nanvar(table[:, 0]), (1.0 + 0.1) / 2)


def test_scaling_helps_neighbours_in_a_narrow_view():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = np.column_stack([y + 0.3 * rng.normal(size=400), 30.0 * rng.normal(size=(400, 30))])
    near = EarlyFusionClassifier(KNeighborsClassifier(), views=[0, 1, 31])
    plain = clone(near).fit(X[:200], y[:200]).score(X[200:], y[200:])
    scaled = near.set_params(scale=True).fit(X[:200], y[:200]).score(X[200:], y[200:])
    assert scaled > plain + 0.2


def test_sparse_tables_stay_sparse_and_are_not_centred():
    X, y, views = four_view_classes()
    X[np.abs(X) < 1.0] = 0.0
    early = EarlyFusionClassifier(LinearSVC(), scale=True, views=views).fit(sp.csr_array(X), y)
    table = early._inputs(sp.csr_array(X), np.ones((len(y), 4), dtype=bool))
    assert sp.issparse(table)
    assert table.nnz == (X != 0.0).sum()
    np.testing.assert_allclose(table.toarray(), X / X.std(axis=0) / np.sqrt(3.0))
    components = clone(early).set_params(reduce="pca").fit(sp.csr_array(X), y)
    assert components.score(sp.csr_array(X), y) > 0.6


@pytest.mark.parametrize("reduce", ["pca", "select", PCA(3), VarianceThreshold()])
def test_columns_can_be_reduced_first(reduce):
    X, y, views = four_view_classes()
    early = EarlyFusionClassifier(GaussianNB(), reduce=reduce, views=views).fit(X, y)
    assert early.score(X, y) > 0.6
    X[::7, 3:6] = np.nan
    if isinstance(reduce, str):
        assert early.fit(X, y).score(X, y) > 0.6


def test_the_better_half_of_the_columns_is_selected():
    X, y, views = four_view_classes()
    early = EarlyFusionClassifier(GaussianNB(), reduce="select", views=views).fit(X, y)
    kept = set(early.columns_[early.reducer_[-1].get_support()].tolist())
    assert len(kept) == 6
    assert {0, 3, 6, 9} <= kept
    one = EarlyFusionClassifier(GaussianNB(), reduce="select").fit(X[:, :1], y)
    assert one.model_.n_features_in_ == 1


@pytest.mark.parametrize(
    "estimator",
    [
        None,
        ComboClassifier(n_estimators=10),
        LogisticRegression(),
        SVC(kernel="linear"),
        DecisionTreeClassifier(max_depth=4),
    ],
)
@pytest.mark.parametrize("reduce", [None, "select"])
def test_explanations_follow_the_informative_columns(estimator, reduce):
    X, y, views = four_view_classes()
    early = EarlyFusionClassifier(estimator, reduce=reduce, views=views, random_state=0).fit(X, y)
    told = early.explain()
    assert told.view_share.shape == (4, 4)
    np.testing.assert_allclose(told.view_share.sum(axis=0), 1.0)
    np.testing.assert_allclose(told.feature_share.reshape(4, 3, 4).sum(axis=1), told.view_share)
    informative = told.feature_share[[0, 3, 6, 9]].sum(axis=0)
    assert informative.min() > 0.4


def test_boosted_early_fusion_keeps_its_own_explanation():
    X, y, views = four_view_classes()
    boosted = ComboClassifier(n_estimators=10)
    told = EarlyFusionClassifier(boosted, views=views).fit(X, y).explain()
    direct = clone(boosted).set_params(views=views).fit(X, y).explain()
    np.testing.assert_allclose(told.view_share, direct.view_share)
    assert told.view_names == direct.view_names


def test_what_cannot_be_explained_says_why():
    X, y, views = four_view_classes()
    mixed = EarlyFusionClassifier(reduce="pca", views=views).fit(X, y)
    with pytest.raises(AttributeError, match="PCA mixes the columns"):
        mixed.explain()
    with pytest.raises(AttributeError, match="GaussianNB has neither"):
        EarlyFusionClassifier(GaussianNB(), views=views).fit(X, y).explain()


def test_the_view_that_does_best_in_cross_validation_is_chosen():
    X, y, _ = four_view_classes()
    noise = np.random.default_rng(0).normal(size=(len(y), 30))
    X = np.column_stack([noise, X[:, [0, 3, 6, 9]]])
    views = {"noise": slice(0, 30), "signal": slice(30, 34)}
    mono = BestViewClassifier(views=views, random_state=0).fit(X, y)
    assert mono.best_view_ == "signal"
    assert mono.view_scores_[1] > mono.view_scores_[0] + 0.2
    assert mono.model_.n_features_in_ == 4
    assert mono.score(X, y) == 1.0


def test_the_scorer_and_the_folds_decide():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.1, "rare", "common")
    X = np.column_stack([rng.normal(size=300), (y == "rare") + 0.4 * rng.normal(size=300)])
    always = DecisionTreeClassifier(max_depth=1, min_samples_leaf=140)
    given = {"view0": always, "view1": GaussianNB(priors=[0.3, 0.7])}
    views = [0, 1, 2]
    rare = make_scorer(recall_score, pos_label="rare")
    mono = BestViewClassifier(given, views=views, scoring=rare, cv=KFold(3)).fit(X, y)
    assert mono.best_view_ == "view1"
    assert mono.view_scores_[0] == 0.0
    assert isinstance(mono.model_, GaussianNB)
    plain = BestViewClassifier(given, views=views, cv=3).fit(X, y)
    assert plain.best_view_ == "view0"


def test_classes_smaller_than_the_number_of_folds_are_no_obstacle():
    X, y, views = four_view_classes((40, 20, 2, 1))
    mono = BestViewClassifier(views=views, random_state=0).fit(X, y)
    assert np.isfinite(mono.view_scores_).all()


@pytest.mark.parametrize("inputs", ["labels", "probabilities"])
def test_the_final_model_learns_what_the_views_answer_on_other_rows(inputs):
    X, y, views = four_view_classes()
    fusion = HoldoutFusionClassifier(
        GaussianNB(), final_estimator=LogisticRegression(), inputs=inputs, views=views,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    assert fusion.model_.n_features_in_ == 4 * 5
    assert [member.class_count_.sum() for member in fusion.estimators_] == [135.0] * 4
    table = fusion._inputs(X, np.ones((len(y), 4), dtype=bool)).reshape(-1, 4, 5)
    np.testing.assert_allclose(table.sum(axis=2), 1.0)
    assert fusion.score(X, y) > 0.75


def test_the_inputs_of_the_final_model_stay_those_of_its_training():
    X, y, views = four_view_classes()
    fusion = HoldoutFusionClassifier(
        GaussianNB(), final_estimator=LogisticRegression(), inputs="probabilities", views=views,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    expected = fusion.predict_proba(X)
    np.testing.assert_array_equal(fusion.set_params(inputs="labels").predict_proba(X), expected)


def test_an_absent_view_is_an_input_of_its_own():
    X, y, views = four_view_classes()
    X[::3, :3] = np.nan
    X[4] = np.nan
    fusion = HoldoutFusionClassifier(GaussianNB(), views=views, random_state=0).fit(X, y)
    present = ~np.isnan(X[:, [0, 3, 6, 9]])
    table = fusion._inputs(X, present).reshape(-1, 4, 5)
    assert np.array_equal(table[:, :, 4] == 1.0, ~present)
    assert not table[:, :, :4][~present].any()
    assert fusion.undecided(X).tolist() == [i == 4 for i in range(len(y))]


def test_fusion_knows_more_than_the_best_view():
    data = make_imbalanced_views(2000, random_state=1)
    X, y, X_new, y_new = data.data[::2], data.target[::2], data.data[1::2], data.target[1::2]
    tree = DecisionTreeClassifier(max_depth=5)
    alone = BestViewClassifier(tree, views=data.views, random_state=0).fit(X, y)
    for joined in (
        HoldoutFusionClassifier(
            tree, final_estimator=LogisticRegression(), inputs="probabilities", views=data.views
        ),
        EarlyFusionClassifier(GaussianNB(), views=data.views),
    ):
        score = joined.set_params(random_state=0).fit(X, y).score(X_new, y_new)
        assert score > alone.score(X_new, y_new) + 0.1


@pytest.mark.parametrize("kind", ALL)
def test_rows_without_any_view_get_the_most_frequent_class(kind):
    X, y, views = four_view_classes()
    names = np.array(["d", "c", "b", "a"])[y]
    model = kind(views=views, random_state=0).fit(X, names)
    X[:5] = np.nan
    assert model.undecided(X).tolist() == [i < 5 for i in range(len(y))]
    assert set(model.predict(X)[:5]) == {"d"}
    np.testing.assert_allclose(model.predict_proba(X)[:5], np.tile(model.class_prior_, (5, 1)))
    assert set(model.predict(np.full((2, 12), np.nan))) == {"d"}


@pytest.mark.parametrize("kind", ALL)
def test_one_class_is_always_answered(kind):
    X, _, views = four_view_classes()
    model = kind(LogisticRegression(), views=views).fit(X, np.full(len(X), "only"))
    assert set(model.predict(X)) == {"only"}
    assert np.array_equal(model.predict_proba(X), np.ones((len(X), 1)))
    assert model.undecided(X).all()


@pytest.mark.parametrize("kind", ALL)
def test_frames_lists_and_single_precision(kind):
    X, y, views = four_view_classes()
    X = X.astype(np.float32)
    model = kind(views=views, random_state=0)
    if kind is BestViewClassifier:
        model.set_params(cv=2)
    expected = clone(model).fit(X, y).predict(X)
    for table in (X.astype(np.float64), np.asfortranarray(X), X.tolist(), pd.DataFrame(X)):
        assert np.array_equal(clone(model).fit(table, y).predict(table), expected)
    assert clone(model).fit(sp.csr_array(X), y).predict(sp.csr_array(X)).shape == y.shape


@pytest.mark.parametrize("kind", [EarlyFusionClassifier, BestViewClassifier])
def test_decision_values_are_those_of_the_model(kind):
    X, y, _ = four_view_classes()
    for labels in (y, y % 2):
        words = {"cv": 2} if kind is BestViewClassifier else {}
        model = kind(LogisticRegression(), **words).fit(X, labels)
        expected = LogisticRegression().fit(X, labels).decision_function(X)
        np.testing.assert_allclose(model.decision_function(X), expected)
    assert not hasattr(kind(GaussianNB()), "decision_function")
    assert not hasattr(kind(LinearSVC()), "predict_proba")


def test_models_that_accept_missing_values_get_them():
    X, y, views = four_view_classes()
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    early = EarlyFusionClassifier(HistGradientBoostingClassifier(max_iter=5), views=views)
    assert early.fit(X, y).score(X, y) > 0.6


@pytest.mark.parametrize("kind", ALL)
def test_weights_reach_everything_that_is_trained(kind):
    X, y, _ = four_view_classes()
    model = kind(GaussianNB(), random_state=0)
    if kind is HoldoutFusionClassifier:
        model.set_params(final_estimator=GaussianNB())
    plain = clone(model).fit(X, y)
    weighted = clone(model).fit(X, y, sample_weight=np.where(y == 3, 50.0, 1.0))
    pairs = zip(getattr(plain, "estimators_", []), getattr(weighted, "estimators_", []))
    for light, heavy in [*pairs, (plain.model_, weighted.model_)]:
        np.testing.assert_allclose(heavy.class_count_ / light.class_count_, [1, 1, 1, 50])


def test_standardising_by_hand_agrees():
    X, y, views = four_view_classes()
    early = EarlyFusionClassifier(scale=True, views=views).fit(X, y)
    table = early._inputs(X, np.ones((len(y), 4), dtype=bool))
    np.testing.assert_allclose(table, standardise(X) / np.sqrt(3.0), atol=1e-12)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (EarlyFusionClassifier(reduce="lda"), ValueError, "reduce must be one of"),
        (EarlyFusionClassifier(reduce=3), TypeError, "reduce must be None"),
        (EarlyFusionClassifier("tree"), TypeError, "got 'tree'"),
        (BestViewClassifier(cv=1), ValueError, "cv must be a whole number at least 2"),
        (BestViewClassifier(cv="five"), ValueError, "cv must be a whole number at least 2"),
        (HoldoutFusionClassifier(holdout=1.0), ValueError, "holdout must be between 0 and 1"),
        (HoldoutFusionClassifier(inputs="ranks"), ValueError, "inputs must be one of"),
        (
            HoldoutFusionClassifier(LinearSVC(), inputs="probabilities"),
            ValueError,
            "LinearSVC has none",
        ),
    ],
)
def test_impossible_parameters_are_refused(model, error, message):
    X, y, _ = four_view_classes()
    with pytest.raises(error, match=message):
        model.fit(X, y)
    assert not hasattr(model, "classes_")
