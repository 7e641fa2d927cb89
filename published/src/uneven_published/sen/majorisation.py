"""Majorisation-minimisation: weights by class, one at a time, on a smoothed margin loss.

Every sweep puts a parabola above the loss of each row, at its margin, and then goes once through
the weights, with a Newton step on the sum of the parabolas for each of them. Two modes:

- ``"paper"`` is the published algorithm, corrected, with guards. Margins are not linear in the
  weights, so that the Newton step belongs to no majoriser any more: the objective usually falls,
  but nothing proves it.
- ``"safe"`` uses bounds on the true second derivatives. It is proved never to rise, treats the row
  of a classifier as a whole under the group penalty, and needs more sweeps.

For the exact hinge use :mod:`uneven.stacking.solvers.solve`: it is faster and certifies its
optimum.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from uneven.stacking.model.penalties import PENALTIES
from uneven.stacking.model.problem import LinearCombiner, check_level_one
from uneven.utils.parameters import check_choice, check_integer
from uneven_published.sen import _loops as loops
from uneven_published.sen.smoothed_hinge import SmoothedHinge, SmoothedProblem

Order = tuple[np.ndarray, np.ndarray]

_FLOOR = 1e-10
"""Least second derivative that is divided by."""

_LONGEST = 10.0
"""Longest step, in units of the largest weight (of 1 if that is smaller)."""

_PENALTIES = {"l2": loops.L2, "l1": loops.L1, "group": loops.GROUP}


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
        loops.paper_sweep(
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
            loops.safe_group_sweep(*rows, self.row_bounds, order[1][0], hinge, problem.strength)
        else:
            rules = _PENALTIES[problem.penalty.name], problem.strength
            loops.safe_sweep(*rows, self.weight_bounds, order, hinge, rules)
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


PAPER: dict[str, Any] = {"n_sweeps": 15, "tol": 0.05}
"""When the source stops: early, and often far from the optimum."""

_RISE = 1e-9
_HALVINGS = 30


@dataclass
class Trace:
    """What happened in the sweeps; the first entry of each list is the start.

    Attributes
    ----------
    objective : list of float
        Smoothed loss plus penalty.
    selected : list of int
        Classifiers with a weight that is not exactly 0.
    seconds : list of float
        Since the first entry.
    n_halved : int
        Sweeps whose update was shortened because the objective rose.
    """

    objective: list[float] = field(default_factory=list)
    selected: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    n_halved: int = 0
    _clock: float = field(default_factory=time.perf_counter, repr=False)

    def record(self, coef: np.ndarray, objective: float) -> None:
        """Add the weights after a sweep, shape (n_members, n_classes)."""
        self.objective.append(objective)
        self.selected.append(int(coef.any(axis=1).sum()))
        self.seconds.append(time.perf_counter() - self._clock)


@dataclass
class MajorisedCombiner(LinearCombiner):
    """Class weights found by :func:`majorise`, with the story of the descent.

    Attributes
    ----------
    trace : Trace
        ``objective`` and ``gap`` of the combiner belong to the smoothed problem.
    """

    trace: Trace = field(default_factory=Trace)


def majorise(
    P: np.ndarray,
    y: np.ndarray,
    *,
    penalty: str = "group",
    strength: float = 0.01,
    curvature: str = "optimal",
    mode: str = "paper",
    guards: bool = True,
    tau: float = 0.5,
    temperature: float = 1.0,
    threshold: float = 1e-5,
    n_sweeps: int = 200,
    tol: float = 1e-3,
    schedule: str = "cyclic",
    share: np.ndarray | None = None,
    start: LinearCombiner | None = None,
    random_state: Any = None,
) -> MajorisedCombiner:
    """Learn one weight per classifier and class by majorisation-minimisation.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
        Level-1 scores.
    y : ndarray of int, shape (n_samples,)
        True classes, from 0.
    penalty : {"l2", "l1", "group"}, default="group"
        Squared length, sum of absolute values, or sum of the lengths of the rows of ``coef``.
    strength : float, default=0.01
        Factor of the penalty, above 0.
    curvature : {"optimal", "maximum"}, default="optimal"
        Of the parabolas above the loss and above the group penalty (mode "paper").
    mode : {"paper", "safe"}, default="paper"
        The published steps, or steps that are proved to descend.
    guards : bool, default=True
        Without them, mode "paper" does what was published: it divides by second derivatives that
        may be 0. Only good for seeing it fail.
    tau, temperature : float, default=0.5 and 1.0
        See :class:`SmoothedHinge`.
    threshold : float, default=1e-5
        In mode "paper", a weight of the group penalty shrinks as under l1 if the squares of the
        other weights of its classifier add up to no more than this.
    n_sweeps : int, default=200
        At most so many.
    tol : float, default=1e-3
        Stop when no weight changes in a sweep by this share of the largest weight.
    schedule : {"cyclic", "random"}, default="cyclic"
        Class after class, and in each the classifiers in their order; or both orders drawn anew in
        every sweep. Mode "safe" with the group penalty goes through the classifiers only.
    share : ndarray of shape (n_samples,), optional
        Weights of the rows, sum 1.
    start : LinearCombiner, optional
        Where to begin; at 0 if not given.
    random_state : int, RandomState or None, default=None
        For the random schedule.

    Returns
    -------
    MajorisedCombiner

    References
    ----------
    M. U. Sen (2011), *Max-margin stacking with group sparse regularization for classifier
    combination*, MSc thesis, Sabanci University, algorithm 2. Corrections:

    - The second sum of the first derivative has the score of the classifier as a factor.
    - Slope and curvature at the ends of the rounded corner are not 0.
    - Soft maxima are log-sum-exps: running sums of exponentials cancel and overflow.
    - Weights that do not move at all end the descent; all of them may be 0.
    - A weight whose second derivative is (nearly) 0 is left alone. Dividing by it is what took some
      published runs to chance.
    - That the descent reaches the optimum is not proved for the published steps; mode "safe" is
      ours, and does.

    Examples
    --------
    >>> import numpy as np
    >>> first = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7], [0.4, 0.5, 0.1]]
    >>> second = [[0.3, 0.4, 0.3], [0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4]]
    >>> P = np.stack([first, second], axis=1)
    >>> found = majorise(P, np.array([0, 1, 2, 0]), strength=0.05)
    >>> found.selected
    array([ True, False])
    >>> falls = np.diff(found.trace.objective)
    >>> bool((falls <= 0.0).all()), found.converged
    (True, True)
    """
    check_choice("mode", mode, ("paper", "safe"))
    check_choice("curvature", curvature, ("optimal", "maximum"))
    check_choice("schedule", schedule, ("cyclic", "random"))
    check_integer("n_sweeps", n_sweeps, 1)
    for name, number in (("strength", strength), ("threshold", threshold), ("tol", tol)):
        _check_number(name, number, may_be_zero=name != "strength")
    problem = _open(P, y, share, SmoothedHinge(tau, temperature), penalty, strength)
    sweep: Callable[[np.ndarray, Order], np.ndarray] = (
        PaperSweep(problem, curvature, guards, threshold) if mode == "paper" else SafeSweep(problem)
    )
    rng = check_random_state(random_state) if schedule == "random" else None
    coef = _first(problem, start, guards or mode == "safe")
    trace, converged = Trace(), False
    trace.record(coef, problem.objective(coef))
    for _ in range(n_sweeps):
        before = coef
        coef = sweep(before, draw_order(problem, rng))
        coef = _shorten(problem, before, coef, trace) if guards else coef
        trace.record(coef, problem.objective(coef))
        change = np.abs(coef - before).max()
        converged = bool(change == 0.0 or change < tol * np.abs(coef).max())
        if converged:
            break
    if converged and not coef.any():
        warnings.warn(
            f"all weights are 0: strength={strength!r} is too large for these scores. Every row "
            "gets the same answer; choose a smaller strength.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return MajorisedCombiner(
        combination="cws",
        coef=coef,
        intercept=np.zeros(0),
        objective=trace.objective[-1],
        gap=problem.gap(coef),
        n_iter=len(trace.objective) - 1,
        converged=converged,
        solver=f"majorise-{mode}",
        trace=trace,
    )


def _open(
    P: np.ndarray,
    y: np.ndarray,
    share: np.ndarray | None,
    hinge: SmoothedHinge,
    penalty: str,
    strength: float,
) -> SmoothedProblem:
    """Check the rows and the name of the penalty, and join them."""
    check_choice("penalty", penalty, PENALTIES)
    rows = check_level_one(P, y, share)
    return SmoothedProblem.of(*rows, hinge, PENALTIES[penalty](), float(strength))


def _check_number(name: str, value: Any, may_be_zero: bool) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0.0 <= float(value) < np.inf or not (value or may_be_zero):
        least = "at least 0" if may_be_zero else "above 0"
        raise ValueError(f"{name} must be a finite number {least}, got {value!r}.")


def _first(problem: SmoothedProblem, start: LinearCombiner | None, guards: bool) -> np.ndarray:
    """Weights to begin with; 0 for columns of zeros, whose weights no loss would ever move."""
    shape = problem.mean_squares.shape
    if start is None:
        return np.zeros(shape)
    if start.combination != "cws" or start.coef.shape != shape:
        raise ValueError(
            f"start is a {start.combination!r} combiner with weights of shape {start.coef.shape}; "
            f"the descent needs a 'cws' combiner with weights of shape {shape}."
        )
    coef = np.array(start.coef, dtype=np.float64)
    return np.where(live(problem), coef, 0.0) if guards else coef


def _shorten(
    problem: SmoothedProblem, before: np.ndarray, after: np.ndarray, trace: Trace
) -> np.ndarray:
    """Halve the update of a sweep until the objective does not rise."""
    if not np.isfinite(after).all():
        raise FloatingPointError(
            "a weight became infinite or NaN: the scores differ too much in size. Scale them, for "
            "instance to probabilities."
        )
    limit = trace.objective[-1] * (1.0 + _RISE)
    for halving in range(_HALVINGS):
        if problem.objective(after) <= limit:
            return after
        trace.n_halved += halving == 0
        after = (before + after) / 2.0
    return before
