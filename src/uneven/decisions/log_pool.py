"""A log-linear pool: one probability from those of several classifiers, fitted on unseen rows.

    p(c | x)  ~  exp( sum_m a_m log p_m(c | x) + b_c ),    a >= 0

The weights and the class biases minimise the log-loss on rows that the members were not fitted to,
plus a quadratic penalty on deviations from equal weights and zero bias. The problem is convex, with
one optimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from uneven.decisions.rows import check_codes, check_probabilities, effective_mass, share_of_classes
from uneven.utils.model_types import LARGEST, check_numbers, check_shares, persisted

LEAST_FLOOR, MOST_FLOOR = 1e-6, 1e-2

_BIAS_PENALTY, _UNKNOWN_BIAS_PENALTY = 0.03, 10.0
"""Price of a squared class bias for every row of the class, and for a class without rows."""

_ROUNDS_WITH_GAPS = 4


@persisted("log_pool", role="pool")
@dataclass(frozen=True, eq=False)
class LogPool:
    """Weights of members and biases of classes.

    Attributes
    ----------
    weights : ndarray of shape (n_members,)
        Not negative. They need not add up to 1: a sum above 1 sharpens the probabilities.
    bias : ndarray of shape (n_classes,)
    prior : ndarray of shape (n_classes,)
        Class frequencies in training: the probabilities where every member abstains.
    floors : ndarray of shape (n_members,)
        Lower bounds of the probabilities of each member, so that none can veto a class; for tiny
        classes they are lower, see :func:`log_probabilities`.
    shares_gaps : bool
        How members that abstain are treated. True: the others share their weight. False: they are
        replaced by the class frequencies, so that the pool is less certain if more members abstain.
    """

    weights: np.ndarray
    bias: np.ndarray
    prior: np.ndarray
    floors: np.ndarray
    shares_gaps: bool = True

    def probabilities(self, members: Sequence[Any]) -> np.ndarray:
        """Pool the probabilities of the members.

        Parameters
        ----------
        members : sequence of array-like of shape (n_samples, n_classes)
            A member abstains in rows that are NaN.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        if len(members) != len(self.weights):
            raise ValueError(f"the pool has {len(self.weights)} members, got {len(members)}.")
        said = _stack(members, len(self.bias))
        logs = log_probabilities(said, self.floors, self.prior)
        gaps = np.isnan(said).any(axis=2)
        weights = self.weights if self.shares_gaps else None
        filled = _fill_gaps(logs, gaps, weights, self.prior)
        scores = np.tensordot(self.weights, filled, axes=1)
        pooled = softmax(scores + self.bias, axis=1)
        pooled[gaps.all(axis=0)] = self.prior
        return np.asarray(pooled)

    def _check_model_(self, n_classes: int) -> None:
        """Refuse loaded numbers that no fit leaves behind."""
        check_numbers(self.weights, self.weights.shape, "weights of members", most=LARGEST)
        floors = check_numbers(self.floors, self.weights.shape, "least probabilities")
        if self.weights.ndim != 1 or not floors.all():
            raise ValueError("it has no least probability for every member")
        check_numbers(self.bias, (n_classes,), "biases of classes", True, LARGEST)
        check_shares(self.prior, n_classes)
        if type(self.shares_gaps) is not bool:
            raise ValueError(f"its gaps are shared: {self.shares_gaps!r}")


