"""Points of a version space: hit-and-run, billiard and flights on arcs.

Hit-and-run draws uniform points by random chords. A billiard is a ball that flies straight and
bounces; the mean of its path estimates the centre. The third is exact Hamiltonian Monte Carlo: a
version space is a cone in a ball, so lengths and directions are independent, and any distribution
that is round around the origin, kept inside the cone, has its mean in the direction of the centre
of gravity. The normal distribution is the one whose flights are known exactly: with a random speed
v, a point w moves on ``w cos t + v sin t`` and bounces off the cuts like a ball. That needs one
product of the cuts with a vector per flight instead of one per step, and goes far: it mixes much
faster than hit-and-run in many dimensions.

Hopsy 1.7 and polytopewalk 1.1 were looked at; both sample polytopes, and neither fits. They take
half-spaces only: the unit ball, which bounds a version space, is no polytope, and a box in its
place moves the centre of gravity. Hopsy brings pandas, arviz and a layer for linear programs
along, which computing packages do not import, and its hit-and-run takes more than twice the time of
this one per step. Polytopewalk (MIT) needs only NumPy and SciPy and has walks for ill-shaped
polytopes, but finds the ends of a chord by search, to an error of its choice, and is slower still
(``python -m benchmarks centres`` shows all three). Neither knows kernels, which arrive here as
coordinates of a span. What is left to write are the walks themselves; the two stay benchmarks.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln
from sklearn.exceptions import ConvergenceWarning

from uneven.utils.parameters import check_choice, check_integer
from uneven.versionspace import _loops
from uneven.versionspace.centres import chebyshev_centre
from uneven.versionspace.cone import (
    check_cuts,
    check_inside,
    check_offsets,
    check_vector,
    cut_products,
)


def hit_and_run(
    cuts: Any,
    start: Any = None,
    n_samples: int = 2000,
    *,
    thin: int | None = None,
    burn: int | None = None,
    offsets: Any = None,
    ball: bool = True,
    rng: Any = None,
) -> np.ndarray:
    """Sample a version space, or a polytope, uniformly.

    Each step draws a direction, finds the chord through the current point and jumps to a uniform
    point of it.

    Parameters
    ----------
    cuts : array-like of shape (n_cuts, n_dims)
        Unit rows. Without rows, the body is the ball.
    start : array-like of shape (n_dims,), optional
        A point strictly inside; the Chebyshev centre by default.
    n_samples : int, default=2000
    thin : int, optional
        Steps per sample; half the number of dimensions by default.
    burn : int, optional
        Steps before the first sample; fifty times the number of dimensions by default.
    offsets : array-like of shape (n_cuts,), optional
        The body is ``cuts @ w >= offsets``; zeros by default.
    ball : bool, default=True
        Whether the unit ball bounds the body too.
    rng : Generator or int, optional

    Returns
    -------
    ndarray of shape (n_samples, n_dims)

    Notes
    -----
    A step costs one product of the cuts with the direction. Neighbouring samples are dependent,
    and more so in many dimensions and long, thin bodies: from about 20 dimensions on,
    `uneven.versionspace.samplers` needs far fewer steps. The source gives the end of the chord
    without the plus sign.

    References
    ----------
    Smith (1984), Efficient Monte Carlo procedures for generating points uniformly distributed
    over bounded regions. Louche (2016), section 5.4.

    Examples
    --------
    >>> samples = hit_and_run(np.eye(3), n_samples=4000, rng=0)
    >>> bool((samples >= 0).all()), samples.mean(axis=0).round(1).tolist()
    (True, [0.4, 0.4, 0.4])
    """
    cuts = check_cuts(cuts)
    lowest = check_offsets(cuts, offsets)
    n_dims = cuts.shape[1]
    thin = max(1, n_dims // 2) if thin is None else thin
    burn = 50 * n_dims if burn is None else burn
    for name, value, least in (("n_samples", n_samples, 1), ("thin", thin, 1), ("burn", burn, 0)):
        check_integer(name, value, least)
    if start is None:
        start = chebyshev_centre(cuts, offsets).point
    w = check_inside(cuts, lowest, ball, start)
    samples = np.empty((n_samples, n_dims))
    columns = np.ascontiguousarray(cuts.T)
    bounded = _loops.hit_and_run_steps(
        columns, lowest, bool(ball), w, burn, thin, np.random.default_rng(rng), samples
    )
    if not bounded:
        raise ValueError(
            f"the {len(cuts)} half-spaces do not bound the body: a chord has no end. Add cuts or "
            "use ball=True."
        )
    return samples


SPHERES = {"specular": _loops.SPECULAR, "lambert": _loops.LAMBERT, "reset": _loops.RESET}

_FIRST_BLOCK = 64
"""Bounces before the estimate is looked at for the first time."""


@dataclass(frozen=True)
class BilliardRun:
    """Where a ball has been.

    Attributes
    ----------
    centre : ndarray of shape (n_dims,)
        Mean over the way. With ``sphere="specular"`` only its direction is that of the centre of
        gravity.
    gravity : ndarray of shape (n_dims,)
        Estimate of the centre of gravity: for a specular billiard in a version space, the mean
        divided by the mean distance from the origin that the conserved momentum implies. Its
        length is right if the ball's directions cover the cone, which they do not between few
        cuts; see the notes. The same as ``centre`` otherwise.
    points : ndarray of shape (n_bounces, 2, n_dims)
        Both ends of every chord.
    lengths : ndarray of shape (n_bounces,)
        Lengths of the chords.
    momentum : ndarray of shape (n_restarts,)
        Angular momentum at the start of each run: the least distance of a specular billiard in a
        version space from the origin.
    """

    centre: np.ndarray
    gravity: np.ndarray
    points: np.ndarray
    lengths: np.ndarray
    momentum: np.ndarray


def billiard(
    cuts: Any,
    start: Any = None,
    direction: Any = None,
    *,
    bounces: int = 5000,
    sphere: str = "specular",
    restarts: int = 1,
    offsets: Any = None,
    ball: bool = True,
    tol_degrees: float | None = None,
    rng: Any = None,
) -> BilliardRun:
    """Estimate the centre of gravity by a billiard.

    Parameters
    ----------
    cuts : array-like of shape (n_cuts, n_dims)
        Unit rows. Without rows, the body is the ball.
    start : array-like of shape (n_dims,), optional
        A point inside or on a cut; the Chebyshev centre by default.
    direction : array-like of shape (n_dims,), optional
        First direction of the first run; random by default.
    bounces : int, default=5000
        Bounces of each run, at most.
    sphere : {"specular", "lambert", "reset"}, default="specular"
        At the unit sphere, bounce as at a cut; or continue in a random direction by Lambert's law;
        or start again from the current estimate in a random direction. "reset" pulls the mean
        towards where it already is, since every way begins there: it does not cover the body
        evenly, and neither direction nor length need be those of the centre of gravity.
    restarts : int, default=1
        Runs of ``bounces`` each. A new one starts somewhere on the way of the one before, in a
        random direction.
    offsets : array-like of shape (n_cuts,), optional
        The body is ``cuts @ w >= offsets``; zeros by default.
    ball : bool, default=True
        Whether the unit ball bounds the body too.
    tol_degrees : float, optional
        End a run early when its direction moved by less while the number of bounces doubled.
    rng : Generator or int, optional

    Returns
    -------
    BilliardRun

    Notes
    -----
    Between cuts through the origin and the sphere a specular ball conserves
    ``norm(w)**2 * norm(v)**2 - (w @ v)**2``: it never comes nearer to the origin than its momentum
    and does not cover the body, whatever the source says of ergodicity. The distance from the
    origin repeats after each flight between two touches of the sphere, so that its mean is known
    and ``gravity`` can make up for it. Nor need its directions cover the cone: in three dimensions
    between a few cuts they can be off by many degrees, however long the run, and between
    orthogonal cuts every ball repeats itself. In half a ball a run stays in one plane: ``gravity``
    is 0.48 long instead of 0.375 in three dimensions, and 0.64 instead of 0.056 in 200. Many short
    runs are better (0.35 to 0.39, and 0.07 to 0.1, from fifty); Lambert's law, which covers the
    body, does not have that fault.

    Adding a random unit vector to the inner normal, as is often written, is Lambert's law in three
    dimensions only; here the shadow of the new direction on the wall is uniform. The source prints
    the normal of the sphere as that of the first cut. A ball that does not move for 100 bounces
    sits in a corner and is sent towards the start.

    References
    ----------
    Ruján (1997), Playing billiards in version space. Herbrich, Graepel and Campbell (2001), Bayes
    point machines. Louche (2016), section 5.4.

    Examples
    --------
    >>> cuts = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8], [0.8, 0.0, -0.6]])
    >>> billiard(cuts, bounces=20000, rng=0).gravity.round(1).tolist()
    [0.5, 0.3, 0.1]
    >>> from uneven.versionspace import exact_centre
    >>> exact_centre(cuts).centre.round(1).tolist()
    [0.5, 0.3, 0.1]
    """
    cuts = check_cuts(cuts)
    lowest = check_offsets(cuts, offsets)
    check_integer("bounces", bounces, 1)
    check_integer("restarts", restarts, 1)
    check_choice("sphere", sphere, SPHERES)
    if tol_degrees is not None and not tol_degrees > 0.0:
        raise ValueError(f"tol_degrees={tol_degrees} must be positive.")
    if start is None:
        start = chebyshev_centre(cuts, offsets).point
    start = check_inside(cuts, lowest, ball, start, strictly=False)
    rng = np.random.default_rng(rng)
    columns, gram = np.ascontiguousarray(cuts.T), cut_products(cuts)
    table = Table(cuts, columns, gram, lowest, bool(ball), SPHERES[sphere], start)
    first = _direction(direction, cuts.shape[1], rng)
    runs = [table.play(start, first, bounces, tol_degrees, rng)]
    for _ in range(restarts - 1):
        w, v = _somewhere(runs[-1].points, rng), _direction(None, cuts.shape[1], rng)
        runs.append(table.play(w, v, bounces, tol_degrees, rng))
    return table.summary(runs)


def _somewhere(points: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A uniform point of a way."""
    ends = np.cumsum(np.linalg.norm(points[:, 1] - points[:, 0], axis=1))
    chord = min(int(np.searchsorted(ends, rng.random() * ends[-1])), len(ends) - 1)
    share = rng.random()
    return share * points[chord, 0] + (1.0 - share) * points[chord, 1]


