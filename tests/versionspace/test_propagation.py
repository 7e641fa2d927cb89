"""Expectation propagation: against exact centres, the textbook form, and its own other form."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr as scipy_log_ndtr
from scipy.special import ndtr
from scipy.stats import norm, truncnorm
from threadpoolctl import threadpool_info

from tests.versionspace.cones import lune
from uneven.versionspace import exact_centre, propagation
from uneven.versionspace._propagation_loops import log_ndtr, quadratic_forms, truncate
from uneven.versionspace.propagation import few_threads, propagate, propagate_gram


def random_cone(seed, n_cuts, n_dims):
    """Unit rows that some vector obeys."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_cuts, n_dims))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows * np.where(rows @ rng.normal(size=n_dims) >= 0.0, 1.0, -1.0)[:, None]


def degrees(a, b):
    cosine = a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


def sphere_points(n):
    """Points spread evenly over the sphere, along a golden spiral."""
    k = np.arange(n) + 0.5
    polar, turn = np.arccos(1 - 2 * k / n), np.pi * (1 + 5**0.5) * k
    flat = np.sin(polar)
    return np.column_stack([np.cos(turn) * flat, np.sin(turn) * flat, np.cos(polar)])


def textbook(cuts, sweeps=100):
    """Minka's primal form as he writes it, with whole matrices and means of the sites."""
    n, size = cuts.shape
    V, m = np.eye(size), np.zeros(size)
    v, site_mean, log_s = np.full(n, np.inf), np.zeros(n), np.zeros(n)
    for _ in range(sweeps):
        for i, a in enumerate(cuts):
            Vc, mc = V, m
            if np.isfinite(v[i]):
                Vc = V + np.outer(V @ a, V @ a) / (v[i] - a @ V @ a)
                mc = m + Vc @ a * (a @ m - site_mean[i]) / v[i]
            spread = a @ Vc @ a
            z = a @ mc / np.sqrt(spread)
            log_mass = scipy_log_ndtr(z)
            alpha = np.exp(-0.5 * z**2 - 0.5 * np.log(2 * np.pi) - log_mass) / np.sqrt(spread)
            m = mc + alpha * Vc @ a
            h = a @ m
            V = Vc - np.outer(Vc @ a, Vc @ a) * alpha * h / spread
            v[i] = spread * (1 / (alpha * h) - 1)
            site_mean[i] = h + v[i] * alpha
            log_s[i] = log_mass + 0.5 * np.log1p(spread / v[i]) + spread * alpha / (2 * h)
    precision = np.eye(size) + cuts.T @ (cuts / v[:, None])
    evidence = 0.5 * (m @ precision @ m - np.sum(site_mean**2 / v)) + log_s.sum()
    return m, V, evidence - 0.5 * np.linalg.slogdet(precision)[1]


def test_log_ndtr_in_both_tails():
    z = np.concatenate([-np.logspace(-6, 8, 300), np.logspace(-6, 1.5, 100), [0.0]])
    ours = np.array([log_ndtr(value) for value in z])
    np.testing.assert_allclose(ours, scipy_log_ndtr(z), rtol=1e-12)


@pytest.mark.parametrize("z", [-8.0, -3.0, -0.5, 0.0, 1.0, 4.0])
def test_moments_of_a_truncated_normal(z):
    log_mass, lift, shrink, rest = truncate(z, 0.0)
    expected = truncnorm(-z, np.inf, loc=z)
    np.testing.assert_allclose(log_mass, scipy_log_ndtr(z))
    np.testing.assert_allclose(z + lift, expected.mean(), rtol=1e-8)
    np.testing.assert_allclose(rest, expected.var(), rtol=1e-6)
    assert shrink + rest == pytest.approx(1.0)


def test_moments_do_not_jump_where_the_series_take_over():
    z = np.array([-29.9, -30.1])
    _, lift, _, rest = np.array([truncate(value, 0.0) for value in z]).T
    np.testing.assert_allclose(lift + z, -1 / z + 2 / z**3, rtol=2e-5)
    np.testing.assert_allclose(rest * z**2, 1 - 6 / z**2, rtol=1e-4)
    _, lift, _, rest = truncate(-1e5, 0.0)
    assert rest == pytest.approx(1e-10)


