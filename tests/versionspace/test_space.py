"""The version space as an object: membership, widths, redundancy, the span of kernels."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from uneven.linear import gram
from uneven.versionspace import EmptyVersionSpaceError, VersionSpace, redundant_cuts, span_of
from uneven.versionspace.cone import project_on_cone, support
from uneven.versionspace.span import feature_norms


def random_cone(seed: int, n_cuts: int, n_dims: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit cuts that a random unit vector satisfies, and that vector."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n_dims)
    truth /= np.linalg.norm(truth)
    cuts = rng.normal(size=(n_cuts, n_dims))
    cuts *= np.where(cuts @ truth >= 0, 1.0, -1.0)[:, None]
    return cuts / np.linalg.norm(cuts, axis=1, keepdims=True), truth


cones = st.builds(random_cone, st.integers(0, 10**6), st.integers(1, 12), st.integers(2, 6))


@settings(deadline=None, max_examples=60)
@given(cones, st.integers(0, 10**6))
def test_the_cone_is_closed_under_sums_and_scaling_and_shrinks_with_cuts(cone, seed):
    cuts, truth = cone
    space, rng = VersionSpace(cuts), np.random.default_rng(seed)
    near = [truth + 0.3 * rng.normal(size=len(truth)) for _ in range(40)]
    members = [w for w in near if space.contains(w)] or [truth]
    for w in members:
        assert space.contains(w + members[0])
        assert space.contains(17.0 * w)
    fewer = VersionSpace(cuts[:-1])
    assert all(fewer.contains(w) for w in members)
    assert not space.contains(np.zeros(len(truth)))


@settings(deadline=None, max_examples=60)
@given(cones, st.integers(0, 10**6))
def test_the_projection_is_the_nearest_point_and_its_length_the_support(cone, seed):
    cuts, truth = cone
    rng = np.random.default_rng(seed)
    x = rng.normal(size=len(truth))
    x /= np.linalg.norm(x)
    nearest = project_on_cone(cuts, x)
    assert (cuts @ nearest).min() >= -1e-8
    assert abs(nearest @ (x - nearest)) < 1e-8
    inside = truth + 0.5 * rng.normal(size=(200, len(truth)))
    inside = inside[(inside @ cuts.T >= 0).all(axis=1)]
    inside = inside / np.linalg.norm(inside, axis=1, keepdims=True)
    assert (inside @ x <= support(cuts, x) + 1e-8).all()


@settings(deadline=None, max_examples=40)
@given(cones, st.integers(0, 10**6))
def test_leaving_redundant_cuts_out_changes_no_membership(cone, seed):
    cuts, truth = cone
    mixed = np.vstack([cuts, cuts[0] + cuts[-1]])
    mixed[-1] /= np.linalg.norm(mixed[-1])
    space = VersionSpace(mixed)
    fewer = space.without_redundant()
    assert redundant_cuts(mixed).any()
    points = np.random.default_rng(seed).normal(size=(300, len(truth)))
    clear = np.abs(space.slacks(points)).min(axis=1) > 1e-6
    for w in points[clear]:
        assert space.contains(w) == fewer.contains(w)


def test_uninformative_rows_have_the_label_that_every_member_gives_them():
    cuts, truth = random_cone(3, 30, 4)
    space = VersionSpace(cuts)
    pool = np.random.default_rng(1).normal(size=(200, 4))
    implied = space.implied_labels(pool)
    assert 0 < np.count_nonzero(implied) < 200
    known = implied != 0
    np.testing.assert_array_equal(implied[known], np.sign(pool[known] @ truth))
    np.testing.assert_array_equal(space.is_informative(pool), implied == 0)
    for x, t in zip(pool[known][:10], implied[known][:10], strict=True):
        assert redundant_cuts(space.with_cut(x, t).cuts)[-1]
        with pytest.raises(EmptyVersionSpaceError, match="imply the label"):
            space.with_cut(x, -t)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "cosine", "laplacian"])
def test_coordinates_in_the_span_keep_all_products(kernel):
    X = np.random.default_rng(0).normal(size=(12, 40))
    params = {"gamma": 0.02, "degree": 2, "coef0": 1.0}
    span, where = span_of(sp.csr_matrix(X) if kernel == "linear" else X, kernel, params)
    K = gram(X, None, kernel, **params)
    norms = np.sqrt(K.diagonal())
    np.testing.assert_allclose(where @ where.T, K / np.outer(norms, norms), atol=1e-9)
    again, rest = span.coordinates(X)
    np.testing.assert_allclose(again, where, atol=1e-7)
    assert (rest == 0.0).all()
    np.testing.assert_allclose(feature_norms(X, kernel, params), norms)
    new = np.random.default_rng(1).normal(size=(3, 40))
    placed, sticks_out = span.coordinates(new)
    assert (sticks_out > 0.0).all()
    np.testing.assert_allclose((placed**2).sum(axis=1) + sticks_out**2, 1.0)
    cross = gram(new, X, kernel, **params) / norms
    cross /= feature_norms(new, kernel, params)[:, None]
    np.testing.assert_allclose(placed @ where.T, cross, atol=1e-9)
    w = np.random.default_rng(2).normal(size=span.n_dims)
    expanded = gram(new, span.rows, kernel, **params) @ span.expand(w)
    np.testing.assert_allclose(expanded / feature_norms(new, kernel, params), placed @ w, atol=1e-8)


def test_the_span_drops_dependent_rows_and_takes_kernel_values_as_they_are():
    X = np.array([[1.0, 2, 0, 0], [2, 4, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]])
    span, where = span_of(sp.csr_matrix(X))
    assert span.n_dims == 2
    by_values, same = span_of(X @ X.T, "precomputed")
    np.testing.assert_allclose(same @ same.T, where @ where.T, atol=1e-9)
    np.testing.assert_allclose(by_values.coordinates(X @ X.T)[0], same, atol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_kernel_values_place_rows_as_their_kernel_does(kernel):
    rng = np.random.default_rng(3)
    X, new = rng.normal(size=(6, 9)), rng.normal(size=(4, 9))
    by_name, _ = span_of(X, kernel, {"gamma": 0.1})
    by_values, _ = span_of(gram(X, None, kernel, gamma=0.1), "precomputed")
    values = gram(new, X, kernel, gamma=0.1)
    norms = feature_norms(new, kernel, {"gamma": 0.1})
    for ours, theirs in zip(
        by_values.coordinates(values, norms), by_name.coordinates(new), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    if kernel == "rbf":
        np.testing.assert_allclose(by_values.coordinates(values)[1], by_name.coordinates(new)[1])


def test_a_row_outside_the_span_is_informative_and_cannot_be_added():
    space = VersionSpace.from_labels(np.eye(5)[:2], [1, 1])
    outside = np.eye(5)[3:4]
    assert space.n_dims == 2
    assert space.is_informative(outside)[0]
    with pytest.raises(ValueError, match="sticks out"):
        space.with_cut(outside[0], 1)


def test_a_ridge_makes_contradictions_separable():
    X, t = np.array([[1.0, 0.0], [1.0, 0.0]]), [1, -1]
    assert support(VersionSpace.from_labels(X, t).cuts, [1.0, 0.0]) == 0.0
    soft = VersionSpace.from_labels(X, t, ridge=0.1)
    inside = soft.cuts.sum(axis=0)
    assert soft.contains(inside)


@pytest.mark.parametrize(
    ("X", "t", "message"),
    [
        ([[1.0, np.nan]], [1], "NaN"),
        ([[1.0, 0.0]], [2], "-1 and"),
        ([[1.0, 0.0]], [1, -1], "must agree"),
    ],
)
def test_bad_rows_and_labels_are_refused(X, t, message):
    with pytest.raises(ValueError, match=message):
        VersionSpace.from_labels(X, t)


def test_rows_of_zeros_make_no_cut_and_tell_nothing():
    space = VersionSpace.from_labels([[0.0, 0.0], [1.0, 0.0]], [1, 1])
    assert space.n_cuts == 1
    assert not space.is_informative([[0.0, 0.0]])[0]
    np.testing.assert_array_equal(space.scores([1.0, 0.0], [[0.0, 0.0], [5.0, 0.0]]), [0.0, 1.0])


def test_centres_samples_and_volume_of_an_octant():
    space = VersionSpace(np.eye(3))
    np.testing.assert_allclose(space.centre(), 3 / 8)
    np.testing.assert_allclose(space.centre("chebyshev"), 1 / (1 + np.sqrt(3)))
    assert space.contains(space.centre("analytic"))
    near = space.centre("hamiltonian", random_state=0)
    np.testing.assert_allclose(near, 3 / 8, atol=0.02)
    assert space.log_volume() == pytest.approx(np.log(1 / 8))
    points = space.sample(4000, random_state=0)
    np.testing.assert_allclose(points.mean(axis=0), 3 / 8, atol=0.03)
    rows = [[1.0, -1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.0, -2.0]]
    np.testing.assert_allclose(space.split(rows, random_state=0), [0.5, 1.0, 0.0], atol=0.04)