def _direction(direction: Any, n_dims: int, rng: np.random.Generator) -> np.ndarray:
    if direction is None:
        direction = rng.standard_normal(n_dims)
    direction = check_vector("direction", direction, n_dims)
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        raise ValueError("direction is zero: the ball would not move.")
    return direction / length


@dataclass(frozen=True)
class Run:
    """One ball: its summed way, its chords, its momentum."""

    moment: np.ndarray
    points: np.ndarray
    momentum: float


@dataclass(frozen=True)
class Table:
    """The body and its walls."""

    cuts: np.ndarray
    columns: np.ndarray
    gram: np.ndarray
    offsets: np.ndarray
    ball: bool
    mode: int
    start: np.ndarray

    def play(
        self,
        w: np.ndarray,
        v: np.ndarray,
        bounces: int,
        tol: float | None,
        rng: np.random.Generator,
    ) -> Run:
        """Let one ball fly."""
        w, n_dims = w.copy(), len(w)
        momentum = math.sqrt(max(float(w @ w - (w @ v) ** 2), 0.0))
        moment, blocks, done = np.zeros(n_dims + 1), [], 0
        while done < bounces:
            before = moment[:-1].copy()
            todo = bounces - done if tol is None else min(max(done, _FIRST_BLOCK), bounces - done)
            points = np.empty((todo, 2, n_dims))
            walls = self.cuts, self.columns, self.gram, self.offsets, self.ball, self.mode
            home = self.start, self._room()
            if not _loops.bounce(*walls, *home, rng, w, v, moment, points):
                raise ValueError(
                    f"the {len(self.cuts)} half-spaces do not bound the body: the ball got away. "
                    "Add cuts or use ball=True."
                )
            blocks.append(points)
            done += todo
            if tol is not None and before.any() and _degrees(before, moment[:-1]) < tol:
                break
        return Run(moment, np.concatenate(blocks), momentum)

    def _room(self) -> float:
        slack = float(np.min(self.cuts @ self.start - self.offsets, initial=1.0))
        return min(slack, 1.0 - float(np.linalg.norm(self.start))) if self.ball else slack

    def summary(self, runs: list[Run]) -> BilliardRun:
        """Put the runs together."""
        moment = np.sum([run.moment for run in runs], axis=0)
        centre = gravity = moment[:-1] / moment[-1]
        momentum = np.array([run.momentum for run in runs])
        if self.ball and self.mode == _loops.SPECULAR and not self.offsets.any():
            means = [run.moment[:-1] / (run.moment[-1] * _distance(run.momentum)) for run in runs]
            direction = np.average(means, axis=0, weights=[len(run.points) for run in runs])
            gravity = direction * (len(centre) / (len(centre) + 1))
        points = np.concatenate([run.points for run in runs])
        lengths = np.linalg.norm(points[:, 1] - points[:, 0], axis=1)
        return BilliardRun(centre, gravity, points, lengths, momentum)


