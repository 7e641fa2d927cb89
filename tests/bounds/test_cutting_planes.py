"""Theorems on cuts through and near centres of gravity, and the printed form that fails."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.versionspace.cones import random_cone, unit
from uneven.bounds import (
    approximate_centre_lambda,
    approximate_centre_scale,
    approximate_centre_share,
    ball_volume,
    cutting_plane_steps,
    grunbaum_share,
)
from uneven.versionspace import EmptyVersionSpaceError, exact_centre, hamiltonian, support
from uneven.versionspace.exact import clip_hull, hull_centre, hull_slice


def test_grunbaum_falls_to_one_over_e():
    shares = [grunbaum_share(n_dims) for n_dims in range(1, 200)]
    assert shares[:3] == pytest.approx([1 / 2, 4 / 9, 27 / 64])
    assert (np.diff(shares) < 0).all()
    assert min(shares) > 1 / math.e
    assert grunbaum_share() == pytest.approx(1 / math.e)
    assert grunbaum_share(10**9) == pytest.approx(1 / math.e)


def test_steps_are_counted_from_shares():
    share = (1 - 1 / math.e) ** 7
    assert cutting_plane_steps(math.log(share)) == pytest.approx(7.0)
    assert cutting_plane_steps(math.log(share), n_dims=3) < 7.0
    assert cutting_plane_steps(0.0) == 0.0
    assert cutting_plane_steps(-1.0) == pytest.approx(2.18, abs=0.01)
    with pytest.raises(ValueError, match="at most 0"):
        cutting_plane_steps(0.5)


def off_centre_cut(seed: int, n_dims: int):
    """What theorem 5.2 is about: a body, a cut beyond its centre, and the share beyond it."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(n_dims + 1, 12)), n_dims))
    centre, volume = hull_centre(points)
    normal = unit(rng.normal(size=n_dims))
    top, bottom = (points @ normal).max(), (points @ normal).min()
    middle = normal @ centre
    offset = middle + rng.random() ** 3 * (top - middle) * 0.999
    crossing = hull_slice(points, normal, offset)
    if n_dims == 2:
        area = np.linalg.norm(crossing[:, None] - crossing[None], axis=2).max()
    else:
        area = hull_centre(crossing @ np.linalg.svd(normal[None])[2][1:].T)[1]
    share = hull_centre(clip_hull(points, normal, offset))[1] / volume
    return {
        "distance": offset - middle,
        "above": top - offset,
        "below": offset - bottom,
        "volume": volume,
        "radius": (area / ball_volume(n_dims - 1)) ** (1 / (n_dims - 1)),
        "density": area / volume,
        "share": share,
    }


def lambdas(cut: dict, n_dims: int) -> tuple[float, float]:
    scale = approximate_centre_scale(
        cut["volume"], cut["radius"], cut["above"], cut["below"], n_dims
    )
    free = approximate_centre_lambda(
        cut["distance"], cut["density"], cut["above"], cut["below"], n_dims
    )
    return cut["distance"] / scale, free


@settings(max_examples=250)
@given(st.integers(0, 10**9), st.sampled_from([2, 3]))
def test_cuts_near_the_centre_keep_what_the_corrected_theorem_says(seed, n_dims):
    cut = off_centre_cut(seed, n_dims)
    lam, free = lambdas(cut, n_dims)
    assert lam == pytest.approx(free, rel=1e-9)
    assert cut["share"] >= approximate_centre_share(lam, n_dims) - 1e-9


def test_enough_of_those_cuts_are_not_vacuous():
    cuts = [lambdas(off_centre_cut(seed, 2), 2)[0] for seed in range(300)]
    assert np.mean(np.array(cuts) < 1) > 0.3


def test_the_printed_theorem_fails():
    n_dims, broken = 2, 0
    for seed in range(300):
        cut = off_centre_cut(seed, n_dims)
        constant = n_dims**2 / (ball_volume(n_dims - 1) * (n_dims + 1) ** n_dims)
        scale = constant * cut["volume"] * cut["above"] / (cut["radius"] ** n_dims * cut["below"])
        lam = cut["distance"] / scale
        broken += lam <= 1 and cut["share"] < approximate_centre_share(lam, n_dims) - 1e-9
    assert broken > 10


@given(st.integers(0, 10**6), st.floats(0.01, 100.0))
def test_lambda_does_not_depend_on_the_unit_of_length(seed, unit_length):
    cut = off_centre_cut(seed, 3)
    scale = approximate_centre_scale(
        cut["volume"] * unit_length**3,
        cut["radius"] * unit_length,
        cut["above"] * unit_length,
        cut["below"] * unit_length,
        3,
    )
    lam = cut["distance"] * unit_length / scale
    assert lam == pytest.approx(lambdas(cut, 3)[0], rel=1e-9)


def test_the_form_for_samples_holds_on_version_spaces():
    rng, useful = np.random.default_rng(0), 0
    for seed in range(40):
        cuts = random_cone(seed, 5, 3)
        centre, whole = exact_centre(cuts)
        x = unit(np.cross(unit(centre), rng.normal(size=3)) + 0.05 * rng.normal(size=3))
        x = -x if x @ centre > 0 else x
        above, below = support(cuts, x), support(cuts, -x)
        try:
            share = exact_centre(np.vstack([cuts, x])).share / whole
        except EmptyVersionSpaceError:
            continue
        heights = hamiltonian(cuts, n_samples=4000, rng=seed).samples @ x
        density = np.mean(np.abs(heights) < 0.02) / 0.04
        lam = approximate_centre_lambda(-(x @ centre), density, above, below, 3)
        useful += lam < 1
        assert share >= approximate_centre_share(lam, 3) - 0.02
    assert useful > 10


def test_lambda_in_many_dimensions_is_a_logarithm():
    assert approximate_centre_lambda(0.1, 1.0, 1.0, 1.0, 400) == math.inf
    log = approximate_centre_lambda(0.1, 1.0, 1.0, 1.0, 400, log=True)
    assert log == pytest.approx(math.log(0.1) + 400 * math.log(401) - 2 * math.log(400))
    assert approximate_centre_lambda(0.0, 1.0, 1.0, 1.0, 4, log=True) == -math.inf
    assert approximate_centre_lambda(0.1, 1.0, 0.0, 1.0, 4) == math.inf
    assert approximate_centre_share(math.inf, 3) == 0.0
    assert approximate_centre_share(0.0) == grunbaum_share()


@pytest.mark.parametrize(
    "call",
    [
        lambda: grunbaum_share(0),
        lambda: grunbaum_share(1.5),
        lambda: approximate_centre_lambda(-0.1, 1.0, 1.0, 1.0, 2),
        lambda: approximate_centre_lambda(0.1, math.nan, 1.0, 1.0, 2),
        lambda: approximate_centre_lambda(0.1, 1.0, 1.0, 0.0, 2),
        lambda: approximate_centre_scale(1.0, 0.0, 1.0, 1.0, 2),
        lambda: approximate_centre_share(-0.5, 2),
        lambda: approximate_centre_share(0.5),
    ],
)
def test_wrong_numbers_are_refused(call):
    with pytest.raises(ValueError):
        call()
