"""One slack for all rows: the same optimum as a slack for each, and no more cuts for more rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from uneven.versionspace import CuttingPlaneSVC, one_slack
from uneven.versionspace.structural_svm import _best_weights


def noisy(seed, n=60, d=4, shift=0.3):
    return np.random.default_rng(seed).normal(size=(n, d)) + shift


def value(w, Z, C):
    return w @ w / 2 + C * np.maximum(1 - Z @ w, 0).mean()


def reference(Z, C):
    """The machine with a slack for each row, by scikit-learn."""
    signs = np.where(np.arange(len(Z)) % 2, 1, -1)
    model = LinearSVC(
        loss="hinge", C=C / len(Z), fit_intercept=False, tol=1e-9, max_iter=10**6, random_state=0
    )
    return model.fit(Z * signs[:, None], signs).coef_[0]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.sampled_from([0.5, 20.0, 500.0]))
def test_both_machines_have_the_same_optimum(seed, n_features, C):
    Z = noisy(seed, d=n_features)
    best = value(reference(Z, C), Z, C)
    for tol in (1e-2, 1e-4):
        found = one_slack(Z, C, tol)
        assert found.converged
        assert best - 1e-6 * best <= found.objective <= best + C * tol + 1e-6 * best
        assert found.objective == pytest.approx(value(found.w, Z, C))
        assert found.slack == pytest.approx(np.maximum(1 - Z @ found.w, 0).mean())
        assert found.objective - best <= found.gap + 1e-6 * best
    assert value(reference(Z, C), Z, C) == pytest.approx(one_slack(Z, C, 1e-9).objective, rel=1e-6)


def test_the_slack_is_a_mean_and_not_a_sum():
    Z = noisy(0)
    found = one_slack(Z, C=20.0, tol=1e-4)
    hinge = np.maximum(1 - Z @ found.w, 0)
    assert found.slack == pytest.approx(hinge.mean())
    assert 5 < found.n_cuts < 40
    assert found.objective - value(reference(Z, 20.0), Z, 20.0) < 20.0 * 1e-4


@pytest.mark.parametrize("seed", range(4))
def test_more_of_the_same_rows_need_no_more_cuts(seed):
    Z = noisy(seed, n=64, d=6)
    few = one_slack(Z, C=20.0, tol=1e-3)
    many = one_slack(np.tile(Z, (16, 1)), C=20.0, tol=1e-3)
    assert many.n_cuts == few.n_cuts
    np.testing.assert_allclose(many.w, few.w, atol=1e-8)


def test_dense_and_sparse_rows_agree():
    Z = noisy(3, n=100, d=8) * (np.random.default_rng(0).random((100, 8)) < 0.4)
    dense, sparse = one_slack(Z, 50.0), one_slack(sp.csr_array(Z), 50.0)
    np.testing.assert_allclose(dense.w, sparse.w, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 4), st.sampled_from([0.1, 5.0, 1e3])
)
def test_the_small_program_meets_its_conditions(seed, n_cuts, n_features, total):
    rng = np.random.default_rng(seed)
    G = np.vstack([np.zeros(n_features), rng.normal(size=(n_cuts, n_features))])
    b = np.append(0.0, rng.random(n_cuts))
    start = np.append(total, np.zeros(n_cuts))
    a = _best_weights(G @ G.T, b, start)
    assert (a >= 0).all()
    assert a.sum() == pytest.approx(total)
    slope = G @ (G.T @ a) - b
    level = slope @ a / total
    size = max(1.0, total * np.abs(G @ G.T).max())
    assert (slope - level).min() > -1e-7 * size
    assert np.abs((slope - level) * a).max() < 1e-7 * size * total


def test_it_learns_like_the_machine_of_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = CuttingPlaneSVC(C=0.1, tol=1e-4, fit_intercept=True).fit(X, y)
    theirs = LinearSVC(loss="hinge", C=0.1, tol=1e-8, max_iter=10**5, random_state=0).fit(X, y)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.005)
    cosine = ours.coef_[0] @ theirs.coef_[0]
    cosine /= np.linalg.norm(ours.coef_) * np.linalg.norm(theirs.coef_)
    assert cosine > 0.999
    assert ours.objective_.shape == ours.slack_.shape == ours.n_cuts_.shape == (1,)


@pytest.mark.parametrize("C", [0.01, 1.0, 1000.0])
def test_the_price_is_that_of_scikit_learn(C):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[::2, :10], y[::2]
    ours = CuttingPlaneSVC(C=C, fit_intercept=True).fit(X, y)
    exact = SVC(kernel="linear", C=C, tol=1e-6).fit(X, y)

    def cost(coef, intercept, bias=0.0):
        slack = np.maximum(1 - np.where(y == 1, 1, -1) * (X @ coef + intercept), 0)
        return (coef @ coef + bias * intercept**2) / 2 + C * slack.sum()

    found = cost(ours.coef_[0], ours.intercept_[0], 1.0)
    assert ours.objective_[0] == pytest.approx(found, rel=1e-9)
    best = one_slack(
        np.column_stack([X, np.ones(len(X))]) * np.where(y == 1, 1, -1)[:, None],
        C * len(X),
        1e-6,
        relative=True,
    )
    assert best.converged
    assert best.objective <= found <= 1.0011 * best.objective
    assert cost(exact.coef_[0], exact.intercept_[0]) <= found
    bound = cost(exact.coef_[0], exact.intercept_[0], 1.0)
    assert best.objective <= bound * (1 + 1e-6)


def test_the_default_price_suits_as_it_does_in_scikit_learn():
    X, y = load_iris(return_X_y=True)
    ours = CuttingPlaneSVC(fit_intercept=True).fit(X, y)
    theirs = LinearSVC(loss="hinge", max_iter=10**6, random_state=0).fit(X, y)
    assert ours.score(X, y) >= theirs.score(X, y) - 0.02 > 0.9


def test_several_classes_are_learnt_one_against_the_rest():
    X, y = load_digits(return_X_y=True)
    names = np.array([f"digit {k}" for k in y])
    model = CuttingPlaneSVC(normalize=True, tol=1e-2).fit(X[:800], names[:800])
    assert model.coef_.shape == (10, 64)
    assert model.score(X[800:], names[800:]) > 0.89
    alone = CuttingPlaneSVC(normalize=True, tol=1e-2).fit(X[:800], y[:800] == 4)
    np.testing.assert_allclose(alone.coef_[0], model.coef_[4])


def test_too_few_cuts_are_told():
    with pytest.warns(ConvergenceWarning, match="after 2 cuts the objective may still be"):
        model = CuttingPlaneSVC(C=1000.0, max_cuts=2).fit(noisy(0), np.arange(60) % 2)
    assert model.n_cuts_.tolist() == [2]


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"C": 0}, "C must be a finite number above 0, got 0"),
        ({"C": "1"}, "C must be a finite number"),
        ({"tol": np.inf}, "tol must be a finite number"),
        ({"max_cuts": 0}, "max_cuts must be a whole number"),
        ({"fit_intercept": "no"}, "fit_intercept must be True or False"),
    ],
)
def test_impossible_parameters(params, reason):
    with pytest.raises(ValueError, match=reason):
        CuttingPlaneSVC(**params).fit([[1.0], [-1.0]], [0, 1])


def test_rows_of_zeros_are_as_wrong_as_can_be():
    assert one_slack(np.zeros((3, 2)), 5.0).objective == pytest.approx(5.0)
    with pytest.raises(ValueError, match="NaN"):
        one_slack([[np.nan]])
