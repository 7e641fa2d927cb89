"""Flights on arcs: a normal vector kept inside a cone, by exact Hamiltonian Monte Carlo.

A version space is a cone in a ball, so lengths and directions are independent: any distribution
that is round around the origin, kept inside the cone, has its mean in the direction of the centre
of gravity. The normal distribution is the one whose flights are known exactly: with a random speed
v, a point w moves on ``w cos t + v sin t`` and bounces off the cuts like a ball. That needs one
product of the cuts with a vector per flight instead of one per step, and goes far: it mixes much
faster than hit-and-run in many dimensions.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from uneven.door import check_integer
from uneven.versionspace import kernels
from uneven.versionspace.chebyshev import chebyshev_centre
from uneven.versionspace.cone import check_cuts
from uneven.versionspace.entrance import (
    check_generator,
    check_inside,
    check_offsets,
    cut_products,
)

__all__ = ["HamiltonianRun", "direction_error", "gravity_of_normal", "hamiltonian"]

_LONGEST = math.pi / 2
"""After a quarter turn a flight between orthogonal cuts has forgotten where it began."""

_SAFETY = 50
"""Flights may bounce this many times as often as planned."""


class HamiltonianRun(NamedTuple):
    """Samples of a version space.

    Attributes
    ----------
    samples : ndarray of shape (n_samples, n_dims)
        Uniform in the cone and the unit ball.
    centre : ndarray of shape (n_dims,)
        Centre of gravity, from the means of whole flights.
    error : float
        Estimated standard error of its direction, in radians.
    """

    samples: np.ndarray
    centre: np.ndarray
    error: float


def hamiltonian(
    cuts: Any,
    start: Any = None,
    n_samples: int = 2000,
    *,
    burn: int = 50,
    bounces: int | None = None,
    rng: Any = None,
) -> HamiltonianRun:
    """Sample a version space by flights on arcs.

    Parameters
    ----------
    cuts : array-like of shape (n_cuts, n_dims)
        Unit rows. Without rows, the body is the ball.
    start : array-like of shape (n_dims,), optional
        A point strictly inside; the Chebyshev centre by default.
    n_samples : int, default=2000
        Flights; a sample is where one ends.
    burn : int, default=50
        Flights before the first sample. They also find out how often flights bounce.
    bounces : int, optional
        How often flights may bounce on average: in narrow cones they are made shorter than a
        quarter turn. ``max(64, 4 * n_dims)`` by default; more help a space that is very thin in
        one direction only, where most bounces are between the same two cuts.
    rng : Generator or int, optional

    Returns
    -------
    HamiltonianRun

    Notes
    -----
    Lengths are independent of directions and drawn anew before every flight. A flight costs one
    product of the cuts with a vector, and ``n_cuts + n_dims`` operations per bounce while the
    products of the cuts with each other fit into memory (up to 2048 cuts).

    References
    ----------
    Pakman and Paninski (2014), Exact Hamiltonian Monte Carlo for truncated multivariate
    Gaussians.

    Examples
    --------
    >>> run = hamiltonian(np.eye(3), n_samples=4000, rng=0)
    >>> run.centre.round(1).tolist(), run.error < 0.01
    ([0.4, 0.4, 0.4], True)
    >>> bool((run.samples > 0).all() and (np.linalg.norm(run.samples, axis=1) < 1).all())
    True
    """
    cuts = check_cuts(cuts)
    n_dims = cuts.shape[1]
    check_integer("n_samples", n_samples, 1)
    check_integer("burn", burn, 1)
    bounces = max(64, 4 * n_dims) if bounces is None else bounces
    check_integer("bounces", bounces, 1)
    if start is None:
        start = chebyshev_centre(cuts).point if len(cuts) else np.full(n_dims, 0.5 / n_dims)
    w = check_inside(cuts, check_offsets(cuts, None), False, start)
    if not w.any():
        raise ValueError("start is the origin, which has no direction; pass a point inside.")
    rng = check_generator(rng)
    samples, averages = _fly(cuts, w, n_samples, burn, bounces, rng)
    radii = rng.random(n_samples) ** (1.0 / n_dims)
    samples *= (radii / np.linalg.norm(samples, axis=1))[:, None]
    centre = gravity_of_normal(averages.mean(axis=0))
    return HamiltonianRun(samples, centre, direction_error(averages))


def _fly(
    cuts: np.ndarray,
    w: np.ndarray,
    n_samples: int,
    burn: int,
    bounces: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    n_dims = cuts.shape[1]
    columns, gram = np.ascontiguousarray(cuts.T), cut_products(cuts)
    trial = np.empty((burn, n_dims))
    flown = kernels.fly_arcs(
        cuts, columns, gram, _LONGEST, bounces, rng, w, trial, np.empty_like(trial)
    )
    travel = flown / burn
    samples, averages = np.empty((n_samples, n_dims)), np.empty((n_samples, n_dims))
    kernels.fly_arcs(cuts, columns, gram, travel, _SAFETY * bounces, rng, w, samples, averages)
    return samples, averages


def gravity_of_normal(mean: np.ndarray) -> np.ndarray:
    """Centre of gravity of a cone in the unit ball, from the mean of a normal vector kept inside.

    Both point where the mean of the cone's directions points; the lengths have known means.

    Parameters
    ----------
    mean : ndarray of shape (n_dims,)

    Returns
    -------
    ndarray of shape (n_dims,)

    Examples
    --------
    >>> gravity_of_normal(np.array([math.sqrt(2 / math.pi)])).round(9).tolist()
    [0.5]
    """
    n_dims = len(mean)
    length = math.sqrt(2.0) * math.exp(gammaln((n_dims + 1) / 2) - gammaln(n_dims / 2))
    return mean * (n_dims / (n_dims + 1) / length)


def direction_error(samples: np.ndarray) -> float:
    """Standard error of the direction of a mean of dependent samples, by means of batches.

    Parameters
    ----------
    samples : ndarray of shape (n_samples, n_dims)
        In the order they were drawn.

    Returns
    -------
    float
        In radians; infinite for fewer than four samples or a mean of zero.

    Examples
    --------
    >>> direction_error(np.array([[1.0, 0.1], [1.0, -0.1]] * 32))
    0.0
    """
    n_batches = min(32, len(samples) // 2)
    mean = samples.mean(axis=0)
    length = float(np.linalg.norm(mean))
    if n_batches < 2 or length == 0.0:
        return math.inf
    batches = samples[: len(samples) - len(samples) % n_batches]
    means = batches.reshape(n_batches, -1, samples.shape[1]).mean(axis=1)
    across = means - np.outer(means @ mean, mean) / length**2
    spread = float((across**2).sum()) / (n_batches - 1)
    return math.sqrt(spread / n_batches) / length
