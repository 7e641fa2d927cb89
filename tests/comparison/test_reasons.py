"""Why models answer as they do, and what they need columns for: any model, any table."""

from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from tests.cli.conftest import make_frame
from uneven import ComboClassifier, UnevenClassifier, column_importance, compare, explain_rows
from uneven.comparison import InputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0.4, "yes", "no")
FRAME = make_frame(120)


def by_orders(score, row, background):
    """Shapley values by all orders of the columns and all rows of the background."""
    d = len(row)
    values = np.zeros((d, score(row[None]).shape[1]))
    orders = list(permutations(range(d)))
    for other in background:
        for order in orders:
            mixed = other.copy()
            before = score(mixed[None])[0]
            for column in order:
                mixed[column] = row[column]
                after = score(mixed[None])[0]
                values[column] += (after - before) / (len(orders) * len(background))
                before = after
    return values


def test_sampled_values_are_within_their_errors():
    model = GaussianNB().fit(X, Y)
    found = explain_rows(model, X, [0, 1], background=X[20:60], n_pairs=400)
    assert found.what == "probability"
    np.testing.assert_allclose(found.values.sum(axis=1), found.scores - found.base, atol=1e-12)
    for i in range(2):
        exact = by_orders(model.predict_proba, X[i], X[20:60])
        misses = np.abs(found.values[i] - exact) / np.maximum(found.standard_error[i], 1e-12)
        assert misses.max() < 4.0
        assert found.standard_error[i].max() < 0.05


def test_an_additive_score_is_told_exactly():
    """Of a linear score each column adds its weight times its distance from the usual."""
    model = LinearSVC(random_state=0).fit(X, Y)
    found = explain_rows(model, X, 5, background=X[:50], n_pairs=50)
    expected = model.coef_[0] * (X[5] - X[:50].mean(axis=0))
    assert found.what == "score"
    np.testing.assert_allclose(found.values[0, :, 1], expected, atol=1e-9)
    np.testing.assert_allclose(found.values[0, :, 0], -expected, atol=1e-9)


def test_votes_are_explained_exactly_also_in_pipelines():
    model = compare(FRAME, "label", methods=["combo"], rounds=5, cv=2, n_jobs=1).best_model()
    found = explain_rows(model, FRAME, [3, 4])
    assert found.standard_error is None
    assert found.what == "votes"
    assert set(found.names) == set(FRAME.columns) - {"label"}
    np.testing.assert_allclose(found.values.sum(axis=1), found.scores - found.base, atol=1e-9)
    assert found.classes.tolist() == ["common", "less", "rare"]
    json.dumps(found.to_dict(1))


@pytest.mark.parametrize("kind", ["frame", "polars", "sparse"])
def test_tables_of_any_kind(kind):
    model = LogisticRegression().fit(X, Y)
    usual = explain_rows(model, X, 2, background=X[:30])
    if kind == "frame":
        names = ["a", "b", "c"]
        table = pd.DataFrame(X, columns=names)
        model = LogisticRegression().fit(table, Y)
        found = explain_rows(model, table, 2, background=table[:30])
        assert found.names == names
    elif kind == "polars":
        table = pl.DataFrame(X, schema=["a", "b", "c"])
        model = LogisticRegression().fit(table, Y)
        found = explain_rows(model, table, 2, background=table[:30])
    else:
        found = explain_rows(model, sp.csr_array(X), 2, background=sp.csr_array(X[:30]))
    np.testing.assert_allclose(found.values, usual.values, atol=1e-12)


def test_many_columns_are_sampled_less_often(monkeypatch):
    asked = []

    class Asked(LogisticRegression):
        def predict_proba(self, X):
            asked.append(len(X))
            return super().predict_proba(X)

    wide = RNG.normal(size=(40, 60))
    monkeypatch.setattr("uneven.comparison.reasons.MOST_ROWS", 2000)
    found = explain_rows(Asked().fit(wide, wide[:, 0] > 0), wide, 0)
    assert found.values.shape == (1, 60, 2)
    assert max(asked) == 2 * 16 * 61
    np.testing.assert_allclose(found.values.sum(axis=1), found.scores - found.base, atol=1e-9)


def test_wrong_rows_are_refused():
    model = LogisticRegression().fit(X, Y)
    with pytest.raises(InputError, match="there is no row 80; the table has 80 rows"):
        explain_rows(model, X, 80)


def test_importance_finds_columns_and_their_direction():
    model = LogisticRegression().fit(X, Y)
    rng = np.random.default_rng(5)
    new = rng.normal(size=(300, 3))
    truth = np.where(new[:, 0] + 0.5 * new[:, 1] > 0.4, "yes", "no")
    found = column_importance(model, new, truth, metric="accuracy")
    assert found.order().tolist() == [0, 1, 2]
    assert found.mean[0] > 0.2
    assert abs(found.mean[2]) < 0.05
    yes = found.classes.tolist().index("yes")
    assert found.direction[0, yes] > 0.7
    assert found.direction[0, 1 - yes] < -0.7
    assert not found.refitted
    table = found.to_frame()
    assert table.index[0] == "x0"
    json.dumps(found.to_dict())


def test_rows_that_were_learnt_from_are_judged_on_folds():
    """A column of noise that a deep tree has learnt by heart is worth nothing on other rows."""
    from sklearn.tree import DecisionTreeClassifier

    noise = np.random.default_rng(3).normal(size=(150, 1))
    labels = np.random.default_rng(4).integers(0, 2, 150)
    model = DecisionTreeClassifier(random_state=0).fit(noise, labels)
    assert column_importance(model, noise, labels).mean[0] > 0.4
    honest = column_importance(model, noise, labels, cv=5)
    assert honest.refitted
    assert abs(honest.mean[0]) < 0.1
    assert honest.score < 0.65


def test_categories_have_no_direction_and_a_row_may_be_alone_in_its_class():
    frame = FRAME.drop(columns="label")
    labels = FRAME["label"].to_numpy(dtype=object)
    labels[0] = "single"
    model = compare(frame, labels, methods=["combo"], rounds=5, cv=2, n_jobs=1).best_model()
    found = column_importance(model, frame, labels, cv=2, n_repeats=2)
    assert np.isnan(found.direction[found.names.index("text__word")]).all()
    assert np.isfinite(found.mean).all()
    assert found.to_dict()["columns"][0]["column"] == found.names[found.order()[0]]


def test_labels_that_nobody_knows_are_refused():
    model = LogisticRegression().fit(X, Y)
    with pytest.raises(InputError, match="never seen the class 'maybe'"):
        column_importance(model, X, ["maybe"] * 80)
    with pytest.raises(InputError, match="X has 80 rows, but y has 3 labels"):
        column_importance(model, X, Y[:3])


@pytest.mark.slow
def test_the_ensemble_is_explained_and_has_importances():
    model = UnevenClassifier(members=["forest", "logistic"], random_state=0).fit(X, Y)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_.argmax() == 0
    found = explain_rows(model, X, 0, n_pairs=20)
    np.testing.assert_allclose(found.values.sum(axis=1), found.scores - found.base, atol=1e-9)


def test_a_vote_that_is_not_its_score_is_sampled():
    class Doubled(ComboClassifier):
        def _scores(self, X):
            return 2 * super()._scores(X)

    found = explain_rows(Doubled(n_estimators=3).fit(X, Y), X, 0, n_pairs=10)
    assert found.standard_error is not None
