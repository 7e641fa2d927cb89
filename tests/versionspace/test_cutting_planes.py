"""Cutting planes: what each cut leaves, how many there are, learners as queries, the classifier."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning

from tests.linear.cases import separable_binary
from uneven.linear import hard_margin, normalize_rows, run_perceptron
from uneven.versionspace import (
    ORACLES,
    CuttingPlaneClassifier,
    chebyshev_centre,
    cutting_planes,
    exact_centre,
    largest_error,
    smallest_error,
    verify_compression,
    verify_process_scheme,
)
from uneven.versionspace.centres import inside
from uneven.versionspace.cutting_planes import QUERIES


def unit_rows(seed, n=60, d=3):
    return normalize_rows(separable_binary(seed, n_samples=n, n_features=d, gap=0.01)[0])


def labelled(seed, n=80, d=3):
    Z = unit_rows(seed, n, d)
    t = np.where(np.random.default_rng(seed).random(len(Z)) < 0.5, 1, -1)
    return Z * t[:, None], t


def gravity(Z):
    return lambda rows: exact_centre(Z[rows]).centre if len(rows) else np.zeros(Z.shape[1])


@pytest.mark.parametrize("seed", range(8))
def test_cuts_through_the_centre_of_gravity_leave_little(seed):
    Z = unit_rows(seed)
    run = cutting_planes(lambda w: smallest_error(Z @ w), gravity(Z))
    assert run.converged
    assert (Z @ run.w > 0).all()
    shares = [1.0] + [exact_centre(Z[run.cuts[:k]]).share for k in range(1, len(run.cuts) + 1)]
    left = np.array(shares[1:]) / shares[:-1]
    assert left.max() <= 1 - (3 / 4) ** 3 + 1e-9
    bound = np.log(exact_centre(Z).share) / np.log(1 - np.exp(-1))
    assert len(run.cuts) <= bound


def test_depths_are_distances_behind_the_cut():
    Z = separable_binary(1, n_features=3)[0]
    run = cutting_planes(lambda w: largest_error(Z @ w), gravity(normalize_rows(Z)))
    assert len(run.history) == len(run.cuts) + 1
    depths = run.depths(Z)
    assert depths[0] == 0.0
    assert (depths[1:] > 0).all()
    for cut, w, depth in zip(run.cuts[1:], run.history[1:], depths[1:]):
        unit = Z[cut] / np.linalg.norm(Z[cut])
        assert depth == pytest.approx(-unit @ w / np.linalg.norm(w))
    np.testing.assert_allclose(run.depths(sp.csr_array(Z)), depths)


def test_any_learner_can_be_the_query():
    Z = unit_rows(2, d=5)
    run = cutting_planes(lambda w: largest_error(Z @ w), lambda rows: run_perceptron(Z[rows]).w)
    assert run.converged
    assert (Z @ run.w > 0).all()


def test_a_run_ends_at_the_limit_and_where_a_query_forgets():
    Z = unit_rows(3)
    short = cutting_planes(lambda w: largest_error(Z @ w), gravity(Z), max_cuts=1)
    assert not short.converged
    assert len(short.cuts) == 1
    stuck = cutting_planes(lambda w: largest_error(Z @ w), lambda rows: -Z[0])
    assert not stuck.converged
    assert len(stuck.cuts) == 1
    with pytest.raises(ValueError, match="max_cuts must be a whole number"):
        cutting_planes(lambda w: None, lambda rows: None, max_cuts=0)


@pytest.mark.slow
@pytest.mark.parametrize("query", sorted(QUERIES))
@pytest.mark.parametrize("oracle", sorted(ORACLES))
def test_the_rows_used_give_the_same_classifier_step_by_step(query, oracle):
    model = CuttingPlaneClassifier(query, oracle, random_state=0)
    for seed in range(2):
        X, y = labelled(seed, n=60, d=3 + seed)
        assert verify_compression(model, X, y)
        assert verify_process_scheme(model, X, y)


def test_the_chebyshev_centre_of_the_cuts_is_their_support_vector_machine():
    X, y = labelled(4, d=5)
    model = CuttingPlaneClassifier("chebyshev").fit(X, y)
    used = model.compression_set_
    w = hard_margin(X[used] * y[used, None]).w
    np.testing.assert_allclose(model.coef_[0], w / np.linalg.norm(w), atol=1e-8)
    assert model.converged_
    assert len(used) < 30
    assert model.risk_bound() < 1.0


@pytest.mark.parametrize("method", ["exact", "hamiltonian", "hit_and_run", "billiard"])
def test_all_ways_to_the_centre_of_gravity_end(method):
    X, y = labelled(5)
    model = CuttingPlaneClassifier(method=method, random_state=0).fit(X, y)
    assert model.converged_
    assert (model.predict(X) == y).all()


def test_kernels_and_sparse_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.where(np.hypot(*X.T) > 1.0, "out", "in")
    model = CuttingPlaneClassifier(kernel="rbf", gamma=1.0, fit_intercept=True).fit(X, y)
    assert model.converged_
    assert (model.predict(X) == y).all()
    assert verify_compression(model, X, y)
    X, y = labelled(6, d=8)
    dense, sparse = (CuttingPlaneClassifier().fit(table, y) for table in (X, sp.csr_array(X)))
    assert dense.compression_set_.tolist() == sparse.compression_set_.tolist()
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-5)


def test_digits_are_learnt_from_few_rows():
    X, y = load_digits(return_X_y=True)
    model = CuttingPlaneClassifier(normalize=True, fit_intercept=True).fit(X[:600], y[:600])
    assert model.converged_
    assert model.score(X[:600], y[:600]) == 1.0
    assert model.score(X[600:], y[600:]) > 0.9
    assert len(model.compression_set_) < 400


@pytest.mark.parametrize("query", sorted(QUERIES))
def test_rows_that_cannot_be_separated(query):
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="still mistakes after"):
        model = CuttingPlaneClassifier(query, fit_intercept=True).fit(X[50:], y[50:])
    assert not model.converged_
    assert model.risk_bound() == 1.0
    assert model.score(X[50:], y[50:]) > 0.7


def test_rows_of_zeros_are_passed_over():
    X = np.vstack([np.zeros((2, 3)), labelled(1)[0]])
    y = np.append([1, -1], labelled(1)[1])
    model = CuttingPlaneClassifier(oracle="first_error").fit(X, y)
    assert model.converged_
    assert model.compression_set_.min() >= 2


def test_a_point_outside_is_moved_just_inside():
    cuts = unit_rows(7)
    middle = chebyshev_centre(cuts).point
    assert inside(cuts, middle) is middle
    outside = middle - 2 * cuts[0] * (cuts[0] @ middle)
    moved = inside(cuts, outside)
    assert (cuts @ outside).min() < 0
    assert 0 < (cuts @ moved).min() < (cuts @ middle).min()


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"query": "middle"}, "query must be one of 'analytic', 'centre_of_gravity', 'chebyshev'"),
        ({"method": "magic"}, "method must be one of"),
        ({"max_cuts": 0}, "max_cuts must be"),
        ({"oracle": "all"}, "oracle must be one of"),
    ],
)
def test_impossible_parameters(params, reason):
    with pytest.raises(ValueError, match=reason):
        CuttingPlaneClassifier(**params).fit([[1.0], [-1.0]], [0, 1])
