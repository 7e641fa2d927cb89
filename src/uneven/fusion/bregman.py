r"""Numerics of a vote that is learnt by minimising a Bregman divergence.

Every example ``i`` has a margin ``z_i``: its label (-1 or +1) times the vote it got. The example
weighs ``q_i = sigma(z_i) = 1 / (1 + exp(z_i))``, near 1 where the vote is badly wrong. The binary
relative entropy of the point 0 from ``q`` is the logistic loss of the margins, so bringing ``q``
towards 0 is logistic regression on what the voters answer.

With ``W+`` and ``W-`` the weights of the examples that a voter has right and wrong, the functions
here give the step of its weight and what the step gains, and, once every voter of a view has its
weight, how much each view should count.

References
----------
M. Collins, R. E. Schapire and Y. Singer (2002), *Logistic regression, AdaBoost and Bregman
distances*.
A. Goyal, E. Morvant and M.-R. Amini (2018), *Multiview learning of weighted majority vote by
Bregman divergence minimization*.

Notes
-----
Corrections of the sources: the vector that tilts a distribution ranges over all real vectors, not
over the unit cube; the bound of one step is ``W+ (exp(-d) - 1) + W- (exp(d) - 1)``, the printed
square of a difference falls without end as the step grows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit, logit, rel_entr

from uneven.utils.simplex import project_on_simplex

__all__ = [
    "VIEW_RULES",
    "hits_and_misses",
    "logistic_loss",
    "relative_entropy",
    "sigma",
    "step_and_gain",
    "tilt",
]

_LEAST_SMOOTHING = np.finfo(float).eps
_NEVER_ZERO = 1e-300
_TIE = 1e-12


def relative_entropy(p: np.ndarray, q: np.ndarray) -> float:
    """Binary relative entropy ``D_F(p || q)``, the Bregman divergence of the binary entropy.

    Parameters
    ----------
    p, q : ndarray of shape (n_samples,)
        In [0, 1].

    Returns
    -------
    float
        ``sum p ln(p / q) + (1 - p) ln((1 - p) / (1 - q))``: 0 if they agree, else positive.

    Examples
    --------
    >>> import numpy as np
    >>> q = np.array([0.5, 0.25])
    >>> relative_entropy(q, q)
    0.0
    >>> round(relative_entropy(np.zeros(2), q), 6)
    0.980829
    """
    return float(np.sum(rel_entr(p, q) + rel_entr(1.0 - p, 1.0 - q)))


def tilt(q: np.ndarray, r: np.ndarray) -> np.ndarray:
    """The ``p`` that minimises ``D_F(p || q) + <r, p>``, the Legendre transform ``L_F(q, r)``.

    Parameters
    ----------
    q : ndarray of shape (n_samples,)
        In [0, 1].
    r : ndarray of shape (n_samples,)
        Any real numbers.

    Returns
    -------
    ndarray of shape (n_samples,)
        ``q exp(-r) / (1 - q + q exp(-r))``.

    Examples
    --------
    >>> import numpy as np
    >>> tilt(np.array([0.5, 0.8]), np.array([0.0, np.log(4.0)]))
    array([0.5, 0.5])
    """
    return np.asarray(expit(logit(q) - r))


def sigma(z: np.ndarray) -> np.ndarray:
    """The decreasing logistic function ``1 / (1 + exp(z))``, for margins of any size.

    Parameters
    ----------
    z : ndarray

    Returns
    -------
    ndarray of the same shape

    Examples
    --------
    >>> import numpy as np
    >>> sigma(np.array([-800.0, 0.0, 800.0]))
    array([1. , 0.5, 0. ])
    """
    return np.asarray(expit(-z))


def logistic_loss(z: np.ndarray, mass: np.ndarray | float = 1.0) -> float:
    """Logistic loss of margins, which is ``D_F(0 || sigma(z))``.

    Divided by ``ln 2`` and by the number of examples it is an upper bound of the share of margins
    that are not positive.

    Parameters
    ----------
    z : ndarray of shape (n_samples,)
    mass : ndarray of shape (n_samples,), default=1.0
        How many examples each row stands for.

    Returns
    -------
    float
        ``sum mass ln(1 + exp(-z))``.

    Examples
    --------
    >>> import numpy as np
    >>> round(logistic_loss(np.array([0.0, -700.0])), 6)
    700.693147
    """
    return float(np.sum(mass * np.logaddexp(0.0, -z)))


def hits_and_misses(margins: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weight of the examples that each voter has right and wrong.

    Parameters
    ----------
    margins : ndarray of shape (n_samples, n_voters)
        Label times answer, in [-1, 1]; 0 where a voter abstains.
    q : ndarray of shape (n_samples,)
        Weights of the examples.

    Returns
    -------
    hits, misses : ndarray of shape (n_voters,)
        ``W+`` and ``W-``.

    Examples
    --------
    >>> import numpy as np
    >>> hits_and_misses(np.array([[1.0, 0.0], [-1.0, 0.5]]), np.array([0.2, 0.8]))
    (array([0.2, 0.4]), array([0.8, 0. ]))
    """
    return q @ np.maximum(margins, 0.0), q @ np.maximum(-margins, 0.0)


