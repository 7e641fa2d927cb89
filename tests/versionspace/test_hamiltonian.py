"""Flights on arcs: their twin, uniform samples, honest errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.exceptions import ConvergenceWarning

from tests.versionspace import sampler_twins
from tests.versionspace.cones import cones, degrees, lune, random_cone, unit
from uneven.versionspace import _loops, chebyshev_centre, exact_centre, hamiltonian, hit_and_run
from uneven.versionspace.cone import cut_products


@settings(max_examples=15)
@given(cones())
def test_compiled_flights_are_their_twin(cuts):
    start, travel = chebyshev_centre(cuts).point, 0.7
    samples, averages = np.empty((2, 4, cuts.shape[1]))
    columns, gram = np.ascontiguousarray(cuts.T), cut_products(cuts)
    args = travel, 10**6, np.random.default_rng(5), start.copy(), samples, averages
    flown = _loops.fly_arcs(cuts, columns, gram, *args)
    ends, means = sampler_twins.flights(cuts, start, 4, travel, np.random.default_rng(5))
    assert flown == pytest.approx(4 * travel)
    assert samples == pytest.approx(ends, abs=1e-6)
    assert averages == pytest.approx(means, abs=1e-5)


@settings(max_examples=25)
@given(cones())
def test_samples_stay_inside(cuts):
    samples = hamiltonian(cuts, n_samples=400, rng=0).samples
    assert (samples @ cuts.T).min() >= -1e-12
    assert np.linalg.norm(samples, axis=1).max() <= 1.0


def test_centre_and_samples_agree_with_exact_centres():
    for seed in range(5):
        cuts = random_cone(seed, 6, 3)
        exact = exact_centre(cuts).centre
        run = hamiltonian(cuts, n_samples=10_000, rng=seed)
        assert np.linalg.norm(run.centre - exact) < 0.02
        assert np.linalg.norm(run.samples.mean(axis=0) - exact) < 0.03
        assert degrees(run.centre, exact) < 1.0


def test_the_error_is_about_the_true_one():
    cuts = random_cone(3, 30, 8)
    truth = unit(hamiltonian(cuts, n_samples=60_000, rng=99).centre)
    runs = [hamiltonian(cuts, n_samples=500, rng=seed) for seed in range(30)]
    true = np.sqrt(np.mean([np.sum((unit(run.centre) - truth) ** 2) for run in runs]))
    said = np.mean([run.error for run in runs])
    assert 0.7 < said / true < 1.4


def test_it_samples_what_hit_and_run_samples():
    cuts = random_cone(1, 20, 6)
    arcs = hamiltonian(cuts, n_samples=8000, rng=0).samples
    chords = hit_and_run(cuts, n_samples=8000, thin=60, rng=0)
    for probe in np.random.default_rng(0).normal(size=(5, 6)):
        probe /= np.linalg.norm(probe)
        quantiles = [np.quantile(x @ probe, [0.1, 0.5, 0.9]) for x in (arcs, chords)]
        assert quantiles[0] == pytest.approx(quantiles[1], abs=0.03)


def test_narrow_cones_take_no_longer():
    wide = random_cone(0, 10, 5)
    axis = unit(chebyshev_centre(wide).point)
    narrow = wide - (wide @ axis)[:, None] * axis
    narrow = narrow / np.linalg.norm(narrow, axis=1, keepdims=True) + 1e-5 * axis
    narrow /= np.linalg.norm(narrow, axis=1, keepdims=True)
    run = hamiltonian(narrow, n_samples=300, rng=0)
    assert (run.samples @ narrow.T).min() >= -1e-12
    assert degrees(run.centre, axis) < 0.1


def test_flights_that_hardly_move_are_told():
    with pytest.warns(ConvergenceWarning, match="500 flights with 64 bounces each have not mixed"):
        run = hamiltonian(lune(1e-5), n_samples=500, bounces=64, rng=1)
    exact = exact_centre(lune(1e-5)).centre
    assert np.radians(degrees(run.centre, exact)) < 3 * run.error
    longer = hamiltonian(lune(1e-4), n_samples=500, rng=1)
    assert longer.bounces > 64
    assert longer.drift < 0.5


def test_the_ball_has_its_centre_in_the_origin():
    run = hamiltonian(np.empty((0, 4)), n_samples=4000, rng=0)
    assert np.linalg.norm(run.centre) < 0.05
    assert np.linalg.norm(run.samples, axis=1).mean() == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": [-0.5, 0.5]}, "outside of cut 0"),
        ({"start": [0.5]}, r"shape \(1,\)"),
        ({"cuts": np.empty((0, 2)), "start": [0.0, 0.0]}, "origin"),
        ({"n_samples": 0}, "n_samples"),
        ({"burn": 0}, "burn"),
        ({"bounces": 0}, "bounces"),
        ({"cuts": [[1.0, 1.0]]}, "cut 0 has length"),
        ({"cuts": [[1.0, 0.0], [-1.0, 0.0]]}, "leave nothing"),
    ],
)
def test_what_cannot_be_sampled_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        hamiltonian(**{"cuts": [[1.0, 0.0]], "n_samples": 10, "rng": 0} | change)