@pytest.mark.parametrize("flip", [0.05, 0.3])
def test_moments_with_flips_by_integration(flip):
    x = np.linspace(-12, 12, 200_001)
    for z in (-2.0, 0.3):
        weight = np.exp(-0.5 * (x - z) ** 2) * (flip + (1 - 2 * flip) * (x > 0))
        mass = weight.sum()
        mean = weight @ x / mass
        log_mass, lift, _, rest = truncate(z, flip)
        share = mass * (x[1] - x[0]) / np.sqrt(2 * np.pi)
        np.testing.assert_allclose(np.exp(log_mass), share, rtol=1e-4)
        np.testing.assert_allclose(z + lift, mean, atol=1e-4)
        np.testing.assert_allclose(rest, weight @ (x - mean) ** 2 / mass, rtol=1e-3)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 15), st.integers(1, 8))
def test_agrees_with_the_textbook(seed, n_cuts, n_dims):
    cuts = random_cone(seed, n_cuts, n_dims)
    found = propagate(cuts, ridge=0.0, tol=1e-13, max_sweeps=300)
    mean, covariance, evidence = textbook(cuts)
    np.testing.assert_allclose(found.mean, mean, atol=1e-7)
    np.testing.assert_allclose(found.covariance, covariance, atol=1e-7)
    assert found.log_evidence == pytest.approx(evidence, abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 25),
    st.integers(1, 8),
    st.sampled_from([0.0, 0.1]),
    st.sampled_from([1e-8, 0.1]),
)
def test_both_forms_agree(seed, n_cuts, n_dims, flip, ridge):
    cuts = random_cone(seed, n_cuts, n_dims)
    options = {"flip": flip, "ridge": ridge, "tol": 1e-11, "max_sweeps": 300}
    primal, kernel = propagate(cuts, **options), propagate_gram(cuts @ cuts.T, **options)
    np.testing.assert_allclose(kernel.alpha, primal.alpha, atol=1e-8)
    np.testing.assert_allclose(kernel.mean, cuts @ primal.mean, atol=1e-8)
    np.testing.assert_allclose(kernel.covariance, cuts @ primal.covariance @ cuts.T, atol=1e-8)
    assert kernel.log_evidence == pytest.approx(primal.log_evidence, abs=1e-8)
    np.testing.assert_allclose(primal.alpha @ cuts, primal.mean, atol=1e-8)


@pytest.mark.parametrize("n_dims", [1, 2, 3, 6])
def test_orthogonal_cuts_are_exact(n_dims):
    found = propagate(np.eye(n_dims))
    assert found.converged
    assert np.exp(found.log_evidence) == pytest.approx(0.5**n_dims, rel=1e-9)
    np.testing.assert_allclose(found.mean, np.sqrt(2 / np.pi), rtol=1e-7)
    np.testing.assert_allclose(np.diag(found.covariance), 1 - 2 / np.pi, rtol=1e-6)


def test_direction_in_two_dimensions_is_the_bisector():
    for angle in (0.3, 1.0, 2.0, 3.0):
        cuts = np.array([[0.0, 1.0], [np.sin(angle), -np.cos(angle)]])
        bisector = np.array([np.cos(angle / 2), np.sin(angle / 2)])
        assert degrees(propagate(cuts).mean, bisector) < 1e-4


def test_direction_and_volume_in_three_dimensions():
    points, ratios = sphere_points(100_000), []
    for seed in range(25):
        cuts = random_cone(seed, 4 + seed % 8, 3)
        inside = points[(points @ cuts.T > 0).all(axis=1)]
        found = propagate(cuts)
        assert found.converged
        assert degrees(found.mean, inside.mean(axis=0)) < 1.5
        ratios.append(np.exp(found.log_evidence) * len(points) / len(inside))
    assert 0.7 < min(ratios) <= max(ratios) < 1.02
    assert 0.85 < np.median(ratios) < 1.0


def test_a_ridge_is_a_private_dimension_of_every_cut():
    cuts, ridge = random_cone(3, 7, 4), 0.3
    own = np.hstack([cuts, np.sqrt(ridge) * np.eye(7)]) / np.sqrt(1 + ridge)
    inside = propagate(cuts, ridge=ridge, tol=1e-12)
    spelled = propagate(own, ridge=0.0, tol=1e-12)
    np.testing.assert_allclose(inside.mean, spelled.mean[:4], atol=1e-9)
    np.testing.assert_allclose(inside.covariance, spelled.covariance[:4, :4], atol=1e-9)
    assert inside.log_evidence == pytest.approx(spelled.log_evidence, abs=1e-9)


