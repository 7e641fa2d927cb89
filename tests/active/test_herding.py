"""Uncertainty herding: against its definition, and what it asks with few and many labels."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from uneven import ActiveLearner, BayesPointClassifier
from uneven.active import centre_of_gravity, herding
from uneven.active.uncertainty_herding import cover_greedily

X, Y = load_iris(return_X_y=True)
KNOWN = np.array([0, 20, 60, 80, 110, 130])


def state_of(pool, y, known, estimator=None):
    return ActiveLearner(estimator, random_state=0).start(pool).tell(known, y[known]).state()


def gaussian_state(gamma=0.5):
    return state_of(X, Y, KNOWN, BayesPointClassifier(gamma=gamma))


def cover_slowly(likeness, covered, weights, n):
    """Measure the whole cover with each row added, anew in each step."""
    added = np.full(len(weights), -np.inf)
    for _ in range(n):
        left = np.flatnonzero(np.isinf(added))
        covers = [np.maximum(covered, likeness[:, row]) for row in left]
        gains = [weights @ (cover - covered) for cover in covers]
        best = int(np.argmax(gains))
        added[left[best]], covered = gains[best], covers[best]
    return added


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_chosen_by_what_they_add_to_the_cover(seed):
    rng = np.random.default_rng(seed)
    likeness = rbf_kernel(rng.normal(size=(40, 2)))
    covered, weights = 0.5 * rng.random(40), rng.random(40)
    found = cover_greedily(likeness, covered, weights, 15)
    np.testing.assert_allclose(found, cover_slowly(likeness, covered, weights, 15), atol=1e-12)
    assert np.isfinite(cover_greedily(likeness, covered, weights, 99)).all()


def test_utilities_are_the_uncertainty_that_a_narrow_gaussian_covers():
    state = gaussian_state()
    known = ((X[KNOWN][:, None] - X[KNOWN]) ** 2).sum(axis=2)
    np.fill_diagonal(known, np.inf)
    width = np.median(known.min(axis=1))
    rows = X[state.candidates]
    votes = np.sort(state.votes(), axis=1)
    expected = cover_slowly(
        rbf_kernel(rows, gamma=2.0 / width),
        rbf_kernel(rows, X[KNOWN], gamma=2.0 / width).max(axis=1),
        1.0 - votes[:, 2] + votes[:, 1],
        20,
    )
    found, first = herding(state), np.isfinite(expected)
    np.testing.assert_allclose(found[first], expected[first], atol=1e-6)
    assert np.isfinite(found).sum() == 100


def test_with_few_labels_middles_of_large_parts_without_label_are_asked_for():
    pool, part = make_blobs(
        [60, 60, 60, 30], centers=[[0, 9], [9, 0], [-9, -9], [30, 30]], random_state=0
    )
    known = np.concatenate([np.flatnonzero(part == k)[:1] for k in (0, 1)])
    learner = ActiveLearner(batch="best", random_state=0).start(pool).tell(known, part[known])
    asked = learner.ask(2)
    assert part[asked].tolist() == [2, 3]
    middles = np.array([pool[part == k].mean(axis=0) for k in (2, 3)])
    assert np.linalg.norm(pool[asked] - middles, axis=1).max() < 1.0


def test_with_many_labels_rows_at_the_boundary_are_asked_for():
    rng = np.random.default_rng(0)
    pool = rng.uniform(-1, 1, size=(700, 2))
    y = (pool[:, 0] > 0).astype(int)
    state = state_of(pool, y, np.arange(200), BayesPointClassifier(gamma=1.0))
    first = state.candidates[np.argsort(-herding(state))[:20]]
    assert np.median(np.abs(pool[first, 0])) < 0.1


def test_a_sparse_pool_is_asked_near_the_centre_and_lengths_of_rows_do_not_matter():
    pool = sp.random(150, 40, 0.2, random_state=0, format="csr")
    y = (np.asarray(pool @ np.linspace(-1, 1, 40)) > 0).astype(int)
    lengths = sp.diags(np.random.default_rng(0).uniform(0.5, 2.0, 150))
    one, other = (state_of(rows, y, np.arange(12)) for rows in (pool, (lengths @ pool).tocsr()))
    found = herding(one, nearest=30)
    np.testing.assert_allclose(found, herding(other, nearest=30), atol=1e-6)
    near = np.argsort(-centre_of_gravity(one))[:30]
    assert set(np.flatnonzero(np.isfinite(found))) == set(near)


def test_a_large_dense_pool_is_sampled_in_the_same_way_each_time():
    found = herding(gaussian_state(), candidates=30)
    np.testing.assert_array_equal(found, herding(gaussian_state(), candidates=30))
    assert np.isfinite(found).sum() == 30


def test_given_kernel_values_are_as_good_as_rows():
    state = gaussian_state()
    given = state_of(rbf_kernel(X, gamma=0.5), Y, KNOWN, BayesPointClassifier("precomputed"))
    np.testing.assert_allclose(herding(given), herding(state), atol=1e-6)


def test_labelled_rows_that_are_equal_or_without_direction_do_no_harm():
    pool = np.vstack([np.repeat(np.eye(3), 2, axis=0), np.zeros((2, 3)), np.eye(3)[:2] + 1.0])
    y = np.repeat([0, 1, 2, 0, 1], 2)
    estimator = BayesPointClassifier("linear")
    for known in ([0, 1, 2, 3], [0, 2], [0, 2, 6]):
        found = herding(state_of(pool, y, np.array(known), estimator))
        assert (np.isfinite(found) & (found >= 0.0)).all()


@pytest.mark.parametrize("sparse", [False, True])
def test_as_many_rows_are_ranked_as_are_wanted(sparse):
    rng = np.random.default_rng(0)
    X = (
        rng.normal(size=(400, 5)) * (rng.random((400, 5)) < 0.6)
        + np.eye(5)[rng.integers(0, 5, 400)]
    )
    X = sp.csr_matrix(X) if sparse else X
    y = (np.asarray(X.sum(axis=1)).ravel() > 1).astype(int)
    rows = [int(np.flatnonzero(y == k)[0]) for k in (0, 1)]
    learner = (
        ActiveLearner(query="herding", batch="best", random_state=0).start(X).tell(rows, y[rows])
    )
    one, many = learner.ask(1), learner.ask(150)
    assert many[0] == one[0]
    assert len(set(many)) == 150
    state = learner.state()
    state.wanted = 150
    ranked = herding(state)
    assert np.isfinite(ranked).sum() == 150
    assert set(many) == set(state.candidates[np.isfinite(ranked)])
    state.wanted = 1
    assert np.isfinite(herding(state)).sum() == 1
