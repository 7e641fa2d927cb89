"""Which share of the unit ball a version space is."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
from scipy.stats import multivariate_normal

from uneven.utils.parameters import check_choice, check_integer
from uneven.versionspace.centres import chebyshev_centre
from uneven.versionspace.cone import check_cuts, own_span, redundant_cuts
from uneven.versionspace.exact import exact_centre
from uneven.versionspace.gravity import directions_inside
from uneven.versionspace.propagation import propagate
from uneven.versionspace.samplers import fly, usual_bounces

VOLUME_METHODS = ("auto", "exact", "orthant", "propagation", "radius", "rejection", "telescope")

_MOST_ORTHANT = 12
"""Cuts up to which "auto" computes an orthant probability."""

_LIMIT_ORTHANT = 50

_THIN, _TOO_THIN = 1e-2, 1e-3
"""Radius of the largest ball inside below which "auto" takes no orthant probability, and below
which none is computed: its integration is then wrong by much, and does not say so."""

_KEPT = 0.2
"""Share of the points that each stage of the telescope keeps."""

_BURN = 50
"""Flights at the beginning of each stage that are not counted."""


def log_volume(
    cuts: Any, method: str = "auto", *, n_samples: int | None = None, rng: Any = None
) -> float:
    """Logarithm of the share of the unit ball that a version space is.

    Parameters
    ----------
    cuts : array-like of shape (n_cuts, n_dims)
        Unit rows. Without rows, the share is one.
    method : str, default="auto"
        - "exact": if the cuts span at most three dimensions.
        - "orthant": the probability that a normal vector has no negative product with any cut, by
          SciPy's integration; good for some 20 cuts, refused for more than 50 and in thin
          spaces, where it is wrong.
        - "rejection": the share of random directions inside; for shares above 1e-4.
        - "telescope": stage by stage from a half-space, see the notes; any size.
        - "propagation": fast; exact for orthogonal cuts, else somewhat low.
        - "radius": the largest ball inside, a lower bound.
        - "auto": "exact" where possible, else "orthant" for few cuts whose space is not thin,
          else "telescope".
    n_samples : int, optional
        Directions for "rejection" (a million by default), points per stage for "telescope"
        (1000).
    rng : Generator or int, optional

    Returns
    -------
    float
        At most 0.

    Raises
    ------
    EmptyVersionSpaceError
        If the cuts contradict each other.

    Notes
    -----
    The telescope starts from the half-space of the Chebyshev centre c, which holds the version
    space, and tilts all cuts towards it: ``cuts + level * c`` with a falling level. Each level is
    chosen so that it keeps a fifth of the points drawn at the one before, and the shares are
    multiplied. Its standard error is about ``sqrt(-2.5 * log_volume / n_samples)`` for points
    that are nearly independent, and larger in spaces that are thin in some directions only.

    References
    ----------
    Au and Beck (2001), Estimation of small failure probabilities in high dimensions by subset
    simulation. Louche (2016), section 7.2.

    Examples
    --------
    >>> round(log_volume(np.eye(3)) / math.log(0.5), 6)
    3.0
    >>> round(log_volume(np.eye(20), "telescope", rng=0) / math.log(0.5))
    20
    """
    cuts = check_cuts(cuts)
    check_choice("method", method, VOLUME_METHODS)
    if n_samples is not None:
        check_integer("n_samples", n_samples, 2)
    rng = np.random.default_rng(rng)
    if not len(cuts):
        return 0.0
    if method == "radius":
        return cuts.shape[1] * math.log(chebyshev_centre(cuts).radius)
    cuts = own_span(cuts)[0]
    if method == "auto":
        return _of_any_shape(cuts, n_samples or 1000, rng)
    if method == "exact":
        return math.log(exact_centre(cuts).share)
    if method == "orthant":
        return _orthant(cuts, rng)
    if method == "rejection":
        return math.log(directions_inside(cuts, n_samples or 1_000_000, rng)[1])
    if method == "propagation":
        chebyshev_centre(cuts)
        return propagate(cuts[~redundant_cuts(cuts)], ridge=0.0).log_evidence
    return _telescope(cuts, n_samples or 1000, rng)


def _of_any_shape(cuts: np.ndarray, n_samples: int, rng: np.random.Generator) -> float:
    """By the best method that can be trusted."""
    if cuts.shape[1] <= 3:
        return math.log(exact_centre(cuts).share)
    if len(cuts) <= _MOST_ORTHANT and chebyshev_centre(cuts).radius >= _THIN:
        with suppress(ArithmeticError):
            return _orthant(cuts, rng)
    return _telescope(cuts, n_samples, rng)


def _orthant(cuts: np.ndarray, rng: np.random.Generator) -> float:
    if len(cuts) > _LIMIT_ORTHANT:
        raise ValueError(
            f"an orthant probability of {len(cuts)} cuts takes too long, {_LIMIT_ORTHANT} are the "
            "most; use telescope or propagation, or drop redundant cuts."
        )
    radius = chebyshev_centre(cuts).radius
    if radius < _TOO_THIN:
        raise ArithmeticError(
            f"the space is too thin for the integration of an orthant probability: the largest "
            f"ball inside has radius {radius:.2g}, below {_TOO_THIN:g}; use telescope."
        )
    vector = multivariate_normal(
        np.zeros(len(cuts)),
        cuts @ cuts.T,
        allow_singular=True,
        seed=rng,
        maxpts=200_000,
        abseps=0.0,
        releps=1e-4,
    )
    share = float(vector.cdf(np.zeros(len(cuts))))
    if not share > 0.0:
        raise ArithmeticError(
            f"the orthant probability of {len(cuts)} cuts is too small to be integrated "
            f"(got {share}); use telescope or propagation."
        )
    return min(math.log(share), 0.0)


def _telescope(cuts: np.ndarray, n_samples: int, rng: np.random.Generator) -> float:
    axis = chebyshev_centre(cuts).point
    axis = axis / np.linalg.norm(axis)
    points = rng.standard_normal((n_samples, cuts.shape[1]))
    points *= np.sign(points @ axis)[:, None]
    total, bounces = math.log(0.5), usual_bounces(cuts.shape[1])
    while True:
        levels = _levels(cuts, axis, points)
        level = float(np.quantile(levels, _KEPT))
        if level <= 0.0:
            return total + math.log(np.mean(levels <= 0.0))
        total += math.log(np.mean(levels <= level))
        start = points[levels.argmin()].copy()
        tilted = _tilted(cuts, axis, level)
        points = fly(tilted, start, n_samples, _BURN, bounces, rng).samples


def _levels(cuts: np.ndarray, axis: np.ndarray, points: np.ndarray) -> np.ndarray:
    """How far all cuts must be tilted for each point to be inside."""
    return -(points @ cuts.T).min(axis=1) / (points @ axis)


def _tilted(cuts: np.ndarray, axis: np.ndarray, level: float) -> np.ndarray:
    tilted = np.vstack([cuts + level * axis, axis])
    return tilted / np.linalg.norm(tilted, axis=1, keepdims=True)
