"""Spans of few dimensions, one column of the Gram matrix at a time."""

import numpy as np
import pytest
import scipy.sparse as sp

from uneven.versionspace import span_of

RBF = {"gamma": 0.3}


@pytest.mark.parametrize("ridge", [0.0, 0.2])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_as_many_dimensions_as_rows_lose_nothing(kernel, ridge):
    X = np.random.default_rng(0).normal(size=(20, 6))
    params = {"gamma": 0.3, "degree": 2, "coef0": 1.0}
    whole, all_places = span_of(X, kernel, params, ridge=ridge)
    limited, places = span_of(X, kernel, params, ridge=ridge, max_rank=100)
    assert limited.n_dims == whole.n_dims
    np.testing.assert_allclose(places @ places.T, all_places @ all_places.T, atol=1e-9)
    new = np.random.default_rng(1).normal(size=(5, 6))
    np.testing.assert_allclose(limited.coordinates(new)[1], whole.coordinates(new)[1], atol=1e-6)


def test_the_limit_keeps_what_explains_most():
    X = np.random.default_rng(0).normal(size=(60, 2))
    span, places = span_of(X, "rbf", RBF, max_rank=15)
    assert span.n_dims == 15
    np.testing.assert_allclose(np.linalg.norm(places, axis=1), 1.0)
    np.testing.assert_array_equal(np.triu(span.triangle, 1), 0.0)
    exact = span_of(X, "rbf", RBF)[1]
    assert np.abs(places @ places.T - exact @ exact.T).max() < 0.05
    again, rest = span.coordinates(X)
    np.testing.assert_allclose(again / np.linalg.norm(again, axis=1)[:, None], places, atol=1e-9)
    assert (rest[span.support] < 1e-4).all()


def test_sparse_rows_and_rows_of_zeros():
    X = sp.csr_matrix(np.vstack([np.eye(3, 8), np.zeros((1, 8))]))
    span, places = span_of(X, "linear", max_rank=8)
    assert span.n_dims == 3
    assert not places[3].any()
