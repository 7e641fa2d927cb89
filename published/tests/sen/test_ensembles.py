"""The ensembles of the thesis: how many there are, what they learn from, and that they repeat."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from uneven.stacking import level_one
from uneven_published.sen.ensembles import diverse_ensemble, svm_ensemble

X, Y = load_wine(return_X_y=True)


def test_thirteen_kinds_on_ten_parts():
    members = diverse_ensemble(random_state=0)
    assert len({name for name, _ in members}) == 130
    rng = np.random.RandomState(0)
    first, same, other = (members[k][1].draw_rows(Y, rng) for k in (0, 12, 13))
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)
    np.testing.assert_allclose(np.bincount(Y[first]) / np.bincount(Y), 0.8, atol=0.02)
    assert len(np.unique(first)) == len(first)


def test_a_diverse_ensemble_scores_wine():
    level = level_one(diverse_ensemble(2, random_state=0), X, Y, cv=2)
    errors = (level.scores.argmax(axis=2) != Y[:, None]).mean(axis=0)
    assert level.scores.shape == (178, 26, 3)
    assert errors.max() < 0.2
    assert (level.scores.mean(axis=1).argmax(axis=1) != Y).mean() < 0.03


def test_the_same_seed_gives_the_same_scores():
    learners = {"tree": DecisionTreeClassifier(max_features=1), "nb": GaussianNB()}
    one, two, other = (
        level_one(diverse_ensemble(2, 0.5, learners, random_state=seed), X, Y).scores
        for seed in (4, 4, 5)
    )
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)
    members = diverse_ensemble(1, 0.5, learners)
    again = [level_one(members, X, Y).scores for _ in range(2)]
    np.testing.assert_array_equal(again[0], again[1])


def test_the_grid_of_machines():
    machines = [pipeline[-1].estimator for _, pipeline in svm_ensemble()]
    settings = {(m.kernel, m.degree, m.gamma, m.C) for m in machines}
    assert len(settings) == 154
    assert {m.C for m in machines} == {2.0**k for k in range(-5, 16, 2)}
    assert {m.max_iter for m in machines} == {100_000}
    assert sum(m.kernel == "rbf" for m in machines) == 110
    assert {m.gamma for m in machines if m.kernel == "rbf"} == {2.0**k for k in range(-15, 4, 2)}


@pytest.mark.parametrize("members", [diverse_ensemble(1, random_state=0), svm_ensemble()[::40]])
def test_they_clone(members):
    copies = clone([entry for _, entry in members], safe=False)
    assert repr(copies) == repr([entry for _, entry in members])
    assert all(copy is not entry for copy, (_, entry) in zip(copies, members))


def test_ensembles_hold_classifiers():
    with pytest.raises(TypeError, match="learner 'line' must be a classifier"):
        diverse_ensemble(2, learners={"line": LinearRegression()})


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: diverse_ensemble(0), "n_subsets must be a whole number at least 1, got 0"),
        (lambda: diverse_ensemble(share=0.0), r"share must be a number in \(0, 1\], got 0.0"),
        (lambda: diverse_ensemble(learners={}), "learners is empty"),
    ],
)
def test_errors_say_what_is_wrong(build, sentence):
    with pytest.raises(ValueError, match=sentence):
        build()
