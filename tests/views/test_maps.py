"""What the user may write for ``views``, and what is said when it is wrong."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.compose import make_column_selector

from uneven import join_views
from uneven.views import resolve_views

NAMES = ["text__a", "text__b", "sound__a", "sound__b"]


def as_lists(views):
    return {name: columns.tolist() for name, columns in zip(views.names, views.columns)}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (None, {"all": [0, 1, 2, 3]}),
        ([0, 1, 4], {"view0": [0], "view1": [1, 2, 3]}),
        ((0, 4), {"view0": [0, 1, 2, 3]}),
        (np.array([0, 2, 4]), {"view0": [0, 1], "view1": [2, 3]}),
        ("prefix", {"text": [0, 1], "sound": [2, 3]}),
        ({"t": ["text__b", "text__a"], "s": "sound__a"}, {"t": [0, 1], "s": [2]}),
        ({"t": slice(None, 2), "s": slice(2, None)}, {"t": [0, 1], "s": [2, 3]}),
        ({"t": [True, False, True, False]}, {"t": [0, 2]}),
        ({"last": [-1], "first": 0}, {"last": [3], "first": [0]}),
        ({"shared": [0, 1], "also": [1, 2]}, {"shared": [0, 1], "also": [1, 2]}),
    ],
)
def test_accepted_forms(spec, expected):
    views = resolve_views(spec, n_features=4, feature_names=NAMES)
    assert as_lists(views) == expected


def test_column_selector_receives_the_frame():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.0], "b": [2], "c": [3.0]})
    views = resolve_views(
        {"real": make_column_selector(dtype_include=float)},
        n_features=3,
        feature_names=frame.columns,
        frame=frame,
    )
    assert as_lists(views) == {"real": [0, 2]}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, "empty"),
        ("suffix", "prefix"),
        ([0, 2], r"increase from 0 to the number of columns \(4\)"),
        ([0, 3, 2, 4], "increase"),
        ([1, 4], "increase"),
        ([0.5, 4], "boundaries"),
        ([[0, 1], [2]], "a dict of name"),
        ({"t": ["nope"]}, "not in X.*nope"),
        ({"t": [7]}, "outside the 4 columns"),
        ({"t": []}, "no columns"),
        ({"t": [0, 0]}, "twice"),
        ({"t": [True, False]}, "mask"),
        ({"t": [1.5]}, "names or integers"),
        ({"t": None}, "view 't' must hold column names or integers, got None"),
        ({"t": 1.0}, "view 't' must hold column names or integers, got 1.0"),
        ({"t": slice("text__a", "text__b")}, "slices hold positions"),
        ({"t": lambda frame: ["a"]}, "DataFrame"),
    ],
)
def test_refused_forms(spec, message):
    with pytest.raises(ValueError, match=message):
        resolve_views(spec, n_features=4, feature_names=NAMES)


def test_names_need_columns_whose_names_are_text():
    frame = pd.DataFrame(np.ones((2, 1)))
    with pytest.raises(ValueError, match="its column names are not all text"):
        resolve_views({"a": ["0"]}, n_features=1, frame=frame)


def test_prefix_needs_names_with_two_underscores():
    with pytest.raises(ValueError, match="needs column names"):
        resolve_views("prefix", n_features=4)
    with pytest.raises(ValueError, match="'plain'"):
        resolve_views("prefix", n_features=2, feature_names=["a__b", "plain"])


def test_presence_is_false_only_where_every_column_of_a_view_is_missing():
    X = np.array([[np.nan, np.nan, 1.0, 2.0], [1.0, np.nan, np.nan, np.nan], [0.0, 0.0, 0.0, 0.0]])
    views = resolve_views([0, 2, 4], n_features=4)
    expected = [[False, True], [True, False], [True, True]]
    np.testing.assert_array_equal(views.presence(X), expected)
    np.testing.assert_array_equal(views.presence(sp.csr_array(X)), expected)
    np.testing.assert_array_equal(views.presence(X.astype(np.float32)), expected)
    assert views.presence(np.full((2, 4), 1e308)).all()


def test_membership_divides_shared_columns():
    views = resolve_views({"a": [0, 1], "b": [1, 2]}, n_features=4)
    np.testing.assert_array_equal(views.membership(), [[1, 0.5, 0, 0], [0, 0.5, 1, 0]])


def test_join_views_dense_and_sparse_agree():
    A, B = np.arange(6.0).reshape(3, 2), np.eye(3)
    X, views = join_views({"a": A, "b": B})
    Xs, views_s = join_views({"a": A, "b": sp.csr_matrix(B)})
    assert sp.issparse(Xs)
    assert views == views_s == {"a": slice(0, 2), "b": slice(2, 5)}
    np.testing.assert_array_equal(X, Xs.toarray())


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({}, "at least one"),
        ({"a": np.ones(3)}, "two-dimensional"),
        ({"a": np.ones((3, 1)), "b": np.ones((2, 1))}, "same number of rows"),
        ({"a": np.ones((2, 1)), "b": np.array([["x"], ["y"]])}, "view 'b' holds text"),
        ({"a": pd.DataFrame({"c": ["1", "2"]})}, "view 'a' holds text"),
        ({"a": pd.DataFrame({"c": pd.Categorical([1, 2])})}, "view 'a' holds text, categories"),
        ({"a": pd.DataFrame({"c": pd.Categorical([1, 2]), "d": 1.0})}, "view 'a' holds text"),
        ({"a": np.array([["2020-01-01"]], dtype="M8[D]")}, "view 'a' holds text"),
    ],
)
def test_join_views_refuses(arrays, message):
    with pytest.raises(ValueError, match=message):
        join_views(arrays)


def test_join_views_refuses_frames_whose_rows_are_in_different_orders():
    left = pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index=["x", "y", "z"])
    right = pd.DataFrame({"b": [30.0, 10.0, 20.0]}, index=["z", "x", "y"])
    with pytest.raises(ValueError, match="'left' and 'right' have the same rows in different"):
        join_views({"left": left, "right": right})
    X, _ = join_views({"left": left, "right": right.loc[left.index]})
    np.testing.assert_array_equal(X[:, 1], 10.0 * X[:, 0])
    bare = {"left": left, "right": right.reset_index(drop=True)}
    np.testing.assert_array_equal(join_views(bare)[0][:, 1], right["b"])
    rows = right.iloc[:2].reindex(left.index)
    np.testing.assert_array_equal(np.isnan(join_views({"l": left, "r": rows})[0][:, 1]), [0, 1, 0])


def test_join_views_refuses_frames_that_share_some_rows_only():
    left = pd.DataFrame({"t": [1, 2, 3]}, index=list("pqr"))
    right = pd.DataFrame({"s": [20, 30, 40]}, index=list("qrs"))
    with pytest.raises(ValueError, match=r"share some rows, such as 'q', but.*reindex\(index\)"):
        join_views({"left": left, "right": right})
    every = left.index.union(right.index)
    X, _ = join_views({"left": left.reindex(every), "right": right.reindex(every)})
    np.testing.assert_array_equal(X, [[1, np.nan], [2, 20], [3, 30], [np.nan, 40]])
    levels = right.set_axis(pd.MultiIndex.from_product([["p"], list("pqr")]))
    np.testing.assert_array_equal(join_views({"r": levels, "l": left})[0][:, 1], left["t"])
    strangers = right.set_axis(list("uvw"))
    np.testing.assert_array_equal(join_views({"l": left, "r": strangers})[0][:, 1], right["s"])


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, pd.DataFrame])
def test_join_views_puts_views_where_they_were(kind):
    left, right = np.arange(6.0).reshape(2, 3), np.ones((2, 1))
    X, views = join_views({"left": kind(left), "right": kind(right)})
    again, same = join_views({"right": kind(right), "left": kind(left)}, views)
    assert same == views
    assert (again != X).sum() == 0
    some, same = join_views({"right": kind(right)}, views)
    dense = some.toarray() if sp.issparse(some) else some
    assert same == views
    np.testing.assert_array_equal(dense, [[np.nan] * 3 + [1.0]] * 2)
    with pytest.raises(ValueError, match=r"views \['up'\] are new: the earlier table had \['left'"):
        join_views({"up": kind(right)}, views)
    with pytest.raises(ValueError, match="view 'right' has 3 columns, in the earlier table 1"):
        join_views({"right": kind(left)}, views)


def test_join_views_takes_numbers_stored_as_objects_and_names_lists():
    mixed = pd.DataFrame({"n": [1, 2], "f": [0.5, None]}, dtype=object)
    X, _ = join_views({"a": mixed, "b": [[True], [False]]})
    np.testing.assert_array_equal(X, [[1.0, 0.5, 1.0], [2.0, np.nan, 0.0]])
    with pytest.raises(TypeError, match=r"mapping of names to arrays.* got a list"):
        join_views([np.ones((2, 1)), np.ones((2, 2))])
