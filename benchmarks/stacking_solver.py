"""Max-margin stacking: our solver beside a conic one and the published descent, and its path."""

from __future__ import annotations

import time
import warnings

import cvxpy as cp
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.lines import Line, at_least, at_most, best_of_each
from uneven.datasets import make_level_one
from uneven.stacking.model.problem import pose_problem
from uneven.stacking.solvers.solve import STRENGTHS, minimise, solve, solve_path
from uneven_published.sen.majorisation import majorise

SHAPE = (2000, 130, 7)
STRENGTH, GAP = 0.01, 1e-4
WARMUP = (200, 10, 7)
WIDE = ((1000, 26, 6), (500, 154, 4))
"""Rows, classifiers, classes where every score speaks for every class."""
FEW_WEIGHTS = 1000
"""More are timed without a target."""


def conic(scores: np.ndarray, y: np.ndarray, gap: float) -> tuple[float, float, float]:
    """Objective, seconds in Clarabel, and seconds in all, of CWS with the group penalty."""
    n_rows, n_members, n_classes = scores.shape
    weights, slack = cp.Variable((n_members, n_classes)), cp.Variable(n_rows, nonneg=True)
    columns = [scores[:, :, n] @ weights[:, n] for n in range(n_classes)]
    own = sum(cp.multiply((y == n).astype(float), columns[n]) for n in range(n_classes))
    constraints = [
        slack[y != n] >= 1.0 + columns[n][y != n] - own[y != n] for n in range(n_classes)
    ]
    price = cp.sum(cp.norm(weights, 2, axis=1))
    problem = cp.Problem(cp.Minimize(cp.sum(slack) / n_rows + STRENGTH * price), constraints)
    begun = time.perf_counter()
    problem.solve(solver=cp.CLARABEL, tol_gap_rel=gap, tol_gap_abs=gap, tol_feas=gap)
    return problem.value, problem.solver_stats.solve_time, time.perf_counter() - begun


def beside_clarabel(scores: np.ndarray, y: np.ndarray) -> list[Line]:
    problem = pose_problem(scores, y)
    ours = best_of_each([lambda: minimise(problem, STRENGTH, tol=GAP)], 5.0)[0]
    whole = best_of_each([lambda: minimise(pose_problem(scores, y), STRENGTH, tol=GAP)], 5.0)[0]
    found = minimise(problem, STRENGTH, tol=GAP)
    exact = minimise(problem, STRENGTH, tol=1e-8)
    value, inside, total = conic(scores, y, GAP)
    kept = int(exact.selected.sum())
    return [
        Line(
            "our objective above the minimum, relative",
            f"{found.objective / exact.objective - 1:.1e}",
        ),
        Line("our proven gap, relative", f"{found.gap / found.objective:.1e}"),
        Line(
            "Clarabel's objective above the minimum, relative", f"{value / exact.objective - 1:.1e}"
        ),
        Line("classifiers kept at the minimum", f"{kept} of {scores.shape[1]}"),
        at_least("solve to 1e-4; other: Clarabel alone", ours, inside, 50.0),
        at_least("the same from raw scores; other: CVXPY + Clarabel", whole, total, 50.0),
    ]


def beside_majorisation(scores: np.ndarray, y: np.ndarray) -> list[Line]:
    """Time that each mode needs until its own, smoothed objective is within 1e-4 of its best."""
    problem = pose_problem(scores, y)
    ours = best_of_each([lambda: minimise(problem, STRENGTH, tol=GAP)], 5.0)[0]
    exact = minimise(problem, STRENGTH, tol=1e-6)
    words = {"penalty": "group", "strength": STRENGTH, "tol": 1e-7}
    runs = {
        mode: majorise(scores, y, mode=mode, n_sweeps=3000, **words) for mode in ("paper", "safe")
    }
    best = min(min(run.trace.objective) for run in runs.values())
    lines = []
    for mode, run in runs.items():
        near = [k for k, value in enumerate(run.trace.objective) if value <= best * (1.0 + GAP)]
        true = problem.loss.value(run.scores(scores)) + STRENGTH * problem.penalty.value(run.coef)
        above = f"{mode}: hinge objective at its end above the minimum"
        lines.append(Line(above, f"{true / exact.objective - 1:.1e}"))
        if near:
            what = f"solve to 1e-4; other: {mode} descent, {near[0]} sweeps, on its own objective"
            lines.append(at_least(what, ours, run.trace.seconds[near[0]], 1.0))
        else:
            last = run.trace.objective[-1] / best - 1.0
            lines.append(
                Line(f"{mode} descent ends {last:.1e} above the best", "never near", met=None)
            )
    return lines


def paths(scores: np.ndarray, y: np.ndarray) -> list[Line]:
    """Twelve strengths with warm starts, beside one solve from zero at the last of them."""
    problem, lines = pose_problem(scores, y), []
    pull, _ = problem.design.adjoint(problem.loss.envelope(np.zeros((len(y), SHAPE[2])), 0.1).slope)
    largest = float(np.linalg.norm(pull, axis=1).max())
    grids = {
        "published grid, 10 to 1e-11": np.array(STRENGTHS),
        "largest useful strength down to a hundredth": largest * np.geomspace(1.0, 0.01, 12),
        "largest useful strength down to 0.01": np.geomspace(largest, STRENGTH, 12),
    }
    for name, grid in grids.items():
        one, path = best_of_each(
            [
                lambda grid=grid: minimise(problem, float(grid.min()), tol=GAP),
                lambda grid=grid: solve_path(scores, y, grid, tol=GAP),
            ],
            1.0,
        )
        what = f"path of 12, {name}; other: one solve at its end"
        line = Line(what, f"{path:.3g} s", f"{one:.3g} s", f"{path / one:.2f}x")
        if name.startswith("published"):
            line.target, line.met = "<= 4x", path <= 4.0 * one
        lines.append(line)
    return lines


def all_pairs() -> list[Line]:
    """Processor seconds of the hinge with a weight for every score of every class."""
    lines = []
    for shape in WIDE:
        level = make_level_one(*shape, random_state=0)
        n_weights = shape[1] * shape[2] ** 2
        for penalty in ("l2", "l1", "group"):
            words = {"combination": "lsg", "penalty": penalty, "strength": STRENGTH, "tol": GAP}
            start = time.process_time()
            found = solve(level.scores, level.target, **words)
            spent = time.process_time() - start
            what = f"lsg, {penalty}, {n_weights} weights ({shape[0]} rows)"
            kept = f"{int(found.selected.sum())} of {shape[1]} kept"
            line = at_most(f"{what}, processor", spent, 5.0, "s", other=kept)
            if n_weights > FEW_WEIGHTS:
                line.target, line.met = "", None
            lines.append(line)
    return lines


def run() -> list[Line]:
    level = make_level_one(*SHAPE, random_state=0)
    scores, y = level.scores, level.target
    small = make_level_one(*WARMUP, random_state=0)
    minimise(pose_problem(small.scores, small.target), STRENGTH)
    for mode in ("paper", "safe"):
        majorise(small.scores, small.target, mode=mode, n_sweeps=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return (
            beside_clarabel(scores, y)
            + beside_majorisation(scores, y)
            + paths(scores, y)
            + all_pairs()
        )
