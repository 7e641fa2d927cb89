"""Columns of the table in a stack, beside the scores of its members."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

from uneven import ComboClassifier, MarginStackingClassifier
from uneven.persistence.model_file import ModelCard, ModelFileError, load_model, save_model

X, Y = load_wine(return_X_y=True)
MEMBERS = [("prior", DummyClassifier()), ("bayes", GaussianNB(), [0, 1])]


def stacked(members=MEMBERS, table=X, **words):
    return MarginStackingClassifier(members, random_state=0, cv=3, **words).fit(table, Y)


def test_columns_add_what_members_do_not_read():
    alone, beside = stacked(), stacked(passthrough=True)
    assert beside.score(X, Y) > alone.score(X, Y) + 0.1
    assert beside.names_[2:] == [f"input {j}" for j in range(13)]
    assert [member.name for member in beside.estimators_] == [
        name for name in beside.selected_ if not name.startswith("input")
    ]
    assert beside.coef_.shape == (15, 3)


def test_weights_are_those_of_a_ridge_on_standardised_columns():
    """One member that says the same of all rows and the columns: a linear model of the columns."""
    stack = stacked(
        [("prior", DummyClassifier())],
        passthrough=True,
        penalty="l2",
        strength=0.1,
        log_pool=False,
    )
    values = (X - X.mean(axis=0)) / X.std(axis=0)
    said = stack.level_one_.scores[:, 0]
    for n in range(3):
        design = np.column_stack([said[:, n], values])
        ridge = Ridge(alpha=0.1 * len(Y), fit_intercept=False).fit(design, n == Y)
        assert np.allclose(stack.coef_[:, n], ridge.coef_, atol=1e-6)


def test_views_and_names_choose_columns():
    frame = pd.DataFrame(X).add_prefix("c")
    views = {"first": ["c0", "c1"], "last": ["c12"]}
    words = {"table": frame, "views": views, "members": MEMBERS[:1]}
    assert stacked(passthrough="last", **words).names_ == ["prior", "input c12"]
    assert stacked(passthrough=["c3"], **words).names_ == ["prior", "input c3"]
    with pytest.raises(ValueError, match="no view"):
        stacked(passthrough="middle", **words)


def test_missing_values_count_as_the_mean():
    stack = stacked([("prior", DummyClassifier())], passthrough=[6])
    holes, means = X.copy(), X.copy()
    holes[:, 6], means[:, 6] = np.nan, X[:, 6].mean()
    expected = stack.inputs_.scores(means, 3)
    assert np.allclose(stack.inputs_.scores(holes, 3), expected, atol=1e-12)
    assert not np.allclose(stack.inputs_.scores(X, 3), expected)


def test_sparse_tables_give_the_same():
    members = [("prior", DummyClassifier())]
    dense = stacked(members, passthrough=True).predict_proba(X)
    assert np.allclose(stacked(members, sp.csr_array(X), passthrough=True).predict_proba(X), dense)


def test_words_are_refused_with_the_column():
    frame = pd.DataFrame({"size": X[:, 0], "colour": np.where(X[:, 1] > 2, "red", "white")})
    members = [("prior", DummyClassifier())]
    with pytest.raises(ValueError, match=r"input colour.*name the numeric columns"):
        stacked(members, frame, passthrough=True)
    assert "input size" in stacked(members, frame, passthrough=["size"]).names_


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"loss": "log"}, "logarithms"),
        ({"combination": "ws"}, "moves all their scores alike"),
        ({"constraint": "nonneg"}, "both signs"),
        ({"member_cost": "time"}, "no price"),
    ],
)
def test_what_cannot_combine_columns_is_refused(words, reason):
    with pytest.raises(ValueError, match=f"passthrough does not go with .*{reason}"):
        stacked(passthrough=True, **words)


def test_member_may_not_be_called_like_a_column():
    with pytest.raises(ValueError, match="rename"):
        stacked([("input 0", GaussianNB())], passthrough=True)


def test_path_and_shares_name_the_columns():
    stack = stacked(passthrough=[6])
    assert stack.path([1e-3, 1e-2]).selected.shape == (2, 3)
    assert stack.explain().names == ["prior", "bayes", "input 6"]


def test_file_keeps_the_columns_and_refuses_others(tmp_path):
    card = ModelCard("stack", "Stack", "kind", ["0", "1", "2"], [59, 71, 48], [], len(Y))
    stack = stacked([("combo", ComboClassifier(n_estimators=3), [0, 1])], passthrough=[6, 12])
    same = ColumnTransformer([("all", "passthrough", slice(0, 13))]).fit(X)
    whole = Pipeline([("same", same), ("stack", stack)])
    save_model(whole, card, tmp_path / "a.skops")
    loaded, _ = load_model(tmp_path / "a.skops")
    assert np.array_equal(loaded.predict_proba(X), whole.predict_proba(X))
    object.__setattr__(stack.inputs_, "columns", stack.inputs_.columns + 13)
    with pytest.raises(ModelFileError, match="column"):
        save_model(whole, card, tmp_path / "b.skops")