def test_contradictions_have_a_centre_with_a_ridge():
    cuts = random_cone(0, 2000, 10)
    cuts[:200] *= -1
    found = propagate(cuts)
    assert found.converged
    assert np.isfinite(found.mean).all()
    assert (cuts @ found.mean > 0).mean() > 0.86
    flipped = propagate(cuts, flip=0.1, max_sweeps=500)
    assert flipped.converged
    assert (cuts @ flipped.mean > 0).mean() > 0.895
    assert flipped.log_evidence > found.log_evidence
    opposite = propagate([[1.0, 0.0], [-1.0, 0.0]])
    assert opposite.converged
    np.testing.assert_allclose(opposite.mean, 0.0, atol=1e-12)


def test_a_flipped_label_is_overruled():
    cuts = np.vstack([np.tile([1.0, 0.0], (8, 1)), [[-1.0, 0.0]]])
    assert propagate(cuts, flip=0.1).mean[0] > 0.5


def test_warm_start_ends_in_the_same_place_sooner():
    cuts = random_cone(5, 60, 12)
    old = propagate(cuts[:-1], tol=1e-10)
    cold, warm = propagate(cuts, tol=1e-10), propagate(cuts, tol=1e-10, sites=old.sites)
    np.testing.assert_allclose(warm.mean, cold.mean, atol=1e-8)
    assert warm.n_sweeps < cold.n_sweeps
    assert old.sites.shape == (59, 2)


@pytest.mark.parametrize(("n_cuts", "n_dims"), [(150, 150), (300, 140), (40, 160)])
@pytest.mark.parametrize("form", ["cuts", "gram"])
def test_blocks_give_what_loops_give(monkeypatch, n_cuts, n_dims, form):
    cuts = random_cone(7, n_cuts, n_dims)
    run = propagate if form == "cuts" else lambda c, **kw: propagate_gram(c @ c.T, **kw)
    monkeypatch.setattr(propagation, "MANY", 0)
    blocks = run(cuts, flip=0.01, ridge=1e-3, max_sweeps=3)
    monkeypatch.setattr(propagation, "MANY", 10**6)
    loops = run(cuts, flip=0.01, ridge=1e-3, max_sweeps=3)
    np.testing.assert_allclose(blocks.sites, loops.sites, atol=1e-9)
    np.testing.assert_allclose(blocks.mean, loops.mean, atol=1e-9)
    np.testing.assert_allclose(blocks.covariance, loops.covariance, atol=1e-9)
    assert blocks.log_evidence == pytest.approx(loops.log_evidence, abs=1e-8)


def test_stops_at_the_limit_and_says_so():
    found = propagate(random_cone(1, 60, 10), max_sweeps=2)
    assert not found.converged
    assert found.n_sweeps == 2


def test_no_cuts_leave_the_prior():
    for found in (propagate(np.empty((0, 3))), propagate_gram(np.empty((0, 0)))):
        assert found.converged
        assert found.log_evidence == 0.0
        assert found.alpha.shape == (0,)
    np.testing.assert_array_equal(propagate(np.empty((0, 3))).covariance, np.eye(3))


def test_repeats_bit_for_bit():
    cuts = random_cone(2, 50, 20)
    first, second = propagate(cuts), propagate(np.asfortranarray(cuts))
    np.testing.assert_array_equal(first.mean, second.mean)
    assert first.log_evidence == second.log_evidence


def test_quadratic_forms():
    rng = np.random.default_rng(0)
    rows, half = rng.normal(size=(20, 4)), rng.normal(size=(4, 4))
    expected = np.einsum("ij,jk,ik->i", rows, half @ half.T, rows)
    np.testing.assert_allclose(quadratic_forms(rows, half @ half.T), expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"flip": 0.5}, r"flip must be a number in \[0, 0.5\), got 0.5"),
        ({"ridge": -1.0}, "ridge must be"),
        ({"tol": np.nan}, "tol must be"),
        ({"max_sweeps": 0}, "max_sweeps"),
        ({"sites": np.zeros((4, 2))}, r"sites have shape \(4, 2\)"),
        ({"sites": -np.ones((1, 2))}, "negative precision"),
    ],
)
def test_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        propagate(np.eye(3), **options)


def test_refuses_what_is_no_gram_matrix():
    with pytest.raises(ValueError, match="symmetric"):
        propagate_gram([[1.0, 0.5], [0.1, 1.0]])
    with pytest.raises(ValueError, match="length"):
        propagate([[2.0, 0.0]])


def test_threads_are_as_many_after_it_as_before():
    before = [pool["num_threads"] for pool in threadpool_info()]
    propagate(random_cone(0, 140, 140), max_sweeps=2)
    assert [pool["num_threads"] for pool in threadpool_info()] == before
    with few_threads(200):
        inside = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert set(inside) == {1}


