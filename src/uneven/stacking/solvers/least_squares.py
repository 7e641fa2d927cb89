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

__all__ = ["closed_form", "lasso"]


def closed_form(problem: Problem, tol: float = 1e-6) -> LinearCombiner:
    """Weights of ridge regression: one linear system for each set of tied weights.

    Parameters
    ----------
    problem : Problem
        With squared loss and squared weights.
    tol : float, default=1e-6
        Relative gap that counts as converged.

    Returns
    -------
    LinearCombiner
    """
    design, loss = problem.design, problem.loss
    assert isinstance(loss, SquaredLoss)
    solve = design.normal_equations(loss.share, problem.strength)
    coef, intercept = solve(*design.adjoint(loss.share[:, None] * loss.targets))
    slope = loss.envelope(design.scores(coef, intercept), 1.0).slope
    return problem.combiner(
        coef, intercept, multipliers=slope, n_iter=1, tol=tol, solver="closed form"
    )


def lasso(problem: Problem, tol: float = 1e-6, max_iter: int = 5000) -> LinearCombiner:
    """Weights of l1-penalised regression, by scikit-learn's coordinate descent.

    Parameters
    ----------
    problem : Problem
        With squared loss and l1 penalty.
    tol : float, default=1e-6
        Relative gap that counts as converged.
    max_iter : int, default=5000

    Returns
    -------
    LinearCombiner
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
            max_iter=max_iter,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(table, targets, sample_weight=share)
        coef[:, place] = model.coef_.reshape(design.n_members, -1)
        if len(intercept):
            intercept[place.start] = model.intercept_
        n_iter = max(n_iter, int(np.max(model.n_iter_)))
    slope = loss.envelope(design.scores(coef, intercept), 1.0).slope
    return problem.combiner(
        coef, intercept, multipliers=slope, n_iter=n_iter, tol=tol, solver="lasso"
    )


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