def fit_log_pool(
    members: Sequence[Any],
    y: Any,
    sample_weight: Any = None,
    *,
    weight_penalty: float = 3.0,
    bias_penalty: Any = 10.0,
    tolerance: float = 1e-13,
    prior: Any = None,
) -> LogPool:
    """Fit a log-linear pool on rows that the members were not fitted to.

    Minimises the mean log-loss plus ``weight_penalty * sum (a - 1/M)^2 / n`` plus
    ``bias_penalty * sum b^2 / n`` over ``a >= 0`` and ``b``, where n is the number of rows.

    Parameters
    ----------
    members : sequence of M array-like of shape (n_samples, n_classes)
        Probabilities. Zeros count as half of the smallest one of the member, within 1e-6 and 0.01,
        at most half of the class frequency: a forest that never voted for a class is less certain
        than a boost that gives it 1e-9. Rows
        of NaN: the member abstains. Either its weight is shared among the others in proportion to
        their weights, or it is replaced by the class frequencies: whichever has the smaller loss,
        so that the pool learns how certain to be where many abstain. Without such rows here, the
        others share.
    y : array-like of int, shape (n_samples,), or of float, shape (n_samples, n_classes)
        Class codes from 0 to n_classes - 1. Or, where only a sign of the class was observed, such
        as a noisy label, the probability of that sign for each class; the loss of a row is then
        ``-log sum_c p(c | x) y_c``.
    sample_weight : array-like of shape (n_samples,), optional
        Only their ratios count. Uneven weights count as fewer rows in the penalties.
    weight_penalty : float
    bias_penalty : float or array-like of shape (n_classes,)
        How many rows' worth of evidence it takes to leave equal weights, and no bias.
    tolerance : float, default=1e-13
        The search ends when a step lowers the loss by less than this share.
    prior : array-like of shape (n_classes,), optional
        Class frequencies; by default those of ``y``.

    Returns
    -------
    LogPool

    References
    ----------
    C. Genest and J. V. Zidek (1986), *Combining probability distributions: a critique and an
    annotated bibliography*.

    Examples
    --------
    An overconfident member is softened:

    >>> import numpy as np
    >>> said = np.repeat([[0.99, 0.01], [0.01, 0.99]], 50, axis=0)
    >>> truth = np.repeat([0, 1, 1, 0], [40, 10, 40, 10])
    >>> pool = fit_log_pool([said], truth)
    >>> pool.probabilities([said])[[0, -1]].round(1)
    array([[0.8, 0.2],
           [0.2, 0.8]])
    """
    if not len(members):
        raise ValueError("members is empty: a pool needs at least one array of probabilities.")
    n_classes = np.shape(members[0])[-1]
    said = _stack(members, n_classes)
    floors = np.array([probability_floor(p) for p in said])
    told = _as_told(y, said.shape[1], n_classes)
    mass = effective_mass(sample_weight, len(told))
    prior = _shares_told(told, mass, n_classes) if prior is None else np.asarray(prior)
    logs, gaps = log_probabilities(said, floors, prior), np.isnan(said).any(axis=2)
    spoken = (~gaps.all(axis=0)) & (mass > 0.0)
    logs, gaps, told, mass = logs[:, spoken], gaps[:, spoken], told[spoken], mass[spoken]
    weights = np.full(len(logs), 1.0 / len(logs))
    bias = np.zeros(n_classes)
    if not len(told):
        return LogPool(weights, bias, prior, floors)
    start = np.concatenate([weights, bias])
    held = np.broadcast_to(np.asarray(bias_penalty, dtype=np.float64), (n_classes,))
    penalty = np.concatenate([np.full(len(weights), float(weight_penalty)), held])
    pools = [_with_shared_gaps(logs, gaps, told, mass, start, penalty, tolerance)]
    if gaps.any():
        filled = _fill_gaps(logs, gaps, None, prior)
        pools.append(minimise_pool_loss(filled, told, mass, start, penalty, tolerance))
    (found, _), shares_gaps = min(zip(pools, (True, False)), key=lambda one: one[0][1])
    weights, bias = found[: len(logs)], found[len(logs) :]
    return LogPool(weights, bias, prior, floors, shares_gaps)


def _with_shared_gaps(
    logs: np.ndarray,
    gaps: np.ndarray,
    told: np.ndarray,
    mass: np.ndarray,
    start: np.ndarray,
    penalty: np.ndarray,
    tolerance: float,
) -> tuple[np.ndarray, float]:
    """Optimum and loss where the others share the weight of those that abstain, in turns."""
    weights = start[: len(logs)]
    for _ in range(_ROUNDS_WITH_GAPS if gaps.any() else 1):
        filled = _fill_gaps(logs, gaps, weights)
        found, loss = minimise_pool_loss(filled, told, mass, start, penalty, tolerance)
        weights = found[: len(logs)]
    return found, loss


