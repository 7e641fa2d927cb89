"""Convex bodies in any dimension: closed forms of balls and cones, and what cuts leave of a body.

Everywhere ``n_dims`` is the dimension of the body, at least 1. Louche (2016) is the thesis *From
confusion noise to active learning: playing on label availability in linear classification
problems*, Aix-Marseille Université.
"""

from __future__ import annotations

import math

from scipy.special import betainc, gammaln

from uneven.bounds.arguments import check_dimensions, check_numbers


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
    radius, height : float
        Of the base, and over it.

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


def grunbaum_share(n_dims: int | None = None) -> float:
    """Least share of a convex body on either side of a cut through its centre of gravity.

    Parameters
    ----------
    n_dims : int, optional
        Dimension of the body; the bound for all dimensions, 1/e, if not given.

    Returns
    -------
    float
        ``(D / (D + 1))**D``, which a cone reaches. A cut leaves at most one minus this.

    References
    ----------
    Grünbaum (1960), Partitions of mass-distributions and of convex bodies by hyperplanes.
    Louche (2016), theorem 5.1.

    Examples
    --------
    >>> [round(grunbaum_share(n_dims), 4) for n_dims in (1, 2, 3, None)]
    [0.5, 0.4444, 0.4219, 0.3679]
    """
    if n_dims is None:
        return math.exp(-1.0)
    check_dimensions(n_dims)
    return math.exp(-n_dims * math.log1p(1.0 / n_dims))


def cutting_plane_steps(log_share: float, n_dims: int | None = None) -> float:
    """Bound the cuts through centres of gravity until a version space is all that is left.

    Parameters
    ----------
    log_share : float
        Logarithm of the share of the version space in the body at the start, at most 0; see
        `uneven.versionspace.log_volume`.
    n_dims : int, optional
        Sharpens the bound in low dimension.

    Returns
    -------
    float
        ``log_share / log(1 - grunbaum_share(n_dims))``, about 2.18 times ``-log_share`` in all
        dimensions.

    Notes
    -----
    The source prints the order ``log(volume)``, a negative number for volumes below one.

    Examples
    --------
    >>> round(cutting_plane_steps(math.log(1e-3)), 2)
    15.06
    """
    if not log_share <= 0.0:
        raise ValueError(f"log_share={log_share} is no logarithm of a share: it must be at most 0.")
    return abs(log_share / math.log1p(-grunbaum_share(n_dims)))


def approximate_centre_lambda(
    distance: float, density: float, above: float, below: float, n_dims: int, *, log: bool = False
) -> float:
    """How far off a cut is, as the theorem on cuts near the centre of gravity counts it.

    Parameters
    ----------
    distance : float
        Of the centre of gravity from the cut.
    density : float
        At the cut, of the distance of a uniform point of the body from it (samples give it).
    above : float
        How far the body reaches beyond the cut, on the side without the centre of gravity.
    below : float
        How far it reaches on the side of the centre of gravity.
    n_dims : int
        Dimension of the body.
    log : bool, default=False
        Whether to return the logarithm, which does not overflow in many dimensions.

    Returns
    -------
    float
        Lambda: 0 through the centre; 1 and more promise nothing; see `approximate_centre_share`.

    Notes
    -----
    ``distance * density * (D + 1)**D / D**2 * (below / above)**(D - 1)``. The density times the
    volume is the area of the slice, so no volume is needed. The factor is 2.25 for D = 2 but 311
    for D = 5: beyond a few dimensions the theorem is a guide for comparing cuts, no guarantee. The
    source prints the condition without the powers, in units that do not fit, and allows any real
    lambda; this is the form its proof gives.

    References
    ----------
    Louche (2016), theorem 5.2 and appendix A.3.

    Examples
    --------
    >>> round(approximate_centre_lambda(0.1, 0.5, 1.0, 1.0, n_dims=2), 6)
    0.1125
    """
    check_dimensions(n_dims)
    check_numbers(distance=distance, density=density, above=above, below=below)
    if distance == 0.0 or density == 0.0:
        return -math.inf if log else 0.0
    if above == 0.0:
        return math.inf
    if below == 0.0:
        raise ValueError("below=0: the centre of gravity lies inside of the body, not at its end.")
    factor = n_dims * math.log(n_dims + 1) - 2 * math.log(n_dims)
    tilt = (n_dims - 1) * (math.log(below) - math.log(above))
    value = math.log(distance) + math.log(density) + factor + tilt
    return value if log else _exp(value)


def approximate_centre_scale(
    volume: float, slice_radius: float, above: float, below: float, n_dims: int
) -> float:
    """Distance from the centre of gravity at which the theorem promises nothing any more.

    Parameters
    ----------
    volume : float
        Of the body.
    slice_radius : float
        Radius of the ball of ``n_dims - 1`` dimensions that has the area of the slice.
    above, below : float
        How far the body reaches from the cut, without and with the centre of gravity.
    n_dims : int

    Returns
    -------
    float
        Lambda is the distance of the centre of gravity over this.

    Notes
    -----
    The slice is a body of ``n_dims - 1`` dimensions; the source lets its ball have one less.

    Examples
    --------
    >>> round(0.1 / approximate_centre_scale(4.0, 1.0, 1.0, 1.0, n_dims=2), 6)
    0.1125
    """
    check_dimensions(n_dims)
    check_numbers(volume=volume, slice_radius=slice_radius, above=above, below=below)
    if min(volume, slice_radius, above, below) == 0.0:
        raise ValueError(
            f"volume={volume}, slice_radius={slice_radius}, above={above}, below={below}: a cut "
            "through a body leaves all of them positive."
        )
    area = log_ball_volume(n_dims - 1, slice_radius)
    factor = 2 * math.log(n_dims) - n_dims * math.log(n_dims + 1)
    tilt = (n_dims - 1) * (math.log(above) - math.log(below))
    return _exp(factor + math.log(volume) - area + tilt)


def approximate_centre_share(lam: float, n_dims: int | None = None) -> float:
    """Least share of a convex body beyond a cut that misses its centre of gravity.

    Parameters
    ----------
    lam : float
        From `approximate_centre_lambda`, at least 0.
    n_dims : int, optional
        Dimension of the body. It is needed if lambda is not zero.

    Returns
    -------
    float
        ``grunbaum_share(D) * (1 - lam)**D``; 0 from a lambda of 1 on. The side with the centre of
        gravity keeps at least `grunbaum_share`.

    Examples
    --------
    >>> round(approximate_centre_share(0.1125, 2), 4), approximate_centre_share(1.5, 2)
    (0.3501, 0.0)
    """
    check_numbers(lam=lam)
    if lam == 0.0:
        return grunbaum_share(n_dims)
    if n_dims is None:
        raise ValueError(f"lam={lam}: the share depends on n_dims unless lam is 0.")
    return grunbaum_share(n_dims) * max(1.0 - lam, 0.0) ** n_dims


def _exp(value: float) -> float:
    return math.exp(value) if value < 700.0 else math.inf
