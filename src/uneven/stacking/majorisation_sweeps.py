"""The two kinds of sweeps of :func:`uneven.stacking.majorise`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from uneven.stacking import majorisation_kernels as kernels
from uneven.stacking.smoothed_problem import SmoothedProblem

__all__ = ["Order", "PaperSweep", "SafeSweep", "draw_order", "live"]

Order = tuple[np.ndarray, np.ndarray]

_FLOOR = 1e-10
"""Least second derivative that is divided by."""

_LONGEST = 10.0
"""Longest step, in units of the largest weight (of 1 if that is smaller)."""

_PENALTIES = {"l2": kernels.L2, "l1": kernels.L1, "group": kernels.GROUP}


def live(problem: SmoothedProblem) -> np.ndarray:
    """Which weights act on scores that are not (numerically) zero in all rows.

    Parameters
    ----------
    problem : SmoothedProblem

    Returns
    -------
    ndarray of bool, shape (n_members, n_classes)
    """
    return np.asarray(problem.mean_squares > floor(problem))


def floor(problem: SmoothedProblem) -> float:
    """Least second derivative that is divided by; less if all scores are small."""
    return _FLOOR * min(1.0, float(problem.mean_squares.max()))


def draw_order(problem: SmoothedProblem, rng: np.random.RandomState | None) -> Order:
    """The order in which a sweep goes through the weights.

    Parameters
    ----------
    problem : SmoothedProblem
    rng : RandomState or None
        Draws the order; without it, weights come in their order.

    Returns
    -------
    classes : ndarray of int, shape (n_classes,)
    members : ndarray of int, shape (n_classes, n_members)
        For every class.
    """
    n_classes, n_members = problem.combination.n_classes, problem.combination.n_members
    if rng is None:
        return np.arange(n_classes), np.tile(np.arange(n_members), (n_classes, 1))
    return rng.permutation(n_classes), np.stack(
        [rng.permutation(n_members) for _ in range(n_classes)]
    )


@dataclass
class PaperSweep:
    """The published sweep: parabolas at the margins of the rows, one Newton step per weight.

    Parameters
    ----------
    problem : SmoothedProblem
    curvature : {"optimal", "maximum"}
    guards : bool
    threshold : float
        Squares of the other weights of a classifier below which its weight shrinks as under l1.
    """

    problem: SmoothedProblem
    curvature: str
    guards: bool
    threshold: float

    def __call__(self, coef: np.ndarray, order: Order) -> np.ndarray:
        """Weights after the sweep.

        Parameters
        ----------
        coef : ndarray of shape (n_members, n_classes)
        order : tuple
            See :func:`draw_order`.

        Returns
        -------
        ndarray of shape (n_members, n_classes)
        """
        problem, hinge = self.problem, self.problem.hinge
        scores = problem.scores(coef)
        margins = hinge.margins(scores, problem.y)
        parabolas = hinge.slope(margins), hinge.curvature(margins, self.curvature), margins
        longest = _LONGEST * max(1.0, float(np.abs(coef).max()))
        moved = coef.copy()
        kernels.paper_sweep(
            problem.combination.by_class,
            problem.bounds,
            problem.share,
            np.ascontiguousarray(scores.T),
            moved,
            parabolas,
            order,
            hinge.temperature,
            (*self._rules, longest),
        )
        return moved

    @cached_property
    def _rules(self) -> tuple[int, float, float, bool, bool, float]:
        return (
            _PENALTIES[self.problem.penalty.name],
            float(self.problem.strength),
            float(self.threshold),
            self.curvature == "optimal",
            bool(self.guards),
            floor(self.problem),
        )


@dataclass
class SafeSweep:
    """A sweep that cannot raise the objective: proximal steps no longer than a bound allows.

    The second derivative of the loss in one weight is at most its largest one in one score, times
    the mean square of the scores that the weight acts on. Under the group penalty the weights of a
    classifier move together; along any direction of length 1 the second derivative is at most the
    mean of ``(f_y^2 + f_w^2) / (2 tau) + temperature * f_w^2 / 2``, f_y being a classifier's score
    for the true class of a row, f_w its largest one for a wrong class.

    Parameters
    ----------
    problem : SmoothedProblem
    """

    problem: SmoothedProblem

    def __call__(self, coef: np.ndarray, order: Order) -> np.ndarray:
        """Weights after the sweep.

        Parameters
        ----------
        coef : ndarray of shape (n_members, n_classes)
        order : tuple
            See :func:`draw_order`.

        Returns
        -------
        ndarray of shape (n_members, n_classes)
        """
        problem = self.problem
        hinge = problem.hinge.tau, problem.hinge.temperature
        scores = np.ascontiguousarray(problem.scores(coef).T)
        moved = coef.copy()
        rows = problem.combination.by_class, problem.bounds, problem.share, scores, moved
        if problem.penalty.name == "group":
            kernels.safe_group_sweep(*rows, self.row_bounds, order[1][0], hinge, problem.strength)
        else:
            rules = _PENALTIES[problem.penalty.name], problem.strength
            kernels.safe_sweep(*rows, self.weight_bounds, order, hinge, rules)
        return moved

    @cached_property
    def weight_bounds(self) -> np.ndarray:
        """Bound on the second derivative in each weight, shape (n_members, n_classes).

        0 where the scores are.
        """
        bounds = self.problem.hinge.score_curvature() * self.problem.mean_squares
        return np.where(live(self.problem), bounds, 0.0)

    @cached_property
    def row_bounds(self) -> np.ndarray:
        """Bound on the second derivative along the weights of each member, shape (n_members,).

        0 where the scores are.
        """
        problem, hinge = self.problem, self.problem.hinge
        squares = problem.combination.by_class**2
        rows = np.arange(len(problem.y))
        own = squares[problem.y, :, rows]
        squares[problem.y, :, rows] = 0.0
        wrong = squares.max(axis=0).T
        largest = (own + wrong) / (2.0 * hinge.tau) + 0.5 * hinge.temperature * wrong
        return np.where(live(problem).any(axis=1), problem.share @ largest, 0.0)
