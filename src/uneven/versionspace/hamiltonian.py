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
import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln
from sklearn.exceptions import ConvergenceWarning

from uneven.utils.parameters import check_integer
from uneven.versionspace import kernels
from uneven.versionspace.chebyshev import chebyshev_centre
from uneven.versionspace.cone import check_cuts
from uneven.versionspace.entrance import (
    check_generator,
    check_inside,
    check_offsets,
    cut_products,
)

__all__ = [
    "HamiltonianRun",
    "direction_error",
    "fly",
    "gravity_of_normal",
    "hamiltonian",
    "longer",
    "shrinkage",
    "usual_bounces",
]

_LONGEST = math.pi / 2
"""After a quarter turn a flight between orthogonal cuts has forgotten where it began."""

_SAFETY = 50
"""Flights may bounce this many times as often as planned."""

_BATCHES = 32
"""Batches of flights whose means tell the error."""

_DRIFT, _TOO_MUCH = 0.35, 0.5
"""Correlations of the means of neighbouring batches above which flights are made longer, and
above which they have not mixed; between independent batches it is zero, give or take 0.2."""

_MORE = 8
"""Flights that have not mixed may bounce this many times as often the next time."""

_MOST_BOUNCES = 20_000_000
"""Planned bounces of all flights together up to which they are made longer."""


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
    drift : float
        Correlation of the means of neighbouring batches of flights. Above a half, the flights
        have not seen the whole space yet, and even the error is only a guess.
    bounces : int
        How often flights were allowed to bounce on average.
    """

    samples: np.ndarray
    centre: np.ndarray
    error: float
    drift: float
    bounces: int


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
        quarter turn. By default ``max(64, 4 * n_dims)``, and eight times as often again and again
        while the flights do not mix: where a space is thin in one direction only, most bounces
        are between the same two cuts.
    rng : Generator or int, optional

    Returns
    -------
    HamiltonianRun

    Warns
    -----
    ConvergenceWarning
        If the flights have not mixed, with a given number of bounces or as many as are affordable:
        in spaces some 1e-5 wide and less, or with few samples.

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
    >>> run.centre.round(1).tolist(), run.error < 0.02
    ([0.4, 0.4, 0.4], True)
    >>> bool((run.samples > 0).all() and (np.linalg.norm(run.samples, axis=1) < 1).all())
    True
    """
    cuts = check_cuts(cuts)
    n_dims = cuts.shape[1]
    check_integer("n_samples", n_samples, 1)
    check_integer("burn", burn, 1)
    if bounces is not None:
        check_integer("bounces", bounces, 1)
    if start is None:
        start = chebyshev_centre(cuts).point if len(cuts) else np.full(n_dims, 0.5 / n_dims)
    w = check_inside(cuts, check_offsets(cuts, None), False, start)
    if not w.any():
        raise ValueError("start is the origin, which has no direction; pass a point inside.")
    rng = check_generator(rng)
    run = fly(cuts, w, n_samples, burn, bounces or usual_bounces(n_dims), rng)
    while bounces is None and (more := longer(run)) * n_samples <= _MOST_BOUNCES:
        run = fly(cuts, w, n_samples, burn, int(more), rng)
    if run.drift > _TOO_MUCH:
        warnings.warn(
            f"{n_samples} flights with {run.bounces} bounces each have not mixed: the version "
            "space is long and thin, and its samples do not cover it. Raise bounces or n_samples.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return run


def usual_bounces(n_dims: int) -> int:
    """How often flights may bounce on average unless they do not mix."""
    return max(64, 4 * n_dims)


def longer(run: HamiltonianRun) -> float:
    """How often flights should be allowed to bounce, after a run that did not mix.

    Parameters
    ----------
    run : HamiltonianRun

    Returns
    -------
    float
        Infinite if the run is good enough.
    """
    return _MORE * run.bounces if run.drift > _DRIFT else math.inf


def fly(
    cuts: np.ndarray,
    w: np.ndarray,
    n_samples: int,
    burn: int,
    bounces: int,
    rng: np.random.Generator,
) -> HamiltonianRun:
    """One run of flights, whether they mix or not.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts, n_dims)
    w : ndarray of shape (n_dims,)
        Strictly inside; changed to where the last flight ends.
    n_samples, burn, bounces : int
        As in `hamiltonian`.
    rng : Generator

    Returns
    -------
    HamiltonianRun
    """
    samples, averages = _fly_twice(cuts, w, n_samples, burn, bounces, rng)
    radii = rng.random(n_samples) ** (1.0 / cuts.shape[1])
    samples *= (radii / np.linalg.norm(samples, axis=1))[:, None]
    centre = gravity_of_normal(averages.mean(axis=0))
    return HamiltonianRun(samples, centre, *direction_error(averages), bounces)


def _fly_twice(
    cuts: np.ndarray,
    w: np.ndarray,
    n_samples: int,
    burn: int,
    bounces: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """First to find out how long flights can be, then to sample."""
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
    return mean * shrinkage(n_dims)


def shrinkage(n_dims: int) -> float:
    """How much shorter the mean of the unit ball's part of a cone is than that of a normal vector.

    Parameters
    ----------
    n_dims : int

    Returns
    -------
    float
        Mean length of points of the ball over mean length of normal vectors.
    """
    length = math.sqrt(2.0) * math.exp(gammaln((n_dims + 1) / 2) - gammaln(n_dims / 2))
    return n_dims / (n_dims + 1) / length


def direction_error(samples: np.ndarray) -> tuple[float, float]:
    """Standard error of the direction of a mean of dependent samples, by means of batches.

    Parameters
    ----------
    samples : ndarray of shape (n_samples, n_dims)
        In the order they were drawn.

    Returns
    -------
    error : float
        In radians; infinite for fewer than four samples or a mean of zero. Covariances of batches
        count up to the first that is not positive.
    drift : float
        Correlation of the means of neighbouring batches; zero for fewer than 64 samples.

    References
    ----------
    Geyer (1992), Practical Markov chain Monte Carlo.

    Examples
    --------
    >>> direction_error(np.array([[1.0, 0.1], [1.0, -0.1]] * 32))
    (0.0, 0.0)
    >>> error, drift = direction_error(np.column_stack([np.ones(320), np.linspace(-1, 1, 320)]))
    >>> error > 0.2, drift > 0.8
    (True, True)
    """
    n_batches = min(_BATCHES, len(samples) // 2)
    mean = samples.mean(axis=0)
    length = float(np.linalg.norm(mean))
    if n_batches < 2 or length == 0.0:
        return math.inf, 0.0
    batches = samples[: len(samples) - len(samples) % n_batches]
    means = batches.reshape(n_batches, -1, samples.shape[1]).mean(axis=1)
    across = means - np.outer(means @ mean, mean) / length**2
    spread = float((across**2).sum()) / (n_batches - 1)
    if spread == 0.0:
        return 0.0, 0.0
    shares = [
        float((across[k:] * across[:-k]).sum()) / (n_batches - 1) / spread
        for k in range(1, n_batches)
    ]
    first = next((k for k, share in enumerate(shares) if share <= 0.0), len(shares))
    wide = n_batches == _BATCHES
    error = math.sqrt(spread * (1.0 + 2.0 * sum(shares[:first]) * wide) / n_batches) / length
    return error, shares[0] * wide
