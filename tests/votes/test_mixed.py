"""Votes whose terms are trees and other voters, in any order, against a slow twin."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.problems import view_tables
from uneven.costs.matrices import RunningCosts
from uneven.views import resolve_views
from uneven.voters import CostLinear, CostTree, TrainingTable, TreeVoter
from uneven.votes import ALL_VIEWS, Term, Vote

KINDS = {"tree": CostTree(max_depth=2), "linear": CostLinear(max_iter=3)}


@st.composite
def mixed_votes(draw):
    """(X, terms, vote): a table with missing views, and terms of random kinds and views."""
    X, y, n_classes, edges = draw(view_tables(max_rows=30, max_views=3, max_classes=4))
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    views = resolve_views(edges, n_features=X.shape[1])
    table = TrainingTable(X, y, n_classes, np.ones(len(y)))
    terms = []
    for kind in kinds:
        view = int(rng.integers(-1, len(views)))
        columns = views.used_columns if view == ALL_VIEWS else views.columns[view]
        costs = RunningCosts(y, n_classes, rng.uniform(0.2, 1.0, len(y)))
        voter, _ = KINDS[kind].learn(table, columns, costs)
        terms.append(Term(voter, rng.uniform(0.1, 1.0, n_classes), view))
    stages = np.sort(rng.integers(0, len(terms) + 1, 2)).tolist() + [len(terms)]
    return X, terms, Vote(terms, stages, n_classes, views)


def slow_score(X, terms, vote):
    """Sum over terms of weight times whether its voter answers the class."""
    scores = np.zeros((len(X), vote.n_classes))
    present = np.column_stack([~np.isnan(X[:, c]).all(axis=1) for c in vote.views.columns])
    for term in terms:
        for i, answer in enumerate(term.voter.predict(X)):
            can_speak = present[i].any() if term.view == ALL_VIEWS else present[i, term.view]
            if can_speak and answer >= 0:
                scores[i, answer] += term.weight[answer]
    return scores


@settings(max_examples=40)
@given(mixed_votes())
def test_scores_are_sums_over_the_terms(case):
    X, terms, vote = case
    stages = list(vote.staged_score(X))
    assert len(stages) == len(vote.rounds)
    for n_rounds, (n_terms, found) in enumerate(zip(vote.rounds, stages), start=1):
        expected = slow_score(X, terms[:n_terms], vote)
        np.testing.assert_allclose(found, expected, atol=1e-12)
        shorter = vote.truncate(n_rounds)
        assert len(shorter) == n_terms
        np.testing.assert_allclose(shorter.score(X), expected, atol=1e-12)
    np.testing.assert_allclose(vote.score(X), stages[-1], atol=1e-12)


@settings(max_examples=25)
@given(mixed_votes())
def test_terms_keep_their_order_and_credit_adds_up(case):
    X, terms, vote = case
    assert len(vote) == len(vote.terms()) == len(terms)
    for t, (known, found) in enumerate(zip(terms, vote.terms())):
        assert type(found.voter) is type(known.voter)
        assert found.view == known.view
        np.testing.assert_array_equal(found.weight, known.weight)
        np.testing.assert_array_equal(vote.term(t).voter.predict(X), known.voter.predict(X))
    explained = vote.explain(np.arange(vote.n_classes), [str(c) for c in range(X.shape[1])])
    credit = np.zeros((X.shape[1], vote.n_classes))
    for term in terms:
        term.voter.add_credit(credit, term.weight)
    for shares in (explained.view_share, explained.feature_share):
        np.testing.assert_allclose(shares.sum(axis=0), credit.any(axis=0), atol=1e-9)
    total = credit.sum(axis=0)
    np.testing.assert_allclose(
        explained.feature_share, credit / np.where(total > 0, total, 1.0), atol=1e-12
    )


@pytest.mark.parametrize("others", [[], [0], [3], [0, 1], [2, 3], [1, 2], [0, 2], [0, 1, 2, 3]])
def test_every_place_of_other_voters_is_found(others):
    X, y = np.arange(12.0)[:, None] % 5, np.arange(12) % 3
    table, costs = TrainingTable(X, y, 3, np.ones(12)), RunningCosts(y, 3, np.ones(12))
    made = {name: maker.learn(table, np.array([0]), costs)[0] for name, maker in KINDS.items()}
    kinds = ["linear" if t in others else "tree" for t in range(4)]
    terms = [Term(made[kind], np.full(3, 2.0**t), 0) for t, kind in enumerate(kinds)]
    vote = Vote(terms, [1, 2, 3, 4], 3, resolve_views(None, n_features=1))
    found = ["tree" if isinstance(t.voter, TreeVoter) else "linear" for t in vote.terms()]
    assert found == kinds
    assert [term.weight[0] for term in vote.terms()] == [1.0, 2.0, 4.0, 8.0]
    stages = [np.zeros((12, 3)), *vote.staged_score(X)]
    for term, (before, after) in zip(terms, pairwise(stages)):
        np.testing.assert_array_equal(
            after - before, np.eye(3)[term.voter.predict(X)] * term.weight
        )
