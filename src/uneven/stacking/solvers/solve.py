r"""The weights of a linear combination: combination x loss x penalty x solver, for any strengths.

With a small strength every classifier is kept; with a large one none is left. Solutions of
neighbouring strengths are close to each other, so a path starts at the largest strength, where
little is kept, and every solution is the start of the next one.

References
----------
M. U. Şen (2011), *Max-margin stacking with group sparse regularization for classifier
combination*, MSc thesis, Sabanci University, chapter 4.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from uneven.stacking.model.penalties import L1, Penalty
from uneven.stacking.model.problem import LinearCombiner, Problem, pose_problem
from uneven.stacking.solvers import SOLVERS, admm, least_squares, squared  # noqa: F401 they register
from uneven.stacking.solvers.linear_program import is_small, linear_program
from uneven.stacking.solvers.newton import newton
from uneven.utils.parameters import check_choice, check_integer

_WIDE = 4000
_GRID, _RANGE, _HARD = 13, 1000.0, 1e-3
SEARCH = ("tol", "max_iter", "solver", "quiet")
"""Options of how a problem is solved; the others pose it."""
STRENGTHS = (1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0)


def solve(
    scores: Any,
    y: Any,
    *,
    combination: str = "cws",
    loss: str = "hinge",
    penalty: str = "group",
    strength: float = 0.01,
    elastic: float = 0.0,
    constraint: str = "none",
    prices: Any = None,
    share: Any = None,
    target: str = "01",
    start: LinearCombiner | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
    solver: str = "auto",
) -> LinearCombiner:
    """Weights that minimise ``loss + strength * penalty`` on level-1 scores.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_members, n_classes)
        Out-of-fold scores of each classifier for each row.
    y : array-like of int, shape (n_samples,)
        Positions of the true classes.
    combination : {"ws", "cws", "lsg"}, default="cws"
        One weight per classifier, per classifier and class, or all scores for every class.
    loss : {"hinge", "squared", "log"}, default="hinge"
        ``"log"`` combines logarithms of probabilities: with ``"ws"``, the logarithmic opinion pool.
    penalty : {"l2", "l1", "group", "l2_unsquared"}, default="group"
        Squared weights, absolute weights, lengths of the weights of each classifier (whole
        classifiers are dropped), or the length of all weights.
    strength : float, default=0.01
        Factor on the penalty; positive.
    elastic : float, default=0.0
        Only for ``"l1"`` and ``"group"``: factor on the sum of the squared weights that is added to
        the penalty (an elastic net). With some of it, classifiers with nearly the same scores are
        kept together.
    constraint : {"none", "nonneg", "simplex"}, default="none"
        Any weights; none below zero; or, with the penalty ``"l2"``, none below zero and a sum of 1
        over the classifiers.
    prices : array-like of shape (n_members,), optional
        Only for ``"l1"`` and ``"group"``: what the norm of the weights of each classifier is
        multiplied by, such as its prediction time. 1 by default.
    share : array-like of shape (n_samples,), optional
        How much every row counts; scaled to add up to 1.
    target : {"01", "pm1"}, default="01"
        Only for the squared loss: target of the wrong classes, 0 or -1.
    start : LinearCombiner, optional
        Warm start.
    tol : float, default=1e-6
        Relative gap at which to stop; not relative to less than 0.01.
    max_iter : int, optional
        Limit of the solver; each has its own.
    solver : {"auto", "newton", "admm", "linear program", "lasso", "closed form", "sums"}
        ``"auto"`` takes the closed form for squared loss with l2, Lasso for squared loss with l1,
        the linear program for small problems with hinge and l1, alternating directions for more
        than 4000 weights with l2, and Newton otherwise.

    Warns
    -----
    ConvergenceWarning
        If the gap stays above the tolerance.

    Examples
    --------
    >>> import numpy as np
    >>> good = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.1, 0.9]])
    >>> useless = np.full((4, 2), 0.5)
    >>> scores = np.stack([good, useless], axis=1)
    >>> solve(scores, [0, 1, 0, 1], strength=0.05).selected
    array([ True, False])
    """
    problem = pose_problem(
        scores,
        y,
        combination=combination,
        loss=loss,
        penalty=penalty,
        elastic=elastic,
        constraint=constraint,
        prices=prices,
        share=share,
        target=target,
    )
    return minimise(problem, strength, start=start, tol=tol, max_iter=max_iter, solver=solver)


def minimise(
    problem: Problem,
    strength: float,
    *,
    start: LinearCombiner | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
    solver: str = "auto",
    quiet: bool = False,
) -> LinearCombiner:
    """Weights for one strength of a problem; see :func:`solve`.

    Parameters
    ----------
    problem : Problem
        From :func:`~uneven.stacking.model.problem.pose_problem`.
    strength, start, tol, max_iter, solver
        As in :func:`solve`.
    quiet : bool, default=False
        Do not warn if the gap stays above the tolerance; ``converged`` of the result says so.
    """
    check_solver(solver, problem.design.name, problem.loss.name, problem.penalty)
    check_positive("strength", strength)
    check_positive("tol", tol)
    problem = problem.at_strength(float(strength))
    chosen = _choose(problem) if solver == "auto" else solver
    run, begin = SOLVERS[chosen].run, _checked_start(problem, start)
    found = run(problem, begin, tol, max_iter)
    if not found.converged and begin is not None:
        found = _best(problem, found, run(problem, None, tol, max_iter), begin)
    unasked = solver == "auto" and max_iter is None
    if not found.converged and unasked and problem.loss.name == "hinge":
        found = _begin_at_a_corner(problem, found, tol)
    if not quiet:
        say_unsettled(found, tol)
    return found if problem.scale == 1.0 else replace(found, coef=found.coef / problem.scale)


def say_unsettled(found: LinearCombiner, tol: float) -> None:
    """Warn if weights were not found to the tolerance."""
    if not found.converged:
        warnings.warn(
            f"{found.solver} stopped at {found.objective:.6g}, at most {found.gap:.2g} above the "
            f"minimum: more than tol={tol:g} allows. A larger strength or tol is easier.",
            ConvergenceWarning,
            stacklevel=4,
        )


def check_positive(name: str, value: Any) -> None:
    """Refuse what is no finite number above 0."""
    if isinstance(value, bool) or not np.isscalar(value) or not np.isreal(value):
        raise ValueError(f"{name} must be a positive number; got {value!r}.")
    if not (np.isfinite(value) and value > 0.0):  # type: ignore[operator]
        raise ValueError(f"{name} must be positive and finite; got {value!r}.")


def check_solver(name: str, combination: str, loss: str, penalty: Penalty) -> None:
    """Refuse a solver that is made for another loss or penalty.

    Parameters
    ----------
    name : str
        "auto" is never refused.
    combination, loss : str
    penalty : Penalty
    """
    check_choice("solver", name, ("auto", *SOLVERS))
    instead = "" if name == "auto" else SOLVERS[name].cannot(combination, loss, penalty)
    if instead:
        raise ValueError(f"solver={name!r} solves {instead}. Use solver='auto'.")


def _choose(problem: Problem) -> str:
    """What "auto" stands for: a solver that is made for the problem, or one for its size."""
    loss, penalty, combination = problem.loss.name, problem.penalty, problem.design.name
    wide = problem.design.zeros()[0].size > _WIDE and not penalty.sparse
    if penalty.constraint.name == "simplex":
        return "admm"
    for name, solver in SOLVERS.items():
        fits = solver.loss and not solver.cannot(combination, loss, penalty)
        if fits and solver.suits(problem):
            return name
    return "admm" if wide else "newton"


def _checked_start(problem: Problem, start: LinearCombiner | None) -> LinearCombiner | None:
    if start is None:
        return None
    coef, _ = problem.design.zeros()
    if start.combination != problem.design.name or start.coef.shape != coef.shape:
        raise ValueError(
            f"start has weights of {start.combination!r} with shape {start.coef.shape}; "
            f"{problem.design.name!r} with shape {coef.shape} is needed."
        )
    if start.multipliers is not None and start.multipliers.shape != (
        problem.design.n_samples,
        problem.design.n_classes,
    ):
        start = start.restrict(np.arange(len(coef)))
    return replace(start, coef=start.coef * problem.scale)


def _begin_at_a_corner(problem: Problem, found: LinearCombiner, tol: float) -> LinearCombiner:
    """Search again from the solution with l1, if that is quickly found.

    Scores of nearly 0 and 1 need weights of many thousands where the strength is tiny; a linear
    program does not mind.
    """
    if not is_small(problem):
        return found
    corner = linear_program(replace(problem, penalty=L1()), tol=tol)
    return _best(problem, found, newton(problem, corner, tol), corner)


def _best(
    problem: Problem, warm: LinearCombiner, cold: LinearCombiner, start: LinearCombiner
) -> LinearCombiner:
    """The lowest of a warm search, a cold one, and where the warm one started."""
    stay = replace(
        start,
        objective=problem.objective(start.coef, problem.design.scores(start.coef, start.intercept)),
        gap=np.inf,
        converged=False,
    )
    return min((warm, cold, stay), key=lambda found: (found.objective, found.gap))


@dataclass(frozen=True)
class SelectionPath:
    """Combiners and the classifiers that they keep, for every strength of a grid.

    Attributes
    ----------
    strengths : ndarray of shape (n_strengths,)
        In increasing order.
    combiners : list of LinearCombiner of length n_strengths
        Solved on all rows.
    names : list of str of length n_members
    error_mean, error_std : ndarray of shape (n_strengths,), or None
        Cross-validated error rate, and its standard deviation over the folds.
    chosen : int or None
        Position of the strength that was chosen.
    seconds : ndarray of shape (n_members,), or None
        Time that each classifier takes to predict 1000 rows.
    """

    strengths: np.ndarray
    combiners: list[LinearCombiner]
    names: list[str]
    error_mean: np.ndarray | None = None
    error_std: np.ndarray | None = None
    chosen: int | None = None
    seconds: np.ndarray | None = None

    @property
    def time(self) -> np.ndarray | None:
        """Time that the kept classifiers take for 1000 rows, shape (n_strengths,)."""
        return None if self.seconds is None else np.asarray(self.selected @ self.seconds)

    @property
    def coef(self) -> list[np.ndarray]:
        """Weights, one array of shape (n_members, d) per strength."""
        return [combiner.coef for combiner in self.combiners]

    @property
    def selected(self) -> np.ndarray:
        """Which classifiers are kept, bool of shape (n_strengths, n_members)."""
        return np.array([combiner.selected for combiner in self.combiners])

    @property
    def n_selected(self) -> np.ndarray:
        """How many classifiers are kept, shape (n_strengths,)."""
        return np.asarray(self.selected.sum(axis=1))

    @property
    def objective(self) -> np.ndarray:
        """Value of each solution, shape (n_strengths,)."""
        return np.array([combiner.objective for combiner in self.combiners])


def strength_grid(largest: float) -> np.ndarray:
    """Strengths from the largest that makes sense down to a thousandth of it, in even ratios.

    Parameters
    ----------
    largest : float
        At which no weight is left; see :func:`largest_strength`.

    Returns
    -------
    ndarray of shape (13,)
        Increasing. Scores without any information have the grid below 1.

    Examples
    --------
    >>> strength_grid(2.0)[[0, -1]].round(4)
    array([0.002, 2.   ])
    """
    top = largest if largest > 0.0 else 1.0
    return np.asarray(top * np.logspace(-np.log10(_RANGE), 0.0, _GRID))


def largest_strength(problem: Problem) -> float:
    """Strength from which on no weight is left, or (with "l2", the hinge, or intercepts) a bound.

    Parameters
    ----------
    problem : Problem

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> P, y = rng.dirichlet(np.ones(3), (60, 5)), rng.integers(3, size=60)
    >>> largest = largest_strength(pose_problem(P, y, loss="squared"))
    >>> kept = [solve(P, y, loss="squared", strength=s * largest).selected for s in (1.01, 0.99)]
    >>> [int(mask.sum()) for mask in kept]
    [0, 1]
    """
    zeros = np.zeros((problem.design.n_samples, problem.design.n_classes))
    pull, _ = problem.design.adjoint(problem.loss.envelope(zeros, _HARD).slope)
    unit = problem.penalty.in_units(problem.scale, 1.0)[1]
    return problem.penalty.largest(pull) / unit


def check_strengths(strengths: Any) -> np.ndarray:
    """Strengths in increasing order, each once.

    Parameters
    ----------
    strengths : array-like of float, or None
        None is the grid of the source, from 1e-11 to 10.

    Returns
    -------
    ndarray of shape (n_strengths,)

    Examples
    --------
    >>> check_strengths([0.1, 0.01, 0.1]).tolist()
    [0.01, 0.1]
    """
    given = STRENGTHS if strengths is None else strengths
    try:
        grid = np.unique(np.array(given, dtype=np.float64))
    except (TypeError, ValueError):
        grid = np.empty(0)
    if not grid.size or np.ndim(given) != 1 or not np.isfinite(grid).all() or grid[0] <= 0.0:
        raise ValueError(
            f"strengths must be a list of finite numbers above 0, such as [0.001, 0.01, 0.1]; "
            f"got {given!r}."
        )
    return grid


def solve_path(
    P: np.ndarray,
    y: np.ndarray,
    strengths: Sequence[float] | np.ndarray,
    *,
    share: np.ndarray | None = None,
    **triple: Any,
) -> list[LinearCombiner]:
    """Solve for every strength, from the largest down, each from the solution before.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
        Level-1 scores.
    y : ndarray of int, shape (n_samples,)
        Positions of the classes.
    strengths : sequence of float
        In any order.
    share : ndarray of shape (n_samples,), optional
        Weight of each row; they sum to 1.
    **triple
        ``combination``, ``loss``, ``penalty`` and the other options of
        :func:`~uneven.stacking.solvers.solve.solve`.

    Returns
    -------
    list of LinearCombiner
        In the order of ``strengths``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=60)
    >>> P = rng.dirichlet(np.ones(3), (60, 5))
    >>> P[:, :2] += np.eye(3)[y][:, None]
    >>> [int(c.selected.sum()) for c in solve_path(P, y, [0.05, 10.0])]
    [2, 0]
    """
    grid = np.asarray(strengths, dtype=np.float64)
    found: dict[int, LinearCombiner] = {}
    start: LinearCombiner | None = None
    search = {name: triple.pop(name) for name in SEARCH if name in triple}
    problem = pose_problem(P, y, share=share, **triple)
    for k in np.argsort(-grid, kind="stable").tolist():
        start = minimise(problem, float(grid[k]), start=start, **search)
        found[k] = start
    return [found[k] for k in range(len(grid))]


def strength_for(
    P: np.ndarray,
    y: np.ndarray,
    n_members: int,
    *,
    share: np.ndarray | None = None,
    bounds: tuple[float, float] = (1e-8, 10.0),
    n_steps: int = 30,
    **triple: Any,
) -> tuple[float, LinearCombiner]:
    """Find a combiner that keeps a wanted number of classifiers.

    The number cannot be set beforehand, and does not fall steadily with the strength; bisection
    on the logarithm of the strength finds the smallest strength it meets that keeps no more.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
    y : ndarray of int, shape (n_samples,)
    n_members : int
        How many to keep at most.
    share : ndarray of shape (n_samples,), optional
    bounds : (float, float), default=(1e-8, 10.0)
        Smallest and largest strength to look at.
    n_steps : int, default=30
        Most bisections. They end as soon as the number is met.
    **triple
        As in :func:`solve_path`; the penalty must be sparse.

    Returns
    -------
    strength : float
    combiner : LinearCombiner
        Where several classifiers enter together it keeps fewer than ``n_members``. It was solved
        without a warm start, so that a fit with this strength keeps the same classifiers.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=60)
    >>> help_of = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    >>> P = rng.dirichlet(np.ones(3), (60, 5)) + help_of[:, None] * np.eye(3)[y][:, None]
    >>> strength, combiner = strength_for(P, y, 2)
    >>> int(combiner.selected.sum())
    2
    """
    check_integer("n_members", n_members, 0, P.shape[1])
    low, high = (float(bound) for bound in bounds)
    if not 0.0 < low < high < np.inf:
        raise ValueError(f"bounds must be two increasing numbers above 0, got {bounds!r}.")
    best = solve(P, y, strength=high, share=share, **triple)
    kept = int(best.selected.sum())
    if kept > n_members:
        raise ValueError(
            f"{kept} classifiers are kept even with the strength {high:g}, more than {n_members}: "
            'raise the bounds, or use penalty="group" or "l1".'
        )
    for _ in range(n_steps):
        if int(best.selected.sum()) == n_members:
            break
        middle = float(np.sqrt(low * high))
        tried = solve(P, y, strength=middle, share=share, **triple)
        if int(tried.selected.sum()) <= n_members:
            best, high = tried, middle
        else:
            low = middle
    return high, best
