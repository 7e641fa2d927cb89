"""Rules that look at the normal distributions of the propagation: against fitting anew."""

import warnings
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import ndtr
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from uneven import ActiveLearner, BayesPointClassifier
from uneven.active import (
    expected_error,
    information,
    orientation_aware,
    simulate,
    typical_first,
)
from uneven.active.oracles import PerfectOracle
from uneven.active.posterior import Products, shares
from uneven.active.typicality import typicality

X_IRIS, Y_IRIS = load_iris(return_X_y=True)
KNOWN = np.array([0, 20, 60, 80, 110, 130])


def iris_state(estimator=None, known=KNOWN, **choices):
    learner = ActiveLearner(estimator or BayesPointClassifier(), random_state=0, **choices)
    return learner.start(X_IRIS).tell(known, Y_IRIS[known]).state()


@pytest.mark.parametrize(
    "estimator",
    [
        BayesPointClassifier(),
        BayesPointClassifier(ridge=0.1),
        BayesPointClassifier("linear", fit_intercept=True),
        BayesPointClassifier("poly", degree=2),
    ],
)
@pytest.mark.parametrize("known", [KNOWN, KNOWN[:4]])
def test_votes_of_the_products_are_those_of_the_classifier(estimator, known):
    state = iris_state(estimator, known)
    found = Products.of(state, state.candidates)
    np.testing.assert_allclose(shares(found.votes()), state.votes(), atol=1e-9)


def test_covariances_are_those_of_a_gaussian_process():
    """Before any cut counts, products covary as the kernel says; a cut takes its share away."""
    state = iris_state(BayesPointClassifier(gamma=0.5), KNOWN[:4])
    rows, others = state.candidates[:7], state.candidates[30:35]
    first, second = Products.of(state, rows), Products.of(state, others)
    centre = state.centre()
    kernel = rbf_kernel(X_IRIS, gamma=0.5)
    cuts = kernel[np.ix_(KNOWN[:4], KNOWN[:4])]
    lower = np.linalg.inv(cuts)
    prior = kernel[np.ix_(rows, others)]
    where = [kernel[np.ix_(some, KNOWN[:4])] for some in (rows, others)]
    frame = centre.span_.coordinates(X_IRIS[KNOWN[:4]])[0]
    inner = frame @ centre.covariances_[0] @ frame.T
    expected = prior + where[0] @ lower @ (inner - cuts) @ lower @ where[1].T
    np.testing.assert_allclose(first.covariances(state, second)[0], expected, atol=1e-8)


def test_information_without_much_noise_is_the_entropy_of_the_vote():
    state = iris_state(known=KNOWN[:4])
    votes = state.votes()
    entropy = -(votes * np.log(np.clip(votes, 1e-300, None))).sum(axis=1)
    found = information(state, noise=1e-8, n_draws=4000)
    np.testing.assert_allclose(found, entropy, atol=0.02)
    assert (information(state, noise=0.5) < found + 1e-9).all()
    with pytest.raises(ValueError, match="noise"):
        information(state, noise=0.0)


def test_information_leaves_overlap_alone():
    """Two rows with even votes: one that nobody knows, one on a boundary that is known."""
    rng = np.random.default_rng(0)
    seen = np.column_stack([rng.uniform(-1, 1, 60), rng.uniform(-0.2, 0.2, 60)])
    y = (seen[:, 0] > 0).astype(int)
    y[np.abs(seen[:, 0]) < 0.3] = rng.integers(0, 2, (np.abs(seen[:, 0]) < 0.3).sum())
    X = np.vstack([seen, [[0.0, 0.0], [0.0, 9.0]]])
    soft = BayesPointClassifier(gamma=2.0, ridge=1.0)
    learner = ActiveLearner(soft, random_state=0).start(X).tell(np.arange(60), y)
    on_boundary, unknown = information(learner.state(), noise=1.0)
    assert unknown > 2.0 * on_boundary


