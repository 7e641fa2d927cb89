"""Shapley values of votes against the definition: all subsets of the columns."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import SelectFromModel

from tests.problems import view_tables
from uneven import BalancedBoostingClassifier, ComboClassifier, MumboClassifier, NormComboClassifier
from uneven.costs.matrices import RunningCosts
from uneven.views import resolve_views
from uneven.voters import CostTree, TrainingTable
from uneven.votes import ALL_VIEWS, Term, Vote
from uneven.votes._shapley_loops import subset_weight
from uneven.votes.shapley import contributions


def by_subsets(vote, row, background):
    """Values by the definition: mean over the background of weighted differences."""
    d = len(row)
    values = np.zeros((d, vote.n_classes))
    for other in background:
        score = {}
        for size in range(d + 1):
            for taken in combinations(range(d), size):
                mixed = other.copy()
                mixed[list(taken)] = row[list(taken)]
                score[taken] = vote.score(mixed[None])[0]
        for column in range(d):
            for taken, before in score.items():
                if column in taken:
                    continue
                weight = factorial(len(taken)) * factorial(d - len(taken) - 1) / factorial(d)
                after = score[tuple(sorted((*taken, column)))]
                values[column] += weight * (after - before) / len(background)
    return values


@st.composite
def tree_votes(draw):
    """(X, vote): trees that read one view or all, hard answers or leaf scores, missing cells."""
    X, y, n_classes, edges = draw(view_tables(max_rows=20, max_views=3, max_classes=3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scored = draw(st.booleans())
    views = resolve_views(edges, n_features=X.shape[1])
    table = TrainingTable(X, y, n_classes, np.ones(len(y)))
    terms = []
    for _ in range(draw(st.integers(1, 4))):
        view = int(rng.integers(-1, len(views)))
        columns = views.used_columns if view == ALL_VIEWS else views.columns[view]
        costs = RunningCosts(y, n_classes, rng.uniform(0.2, 1.0, len(y)))
        tree, _ = CostTree(max_depth=3).learn(table, columns, costs)
        weight = rng.uniform(0.1, 1.0, n_classes)
        if scored:
            tree.label = np.arange(len(tree.label))
            weight = rng.normal(size=(len(tree.label), n_classes))
        terms.append(Term(tree, weight, view))
    return X, Vote(terms, [len(terms)], n_classes, views)


@pytest.mark.slow
@settings(max_examples=30)
@given(tree_votes())
def test_values_are_those_of_the_definition(case):
    X, vote = case
    names = [str(j) for j in range(X.shape[1])]
    found = contributions(vote, X[:2], X[2:6] if len(X) > 5 else X, np.arange(3), names)
    background = X[2:6] if len(X) > 5 else X
    for i in range(len(found.values)):
        np.testing.assert_allclose(found.values[i], by_subsets(vote, X[i], background), atol=1e-10)
    np.testing.assert_allclose(
        found.values.sum(axis=1), found.scores - found.base, atol=1e-10, rtol=0
    )
    np.testing.assert_allclose(found.of_views.sum(axis=1), found.values.sum(axis=1), atol=1e-10)


def test_a_missing_view_is_a_reason_of_its_own():
    """Nobody speaks of a row whose only view is missing: its columns take all votes away."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [3.0, 1.0]])
    model = ComboClassifier(n_estimators=3, max_depth=1).fit(X, [0, 0, 1, 1])
    found = model.contributions([[np.nan, np.nan]], background=X)
    assert not found.scores.any()
    np.testing.assert_allclose(found.values.sum(axis=1), -found.base[None], atol=1e-12)
    expected = by_subsets(model.vote_, np.full(2, np.nan), X)
    np.testing.assert_allclose(found.values[0], expected, atol=1e-12)


def test_subset_weights_sum_to_one():
    from math import comb

    for d in range(1, 9):
        total = sum(comb(d - 1, k) * subset_weight(k, d - 1 - k) for k in range(d))
        assert total == pytest.approx(1.0)


def informative(n=200, seed=0):
    """Classes that only the second and the third of five columns tell."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    y = np.where(X[:, 1] > 0.8, "high", np.where(X[:, 2] > 0.0, "up", "down"))
    return X, y


@pytest.mark.parametrize(
    "model",
    [
        ComboClassifier(n_estimators=20),
        ComboClassifier(n_estimators=10, leaves="scores"),
        BalancedBoostingClassifier(n_estimators=10),
        MumboClassifier(n_estimators=10, views={"a": [0, 1], "b": [2, 3, 4]}),
    ],
)
def test_columns_that_matter_speak(model):
    X, y = informative()
    found = model.fit(X, y).contributions(X[:20])
    np.testing.assert_allclose(found.values.sum(axis=1), found.scores - found.base, atol=1e-9)
    strength = np.abs(found.values).mean(axis=(0, 2))
    assert set(np.argsort(-strength)[:2]) == {1, 2}
    high = list(found.classes).index("high")
    rows = X[:20, 1] > 1.0
    assert (found.values[rows, 1, high] > 0).all()


def test_sparse_rows_and_names():
    X, y = informative()
    model = ComboClassifier(n_estimators=10).fit(sp.csr_array(X), y)
    dense = model.contributions(X[:3], background=X[50:70])
    sparse = model.contributions(sp.csr_array(X[:3]), background=sp.csr_array(X[50:70]))
    np.testing.assert_array_equal(dense.values, sparse.values)
    assert dense.names == ["x0", "x1", "x2", "x3", "x4"]
    told = dense.to_dict(1)
    assert told["exact"]
    assert sum(told["columns"][name]["up"] for name in dense.names) == pytest.approx(
        told["scores"]["up"] - told["base"]["up"]
    )


def test_votes_with_other_voters_are_refused():
    X, y = informative()
    model = NormComboClassifier(n_estimators=20, random_state=0).fit(X, y)
    model.vote_._others = np.array([0])
    with pytest.raises(ValueError, match=r"voters are all trees; uneven\.explain_rows"):
        model.contributions(X[:2])


def test_importances_are_shares_of_the_support():
    X, y = informative()
    model = ComboClassifier(n_estimators=20)
    assert not hasattr(model, "feature_importances_")
    model.fit(X, y)
    shares = model.feature_importances_
    assert shares.sum() == pytest.approx(1.0)
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares, model.explain().feature_share.mean(axis=1))
    kept = SelectFromModel(model, prefit=True, max_features=2, threshold=-np.inf)
    assert kept.get_support().tolist() == [False, True, True, False, False]


def test_a_vote_of_one_class_gives_no_importance():
    model = ComboClassifier(n_estimators=3).fit(np.zeros((4, 2)), [1, 1, 1, 1])
    assert model.feature_importances_.tolist() == [0.0, 0.0]
    assert not model.contributions(np.zeros((1, 2))).values.any()
