"""Tables that would crash a kernel or overflow: every classifier answers, or says what is wrong."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from uneven import (
    AdaBoostMMClassifier,
    BalancedBoostingClassifier,
    BayesPointClassifier,
    ComboClassifier,
    ForwardLogisticRegression,
    LateFusionClassifier,
    MarginStackingClassifier,
    MuComboClassifier,
    NoiseAwareClassifier,
    NormComboClassifier,
    TunedDecisionClassifier,
    UMAClassifier,
    UnevenClassifier,
)
from uneven.linear import (
    KernelPerceptronClassifier,
    PerceptronClassifier,
    SelfLabellingSVM,
    UltraconservativeClassifier,
)
from uneven.stacking import RuleClassifier
from uneven.utils.validation import check_table, validate_data
from uneven.versionspace import CompressionPerceptron, CuttingPlaneClassifier, CuttingPlaneSVC

VIEWS = {"left": [0, 1], "right": [2, 3]}
TREES = [
    AdaBoostMMClassifier(n_estimators=2),
    ComboClassifier(n_estimators=2),
    NormComboClassifier(n_estimators=2),
    BalancedBoostingClassifier(n_estimators=2),
    MuComboClassifier(n_estimators=2, views=VIEWS),
    LateFusionClassifier(views=VIEWS),
    UnevenClassifier(members=["logistic"], random_state=0),
    NoiseAwareClassifier(random_state=0),
]
LINEAR = [
    BayesPointClassifier(),
    UMAClassifier(),
    CuttingPlaneSVC(),
    CuttingPlaneClassifier(),
    CompressionPerceptron(),
    PerceptronClassifier(),
    KernelPerceptronClassifier(),
    UltraconservativeClassifier(),
    SelfLabellingSVM(),
    ForwardLogisticRegression(),
]
JOINED = [
    TunedDecisionClassifier(LogisticRegression()),
    MarginStackingClassifier([("a", LogisticRegression())]),
    RuleClassifier([("a", LogisticRegression())]),
]
Y = np.array([0, 1] * 20)
X = np.random.default_rng(0).normal(size=(40, 4)) + 3.0 * Y[:, None]


def shifted(part, kind=sp.csr_array):
    """A sparse matrix with one entry far outside."""
    table = kind(X)
    changed = getattr(table, part).copy()
    changed[5] = 10**6
    setattr(table, part, changed)
    return table


def name(model):
    return type(model).__name__


@pytest.mark.parametrize("part", ["indptr", "indices"])
@pytest.mark.parametrize("model", TREES + LINEAR + JOINED, ids=name)
def test_damaged_sparse_matrices_are_refused_before_a_kernel_reads_them(model, part):
    with pytest.raises(ValueError, match="X is a damaged sparse matrix"):
        model.fit(shifted(part), Y)


@pytest.mark.parametrize("model", [TREES[1], LINEAR[5], LINEAR[9], JOINED[0]], ids=name)
def test_damaged_sparse_matrices_are_refused_in_predict(model):
    model.fit(sp.csr_array(X), Y)
    with pytest.raises(ValueError, match="X is a damaged sparse matrix"):
        model.predict(shifted("indices"))


@pytest.mark.parametrize("kind", [sp.csc_array, sp.csr_matrix])
def test_other_formats(kind):
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        check_table(shifted("indices", kind))
    check_table(kind(X))
    apart = sp.coo_array(X)
    apart.row[3] = 99
    with pytest.raises(ValueError, match="coordinates from 0 to 39"):
        check_table(apart)


@pytest.mark.parametrize("model", TREES[:1] + LINEAR + JOINED, ids=name)
def test_two_columns_of_one_name_are_refused(model):
    with pytest.raises(ValueError, match="several columns named 'b': rename or drop them"):
        model.fit(pd.DataFrame(X, columns=list("abbc")), Y)


@pytest.mark.parametrize("model", TREES[:1] + LINEAR[:1] + JOINED, ids=name)
def test_lazy_frames_are_refused(model):
    polars = pytest.importorskip("polars")
    lazy = polars.DataFrame(X, schema=list("abcd")).lazy()
    with pytest.raises(TypeError, match=r"not read yet: give X\.collect\(\)"):
        model.fit(lazy, Y)


@pytest.mark.parametrize("model", TREES[:1] + LINEAR + JOINED, ids=name)
def test_lists_of_tables_are_refused_with_what_joins_them(model):
    for parts in ([X, X], (X[:, :1], pd.DataFrame(X))):
        with pytest.raises(TypeError, match=r"of 2 tables: name and join them, .*join_views"):
            model.fit(parts, Y)


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA])
@pytest.mark.parametrize("model", TREES[:2] + LINEAR[:8] + LINEAR[9:] + JOINED, ids=name)
def test_rows_without_label_are_named(model, missing):
    labels = np.array(["no", "yes"], dtype=object)[Y]
    labels[[3, 7]] = missing
    with pytest.raises(ValueError, match=r"y contains NaN: no label in rows 3, 7\. Label these"):
        model.fit(X, labels)


@pytest.mark.parametrize("scale", [1e-160, 1e160, 1.5e307])
@pytest.mark.parametrize("model", TREES + LINEAR, ids=name)
def test_extreme_values_are_learnt_or_refused_in_a_sentence(model, scale):
    signed = (X - X.mean()) * scale
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        refusal = refused(model, signed)
        if refusal is not None:
            assert "cale the columns" in refusal
            assert model in LINEAR
            return
        assert set(model.predict(signed)) <= {0, 1}
        if hasattr(model, "predict_proba"):
            np.testing.assert_allclose(model.predict_proba(signed).sum(axis=1), 1.0)


def refused(model, table):
    try:
        model.fit(table, Y)
    except ValueError as error:
        return str(error)
    return None


def test_sparse_matrices_have_narrow_indices():
    table = sp.csr_array(X)
    table.indices, table.indptr = table.indices.astype(np.int64), table.indptr.astype(np.int64)
    checked = validate_data(LogisticRegression(), table, accept_sparse="csr")
    assert checked.indices.dtype == np.int32
