"""Alternating directions: one factorisation, then cheap steps; for very many weights."""

from __future__ import annotations

import numpy as np

from uneven.stacking.model.problem import LinearCombiner, Problem
from uneven.stacking.solvers import solver

_RELAXATION, _CHECK_EVERY, _ROUNDS = 1.6, 25, 20_000


@solver("admm")
def admm(
    problem: Problem,
    start: LinearCombiner | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
) -> LinearCombiner:
    """Minimise a penalised loss by splitting scores and weights from the linear map.

    Parameters
    ----------
    problem : Problem
    start : LinearCombiner, optional
        Where to begin.
    tol : float, default=1e-6
        Proven relative distance from the minimum at which to stop.
    max_iter : int, optional
        20000 by default.

    Returns
    -------
    LinearCombiner
        Its weights carry the exact zeros of the penalty.
    """
    design, loss, share = problem.design, problem.loss, problem.loss.share[:, None]
    size = np.einsum("nmi,nmi,i->", design.by_class, design.by_class, problem.loss.share)
    ridge = max(float(size) / max(1, design.n_members), 1e-12)
    solve = design.normal_equations(problem.loss.share, ridge)
    coef, intercept = design.zeros()
    if start is not None:
        coef, intercept = start.coef.copy(), start.intercept.copy()
    scores, rho = design.scores(coef, intercept), 1.0
    drift, debt = np.zeros_like(scores), np.zeros_like(coef)
    if start is not None and start.multipliers is not None:
        drift = start.multipliers / (rho * share)
    multipliers, rounds = None, 0
    for rounds in range(1, (_ROUNDS if max_iter is None else max_iter) + 1):
        pull, balance = design.adjoint(share * (scores - drift))
        free, intercept = solve(pull + ridge * (coef - debt), balance)
        reached = design.scores(free, intercept)
        last_scores, last_coef = scores, coef
        mixed = _RELAXATION * reached + (1.0 - _RELAXATION) * scores
        blend = _RELAXATION * free + (1.0 - _RELAXATION) * coef
        scores = loss.prox(mixed + drift, 1.0 / rho)
        coef = problem.penalty.prox(blend + debt, problem.strength / (rho * ridge))
        drift, debt = drift + mixed - scores, debt + blend - coef
        if rounds % _CHECK_EVERY:
            continue
        multipliers = rho * share * drift
        objective = problem.objective(coef, design.scores(coef, intercept))
        gap = objective - problem.bound(multipliers, coef, intercept)
        if gap <= problem.tolerance(tol, objective):
            break
        primal = _weighted(reached - scores, share) + ridge * _weighted(free - coef, 1.0)
        dual = _weighted(scores - last_scores, share) + ridge * _weighted(coef - last_coef, 1.0)
        factor = 2.0 if primal > 25.0 * dual else 0.5 if dual > 25.0 * primal else 1.0
        rho, drift, debt = rho * factor, drift / factor, debt / factor
    return problem.combiner(
        coef, intercept, multipliers=multipliers, n_iter=rounds, tol=tol, solver="admm"
    )


def _weighted(residual: np.ndarray, weight: np.ndarray | float) -> float:
    return float((weight * residual * residual).sum())
