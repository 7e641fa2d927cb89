"""Unit rows, constants, normal form and margins on every kind of table."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from uneven.linear import add_constant, margins, normal_form, normalize_rows, row_norms, scale_rows

X = np.array([[3.0, 4.0, 0.0], [0.0, -2.0, 0.0], [1.0, 2.0, 2.0]])
UNIT = np.array([[0.6, 0.8, 0.0], [0.0, -1.0, 0.0], [1 / 3, 2 / 3, 2 / 3]])

KINDS = {
    "list": X.tolist(),
    "integers": X.astype(int),
    "float32": X.astype(np.float32),
    "fortran": np.asfortranarray(X),
    "read-only": np.broadcast_to(X, X.shape),
    "pandas": pd.DataFrame(X, columns=list("abc")),
    "polars": pl.DataFrame(X, schema=list("abc")),
    "csr_matrix": sp.csr_matrix(X),
    "csr_array": sp.csr_array(X),
    "csc": sp.csc_matrix(X),
    "coo": sp.coo_array(X),
}


def dense(table):
    return table.toarray() if sp.issparse(table) else table


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_gets_unit_rows(kind):
    unit = normalize_rows(KINDS[kind])
    assert sp.issparse(unit) == sp.issparse(KINDS[kind])
    assert not sp.issparse(unit) or unit.format == "csr"
    assert unit.dtype == np.float64
    np.testing.assert_allclose(dense(unit), UNIT, rtol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_the_given_table_is_left_alone(kind):
    before = KINDS[kind].copy() if hasattr(KINDS[kind], "copy") else None
    normalize_rows(KINDS[kind])
    if before is not None and not isinstance(before, pl.DataFrame | pd.DataFrame | list):
        assert (dense(before) == dense(KINDS[kind])).all()


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
@pytest.mark.parametrize("size", [1e-320, 1e-300, 1.0, 1e300, 1.7e308])
def test_neither_huge_nor_tiny_rows_get_lost(make, size):
    unit = normalize_rows(make([[size, 0.0, -size], [0.0, size, 0.0]]))
    np.testing.assert_allclose(dense(unit)[0], [0.5**0.5, 0, -(0.5**0.5)], rtol=1e-14)
    np.testing.assert_allclose(dense(unit)[1], [0, 1, 0], rtol=1e-14)


@pytest.mark.parametrize("make", [np.array, sp.csr_matrix])
def test_rows_of_zeros_stay_and_are_told_once(make):
    with pytest.warns(UserWarning, match="2 of 3 rows hold only zeros") as caught:
        unit = normalize_rows(make([[0.0, 0.0], [0.0, 5.0], [0.0, 0.0]]))
    assert len(caught) == 1
    assert dense(unit).tolist() == [[0, 0], [0, 1], [0, 0]]


def test_double_entries_of_a_sparse_table_are_added():
    twice = sp.csr_matrix((np.array([1.0, 2.0, 4.0]), [0, 0, 1], [0, 3]), shape=(1, 2))
    np.testing.assert_allclose(normalize_rows(twice).toarray(), [[0.6, 0.8]], rtol=1e-15)
    assert row_norms(twice).tolist() == [5.0]
    assert twice.nnz == 3


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_a_number_has_no_length(bad):
    with pytest.raises(ValueError, match="contains"):
        normalize_rows([[1.0, bad]])


@given(hnp.arrays(float, (4, 3), elements=st.floats(-1e307, 1e307, allow_subnormal=False)))
def test_lengths_are_those_of_the_mathematics_library(table):
    expected = [math.hypot(*row) for row in table.tolist()]
    np.testing.assert_allclose(row_norms(table), expected, rtol=1e-12)
    np.testing.assert_allclose(row_norms(sp.csr_array(table)), row_norms(table), rtol=1e-12)


@pytest.mark.parametrize("make", [np.array, sp.csr_array, sp.csr_matrix])
def test_normal_form_turns_the_negative_rows(make):
    turned = normal_form(make(X), [1, -1, 1])
    assert (dense(turned) == X * [[1], [-1], [1]]).all()
    assert type(turned) is type(make(X))


def test_normal_form_refuses_other_labels():
    with pytest.raises(ValueError, match=r"0.* in row 1: .* -1 and \+1"):
        normal_form(X, [1, 0, 1])
    with pytest.raises(ValueError, match="2 labels, X has 3 rows"):
        normal_form(X, [1, -1])


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_margins_compare_with_the_best_other_class(make):
    coef = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert margins(make(X), [0, 1, 2], coef).tolist() == [-1, -2, 0]
    assert margins(make(X), [1, 0, 0], coef).tolist() == [1, 0, -1]
    assert margins(make(X), [1, 0, 0], [[0, 1, 0]]).tolist() == [4, 2, -2]


def test_margins_refuse_what_does_not_fit():
    with pytest.raises(ValueError, match="coef has 2 columns, X has 3"):
        margins(X, [0, 0, 0], [1, 2])
    with pytest.raises(ValueError, match="whole numbers from 0 to 1"):
        margins(X, [0, 2, 0], [1, 2, 3])
    with pytest.raises(ValueError, match=r"expected one per row, \(3,\)"):
        margins(X, [0, 1], [1, 2, 3])


@pytest.mark.parametrize("make", [np.array, sp.csr_array, sp.csr_matrix])
def test_a_constant_is_the_last_column(make):
    wide = add_constant(make(X), 2.0)
    assert type(wide) is type(make(X))
    assert (dense(wide) == np.column_stack([X, [2, 2, 2]])).all()


@pytest.mark.parametrize("value", [0, np.nan, np.inf, "1"])
def test_a_constant_must_be_able_to_move_a_hyperplane(value):
    with pytest.raises(ValueError, match="finite number other than 0"):
        add_constant(X, value)


def test_scaling_rows_keeps_the_kind():
    assert type(scale_rows(sp.csr_matrix(X), [1, 2, 3])) is sp.csr_matrix
    assert (scale_rows(sp.csr_matrix(X), [1, 2, 3]).toarray() == scale_rows(X, [1, 2, 3])).all()
