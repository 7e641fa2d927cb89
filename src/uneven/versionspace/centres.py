"""The centres of a version space by name, with the points that were drawn on the way."""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.door import check_choice
from uneven.versionspace.analytic import analytic_centre
from uneven.versionspace.billiard import BilliardRun, billiard
from uneven.versionspace.chebyshev import chebyshev_centre
from uneven.versionspace.hamiltonian import hamiltonian
from uneven.versionspace.hit_and_run import hit_and_run
from uneven.versionspace.propagation import propagate

__all__ = ["CENTRES", "find_centre"]

CENTRES = ("propagation", "hit_and_run", "billiard", "hamiltonian", "chebyshev", "analytic")
"""The first four estimate the centre of gravity."""


def find_centre(
    cuts: Any, method: str, n_samples: int = 2000, rng: Any = None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Find a centre of a version space.

    Parameters
    ----------
    cuts : array-like of shape (n_cuts, n_dims)
        Unit rows.
    method : {"propagation", "hit_and_run", "billiard", "hamiltonian", "chebyshev", "analytic"}
        The billiard follows Lambert's law, so that its way covers the version space.
    n_samples : int, default=2000
        Points to draw; two bounces of the billiard for each.
    rng : Generator or int, optional

    Returns
    -------
    centre : ndarray of shape (n_dims,)
        Its length depends on the method.
    samples : ndarray of shape (n_samples, n_dims) or None
        Points of the version space; None if none were drawn.

    Examples
    --------
    >>> find_centre(np.eye(2), "chebyshev")[0].round(4).tolist()
    [0.4142, 0.4142]
    >>> centre, samples = find_centre(np.eye(2), "hamiltonian", 500, rng=0)
    >>> bool(abs(centre[0] - centre[1]) < 0.05), samples.shape
    (True, (500, 2))
    """
    check_choice("method", method, CENTRES)
    if method == "propagation":
        return propagate(cuts).mean, None
    if method == "chebyshev":
        return chebyshev_centre(cuts).point, None
    if method == "analytic":
        return analytic_centre(cuts), None
    if method == "hamiltonian":
        flights = hamiltonian(cuts, n_samples=n_samples, rng=rng)
        return flights.centre, flights.samples
    if method == "billiard":
        run = billiard(cuts, bounces=2 * n_samples, sphere="lambert", rng=rng)
        return run.gravity, _along(run, n_samples)
    samples = hit_and_run(cuts, n_samples=n_samples, rng=rng)
    return samples.mean(axis=0), samples


def _along(run: BilliardRun, n_samples: int) -> np.ndarray:
    """Points at equal distances along the way of a billiard."""
    ends = np.cumsum(run.lengths)
    times = (np.arange(n_samples) + 0.5) / n_samples * ends[-1]
    chord = np.minimum(np.searchsorted(ends, times), len(ends) - 1)
    share = ((ends[chord] - times) / run.lengths[chord])[:, None]
    return share * run.points[chord, 0] + (1.0 - share) * run.points[chord, 1]
