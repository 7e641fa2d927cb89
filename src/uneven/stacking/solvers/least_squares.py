"""Least squares: closed form with squared weights, scikit-learn's Lasso with absolute ones."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from uneven.stacking.model.combinations import Combination, LinearStacking, WeightedSum
from uneven.stacking.model.losses import SquaredLoss
from uneven.stacking.model.problem import LinearCombiner, Problem
from uneven.stacking.solvers import solver
from uneven.stacking.solvers.newton import newton

_ROUNDS = 5000


@solver("closed form", loss="squared", penalties=("l2",), plain=True)
def closed_form(
    problem: Problem,
    start: LinearCombiner | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
) -> LinearCombiner:
    """Weights of ridge regression: one linear system for each set of tied weights.

    Parameters
    ----------
    problem : Problem
        With squared loss and squared weights.
    start, max_iter
        Not needed.
    tol : float, default=1e-6
        Relative gap that counts as converged.
    """
    design, loss = problem.design, problem.loss
    assert isinstance(loss, SquaredLoss)
    solve = design.normal_equations(loss.share, problem.strength)
    coef, intercept = solve(*design.adjoint(loss.share[:, None] * loss.targets))
    slope = loss.envelope(design.scores(coef, intercept), 1.0).slope
    return problem.combiner(
        coef, intercept, multipliers=slope, n_iter=1, tol=tol, solver="closed form"
    )


@solver("lasso", loss="squared", penalties=("l1",), plain=True)
def lasso(
    problem: Problem,
    start: LinearCombiner | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
) -> LinearCombiner:
    """Weights of l1-penalised regression, by scikit-learn's coordinate descent.

    Where that stops early, Newton steps continue from there.

    Parameters
    ----------
    problem : Problem
        With squared loss and l1 penalty.
    start
        Not needed.
    tol : float, default=1e-6
        Relative gap that counts as converged.
    max_iter : int, optional
        5000 by default.
    """
    design, loss = problem.design, problem.loss
    assert isinstance(loss, SquaredLoss)
    coef, intercept = design.zeros()
    n_iter = 0
    for table, targets, share, place in _regressions(design, loss):
        model = Lasso(
            alpha=problem.strength / (2.0 * share.sum()),
            fit_intercept=isinstance(design, LinearStacking),
            tol=0.1 * tol,
            max_iter=_ROUNDS if max_iter is None else max_iter,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(table, targets, sample_weight=share)
        coef[:, place] = model.coef_.reshape(design.n_members, -1)
        if len(intercept):
            intercept[place.start] = model.intercept_
        n_iter = max(n_iter, int(np.max(model.n_iter_)))
    slope = loss.envelope(design.scores(coef, intercept), 1.0).slope
    found = problem.combiner(
        coef, intercept, multipliers=slope, n_iter=n_iter, tol=tol, solver="lasso"
    )
    return found if found.converged else newton(problem, found, tol)


def _regressions(
    design: Combination, loss: SquaredLoss
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, slice]]:
    """The separate regressions: table, targets, weights of the rows, columns of ``coef``."""
    if isinstance(design, WeightedSum):
        table = design.by_class.transpose(0, 2, 1).reshape(-1, design.n_members)
        yield table, loss.targets.T.ravel(), np.tile(loss.share, design.n_classes), slice(0, 1)
        return
    for n in range(design.n_classes):
        if isinstance(design, LinearStacking):
            table, place = design.flat().T, slice(n, None, design.n_classes)
        else:
            table, place = design.by_class[n].T, slice(n, n + 1)
        yield table, loss.targets[:, n], loss.share, place
