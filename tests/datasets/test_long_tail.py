"""Tables with thinned classes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from uneven.datasets import make_long_tailed

Y = np.repeat(list("cab"), [100, 60, 80])
X = np.arange(480.0).reshape(240, 2)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 60), min_size=2, max_size=6),
    st.floats(1.0, 1e4),
    st.none() | st.integers(1, 80),
    st.integers(1, 30),
    st.integers(0, 2**32 - 1),
)
def test_sizes_fall_and_no_class_is_lost(sizes, ratio, largest, least, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    rows, labels = make_long_tailed(
        np.arange(len(y)), y, ratio=ratio, largest=largest, least=least, random_state=seed
    )
    assert (np.diff(rows) > 0).all()
    np.testing.assert_array_equal(labels, y[rows])
    kept = np.bincount(labels, minlength=len(sizes))
    assert (kept >= np.minimum(sizes, least)).all()
    top = largest or max(sizes)
    meant = np.sort(np.maximum(top / ratio ** np.linspace(0, 1, len(sizes)), least))
    assert (np.sort(kept) <= meant + 0.501).all()
    if min(sizes) >= meant.max():
        np.testing.assert_allclose(np.sort(kept), meant, atol=0.501, rtol=0)
    elif np.ptp(sizes) == 0:
        np.testing.assert_allclose(np.sort(kept), np.minimum(meant, sizes), atol=0.501, rtol=0)


def test_the_order_of_classes_is_drawn():
    y = np.repeat(np.arange(4), 50)
    found = {tuple(np.bincount(make_long_tailed(y, y, random_state=s)[1])) for s in range(20)}
    assert len(found) > 6
    assert {tuple(sorted(sizes)) for sizes in found} == {(10, 10, 18, 50)}
    again = [make_long_tailed(y, y, random_state=3)[1].tolist() for _ in range(2)]
    assert again[0] == again[1]


def test_a_ratio_of_one_keeps_everything():
    np.testing.assert_array_equal(make_long_tailed(X, Y, ratio=1)[0], X)


def test_a_larger_ratio_keeps_some_of_the_same_rows():
    y = np.repeat(np.arange(5), 60)
    rows = np.arange(300)
    small, large = (set(make_long_tailed(rows, y, ratio=r, least=1)[0]) for r in (3, 30))
    assert large < small


def test_tables_of_all_kinds_keep_their_kind():
    rows = make_long_tailed(np.arange(240), Y)[0]
    frame = pd.DataFrame(X, columns=["u", "v"], index=np.arange(240) + 7)
    found, labels = make_long_tailed(frame, pd.Series(Y, dtype="category", index=frame.index))
    pd.testing.assert_frame_equal(found, frame.iloc[rows])
    assert isinstance(labels.dtype, pd.CategoricalDtype)
    assert labels.index.equals(found.index)
    found, labels = make_long_tailed(pl.DataFrame({"u": X[:, 0]}), pl.Series(Y))
    assert found["u"].to_list() == X[rows, 0].tolist()
    assert labels.to_list() == Y[rows].tolist()
    for make in (sp.csr_array, sp.csc_matrix, sp.coo_array):
        found, labels = make_long_tailed(make(X), Y)
        np.testing.assert_array_equal(found.toarray(), X[rows])
    found, labels = make_long_tailed(X.tolist(), Y.tolist())
    assert (found, labels) == (X[rows].tolist(), Y[rows].tolist())
    narrow = make_long_tailed(np.asfortranarray(X, dtype=np.float32), Y)[0]
    assert narrow.dtype == np.float32


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"ratio": 0.5}, r"ratio=0\.5: give a finite number, 1 or more"),
        ({"ratio": np.nan}, "ratio=nan"),
        ({"largest": 0}, "largest=0: give a whole number of rows"),
        ({"least": 2.5}, r"least=2\.5"),
        ({"least": None}, "least=None"),
        ({"y": ["a"] * 240}, "y holds a single class"),
        ({"y": ["a", None] * 120}, "y holds None at position 1"),
        ({"y": ["a", "b"]}, "inconsistent numbers of samples"),
    ],
)
def test_what_cannot_be_thinned_is_refused(words, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_long_tailed(X, **{"y": Y} | words)
