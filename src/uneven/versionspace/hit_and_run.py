"""Hit-and-run: uniform samples of a convex body by random chords.

Hopsy 1.7 and polytopewalk 1.1 were looked at; both sample polytopes, and neither fits. They take
half-spaces only: the unit ball, which bounds a version space, is no polytope, and a box in its
place moves the centre of gravity. Hopsy brings pandas, arviz and a layer for linear programs
along, which computing rooms do not import, and its hit-and-run takes more than twice the time of
this one per step. Polytopewalk (MIT) needs only NumPy and SciPy and has walks for ill-shaped
polytopes, but finds the ends of a chord by search, to an error of its choice, and is slower still
(``python -m benchmarks centres`` shows all three). Neither knows kernels, which arrive here as
coordinates of a span. What is left to write is the walk itself; the two stay benchmarks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.utils.parameters import check_integer
from uneven.versionspace import kernels
from uneven.versionspace.chebyshev import chebyshev_centre
from uneven.versionspace.cone import check_cuts
from uneven.versionspace.entrance import check_generator, check_inside, check_offsets

__all__ = ["hit_and_run"]


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
    `uneven.versionspace.hamiltonian` needs far fewer steps. The source prints the end of the chord
    without the plus sign.

    References
    ----------
    Smith (1984), Efficient Monte Carlo procedures for generating points uniformly distributed
    over bounded regions. Louche (2016), From confusion noise to active learning: playing on label
    availability in linear classification problems, section 5.4.

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
    bounded = kernels.hit_and_run_steps(
        columns, lowest, bool(ball), w, burn, thin, check_generator(rng), samples
    )
    if not bounded:
        raise ValueError(
            f"the {len(cuts)} half-spaces do not bound the body: a chord has no end. Add cuts or "
            "use ball=True."
        )
    return samples