def _distance(momentum: float) -> float:
    """Mean distance from the origin on a chord of the unit ball that passes it at a distance."""
    if momentum == 0.0:
        return 0.5
    half = math.sqrt(max(1.0 - momentum**2, 0.0))
    if half == 0.0:
        return 1.0
    return 0.5 * (1.0 + momentum**2 * math.asinh(half / momentum) / half)


def _degrees(a: np.ndarray, b: np.ndarray) -> float:
    across = np.linalg.norm(a * (b @ b) - b * (a @ b)) / np.linalg.norm(b)
    return math.degrees(math.atan2(float(across), float(a @ b)))


_LONGEST = math.pi / 2
"""After a quarter turn a flight between orthogonal cuts has forgotten where it began."""

_SAFETY = 50
"""Flights may bounce this many times as often as planned."""

_BATCHES = 32
"""Batches of flights whose means give the error."""

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
    rng = np.random.default_rng(rng)
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

    Returns infinite if the run is good enough.
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

    cuts: (n_cuts, n_dims); w: (n_dims,), strictly inside; changed to where the last flight ends;
    n_samples, burn, bounces: as in `hamiltonian`.
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
    flown = _loops.fly_arcs(
        cuts, columns, gram, _LONGEST, bounces, rng, w, trial, np.empty_like(trial)
    )
    travel = flown / burn
    samples, averages = np.empty((n_samples, n_dims)), np.empty((n_samples, n_dims))
    _loops.fly_arcs(cuts, columns, gram, travel, _SAFETY * bounces, rng, w, samples, averages)
    return samples, averages


def gravity_of_normal(mean: np.ndarray) -> np.ndarray:
    """Centre of gravity of a cone in the unit ball, from the mean of a normal vector kept inside.

    Both point where the mean of the cone's directions points; the lengths have known means.

    mean: (n_dims,). Returns (n_dims,).

    Examples
    --------
    >>> gravity_of_normal(np.array([math.sqrt(2 / math.pi)])).round(9).tolist()
    [0.5]
    """
    n_dims = len(mean)
    return mean * shrinkage(n_dims)


def shrinkage(n_dims: int) -> float:
    """How much shorter the mean of the unit ball's part of a cone is than that of a normal vector.

    Returns mean length of points of the ball over mean length of normal vectors.
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
