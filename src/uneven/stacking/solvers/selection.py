r"""Choosing the strength of the penalty, and the kind of combination, by cross-validation.

Everything here works on level-1 scores alone: no classifier is trained again. In every fold the
whole grid is solved as one path with warm starts; the strength with the fewest mistakes wins.

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
from uneven.stacking.model.problem import LinearCombiner
from uneven.stacking.solvers.solve import check_strengths, solve, solve_path
from uneven.utils.estimators import deal_folds
from uneven.utils.parameters import check_choice, check_integer

_TIED = 1e-12
_JUDGED = 1e-3
"""Relative precision of combiners that are only judged: their errors hardly depend on it."""


@dataclass(frozen=True)
class StrengthChoice:
    """What cross-validation said about every strength of a grid.

    Attributes
    ----------
    combination : str
        The kind of combination that was judged.
    strengths : ndarray of shape (n_strengths,)
        In increasing order.
    error : ndarray of shape (n_folds, n_strengths)
        Share of wrong answers on the rows held out.
    n_selected : ndarray of shape (n_folds, n_strengths)
        Classifiers kept.
    index : int
        Position of the chosen strength.
    held_out : ndarray of shape (n_samples, n_classes)
        Scores of every row with the chosen strength, by the combiner that did not see it. NaN for
        rows that no fold holds out.
    """

    combination: str
    strengths: np.ndarray
    error: np.ndarray
    n_selected: np.ndarray
    index: int
    held_out: np.ndarray

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
        """Strengths, errors and numbers of kept classifiers, each of shape (n_strengths,)."""
        return {
            "strength": self.strengths,
            "mean_error": self.error_mean,
            "std_error": self.error_std,
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
    tie: str = "largest",
    share: np.ndarray | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    **triple: Any,
) -> StrengthChoice:
    """Find the strength with the smallest cross-validated error.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
        Level-1 scores.
    y : ndarray of int, shape (n_samples,)
    strengths : sequence of float, optional
        None is the grid of the source.
    cv : int or splitter, default=2
    tie : {"largest", "smallest"}, default="largest"
        Which of several equally good strengths to take.
    share : ndarray of shape (n_samples,), optional
        Weight of each row, in learning and in judging.
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
    grid = check_strengths(strengths)
    weight = np.full(len(y), 1.0 / len(y)) if share is None else share
    folds = inner_folds(y, cv, random_state)
    triple = {"tol": _JUDGED} | triple
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        judged = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_judge)(P, y, weight, grid, train, test, triple) for train, test in folds
        )
    error = np.array([wrong for wrong, _ in judged])
    index = best_of(error.mean(axis=0), tie)
    held_out = np.full((len(y), P.shape[2]), np.nan)
    for (_, test), (_, combiners) in zip(folds, judged):
        held_out[test] = combiners[index].scores(P[test])
    counts = np.array([[c.selected.sum() for c in combiners] for _, combiners in judged])
    combination = judged[0][1][0].combination
    return StrengthChoice(combination, grid, error, counts, index, held_out)


def best_of(error: np.ndarray, tie: str) -> int:
    """Position of the smallest error; the last or the first one among equals."""
    tied = np.flatnonzero(error <= error.min() + _TIED)
    return int(tied[-1] if tie == "largest" else tied[0])


def _judge(
    P: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    grid: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    triple: dict[str, Any],
) -> tuple[np.ndarray, list[LinearCombiner]]:
    """Errors on the rows held out, shape (n_strengths,), and the combiners of a fold."""
    share = weight[train] / weight[train].sum()
    combiners = solve_path(np.ascontiguousarray(P[train]), y[train], grid, share=share, **triple)
    asked = np.ascontiguousarray(P[test])
    wrong = np.array([combiner.predict(asked) != y[test] for combiner in combiners])
    return np.average(wrong, axis=1, weights=weight[test]), combiners


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
    errors = np.array([choice.error_mean.min() for choice in choices])
    return choices[best_of(errors, "smallest")]


