"""Named columns behind a column transformer: nothing is filled up, nothing loses its name."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from uneven import ComboClassifier, ViewColumns
from uneven.utils.frames import named_frame
from uneven.views.training_rows import learn_categories, validate_fit_data

WORDS = [f"w{k}" for k in range(300)]


def notes(n=90, seed=0):
    """Three classes: words tell "b", the number tells "c"; some numbers are missing."""
    rng = np.random.default_rng(seed)
    y = np.array(["a", "b", "c"] * (n // 3))
    texts = [" ".join(rng.choice(WORDS, 6)) + (" smoke" if k == "b" else "") for k in y]
    number = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n) + 4.0 * (y == "c"))
    channel = rng.choice(["phone", "mail"], n)
    frame = pd.DataFrame({"text": texts, "number": number, "channel": channel})
    return frame.set_index(np.arange(n) + 100), y


def transformer(**options):
    parts = [
        ("words", TfidfVectorizer(), "text"),
        ("channel", OneHotEncoder(handle_unknown="ignore"), ["channel"]),
        ("numbers", "passthrough", ["number"]),
    ]
    return ViewColumns(parts, **options)


def pipeline(**options):
    classify = ComboClassifier(n_estimators=15, views="prefix")
    return Pipeline([("encode", transformer(**options)), ("classify", classify)])


@pytest.mark.parametrize("options", [{}, {"sparse_threshold": 0.0}, {"remainder": "passthrough"}])
def test_frame_holds_what_the_column_transformer_makes(options):
    frame, y = notes()
    ours = transformer(**options)
    plain = ColumnTransformer(ours.transformers, **options)
    expected = plain.fit_transform(frame, y)
    for found in (ours.fit_transform(frame, y), ours.transform(frame)):
        assert found.columns.tolist() == plain.get_feature_names_out().tolist()
        assert found.index.tolist() == frame.index.tolist()
        assert all("Sparse" in str(kind) for kind in found.dtypes) == sp.issparse(expected)
        values = expected.toarray() if sp.issparse(expected) else expected
        np.testing.assert_allclose(found.to_numpy(), values, rtol=1e-12)


@pytest.mark.slow
def test_a_wide_table_stays_sparse_up_to_the_door():
    n = 400_000
    X = sp.random(n, 40, density=1e-4, format="csr", random_state=0)
    X.data[:5] = np.nan
    wide = sp.hstack([X, sp.csr_array((n, 3_000))])
    names = [f"text__{k}" for k in range(wide.shape[1])]
    model = ComboClassifier(views="prefix")
    rows = validate_fit_data(model, named_frame(wide, names), np.arange(n) % 2, None)
    assert sp.issparse(rows.X)
    assert rows.X.nnz == wide.nnz
    assert np.isnan(rows.X.data).sum() == 5
    assert model.feature_names_in_.tolist() == names


def test_same_model_as_on_the_bare_matrix():
    frame, y = notes()
    piped = pipeline().fit(frame, y)
    table = piped["encode"].transform(frame)
    bare = sp.csr_array(table.sparse.to_coo())
    views = {"words": slice(0, -3), "channel": slice(-3, -1), "numbers": [-1]}
    direct = ComboClassifier(n_estimators=15, views=views).fit(bare, y)
    np.testing.assert_array_equal(piped.decision_function(frame), direct.decision_function(bare))
    told = piped["classify"].explain()
    assert told.view_names == ["words", "channel", "numbers"]
    assert told.view_share[0].argmax() == 1
    assert told.view_share[2].argmax() == 2


@pytest.mark.slow
def test_grid_search_reaches_into_the_views():
    frame, y = notes()
    grid = {"encode__words__ngram_range": [(1, 1), (1, 2)], "classify__max_depth": [1, 2]}
    search = GridSearchCV(pipeline(), grid, cv=3, error_score="raise").fit(frame, y)
    assert search.best_score_ > 0.7
    wider = search.best_estimator_.set_params(encode__words__ngram_range=(1, 3)).fit(frame, y)
    assert any(" " in name for name in wider["classify"].feature_names_in_)
    assert wider.predict(frame.iloc[:2]).shape == (2,)


def test_clones_and_pickles_are_the_same():
    frame, y = notes()
    fitted = pipeline().fit(frame, y)
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copied.predict_proba(frame), fitted.predict_proba(frame))
    again = clone(fitted)
    assert type(again["encode"]) is ViewColumns
    assert not hasattr(again["encode"], "transformers_")
    np.testing.assert_array_equal(
        again.fit(frame, y).predict_proba(frame), fitted.predict_proba(frame)
    )


@pytest.mark.parametrize("wanted", ["pandas", "polars", "default"])
def test_global_output_settings_do_not_matter(wanted):
    frame, _ = notes()
    with sklearn.config_context(transform_output=wanted):
        found = transformer().fit_transform(frame)
    assert all("Sparse" in str(kind) for kind in found.dtypes)


def test_set_output_is_accepted_where_it_is_true():
    piped = pipeline().set_output(transform="pandas")
    frame, y = notes()
    assert piped.fit(frame, y).score(frame, y) > 0.8
    with pytest.raises(ValueError, match="'polars'"):
        transformer().set_output(transform="polars")


def test_a_transformer_without_names_gets_numbers():
    frame = pd.DataFrame({"a": [1.0, -2.0], "b": [3.0, 4.0], "t": ["x y", "y"]})
    parts = [
        ("size", FunctionTransformer(np.abs), ["a", "b"]),
        ("words", CountVectorizer(token_pattern=r"\w"), "t"),
        ("raw", "passthrough", ["b"]),
    ]
    found = ViewColumns(parts).fit_transform(frame)
    assert found.columns.tolist() == ["size__0", "size__1", "words__x", "words__y", "raw__b"]
    assert found["size__0"].tolist() == [1.0, 2.0]


def mixed():
    kind = pd.Categorical(["m", "s", "m", "l"], ["s", "m", "l"])
    numbers = {"size": [1.5, np.nan, 2.0, 3.0], "count": [1, 2, 3, 4]}
    frame = pd.DataFrame({"kind": kind, **numbers, "flag": [True, False, True, True]})
    return frame.assign(text=["x y", "y", "x", "z"]).set_index(np.array([3, 1, 2, 0]))


def test_types_are_kept_as_the_column_transformer_keeps_them():
    frame = mixed()
    parts = [
        ("a", "passthrough", ["kind", "size"]),
        ("b", "passthrough", ["count", "flag"]),
        ("c", StandardScaler(), ["count"]),
    ]
    plain = ColumnTransformer(parts, remainder="passthrough").set_output(transform="pandas")
    ours = ViewColumns(parts, remainder="passthrough")
    pd.testing.assert_frame_equal(ours.fit_transform(frame), plain.fit_transform(frame))
    later = frame.iloc[::-1].assign(kind=pd.Categorical(["s", "s", "s", "xl"]))
    pd.testing.assert_frame_equal(ours.transform(later), plain.transform(later))


def test_categories_and_dense_text_learn_together():
    frame = mixed()
    parts = [("a", "passthrough", ["kind"]), ("w", CountVectorizer(token_pattern=r"\w"), "text")]
    for given in (frame, pytest.importorskip("polars").from_pandas(frame)):
        found = ViewColumns(parts, sparse_threshold=0.0).fit_transform(given)
        assert found["a__kind"].cat.categories.tolist() == learn_categories(given[["kind"]])["kind"]
        assert found["w__x"].tolist() == [1, 0, 1, 0]
        model = ComboClassifier(n_estimators=3, views="prefix").fit(found, [1, 0, 1, 0])
        assert model.views_.names == ("a", "w")


@pytest.mark.parametrize("column", ["kind", "rank", "word", "digits"])
def test_words_beside_a_sparse_view_are_refused_by_name(column):
    rank = pd.Categorical([1, 2, 2, 1])
    frame = mixed().assign(rank=rank, word=["p", "q", "p", None], digits=["1", "2", "3", "4"])
    parts = [("w", CountVectorizer(token_pattern=r"\w"), "text"), ("a", "passthrough", [column])]
    with pytest.raises(ValueError, match=f"view 'a' passes column '{column}' .* encode the column"):
        ViewColumns(parts, sparse_threshold=1.0).fit(frame)
    fine = ViewColumns([parts[0], ("a", "passthrough", ["size"])], sparse_threshold=1.0)
    fine.fit(frame)
    with pytest.raises(ValueError, match="view 'a' passes column 'size'"):
        fine.transform(frame.assign(size=frame["kind"]))


def test_other_errors_of_a_transformer_are_not_hidden():
    frame = mixed()
    parts = [("a", StandardScaler(), ["kind"]), ("b", "passthrough", ["text"])]
    with pytest.raises(ValueError, match="could not convert"):
        ViewColumns(parts).fit(frame)


def test_names_without_views_are_refused():
    with pytest.raises(ValueError, match="verbose_feature_names_out=False"):
        transformer(verbose_feature_names_out=False).fit(notes()[0])


def test_polars_frames_and_arrays_come_in():
    polars = pytest.importorskip("polars")
    frame, _ = notes()
    expected = transformer().fit_transform(frame)
    found = transformer().fit_transform(polars.from_pandas(frame))
    pd.testing.assert_frame_equal(found, expected.reset_index(drop=True))
    array = ViewColumns([("left", "passthrough", [0]), ("right", "passthrough", [1, 2])])
    assert array.fit_transform(np.eye(3)).columns.tolist() == ["left__x0", "right__x1", "right__x2"]


def test_named_frame_adds_up_entries_that_are_stored_twice():
    twice = sp.csc_array(([1.0, 2.0], [0, 0], [0, 0, 2]), shape=(2, 2))
    frame = named_frame(twice, ["a", "b"], index=["p", "q"])
    assert twice.nnz == 2
    assert frame.loc["p", "b"] == 3.0
    assert frame.loc["q"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("X", [np.ones((2, 3)), sp.eye_array(3), np.ones(2)])
def test_named_frame_refuses_other_shapes(X):
    with pytest.raises(ValueError, match="one name per column"):
        named_frame(X, ["a", "b"])


def test_category_columns_are_found_beside_sparse_ones():
    frame = named_frame(sp.eye_array(3, format="csr"), ["t__a", "t__b", "t__c"])
    frame["size"] = pd.Categorical(["s", "l", "s"], ["s", "l"])
    assert learn_categories(frame) == {"size": ["s", "l"]}
