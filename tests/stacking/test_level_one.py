"""Level-1 data: nothing leaks, nothing is mixed up, and it is the same however it is computed."""

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from uneven.stacking import Member, level_one, score_members
from uneven.stacking.out_of_fold.level_one import one_thread, weight_arguments

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
NB = [("nb", GaussianNB())]


class Counting(ClassifierMixin, BaseEstimator):
    """Writes a line to a file at every fit."""

    def __init__(self, path=None):
        self.path = path

    def fit(self, X, y, sample_weight=None):
        with open(self.path, "a") as file:
            file.write(f"{len(y)} {0.0 if sample_weight is None else np.sum(sample_weight)}\n")
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)

    def predict(self, X):
        return self.model_.predict(X)


def fits(path):
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_the_scores_of_a_row_do_not_know_its_label():
    rng = np.random.RandomState(0)
    table, labels = rng.randn(40, 2), rng.randint(3, size=40)
    splits = list(StratifiedKFold(4).split(table, labels))
    members = [
        ("nearest", KNeighborsClassifier(1)),
        ("tree", Member(DecisionTreeClassifier(random_state=0), share=0.8, random_state=1)),
    ]
    rows = members[1][1].draw_rows(labels, rng)
    members[1][1].set_params(rows=rows, share=None)
    before = level_one(members, table, labels, cv=splits)
    for row in range(10):
        flipped = labels.copy()
        flipped[row] = (labels[row] + 1) % 3
        after = level_one(members, table, flipped, cv=splits)
        np.testing.assert_array_equal(after.scores[row], before.scores[row])
    told = level_one(members, table, labels, cv="resubstitution")
    assert np.mean(told.scores[:, 0].argmax(axis=1) == labels) == 1.0
    assert np.mean(before.scores[:, 0].argmax(axis=1) == labels) < 0.7


def test_scores_stand_in_the_order_of_the_rows():
    order = np.random.RandomState(1).permutation(len(Y))
    table, labels = X[order], Y[order]
    folds = list(StratifiedKFold(3, shuffle=True, random_state=5).split(table, labels))
    level = level_one(NB, table, labels, cv=folds)
    for train, test in folds:
        expected = GaussianNB().fit(table[train], labels[train]).predict_proba(table[test])
        np.testing.assert_allclose(level.scores[test, 0], expected)
    np.testing.assert_array_equal(level.y, labels)
    np.testing.assert_allclose(level.share, 1.0 / len(Y))
    assert level.scores.flags.c_contiguous
    assert level.scores.dtype == np.float64


def test_members_that_stay_have_learnt_from_everything():
    level = level_one(NB, X, Y)
    expected = GaussianNB().fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(score_members(level.members, X)[:, 0], expected)


def test_a_member_with_some_rows_scores_all_of_them():
    rows = np.repeat(np.arange(0, 150, 2), 2)
    level = level_one([("half", Member(GaussianNB(), rows=rows))], X, Y, cv=3)
    train, test = next(iter(StratifiedKFold(3).split(X, Y)))
    own = rows[np.isin(rows, train)]
    expected = GaussianNB().fit(X[own], Y[own]).predict_proba(X[test])
    np.testing.assert_allclose(level.scores[test, 0], expected)


def test_names_of_classes_change_nothing():
    plain, named = level_one(NB, X, Y), level_one(NB, X, NAMES)
    np.testing.assert_array_equal(plain.scores, named.scores)
    assert named.classes.tolist() == ["setosa", "versicolor", "virginica"]
    assert named.members[0].model.classes_.tolist() == named.classes.tolist()


def test_a_class_that_a_fold_has_not_seen_scores_lowest():
    labels = Y.copy()
    labels[7] = 3
    members = [*NB, ("ridge", RidgeClassifier())]
    with pytest.warns(UserWarning, match=r"1 class has fewer rows than the 4 folds of cv: 3 \(1"):
        level = level_one(members, X, labels)
    assert level.scores.shape == (150, 2, 4)
    assert level.scores[7, 0, 3] == 0.0
    assert level.scores[7, 1, 3] == level.scores[7, 1].min()
    assert level.members[0].scores(X[7:8])[0, 3] > 0.99


