"""Polygons on the sphere and their map, against counting and against closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uneven.plots.version_space_maps import (
    common_arc,
    equal_area_map,
    great_circle,
    middle_of,
    outline,
    polygon_share,
    polygon_sides,
)
from uneven.versionspace import exact_centre


def units(table):
    return table / np.linalg.norm(table, axis=-1, keepdims=True)


def directions(n, seed=0):
    return units(np.random.default_rng(seed).normal(size=(n, 3)))


@given(st.lists(st.floats(-10, 10), max_size=6))
def test_common_arc_holds_exactly_what_is_within_a_right_angle_of_all(angles):
    angles = np.array(angles)
    grid = np.linspace(-np.pi, np.pi, 721)
    inside = (np.cos(grid[:, None] - angles) > 1e-6).all(axis=1)
    found = common_arc(angles)
    if found is None:
        assert not inside.any()
        return
    low, high = found
    from_low = np.mod(grid - low, 2 * np.pi)
    held = (from_low > 1e-5) & (from_low < high - low - 1e-5)
    clear = np.abs(np.cos(grid[:, None] - angles)).min(axis=1, initial=1.0) > 1e-4
    assert (held == inside)[clear & (np.abs(from_low - np.pi) < np.pi - 1e-4)].all()


@pytest.mark.parametrize("n_cuts", [1, 2, 3, 5, 9])
def test_share_and_middle_agree_with_counting(n_cuts):
    rng = np.random.default_rng(n_cuts)
    cuts = directions(n_cuts, seed=n_cuts)
    cuts *= np.sign(cuts @ units(rng.normal(size=3)))[:, None]
    points = directions(300_000, seed=50 + n_cuts)
    inside = (points @ cuts.T > 0).all(axis=1)
    share = inside.mean()
    assert polygon_share(cuts) == pytest.approx(share, abs=4 * np.sqrt(share / len(points)) + 1e-5)
    counted = units(points[inside].mean(axis=0))
    assert counted @ middle_of(polygon_sides(cuts)) > 0.999


@given(st.integers(1, 7), st.integers(2, 3), st.integers(0, 10**6))
def test_share_and_middle_are_those_of_the_exact_centre(n_cuts, n_dims, seed):
    rng = np.random.default_rng(seed)
    cuts = units(rng.normal(size=(n_cuts, n_dims)))
    cuts *= np.sign(cuts @ rng.normal(size=n_dims))[:, None]
    centre, share = exact_centre(cuts)
    assert polygon_share(cuts) == pytest.approx(share, rel=1e-5, abs=1e-12)
    if n_dims == 3:
        np.testing.assert_allclose(middle_of(polygon_sides(cuts)), units(centre), atol=1e-7)


def test_closed_forms_of_octant_lune_half_and_sector():
    assert polygon_share(np.eye(3)) == pytest.approx(1 / 8)
    assert polygon_share(np.eye(3)[:2]) == pytest.approx(1 / 4)
    assert polygon_share(np.eye(3)[:1]) == pytest.approx(1 / 2)
    assert polygon_share(np.zeros((0, 3))) == 1.0
    assert polygon_share(np.eye(2)) == pytest.approx(1 / 4)
    np.testing.assert_allclose(middle_of(polygon_sides(np.eye(3))), np.full(3, 3**-0.5))


def test_redundant_and_repeated_cuts_have_no_side():
    implied = units(np.array([[1.0, 1.0, 0.2]]))
    sides = polygon_sides(np.vstack([np.eye(3), implied, np.eye(3)[:1]]))
    assert len(sides) == 3
    assert polygon_share(np.vstack([np.eye(3), implied, np.eye(3)])) == pytest.approx(1 / 8)


@pytest.mark.parametrize(
    "cuts",
    [
        [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
        [[1.0, 0.0, 0.0], [-0.5, 0.75**0.5, 0.0], [-0.5, -(0.75**0.5), 0.0]],
    ],
)
def test_what_has_no_inside_has_no_sides(cuts):
    assert polygon_sides(np.array(cuts)) == []
    assert polygon_share(np.array(cuts)) == 0.0


def test_the_outline_goes_once_around_on_the_border():
    cuts = directions(6, seed=1)
    cuts *= np.sign(cuts @ units(np.ones(3)))[:, None]
    border = outline(polygon_sides(cuts))
    assert np.abs((border @ cuts.T).min(axis=1)).max() < 1e-9
    steps = np.linalg.norm(np.roll(border, -1, axis=0) - border, axis=1)
    assert steps.max() < 0.03


def test_the_map_keeps_areas():
    cuts = directions(5, seed=4)
    cuts *= np.sign(cuts @ units(np.array([1.0, 2.0, 3.0])))[:, None]
    sides = polygon_sides(cuts)
    middle = middle_of(sides)
    right = great_circle(middle, np.array([0.0]))[0]
    frame = np.array([right, np.cross(middle, right), middle])
    x, y = equal_area_map(3.0 * outline(sides), frame).T
    area = 0.5 * abs(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
    assert area / (4 * np.pi) == pytest.approx(polygon_share(cuts), rel=2e-3)
    np.testing.assert_allclose(equal_area_map(middle[None, :], frame), 0.0, atol=1e-12)
