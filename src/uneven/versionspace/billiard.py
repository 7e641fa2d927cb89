"""Billiard: a ball that flies straight and bounces tells where the middle is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from uneven.utils.parameters import check_choice, check_integer
from uneven.versionspace import kernels
from uneven.versionspace.chebyshev import chebyshev_centre
from uneven.versionspace.cone import check_cuts
from uneven.versionspace.entrance import (
    check_generator,
    check_inside,
    check_offsets,
    check_vector,
    cut_products,
)

__all__ = ["BilliardRun", "billiard"]

SPHERES = {"specular": kernels.SPECULAR, "lambert": kernels.LAMBERT, "reset": kernels.RESET}

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
        At the unit sphere, bounce as at a cut; or go on in a random direction by Lambert's law; or
        start again from the current estimate in a random direction. "reset" pulls the mean
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
    point machines. Louche (2016), From confusion noise to active learning: playing on label
    availability in linear classification problems, section 5.4.

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
    rng = check_generator(rng)
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
            if not kernels.bounce(*walls, *home, rng, w, v, moment, points):
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
        if self.ball and self.mode == kernels.SPECULAR and not self.offsets.any():
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
