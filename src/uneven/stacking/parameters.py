"""Parameters of stacks: all that can be wrong with them is said before a member is trained."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sized
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from uneven.stacking.model.combinations import COMBINATIONS
from uneven.stacking.out_of_fold.folds import plan_splits
from uneven.stacking.out_of_fold.members import METHODS
from uneven.stacking.solvers.selection import check_inner
from uneven.stacking.solvers.solve import check_strengths, solve
from uneven.utils.parameters import check_choice, check_integer

__all__ = [
    "check_common",
    "check_stacking",
    "judging_words",
    "learning_words",
    "strength_grid",
]


def check_common(stack: Any) -> None:
    """Refuse parameters that every classifier with members has.

    Parameters
    ----------
    stack : MarginStackingClassifier or RuleClassifier

    Raises
    ------
    ValueError
        About ``cv``, ``score_method``, ``memory``, ``n_jobs``, ``random_state`` or ``verbose``.

    Examples
    --------
    >>> from uneven.stacking import RuleClassifier
    >>> check_common(RuleClassifier([], cv=1))
    Traceback (most recent call last):
        ...
    ValueError: cv must be a whole number at least 2, got 1.
    """
    check_choice("score_method", stack.score_method, ("auto", *METHODS))
    _check_cv(stack.cv)
    memory = stack.memory
    is_folder = memory is None or isinstance(memory, str | os.PathLike)
    if not is_folder and not hasattr(memory, "cache"):
        raise ValueError(f"memory must be a folder, a joblib.Memory or None; got {memory!r}.")
    if stack.n_jobs is not None and (not _is_whole(stack.n_jobs) or stack.n_jobs == 0):
        raise ValueError(
            f"n_jobs must be None or a whole number other than 0, got {stack.n_jobs!r}."
        )
    check_integer("verbose", int(stack.verbose) if _is_flag(stack.verbose) else stack.verbose, 0)
    if not isinstance(stack.random_state, np.random.RandomState):
        check_random_state(stack.random_state)


def check_stacking(stack: Any) -> None:
    """Refuse parameters of a stack that learns its combination.

    Parameters
    ----------
    stack : MarginStackingClassifier

    Raises
    ------
    ValueError
    """
    check_choice("combination", stack.combination, (*COMBINATIONS, "auto"))
    check_choice("loss", stack.loss, ("hinge", "squared"))
    check_choice("penalty", stack.penalty, ("group", "l1", "l2"))
    check_choice("tie", stack.tie, ("largest", "smallest"))
    check_common(stack)
    for name in ("select_then_refit", "keep_level_one"):
        if not _is_flag(getattr(stack, name)):
            raise ValueError(f"{name} must be True or False, got {getattr(stack, name)!r}.")
    check_inner(stack.inner_cv)
    strength_grid(stack)
    if stack.select_then_refit and stack.penalty == "l2":
        raise ValueError(
            'select_then_refit=True needs a penalty that selects: "group" or "l1", not "l2".'
        )
    _check_kernel(stack)
    words = learning_words(stack)
    if stack.combination == "auto":
        words["combination"] = "cws"
    solve(np.eye(2)[:, None], np.array([0, 1]), **words)


def strength_grid(stack: Any) -> np.ndarray:
    """The strengths that a stack chooses from, shape (n_strengths,)."""
    given = stack.strength
    if isinstance(given, str):
        check_choice("strength", given, ("cv",))
        return check_strengths(stack.strengths)
    if _is_flag(given) or not isinstance(given, Real) or not 0.0 < float(given) < np.inf:
        raise ValueError(f'strength must be "cv" or a number above 0, got {given!r}.')
    check_strengths(stack.strengths)
    return np.array([float(given)])


def learning_words(stack: Any) -> dict[str, Any]:
    """How combinations are learnt: words of :func:`uneven.stacking.solvers.solve.solve`."""
    names = ("combination", "loss", "penalty", "elastic", "solver", "tol")
    return {name: getattr(stack, name) for name in names}


def judging_words(stack: Any) -> dict[str, Any]:
    """How combinations are judged: words of :func:`uneven.stacking.choose_strength`."""
    rng = check_random_state(0 if stack.random_state is None else stack.random_state)
    return {
        "cv": stack.inner_cv,
        "tie": stack.tie,
        "random_state": int(rng.randint(2**31 - 1)),
        "n_jobs": stack.n_jobs,
    }


def _check_cv(cv: Any) -> None:
    """Refuse what can be no folds; words and numbers are tried out on four rows."""
    if isinstance(cv, Iterator):
        raise ValueError(
            f"cv is a {type(cv).__name__}, which is empty after the first fit: give list(cv)."
        )
    if cv is None or isinstance(cv, str | Real):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plan_splits(cv, np.zeros((4, 1)), np.array([0, 0, 1, 1]), labels=[0, 1])
    elif not hasattr(cv, "split") and not isinstance(cv, Iterable):
        raise ValueError(f"cv must be a number, a splitter or a list of splits; got {cv!r}.")
    elif isinstance(cv, Sized) and not len(cv) and not hasattr(cv, "split"):
        raise ValueError("cv holds no splits: give pairs of rows to learn from and to hold out.")


def _check_kernel(stack: Any) -> None:
    gamma, degree = stack.gamma, stack.degree
    if stack.kernel is None:
        for name, value in (("gamma", gamma), ("degree", degree)):
            if value is not None:
                raise ValueError(
                    f'{name}={value!r} belongs to a kernel, but kernel=None: choose "rbf" or '
                    f'"poly", or leave {name} out.'
                )
        return
    check_choice("kernel", stack.kernel, ("poly", "rbf"))
    if stack.penalty != "l2":
        raise ValueError(
            f'kernel={stack.kernel!r} needs penalty="l2", not {stack.penalty!r}: functions of a '
            "kernel have no weight per member that could become zero."
        )
    if stack.combination == "auto":
        raise ValueError('combination="auto" is not for kernels: choose "ws", "cws" or "lsg".')
    if gamma is not None and (
        _is_flag(gamma) or not isinstance(gamma, Real) or not 0.0 < float(gamma) < np.inf
    ):
        raise ValueError(f"gamma must be a finite number above 0 or None, got {gamma!r}.")
    if degree is not None:
        check_integer("degree", degree, 1)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not _is_flag(value)
