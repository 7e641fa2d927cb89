"""Closed forms of balls and cones against numerical integrals."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from uneven.bounds import (
    ball_volume,
    cap_share,
    cone_centre_height,
    cone_top_share,
    cone_volume,
    grunbaum_share,
    half_ball_centre,
    log_ball_volume,
    sphere_area,
)
from uneven.versionspace.exact import clip_hull, hull_centre, hull_slice

DIMENSIONS = range(1, 9)


@pytest.mark.parametrize("n_dims", DIMENSIONS)
def test_balls_are_stacks_of_smaller_balls(n_dims):
    def slice_volume(height):
        return ball_volume(n_dims - 1, math.sqrt(4.0 - height**2))

    assert ball_volume(n_dims, 2.0) == pytest.approx(quad(slice_volume, -2, 2)[0], rel=1e-6)
    half = quad(lambda x: x * ball_volume(n_dims - 1, math.sqrt(1 - x * x)), 0, 1)[0]
    assert half_ball_centre(n_dims) == pytest.approx(2 * half / ball_volume(n_dims), rel=1e-6)


@pytest.mark.parametrize("n_dims", DIMENSIONS)
def test_surfaces_are_what_balls_grow_by(n_dims):
    grown = ball_volume(n_dims, 1.5 + 1e-6) - ball_volume(n_dims, 1.5 - 1e-6)
    assert sphere_area(n_dims, 1.5) == pytest.approx(grown / 2e-6, rel=1e-6)


def test_known_balls():
    assert [sphere_area(d) for d in (1, 2, 3)] == pytest.approx([2, 2 * math.pi, 4 * math.pi])
    assert ball_volume(3) == pytest.approx(4 / 3 * math.pi)
    assert half_ball_centre(2) == pytest.approx(4 / (3 * math.pi))
    assert log_ball_volume(4, 0.0) == -math.inf
    assert ball_volume(0, 0.0) == 1.0


@pytest.mark.parametrize("n_dims", DIMENSIONS)
def test_cones_are_stacks_of_shrinking_balls(n_dims):
    def slice_volume(height):
        return ball_volume(n_dims - 1, 2.0 * (1 - height / 3.0))

    volume = quad(slice_volume, 0, 3)[0]
    assert cone_volume(n_dims, 2.0, 3.0) == pytest.approx(volume)
    moment = quad(lambda x: x * slice_volume(x), 0, 3)[0]
    centre = cone_centre_height(n_dims, 3.0)
    assert centre == pytest.approx(moment / volume)
    for shift in (0.0, 0.3, 1.0):
        above = quad(slice_volume, centre + shift * (3.0 - centre), 3)[0]
        assert cone_top_share(n_dims, shift) == pytest.approx(above / volume, abs=1e-12)
    assert cone_top_share(n_dims) == pytest.approx(grunbaum_share(n_dims))
    assert cone_top_share(n_dims) > 1 / math.e


@pytest.mark.parametrize("n_dims", [2, 3, 7])
def test_caps_are_shares_of_random_directions(n_dims):
    drawn = np.random.default_rng(0).normal(size=(100_000, n_dims))
    angles = np.arccos(drawn[:, 0] / np.linalg.norm(drawn, axis=1))
    for angle in (0.6, 1.5, 2.4):
        assert cap_share(n_dims, angle) == pytest.approx(np.mean(angles <= angle), abs=0.006)
    assert cap_share(n_dims, math.pi) == pytest.approx(1.0)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([2, 3]))
def test_symmetrised_bodies_keep_their_volume_and_centre_and_have_concave_radii(seed, n_dims):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(9, n_dims))
    heights = np.linspace(points[:, 0].min(), points[:, 0].max(), 81)[1:-1]
    flat = [hull_slice(points, np.eye(n_dims)[0], h)[:, 1:] for h in heights]
    areas = [np.ptp(s) if n_dims == 2 else hull_centre(s)[1] for s in flat]
    radii = (np.array(areas) / ball_volume(n_dims - 1)) ** (1 / (n_dims - 1))
    assert (radii[:-2] + radii[2:] <= 2 * radii[1:-1] + 1e-9).all()
    centre, volume = hull_centre(points)
    step = heights[1] - heights[0]
    assert step * np.sum(areas) == pytest.approx(volume, rel=0.03)
    assert heights @ areas / np.sum(areas) == pytest.approx(centre[0], abs=0.05)
    above = hull_centre(clip_hull(points, np.eye(n_dims)[0], heights[40]))[1]
    assert step * (np.sum(areas[41:]) + areas[40] / 2) == pytest.approx(above, rel=0.05, abs=0.03)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ball_volume(-1),
        lambda: ball_volume(2.0),
        lambda: ball_volume(True),
        lambda: ball_volume(2, -1.0),
        lambda: sphere_area(0),
        lambda: cone_volume(2, math.nan, 1.0),
        lambda: cone_top_share(2, 1.5),
        lambda: cap_share(1, 0.5),
        lambda: cap_share(3, 4.0),
    ],
)
def test_wrong_numbers_are_refused(call):
    with pytest.raises(ValueError, match="must"):
        call()
