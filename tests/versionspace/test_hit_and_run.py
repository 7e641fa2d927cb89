"""Hit-and-run: its twin, its bodies, its centre, its door."""

import numpy as np
import pytest
from hypothesis import given, settings

from tests.versionspace import sampler_twins
from tests.versionspace.cones import cones, degrees, random_cone
from uneven.versionspace import chebyshev_centre, exact_centre, hit_and_run


@settings(max_examples=25)
@given(cones())
def test_the_compiled_walk_is_its_twin(cuts):
    start = chebyshev_centre(cuts).point
    fast = hit_and_run(cuts, start, 30, thin=3, burn=5, rng=np.random.default_rng(1))
    slow = sampler_twins.hit_and_run(cuts, start, 30, 3, 5, np.random.default_rng(1))
    assert fast == pytest.approx(slow, abs=1e-8)


@settings(max_examples=25)
@given(cones())
def test_samples_stay_inside(cuts):
    samples = hit_and_run(cuts, n_samples=600, rng=0)
    assert (samples @ cuts.T).min() >= -1e-12
    assert np.linalg.norm(samples, axis=1).max() <= 1 + 1e-12


def test_the_mean_is_the_exact_centre():
    for seed in range(4):
        cuts = random_cone(seed, 5, 3)
        mean = hit_and_run(cuts, n_samples=20_000, rng=seed).mean(axis=0)
        exact = exact_centre(cuts).centre
        assert degrees(mean, exact) < 2.0
        assert np.linalg.norm(mean) == pytest.approx(np.linalg.norm(exact), abs=0.02)


@pytest.mark.parametrize("n_dims", [5, 10])
def test_lengths_are_those_of_a_ball(n_dims):
    lengths = np.linalg.norm(
        hit_and_run(random_cone(0, 12, n_dims), n_samples=20_000, rng=0), axis=1
    )
    assert lengths.mean() == pytest.approx(n_dims / (n_dims + 1), abs=0.01)


def test_a_square_is_covered_evenly():
    cuts, offsets = np.vstack([np.eye(2), -np.eye(2)]), np.array([-1.0, 0.0, -3.0, -2.0])
    samples = hit_and_run(cuts, offsets=offsets, ball=False, n_samples=20_000, thin=4, rng=0)
    counts, *_ = np.histogram2d(*samples.T, bins=4, range=[[-1, 3], [0, 2]])
    assert counts.sum() == 20_000
    assert counts / 20_000 == pytest.approx(np.full((4, 4), 1 / 16), abs=0.01)


def test_the_whole_ball_needs_no_cuts():
    samples = hit_and_run(np.empty((0, 4)), n_samples=5000, rng=0)
    assert np.abs(samples.mean(axis=0)).max() < 0.05
    assert np.linalg.norm(samples, axis=1).mean() == pytest.approx(0.8, abs=0.02)


def test_equal_seeds_give_equal_samples():
    cuts = random_cone(3, 9, 5)
    assert (hit_and_run(cuts, n_samples=50, rng=7) == hit_and_run(cuts, n_samples=50, rng=7)).all()


def test_drift_is_thrown_away_on_long_walks():
    far, width = 1e6, 1e-5
    samples = hit_and_run(
        [[1.0], [-1.0]],
        [far + width / 2],
        100_000,
        thin=1,
        offsets=[far, -far - width],
        ball=False,
        rng=0,
    )
    outside = np.maximum(far - samples, samples - far - width).max()
    assert outside < 1e-8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": [-0.5, 0.5]}, "outside of cut 0"),
        ({"start": [0.0, 0.5]}, "on cut 0"),
        ({"start": [3.0, 0.5]}, "has length 3.04"),
        ({"start": [0.5]}, r"shape \(1,\); expected \(2,\)"),
        ({"start": [np.nan, 0.5]}, "NaN"),
        ({"cuts": [[2.0, 0.0]]}, "cut 0 has length 2"),
        ({"cuts": [[1.0, 0.0], [-1.0, 0.0]]}, "leave nothing"),
        ({"offsets": [0.0, 1.0]}, r"offsets has shape \(2,\); expected \(1,\)"),
        ({"offsets": [np.inf], "start": [0.5, 0.5]}, "offsets"),
        ({"n_samples": 0}, "n_samples"),
        ({"thin": 0}, "thin"),
        ({"burn": -1}, "burn"),
        ({"ball": False, "start": [0.5, 0.5]}, "do not bound"),
    ],
)
def test_what_cannot_be_sampled_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        hit_and_run(**{"cuts": [[1.0, 0.0]], "n_samples": 10, "rng": 0} | change)


def test_single_precision_and_fortran_order_are_welcome():
    cuts = random_cone(2, 6, 4)
    rough = hit_and_run(np.asfortranarray(cuts.astype(np.float32)), n_samples=20, rng=0)
    assert rough.dtype == np.float64
    assert rough == pytest.approx(hit_and_run(cuts, n_samples=20, rng=0), abs=1e-3)
