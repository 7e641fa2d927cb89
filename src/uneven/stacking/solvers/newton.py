"""Exact solver: the method of multipliers around proximal Newton steps on a working set.

A hinge is not smooth; the published solution smooths it and accepts the difference.
Here its Moreau envelope is moved by multipliers after every search, so that the sequence of smooth
problems ends at the minimum of the hinge itself, at a softness that stays comfortable. Each smooth
problem is piecewise quadratic: a Newton step solves its quadratic model, penalty included, on the
classifiers that have weights or violate optimality without. The multipliers also bound the
objective from below, so the distance from the minimum is known.

Looked at before: skglm (0.5) has no multi-class hinge and its solvers take one coefficient vector;
scikit-learn's ``LinearSVC(multi_class="crammer_singer")`` cannot tie weights and penalises the
intercept; general conic solvers are what the benchmark compares with.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from uneven.stacking._loops import block_descent
from uneven.stacking.model.combinations import Combination
from uneven.stacking.model.constraints import Free
from uneven.stacking.model.losses import Envelope
from uneven.stacking.model.problem import LinearCombiner, Problem
from uneven.stacking.solvers import solver

_SOFT, _WARM, _SHRINK, _LEAST = 0.5, 0.125, 0.25, 0.02
_COLD_ACCURACY, _WARM_ACCURACY = 0.1, 0.01
_INNER_STEPS, _HALVINGS = 60, 25
_ROUNDS, _STALLED_ROUNDS, _ROUNDING = 30, 8, 1e-14
_CRUMBS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
_DAMPING = (1e-7, 1e-5, 1e3)


@dataclass
class _Point:
    """Weights, their combined scores, what moves the envelope, and the damping of the steps."""

    coef: np.ndarray
    intercept: np.ndarray
    scores: np.ndarray
    shift: np.ndarray
    scale: float
    damping: float = _DAMPING[1]

    def adapt(self, length: float) -> None:
        """Damp the model less after full steps, and more after short ones."""
        least, _, most = _DAMPING
        if length == 1.0:
            self.damping = max(least, self.damping / 4.0)
        elif length < 0.2:
            self.damping = min(most, self.damping * 30.0)


@solver("newton", constraints=("none", "nonneg"))
def newton(
    problem: Problem,
    start: LinearCombiner | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
) -> LinearCombiner:
    """Minimise a penalised loss to a proven accuracy.

    Parameters
    ----------
    problem : Problem
    start : LinearCombiner, optional
        Where to begin; with multipliers if it was fitted to the same rows.
    tol : float, default=1e-6
        Proven relative distance from the minimum at which to stop.
    max_iter : int, optional
        Rounds of the method of multipliers, 30 by default.
    """
    point, softness, accuracy = _begin(problem, start)
    least, last_gap, best, stalled, n_iter = _LEAST, np.inf, np.inf, 0, 0
    while n_iter < (_ROUNDS if max_iter is None else max_iter):
        n_iter += 1
        multipliers, settled = _minimise_envelope(
            problem, point, softness, max(accuracy, 0.2 * tol)
        )
        objective = problem.objective(point.coef, point.scores)
        gap = objective - problem.bound(multipliers, point.coef, point.intercept)
        enough = problem.tolerance(tol, objective)
        if gap <= enough:
            break
        slow = gap > 0.5 * last_gap
        better = gap < 0.9 * last_gap or objective < best - 0.1 * enough
        stalled, last_gap, best = 0 if better else stalled + 1, min(gap, last_gap), objective
        if stalled >= _STALLED_ROUNDS:
            break
        if not settled:
            continue
        accuracy = 0.1 * min(accuracy, gap / objective)
        if not problem.loss.smooth:
            least = _SHRINK * least if slow and softness <= least else least
            softness = max(softness * _SHRINK, least)
            point.shift = softness * multipliers / problem.loss.share[:, None]
    return problem.combiner(
        _without_crumbs(problem, point, 0.1 * problem.tolerance(tol, objective)),
        point.intercept,
        multipliers=multipliers,
        n_iter=n_iter,
        tol=tol,
        solver="newton",
    )


def _begin(problem: Problem, start: LinearCombiner | None) -> tuple[_Point, float, float]:
    """First point, softness and accuracy.

    The weaker the penalty, the larger the weights and the softer the envelope has to begin.
    """
    design, loss = problem.design, problem.loss
    coef, intercept = design.zeros()
    softness, accuracy = _SOFT * max(1.0, (0.01 / problem.strength) ** 0.5), _COLD_ACCURACY
    shift = np.zeros((design.n_samples, design.n_classes))
    if start is not None:
        coef, intercept = start.coef.copy(), start.intercept.copy()
    scores = design.scores(coef, intercept)
    if start is not None and start.multipliers is not None and not loss.smooth:
        objective = problem.objective(coef, scores)
        if problem.bound(start.multipliers, coef, intercept) > 0.5 * objective:
            softness, accuracy = _WARM, _WARM_ACCURACY
        shift = softness * start.multipliers / loss.share[:, None]
    scale = max(float(np.vdot(design.by_class, design.by_class)) / design.by_class.size, 1e-12)
    return _Point(coef, intercept, scores, shift, scale), softness, accuracy


def _without_crumbs(problem: Problem, point: _Point, allowed: float) -> np.ndarray:
    """Weights without the blocks that are on their way to zero: dropping them costs nothing."""
    coef, block = point.coef, problem.penalty.block(point.coef.shape)
    if block == 0 or not coef.any():
        return coef
    lengths = np.linalg.norm(coef.reshape(-1, block), axis=1)
    limit = problem.objective(coef, point.scores) + allowed
    for share in _CRUMBS:
        kept = (lengths > share * lengths.max()).repeat(block).reshape(coef.shape)
        fewer = np.where(kept, coef, 0.0)
        scores = problem.design.scores(fewer, point.intercept)
        if problem.objective(fewer, scores) <= limit:
            return fewer
    return coef


def _minimise_envelope(
    problem: Problem, point: _Point, softness: float, accuracy: float
) -> tuple[np.ndarray, bool]:
    """Newton steps on the moved envelope; its gradient in the scores, and whether it is at rest."""
    loss, strength = problem.loss, problem.strength
    envelope = loss.envelope(point.scores + point.shift, softness)
    for _ in range(_INNER_STEPS):
        pull, balance = problem.design.adjoint(envelope.slope)
        residual, asking = _residual(problem, point.coef, pull)
        now = envelope.value + strength * problem.penalty.value(point.coef)
        free = problem.reach(point.intercept) * float(np.abs(balance).sum())
        allowed = problem.tolerance(accuracy, now)
        if residual <= _allowance(problem, point.coef, accuracy, allowed) and free <= allowed:
            return envelope.slope, True
        members = _working_set(point.coef, asking, problem.penalty.sparse)
        part = problem.design.restrict(members)
        step, constant = _newton_step(
            problem, point, envelope, softness, members, part, pull, balance, accuracy
        )
        direction = part.scores(step, constant)
        length = 1.0
        for _ in range(_HALVINGS):
            trial = loss.envelope(point.scores + length * direction + point.shift, softness)
            coef = point.coef.copy()
            coef[members] += length * step
            if trial.value + strength * problem.penalty.value(coef) <= now * (1.0 + _ROUNDING):
                break
            length *= 0.5
        point.adapt(length)
        if length < 0.5**_HALVINGS * 1.5:
            continue
        point.coef, point.intercept = coef, point.intercept + length * constant
        point.scores, envelope = point.scores + length * direction, trial
    return envelope.slope, False


def _allowance(problem: Problem, coef: np.ndarray, accuracy: float, allowed: float) -> float:
    """Residual of the gradient that costs the certificate no more than allowed."""
    block = problem.penalty.block(coef.shape)
    if block == 0:
        return float(np.sqrt(problem.strength * allowed))
    n_blocks = coef.size // block
    return max(accuracy * problem.strength, allowed / (n_blocks * problem.reach(coef)))


def _residual(problem: Problem, coef: np.ndarray, pull: np.ndarray) -> tuple[float, np.ndarray]:
    """Largest violation of optimality, and that of each classifier without weights."""
    penalty, block = problem.penalty, problem.penalty.block(coef.shape)
    pull = pull + 2.0 * problem.strength * penalty.ridge * coef
    if block == 0:
        pull = np.where(coef == 0.0, penalty.constraint.inward(pull), pull)
        return float(np.linalg.norm(pull)), np.zeros(len(coef))
    blocks, prices = coef.reshape(-1, block), problem.strength * penalty.block_prices(coef)
    lengths = np.linalg.norm(blocks, axis=1)
    inside = lengths > 0.0
    drawn = pull.reshape(-1, block) + blocks * (prices / np.where(inside, lengths, 1.0))[:, None]
    drawn = np.where(blocks == 0.0, penalty.constraint.inward(drawn), drawn)
    wanting = np.linalg.norm(drawn, axis=1)
    wanting = np.where(inside, wanting, np.maximum(wanting - prices, 0.0))
    asking = np.where(inside, 0.0, wanting)
    if penalty.sparse:
        asking = asking.reshape(len(coef), -1).max(axis=1)
    return float(wanting.max()), asking


def _working_set(coef: np.ndarray, asking: np.ndarray, sparse: bool) -> np.ndarray:
    """Classifiers with weights, and those without that violate optimality most."""
    if not sparse:
        return np.arange(len(coef))
    inside = np.asarray(coef.any(axis=1))
    limit = max(15, int(inside.sum()) // 2)
    loudest = np.argsort(-asking, kind="stable")[:limit]
    inside[loudest[asking[loudest] > 0.0]] = True
    return np.flatnonzero(inside)


def _newton_step(
    problem: Problem,
    point: _Point,
    envelope: Envelope,
    softness: float,
    members: np.ndarray,
    part: Combination,
    pull: np.ndarray,
    balance: np.ndarray,
    accuracy: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Change of the weights of some members, and of the intercept, that minimises the model."""
    curvature = part.curvature(envelope.diagonal, envelope.spoke)
    steepest = 1.0 / softness if problem.loss.bend is None else problem.loss.bend
    curvature[np.diag_indices_from(curvature)] += point.damping * point.scale * steepest

    coef = point.coef[members]
    now = np.concatenate([coef.ravel(), point.intercept])
    gradient = np.concatenate([pull[members].ravel(), balance])
    ridge = 2.0 * problem.strength * problem.penalty.ridge
    curvature[np.arange(coef.size), np.arange(coef.size)] += ridge
    gradient[: coef.size] += ridge * coef.ravel()
    block = problem.penalty.block(coef.shape)
    free = isinstance(problem.penalty.constraint, Free)
    if block == 0 and free:
        change = -solve_positive(curvature, gradient)
    else:
        starts = np.arange(0, coef.size + 1, block or 1)
        price = np.zeros(coef.size)
        if block:
            price = problem.strength * problem.penalty.block_prices(point.coef)
        if problem.penalty.sparse:
            price = price.reshape(len(point.coef), -1)[members].ravel()
        if len(point.intercept):
            starts, price = np.append(starts, len(now)), np.append(price, 0.0)
        least = np.full(len(now), -np.inf)
        least[: coef.size] = -np.inf if free else 0.0
        linear = gradient - curvature @ now
        tol = 0.1 * accuracy * problem.strength
        change = minimise_quadratic(curvature, linear, starts, price, now, tol, least) - now
    return change[: coef.size].reshape(coef.shape), change[coef.size :]


