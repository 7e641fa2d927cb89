"""The mean of what is drawn: flights until it is known well enough, directions that are inside."""

from __future__ import annotations

import math
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from uneven.versionspace.chebyshev import chebyshev_centre, inside
from uneven.versionspace.hamiltonian import fly, longer, usual_bounces

__all__ = ["directions_inside", "fly_until"]

_FIRST, _MOST = 500, 1_000_000
"""Flights before the error is looked at for the first time, and at most."""

_BURN = 50
"""Flights before the first that counts, in each run."""

_MOST_BOUNCES = 100_000_000
"""Planned bounces of all flights together, at most."""

_DIRECTIONS = 100_000
"""Directions that are drawn together to see which are inside."""


def fly_until(
    cuts: np.ndarray, tol: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Fly until the mean of all flights is within a tolerance.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, n_dims)
    tol : float
        Standard error of the direction, in radians.
    rng : Generator

    Returns
    -------
    centre : ndarray of shape (n_dims,)
        Centre of gravity.
    samples : ndarray of shape (n_samples, n_dims)
        Where the last flights ended, at least half of all.

    Warns
    -----
    ConvergenceWarning
        If the tolerance is not reached.

    Notes
    -----
    While the flights do not mix, they are made longer and what they found is forgotten.

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
        warnings.warn(
            f"the centre of gravity is known to {error:.2g} radians after {done} flights, not to "
            f"tol={tol}: the version space is long and thin.",
            ConvergenceWarning,
            stacklevel=5,
        )
    return total / done, run.samples


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
