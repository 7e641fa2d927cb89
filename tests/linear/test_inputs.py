"""Odd tables and labels at the door of every linear classifier."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.linear.cases import separable
from uneven.linear import (
    KernelPerceptronClassifier,
    PerceptronClassifier,
    UltraconservativeClassifier,
)

MODELS = [
    UltraconservativeClassifier(),
    UltraconservativeClassifier("random", shuffle=True, average=True, random_state=0),
    PerceptronClassifier(),
    PerceptronClassifier("lowest_margin"),
    PerceptronClassifier("random", random_state=0),
    KernelPerceptronClassifier("linear"),
    KernelPerceptronClassifier("rbf", gamma=0.5, step="random", random_state=0),
]
X, POSITIONS, _ = separable(0, n_classes=2)
X = np.round(X * 64) / 64
Y = np.array(["no", "yes"])[POSITIONS]


def wide_indices(table):
    rows = sp.csr_array(table)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return rows


KINDS = {
    "list": lambda t: t.tolist(),
    "float32": lambda t: t.astype(np.float32),
    "fortran": np.asfortranarray,
    "every other column": lambda t: np.repeat(t, 2, axis=1)[:, ::2],
    "read-only": lambda t: np.broadcast_to(t, t.shape),
    "pandas": lambda t: pd.DataFrame(t, columns=[f"c{k}" for k in range(t.shape[1])]),
    "polars": lambda t: pl.DataFrame(t, schema=[f"c{k}" for k in range(t.shape[1])]),
    "csr_matrix": sp.csr_matrix,
    "csc_array": sp.csc_array,
    "wide indices": wide_indices,
}


@pytest.fixture(params=MODELS, ids=lambda model: str(model)[:50])
def model(request):
    return clone(request.param)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_gives_the_same_model(model, kind):
    expected = clone(model).fit(X, Y)
    table = KINDS[kind](X)
    model.fit(table, Y)
    assert model.mistakes_.tolist() == expected.mistakes_.tolist()
    np.testing.assert_allclose(
        model.decision_function(table), expected.decision_function(X), atol=1e-9
    )
    assert (model.predict(table) == expected.predict(X)).all()


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_names_of_columns_are_remembered(model, kind):
    model.fit(KINDS[kind](X), Y)
    assert model.feature_names_in_.tolist() == [f"c{k}" for k in range(X.shape[1])]


@pytest.mark.parametrize("labels", [Y == "yes", (Y == "yes") * 2 - 1, Y.astype(object), list(Y)])
def test_labels_come_back_as_they_were(model, labels):
    model.fit(X, labels)
    assert set(model.predict(X)) <= set(labels)
    assert model.score(X, labels) > 0.9


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(model, bad):
    broken = X.copy()
    broken[3, 1] = bad
    with pytest.raises(ValueError, match="contains"):
        model.fit(broken, Y)
    model.fit(X, Y)
    with pytest.raises(ValueError, match="contains"):
        model.predict(broken)


def test_one_feature_and_one_row_per_class(model):
    model.fit([[2.0], [-1.0]], ["b", "a"])
    assert model.predict([[3.0], [-2.0]]).tolist() == ["b", "a"]


def test_one_row_is_one_class(model):
    with pytest.raises(ValueError, match="one class only, 'a'"):
        model.fit([[2.0]], ["a"])


def test_a_failed_refit_keeps_the_earlier_model(model):
    model.fit(X, Y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X[:, :2], ["a"] * len(X))
    assert (model.decision_function(X) == before).all()
    assert model.n_features_in_ == X.shape[1]


def test_models_survive_pickling(model):
    model.fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.decision_function(X) == model.decision_function(X)).all()


def test_the_same_seed_gives_the_same_model(model):
    first, second = clone(model).fit(X, Y), clone(model).fit(X, Y)
    assert first.mistakes_.tolist() == second.mistakes_.tolist()
    assert (first.decision_function(X) == second.decision_function(X)).all()


def test_learning_leaves_the_table_alone(model):
    table = X.copy()
    rows = sp.csr_matrix(X)
    model.fit(table, Y)
    model.fit(rows, Y)
    assert (table == X).all()
    assert (rows.toarray() == X).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_pipelines_and_searches():
    pipeline = make_pipeline(StandardScaler(), UltraconservativeClassifier())
    steps = {"ultraconservativeclassifier__step": ["max", "mira"]}
    search = GridSearchCV(pipeline, steps, cv=3).fit(X, Y)
    assert search.best_score_ > 0.8
