"""Who learns from which rows, and whom they are asked about: the splits behind level-1 data."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from uneven.stacking.out_of_fold.tables import row_numbers
from uneven.utils.parameters import check_integer
from uneven.utils.validation import hold_out

__all__ = ["Plan", "Split", "plan_splits"]

_WORDS = ("holdout", "prefit", "resubstitution")


@dataclass(frozen=True)
class Split:
    """Rows to learn from, and rows to be scored by who learnt from them.

    Attributes
    ----------
    train, test : ndarray of int, shape (n_train,), (n_test,)
    """

    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Plan:
    """How level-1 data is made.

    Attributes
    ----------
    folds : list of Split
        Models that score their test rows and are thrown away.
    final : Split
        What the models that stay learn from; they also score the test rows, if there are any.
    prefit : bool
        Nothing is learnt at all.
    """

    folds: list[Split]
    final: Split
    prefit: bool = False

    @property
    def scored(self) -> np.ndarray:
        """Rows that get level-1 scores, in the order of the table, shape (n_scored,)."""
        parts = [split.test for split in (*self.folds, self.final)]
        return np.sort(np.concatenate(parts))


def plan_splits(
    cv: Any,
    X: Any,
    y: np.ndarray,
    *,
    labels: Sequence[Any],
    groups: Any = None,
    rng: np.random.RandomState | None = None,
) -> Plan:
    """Turn ``cv`` into splits; the same ones serve every member.

    Parameters
    ----------
    cv : int, float, splitter, iterable of (train, test), or str
        See :func:`uneven.stacking.level_one`.
    X : table of n_samples rows
        For splitters that look at it.
    y : ndarray of int, shape (n_samples,)
        Positions of the classes.
    labels : sequence of length n_classes
        Names of the classes, for messages.
    groups : array-like of shape (n_samples,), optional
        For splitters that keep groups together.
    rng : RandomState, optional
        Shuffles the folds of an int, draws the rows of a holdout.

    Returns
    -------
    Plan

    Examples
    --------
    >>> y = np.array([0, 0, 1, 1])
    >>> plan = plan_splits(2, np.zeros((4, 1)), y, labels=["a", "b"])
    >>> [split.test.tolist() for split in plan.folds]
    [[0, 2], [1, 3]]
    """
    everything, nothing = np.arange(len(y)), np.arange(0)
    if isinstance(cv, str):
        if cv not in _WORDS:
            raise ValueError(f"cv={cv!r} is not known; the words are {', '.join(_WORDS)}.")
        if cv != "holdout":
            return Plan([], Split(everything, everything), prefit=cv == "prefit")
        cv = 0.5
    if isinstance(cv, Real) and not isinstance(cv, Integral):
        return _hold_out(float(cv), y, rng)
    counted = cv is None or isinstance(cv, Integral)
    if counted:
        splitter = _stratified(5 if cv is None else cv, y, labels, rng)
    else:
        splitter = check_cv(cv, y, classifier=True)
    folds = _split(splitter, X, y, groups)
    _refuse_overlap(folds, len(y))
    if not counted:
        _warn_of_strangers(folds, y, labels)
    return Plan(folds, Split(everything, nothing))


def _hold_out(share: float, y: np.ndarray, rng: np.random.RandomState | None) -> Plan:
    if not 0.0 < share < 1.0:
        raise ValueError(f"cv={share!r}: the share of rows that are held out is between 0 and 1.")
    held = hold_out(y, share, np.random.RandomState(0) if rng is None else rng)
    if not held.any():
        raise ValueError(
            "no row can be held out: every class has a single row. Use cv='resubstitution'."
        )
    return Plan([], Split(np.flatnonzero(~held), np.flatnonzero(held)))


def _stratified(
    wanted: Any, y: np.ndarray, labels: Sequence[Any], rng: np.random.RandomState | None
) -> Any:
    """As many folds as were asked for, or as there can be; says so if a class is too small."""
    check_integer("cv", wanted, 2)
    if len(y) < 2:
        raise ValueError(
            f"cv={wanted} needs at least 2 rows, got {len(y)} (n_samples={len(y)}); use "
            "cv='resubstitution'."
        )
    counts = np.bincount(y, minlength=len(labels))
    small = np.flatnonzero((counts > 0) & (counts < wanted)).tolist()
    n_folds = min(int(wanted), max(2, int(counts.max())))
    if small:
        named = ", ".join(f"{labels[k]!r} ({counts[k]})" for k in small[:5])
        many = "1 class has" if len(small) == 1 else f"{len(small)} classes have"
        fewer = "" if n_folds == wanted else f" There are only {n_folds} folds now."
        warnings.warn(
            f"{many} fewer rows than the {wanted} folds of cv: {named}. Some folds are scored by "
            f"models that have seen few of their rows, or none.{fewer}",
            stacklevel=4,
        )
    seed = None if rng is None else int(rng.randint(2**31 - 1))
    kind = StratifiedKFold if counts.max() >= n_folds else KFold
    return kind(n_folds, shuffle=rng is not None, random_state=seed)


def _split(splitter: Any, X: Any, y: np.ndarray, groups: Any) -> list[Split]:
    """What a splitter says, as numbers of rows."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        try:
            given = list(splitter.split(X, y, groups))
        except ValueError as error:
            if groups is not None or "groups" not in str(error):
                raise
            raise ValueError(
                f"cv={type(splitter).__name__} keeps groups together, but got no groups: give them "
                "as groups=, or the splits themselves, cv=list(splitter.split(X, y, groups))."
            ) from error
    if not given:
        raise ValueError(
            "cv gives no splits. A generator can be used up only once: give a list of splits."
        )
    folds = []
    for k, (train, test) in enumerate(given):
        parts = (("training", train), ("test", test))
        words = [f"the {part} rows of split {k + 1} of cv" for part, _ in parts]
        found = [row_numbers(rows, len(y), word) for word, (_, rows) in zip(words, parts)]
        folds.append(Split(*found))
    return folds


def _warn_of_strangers(folds: list[Split], y: np.ndarray, labels: Sequence[Any]) -> None:
    """Say if models are asked about classes that they have not seen."""
    unseen = [np.setdiff1d(y[fold.test], y[fold.train]).tolist() for fold in folds]
    blind = sum(bool(classes) for classes in unseen)
    if not blind:
        return
    named = ", ".join(repr(labels[k]) for k in sorted({k for part in unseen for k in part})[:5])
    warnings.warn(
        f"in {blind} of the {len(folds)} splits of cv the training part lacks a class of the test "
        f"part ({named}), so members cannot know it. Shuffle the rows (shuffle=True in the "
        "splitter), or give a number as cv: its folds are stratified.",
        stacklevel=4,
    )


def _refuse_overlap(folds: list[Split], n_samples: int) -> None:
    times = np.bincount(np.concatenate([fold.test for fold in folds]), minlength=n_samples)
    if times.max(initial=0) > 1:
        raise ValueError(
            f"cv holds row {times.argmax()} out {times.max()} times, but a row has one set of "
            "level-1 scores: give a splitter that holds each row out at most once."
        )
    if any(np.isin(fold.test, fold.train).any() for fold in folds):
        raise ValueError("cv scores rows by models that learnt from them: its parts overlap.")