def minimise_pool_loss(
    logs: np.ndarray,
    told: np.ndarray,
    mass: np.ndarray,
    centre: np.ndarray,
    penalty: np.ndarray,
    tolerance: float,
) -> tuple[np.ndarray, float]:
    """Find the weights and biases with the smallest penalised loss.

    Parameters
    ----------
    logs : ndarray of shape (n_members, n_samples, n_classes)
    told : ndarray of int, shape (n_samples,), or of float, shape (n_samples, n_classes)
        Class codes, or the probability of what was observed for each class.
    mass : ndarray of shape (n_samples,)
    centre, penalty : ndarray of shape (n_members + n_classes,)
        The search begins at ``centre``; ``sum penalty * (parameters - centre)^2 / sum mass`` is
        added to the mean log-loss.
    tolerance : float
        The search ends when a step lowers the loss by less than this share.

    Returns
    -------
    parameters : ndarray of shape (n_members + n_classes,)
    loss : float
    """
    bounds = [(0.0, np.inf)] * len(logs) + [(-np.inf, np.inf)] * (len(centre) - len(logs))
    found = minimize(
        pool_loss,
        centre,
        args=(np.ascontiguousarray(logs), told, mass / mass.sum(), centre, penalty / mass.sum()),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 1000, "ftol": tolerance, "gtol": 1e-8},
    )
    return np.asarray(found.x), float(found.fun)


def pool_loss(
    parameters: np.ndarray,
    logs: np.ndarray,
    told: np.ndarray,
    share: np.ndarray,
    centre: np.ndarray,
    penalty: np.ndarray,
) -> tuple[float, np.ndarray]:
    """Penalised log-loss of a pool, and its gradient.

    Parameters
    ----------
    parameters : ndarray of shape (n_members + n_classes,)
        Weights, then biases.
    logs : ndarray of shape (n_members, n_samples, n_classes)
        Logarithms of the probabilities of the members.
    told : ndarray of int, shape (n_samples,), or of float, shape (n_samples, n_classes)
        Class codes, or the probability of what was observed for each class.
    share : ndarray of shape (n_samples,)
        What each row counts; they sum to 1.
    centre, penalty : ndarray of shape (n_members + n_classes,)
        ``sum penalty * (parameters - centre)^2`` is added.

    Returns
    -------
    loss : float
    gradient : ndarray of shape (n_members + n_classes,)
    """
    weights, bias = parameters[: len(logs)], parameters[len(logs) :]
    loss_of = softmax_loss if told.ndim == 1 else evidence_loss
    loss, slope = loss_of(np.tensordot(weights, logs, axes=1) + bias, told, share)
    moved = parameters - centre
    by_member = logs.reshape(len(logs), -1) @ slope.ravel()
    gradient = np.concatenate([by_member, slope.sum(axis=0)])
    return loss + float(penalty @ moved**2), gradient + 2.0 * penalty * moved


def softmax_loss(
    scores: np.ndarray, codes: np.ndarray, share: np.ndarray
) -> tuple[float, np.ndarray]:
    """Log-loss of the softmax of scores, and its gradient in the scores.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
    codes : ndarray of int, shape (n_samples,)
    share : ndarray of shape (n_samples,)
        What each row counts; they sum to 1.

    Returns
    -------
    loss : float
    slope : ndarray of shape (n_samples, n_classes)
        Share times the excess of the softmax.

    Examples
    --------
    >>> import numpy as np
    >>> loss, slope = softmax_loss(np.zeros((1, 2)), np.array([1]), np.ones(1))
    >>> round(loss, 3), slope.tolist()
    (0.693, [[0.5, -0.5]])
    """
    slope = scores - scores.max(axis=1, keepdims=True)
    rows = np.arange(len(codes))
    told = slope[rows, codes]
    np.exp(slope, out=slope)
    totals = slope.sum(axis=1)
    slope *= (share / totals)[:, None]
    slope[rows, codes] -= share
    return float(share @ (np.log(totals) - told)), slope


def evidence_loss(
    scores: np.ndarray, chances: np.ndarray, share: np.ndarray
) -> tuple[float, np.ndarray]:
    """Minus the log-likelihood of what was observed, and its gradient in the scores.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Their softmax is the probability of each class.
    chances : ndarray of shape (n_samples, n_classes)
        Probability of the observation for each class.
    share : ndarray of shape (n_samples,)
        What each row counts; they sum to 1.

    Returns
    -------
    loss : float
    slope : ndarray of shape (n_samples, n_classes)
        Share times the excess of the softmax over the probabilities given the observation.

    Examples
    --------
    >>> import numpy as np
    >>> loss, slope = evidence_loss(np.zeros((1, 2)), np.array([[0.2, 0.6]]), np.ones(1))
    >>> round(float(np.exp(-loss)), 3), slope.round(2).tolist()
    (0.4, [[0.25, -0.25]])
    """
    shares = softmax(scores, axis=1)
    joint = shares * chances
    total = np.maximum(joint.sum(axis=1), np.finfo(float).tiny)
    slope = (shares - joint / total[:, None]) * share[:, None]
    return -float(share @ np.log(total)), slope


