"""Votes whose answers are leaves with scores: a hard vote is the case of one-hot scores."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.problems import four_view_classes, gaussian_classes, tables
from uneven import ComboClassifier, MuComboClassifier, MumboClassifier
from uneven.utils.parallel import thread_pool
from uneven.voters import CostLinear
from uneven.votes import Term, Vote


def with_scores(vote):
    """The same vote with the weights of a term on the diagonal of its scores."""
    terms = [Term(term.voter, np.diag(term.weight), term.view) for term in vote.terms()]
    return Vote(terms, vote.rounds.tolist(), vote.n_classes, vote.views)


def assert_same_votes(hard, soft, X, classes):
    assert soft.has_scores
    assert not hard.has_scores
    assert len(soft) == len(hard)
    assert soft.score(X).tobytes() == hard.score(X).tobytes()
    pairs = list(zip(soft.staged_score(X), hard.staged_score(X), strict=True))
    assert len(pairs) == len(hard.rounds)
    for mine, other in pairs:
        assert mine.tobytes() == other.tobytes()
    short = soft.truncate(2)
    assert short.has_scores
    assert short.score(X).tobytes() == hard.truncate(2).score(X).tobytes()
    names = [str(c) for c in range(hard.views.n_features)]
    mine, other = soft.explain(classes, names), hard.explain(classes, names)
    np.testing.assert_array_equal(mine.view_share, other.view_share)
    np.testing.assert_array_equal(mine.feature_share, other.feature_share)


@settings(max_examples=25)
@given(tables(), st.sampled_from([1, 3]))
def test_one_hot_scores_are_a_hard_vote(problem, depth):
    X, y, _ = problem
    model = ComboClassifier(n_estimators=5, max_depth=depth)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *args, **kwargs: None)
        hard = model.fit(X, y).vote_
    if len(hard):
        for table in (X, sp.csr_array(X)):
            assert_same_votes(hard, with_scores(hard), table, model.classes_)


@pytest.mark.parametrize(
    "model",
    [
        MumboClassifier(n_estimators=9),
        MuComboClassifier(n_estimators=9),
        MumboClassifier(CostLinear(), n_estimators=9, random_state=0),
        MumboClassifier({"view0": CostLinear()}, n_estimators=9, random_state=0),
    ],
)
def test_one_hot_scores_are_a_hard_vote_of_views(model):
    X, y, views = four_view_classes((60, 30, 15, 9))
    X[::4, :3], X[1::5, 6:9], X[7] = np.nan, np.nan, np.nan
    hard = model.set_params(views=views).fit(X, y).vote_
    assert len(hard)
    assert_same_votes(hard, with_scores(hard), X, model.classes_)
    assert not with_scores(hard).score(X)[7].any()


def test_hard_and_scored_terms_go_together():
    X, y = gaussian_classes([40, 20, 10])
    hard = ComboClassifier(n_estimators=4).fit(X, y).vote_
    soft = ComboClassifier(leaves="scores", n_estimators=4, random_state=0).fit(X, y).vote_
    both = Vote([*hard.terms(), *soft.terms()], range(1, 9), 3, hard.views)
    np.testing.assert_allclose(both.score(X), hard.score(X) + soft.score(X), rtol=1e-12)
    again = both.terms()
    assert [len(term.weight) for term in again[:4]] == [3] * 4
    np.testing.assert_array_equal(again[5].weight, soft.term(1).weight)
    empty = soft.truncate(0)
    assert not empty.has_scores
    assert not empty.score(X).any()


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 9])
def test_scores_are_the_sum_of_leaf_scores(n_classes):
    X, y = gaussian_classes([40] * n_classes, n_features=3)
    X[::7, 0] = np.nan
    model = ComboClassifier(leaves="scores", n_estimators=5, random_state=0).fit(X, y)
    expected = np.zeros((len(y), n_classes))
    for term, staged in zip(model.vote_.terms(), model.vote_.staged_score(X)):
        assert term.weight.shape == (term.voter.is_leaf.sum(), n_classes)
        expected += term.weight[term.voter.predict(X)]
        np.testing.assert_array_equal(staged, expected)
    with thread_pool(3) as pool:
        many = np.vstack([X] * 400)
        assert model.vote_.score(many, pool).tobytes() == np.vstack([expected] * 400).tobytes()
    np.testing.assert_allclose(expected.sum(axis=1), 0.0, atol=1e-9)


def test_reach_and_credit_follow_the_class_a_leaf_speaks_for():
    X, y = gaussian_classes([60, 30, 10], separation=1.5)
    weight = np.random.default_rng(0).gamma(1.0, size=len(y))
    model = ComboClassifier(leaves="scores", n_estimators=3, random_state=0).fit(X, y, weight)
    sizes = np.bincount(y, weights=weight)
    credit = np.zeros((4, 3))
    for term in model.vote_.terms():
        tree, leaf_of = term.voter, term.voter.predict(X)
        for node in np.flatnonzero(tree.is_leaf):
            inside = leaf_of == tree.label[node]
            spoken = term.weight[tree.label[node]].argmax()
            held = weight[inside & (y == spoken)].sum() / sizes[spoken]
            assert tree.reach[node] == pytest.approx(held, rel=1e-9)
            path, at = [], node
            while at:
                at = int(np.flatnonzero((tree.child == at - (at + 1) % 2) & ~tree.is_leaf)[0])
                path.append(tree.feature[at])
            for column in path:
                credit[column, spoken] += held * term.weight[tree.label[node]].max() / len(path)
    np.testing.assert_allclose(
        model.explain().feature_share, credit / credit.sum(axis=0), rtol=1e-9
    )
