"""The centre of gravity of a version space, and the other centres by name.

Exactly in up to three dimensions, by propagation, or as the mean of points that are drawn: flights
until the mean is known well enough, or directions that are inside.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from uneven.utils.parameters import check_choice, check_integer
from uneven.versionspace.centres import analytic_centre, chebyshev_centre, inside
from uneven.versionspace.cone import check_cuts, own_span
from uneven.versionspace.exact import exact_centre
from uneven.versionspace.propagation import propagate
from uneven.versionspace.samplers import (
    BilliardRun,
    billiard,
    direction_error,
    fly,
    gravity_of_normal,
    hamiltonian,
    hit_and_run,
    longer,
    shrinkage,
    usual_bounces,
)

GRAVITY_METHODS = (
    "auto",
    "exact",
    "propagation",
    "hamiltonian",
    "hit_and_run",
    "billiard",
    "monte_carlo",
)
"""Ways to the centre of gravity."""

CENTRES = (*GRAVITY_METHODS, "chebyshev", "analytic")

LEARNER_CENTRES = (
    "propagation",
    "hit_and_run",
    "billiard",
    "hamiltonian",
    "chebyshev",
    "analytic",
)
"""Those that work for any number of rows and dimensions."""

_FIRST, _MOST = 500, 1_000_000
"""Flights before the error is looked at for the first time, and at most."""

_BURN = 50
"""Flights before the first that counts, in each run."""

_MOST_BOUNCES = 100_000_000
"""Planned bounces of all flights together, at most."""

_DIRECTIONS = 100_000
"""Directions that are drawn together to see which are inside."""

_DRAWS, _MOST_NUMBERS = 5000, 20_000_000
"""Points that are drawn at first, and coordinates of all points together at most."""

Found = tuple[np.ndarray, np.ndarray | None]
Drawn = tuple[np.ndarray, np.ndarray]


def centre_of_gravity(
    cuts: Any,
    method: str = "auto",
    *,
    tol: float = 0.01,
    n_samples: int | None = None,
    rng: Any = None,
) -> np.ndarray:
    """Centre of gravity of a version space.

    Parameters
    ----------
    cuts : array-like of shape (n_cuts, n_dims)
        Unit rows. Without rows, the centre is the origin.
    method : str, default="auto"
        - "exact": if the cuts span at most three dimensions.
        - "propagation": fast and deterministic; its direction is off by a degree or so, and by
          much in spaces that are 1e-4 wide or less in some direction.
        - "hamiltonian": flights on arcs, until the direction is within ``tol``.
        - "hit_and_run": points on random chords, until the direction is within ``tol``.
        - "billiard": by Lambert's law, two bounces for each point, the same.
        - "monte_carlo": ``n_samples`` random directions, those inside are averaged.
        - "auto": "exact" where possible, else "hamiltonian".
    tol : float, default=0.01
        Standard error of the direction, in radians, at which drawing may end.
    n_samples : int, optional
        For "hamiltonian", "hit_and_run" and "billiard" this many points instead of a tolerance; for
        "monte_carlo" a million by default.
    rng : Generator or int, optional

    Returns
    -------
    ndarray of shape (n_dims,)
        In the ball: its direction classifies, its length is below ``n_dims / (n_dims + 1)``.

    Warns
    -----
    ConvergenceWarning
        If what is drawn does not get as near as ``tol``: in spaces that are very thin in some
        directions and wide in others.

    Notes
    -----
    Fewer cuts than dimensions are dealt with in their span, where the direction is the same; the
    length is that in all dimensions.

    References
    ----------
    Louche (2016), section 5.4.

    Examples
    --------
    >>> centre_of_gravity(np.eye(2)).round(4).tolist()
    [0.4244, 0.4244]
    >>> centre_of_gravity(np.eye(8), "propagation").round(4).tolist()[:2]
    [0.2587, 0.2587]
    >>> centre_of_gravity(np.eye(8), tol=0.01, rng=0).round(2).tolist()[:2]
    [0.26, 0.26]
    """
    check_choice("method", method, GRAVITY_METHODS)
    return find_centre(cuts, method, n_samples, tol=tol, rng=rng)[0]


def find_centre(
    cuts: Any, method: str, n_samples: int | None = None, *, tol: float = 0.01, rng: Any = None
) -> Found:
    """Find a centre of a version space.

    cuts: (n_cuts, n_dims), unit rows; method: one of those of `centre_of_gravity`, "chebyshev" or
    "analytic"; n_samples, tol, rng: as in `centre_of_gravity`. Returns centre: (n_dims,); samples:
    (n_samples, n_dims) or None, points of the version space; None if none were kept.

    Examples
    --------
    >>> find_centre(np.eye(2), "chebyshev")[0].round(4).tolist()
    [0.4142, 0.4142]
    >>> centre, samples = find_centre(np.eye(2), "hamiltonian", 500, rng=0)
    >>> bool(abs(centre[0] - centre[1]) < 0.05), samples.shape
    (True, (500, 2))
    """
    cuts = check_cuts(cuts)
    check_choice("method", method, CENTRES)
    if not tol > 0.0:
        raise ValueError(f"tol={tol} must be positive.")
    if n_samples is not None:
        check_integer("n_samples", n_samples, 1)
    rng = np.random.default_rng(rng)
    if method == "chebyshev":
        return chebyshev_centre(cuts).point, None
    if method == "analytic":
        return analytic_centre(cuts), None
    if not len(cuts):
        return np.zeros(cuts.shape[1]), None
    inner, frame = own_span(cuts)
    if method == "auto":
        method = "exact" if inner.shape[1] <= 3 else "hamiltonian"
    found = _of_gravity(inner, method, n_samples, tol, rng)
    return found if frame is None else _lift(frame, found, rng)


def _of_gravity(
    cuts: np.ndarray, method: str, n_samples: int | None, tol: float, rng: np.random.Generator
) -> Found:
    n_dims = cuts.shape[1]
    if method == "exact":
        return exact_centre(cuts).centre, None
    if method == "propagation":
        return gravity_of_normal(propagate(cuts).mean), None
    if method == "monte_carlo":
        inside = directions_inside(cuts, n_samples or 1_000_000, rng)[0]
        return inside.mean(axis=0) * (n_dims / (n_dims + 1)), None
    if method == "hamiltonian":
        if n_samples is None:
            return fly_until(cuts, tol, rng)
        run = hamiltonian(cuts, n_samples=n_samples, rng=rng)
        return run.centre, run.samples
    draw = _by_billiard if method == "billiard" else _by_hit_and_run
    if n_samples is None:
        return draw_until(partial(draw, cuts, rng), tol, n_dims)
    return draw(cuts, rng, n_samples)


def _by_billiard(cuts: np.ndarray, rng: np.random.Generator, n_samples: int) -> Drawn:
    way = billiard(cuts, bounces=2 * n_samples, sphere="lambert", rng=rng)
    return way.gravity, _along(way, n_samples)


def _by_hit_and_run(cuts: np.ndarray, rng: np.random.Generator, n_samples: int) -> Drawn:
    samples = hit_and_run(cuts, n_samples=n_samples, rng=rng)
    return samples.mean(axis=0), samples


def draw_until(draw: Callable[[int], Drawn], tol: float, n_dims: int) -> Drawn:
    """Draw more and more points until the direction of their mean is within a tolerance.

    draw: gives a centre and so many points, in the order in which they were drawn; tol: standard
    error of the direction, in radians.

    Warns
    -----
    ConvergenceWarning
        If the tolerance is not reached.

    Examples
    --------
    >>> def draw(n):
    ...     points = np.random.default_rng(0).normal([1.0, 0.0], 1.0, size=(n, 2))
    ...     return points.mean(axis=0), points
    >>> centre, points = draw_until(draw, 0.01, 2)
    >>> bool(abs(np.arctan2(centre[1], centre[0])) < 0.05), len(points) > 5000
    (True, True)
    """
    n_samples, most = _DRAWS, max(_DRAWS, _MOST_NUMBERS // n_dims)
    while True:
        centre, samples = draw(n_samples)
        error = direction_error(samples)[0]
        if error <= tol:
            return centre, samples
        if n_samples == most:
            _warn_of_error(error, f"{most} points", tol)
            return centre, samples
        wanted = 1.2 * n_samples * (error / tol) ** 2
        n_samples = int(min(max(2 * n_samples, wanted), most))


def _lift(frame: np.ndarray, found: Found, rng: np.random.Generator) -> Found:
    """From the span of the cuts into all dimensions; outside of it, nothing is known."""
    centre, samples = found
    n_dims, n_inner = frame.shape
    centre = frame @ centre * (shrinkage(n_dims) / shrinkage(n_inner))
    if samples is None:
        return centre, None
    lengths = np.sqrt(rng.chisquare(n_inner, len(samples))) / np.linalg.norm(samples, axis=1)
    outer = rng.standard_normal((len(samples), n_dims))
    lifted = outer + (samples * lengths[:, None] - outer @ frame) @ frame.T
    radii = rng.random(len(samples)) ** (1.0 / n_dims)
    return centre, lifted * (radii / np.linalg.norm(lifted, axis=1))[:, None]


def _along(run: BilliardRun, n_samples: int) -> np.ndarray:
    """Points at equal distances along the way of a billiard."""
    ends = np.cumsum(run.lengths)
    times = (np.arange(n_samples) + 0.5) / n_samples * ends[-1]
    chord = np.minimum(np.searchsorted(ends, times), len(ends) - 1)
    share = ((ends[chord] - times) / run.lengths[chord])[:, None]
    return share * run.points[chord, 0] + (1.0 - share) * run.points[chord, 1]


def fly_until(
    cuts: np.ndarray, tol: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Fly until the mean of all flights is within a tolerance.

    cuts: (n_cuts, n_dims); tol: standard error of the direction, in radians. Returns centre:
    (n_dims,), centre of gravity; samples: (n_samples, n_dims), where the last flights ended, at
    least half of all.

    Warns
    -----
    ConvergenceWarning
        If the tolerance is not reached.

    Notes
    -----
    While the flights do not mix, they are made longer and what they found is dropped.

    Examples
    --------
    >>> centre, samples = fly_until(np.eye(3), 0.01, np.random.default_rng(0))
    >>> centre.round(1).tolist(), len(samples) >= 500
    ([0.4, 0.4, 0.4], True)
    """
    w, bounces = chebyshev_centre(cuts).point, usual_bounces(cuts.shape[1])
    todo, done, total, variance = _FIRST, 0, np.zeros(cuts.shape[1]), 0.0
    while True:
        run = fly(cuts, w, todo, _BURN, bounces, rng)
        w = inside(cuts, run.samples[-1]).copy()
        if (more := longer(run)) * _FIRST <= _MOST_BOUNCES:
            bounces = int(more)
            todo, done, total, variance = _FIRST, 0, np.zeros_like(total), 0.0
            continue
        total += todo * run.centre
        variance += (todo * run.error) ** 2
        done += todo
        error = math.sqrt(variance) / done
        most = max(_FIRST, min(_MOST, _MOST_BOUNCES // bounces))
        if error <= tol or done >= most:
            break
        todo = min(max(done, math.ceil(done * ((error / tol) ** 2 - 1.0))), most - done)
    if error > tol:
        _warn_of_error(error, f"{done} flights", tol)
    return total / done, run.samples


def _warn_of_error(error: float, after: str, tol: float) -> None:
    warnings.warn(
        f"the centre of gravity is known to {error:.2g} radians after {after}, not to tol={tol}: "
        "the version space is long and thin.",
        ConvergenceWarning,
        stacklevel=6,
    )


def directions_inside(
    cuts: np.ndarray, n_directions: int, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Draw directions and keep those inside all half-spaces.

    cuts: (n_cuts, n_dims). Returns inside: (n_inside, n_dims), unit rows, at least one; share: part
    that was inside.

    Examples
    --------
    >>> inside, share = directions_inside(np.eye(2), 1000, np.random.default_rng(0))
    >>> bool((inside > 0).all()), round(share, 1)
    (True, 0.2)
    """
    kept = []
    for first in range(0, n_directions, _DIRECTIONS):
        size = min(_DIRECTIONS, n_directions - first)
        drawn = rng.standard_normal((size, cuts.shape[1]))
        drawn = drawn[(drawn @ cuts.T >= 0.0).all(axis=1)]
        kept.append(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))
    inside = np.concatenate(kept)
    if not len(inside):
        raise ValueError(
            f"none of {n_directions} random directions lies inside the {len(cuts)} cuts: too small "
            "a space for rejection. Use hamiltonian or propagation for the centre, telescope for "
            "the volume."
        )
    return inside, len(inside) / n_directions