def step_and_gain(
    hits: np.ndarray, misses: np.ndarray, total: float, smoothing: float
) -> tuple[np.ndarray, float]:
    """Step of each voter's weight, and by how much the bound of the loss falls.

    Parameters
    ----------
    hits, misses : ndarray of shape (n_voters,)
        ``W+`` and ``W-``.
    total : float
        Sum of the weights of all examples.
    smoothing : float
        Share of ``total`` that is added to both. It only shortens the steps, so it cannot make
        the loss grow; without it a voter that is never wrong would get an infinite weight, which
        a share of machine precision always prevents.

    Returns
    -------
    step : ndarray of shape (n_voters,)
        ``ln(W+ / W-) / 2``, where the bound of the loss is least.
    gain : float
        ``sum (sqrt(W+) - sqrt(W-)) ** 2``, how much less it is there.

    Examples
    --------
    >>> import numpy as np
    >>> step, gain = step_and_gain(np.array([4.0, 1.0]), np.array([1.0, 1.0]), 5.0, 0.0)
    >>> step.round(6), round(gain, 6)
    (array([0.693147, 0.      ]), 1.0)
    """
    extra = max(smoothing, _LEAST_SMOOTHING) * total + _NEVER_ZERO
    hits, misses = hits + extra, misses + extra
    gain = np.sum((np.sqrt(hits) - np.sqrt(misses)) ** 2)
    return 0.5 * (np.log(hits) - np.log(misses)), float(gain)


def _fixed(rho: np.ndarray, gain: np.ndarray, votes: np.ndarray, mass: np.ndarray) -> np.ndarray:
    return rho


def _proportional(
    rho: np.ndarray, gain: np.ndarray, votes: np.ndarray, mass: np.ndarray
) -> np.ndarray:
    total = gain.sum()
    return gain / total if total > _NEVER_ZERO else rho


def _lp(rho: np.ndarray, gain: np.ndarray, votes: np.ndarray, mass: np.ndarray) -> np.ndarray:
    best = gain >= gain.max() * (1.0 - _TIE)
    return best / best.sum()


def _projected(
    rho: np.ndarray, gain: np.ndarray, votes: np.ndarray, mass: np.ndarray
) -> np.ndarray:
    return project_on_simplex(gain)


def _exact(rho: np.ndarray, gain: np.ndarray, votes: np.ndarray, mass: np.ndarray) -> np.ndarray:
    n = mass.sum()

    def loss_and_slope(weight: np.ndarray) -> tuple[float, np.ndarray]:
        z = votes @ weight
        return logistic_loss(z, mass) / n, -(mass * sigma(z)) @ votes / n

    found = minimize(
        loss_and_slope,
        rho,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(rho),
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0, "jac": np.ones_like},
        options={"ftol": 1e-12, "maxiter": 200},
    )
    return project_on_simplex(found.x)


def _frank_wolfe(
    rho: np.ndarray, gain: np.ndarray, votes: np.ndarray, mass: np.ndarray
) -> np.ndarray:
    steepest = (mass * sigma(votes @ rho)) @ votes
    corner = np.zeros_like(rho)
    corner[steepest.argmax()] = 1.0
    start, way = votes @ rho, votes @ (corner - rho)

    def slope(share: float) -> float:
        return -float((mass * sigma(start + share * way)) @ way)

    if slope(0.0) >= 0.0:
        return rho
    share = 1.0 if slope(1.0) <= 0.0 else brentq(slope, 0.0, 1.0)
    return (1.0 - share) * rho + share * corner


VIEW_RULES: dict[str, Callable[..., np.ndarray]] = {
    "proportional": _proportional,
    "fixed": _fixed,
    "exact": _exact,
    "frank_wolfe": _frank_wolfe,
    "lp": _lp,
    "projected": _projected,
}
"""How much each view should count, shape (n_views,), by the name of the rule.

Each rule gets the present weights of the views (n_views,), the gain of each view's step
(n_views,), what each view votes for the right label of each example (n_samples, n_views) and the
mass of the examples (n_samples,). Its answer is on the simplex.

"proportional"
    In proportion to the gains.
"fixed"
    No change.
"exact"
    The least logistic loss over the simplex, by sequential quadratic programming.
"frank_wolfe"
    As far towards the view along which the loss falls most steeply as it keeps falling.
"lp"
    All weight on the view with the largest gain, shared by ties.
"projected"
    The gains, projected on the simplex; even weights plus the gains have the same projection.
"""
