"""Billiards: invariants, corners, the law at the sphere, centres."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.versionspace import sampler_twins
from tests.versionspace.cones import cones, degrees, random_cone, unit
from uneven.versionspace import _loops, billiard, chebyshev_centre, exact_centre


@settings(max_examples=25)
@given(cones(), st.integers(0, 1000))
def test_the_compiled_billiard_is_its_twin(cuts, seed):
    start = chebyshev_centre(cuts).point
    direction = np.random.default_rng(seed).normal(size=cuts.shape[1])
    fast = billiard(cuts, start, direction, bounces=25)
    centre, corners = sampler_twins.billiard(cuts, start, direction, 25)
    assert fast.points[:, 0] == pytest.approx(corners[:-1], abs=1e-6)
    assert fast.points[:, 1] == pytest.approx(corners[1:], abs=1e-6)
    assert fast.centre == pytest.approx(centre, abs=1e-6)


@settings(max_examples=25)
@given(cones(), st.sampled_from(["specular", "lambert", "reset"]))
def test_the_way_never_leaves_the_space(cuts, sphere):
    run = billiard(cuts, bounces=1500, sphere=sphere, rng=0)
    points = run.points.reshape(-1, cuts.shape[1])
    assert (points @ cuts.T).min() >= -1e-12
    assert np.linalg.norm(points, axis=1).max() <= 1 + 1e-12


@settings(max_examples=8)
@given(cones(), st.integers(0, 1000))
def test_the_momentum_is_conserved_and_is_the_least_distance(cuts, seed):
    run = billiard(cuts, bounces=10_000, rng=seed)
    starts, ends = run.points[:, 0], run.points[:, 1]
    long = run.lengths > 1e-4
    v = (ends - starts)[long] / run.lengths[long, None]
    across = starts[long] - (starts[long] * v).sum(axis=1, keepdims=True) * v
    momenta = np.linalg.norm(across, axis=1)
    assert momenta == pytest.approx(np.full(len(momenta), run.momentum[0]), abs=1e-8)
    assert np.linalg.norm(run.points, axis=2).min() >= run.momentum[0] - 1e-8


def test_short_runs_and_lamberts_law_find_the_centre_where_one_long_run_does_not():
    lengths, angles = [], []
    for seed in range(6):
        cuts = random_cone(seed, 7, 3)
        exact = exact_centre(cuts).centre
        run = billiard(cuts, bounces=200, restarts=300, rng=seed)
        long = billiard(cuts, bounces=20_000, rng=seed)
        lambert = billiard(cuts, bounces=20_000, sphere="lambert", rng=seed)
        assert degrees(run.centre, exact) < 2.0
        assert degrees(run.gravity, exact) < 2.0
        assert degrees(lambert.centre, exact) < 2.0
        assert np.linalg.norm(run.gravity) == pytest.approx(np.linalg.norm(exact), abs=0.02)
        assert np.linalg.norm(lambert.centre) == pytest.approx(np.linalg.norm(exact), abs=0.02)
        lengths.append(abs(np.linalg.norm(long.centre) - np.linalg.norm(exact)))
        angles.append(degrees(long.centre, exact))
    assert max(lengths) > 0.05
    assert max(angles) > 2.0


@pytest.mark.parametrize("n_dims", [2, 5, 8])
def test_lamberts_law_covers_the_ball_in_any_dimension(n_dims):
    run = billiard(np.empty((0, n_dims)), bounces=20_000, sphere="lambert", rng=0)
    squared = (run.points**2).sum(axis=2)
    products = (run.points[:, 0] * run.points[:, 1]).sum(axis=1)
    way = run.lengths @ (squared.sum(axis=1) + products) / 3
    assert way / run.lengths.sum() == pytest.approx(n_dims / (n_dims + 2), abs=0.01)


def test_lamberts_law_has_a_uniform_shadow():
    rng, p, v = np.random.default_rng(0), np.array([0.0, 0.6, 0.8, 0.0]), np.empty(4)
    cosines = []
    for _ in range(4000):
        _loops.lambert(rng, p, v)
        assert v @ v == pytest.approx(1.0)
        cosines.append(-(v @ p))
    shadow = np.sqrt(1 - np.square(cosines)) ** 3
    assert min(cosines) >= 0.0
    assert np.quantile(shadow, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.03)


@given(st.integers(1, 6), st.integers(0, 1000))
def test_mirrors_keep_lengths_and_undo_themselves(n_dims, seed):
    rng = np.random.default_rng(seed)
    cuts, v = random_cone(seed, 4, n_dims), rng.normal(size=n_dims)
    speed, before = cuts @ v, v.copy()
    for gram in (cuts @ cuts.T, np.empty((0, 0))):
        columns = np.ascontiguousarray(cuts.T)
        _loops.mirror(cuts, columns, gram, 1, v, speed, np.empty(4))
        assert np.linalg.norm(v) == pytest.approx(np.linalg.norm(before))
        assert v @ cuts[1] == pytest.approx(-(before @ cuts[1]))
        assert speed == pytest.approx(cuts @ v)
        _loops.mirror(cuts, columns, gram, 1, v, speed, np.empty(4))
        assert v == pytest.approx(before)


def test_many_cuts_bounce_without_products_of_all_pairs():
    cuts = random_cone(0, 2100, 3)
    assert (billiard(cuts, bounces=500, rng=0).points @ cuts.T).min() >= -1e-12


def test_a_start_on_a_cut_that_flies_outwards_turns_back():
    run = billiard(np.eye(2), [0.0, 0.5], [-1.0, 0.1], bounces=200)
    assert run.points.min() >= -1e-12
    assert run.lengths.sum() > 1.0


def test_a_ball_in_a_corner_gets_out():
    half = 0.005
    cuts = np.array([[np.sin(half), np.cos(half)], [np.sin(half), -np.cos(half)]])
    run = billiard(cuts, [0.5, 0.0], [-1.0, 0.0], bounces=150, rng=0)
    assert run.lengths[1:101] == pytest.approx(np.zeros(100), abs=1e-12)
    assert run.lengths[101:].sum() > 0.5
    assert (run.points @ cuts.T).min() >= -1e-12


def test_gravity_has_the_right_length_whatever_the_momentum():
    cuts = random_cone(0, 7, 3)
    start, exact = chebyshev_centre(cuts).point, exact_centre(cuts).centre
    across = unit(np.cross(start, [1.0, 2.0, 3.0]))
    for tilt in (0.3, 3.0):
        run = billiard(cuts, start, unit(start) + tilt * across, bounces=20_000)
        assert np.linalg.norm(run.gravity) == pytest.approx(np.linalg.norm(exact), abs=0.01)
        assert abs(np.linalg.norm(run.centre) - np.linalg.norm(exact)) > 0.03


def test_a_triangle_with_offsets_and_no_ball():
    cuts = np.array([[1.0, 0.0], [0.0, 1.0], [-(0.5**0.5), -(0.5**0.5)]])
    run = billiard(cuts, offsets=[1.0, 2.0, -(0.5**0.5) * 6.0], ball=False, bounces=50_000, rng=0)
    assert run.centre == pytest.approx([2.0, 3.0], abs=0.05)
    assert (run.gravity == run.centre).all()


def test_runs_end_early_when_the_direction_stands_still():
    cuts = random_cone(0, 8, 4)
    short = billiard(cuts, bounces=100_000, tol_degrees=1.0, rng=0)
    assert 128 <= len(short.lengths) < 50_000
    whole = billiard(cuts, bounces=len(short.lengths), rng=0)
    assert whole.centre == pytest.approx(short.centre, abs=1e-6)


def test_restarts_fly_in_other_directions():
    run = billiard(random_cone(0, 8, 4), bounces=100, restarts=3, rng=0)
    assert run.points.shape == (300, 2, 4)
    assert len(set(run.momentum)) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": [-0.5, 0.5]}, "outside of cut 0"),
        ({"direction": [0.0, 0.0]}, "direction is zero"),
        ({"direction": [1.0]}, r"direction has shape \(1,\)"),
        ({"sphere": "sticky"}, "sphere must be one of"),
        ({"bounces": 0}, "bounces"),
        ({"restarts": 0}, "restarts"),
        ({"tol_degrees": 0.0}, "tol_degrees"),
        ({"cuts": [[np.nan, 0.0]]}, "NaN"),
        ({"cuts": [[0.5, 0.0]]}, "cut 0 has length 0.5"),
        ({"ball": False, "start": [0.5, 0.5]}, "do not bound"),
    ],
)
def test_what_cannot_be_played_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        billiard(**{"cuts": [[1.0, 0.0]], "bounces": 10, "rng": 0} | change)