_SWEEPS, _NEWTON_STEPS, _PROGRESS = 5, 60, 0.5
_STEP_LENGTHS = (1.0, 0.5, 0.25, 0.1, 0.03)


def minimise_quadratic(
    curvature: np.ndarray,
    linear: np.ndarray,
    starts: np.ndarray,
    price: np.ndarray,
    weights: np.ndarray,
    tol: float,
    least: np.ndarray | None = None,
) -> np.ndarray:
    """Minimiser of ``w' H w / 2 + linear' w + sum_g price[g] |w_g|``.

    Sweeps of block descent find the blocks that are zero; Newton steps on the others, where the
    norms are smooth, do the rest.

    Parameters
    ----------
    curvature : ndarray of shape (n_weights, n_weights)
        H, positive definite.
    linear : ndarray of shape (n_weights,)
    starts : ndarray of int, shape (n_blocks + 1,)
        Where the blocks begin, and where the last one ends.
    price : ndarray of shape (n_blocks,)
        Zero for blocks that are free.
    weights : ndarray of shape (n_weights,)
        Where to begin.
    tol : float
        Largest entry of the gradient that is left.
    least : ndarray of shape (n_weights,), optional
        Smallest values that are allowed: 0, or minus infinity, which is the default.

    Returns
    -------
    ndarray of shape (n_weights,)

    Examples
    --------
    >>> import numpy as np
    >>> starts, price = np.array([0, 2, 3]), np.array([1.0, 1.0])
    >>> linear = np.array([-3.0, -4.0, 0.5])
    >>> minimise_quadratic(np.eye(3), linear, starts, price, np.zeros(3), 1e-12)
    array([2.4, 3.2, 0. ])
    """
    weights, product = weights.copy(), curvature @ weights
    least = np.full(len(weights), -np.inf) if least is None else least
    slope, first = _block_slopes(curvature, starts), None
    for _ in range(_NEWTON_STEPS):
        block_descent(
            curvature, linear, starts, price, slope, least, weights, product, _SWEEPS, 0.1 * tol
        )
        lengths = _lengths(weights, starts)
        toll = np.repeat(price / np.where(lengths > 0.0, lengths, 1.0), np.diff(starts))
        gradient = product + linear + toll * weights
        held = (weights <= least) & (gradient >= 0.0)
        asked = np.where(held, 0.0, gradient)
        support = np.repeat((lengths > 0.0) | (price == 0.0), np.diff(starts)) & ~held
        residual = np.where(support, asked, 0.0)
        beyond = np.where(lengths > 0.0, 0.0, _lengths(asked, starts) - price)
        wrong = max(np.abs(residual).max(initial=0.0), beyond.max(initial=0.0))
        first = wrong if first is None else first
        if wrong <= max(tol, _PROGRESS * first):
            break
        kept = np.flatnonzero(support)
        if not len(kept):
            continue
        step = np.zeros_like(weights)
        step[kept] = -solve_positive(
            _curvature_on_support(curvature, weights, starts, price, lengths, kept),
            residual[kept],
        )
        weights, product = _shorten(curvature, linear, starts, price, least, weights, product, step)
    return weights


