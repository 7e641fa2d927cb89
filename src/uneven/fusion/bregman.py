"""Numerics of a vote that is learnt by minimising a Bregman divergence.

Every example ``i`` has a margin ``z_i``: its label (-1 or +1) times the vote it got. The example
weighs ``q_i = sigma(z_i) = 1 / (1 + exp(z_i))``, near 1 where the vote is badly wrong. The binary
relative entropy of the point 0 from ``q`` is the logistic loss of the margins, so bringing ``q``
towards 0 is logistic regression on the predictions of the voters.

With ``W+`` and ``W-`` the weights of the examples that a voter has right and wrong, the functions
here give the step of its weight and what the step gains, and, once every voter of a view has its
weight, how much each view should count. :class:`Descent` takes both by turns.

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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit, logit, rel_entr

from uneven.utils.parallel import ThreadPool
from uneven.utils.simplex import project_on_simplex

_LEAST_SMOOTHING = np.finfo(float).eps
_NEVER_ZERO = 1e-300
_TIE = 1e-12
_HALVINGS = 10
_PARALLEL_ENTRIES = 400_000


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
        Number of examples that each row represents.

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
        Label times prediction, in [-1, 1]; 0 where a voter abstains.
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


@dataclass
class DoubleWeights:
    """What was learnt.

    Attributes
    ----------
    view_weight : ndarray of shape (n_views,)
        Not negative, sums to 1.
    voter_weight : list of ndarray of shape (n_voters,)
        One array per view.
    history : dict of str to list
        One entry per iteration: ``loss_after_voters`` and ``loss_after_views``, the logistic loss
        after each half of it, and ``view_weight``.
    """

    view_weight: np.ndarray
    voter_weight: list[np.ndarray]
    history: dict[str, list]

    def joint(self, view: int) -> np.ndarray:
        """What the voters of a view weigh in the whole vote, shape (n_voters,)."""
        return np.asarray(self.view_weight[view] * self.voter_weight[view])


@dataclass(frozen=True)
class Descent:
    """Learns the weights of given voters by turns: all voters at once, then the views.

    Attributes
    ----------
    rule : str
        Weights of the views, a key of :data:`uneven.fusion.bregman.VIEW_RULES`.
    max_iter : int
    smoothing : float or None
        Share of the examples' weight added to what a voter has right and wrong; None is one
        example's share.
    shared_step : bool
        Divide each step by the number of voters in its view. Then the loss cannot grow.
    guarded : bool
        Move the weights of the views only as far as the loss does not grow.
    floor : float or None
        Least weight of a view when guarded, where the loss allows it; None is 0.001 / n_views.
    tol : float
        Stop when an iteration lowers the loss by less than this share of it.
    clip_negative : bool
        Keep the weights of the voters from becoming negative.
    drop_last : bool
        Return the weights before the last iteration.

    Examples
    --------
    Two voters in one view, the first always right: it gets the larger weight.

    >>> import numpy as np
    >>> margins = np.array([[1.0, 1.0], [1.0, -1.0]])
    >>> learnt = Descent("fixed", max_iter=2).learn([margins], np.ones(2))
    >>> learnt.voter_weight[0].round(3)
    array([1.049, 0.353])
    """

    rule: str = "proportional"
    max_iter: int = 2
    smoothing: float | None = None
    shared_step: bool = True
    guarded: bool = True
    floor: float | None = None
    tol: float = 0.0
    clip_negative: bool = False
    drop_last: bool = False

    def learn(
        self, margins: Sequence[np.ndarray], mass: np.ndarray, pool: ThreadPool | None = None
    ) -> DoubleWeights:
        """Learn from the predictions of the voters.

        Parameters
        ----------
        margins : sequence of ndarray of shape (n_samples, n_voters)
            One array per view: label times prediction, in [-1, 1]; 0 where a voter abstains.
        mass : ndarray of shape (n_samples,)
            Number of examples that each row represents.
        pool : ThreadPool, optional
            Threads for the views; they do not change the result.

        Returns
        -------
        DoubleWeights
        """
        n_views = len(margins)
        rho = np.full(n_views, 1.0 / n_views)
        pi = [np.full(M.shape[1], 1.0 / max(1, M.shape[1])) for M in margins]
        history: dict[str, list] = {
            "loss_after_voters": [],
            "loss_after_views": [],
            "view_weight": [],
        }
        learnt = earlier = DoubleWeights(rho, pi, history)
        votes = _votes(margins, pi)
        loss = logistic_loss(votes @ rho, mass)
        for _ in range(self.max_iter):
            earlier = learnt
            q = mass * sigma(votes @ rho)
            pi, gain = self._weigh_voters(margins, pi, q, mass.sum(), pool)
            votes = _votes(margins, pi)
            history["loss_after_voters"].append(logistic_loss(votes @ rho, mass))
            target = VIEW_RULES[self.rule](rho, gain, votes, mass)
            rho = self._settle(rho, target, votes, mass) if self.guarded else target
            history["loss_after_views"].append(logistic_loss(votes @ rho, mass))
            history["view_weight"].append(rho)
            learnt = DoubleWeights(rho, pi, history)
            before, loss = loss, history["loss_after_views"][-1]
            if abs(before - loss) < self.tol * before:
                break
        return earlier if self.drop_last else learnt

    def _weigh_voters(
        self,
        margins: Sequence[np.ndarray],
        pi: list[np.ndarray],
        q: np.ndarray,
        n_examples: float,
        pool: ThreadPool | None,
    ) -> tuple[list[np.ndarray], np.ndarray]:
        """Move every voter's weight at once; return the new weights and the gain of each view."""
        smoothing = 1.0 / n_examples if self.smoothing is None else self.smoothing
        total = float(q.sum())

        def weigh(M: np.ndarray, old: np.ndarray) -> tuple[np.ndarray, float]:
            step, gain = step_and_gain(*hits_and_misses(M, q), total, smoothing)
            shares = max(1, len(old)) if self.shared_step else 1
            new = old + step / shares
            return np.maximum(new, 0.0) if self.clip_negative else new, gain / shares

        jobs: list[Callable[[], tuple[np.ndarray, float]]] = [
            partial(weigh, M, old) for M, old in zip(margins, pi)
        ]
        worth = sum(M.size for M in margins) > _PARALLEL_ENTRIES
        done = (pool or ThreadPool()).map(jobs, worth=worth)
        return [new for new, _ in done], np.array([gain for _, gain in done])

    def _settle(
        self, rho: np.ndarray, target: np.ndarray, votes: np.ndarray, mass: np.ndarray
    ) -> np.ndarray:
        """Go towards ``target`` as far as the loss does not grow, then lift views to the floor."""
        limit = logistic_loss(votes @ rho, mass)
        for share in 0.5 ** np.arange(_HALVINGS + 1):
            moved = (1.0 - share) * rho + share * target
            if logistic_loss(votes @ moved, mass) <= limit:
                rho = moved
                break
        floor = 1e-3 / len(rho) if self.floor is None else self.floor
        lifted = np.maximum(rho, floor)
        lifted /= lifted.sum()
        limit = logistic_loss(votes @ rho, mass)
        return lifted if logistic_loss(votes @ lifted, mass) <= limit else rho


def _votes(margins: Sequence[np.ndarray], pi: list[np.ndarray]) -> np.ndarray:
    """What each view votes for the right label of each example, shape (n_samples, n_views)."""
    return np.column_stack([M @ weight for M, weight in zip(margins, pi)])
