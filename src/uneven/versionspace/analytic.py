"""Analytic centre: as far as possible from all cuts and the sphere at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from uneven.versionspace.chebyshev import chebyshev_centre
from uneven.versionspace.cone import check_cuts
from uneven.versionspace.entrance import check_inside, check_offsets

__all__ = ["analytic_centre"]

_STEPS = 200


def analytic_centre(cuts: Any, start: Any = None, tol: float = 1e-9) -> np.ndarray:
    """Find the point with the largest product of slacks, that of the sphere included.

    Minimises ``-sum(log(cuts @ w)) - log(1 - w @ w)`` by damped Newton steps.

    Parameters
    ----------
    cuts : array-like of shape (n_cuts, n_dims)
        Unit rows.
    start : array-like of shape (n_dims,), optional
        A point strictly inside; the Chebyshev centre by default.
    tol : float, default=1e-9
        Newton decrement at which to stop.

    Returns
    -------
    ndarray of shape (n_dims,)

    Notes
    -----
    Cheap and smooth, but redundant cuts, which leave the body as it is, move the point.

    References
    ----------
    Nesterov and Nemirovskii (1994), Interior-point polynomial algorithms in convex programming.

    Examples
    --------
    >>> analytic_centre([[1.0]]).round(6).tolist()
    [0.57735]
    """
    cuts = check_cuts(cuts)
    if not tol > 0.0:
        raise ValueError(f"tol={tol} must be positive.")
    if start is None:
        start = chebyshev_centre(cuts).point
    w = check_inside(cuts, check_offsets(cuts, None), True, start)
    for _ in range(_STEPS):
        slack, room = cuts @ w, 1.0 - float(w @ w)
        gradient = 2.0 * w / room - (1.0 / slack) @ cuts
        scaled = cuts / slack[:, None]
        curvature = scaled.T @ scaled + 4.0 * np.outer(w, w) / room**2
        curvature.flat[:: len(w) + 1] += 2.0 / room
        step = -cho_solve(cho_factor(curvature), gradient)
        decrement = float(np.sqrt(max(-gradient @ step, 0.0)))
        w = w + step / (1.0 + decrement) if decrement > 0.25 else w + step
        if decrement <= tol:
            return w
    raise ArithmeticError(
        f"the analytic centre of {len(cuts)} cuts was not found in {_STEPS} Newton steps "
        f"(decrement {decrement:.3g}, tol {tol:g}); raise tol."
    )