def solve_positive(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solution of a positive definite system, with ridges of growing size if rounding spoils it."""
    ridge = 1e-13 * float(np.trace(matrix)) / len(matrix)
    while True:
        try:
            factor = cho_factor(matrix, lower=True, check_finite=False)
        except LinAlgError:
            matrix = matrix + ridge * np.eye(len(matrix))
            ridge *= 100.0
            continue
        return np.asarray(cho_solve(factor, right, check_finite=False))


def _lengths(vector: np.ndarray, starts: np.ndarray) -> np.ndarray:
    return np.asarray(np.sqrt(np.add.reduceat(vector * vector, starts[:-1])))


def _block_slopes(curvature: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Bound on the largest eigenvalue of every block on the diagonal."""
    slopes = np.empty(len(starts) - 1)
    for g, (begin, end) in enumerate(pairwise(starts)):
        block = curvature[begin:end, begin:end]
        slopes[g] = block[0, 0] if end == begin + 1 else np.abs(block).sum(axis=0).max()
    return np.maximum(slopes, 1e-300)


def _curvature_on_support(
    curvature: np.ndarray,
    weights: np.ndarray,
    starts: np.ndarray,
    price: np.ndarray,
    lengths: np.ndarray,
    kept: np.ndarray,
) -> np.ndarray:
    """H plus the second derivative of the norms, where these are smooth."""
    everything = len(kept) == len(curvature)
    whole = curvature.copy() if everything else curvature[np.ix_(kept, kept)]
    edges = np.searchsorted(kept, starts)
    for g, (begin, end) in enumerate(pairwise(edges.tolist())):
        size = end - begin
        if price[g] > 0.0 and starts[g + 1] - starts[g] > 1 and size:
            unit = weights[kept[begin:end]] / lengths[g]
            bend = price[g] / lengths[g] * (np.eye(size) - np.outer(unit, unit))
            whole[begin:end, begin:end] += bend
    return np.asarray(whole)


def _shorten(
    curvature: np.ndarray,
    linear: np.ndarray,
    starts: np.ndarray,
    price: np.ndarray,
    least: np.ndarray,
    weights: np.ndarray,
    product: np.ndarray,
    step: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The longest part of a step that lowers the function; none if no part does."""

    def value(at: np.ndarray, product: np.ndarray) -> float:
        return float(0.5 * at @ product + linear @ at + price @ _lengths(at, starts))

    change = curvature @ step
    now = value(weights, product)
    for length in _STEP_LENGTHS:
        at, product_at = weights + length * step, product + length * change
        if (at < least).any():
            at = np.maximum(at, least)
            product_at = curvature @ at
        if value(at, product_at) < now:
            return at, product_at
    return weights, product