@pytest.mark.parametrize("labels", [[0, 1], [0, 0, 1], [0, 1, 2, 3], [0, 0, 0, 1, 1]])
def test_tiny_tables_still_have_folds(labels):
    table = np.arange(float(len(labels)))[:, None]
    with pytest.warns(UserWarning, match="fewer rows than the 4 folds"):
        level = level_one([("nearest", KNeighborsClassifier(1))], table, labels)
    assert level.scores.shape == (len(labels), 1, len(set(labels)))


def test_classes_that_the_labels_lack_have_columns():
    level = level_one(NB, X, Y, classes=[0, 1, 2, 7])
    assert level.scores.shape == (150, 1, 4)
    assert not level.scores[:, :, 3].any()


def test_one_class_is_all_that_members_say():
    level = level_one([("svm", SVC())], X[:10], ["only"] * 10)
    np.testing.assert_allclose(level.scores, 1.0)


def test_margins_are_brought_to_one_size():
    members = [("small", RidgeClassifier()), ("votes", Member(RidgeClassifier(), score="predict"))]
    level = level_one(members, X, Y, random_state=0)
    np.testing.assert_allclose(np.square(level.scores[:, 0]).mean(), 1.0)
    assert set(np.unique(level.scores[:, 1])) == {0.0, 1.0}
    assert level.scale[1] == 1.0
    expected = RidgeClassifier().fit(X, Y).decision_function(X) / level.scale[0]
    np.testing.assert_allclose(level.members[0].scores(X), expected)


def test_margins_of_two_classes_are_halved():
    two = Y < 2
    level = level_one([("ridge", RidgeClassifier())], X[two], Y[two])
    np.testing.assert_allclose(level.scores.sum(axis=2), 0.0, atol=1e-12)


def test_holdout_scores_what_it_held_out():
    level = level_one(NB, X, Y, cv=0.4, random_state=3)
    assert len(level.rows) == 60
    assert np.bincount(level.y).tolist() == [20, 20, 20]
    rest = np.setdiff1d(np.arange(150), level.rows)
    expected = GaussianNB().fit(X[rest], Y[rest]).predict_proba(X[level.rows])
    np.testing.assert_allclose(level.scores[:, 0], expected)
    np.testing.assert_allclose(level.members[0].scores(X[level.rows]), expected)


def test_rows_that_are_never_held_out_have_no_scores():
    fold = np.where(np.arange(150) % 3 == 0, -1, np.arange(150) % 2)
    level = level_one(NB, X, Y, cv=PredefinedSplit(fold))
    np.testing.assert_array_equal(level.rows, np.flatnonzero(fold >= 0))
    np.testing.assert_array_equal(level.y, Y[level.rows])


def test_prefit_members_are_asked_only():
    model = GaussianNB().fit(X[::2], NAMES[::2])
    level = level_one([("nb", model), ("frozen", FrozenEstimator(model))], X, NAMES, cv="prefit")
    assert level.members[0].model is model
    np.testing.assert_allclose(level.scores[:, 0], model.predict_proba(X))
    np.testing.assert_allclose(level.scores[:, 1], level.scores[:, 0])
    with pytest.raises(ValueError, match=r"member 'nb' .* is not fitted, .*fit it first"):
        level_one(NB, X, Y, cv="prefit")
    with pytest.raises(ValueError, match=r"labels \['setosa', .*y has \['versi"):
        level_one([("nb", model)], X[50:], NAMES[50:], cv="prefit")


