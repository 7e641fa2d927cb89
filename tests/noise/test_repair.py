"""Few labels, a rough classifier, cheap labels: what the learner is told, and what it gains."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_digits
from sklearn.decomposition import KernelPCA
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from uneven import AdaBoostMMClassifier, ComboClassifier
from uneven.noise import LabelRepairPipeline, UMAClassifier
from uneven.utils.labels import split_labels


class Listener(ClassifierMixin, BaseEstimator):
    """A learner that remembers what it was told."""

    def __init__(self, noise_matrix=None):
        self.noise_matrix = noise_matrix

    def fit(self, X, y, label_weights=None):
        self.classes_ = np.unique(y)
        self.told_ = (X, y, label_weights)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], X.shape[0])


class CleanListener(Listener):
    def fit(self, X, y, clean=None):
        return super().fit(X, y, clean)


class UncleanListener(Listener):
    def fit(self, X, y):
        return super().fit(X, y)


class RowCounter(LogisticRegression):
    """A rough classifier that remembers its rows."""

    def fit(self, X, y):
        self.rows_ = X
        return super().fit(X, y)


@pytest.fixture(scope="module")
def table():
    """300 rows of three classes, 60 of them labelled."""
    rng = np.random.default_rng(0)
    t = np.arange(300) % 3
    X = rng.normal(size=(300, 4)) + np.eye(3, 4)[t] * 2.0
    return X, t, np.where(np.arange(300) < 60, t, -1)


@pytest.mark.slow
@threadpool_limits.wrap(limits=1, user_api="blas")
def test_cheap_labels_beat_the_classifier_that_gave_them():
    X, t = load_digits(return_X_y=True)
    X, t = X[:900] / 16.0, t[:900]
    Z = KernelPCA(150, kernel="rbf", gamma=0.8).fit_transform(X)
    errors = []
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(len(t))
        few = np.concatenate([order[t[order] == digit][:12] for digit in range(10)])
        y = np.full(len(t), -1)
        y[few] = t[few]
        rest = y < 0
        model = LabelRepairPipeline(learner=UMAClassifier(max_iter=300)).fit(Z, y)
        judged = (model.rough_, model)
        errors.append([1.0 - one.score(Z[rest], t[rest]) for one in judged])
    rough, repaired = np.mean(errors, axis=0)
    assert repaired < rough - 0.03


def test_clean_rows_count_for_their_own_class_only(table):
    X, t, y = table
    model = LabelRepairPipeline(GaussianNB(), Listener()).fit(X, y)
    rows, labels, weights = model.learner_.told_
    noise = model.learner_.noise_matrix
    undone = weights @ np.linalg.inv(noise).T
    np.testing.assert_allclose(undone[:60], np.eye(3)[t[:60]], atol=1e-12)
    np.testing.assert_array_equal(weights[60:], np.eye(3)[labels[60:]])
    np.testing.assert_array_equal(labels[:60], t[:60])
    np.testing.assert_array_equal(labels[60:], model.cheap_labels_)
    np.testing.assert_array_equal(rows, X)


def test_only_clean_rows_make_uma_a_perceptron_on_them(table):
    X, t, _ = table
    with pytest.warns(UserWarning, match="nothing to repair"):
        model = LabelRepairPipeline(GaussianNB(), learner=UMAClassifier(max_iter=50)).fit(X, t)
    assert model.confusion_.matrix.max() < 1.0
    plain = UMAClassifier(max_iter=50).fit(X, t)
    np.testing.assert_allclose(model.learner_.coef_, plain.coef_, atol=1e-12)


def test_a_learner_may_be_told_which_rows_are_clean(table):
    X, _, y = table
    model = LabelRepairPipeline(GaussianNB(), learner=CleanListener()).fit(X, y)
    np.testing.assert_array_equal(model.learner_.told_[2], y >= 0)


def test_dropped_clean_rows_are_not_learnt_from(table):
    X, _, y = table
    model = LabelRepairPipeline(GaussianNB(), learner=Listener(), use_clean="drop").fit(X, y)
    rows, labels, weights = model.learner_.told_
    np.testing.assert_array_equal(rows, X[60:])
    np.testing.assert_array_equal(labels, model.rough_.predict(X[60:]))
    assert weights is None


def test_mixed_rows_are_told_like_any_other(table):
    X, t, y = table
    model = LabelRepairPipeline(GaussianNB(), learner=Listener(), use_clean="mixed").fit(X, y)
    rows, labels, weights = model.learner_.told_
    assert weights is None
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_array_equal(labels[:60], t[:60])


def test_cross_validation_sees_mistakes_and_then_learns_from_all(table):
    X, t, y = table
    model = LabelRepairPipeline(RowCounter(), Listener(), smoothing=0.0).fit(X, y)
    assert len(model.rough_.rows_) == 60
    assert model.confusion_.counts.sum() == 60
    own = np.array([[np.mean(model.rough_.predict(X[:60])[t[:60] == 0] == 0)]])
    assert model.confusion_.matrix[0, 0] <= own


def test_held_out_labels_are_not_learnt_from(table):
    X, _, y = table
    settings = {"confusion": "holdout", "holdout": 0.4, "random_state": 0}
    model = LabelRepairPipeline(RowCounter(), Listener(), **settings).fit(X, y)
    assert len(model.rough_.rows_) == 36
    assert model.confusion_.counts.sum() == 24
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(model.rough_.rows_, again.rough_.rows_)


def test_folds_may_be_a_splitter(table):
    X, _, y = table
    model = LabelRepairPipeline(GaussianNB(), cv=KFold(3, shuffle=True, random_state=0)).fit(X, y)
    assert model.score(X[y >= 0], y[y >= 0]) > 0.6


class WeightListener(Listener):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("settings", [{}, {"confusion": "holdout", "random_state": 0}])
@pytest.mark.parametrize("rough", [GaussianNB(), LinearSVC()])
def test_rows_near_the_boundary_are_doubted(table, rough, settings):
    """Probabilities of cheap rows are those of the rough classifier at a temperature."""
    X, t, y = table
    model = LabelRepairPipeline(rough, Listener(), noise="boundary", **settings).fit(X, y)
    rows, labels, weights = model.learner_.told_
    assert model.learner_.noise_matrix is None
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_array_equal(weights[:60], np.eye(3)[t[:60]])
    np.testing.assert_array_equal(labels[60:], model.cheap_labels_)
    way = "predict_proba" if hasattr(rough, "predict_proba") else "decision_function"
    said = getattr(model.rough_, way)(X[60:])
    said = np.log(np.maximum(said, 1e-6)) if way == "predict_proba" else said
    np.testing.assert_allclose(weights[60:], softmax(said / model.temperature_, axis=1))
    wrong = model.cheap_labels_ != t[60:]
    assert abs(weights[60:].max(axis=1).mean() - np.mean(~wrong)) < 0.12
    assert weights[60:].max(axis=1)[wrong].mean() < weights[60:].max(axis=1)[~wrong].mean() - 0.1


@pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline])
def test_learners_with_weights_get_a_copy_of_a_row_for_each_likely_class(table, wrap):
    X, _, y = table
    rough, learner = GaussianNB(), wrap(WeightListener())
    told = LabelRepairPipeline(rough, Listener(), noise="boundary").fit(X, y).learner_.told_[2]
    model = LabelRepairPipeline(rough, learner, noise="boundary", use_clean="drop").fit(X, y)
    final = getattr(model.learner_, "_final_estimator", model.learner_)
    rows, labels, weight = final.told_
    found = {(*row, label): w for row, label, w in zip(rows.tolist(), labels, weight)}
    assert len(found) == np.count_nonzero(told[60:] >= 0.02)
    for i in range(60, 300):
        for k in np.flatnonzero(told[i] >= 0.02):
            assert found[(*X[i].tolist(), k)] == pytest.approx(told[i, k])


def test_two_classes_near_the_boundary(table):
    X, t, _ = table
    y = np.where(np.arange(300) < 40, np.where(t > 0, "b", "a"), None)
    model = LabelRepairPipeline(LinearSVC(), ComboClassifier(n_estimators=5), noise="boundary")
    assert model.fit(X, y).score(X, np.where(t > 0, "b", "a")) > 0.8


def test_boundary_noise_is_learnt_better_row_by_row():
    """A linear classifier labels rows for another one: what it is sure of is mostly right."""
    errors = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        t = np.arange(900) % 3
        X = rng.normal(size=(900, 6)) + 1.5 * np.eye(3, 6)[t]
        y = np.where(np.arange(600) < 60, t[:600], -1)
        rough, learner = LogisticRegression(C=0.1), UMAClassifier(max_iter=200)
        for noise in ("class", "boundary"):
            model = LabelRepairPipeline(rough, learner, noise=noise).fit(X[:600], y)
            errors.append(1.0 - model.score(X[600:], t[600:]))
    by_class, by_row = np.mean(np.reshape(errors, (4, 2)), axis=0)
    assert by_row < by_class - 0.03


@pytest.mark.parametrize("learner", [AdaBoostMMClassifier, ComboClassifier])
def test_boosting_learns_from_cheap_labels(table, learner):
    X, t, y = table
    inner = learner(n_estimators=20, max_depth=1)
    model = LabelRepairPipeline(GaussianNB(), learner=inner, use_clean="drop").fit(X, y)
    np.testing.assert_allclose(model.learner_.noise_matrix, model.confusion_.shrunk().matrix)
    assert model.score(X, t) > 0.7
    assert model.predict_proba(X).shape == (300, 3)
    assert inner.noise_matrix is None


@pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline])
def test_boosting_is_told_which_labels_are_right(table, wrap):
    X, _, y = table
    inner = ComboClassifier(n_estimators=10, max_depth=2)
    known, mixed = (
        LabelRepairPipeline(GaussianNB(), wrap(inner), use_clean=use).fit(X, y)
        for use in ("known", "mixed")
    )
    labels = y.copy()
    labels[y < 0] = known.cheap_labels_
    direct = clone(inner).set_params(noise_matrix=known.confusion_.shrunk().matrix)
    direct.fit(X, labels, clean=y >= 0)
    np.testing.assert_allclose(known.decision_function(X), direct.decision_function(X))
    assert not np.allclose(mixed.decision_function(X), direct.decision_function(X))


@pytest.mark.parametrize("mark", [-1, None, np.nan, "?"])
def test_rows_without_label_do_not_count_in_the_score(table, mark):
    X, t, y = table
    names = np.array([f"class {label}" for label in t], dtype=object)
    given = np.where(y >= 0, names, mark)
    unlabelled = mark if mark == "?" else -1
    given[0] = "class 1"
    model = LabelRepairPipeline(GaussianNB(), UMAClassifier(max_iter=30), unlabelled=unlabelled)
    model.fit(X, given)
    right = model.predict(X[:60]) == given[:60]
    assert 0.0 < right.mean() < 1.0
    assert model.score(X, given) == right.mean()
    weights = np.linspace(1.0, 2.0, 300)
    assert model.score(X, given, weights) == pytest.approx(np.average(right, weights=weights[:60]))
    with pytest.raises(ValueError, match="no label at all"):
        model.score(X[60:], given[60:])
    with pytest.raises(ValueError, match="inconsistent"):
        model.score(X, given[:-1])


def test_grid_search_judges_labelled_rows(table):
    X, _, y = table
    model = LabelRepairPipeline(GaussianNB(), UMAClassifier(max_iter=30))
    search = GridSearchCV(model, {"smoothing": [1.0, 2.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.7


def test_the_learner_may_be_the_end_of_a_pipeline(table):
    X, _, y = table
    learner = make_pipeline(FunctionTransformer(), UMAClassifier(max_iter=30))
    model = LabelRepairPipeline(GaussianNB(), learner=learner).fit(X, y)
    straight = LabelRepairPipeline(GaussianNB(), learner=UMAClassifier(max_iter=30)).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), straight.decision_function(X))


def test_answers_are_those_of_the_learner(table):
    X, _, y = table
    model = LabelRepairPipeline(GaussianNB(), learner=UMAClassifier(max_iter=30)).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.learner_.predict(X))
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize(
    "marked",
    [
        lambda names: list(names),
        lambda names: np.array(names, dtype=object),
        lambda names: pd.Series(names, dtype="str"),
        lambda names: pd.Series(names).astype("category"),
        lambda names: pl.Series(names),
    ],
)
def test_text_labels_with_gaps(table, marked):
    X, t, _ = table
    names = [f"class {label}" if k < 60 else None for k, label in enumerate(t)]
    model = LabelRepairPipeline(GaussianNB(), learner=UMAClassifier(max_iter=30)).fit(
        X, marked(names)
    )
    assert model.classes_.tolist() == ["class 0", "class 1", "class 2"]
    assert set(model.predict(X)) <= set(model.classes_.tolist())
    assert (~model.labelled_).sum() == 240


def test_tables_of_every_kind_learn_the_same(table):
    X, _, y = table
    plain = LabelRepairPipeline(LogisticRegression(), UMAClassifier(max_iter=3), cv=2).fit(X, y)
    scores = plain.decision_function(X)
    for kind in (sp.csr_array, sp.csc_matrix, np.asfortranarray, pd.DataFrame, pl.DataFrame):
        other = clone(plain).fit(kind(X), y)
        np.testing.assert_allclose(other.decision_function(kind(X)), scores, atol=1e-9)


def test_labels_minus_one_are_a_class_if_told_so(table):
    X, t, _ = table
    signs = np.where(t == 0, 1.0, -1.0)
    gaps = np.where(np.arange(300) < 60, signs, np.nan)
    model = LabelRepairPipeline(GaussianNB(), unlabelled=None).fit(X, gaps)
    assert model.classes_.tolist() == [-1.0, 1.0]
    with pytest.raises(ValueError, match=r"one class, .*1.*pass unlabelled=None"):
        LabelRepairPipeline().fit(X, gaps)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"confusion": "guess"}, "confusion must be one of 'cv', 'holdout'; got 'guess'"),
        ({"use_clean": True}, "use_clean must be one of .*; got True"),
        ({"cv": 1}, "cv must be a whole number at least 2, got 1"),
        ({"holdout": 1.0}, "holdout must be between 0 and 1, got 1.0"),
        ({"smoothing": -1.0}, "smoothing must be a finite number"),
        ({"unlabelled": [0]}, r"unlabelled must be a number, a text or None, got \[0\]"),
        ({"learner": LogisticRegression()}, "LogisticRegression has no parameter noise_matrix"),
        ({"learner": UncleanListener()}, "UncleanListener cannot use which labels are right"),
        ({"noise": "near"}, "noise must be one of 'boundary', 'class'; got 'near'"),
        ({"noise": "boundary", "use_clean": "mixed"}, "'boundary' has none: use 'known' or 'drop'"),
        ({"noise": "boundary", "rough": UncleanListener()}, "neither predict_proba nor decision"),
        (
            {"noise": "boundary", "learner": UncleanListener()},
            "UncleanListener cannot learn from probabilities of the true class",
        ),
        (
            {"rough": DummyClassifier(), "use_clean": "drop"},
            "gives no row the label 1, so that class cannot be learnt",
        ),
    ],
)
def test_impossible_settings_are_named(table, settings, message):
    X, _, y = table
    with pytest.raises(ValueError, match=message):
        LabelRepairPipeline(**{"rough": GaussianNB()} | settings).fit(X, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.full(300, -1), "holds no label at all: each of its 300 entries is missing or -1"),
        ([None] * 300, "holds no label at all"),
        (np.r_[0, np.full(299, -1)], "all 1 labels are of one class"),
        (np.r_[0, 0, 1, np.full(297, -1)], "class 1 has a single label"),
        (["a", 1] * 150, "mixes text with other labels"),
        (np.zeros((300, 2)), "1d array"),
        (np.zeros(10), "inconsistent numbers of samples"),
        (np.linspace(0.0, 0.9, 300), "Unknown label type"),
        (None, "requires y to be passed"),
    ],
)
def test_impossible_labels_are_named(table, y, message):
    with pytest.raises(ValueError, match=message):
        LabelRepairPipeline().fit(table[0], y)


def test_nothing_to_learn_from_when_all_labelled_rows_are_dropped(table):
    X, t, _ = table
    with pytest.raises(ValueError, match="nothing is left to learn from"):
        LabelRepairPipeline(GaussianNB(), use_clean="drop").fit(X, t)


def test_a_failed_fit_leaves_the_earlier_model(table):
    X, _, y = table
    model = LabelRepairPipeline(GaussianNB(), learner=UMAClassifier(max_iter=30))
    with pytest.raises(NotFittedError):
        model.predict(X)
    answers = model.fit(X, y).predict(X)
    with pytest.raises(ValueError, match="no parameter noise_matrix"):
        model.set_params(learner=LogisticRegression()).fit(X[:, :2], y)
    np.testing.assert_array_equal(model.predict(X), answers)


def test_a_matrix_without_inverse_is_shrunk_for_learner_and_weights(table):
    X, _, y = table
    model = LabelRepairPipeline(DummyClassifier(), Listener(), smoothing=0.0).fit(X, y)
    assert np.linalg.matrix_rank(model.confusion_.matrix) == 1
    noise = model.learner_.noise_matrix
    weights = model.learner_.told_[2]
    assert np.linalg.matrix_rank(noise) == 3
    np.testing.assert_allclose(weights[0], noise[:, 0])


@pytest.mark.parametrize(
    ("y", "mark", "labelled"),
    [
        ([1, -1, 2], -1, [1, 0, 1]),
        ([1, -1, 2], None, [1, 1, 1]),
        ([1.0, np.nan, -1.0], -1, [1, 0, 0]),
        (np.array(["a", "?", "-1"]), "?", [1, 0, 1]),
        (["a", -1, "b"], -1, [1, 0, 1]),
        (["a", "-1", "b"], -1, [1, 1, 1]),
        (pd.Series([1, None, 2], dtype="Int64"), -1, [1, 0, 1]),
        (pd.Series(["a", pd.NA, "b"], dtype="string"), -1, [1, 0, 1]),
        (pl.Series([1, None, -1]), -1, [1, 0, 0]),
        (np.array([True, False, True]), -1, [1, 1, 1]),
    ],
)
def test_what_counts_as_no_label(y, mark, labelled):
    found, labels = split_labels(y, mark)
    np.testing.assert_array_equal(found, np.array(labelled, dtype=bool))
    assert len(labels) == sum(labelled)
    assert labels.dtype.kind != "O"
