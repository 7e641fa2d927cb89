r"""Choosing the strength of the penalty, and the kind of combination, by cross-validation.

Everything here works on level-1 scores alone: no classifier is trained again. In every fold the
whole grid is solved as one path with warm starts; the strength with the smallest loss, or with the
fewest mistakes, on rows held out wins.

References
----------
M. U. Şen (2011), *Max-margin stacking with group sparse regularization for classifier
combination*, MSc thesis, Sabanci University, sections 4.4 and 7.2.

Notes
-----
The source does not say which of several equally good strengths it takes; its counts of kept
classifiers suggest the smallest. Here the largest is taken, which keeps fewer classifiers.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from uneven.stacking.model.combinations import COMBINATIONS
from uneven.stacking.model.losses import LOSSES
from uneven.stacking.model.penalties import Penalty, check_prices, make_penalty
from uneven.stacking.model.problem import LinearCombiner, pose_problem
from uneven.stacking.solvers import SOLVERS
from uneven.stacking.solvers.solve import (
    SEARCH,
    check_strengths,
    largest_strength,
    solve_path,
    strength_grid,
)
from uneven.stacking.solvers.squared import FoldedSums, SquaredSums
from uneven.utils.estimators import deal_folds
from uneven.utils.parallel import capped_jobs
from uneven.utils.parameters import check_choice, check_integer

_TIED = 1e-12
JUDGING = ("cv", "judge", "tie", "slack", "random_state", "n_jobs")
"""Options by which strengths are evaluated; the others define the problem."""
_JUDGED = 1e-3
"""Relative precision of combiners that are only evaluated: their errors hardly depend on it."""


@dataclass(frozen=True)
class StrengthChoice:
    """Cross-validated errors of every strength of a grid.

    Attributes
    ----------
    combination : str
        The kind of combination that was evaluated.
    strengths : ndarray of shape (n_strengths,)
        In increasing order.
    error, loss : ndarray of shape (n_folds, n_strengths)
        Error rate and mean loss on held-out rows.
    n_selected : ndarray of shape (n_folds, n_strengths)
        Classifiers kept.
    index : int
        Position of the chosen strength.
    held_out : ndarray of shape (n_samples, n_classes)
        Scores of every row with the chosen strength, by the combiner that did not see it. NaN for
        rows that no fold holds out.
    sums : SquaredSums or None
        What least squares need of all rows, if strengths were evaluated by it.
    """

    combination: str
    strengths: np.ndarray
    error: np.ndarray
    loss: np.ndarray
    n_selected: np.ndarray
    index: int
    held_out: np.ndarray
    sums: SquaredSums | None = None

    @property
    def strength(self) -> float:
        """The chosen strength."""
        return float(self.strengths[self.index])

    @property
    def error_mean(self) -> np.ndarray:
        """Mean error over the folds, shape (n_strengths,)."""
        return np.asarray(self.error.mean(axis=0))

    @property
    def error_std(self) -> np.ndarray:
        """Standard deviation of the error over the folds, shape (n_strengths,)."""
        return np.asarray(self.error.std(axis=0))

    def results(self) -> dict[str, np.ndarray]:
        """Strengths, errors, losses and numbers of kept classifiers, each (n_strengths,)."""
        return {
            "strength": self.strengths,
            "mean_error": self.error_mean,
            "std_error": self.error_std,
            "mean_loss": np.asarray(self.loss.mean(axis=0)),
            "n_selected": np.asarray(self.n_selected.mean(axis=0)),
        }


def check_inner(cv: Any) -> None:
    """Refuse inner folds that are neither a number nor a splitter."""
    if isinstance(cv, str) or not hasattr(cv, "split"):
        check_integer("inner_cv", cv, 2)


def inner_folds(y: np.ndarray, cv: Any, random_state: Any = None) -> list[tuple[Any, Any]]:
    """Rows to learn from and rows to hold out, fold by fold.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
    cv : int or splitter
        A number spreads every class as evenly over the folds as it can be.
    random_state : int, RandomState or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> [len(test) for _, test in inner_folds(np.array([0, 0, 0, 1, 1]), 2, 0)]
    [3, 2]
    """
    check_inner(cv)
    if hasattr(cv, "split"):
        return list(cv.split(np.zeros((len(y), 1)), y))
    n_folds = min(int(cv), len(y))
    fold = deal_folds(y, n_folds, check_random_state(random_state))
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


def choose_strength(
    P: np.ndarray,
    y: np.ndarray,
    strengths: Any = None,
    *,
    cv: Any = 2,
    judge: str = "error",
    tie: str = "largest",
    slack: float = 0.0,
    share: np.ndarray | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    **triple: Any,
) -> StrengthChoice:
    """Find the strength that does best on rows held out.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
        Level-1 scores.
    y : ndarray of int, shape (n_samples,)
    strengths : sequence of float, optional
        None is a grid from the data; see :func:`~uneven.stacking.solvers.solve.strength_grid`.
    cv : int or splitter, default=2
    judge : {"error", "loss"}, default="error"
        What must be small on held-out rows: the error rate, or the loss that is
        minimised on the others.
    tie : {"largest", "smallest"}, default="largest"
        Which of several equally good strengths to take.
    slack : float, default=0.0
        How many standard errors of its difference from the best (over the folds) a strength may
        be worse and still count as equally good.
    share : ndarray of shape (n_samples,), optional
        Weight of each row, in training and in evaluation.
    random_state : int, RandomState or None, default=None
        Deals the rows to the folds.
    n_jobs : int or None, default=None
        Folds that are solved at the same time, in threads.
    **triple
        ``combination``, ``loss``, ``penalty`` and the other options of
        :func:`~uneven.stacking.solvers.solve.solve`. The default of ``tol`` is 1e-3 here.

    Returns
    -------
    StrengthChoice

    Warns
    -----
    ConvergenceWarning
        Once, if solutions on some folds were not found to the tolerance.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=80)
    >>> P = rng.dirichlet(np.ones(3), (80, 6))
    >>> P[:, 0] += np.eye(3)[y]
    >>> choice = choose_strength(P, y, [0.01, 0.1, 10.0], random_state=0)
    >>> choice.strength, choice.error_mean[:2].max() < choice.error_mean[2]
    (0.1, np.True_)
    """
    check_choice("tie", tie, ("largest", "smallest"))
    check_choice("judge", judge, JUDGES)
    weight = np.full(len(y), 1.0 / len(y)) if share is None else share
    usual = {"combination": "cws", "loss": "hinge", "penalty": "group", "tol": _JUDGED}
    triple = {**usual, **triple}
    folds = inner_folds(y, cv, random_state)
    summed = _folded_sums(P, y, weight, folds, triple)
    if strengths is None:
        grid = strength_grid(_largest(P, y, weight, triple, summed))
    else:
        grid = check_strengths(strengths)
    if summed is None:
        jobs = (delayed(_solve_fold)(P, y, weight, grid, *fold, triple) for fold in folds)
        paths = list(Parallel(n_jobs=capped_jobs(n_jobs), prefer="threads")(jobs))
    else:
        found = summed.paths(penalty_of(triple, P.shape[1]), grid, triple["tol"])
        paths = [_FoldPath(scores, _count(coefs), unsettled) for scores, coefs, unsettled in found]
    judged = [_judge(path, y[test], weight[test], triple) for (_, test), path in zip(folds, paths)]
    error, loss = (np.array(part) for part in zip(*judged))
    index = best_of(error if judge == "error" else loss, tie, slack)
    held_out = np.full((len(y), P.shape[2]), np.nan)
    for (_, test), path in zip(folds, paths):
        held_out[test] = path.scores[index]
    _say_unsettled(sum(path.unsettled for path in paths), len(paths) * len(grid), triple["tol"])
    counts = np.array([path.n_selected for path in paths])
    sums = None if summed is None else summed.total.to_mean()
    return StrengthChoice(triple["combination"], grid, error, loss, counts, index, held_out, sums)


JUDGES = ("error", "loss")
"""Loss of strengths on held-out rows."""


@dataclass(frozen=True)
class _FoldPath:
    """Solutions of a fold: scores of its rows, kept classifiers, and how many did not settle."""

    scores: np.ndarray
    n_selected: np.ndarray
    unsettled: int


def best_of(measured: np.ndarray, tie: str, slack: float = 0.0) -> int:
    """Position of the smallest mean over the folds; the last or the first one among equals.

    Parameters
    ----------
    measured : ndarray of shape (n_folds, n_strengths), or (n_strengths,)
    tie : {"largest", "smallest"}
    slack : float, default=0.0
        As in :func:`choose_strength`.

    Examples
    --------
    >>> best_of(np.array([[0.2, 0.1, 0.12], [0.2, 0.1, 0.08], [0.2, 0.1, 0.13]]), "largest", 1.0)
    2
    """
    folds = np.atleast_2d(measured)
    apart = folds - folds[:, [int(folds.mean(axis=0).argmin())]]
    spread = apart.std(axis=0) / np.sqrt(len(folds))
    tied = np.flatnonzero(apart.mean(axis=0) <= slack * spread + _TIED)
    return int(tied[-1] if tie == "largest" else tied[0])


def _say_unsettled(unsettled: int, total: int, tol: float) -> None:
    if unsettled:
        warnings.warn(
            f"{unsettled} of {total} solutions by which strengths are judged were not found to "
            f"tol={tol:g}, so that their figures are approximate. Larger strengths are easier.",
            ConvergenceWarning,
            stacklevel=4,
        )


def _folded_sums(
    P: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    folds: list[tuple[Any, Any]],
    triple: dict[str, Any],
) -> FoldedSums | None:
    """Sums of the folds, if they are enough: least squares, and every row held out once."""
    posed = (triple["combination"], triple["loss"], penalty_of(triple, P.shape[1]))
    if SOLVERS["sums"].cannot(*posed) or triple.get("solver", "auto") not in ("auto", "sums"):
        return None
    tests = [np.asarray(test) for _, test in folds]
    once = sum(map(len, tests)) == len(y) == len(np.unique(np.concatenate(tests)))
    if not once or any(len(part) + len(test) != len(y) for part, test in folds):
        return None
    words = (triple["combination"], triple.get("target", "01"))
    return FoldedSums.of(P, y, weight, tests, *words)


def penalty_of(triple: dict[str, Any], n_members: int) -> Penalty:
    """The penalty that options of :func:`choose_strength` define."""
    prices = check_prices(triple.get("prices"), n_members)
    words = (triple.get("elastic", 0.0), triple.get("constraint", "none"), prices)
    return make_penalty(triple["penalty"], *words)


def _count(coefs: np.ndarray) -> np.ndarray:
    """How many classifiers each set of weights keeps, shape (n_sets,)."""
    return np.array([LinearCombiner("", coef, np.zeros(0)).selected.sum() for coef in coefs])


def _largest(
    P: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    triple: dict[str, Any],
    summed: FoldedSums | None,
) -> float:
    """The largest strength that makes sense."""
    if summed is not None:
        return summed.total.to_mean().largest_strength(penalty_of(triple, P.shape[1]))
    posed = {name: value for name, value in triple.items() if name not in SEARCH}
    return largest_strength(pose_problem(P, y, share=weight, **posed))


def _solve_fold(
    P: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    grid: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    triple: dict[str, Any],
) -> _FoldPath:
    share = weight[train] / weight[train].sum()
    rows = np.ascontiguousarray(P[train])
    combiners = solve_path(rows, y[train], grid, share=share, quiet=True, **triple)
    asked = np.ascontiguousarray(P[test])
    return _FoldPath(
        np.stack([combiner.scores(asked) for combiner in combiners]),
        np.array([combiner.selected.sum() for combiner in combiners]),
        sum(not combiner.converged for combiner in combiners),
    )


def _judge(
    path: _FoldPath, y: np.ndarray, weight: np.ndarray, triple: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Errors and losses on the rows held out, each of shape (n_strengths,)."""
    wrong = np.average(path.scores.argmax(axis=2) != y, axis=1, weights=weight)
    n_classes, target = path.scores.shape[2], triple.get("target", "01")
    cost = LOSSES[triple["loss"]](y, n_classes, weight / weight.sum(), target)
    return wrong, np.array([cost.value(scores) for scores in path.scores])


def choose_combination(
    P: np.ndarray, y: np.ndarray, strengths: Any = None, **options: Any
) -> StrengthChoice:
    """Find the kind of combination, and its strength, with the smallest cross-validated error.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
    y : ndarray of int, shape (n_samples,)
    strengths : sequence of float, optional
    **options
        As in :func:`choose_strength`, without ``combination``. ``random_state`` should be a
        number, so that all kinds see the same folds.

    Returns
    -------
    StrengthChoice
        Of the best kind; the one with fewer weights among equals.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=80)
    >>> P = rng.dirichlet(np.ones(3), (80, 6))
    >>> P[:, 0] += np.eye(3)[y]
    >>> choose_combination(P, y, [0.01, 0.1], random_state=0).combination
    'ws'
    """
    choices = [choose_strength(P, y, strengths, combination=c, **options) for c in COMBINATIONS]
    measure = "error" if options.get("judge", "error") == "error" else "loss"
    reached = np.array([getattr(choice, measure).mean(axis=0).min() for choice in choices])
    return choices[best_of(reached, "smallest")]
