"""Volumes by every method."""

import numpy as np
import pytest
from hypothesis import given, settings

from tests.versionspace.cones import cones, random_cone, unit
from uneven.versionspace import EmptyVersionSpaceError, exact_centre, log_volume
from uneven.versionspace.volume import VOLUME_METHODS

ESTIMATES = [m for m in VOLUME_METHODS if m != "radius"]


@pytest.mark.parametrize("method", ESTIMATES)
def test_methods_find_the_exact_volume_in_three_dimensions(method):
    for seed in range(3):
        cuts = random_cone(seed, 5, 3)
        found = log_volume(cuts, method, n_samples=20_000, rng=0)
        wanted = np.log(exact_centre(cuts).share)
        assert found == pytest.approx(wanted, abs=0.25 if method == "propagation" else 0.1)


@pytest.mark.parametrize("method", [m for m in ESTIMATES if m not in ("exact", "rejection")])
def test_orthogonal_cuts_halve_the_ball_each(method):
    assert log_volume(np.eye(10), method, n_samples=4000, rng=0) == pytest.approx(
        10 * np.log(0.5), abs=0.15
    )


def narrowed(cuts, width):
    """The cone of some cuts, drawn together around an axis inside."""
    axis = unit(cuts.sum(axis=0))
    across = cuts - (cuts @ axis)[:, None] * axis + width * axis
    return across / np.linalg.norm(across, axis=1, keepdims=True)


@pytest.mark.parametrize("method", ["telescope", "propagation"])
def test_narrow_cones_scale_as_their_dimension_says(method):
    wide = random_cone(0, 12, 4)
    logs = [log_volume(narrowed(wide, w), method, n_samples=2000, rng=0) for w in (1e-2, 1e-5)]
    assert logs[0] - logs[1] == pytest.approx(3 * np.log(1e3), abs=0.8)


def test_volumes_below_the_smallest_double_do_not_underflow():
    wide = random_cone(0, 120, 60)
    logs = [log_volume(narrowed(wide, w), "propagation") for w in (1e-3, 1e-7)]
    assert logs[1] < -750
    assert logs[0] - logs[1] == pytest.approx(59 * np.log(1e4), rel=0.01)


@settings(max_examples=30)
@given(cones(max_dims=3))
def test_the_radius_is_a_lower_bound(cuts):
    assert log_volume(cuts, "radius") <= log_volume(cuts, "exact") + 1e-9


def test_few_cuts_in_many_dimensions_are_exact():
    cuts = random_cone(3, 3, 40)
    frame = np.linalg.qr(cuts.T)[0]
    assert log_volume(cuts) == pytest.approx(np.log(exact_centre(cuts @ frame).share), abs=1e-9)


def lune(angle, n_dims=4):
    """Two nearly opposite cuts and two at right angles to both: an eighth of the angle's share."""
    cuts = np.eye(n_dims)
    cuts[1, :2] = -np.cos(angle), np.sin(angle)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(n_dims, n_dims)))[0]
    return cuts @ turn


@pytest.mark.parametrize("angle", [1e-2, 1e-4, 1e-5, 1e-6])
def test_thin_spaces_are_measured_right_by_default(angle):
    wanted = np.log(angle / (2 * np.pi) / 4)
    assert log_volume(lune(angle), rng=0) == pytest.approx(wanted, abs=0.5)
    assert log_volume(lune(angle), "propagation") == pytest.approx(wanted, abs=0.1)


def test_the_orthant_is_refused_where_it_would_be_wrong():
    with pytest.raises(ArithmeticError, match=r"radius 5e-05, below 0.001; use telescope"):
        log_volume(lune(1e-4), "orthant", rng=0)


def test_no_cuts_leave_everything_and_seeds_repeat():
    assert log_volume(np.empty((0, 4))) == 0.0
    cuts = random_cone(0, 10, 6)
    for method in ("auto", "orthant", "telescope", "rejection"):
        first, second = (log_volume(cuts, method, n_samples=5000, rng=3) for _ in range(2))
        assert first == second


def test_what_has_no_volume_is_refused():
    opposite = [[1.0, 0.0], [-1.0, 0.0]]
    for method in ("auto", "exact", "orthant", "telescope", "radius", "propagation"):
        with pytest.raises(EmptyVersionSpaceError):
            log_volume(opposite, method)
    with pytest.raises(ValueError, match="none of 100 random directions"):
        log_volume(np.eye(30), "rejection", n_samples=100, rng=0)
    with pytest.raises(ValueError, match="orthant probability of 51 cuts"):
        log_volume(random_cone(0, 51, 5), "orthant", rng=0)
    with pytest.raises(ValueError, match="method must be one of"):
        log_volume(np.eye(2), "guess")
    with pytest.raises(ValueError, match="at most 3 dimensions"):
        log_volume(np.eye(5), "exact")
    with pytest.raises(ValueError, match="n_samples"):
        log_volume(np.eye(5), n_samples=1)
    with pytest.raises(ValueError, match="cut 1 has length 3"):
        log_volume([[1.0, 0.0], [0.0, 3.0]])