def test_expected_error_is_what_fitting_anew_would_leave():
    """One step of propagation against the whole propagation with one more label."""
    X = X_IRIS[50:]
    y = Y_IRIS[50:] - 1
    known = np.array([0, 20, 40, 60, 70, 95])
    learner = ActiveLearner(BayesPointClassifier(gamma=0.5), random_state=0).start(X)
    state = learner.tell(known, y[known]).state()
    utilities = expected_error(state, candidates=1000, references=1000)
    votes = state.votes()
    refitted = []
    for i, row in enumerate(state.candidates[:12]):
        left = 0.0
        for label in (0, 1):
            model = BayesPointClassifier(gamma=0.5)
            model.fit(X[np.append(known, row)], np.append(y[known], label))
            risk = 1.0 - model.predict_proba(X[state.candidates]).max(axis=1).mean()
            left += votes[i, label] * risk
        refitted.append(-left)
    np.testing.assert_allclose(utilities[:12], refitted, atol=0.02)
    assert np.corrcoef(utilities[:12], refitted)[0, 1] > 0.8


def test_expected_error_with_many_classes_by_hand():
    state = iris_state()
    utilities = expected_error(state, candidates=40, references=30)
    assert np.isfinite(utilities).sum() == 40
    assert (
        (utilities[np.isfinite(utilities)] < 0) & (utilities[np.isfinite(utilities)] > -1)
    ).all()


def test_typical_rows_come_from_parts_without_label():
    X, part = make_blobs([80, 50, 30], centers=[[9, 0], [0, 9], [-9, -9]], random_state=0)
    taken = np.flatnonzero(part == 0)[:1]
    worth = typicality(X, taken, np.random.default_rng(0), n=2)
    assert part[worth.argmax()] == 1
    assert np.isfinite(worth).all()
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    np.testing.assert_array_equal(
        typicality(unit, taken, np.random.default_rng(0), n=2) > 1,
        typicality(sp.csr_matrix(X), taken, np.random.default_rng(0), n=2) > 1,
    )


def test_rows_that_are_all_alike_are_one_part():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        worth = typicality(np.ones((9, 2)), np.array([3]), np.random.default_rng(0))
    assert (worth <= 1.0).all()


def test_typical_first_goes_over_to_votes():
    state = iris_state()
    few, many = typical_first(state, rows_per_class=3.0), typical_first(state, rows_per_class=2.0)
    votes = np.sort(state.votes(), axis=1)
    np.testing.assert_allclose(many, votes[:, 1] - votes[:, 2])
    assert few.max() > 1.0


@pytest.mark.parametrize("keep", [1, 5])
def test_rows_that_theorem_52_discards_are_worse(keep):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3))
    y = (X @ [1.0, 0.5, -1.0] > 0).astype(int)
    learner = ActiveLearner(BayesPointClassifier("linear"), random_state=0).start(X)
    learner.tell(np.arange(5), y[:5])
    every = learner.state()
    every.rng = np.random.default_rng(0)
    all_of_them = orientation_aware(every, candidates=None, keep=1000)
    assert every.n_discarded == 0
    some = learner.state()
    some.rng = np.random.default_rng(0)
    found = orientation_aware(some, candidates=None, keep=keep)
    assert 0 < some.n_discarded <= 75 - keep
    best = np.sort(all_of_them)[::-1][:keep]
    np.testing.assert_allclose(np.sort(found)[::-1][:keep], best)
    assert (found >= all_of_them - 1e-9).all()


def test_the_learner_tells_how_many_were_discarded():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3))
    y = (X @ [1.0, 0.5, -1.0] > 0).astype(int)
    rule = partial(orientation_aware, candidates=None, keep=1)
    learner = ActiveLearner(BayesPointClassifier("linear"), rule, random_state=0).start(X)
    assert learner.n_discarded_ == 0
    learner.tell(np.arange(5), y[:5]).ask()
    assert learner.n_discarded_ > 0


@pytest.mark.slow
@pytest.mark.parametrize("query", ["information", "expected_error", "typical_first", "analytic"])
def test_rules_learn(query):
    learner = ActiveLearner(query=query, batch="gradients", random_state=0)
    curve = simulate(
        learner,
        X_IRIS,
        PerfectOracle(Y_IRIS),
        budget=20,
        batch_size=4,
        X_test=X_IRIS,
        y_test=Y_IRIS,
    )
    assert curve.scores[-1] > 0.88


def test_a_vote_after_one_more_cut():
    """One step of propagation for one cut is exact in its own direction."""
    state = iris_state(known=KNOWN[:4])
    found = Products.of(state, state.candidates[:1])
    mean, spread = found.means[0, 0], np.sqrt(found.variances[0, 0])
    assert ndtr(mean / spread) == pytest.approx(state.votes()[0, 1])
