"""Exact centres and volumes: closed forms, rejection, Grünbaum's theorem and the ill-shaped."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.versionspace.cones import cones, degrees, random_cone, unit
from uneven.bounds import cutting_plane_steps, grunbaum_share
from uneven.versionspace import EmptyVersionSpaceError, chebyshev_centre, exact_centre
from uneven.versionspace.exact import clip_hull, hull_centre, hull_slice


def test_octant_half_ball_ball_and_one_dimension():
    octant = exact_centre(np.eye(3))
    assert octant.centre == pytest.approx([0.375] * 3, abs=1e-12)
    assert octant.share == pytest.approx(1 / 8)
    half = exact_centre([[0.0, 0.0, 1.0]])
    assert half.centre == pytest.approx([0, 0, 0.375], abs=1e-12)
    assert half.share == pytest.approx(0.5)
    assert exact_centre(np.empty((0, 3))).share == 1.0
    assert not exact_centre(np.empty((0, 2))).centre.any()
    assert exact_centre([[-1.0], [-1.0]]).centre.tolist() == [-0.5]


@given(st.floats(0.01, np.pi / 2))
def test_sectors_follow_their_closed_form(half):
    cuts = [[np.sin(half), np.cos(half)], [np.sin(half), -np.cos(half)]]
    found = exact_centre(cuts)
    assert found.share == pytest.approx(half / np.pi)
    assert found.centre == pytest.approx([2 / 3 * np.sin(half) / half, 0.0], abs=1e-9)


@given(st.floats(0.01, np.pi - 0.01))
def test_lunes_follow_their_closed_form(angle):
    half = angle / 2
    cuts = [[np.sin(half), np.cos(half), 0], [np.sin(half), -np.cos(half), 0]]
    found = exact_centre(cuts)
    assert found.share == pytest.approx(angle / (2 * np.pi))
    length = 3 / 4 * np.pi * np.sin(half) / (2 * angle)
    assert found.centre == pytest.approx([length, 0, 0], abs=1e-9)


@pytest.mark.parametrize("n_dims", [2, 3])
def test_exact_is_what_rejection_finds(n_dims):
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(200_000, n_dims))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    for seed in range(6):
        cuts = random_cone(seed, 1 + seed, n_dims)
        inside = drawn[(drawn @ cuts.T >= 0).all(axis=1)]
        found = exact_centre(cuts)
        error = 4 / np.sqrt(len(inside))
        assert found.share == pytest.approx(len(inside) / len(drawn), rel=error)
        mean = inside.mean(axis=0) * n_dims / (n_dims + 1)
        assert found.centre == pytest.approx(mean, abs=error)


@given(cones(max_dims=3))
def test_a_new_cut_splits_the_volume_and_the_moment(cuts):
    extra = unit(np.arange(1.0, cuts.shape[1] + 1))
    whole, parts = exact_centre(cuts), []
    for sign in (1.0, -1.0):
        try:
            parts.append(exact_centre(np.vstack([cuts, sign * extra])))
        except EmptyVersionSpaceError:
            continue
    assert sum(part.share for part in parts) == pytest.approx(whole.share, abs=1e-9)
    moment = sum(part.share * part.centre for part in parts)
    assert moment == pytest.approx(whole.share * whole.centre, abs=1e-9)


@given(cones(max_dims=3))
def test_redundant_and_repeated_cuts_change_nothing(cuts):
    implied = unit(cuts.sum(axis=0))
    more = exact_centre(np.vstack([cuts, implied, cuts[:1]]))
    assert more.centre == pytest.approx(exact_centre(cuts).centre, abs=1e-9)
    assert more.share == pytest.approx(exact_centre(cuts).share, abs=1e-9)


@pytest.mark.parametrize(
    "cuts",
    [
        [[1.0], [-1.0]],
        [[1.0, 0.0], [-1.0, 0.0]],
        [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
        [[1.0, 0, 0], [-0.5, 0.75**0.5, 0], [-0.5, -(0.75**0.5), 0]],
    ],
)
def test_what_is_empty_is_refused(cuts):
    with pytest.raises(EmptyVersionSpaceError):
        exact_centre(cuts)


def test_bad_cuts_are_refused():
    with pytest.raises(ValueError, match="at most 3 dimensions, got 4"):
        exact_centre(np.eye(4))
    with pytest.raises(ValueError, match="cut 0 has length 2"):
        exact_centre([[2.0, 0.0]])
    with pytest.raises(ValueError, match="NaN"):
        exact_centre([[np.nan, 0.0]])
    with pytest.raises(ValueError):
        exact_centre([1.0, 0.0])


def body(seed: int, n_points: int, n_dims: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n_points, n_dims))


bodies = st.builds(body, st.integers(0, 10**6), st.integers(5, 12), st.sampled_from([2, 3]))


@settings(max_examples=120)
@given(bodies, st.integers(0, 10**6))
def test_grunbaum_both_sides_of_a_cut_through_the_centre_keep_their_share(points, seed):
    normal = unit(np.random.default_rng(seed).normal(size=points.shape[1]))
    centre, volume = hull_centre(points)
    for sign in (1.0, -1.0):
        part = hull_centre(clip_hull(points, sign * normal, sign * normal @ centre))[1]
        assert part / volume >= grunbaum_share(points.shape[1]) - 1e-9


@pytest.mark.parametrize("n_dims", [2, 3, 4])
def test_grunbaum_is_reached_by_a_simplex_cut_parallel_to_a_side(n_dims):
    simplex = np.vstack([np.zeros(n_dims), np.eye(n_dims)])
    centre, volume = hull_centre(simplex)
    normal = -unit(np.ones(n_dims))
    tip = hull_centre(clip_hull(simplex, normal, normal @ centre))[1] / volume
    assert tip == pytest.approx(grunbaum_share(n_dims), abs=1e-12)


def test_cuts_through_centres_shrink_the_space_as_promised():
    shares = []
    for seed in range(25):
        target = random_cone(seed, 8, 3)
        w, found, steps = np.zeros(3), exact_centre(np.empty((0, 3))), 0
        seen = np.empty((0, 3))
        while True:
            margins = target @ w
            wrong = np.flatnonzero(margins <= 1e-12)
            if not len(wrong):
                break
            before = found.share
            seen = np.vstack([seen, target[wrong[margins[wrong].argmax()]]])
            found = exact_centre(seen)
            w, steps = found.centre, steps + 1
            shares.append(found.share / before)
        assert steps <= cutting_plane_steps(np.log(exact_centre(target).share))
    assert max(shares) <= 1 - grunbaum_share(3) + 1e-9
    assert len(shares) > 50


def thin_triangle(length: float, half_width: float) -> np.ndarray:
    def place(longitude, latitude):
        return [
            np.cos(latitude) * np.cos(longitude),
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude),
        ]

    corners = np.array([place(0, -half_width), place(length, 0), place(0, half_width)])
    cuts = [np.cross(corners[i], corners[(i + 1) % 3]) for i in range(3)]
    return np.array([unit(cut) * np.sign(cut @ corners.mean(axis=0)) for cut in cuts])


def worst_split(cuts: np.ndarray, point: np.ndarray) -> float:
    frame = np.linalg.svd(point[None])[2][1:]
    share, least = exact_centre(cuts).share, 1.0
    for angle in np.linspace(0, np.pi, 90, endpoint=False):
        normal = np.cos(angle) * frame[0] + np.sin(angle) * frame[1]
        part = exact_centre(np.vstack([cuts, normal])).share / share
        least = min(least, part, 1 - part)
    return least


@pytest.mark.parametrize(
    ("length", "half_width", "angle", "gravity", "chebyshev"),
    [(0.5, 0.1, 4.9, 0.445, 0.274), (1.0, 0.1, 14.4, 0.448, 0.159), (1.4, 0.2, 17.7, 0.452, 0.211),
     (1.4, 0.05, 25.6, 0.451, 0.058)],
)  # fmt: skip
def test_in_long_thin_spaces_the_chebyshev_centre_is_far_off(
    length, half_width, angle, gravity, chebyshev
):
    cuts = thin_triangle(length, half_width)
    cg, cc = exact_centre(cuts).centre, chebyshev_centre(cuts).point
    assert degrees(cg, cc) == pytest.approx(angle, abs=0.05)
    assert worst_split(cuts, cg) == pytest.approx(gravity, abs=0.002)
    assert worst_split(cuts, cc) == pytest.approx(chebyshev, abs=0.002)


def test_a_truncated_triangle_moves_its_centre_of_gravity_but_not_its_chebyshev_centre():
    base, height = 2.0, 4.0
    leg = np.hypot(height, base / 2)
    inradius = base * height / (base + 2 * leg)
    assert inradius == pytest.approx(0.780776, abs=1e-6)

    def heights(top):
        width = base * (1 - top / height)
        corners = [[-base / 2, 0], [base / 2, 0], [width / 2, top], [-width / 2, top]]
        side = np.array([height, base / 2]) / leg
        cuts = np.array([[0, 1], [0, -1], [-side[0], -side[1]], [side[0], -side[1]]])
        offsets = np.array([0, -top, -height * side[1], -height * side[1]])
        point, radius = chebyshev_centre(cuts, offsets)
        return hull_centre(corners)[0][1], point[1], radius

    for top, gravity in [(2 * inradius, 0.717654), (3.999999, 1.333333), (1.718209, inradius)]:
        found, chebyshev, radius = heights(top)
        assert found == pytest.approx(gravity, abs=1e-5)
        assert radius == pytest.approx(inradius, abs=1e-7)
        if top > 2 * inradius + 1e-9:
            assert chebyshev == pytest.approx(inradius, abs=1e-7)


def test_slices_of_a_cube_have_their_area():
    corners = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T.astype(float)
    cut = hull_slice(corners, [0, 0, 1.0], 0.3)
    assert hull_centre(cut[:, :2])[1] == pytest.approx(1.0)
    assert hull_centre(clip_hull(corners, [0, 0, 1.0], 0.3))[1] == pytest.approx(0.7)