@dataclass(frozen=True)
class Selection:
    """A combiner that uses only some classifiers, and how it was found.

    Attributes
    ----------
    mask : ndarray of bool, shape (n_members,)
        The classifiers that it uses.
    combiner : LinearCombiner, or a KernelCombiner
        Of these classifiers only.
    coef : ndarray of shape (n_members, d), or None
        Its weights, with zeros for the others. None with a kernel.
    choice : StrengthChoice, or a KernelChoice
        How the strength was chosen.
    refit : StrengthChoice or None
        How the strength of the second stage was chosen.
    """

    mask: np.ndarray
    combiner: Any
    coef: np.ndarray | None
    choice: Any
    refit: StrengthChoice | None = None

    @property
    def held_out(self) -> np.ndarray:
        """Scores of rows by combiners that did not see them, shape (n_samples, n_classes)."""
        return np.asarray((self.refit or self.choice).held_out)


def select(
    P: np.ndarray, y: np.ndarray, strengths: Any = None, *, share: Any = None, **options: Any
) -> Selection:
    """Choose a strength, solve, and drop the classifiers without weight.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
    y : ndarray of int, shape (n_samples,)
    strengths : sequence of float, optional
    share : ndarray of shape (n_samples,), optional
    **options
        As in :func:`choose_strength`; ``combination`` may be "auto". ``tol`` is that of the
        solution, not of the choice.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=80)
    >>> P = rng.dirichlet(np.ones(3), (80, 6))
    >>> P[:, :2] += np.eye(3)[y][:, None]
    >>> select(P, y, [0.01, 0.1], random_state=0).mask
    array([ True,  True, False, False, False, False])
    """
    judged = {name: value for name, value in options.items() if name != "tol"}
    if judged.get("combination") == "auto":
        del judged["combination"]
        choice = choose_combination(P, y, strengths, share=share, **judged)
    else:
        choice = choose_strength(P, y, strengths, share=share, **judged)
    triple = {w: v for w, v in options.items() if w not in ("cv", "tie", "random_state", "n_jobs")}
    triple["combination"] = choice.combination
    combiner = solve(P, y, strength=choice.strength, share=share, **triple)
    mask = combiner.selected
    coef = np.where(mask[:, None], combiner.coef, 0.0)
    return Selection(mask, combiner.restrict(mask), coef, choice)


def select_then_refit(
    P: np.ndarray, y: np.ndarray, strengths: Any = None, *, share: Any = None, **options: Any
) -> Selection:
    """Let a sparse penalty choose the classifiers, then weigh them anew with a squared one.

    A sparse penalty does two things at once: it drops classifiers and it shrinks the weights of
    the others. The second stage undoes the shrinking, with a strength of its own.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
    y : ndarray of int, shape (n_samples,)
    strengths : sequence of float, optional
        The grid of both stages.
    share : ndarray of shape (n_samples,), optional
    **options
        As in :func:`select`. A ``solver`` that knows sparse penalties only is for the first stage.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=80)
    >>> P = rng.dirichlet(np.ones(3), (80, 6))
    >>> P[:, :2] += np.eye(3)[y][:, None]
    >>> found = select_then_refit(P, y, [0.01, 0.1], random_state=0)
    >>> int(found.mask.sum()), found.combiner.coef.shape
    (2, (2, 3))
    """
    first = select(P, y, strengths, share=share, **options)
    if not first.mask.any():
        return first
    kept = np.ascontiguousarray(P[:, first.mask])
    options |= {"penalty": "l2", "elastic": 0.0, "combination": first.choice.combination}
    if options.get("solver") not in ("newton", "admm"):
        options["solver"] = "auto"
    second = select(kept, y, strengths, share=share, **options)
    mask = first.mask.copy()
    mask[first.mask] = second.mask
    coef = np.zeros_like(first.coef)
    coef[first.mask] = second.coef
    return Selection(mask, second.combiner, coef, first.choice, second.choice)
