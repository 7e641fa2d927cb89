"""Hinge with absolute weights: a linear program, solved by HiGHS."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from uneven.stacking.model.problem import LinearCombiner, Problem
from uneven.stacking.solvers import solver

_SMALL = 100_000


def is_small(problem: Problem) -> bool:
    """Whether the linear program of a problem is solved at once."""
    design = problem.design
    n_entries = design.n_samples * (design.n_classes - 1) * design.zeros()[0].size
    return n_entries <= _SMALL


@solver("linear program", loss="hinge", penalties=("l1",), plain=True, suits=is_small)
def linear_program(
    problem: Problem,
    start: LinearCombiner | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
) -> LinearCombiner:
    """Weights with exact zeros, at a corner of the set of solutions.

    Variables are the positive and negative parts of the weights and one slack per row; every
    wrong class of every row gives one constraint.

    Parameters
    ----------
    problem : Problem
        With hinge loss and l1 penalty.
    start, max_iter
        Not used: HiGHS has its own.
    tol : float, default=1e-6
        Relative gap that counts as converged.

    Raises
    ------
    ValueError
        If HiGHS gives up; its message is in the error.
    """
    design, loss = problem.design, problem.loss
    rows, wrong = np.nonzero(loss.y[:, None] != np.arange(design.n_classes))
    distance = _differences(problem, rows, wrong)
    coef, intercept = design.zeros()
    n_slacks, n_priced, n_free = design.n_samples, coef.size, intercept.size
    slack = sp.csr_array(
        (np.ones(len(rows)), (np.arange(len(rows)), rows)), shape=(len(rows), n_slacks)
    )
    priced, free = distance[:, :n_priced], distance[:, n_priced:]
    found = _highs(
        np.concatenate([np.full(2 * n_priced, problem.strength), np.zeros(n_free), loss.share]),
        A_ub=-sp.hstack([priced, -priced, free, slack], format="csr"),
        b_ub=-np.ones(len(rows)),
        bounds=[(0, None)] * (2 * n_priced) + [(None, None)] * n_free + [(0, None)] * n_slacks,
    )
    plus, minus = found.x[:n_priced], found.x[n_priced : 2 * n_priced]
    multipliers = np.zeros((design.n_samples, design.n_classes))
    multipliers[rows, wrong] = -found.ineqlin.marginals
    multipliers[np.arange(len(loss.y)), loss.y] = -multipliers.sum(axis=1)
    return problem.combiner(
        (plus - minus).reshape(coef.shape),
        found.x[2 * n_priced : 2 * n_priced + n_free],
        multipliers=multipliers,
        n_iter=int(found.nit),
        tol=tol,
        solver="linear program",
    )


def _highs(prices: np.ndarray, **program: Any) -> Any:
    """Solve a linear program; without presolving if that ends in nothing, as with tiny costs."""
    for presolve in (True, False):
        found = linprog(prices, **program, method="highs", options={"presolve": presolve})
        if found.x is not None:
            return found
    raise ValueError(f"the linear program was not solved: {found.message}")


def _differences(problem: Problem, rows: np.ndarray, wrong: np.ndarray) -> sp.csr_array:
    """What the weights add to the margin over a wrong class.

    Returns
    -------
    sparse array of shape (n_constraints, n_weights)
        ``psi(f_i, y_i) - psi(f_i, n)`` for every row i and wrong class n.
    """
    design, n = problem.design, problem.design.n_classes
    true = problem.loss.y[rows]
    scores = design.by_class.transpose(2, 1, 0)[rows]
    places = np.arange(design.n_members)[None, :]
    lines = np.arange(len(rows))[:, None]
    if design.name == "ws":
        return sp.csr_array(_at(scores, true) - _at(scores, wrong))
    if design.name == "cws":
        entries = [(1.0, true, _at(scores, true)), (-1.0, wrong, _at(scores, wrong))]
        n_weights = design.n_members * n
        blocks = [(sign * value, places * n + to[:, None]) for sign, to, value in entries]
    else:
        inputs = np.concatenate([scores.reshape(len(rows), -1), np.ones((len(rows), 1))], axis=1)
        places, n_weights = np.arange(inputs.shape[1])[None, :], inputs.shape[1] * n
        blocks = [
            (sign * inputs, places * n + to[:, None]) for sign, to in ((1.0, true), (-1.0, wrong))
        ]
    parts = [
        sp.csr_array(
            (value.ravel(), (np.broadcast_to(lines, value.shape).ravel(), column.ravel())),
            shape=(len(rows), n_weights),
        )
        for value, column in blocks
    ]
    return parts[0] + parts[1]


def _at(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Scores of all members for one class of each row, shape (n_rows, n_members)."""
    return np.take_along_axis(scores, labels[:, None, None], axis=2)[:, :, 0]