def test_sparse_tables_of_any_format():
    members = [("nb", MultinomialNB()), ("some", Member(LogisticRegression(), columns=slice(0, 2)))]
    dense = level_one(members, X, Y)
    for table in (sp.csr_array(X), sp.csc_matrix(X), sp.coo_array(X)):
        level = level_one(members, table, Y)
        np.testing.assert_allclose(level.scores, dense.scores, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(
            score_members(level.members, table),
            score_members(dense.members, X),
            rtol=1e-4,
            atol=1e-6,
        )


@pytest.mark.parametrize("table", [X.astype(np.float32), np.asfortranarray(X), X.tolist()])
def test_other_tables_of_numbers(table):
    members = [("nb", Member(GaussianNB(), columns=[0, 3]))]
    level, expected = level_one(members, table, Y), level_one(members, X, Y)
    np.testing.assert_allclose(level.scores, expected.scores, atol=1e-3)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_stay_frames(kind):
    rng = np.random.RandomState(0)
    colour = np.array(["red", "green", "blue"])[rng.randint(3, size=150)]
    frame = kind({"colour": colour, "a": X[:, 2], "b": X[:, 3]})
    encode = ColumnTransformer(
        [("words", OneHotEncoder(), ["colour"]), ("numbers", StandardScaler(), ["a"])]
    )
    members = [
        ("pipe", make_pipeline(encode, LogisticRegression())),
        ("named", Member(GaussianNB(), columns=["b", "a"])),
        ("view", Member(GaussianNB(), columns="size")),
    ]
    level = level_one(members, frame, NAMES, views={"word": ["colour"], "size": ["a", "b"]})
    assert level.members[1].model.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(level.scores[:, 1], level.scores[:, 2])
    np.testing.assert_allclose(level.scores[:, 1], level_one(NB, X[:, 2:], NAMES).scores[:, 0])
    assert np.mean(level.scores[:, 0].argmax(axis=1) == level.y) > 0.9


def test_texts_need_no_columns():
    texts = ["good day", "bad day", "good work", "bad work"] * 5
    labels = [1, 0, 1, 0] * 5
    members = [("words", make_pipeline(CountVectorizer(), MultinomialNB()))]
    level = level_one(members, texts, labels)
    assert np.mean(level.scores[:, 0].argmax(axis=1) == labels) == 1.0
    with pytest.raises(ValueError, match="member 'words' selects columns, but X has no columns"):
        level_one([("words", Member(members[0][1], columns=[0]))], texts, labels)


def test_holes_are_handed_on():
    table = X.copy()
    table[::7, 1] = np.nan
    level = level_one([("trees", HistGradientBoostingClassifier(max_iter=5))], table, Y)
    assert np.isfinite(level.scores).all()
    with pytest.raises(ValueError, match=r"member 'nb' .*on fold 1 of 4: Input X contains NaN"):
        level_one(NB, table, Y)


MIXED = [
    ("tree", Member(DecisionTreeClassifier(max_features=1), share=0.7)),
    ("bag", Member(GaussianNB(), bootstrap=True)),
    ("ridge", Member(make_pipeline(StandardScaler(), RidgeClassifier()), columns=[0, 1])),
]


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "n_jobs"), [("threading", 2), ("multiprocessing", 2)])
def test_the_result_does_not_depend_on_who_computes(backend, n_jobs):
    alone = level_one(MIXED, X, NAMES, random_state=5)
    with joblib.parallel_config(backend=backend):
        together = level_one(
            MIXED, X, NAMES, random_state=5, n_jobs=n_jobs, callback=lambda *_: None
        )
        asked = score_members(together.members, X, n_jobs=n_jobs)
    np.testing.assert_array_equal(alone.scores, together.scores)
    np.testing.assert_array_equal(alone.scale, together.scale)
    np.testing.assert_array_equal(score_members(alone.members, X), asked)
    other = level_one(MIXED, X, NAMES, random_state=6)
    assert not np.array_equal(alone.scores, other.scores)