def test_spaces_as_thin_as_the_root_of_the_ridge_are_blurred():
    """What the docstring says of the width below which the default fails."""
    for angle, least, most in ((1e-3, 0.0, 0.5), (1e-4, 8.0, 15.0), (1e-5, 30.0, 45.0)):
        cuts = lune(angle)
        exact = exact_centre(cuts)
        assert least <= degrees(propagate(cuts).mean, exact.centre) < most
        sharp = propagate(cuts, ridge=0.0)
        assert degrees(sharp.mean, exact.centre) < 0.5
        assert sharp.log_evidence == pytest.approx(np.log(exact.share), abs=0.02)


def plain_damped(cuts: np.ndarray, flip: float, step: float = 0.3) -> np.ndarray:
    """Expectation propagation as the textbook has it, with all sites at once and half measures."""
    precisions, shifts = np.zeros(len(cuts)), np.zeros(len(cuts))
    for _ in range(3000):
        covariance = np.linalg.inv(np.eye(cuts.shape[1]) + cuts.T @ (precisions[:, None] * cuts))
        mean = covariance @ (shifts @ cuts)
        variances = np.einsum("ij,jk,ik->i", cuts, covariance, cuts)
        alone = 1.0 / (1.0 / variances - precisions)
        centre = alone * (cuts @ mean / variances - shifts)
        z = centre / np.sqrt(alone)
        mass = flip + (1.0 - 2.0 * flip) * ndtr(z)
        lift = (1.0 - 2.0 * flip) * np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi) / mass
        tilted = alone * (1.0 - lift * (lift + z))
        precisions += step * (1.0 / tilted - 1.0 / alone - precisions)
        moved = (centre + np.sqrt(alone) * lift) / tilted - centre / alone
        shifts += step * (moved - shifts)
    return mean


def test_flips_reach_the_fixed_point_of_plain_propagation():
    """A label that is probably wrong makes the rest less certain: its precision is negative."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    t = np.where(X @ rng.normal(size=3) > 0, 1, -1)
    t[0] *= -1
    cuts = X * t[:, None]
    found = propagate(cuts, flip=0.1, ridge=0.0, tol=1e-10, max_sweeps=500)
    np.testing.assert_allclose(found.mean, plain_damped(cuts, 0.1), atol=1e-7)
    assert found.sites[0, 0] < 0.0
    W = rng.normal(size=(200_000, 3))
    mass = np.prod(np.where(W @ cuts.T > 0, 0.9, 0.1), axis=1)
    assert degrees(found.mean, mass @ W) < 4.0
    products = propagate_gram(cuts @ cuts.T, flip=0.1, ridge=0.0, tol=1e-10, max_sweeps=500)
    np.testing.assert_allclose(products.mean, cuts @ found.mean, atol=1e-7)
    assert products.log_evidence == pytest.approx(found.log_evidence, abs=1e-7)
    again = propagate(cuts, flip=0.1, ridge=0.0, sites=found.sites)
    assert again.n_sweeps <= 2


def damped(cuts, flip, sweeps=1500):
    """Expectation propagation as in the textbook, in small steps; sites may be negative."""
    tau, nu = np.zeros(len(cuts)), np.zeros(len(cuts))
    for _ in range(sweeps):
        V = np.linalg.inv(np.eye(cuts.shape[1]) + cuts.T @ (tau[:, None] * cuts))
        v = np.einsum("ij,jk,ik->i", cuts, V, cuts)
        cavity = 1.0 / v - tau
        m = (cuts @ (V @ (cuts.T @ nu)) / v - nu) / cavity
        z = m * np.sqrt(cavity)
        lift = (1 - 2 * flip) * norm.pdf(z) / (flip + (1 - 2 * flip) * norm.cdf(z))
        precision = cavity / (1.0 - lift * (z + lift))
        tau += 0.1 * (precision - cavity - tau)
        nu += 0.1 * ((m + lift / np.sqrt(cavity)) * precision - m * cavity - nu)
    return V @ (cuts.T @ nu), tau


def test_flips_end_in_the_fixed_point_with_negative_sites():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    t = np.where(X @ rng.normal(size=3) > 0, 1, -1)
    t[0] *= -1
    expected, sites = damped(t[:, None] * X, 0.1)
    found = propagate(t[:, None] * X, flip=0.1)
    assert found.converged
    assert sites.min() < -0.3
    np.testing.assert_allclose(found.mean, expected, atol=1e-5)
