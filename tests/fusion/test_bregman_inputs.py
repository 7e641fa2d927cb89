"""What the Bregman vote accepts, what it refuses, and what it says then."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from tests.fusion.test_bregman_vote import VIEWS, two_views
from uneven import BregmanVoteClassifier
from uneven.fusion.voter_pools import Question, make_pool
from uneven.persistence.model_file import ModelCard, load_model, save_model
from uneven.persistence.scikit_learn import check_structure
from uneven.views import resolve_views
from uneven.views.training_rows import TrainingRows


def fitted(X, y, **options):
    usual = {"voters": "published", "max_iter": 2, "random_state": 0, "views": VIEWS}
    return BregmanVoteClassifier(**usual | options).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_memory_layout_and_sparsity_do_not_matter(n_classes):
    X, y = two_views(150, n_classes)
    X = np.where(X > 0, np.round(X * 64) / 64, 0.0)
    expected = fitted(X, y).decision_function(X)
    for same in (np.asfortranarray(X), X.astype(np.float32), pd.DataFrame(X), pl.DataFrame(X)):
        np.testing.assert_array_equal(fitted(same, y).decision_function(same), expected)
    for same in (sp.csr_matrix(X), sp.csc_array(X)):
        model = fitted(same, y)
        np.testing.assert_array_equal(model.decision_function(same), model.decision_function(X))
        assert np.mean(np.sign(model.decision_function(X)) == np.sign(expected)) > 0.95


def test_columns_that_single_precision_cannot_hold():
    X, y = two_views(150)
    expected = fitted(X, y).predict(X)
    for scale, offset in ((1e300, 0.0), (1e-30, 0.0), (1.0, 2.0**40)):
        moved = X * scale + offset
        assert np.mean(fitted(moved, y).predict(moved) == expected) > 0.97
    X[:2, 0] = 1.7e308, -1.7e308
    wide = fitted(X, y)
    assert np.mean(wide.predict(X) == expected) > 0.8
    assert all(np.isfinite(t.voter.threshold[~t.voter.is_leaf]).all() for t in wide.vote_.terms())
    huge = sp.csr_array(np.where(X[2:] > 0, X[2:], 0.0) * 1e300)
    assert fitted(huge, y[2:]).score(huge, y[2:]) > 0.8


def test_strings_and_unsorted_labels():
    X, y = two_views(90, 3)
    words = np.array(["b", "ä", "a"])[y]
    model = fitted(X, words)
    assert model.classes_.tolist() == ["a", "b", "ä"]
    assert model.score(X, words) > 0.8


def test_one_class_one_row_one_view_one_column():
    only = fitted(np.ones((4, 6)), ["x"] * 4)
    assert only.predict(np.zeros((2, 6))).tolist() == ["x", "x"]
    assert only.predict_proba(np.zeros((1, 6))).tolist() == [[1.0]]
    assert len(only.vote_) == only.n_iter_ == 0
    assert only.history_ == {}
    assert fitted([[1.0, 2.0]], [7], views=None).predict([[0.0, 0.0]]).tolist() == [7]
    pair = fitted([[0.0], [1.0]], [0, 1], views=None, out_of_fold=3)
    assert pair.predict([[0.1], [0.9]]).tolist() == [0, 1]
    assert pair.view_weights_.tolist() == [1.0]
    three = fitted([[0.0], [1.0], [2.0]], [0, 1, 2], views=None)
    assert three.predict_proba([[0.0], [1.0], [2.0]]).shape == (3, 3)


def test_constant_columns_answer_the_larger_class():
    model = fitted(np.ones((9, 6)), [0, 0, 0, 0, 0, 0, 1, 1, 1])
    assert model.predict(np.zeros((3, 6))).tolist() == [0, 0, 0]
    assert all(term.voter.depth == 0 for term in model.vote_.terms())


def test_perfect_voters_have_finite_weights():
    X = np.repeat([[0.0], [1.0]], 10, axis=0) + np.zeros((1, 6))
    y = np.repeat([0, 1], 10)
    for options in ({}, {"variant": "paper", "smoothing": 0.0}, {"smoothing": 0.0}):
        model = fitted(X, y, max_iter=200, **options)
        assert np.isfinite(np.concatenate(model.voter_weights_)).all()
        assert model.score(X, y) == 1.0


def test_rows_without_views_get_the_prior_and_are_flagged():
    X, y = two_views(120, 3)
    y[:30] = 2
    X[::5, :3] = np.nan
    X[4] = np.nan
    model = fitted(X, y)
    nothing = np.full((2, 6), np.nan)
    assert model.predict(nothing).tolist() == [2, 2]
    np.testing.assert_allclose(model.predict_proba(nothing), [model.class_prior_] * 2)
    assert model.undecided(np.vstack([nothing, X[:1]])).tolist() == [True, True, False]
    two = fitted(X, (y == 2).astype(int))
    np.testing.assert_allclose(two.predict_proba(nothing), [two.class_prior_] * 2)
    assert two.predict(nothing).tolist() == [int(two.class_prior_.argmax())] * 2


@pytest.mark.filterwarnings("ignore:views .* are not used")
def test_a_missing_view_abstains():
    X, y = two_views(200)
    gaps = X.copy()
    gaps[:100, :3] = np.nan
    model = fitted(gaps, y)
    alone = fitted(X[100:], y[100:])
    seen = [t.voter for t in model.vote_.terms() if t.view == 0]
    expected = [t.voter for t in alone.vote_.terms() if t.view == 0]
    for a, b in zip(seen, expected, strict=True):
        np.testing.assert_array_equal(a.predict(X), b.predict(X))
    never = X.copy()
    never[:, :3] = np.nan
    blind = fitted(never, y)
    assert len(blind.voter_weights_[0]) == 0
    assert blind.score(never, y) > 0.7


def test_single_missing_values_dense_and_sparse():
    X, y = two_views(200)
    X = np.where(X > 0, X, 0.0)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    dense, sparse = fitted(X, y), fitted(sp.csr_array(X), y)
    assert dense.score(X, y) > 0.85
    assert sparse.score(X, y) > 0.85
    np.testing.assert_array_equal(sparse.predict(X), sparse.predict(sp.csr_array(X)))


@pytest.mark.parametrize("voters", ["published", DecisionTreeClassifier(max_depth=3)])
def test_missing_values_of_sparse_tables_count_as_larger_than_every_number(voters):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((200, 3)) < 0.5, rng.normal(size=(200, 3)) * 1e3, 0.0)
    lifted = X.copy()
    gaps = rng.random(X.shape) < 0.2
    X[gaps], lifted[gaps] = np.nan, 1e4
    y = (gaps[:, 0] ^ (rng.random(200) < 0.1)).astype(int)
    here = ~gaps.all(axis=1)
    found = fitted(sp.csr_array(X[here]), y[here], voters=voters, views=None)
    same = fitted(sp.csr_array(lifted[here]), y[here], voters=voters, views=None)
    np.testing.assert_array_equal(found.predict(X[here]), same.predict(lifted[here]))
    assert found.score(X[here], y[here]) > 0.85
    first = found.vote_.term(0).voter
    assert first.threshold[0] == np.inf
    assert not first.missing_left[0]
    assert found.predict([[1e9, 0.0, 0.0]]) == found.predict([[0.0, 0.0, 0.0]])


def test_a_wide_sparse_view_with_a_missing_value_stays_sparse():
    rng = np.random.default_rng(0)
    X = sp.random_array((300, 20_000), density=0.001, rng=rng, format="csr")
    X.data[[5, 50]] = np.nan
    y = np.arange(300) % 2
    tracemalloc.start()
    fitted(X, y, views=None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300 * 20_000 * 8 / 4


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("voters", [None, [DecisionTreeClassifier(max_depth=4)]])
def test_margins_are_what_the_voters_answer(kind, voters):
    X, y = two_views(200)
    X[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    views = resolve_views(VIEWS, n_features=6)
    present = views.presence(X)
    rows = TrainingRows(kind(X), y, np.ones(200), present, np.array([0, 1]), views)
    for view in (0, 1):
        pool = make_pool(Question(rows, yes=1, no=0), view, voters, seed=0)
        for margin, voter in zip(pool.margins.T, pool.voters, strict=True):
            right = np.where(voter.predict(rows.X) == y, 1.0, -1.0)
            np.testing.assert_array_equal(margin, np.where(present[:, view], right, 0.0))
    assert not present.all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "fast"}, "variant must be one of 'paper', 'safe'; got 'fast'"),
        ({"view_weights": "best"}, "view_weights must be one of 'exact'.*; got 'best'"),
        ({"return_index": 2}, "return_index must be one of"),
        ({"max_iter": 0}, "max_iter must be a whole number at least 1, got 0"),
        ({"smoothing": -0.1}, r"smoothing must be a number between 0 and 1, got -0.1"),
        ({"smoothing": float("nan")}, "smoothing must be a number"),
        ({"floor": 2}, "floor must be a number between 0 and 1, got 2"),
        ({"tol": "small"}, "tol must be a number between 0 and 1, got 'small'"),
        ({"out_of_fold": 1}, "out_of_fold must be a whole number at least 2, got 1"),
        ({"balance": "yes"}, "balance must be True or False, got 'yes'"),
        ({"voters": []}, "voters is an empty list"),
        ({"voters": {"up": LogisticRegression()}}, r"not there: 'up'; the views are \['left'"),
    ],
)
def test_impossible_parameters_are_named(options, message):
    X, y = two_views()
    model = BregmanVoteClassifier("published", max_iter=2, views=VIEWS).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match=message):
        model.set_params(**options).fit(X, y)
    np.testing.assert_array_equal(model.set_params(voters=None).decision_function(X), before)


@pytest.mark.parametrize("voters", ["tree", LogisticRegression, [None]])
def test_voters_that_are_none(voters):
    X, y = two_views()
    with pytest.raises(TypeError, match='voters must be None, "published", a classifier'):
        BregmanVoteClassifier(voters, views=VIEWS).fit(X, y)


def test_it_survives_a_model_file(tmp_path):
    X, y = two_views(90, 3)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    encode = ColumnTransformer([("keep", "passthrough", list("abcdef"))])
    model = BregmanVoteClassifier(views=VIEWS, random_state=0)
    pipeline = make_pipeline(encode, model).fit(frame, y)
    card = ModelCard("bregman", "Bregman vote", "y", ["0", "1", "2"], [30, 30, 30], [], 90)
    save_model(pipeline, card, tmp_path / "m.skops")
    loaded, _ = load_model(tmp_path / "m.skops")
    np.testing.assert_array_equal(loaded.predict_proba(frame), pipeline.predict_proba(frame))
    check_structure(loaded)
    loaded[1].vote_._forest.trees.feature[:] = 99
    with pytest.raises(ValueError, match="points to column 99"):
        check_structure(loaded)


def test_a_view_that_no_training_row_has_is_named():
    X, y = two_views(60, 2)
    gone = X.copy()
    gone[:, VIEWS["right"]] = np.nan
    with pytest.warns(UserWarning, match=r"views \['right'\] are not used: they are missing"):
        model = fitted(gone, y)
    np.testing.assert_array_equal(model.predict(X), model.predict(gone))
