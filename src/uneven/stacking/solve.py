"""One door to the weights of a linear combination: combination x loss x penalty x solver."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from uneven.stacking.admm import admm
from uneven.stacking.combinations import COMBINATIONS
from uneven.stacking.combiner import LinearCombiner
from uneven.stacking.least_squares import closed_form, lasso
from uneven.stacking.linear_program import linear_program
from uneven.stacking.losses import LOSSES, SquaredLoss
from uneven.stacking.newton import newton
from uneven.stacking.penalties import L1, PENALTIES, Penalty, SparsePenalty
from uneven.stacking.problem import Problem
from uneven.utils.parameters import check_choice

__all__ = ["SOLVERS", "STRENGTHS", "bind", "check_level_one", "minimise", "solve"]

STRENGTHS = (1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0)

SOLVERS = ("auto", "newton", "admm", "linear program", "lasso", "closed form")

_ONLY = {
    "closed form": ("squared", "l2"),
    "lasso": ("squared", "l1"),
    "linear program": ("hinge", "l1"),
}
_WIDE, _SMALL_PROGRAM, _USUAL = 4000, 100_000, (0.05, 20.0)


def solve(
    scores: Any,
    y: Any,
    *,
    combination: str = "cws",
    loss: str = "hinge",
    penalty: str = "group",
    strength: float = 0.01,
    elastic: float = 0.0,
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
        What each classifier says about each row, from models that have not seen the row.
    y : array-like of int, shape (n_samples,)
        Positions of the true classes.
    combination : {"ws", "cws", "lsg"}, default="cws"
        One weight per classifier, per classifier and class, or all scores for every class.
    loss : {"hinge", "squared"}, default="hinge"
    penalty : {"l2", "l1", "group"}, default="group"
        With ``"group"`` whole classifiers are dropped.
    strength : float, default=0.01
        Factor on the penalty; positive.
    elastic : float, default=0.0
        Only for ``"l1"`` and ``"group"``: factor on the sum of the squared weights that is added to
        the penalty (an elastic net). With some of it, classifiers that say nearly the same are
        kept together.
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
    solver : {"auto", "newton", "admm", "linear program", "lasso", "closed form"}
        ``"auto"`` takes the closed form for squared loss with l2, Lasso for squared loss with l1,
        the linear program for small problems with hinge and l1, alternating directions for more
        than 4000 weights with l2, and Newton otherwise.

    Returns
    -------
    LinearCombiner

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
    problem = bind(
        scores,
        y,
        combination=combination,
        loss=loss,
        penalty=penalty,
        elastic=elastic,
        share=share,
        target=target,
    )
    return minimise(problem, strength, start=start, tol=tol, max_iter=max_iter, solver=solver)


def bind(
    scores: Any,
    y: Any,
    *,
    combination: str = "cws",
    loss: str = "hinge",
    penalty: str = "group",
    elastic: float = 0.0,
    share: Any = None,
    target: str = "01",
) -> Problem:
    """The problem of :func:`solve`, checked, for one or many strengths.

    Parameters
    ----------
    scores, y, combination, loss, penalty, elastic, share, target
        As in :func:`solve`.

    Returns
    -------
    Problem
        Its strength is 1. Rows that do not count are left out.
    """
    scores, y, share = check_level_one(scores, y, share)
    check_choice("combination", combination, COMBINATIONS)
    check_choice("loss", loss, LOSSES)
    check_choice("penalty", penalty, PENALTIES)
    check_choice("target", target, ("01", "pm1"))
    if not share.all():
        counts = np.flatnonzero(share)
        scores, y, share = scores[counts], y[counts], share[counts]
    size = float(np.abs(scores).max())
    scale = size * float(np.sqrt(np.mean((scores / (size or 1.0)) ** 2)))
    if not scale or _USUAL[0] <= scale <= _USUAL[1]:
        scale = 1.0
    given = {"target": target} if LOSSES[loss] is SquaredLoss else {}
    bound_loss = LOSSES[loss](y, scores.shape[2], share, **given)
    design = COMBINATIONS[combination](scores if scale == 1.0 else scores / scale)
    return Problem(design, bound_loss, _penalty(penalty, elastic), 1.0, scale)


def _penalty(name: str, elastic: float) -> Penalty:
    if isinstance(elastic, bool) or not isinstance(elastic, Real) or not 0.0 <= elastic < np.inf:
        raise ValueError(f"elastic must be a finite number, 0 or more; got {elastic!r}.")
    kind = PENALTIES[name]
    if issubclass(kind, SparsePenalty):
        return kind(float(elastic))
    if elastic:
        raise ValueError(
            f"elastic={elastic!r} adds squared weights to penalty='l1' or 'group'; "
            f"penalty={name!r} consists of them: leave elastic=0."
        )
    return kind()


def minimise(
    problem: Problem,
    strength: float,
    *,
    start: LinearCombiner | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
    solver: str = "auto",
) -> LinearCombiner:
    """Weights for one strength of a problem; see :func:`solve`.

    Parameters
    ----------
    problem : Problem
        From :func:`bind`.
    strength, start, tol, max_iter, solver
        As in :func:`solve`.

    Returns
    -------
    LinearCombiner
    """
    check_choice("solver", solver, SOLVERS)
    _check_positive("strength", strength)
    _check_positive("tol", tol)
    problem = problem.at_strength(float(strength))
    chosen = _choose(problem, solver)
    begin = _checked_start(problem, start)
    found = _run(problem, chosen, begin, tol, max_iter)
    if not found.converged and begin is not None:
        found = _best(problem, found, _run(problem, chosen, None, tol, max_iter), begin)
    unasked = solver == "auto" and max_iter is None
    if not found.converged and unasked and problem.loss.name == "hinge":
        found = _begin_at_a_corner(problem, found, tol)
    if not found.converged:
        warnings.warn(
            f"{chosen} stopped at {found.objective:.6g}, at most {found.gap:.2g} above the "
            f"minimum: more than tol={tol:g} allows. A larger strength or tol is easier.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return found if problem.scale == 1.0 else replace(found, coef=found.coef / problem.scale)


def check_level_one(
    scores: Any, y: Any = None, share: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Refuse level-1 scores, labels and shares that do not fit.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_members, n_classes)
    y : array-like of int, shape (n_samples,), optional
    share : array-like of shape (n_samples,), optional

    Returns
    -------
    scores : ndarray of float64, shape (n_samples, n_members, n_classes)
    y : ndarray of int, shape (n_samples,)
        Zeros if there were none.
    share : ndarray of shape (n_samples,)
        Adds up to 1.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 3 or 0 in scores.shape or scores.shape[2] < 2:
        raise ValueError(
            "scores must have the shape (n_samples, n_members, n_classes) with at least one row, "
            f"one classifier and two classes; got {scores.shape}."
        )
    if not np.isfinite(scores).all():
        i, m, n = np.argwhere(~np.isfinite(scores))[0]
        raise ValueError(
            f"scores[{i}, {m}, {n}] is {scores[i, m, n]}: every classifier must give a finite "
            "score for every row and class."
        )
    labels = np.zeros(len(scores), dtype=np.int64) if y is None else np.asarray(y)
    if labels.shape != (len(scores),) or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError(
            f"y must hold one class position (int) for each of the {len(scores)} rows; got shape "
            f"{labels.shape} of {labels.dtype}."
        )
    if labels.min() < 0 or labels.max() >= scores.shape[2]:
        raise ValueError(
            f"y holds {labels.min()} to {labels.max()}, but scores have {scores.shape[2]} classes "
            f"(0 to {scores.shape[2] - 1})."
        )
    weights = np.ones(len(scores)) if share is None else np.asarray(share, dtype=np.float64)
    if weights.shape != (len(scores),):
        raise ValueError(f"share has shape {weights.shape}; {len(scores)} numbers are needed.")
    if not np.isfinite(weights).all() or (weights < 0.0).any() or not weights.any():
        raise ValueError("share must be finite, >= 0 and not all zero.")
    weights = weights / weights.max()
    return scores, labels.astype(np.int64, copy=False), weights / weights.sum()


def _check_positive(word: str, value: Any) -> None:
    if isinstance(value, bool) or not np.isscalar(value) or not np.isreal(value):
        raise ValueError(f"{word} must be a positive number; got {value!r}.")
    if not (np.isfinite(value) and value > 0.0):  # type: ignore[operator]
        raise ValueError(f"{word} must be positive and finite; got {value!r}.")


def _choose(problem: Problem, solver: str) -> str:
    """The solver that is used, after refusing one that cannot do it."""
    pair = (problem.loss.name, problem.penalty.name)
    plain = not problem.penalty.sparse or problem.penalty.ridge == 0.0
    if solver in _ONLY and not plain:
        raise ValueError(f"solver={solver!r} solves elastic=0.0 only. Use solver='auto'.")
    if solver in _ONLY and _ONLY[solver] != pair:
        can = _ONLY[solver]
        raise ValueError(
            f"solver={solver!r} solves loss={can[0]!r} with penalty={can[1]!r} only, not "
            f"{pair[0]!r} with {pair[1]!r}. Use solver='auto'."
        )
    if solver != "auto":
        return solver
    n_weights = problem.design.zeros()[0].size
    for name, can in _ONLY.items():
        if plain and can == pair and (name != "linear program" or _is_small(problem)):
            return name
    return "admm" if n_weights > _WIDE and not problem.penalty.sparse else "newton"


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

    Scores of nearly 0 and 1 ask for weights of many thousands where the strength is tiny; a linear
    program does not mind.
    """
    if not _is_small(problem):
        return found
    corner = linear_program(replace(problem, penalty=L1()), tol)
    return _best(problem, found, newton(problem, corner, tol), corner)


def _is_small(problem: Problem) -> bool:
    """Whether a linear program is solved at once."""
    design = problem.design
    n_entries = design.n_samples * (design.n_classes - 1) * design.zeros()[0].size
    return n_entries <= _SMALL_PROGRAM


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


def _run(
    problem: Problem, solver: str, start: LinearCombiner | None, tol: float, max_iter: int | None
) -> LinearCombiner:
    limit = {} if max_iter is None else {"max_iter": max_iter}
    if solver == "closed form":
        return closed_form(problem, tol)
    if solver == "linear program":
        return linear_program(problem, tol)
    if solver == "lasso":
        found = lasso(problem, tol, **limit)
        return found if found.converged else newton(problem, found, tol)
    search: Callable[..., LinearCombiner] = {"newton": newton, "admm": admm}[solver]
    return search(problem, start, tol, **limit)