def _as_told(y: Any, n_samples: int, n_classes: int) -> np.ndarray:
    """Checked class codes, or probabilities of observations (n_samples, n_classes)."""
    if np.ndim(y) < 2:
        return check_codes(y, n_samples, n_classes)
    chances = np.asarray(y, dtype=np.float64)
    if chances.shape != (n_samples, n_classes):
        raise ValueError(
            f"y has the shape {chances.shape}, but there are {n_samples} rows and {n_classes} "
            "classes."
        )
    odd = np.flatnonzero(~((chances >= 0.0) & (chances <= 1.0)).all(axis=1))
    odd = odd if odd.size else np.flatnonzero(~chances.any(axis=1))
    if odd.size:
        raise ValueError(
            f"row {odd[0]} of y must hold probabilities, not all of them 0; got {chances[odd[0]]}."
        )
    return chances


def _shares_told(told: np.ndarray, mass: np.ndarray, n_classes: int) -> np.ndarray:
    """Share of each class in the mass, shape (n_classes,)."""
    if told.ndim == 1:
        return share_of_classes(told, mass, n_classes)
    return np.asarray(mass @ (told / told.sum(axis=1, keepdims=True)) / mass.sum())


def bias_penalty_of(sizes: np.ndarray) -> np.ndarray:
    """Penalty of each class bias that leaves the bias of a tiny class nearly free.

    The mean probability of a class is known from all rows, however few are its own. Models that
    have not seen a row of a tiny class have seen few of that class at all, and give it too small a
    probability; a temperature below 1 gives it too large a one. The bias makes up for both.

    Parameters
    ----------
    sizes : ndarray of shape (n_classes,)
        Number of rows of each class.

    Returns
    -------
    ndarray of shape (n_classes,)
    """
    return np.where(sizes > 0.0, _BIAS_PENALTY * sizes, _UNKNOWN_BIAS_PENALTY)


def _stack(members: Sequence[Any], n_classes: int) -> np.ndarray:
    """Checked probabilities, shape (n_members, n_samples, n_classes)."""
    return np.stack([check_probabilities(p, n_classes, gaps=True) for p in members])


def probability_floor(probabilities: np.ndarray) -> float:
    """Least probability of a member: half of its smallest one, within 1e-6 and 0.01."""
    smallest = np.min(probabilities, where=probabilities > 0.0, initial=1.0)
    return float(np.clip(smallest / 2.0, LEAST_FLOOR, MOST_FLOOR))


def log_probabilities(said: np.ndarray, floors: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Logarithms of probabilities, shape (n_members, n_samples, n_classes).

    Parameters
    ----------
    said : ndarray of shape (n_members, n_samples, n_classes)
    floors : ndarray of shape (n_members,)
    prior : ndarray of shape (n_classes,)
        Where half of it is below the floor of a member, it counts instead: a floor must not make
        a tiny class more probable than it is.

    Examples
    --------
    >>> said, prior = np.array([[[0.0, 1.0]]]), np.array([0.002, 0.998])
    >>> np.exp(log_probabilities(said, np.array([0.01]), prior)).round(3).tolist()
    [[[0.001, 1.0]]]
    """
    lowest = np.minimum(floors[:, None], prior / 2.0)
    return np.asarray(np.log(np.maximum(said, lowest[:, None])))


def _fill_gaps(
    logs: np.ndarray,
    gaps: np.ndarray,
    weights: np.ndarray | None,
    prior: np.ndarray | None = None,
) -> np.ndarray:
    """Give members that abstain the weighted mean of the others, or the class frequencies."""
    if not gaps.any():
        return logs
    if weights is None and prior is not None:
        shares = np.log(np.maximum(prior, LEAST_FLOOR))
        return np.where(gaps[:, :, None], shares, logs)
    speaks = ~gaps
    parts = np.asarray(weights)[:, None] * speaks
    parts = np.where(parts.any(axis=0), parts, speaks)
    total = np.maximum(parts.sum(axis=0), np.finfo(float).tiny)
    heard = np.where(gaps[:, :, None], 0.0, logs)
    mean = np.einsum("mn,mnk->nk", parts / total, heard)
    return np.where(gaps[:, :, None], mean, logs)
