"""The centre of gravity of a version space, as exactly as asked for."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from uneven.door import check_choice, check_integer
from uneven.versionspace.billiard import billiard
from uneven.versionspace.cone import check_cuts
from uneven.versionspace.entrance import check_generator
from uneven.versionspace.exact import exact_centre
from uneven.versionspace.hamiltonian import gravity_of_normal, hamiltonian
from uneven.versionspace.hit_and_run import hit_and_run
from uneven.versionspace.propagation import propagate

__all__ = ["GRAVITY_METHODS", "centre_of_gravity", "directions_inside"]

GRAVITY_METHODS = (
    "auto",
    "exact",
    "propagation",
    "hamiltonian",
    "hit_and_run",
    "billiard",
    "monte_carlo",
)

_FIRST, _MOST = 500, 1_000_000
"""Flights before the error is looked at for the first time, and at most."""

_SHORT_RUN = 100
"""Bounces of a billiard before it starts again elsewhere; long runs may repeat themselves."""

_DIRECTIONS = 100_000
"""Directions that are drawn together to see which are inside."""


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
        - "exact": up to three dimensions.
        - "propagation": fast and deterministic; its direction is off by a degree or so.
        - "hamiltonian": flights on arcs, until the direction is within ``tol``.
        - "hit_and_run", "billiard": ``n_samples`` points, or bounces.
        - "monte_carlo": ``n_samples`` random directions, those inside are averaged.
        - "auto": "exact" where possible, else "hamiltonian".
    tol : float, default=0.01
        Standard error of the direction, in radians, at which flights may end.
    n_samples : int, optional
        For "hamiltonian", this many flights instead of a tolerance. For "hit_and_run" and
        "billiard" 5000 by default; for "monte_carlo" a million.
    rng : Generator or int, optional

    Returns
    -------
    ndarray of shape (n_dims,)
        In the ball: its direction classifies, its length is below ``n_dims / (n_dims + 1)``.

    References
    ----------
    Louche (2016), From confusion noise to active learning: playing on label availability in
    linear classification problems, section 5.4.

    Examples
    --------
    >>> centre_of_gravity(np.eye(2)).round(4).tolist()
    [0.4244, 0.4244]
    >>> centre_of_gravity(np.eye(8), "propagation").round(4).tolist()[:2]
    [0.2587, 0.2587]
    >>> centre_of_gravity(np.eye(8), tol=0.01, rng=0).round(2).tolist()[:2]
    [0.26, 0.26]
    """
    cuts = check_cuts(cuts)
    check_choice("method", method, GRAVITY_METHODS)
    if not tol > 0.0:
        raise ValueError(f"tol={tol} must be positive.")
    if n_samples is not None:
        check_integer("n_samples", n_samples, 1)
    rng = check_generator(rng)
    n_dims = cuts.shape[1]
    if not len(cuts):
        return np.zeros(n_dims)
    if method == "exact" or (method == "auto" and n_dims <= 3):
        return exact_centre(cuts).centre
    if method == "propagation":
        return gravity_of_normal(propagate(cuts).mean)
    if method == "hit_and_run":
        return hit_and_run(cuts, n_samples=n_samples or 5000, rng=rng).mean(axis=0)
    if method == "billiard":
        n_samples = n_samples or 5000
        restarts = math.ceil(n_samples / _SHORT_RUN)
        return billiard(
            cuts, bounces=math.ceil(n_samples / restarts), restarts=restarts, rng=rng
        ).gravity
    if method == "monte_carlo":
        inside = directions_inside(cuts, n_samples or 1_000_000, rng)[0]
        return inside.mean(axis=0) * (n_dims / (n_dims + 1))
    if n_samples is not None:
        return hamiltonian(cuts, n_samples=n_samples, rng=rng).centre
    return _by_flights(cuts, tol, rng)


def _by_flights(cuts: np.ndarray, tol: float, rng: np.random.Generator) -> np.ndarray:
    """Fly until the mean of all flights is within the tolerance."""
    start, todo, done = None, _FIRST, 0
    total, variance = np.zeros(cuts.shape[1]), 0.0
    while True:
        run = hamiltonian(cuts, start, todo, rng=rng)
        total += todo * run.centre
        variance += (todo * run.error) ** 2
        done += todo
        start = run.samples[-1]
        error = math.sqrt(variance) / done
        if error <= tol:
            return total / done
        if done >= _MOST:
            warnings.warn(
                f"the centre of gravity is known to {error:.2g} radians after {done} flights, not "
                f"to tol={tol}: the version space is long and thin.",
                ConvergenceWarning,
                stacklevel=3,
            )
            return total / done
        todo = min(max(done, math.ceil(done * ((error / tol) ** 2 - 1.0))), _MOST - done)


def directions_inside(
    cuts: np.ndarray, n_directions: int, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Draw directions and keep those inside all half-spaces.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, n_dims)
    n_directions : int
    rng : Generator

    Returns
    -------
    inside : ndarray of shape (n_inside, n_dims)
        Unit rows, at least one.
    share : float
        Part that was inside.

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
