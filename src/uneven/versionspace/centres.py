"""Centres that are optimal points: of the largest ball inside (Chebyshev), and the analytic centre.

The analytic centre is as far as possible from all cuts and the sphere at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import linprog

from uneven.linear.hard_margin import NotSeparableError, hard_margin
from uneven.versionspace.cone import EmptyVersionSpaceError, check_cuts, check_inside, check_offsets


class ChebyshevCentre(NamedTuple):
    """The largest ball inside.

    Attributes
    ----------
    point : ndarray of shape (n_dims,)
        Its middle.
    radius : float
        Distance of the middle from the nearest cut, and from the sphere.
    """

    point: np.ndarray
    radius: float


def chebyshev_centre(cuts: Any, offsets: Any = None) -> ChebyshevCentre:
    """Find the largest ball inside a version space, or inside a polytope.

    Parameters
    ----------
    cuts : array-like of shape (n_cuts, n_dims)
        Unit rows.
    offsets : array-like of shape (n_cuts,), optional
        If given, the body is ``cuts @ w >= offsets`` without the unit ball.

    Returns
    -------
    ChebyshevCentre

    Raises
    ------
    EmptyVersionSpaceError
        If nothing lies strictly inside all half-spaces.

    Notes
    -----
    With w the shortest vector of product at least 1 with every cut, the hard-margin support
    vector machine through the origin, the centre is ``w / (1 + norm(w))`` and the radius
    ``1 / (1 + norm(w))``: the ball touches the sphere and the cuts of the support vectors. This
    needs unit rows. A polytope is a linear program. The source gives the centre as the point of
    least distance from the farthest one, which is another centre. It can be far from the centre
    of gravity in long and thin spaces, and then cuts through it may leave nearly everything.

    References
    ----------
    Louche (2016), sections 5.3 and 6.1.

    Examples
    --------
    >>> point, radius = chebyshev_centre([[1.0, 0.0], [0.0, 1.0]])
    >>> point.round(6).tolist(), round(radius, 6)
    ([0.414214, 0.414214], 0.414214)
    """
    cuts = check_cuts(cuts)
    if offsets is not None:
        return _of_polytope(cuts, check_offsets(cuts, offsets))
    if not len(cuts):
        return ChebyshevCentre(np.zeros(cuts.shape[1]), 1.0)
    try:
        w = hard_margin(cuts).w
    except NotSeparableError as error:
        raise EmptyVersionSpaceError(
            f"the {len(cuts)} cuts leave nothing of the ball, or less than can be told from "
            "nothing: no classifier through the origin agrees with all labels. Check them, add a "
            "constant column or use ridge (flip is for propagation only)."
        ) from error
    length = float(np.linalg.norm(w))
    return ChebyshevCentre(w / (1.0 + length), 1.0 / (1.0 + length))


def inside(cuts: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Move a point towards the Chebyshev centre until it lies strictly inside all cuts.

    cuts: (n_cuts, n_dims); point: (n_dims,). Returns (n_dims,), the point itself if it is inside
    already; the centre if even that is on a cut, as can happen by rounding in spaces that are
    thinner than floating point can resolve.

    Examples
    --------
    >>> inside(np.eye(2), np.array([0.5, 0.5])).tolist()
    [0.5, 0.5]
    >>> bool((inside(np.eye(2), np.array([0.5, -0.1])) > 0).all())
    True
    """
    slack = cuts @ point
    if (slack > 0.0).all():
        return point
    middle = chebyshev_centre(cuts).point
    reach = cuts @ middle
    wrong = slack <= 0.0
    if (reach[wrong] <= 0.0).any():
        return middle
    share = float((-slack[wrong] / (reach[wrong] - slack[wrong])).max())
    share += 0.01 * (1.0 - share)
    return point + share * (middle - point)


def _of_polytope(cuts: np.ndarray, offsets: np.ndarray) -> ChebyshevCentre:
    n_cuts, n_dims = cuts.shape
    found = linprog(
        np.append(np.zeros(n_dims), -1.0),
        A_ub=np.column_stack([-cuts, np.ones(n_cuts)]),
        b_ub=-offsets,
        bounds=[(None, None)] * n_dims + [(0.0, None)],
    )
    if found.status == 3:
        raise ValueError(f"the {n_cuts} half-spaces do not bound a body: any ball fits in.")
    if found.x is None or found.x[-1] <= 0.0:
        raise EmptyVersionSpaceError(f"nothing lies strictly inside all {n_cuts} half-spaces.")
    return ChebyshevCentre(found.x[:-1], float(found.x[-1]))


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
