"""The largest margin: identities, support vectors, shattering, and what has none."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from tests.linear.cases import separable_binary
from uneven.linear import NotSeparableError, hard_margin, normal_form, run_perceptron


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.sampled_from([1e-100, 1e-3, 1.0, 1e100]))
def test_identities_of_the_largest_margin(seed, n_features, size):
    Z, _ = separable_binary(seed, n_samples=25, n_features=n_features)
    found = hard_margin(Z * size)
    products = (Z * size) @ found.w
    assert (found.alpha >= 0).all()
    np.testing.assert_allclose(products.min(), 1.0, rtol=1e-7)
    np.testing.assert_allclose(products[found.alpha > 0], 1.0, rtol=1e-7)
    np.testing.assert_allclose(found.w, found.alpha @ (Z * size), rtol=1e-9)
    np.testing.assert_allclose(found.alpha.sum() * size**2, (found.w * size) @ (found.w * size))
    assert found.margin == pytest.approx(1 / (np.linalg.norm(found.w * size)) * size)


@pytest.mark.parametrize("seed", range(5))
def test_support_vectors_alone_give_the_same(seed):
    Z, _ = separable_binary(seed)
    found = hard_margin(Z)
    again = hard_margin(Z[found.alpha > 0])
    np.testing.assert_allclose(again.w, found.w, rtol=1e-8)
    assert 0 < np.count_nonzero(found.alpha) <= Z.shape[1]


@pytest.mark.parametrize("seed", range(5))
def test_no_perceptron_has_a_larger_margin(seed):
    Z, perfect = separable_binary(seed)
    best = hard_margin(Z).margin
    w = run_perceptron(Z).w
    assert (Z @ w).min() / np.linalg.norm(w) <= best * (1 + 1e-9)
    assert (Z @ perfect).min() <= best * (1 + 1e-9)


def test_a_linear_svm_comes_near_it():
    Z, _ = separable_binary(4, n_samples=30, gap=0.2)
    signs = np.where(np.arange(len(Z)) % 2, 1, -1)
    svm = LinearSVC(C=1e4, fit_intercept=False, max_iter=10**6, tol=1e-9, random_state=0)
    svm.fit(Z * signs[:, None], signs)
    np.testing.assert_allclose(svm.coef_[0], hard_margin(Z).w, rtol=1e-2)


@pytest.mark.parametrize("margin", [1e-2, 1e-5, 1e-7])
def test_small_margins_keep_their_digits(margin):
    Z = np.array([[1.0, margin], [-1.0, margin], [0.3, 1.0]])
    found = hard_margin(Z)
    assert found.margin == pytest.approx(margin, rel=1e-6)
    np.testing.assert_allclose(found.w, [0.0, 1 / margin], rtol=1e-6, atol=1e-3 / margin**0.5)


@pytest.mark.parametrize(
    "Z",
    [
        [[1.0], [-1.0]],
        [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]],
        [[1.0, 0.0], [0.0, 0.0]],
        [[0.0, 0.0]],
        [[1.0, 1e-12], [-1.0, 1e-12]],
    ],
)
def test_what_no_hyperplane_separates(Z):
    with pytest.raises(NotSeparableError, match="no hyperplane"):
        hard_margin(Z)


def test_sparse_rows_are_welcome():
    Z, _ = separable_binary(0)
    np.testing.assert_array_equal(hard_margin(sp.csc_matrix(Z)).w, hard_margin(Z).w)


@pytest.mark.parametrize("seed", range(5))
def test_shattering_four_points_needs_long_vectors(seed):
    points = np.random.default_rng(seed).normal(size=(4, 6))
    radius = np.linalg.norm(points, axis=1).max()
    longest = max(
        np.linalg.norm(hard_margin(normal_form(points, signs)).w)
        for signs in product((-1, 1), repeat=4)
    )
    assert longest >= 2 / radius - 1e-9


def test_orthogonal_points_need_the_shortest():
    points = 3.0 * np.eye(6)[:4]
    for signs in product((-1, 1), repeat=4):
        assert np.linalg.norm(hard_margin(normal_form(points, signs)).w) == pytest.approx(2 / 3)


@pytest.mark.parametrize("seed", range(10))
def test_rounding_errors_are_no_margin(seed):
    Z = np.random.default_rng(seed).normal(size=(30, 3))
    with pytest.raises(NotSeparableError, match="no hyperplane"):
        hard_margin(Z, tol=0.0)
