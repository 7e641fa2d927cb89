"""The centre of gravity by every method, the Chebyshev and the analytic centre."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from tests.versionspace.cones import cones, degrees, lune, random_cone, unit
from uneven.linear import hard_margin
from uneven.versionspace import (
    EmptyVersionSpaceError,
    analytic_centre,
    centre_of_gravity,
    centres,
    chebyshev_centre,
    exact_centre,
    gravity,
    hamiltonian,
    hit_and_run,
)
from uneven.versionspace.centres import ChebyshevCentre, inside
from uneven.versionspace.gravity import GRAVITY_METHODS, directions_inside, find_centre

MANY = {"n_samples": 20_000}


def half_ball_centroid(n_dims):
    """Distance of the centroid of half a unit ball from its flat side."""
    return math.exp(math.lgamma(n_dims / 2 + 1) - math.lgamma((n_dims + 3) / 2)) / math.sqrt(
        math.pi
    )


@pytest.mark.parametrize("method", GRAVITY_METHODS)
def test_every_method_finds_the_exact_centre_in_three_dimensions(method):
    options = {} if method in ("auto", "exact", "propagation", "hamiltonian") else MANY
    for seed in range(4):
        cuts = random_cone(seed, 6, 3)
        exact = exact_centre(cuts).centre
        found = centre_of_gravity(cuts, method, rng=seed, **options)
        assert degrees(found, exact) < (1.5 if method == "propagation" else 2.0)
        assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(exact), abs=0.02)


@pytest.mark.parametrize("method", [m for m in GRAVITY_METHODS if m != "exact"])
def test_methods_agree_in_six_dimensions(method):
    cuts = random_cone(2, 10, 6)
    options = MANY if method in ("hit_and_run", "billiard") else {}
    reference = hamiltonian(cuts, n_samples=30_000, rng=0).centre
    assert degrees(centre_of_gravity(cuts, method, rng=1, **options), reference) < 2.0


def test_fewer_cuts_than_dimensions_point_into_their_span():
    cuts = random_cone(5, 3, 9)
    found = centre_of_gravity(cuts, tol=0.008, rng=0)
    frame = np.linalg.qr(cuts.T)[0]
    inner = exact_centre(cuts @ frame).centre
    assert degrees(frame @ inner, found) < 1.0


def test_the_tolerance_is_kept():
    cuts = random_cone(3, 40, 10)
    truth = unit(hamiltonian(cuts, n_samples=100_000, rng=9).centre)
    for tol in (0.02, 0.005):
        errors = [
            np.linalg.norm(unit(centre_of_gravity(cuts, tol=tol, rng=seed)) - truth)
            for seed in range(5)
        ]
        assert np.mean(errors) < 1.3 * tol


@pytest.mark.slow
@pytest.mark.parametrize("angle", [1e-3, 1e-4])
def test_flights_find_the_middle_of_thin_spaces(angle):
    exact = exact_centre(lune(angle)).centre
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        found = [centre_of_gravity(lune(angle), "hamiltonian", tol=0.05, rng=k) for k in range(3)]
    assert max(degrees(centre, exact) for centre in found) < 6.0
    assert np.mean([degrees(centre, exact) for centre in found]) < 3.5


@pytest.mark.slow
def test_flights_go_on_from_samples_that_rounding_put_outside(monkeypatch):
    monkeypatch.setattr(gravity, "_MOST_BOUNCES", 3_000_000)
    exact = exact_centre(lune(1e-6)).centre
    with pytest.warns(ConvergenceWarning) as told:
        found = centre_of_gravity(lune(1e-6), "hamiltonian", tol=1e-4, rng=0)
    error = float(str(told[-1].message).split("known to ")[1].split()[0])
    assert np.radians(degrees(found, exact)) < 4 * error


def test_one_cut_in_many_dimensions_is_quick_and_exact():
    cut = unit(np.random.default_rng(0).normal(size=200))
    length = half_ball_centroid(200)
    for method in GRAVITY_METHODS:
        found = centre_of_gravity(cut[None], method, rng=0)
        assert found == pytest.approx(length * cut, abs=2e-3)


def test_samples_of_few_cuts_fill_all_dimensions():
    cuts = random_cone(0, 2, 6)
    for method in ("hamiltonian", "hit_and_run", "billiard"):
        centre, samples = find_centre(cuts, method, 20_000, rng=0)
        plain = hit_and_run(cuts, n_samples=20_000, thin=20, rng=1)
        assert (samples @ cuts.T).min() > -1e-12
        assert samples.mean(axis=0) == pytest.approx(centre, abs=0.02)
        assert np.cov(samples.T) == pytest.approx(np.cov(plain.T), abs=0.02)
        assert np.linalg.norm(samples, axis=1).mean() == pytest.approx(6 / 7, abs=0.005)


def test_who_asks_for_too_much_is_told(monkeypatch):
    monkeypatch.setattr(gravity, "_MOST", 1500)
    with pytest.warns(ConvergenceWarning, match="after 1500 flights"):
        centre_of_gravity(random_cone(0, 5, 4), tol=1e-5, rng=0)


def test_monte_carlo_errors_halve_with_four_times_the_samples():
    cuts = random_cone(0, 4, 3)
    exact = exact_centre(cuts).centre
    errors = []
    for size in (1000, 16_000):
        runs = [centre_of_gravity(cuts, "monte_carlo", n_samples=size, rng=k) for k in range(50)]
        errors.append(np.mean([np.linalg.norm(run - exact) for run in runs]))
    assert 2.0 < errors[0] / errors[1] < 8.0


def test_no_cuts_leave_the_origin_and_seeds_repeat():
    assert not centre_of_gravity(np.empty((0, 5))).any()
    cuts = random_cone(1, 9, 5)
    assert (centre_of_gravity(cuts, rng=4) == centre_of_gravity(cuts, rng=4)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "middle"}, "method must be one of"),
        ({"tol": 0.0}, "tol=0.0 must be positive"),
        ({"tol": np.nan}, "tol=nan"),
        ({"n_samples": 0}, "n_samples"),
        ({"cuts": [[1.0, 1.0]]}, "cut 0 has length"),
        ({"cuts": [[np.inf, 1.0]]}, "infinity"),
        ({"cuts": [[1.0, 0.0], [-1.0, 0.0]], "method": "hamiltonian"}, "leave nothing"),
        ({"cuts": np.eye(40), "method": "monte_carlo", "n_samples": 100}, "none of 100"),
    ],
)
def test_what_has_no_centre_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        centre_of_gravity(**{"cuts": [[1.0, 0.0]]} | change)


def test_directions_inside_are_kept_batch_by_batch(monkeypatch):
    monkeypatch.setattr(gravity, "_DIRECTIONS", 300)
    inside, share = directions_inside(np.eye(2), 1000, np.random.default_rng(0))
    assert share == len(inside) / 1000
    assert share == pytest.approx(0.25, abs=0.05)


@settings(max_examples=60)
@given(cones(max_dims=8))
def test_the_chebyshev_centre_is_the_support_vector_machine(cuts):
    w = hard_margin(cuts).w
    point, radius = chebyshev_centre(cuts)
    assert point == pytest.approx(w / (1 + np.linalg.norm(w)), abs=1e-9)
    assert (cuts @ point).min() == pytest.approx(radius, abs=1e-9)
    assert 1 - np.linalg.norm(point) == pytest.approx(radius, abs=1e-9)
    assert np.linalg.norm(w) >= 1 - 1e-12
    touching = np.abs(cuts @ point - radius) < 1e-9
    assert touching[hard_margin(cuts).alpha > 1e-9].all()


@settings(max_examples=20)
@given(cones(), st.integers(0, 1000))
def test_no_other_point_has_a_larger_ball(cuts, seed):
    radius = chebyshev_centre(cuts).radius
    samples = hit_and_run(cuts, n_samples=300, rng=seed)
    room = np.minimum((samples @ cuts.T).min(axis=1), 1 - np.linalg.norm(samples, axis=1))
    assert room.max() <= radius + 1e-12


def test_rows_that_are_no_units_break_the_equivalence():
    rows = random_cone(0, 5, 3) * np.array([[1.0], [3.0], [0.5], [2.0], [1.0]])
    w = hard_margin(rows).w
    cuts = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert np.linalg.norm(w / (1 + np.linalg.norm(w)) - chebyshev_centre(cuts).point) > 0.01


def test_chebyshev_centres_of_simple_bodies():
    assert chebyshev_centre(np.empty((0, 3))).radius == 1.0
    point, radius = chebyshev_centre([[0.0, 1.0]])
    assert point == pytest.approx([0.0, 0.5])
    assert radius == pytest.approx(0.5)
    box = np.vstack([np.eye(2), -np.eye(2)])
    point, radius = chebyshev_centre(box, [0.0, 0.0, -3.0, -1.0])
    assert radius == pytest.approx(0.5)
    assert point[1] == pytest.approx(0.5)
    with pytest.raises(EmptyVersionSpaceError):
        chebyshev_centre(box, [0.0, 0.0, 1.0, -1.0])
    with pytest.raises(ValueError, match="do not bound"):
        chebyshev_centre(np.eye(2), [0.0, 0.0])
    with pytest.raises(EmptyVersionSpaceError, match="the 2 cuts leave nothing"):
        chebyshev_centre([[1.0, 0.0], [-1.0, 0.0]])


@settings(max_examples=40)
@given(cones(max_dims=8), st.integers(0, 1000))
def test_the_analytic_centre_has_the_largest_product_of_slacks(cuts, seed):
    def value(w):
        return np.log(cuts @ w.T).sum(axis=0) + np.log1p(-np.sum(w * w, axis=-1))

    found = analytic_centre(cuts)
    steps = 1e-4 * np.random.default_rng(seed).normal(size=(50, cuts.shape[1]))
    near = found + steps * min((cuts @ found).min(), 1 - np.linalg.norm(found))
    assert value(near).max() <= value(found) + 1e-12
    gradient = (1 / (cuts @ found)) @ cuts - 2 * found / (1 - found @ found)
    assert np.abs(gradient).max() < 1e-5 * np.abs((1 / (cuts @ found)) @ cuts).max() + 1e-5


def test_analytic_centres_start_inside_or_not_at_all():
    cuts = random_cone(1, 6, 4)
    sample = hit_and_run(cuts, n_samples=1, rng=0)[0]
    assert analytic_centre(cuts, sample) == pytest.approx(analytic_centre(cuts), abs=1e-7)
    assert not analytic_centre(np.empty((0, 3))).any()
    with pytest.raises(ValueError, match="start lies outside"):
        analytic_centre(cuts, -sample)
    with pytest.raises(ValueError, match="tol"):
        analytic_centre(cuts, tol=0.0)


def test_a_point_outside_is_moved_strictly_inside():
    cuts = np.array([[1.0, 0.0], [0.6, 0.8]])
    moved = inside(cuts, np.array([-0.3, 0.2]))
    assert (cuts @ moved > 0.0).all()


def test_a_centre_on_a_cut_is_the_best_there_is(monkeypatch):
    centre = ChebyshevCentre(np.array([0.0, 0.5]), 0.0)
    monkeypatch.setattr(centres, "chebyshev_centre", lambda cuts: centre)
    with np.errstate(all="raise"):
        moved = inside(np.eye(2), np.array([0.0, -0.1]))
    assert np.array_equal(moved, centre.point)
