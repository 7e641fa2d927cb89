"""Closed forms of balls and cones in any dimension."""

from __future__ import annotations

import math

from scipy.special import betainc, gammaln

from uneven.bounds.arguments import check_dimensions, check_numbers

__all__ = [
    "ball_volume",
    "cap_share",
    "cone_centre_height",
    "cone_top_share",
    "cone_volume",
    "half_ball_centre",
    "log_ball_volume",
    "sphere_area",
]


def log_ball_volume(n_dims: int, radius: float = 1.0) -> float:
    """Logarithm of the volume of a ball.

    Parameters
    ----------
    n_dims : int
        At least 0; a ball of no dimension is a point of volume 1.
    radius : float, default=1.0

    Returns
    -------
    float
        ``-inf`` for a radius of zero in at least one dimension.

    Examples
    --------
    >>> round(log_ball_volume(1000), 3)
    -2038.966
    """
    check_dimensions(n_dims, least=0)
    check_numbers(radius=radius)
    if n_dims == 0:
        return 0.0
    if radius == 0.0:
        return -math.inf
    unit = n_dims / 2 * math.log(math.pi) - float(gammaln(n_dims / 2 + 1))
    return unit + n_dims * math.log(radius)


def ball_volume(n_dims: int, radius: float = 1.0) -> float:
    """Volume of a ball: ``pi**(D/2) / gamma(D/2 + 1) * radius**D``.

    Parameters
    ----------
    n_dims : int
    radius : float, default=1.0

    Returns
    -------
    float

    Examples
    --------
    >>> round(ball_volume(2), 6), round(ball_volume(3, 2.0), 6)
    (3.141593, 33.510322)
    """
    return math.exp(log_ball_volume(n_dims, radius))


def sphere_area(n_dims: int, radius: float = 1.0) -> float:
    """Surface of a ball: ``n_dims`` times its volume over the radius.

    Parameters
    ----------
    n_dims : int
        Dimension of the ball, at least 1: 2 for a circle.
    radius : float, default=1.0

    Returns
    -------
    float

    Examples
    --------
    >>> [round(sphere_area(n_dims), 6) for n_dims in (1, 2, 3)]
    [2.0, 6.283185, 12.566371]
    """
    check_dimensions(n_dims)
    check_numbers(radius=radius)
    return n_dims * ball_volume(n_dims) * radius ** (n_dims - 1)


def cone_volume(n_dims: int, radius: float, height: float) -> float:
    """Volume of a cone over a ball of one dimension less.

    Parameters
    ----------
    n_dims : int
        Dimension of the cone, at least 1.
    radius : float
        Of the base.
    height : float

    Returns
    -------
    float

    Examples
    --------
    >>> round(cone_volume(3, 1.0, 3.0), 6)
    3.141593
    """
    check_dimensions(n_dims)
    check_numbers(radius=radius, height=height)
    return ball_volume(n_dims - 1, radius) * height / n_dims


def cone_centre_height(n_dims: int, height: float = 1.0) -> float:
    """Height of the centre of gravity of a cone above its base: ``height / (n_dims + 1)``.

    Parameters
    ----------
    n_dims : int
    height : float, default=1.0

    Returns
    -------
    float

    Examples
    --------
    >>> cone_centre_height(3, 4.0)
    1.0
    """
    check_dimensions(n_dims)
    check_numbers(height=height)
    return height / (n_dims + 1)


def cone_top_share(n_dims: int, shift: float = 0.0) -> float:
    """Share of a cone above a cut parallel to its base.

    Parameters
    ----------
    n_dims : int
    shift : float, default=0.0
        Where the cut is between the centre of gravity (0) and the tip (1).

    Returns
    -------
    float
        ``((1 - shift) * D / (D + 1))**D``; Grünbaum's bound without a shift.

    Notes
    -----
    The source counts one dimension less, and prints an exponent too low by one in the last line.

    Examples
    --------
    >>> round(cone_top_share(2), 6), round(cone_top_share(3, 0.5), 6)
    (0.444444, 0.052734)
    """
    check_dimensions(n_dims)
    if not 0.0 <= shift <= 1.0:
        raise ValueError(f"shift={shift} must lie between 0 and 1.")
    return float(((1.0 - shift) * n_dims / (n_dims + 1)) ** n_dims)


def half_ball_centre(n_dims: int) -> float:
    """Distance of the centre of gravity of half a unit ball from the flat side.

    Parameters
    ----------
    n_dims : int

    Returns
    -------
    float

    Examples
    --------
    >>> [round(half_ball_centre(n_dims), 6) for n_dims in (1, 2, 3)]
    [0.5, 0.424413, 0.375]
    """
    check_dimensions(n_dims)
    slices = log_ball_volume(n_dims - 1) - log_ball_volume(n_dims)
    return 2.0 / (n_dims + 1) * math.exp(slices)


def cap_share(n_dims: int, angle: float) -> float:
    """Share of the directions within an angle of a given one.

    Parameters
    ----------
    n_dims : int
        At least 2.
    angle : float
        In radians, between 0 and pi.

    Returns
    -------
    float

    Examples
    --------
    >>> round(cap_share(3, math.pi / 2), 6), round(cap_share(2, math.pi / 4), 6)
    (0.5, 0.25)
    """
    check_dimensions(n_dims, least=2)
    if not 0.0 <= angle <= math.pi:
        raise ValueError(f"angle={angle} must lie between 0 and pi.")
    share = 0.5 * float(betainc((n_dims - 1) / 2, 0.5, math.sin(angle) ** 2))
    return share if angle <= math.pi / 2 else 1.0 - share