def test_blocks_of_one_thread_may_overlap():
    def threads():
        return {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        first, second = one_thread(), one_thread()
        first.__enter__()
        second.__enter__()
        assert threads() <= {1}
        first.__exit__(None, None, None)
        assert threads() <= {1}
        second.__exit__(None, None, None)
        assert threads() == before


def test_seeds_of_members_are_kept():
    seeded = [("tree", DecisionTreeClassifier(max_features=1, random_state=3))]
    level = level_one(seeded, X, Y, random_state=0)
    assert level.members[0].model.random_state == 3
    assert level_one(MIXED, X, Y, random_state=0).members[0].model.random_state is not None


@pytest.mark.parametrize("as_memory", [False, True])
def test_nothing_is_fitted_twice_where_it_is_kept(tmp_path, as_memory):
    log = tmp_path / "log"
    folder = str(tmp_path / "cache")
    memory = joblib.Memory(folder, verbose=0) if as_memory else folder
    members = [("one", Counting(log)), ("two", Member(Counting(log), columns=[0, 1]))]
    first = level_one(members, X, Y, cv=3, memory=memory)
    assert fits(log) == 8
    second = level_one(members, X, Y, cv=3, memory=memory)
    assert fits(log) == 8
    np.testing.assert_array_equal(first.scores, second.scores)
    np.testing.assert_array_equal(score_members(first.members, X), score_members(second.members, X))
    more = [*members, ("three", Counting(log))]
    level_one(more, X, Y, cv=3, memory=memory)
    assert fits(log) == 12
    level_one(members, X + 1.0, Y, cv=3, memory=memory)
    assert fits(log) == 20


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_are_known_again(tmp_path, kind):
    log = tmp_path / "log"
    for _ in range(2):
        frame = kind({f"c{k}": column for k, column in enumerate(X.T)})
        level_one([("one", Counting(log))], frame, NAMES, cv=2, memory=str(tmp_path / "cache"))
    assert fits(log) == 3


def test_how_far_it_is():
    calls = []
    level_one(MIXED, X, Y, cv=3, callback=lambda done, total: calls.append((done, total)))
    assert calls == [(k, 12) for k in range(1, 13)]


def test_weights_reach_the_members_that_take_them(tmp_path):
    log = tmp_path / "log"
    weight = np.linspace(0.0, 2.0, 150)
    members = [("counts", Counting(log)), ("nearest", KNeighborsClassifier())]
    level = level_one(members, X, Y, sample_weight=weight, cv=2)
    told = [line.split() for line in log.read_text().splitlines()]
    assert [int(n) for n, _ in told] == [75, 75, 150]
    np.testing.assert_allclose(float(told[2][1]), weight.sum())
    np.testing.assert_allclose(level.share, weight / weight.sum())
    heavy = level_one(NB, X, Y, sample_weight=np.where(Y == 0, 50.0, 1.0))
    assert heavy.members[0].model.class_prior_[0] > 0.9


def test_weights_find_their_way():
    weight = np.ones(3)
    nested = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), GaussianNB()))
    assert list(weight_arguments(nested, weight)) == ["pipeline__gaussiannb__sample_weight"]
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9]})
    assert list(weight_arguments(search, weight)) == ["sample_weight"]
    assert weight_arguments(KNeighborsClassifier(), weight) == {}
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = make_pipeline(StandardScaler(), GaussianNB())
        assert weight_arguments(pipe, weight) == {}
        pipe[-1].set_fit_request(sample_weight=True)
        pipe[0].set_fit_request(sample_weight=False)
        assert list(weight_arguments(pipe, weight)) == ["sample_weight"]
        level = level_one([("p", pipe)], X, Y, sample_weight=np.where(Y == 0, 50.0, 1.0))
        assert level.members[0].model[-1].class_prior_[0] > 0.9


def test_groups_stay_together():
    groups = np.arange(150) // 5
    folds = list(GroupKFold(3).split(X, Y, groups))
    level = level_one(NB, X, Y, cv=GroupKFold(3), groups=groups)
    np.testing.assert_array_equal(level.scores, level_one(NB, X, Y, cv=folds).scores)


def test_members_are_left_as_they_were():
    model = GaussianNB()
    level_one([("nb", model)], X, Y)
    assert not hasattr(model, "classes_")
    before = joblib.hash(X)
    level_one(MIXED, X, Y, random_state=0)
    assert joblib.hash(X) == before


def test_one_split_leaves_the_members_all_rows():
    level = level_one(NB, X, Y, cv=ShuffleSplit(1, test_size=0.2, random_state=0))
    assert len(level.rows) == 30
    assert level.members[0].model.class_count_.sum() == 150


def test_members_clone_and_know_their_parameters():
    member = Member(DecisionTreeClassifier(max_depth=2), columns=[1], share=0.5, random_state=3)
    copy = clone(member).set_params(estimator__max_depth=4)
    assert copy.estimator.max_depth == 4
    assert member.estimator.max_depth == 2
    assert copy.get_params()["share"] == 0.5
