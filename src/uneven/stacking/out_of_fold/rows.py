"""The rows of a stack: tables that members can read, the rows that count, and how these are split.

Members are whole classifiers or pipelines, so tables may be arrays, sparse matrices, data frames or
lists of texts. Level-1 data needs splits: which rows a member is fitted to, and which it predicts.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import KFold, PredefinedSplit, StratifiedKFold, check_cv
from sklearn.utils.validation import column_or_1d

from uneven.utils.frames import take_rows
from uneven.utils.parameters import check_integer
from uneven.utils.validation import check_mass, hold_out, narrow_indices

if TYPE_CHECKING:
    from uneven.stacking.out_of_fold.members import Member


def open_table(X: Any) -> Any:
    """A table whose rows can be taken one by one; frames and lists stay what they are.

    Parameters
    ----------
    X : array-like, sparse matrix, dataframe or list of length n_samples

    Returns
    -------
    object
        A csr matrix with 32-bit indices if ``X`` is sparse.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> open_table(sp.coo_array([[0.0, 1.0]])).format
    'csr'
    """
    return narrow_indices(X.tocsr()) if sp.issparse(X) else X


def count_rows(X: Any) -> int:
    """How many rows a table has."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def count_columns(X: Any) -> int | None:
    """How many columns a table has; None if it has no columns, as a list of texts."""
    shape = X.shape if hasattr(X, "shape") else np.shape(X[:1])
    return int(shape[1]) if len(shape) == 2 else None


def holds_texts(X: Any) -> bool:
    """Whether a table has no columns, but a text per row: a list, tuple, series or array.

    Examples
    --------
    >>> holds_texts(("good", "bad")), holds_texts(np.array(["good"])), holds_texts([[1.0]])
    (True, True, False)
    """
    if not isinstance(X, list | tuple) and len(getattr(X, "shape", ())) != 1:
        return False
    return len(X) > 0 and isinstance(next(iter(X)), str)


def is_handed_on(X: Any) -> bool:
    """Whether a table is a data frame, or texts: what members get as it is."""
    return holds_texts(X) or (hasattr(X, "columns") and hasattr(X, "shape"))


def row_numbers(rows: Any, n_samples: int, what: str) -> np.ndarray:
    """Rows of a table that were named by their numbers or by a mask.

    Parameters
    ----------
    rows : array-like of int, or of bool and shape (n_samples,)
    n_samples : int
    what : str
        Beginning of the error message.

    Returns
    -------
    ndarray of int, shape (n,)

    Raises
    ------
    ValueError
        If they are no rows of the table; they are not counted from its end.

    Examples
    --------
    >>> row_numbers([False, True, True], 3, "rows").tolist()
    [1, 2]
    """
    found = np.asarray(rows)
    if found.dtype == bool:
        if found.shape != (n_samples,):
            raise ValueError(
                f"{what} are a mask of shape {found.shape}, but there are {n_samples} rows."
            )
        return np.flatnonzero(found)
    if found.ndim == 1 and not found.size:
        return np.arange(0)
    if found.ndim != 1 or not np.issubdtype(found.dtype, np.integer):
        raise ValueError(f"{what} must be a list of whole numbers or a mask, got {rows!r}.")
    if found.min() < 0 or found.max() >= n_samples:
        raise ValueError(
            f"{what} reach from {found.min()} to {found.max()}, but there are {n_samples} rows, "
            "counted from 0."
        )
    return found


@dataclass(frozen=True)
class StackRows:
    """Training rows that count: those of weight zero are left out.

    Attributes
    ----------
    X : ndarray, csr matrix, dataframe or list of length n_samples
    y : ndarray of int, shape (n_samples,)
        Positions in ``classes``.
    classes : ndarray of shape (n_classes,)
    share : ndarray of shape (n_samples,)
        Weights of the rows; they sum to 1.
    weight : ndarray of shape (n_samples,), or None
        Sample weights as they were given.
    place : ndarray of int, shape (n_given,), or None
        Where each given row is now, -1 for those that were left out; None if there are none.
    """

    X: Any
    y: np.ndarray
    classes: np.ndarray
    share: np.ndarray
    weight: np.ndarray | None
    place: np.ndarray | None = None

    @classmethod
    def of(cls, X: Any, labels: np.ndarray, sample_weight: Any) -> StackRows:
        """The rows of a table, their labels and weights."""
        mass = check_mass(sample_weight, len(labels))
        place = None
        if not mass.all():
            kept = np.flatnonzero(mass)
            place = np.where(mass > 0.0, np.cumsum(mass > 0.0) - 1, -1)
            X, labels, mass = take_rows(X, kept), labels[kept], mass[kept]
        classes, codes = np.unique(labels, return_inverse=True)
        weight = None if sample_weight is None else mass
        return cls(X, codes.astype(np.intp, copy=False), classes, mass / mass.sum(), weight, place)

    def find_splits(self, cv: Any) -> Any:
        """The same folds in the rows that are left; splitters of any table stay as they are."""
        if self.place is None:
            return cv
        if isinstance(cv, PredefinedSplit):
            cv = cv.split()
        if isinstance(cv, str) or not hasattr(cv, "__iter__"):
            return cv
        found = []
        for k, (train, test) in enumerate(cv):
            where = f"rows of split {k + 1} of cv"
            found.append(
                (self._find(train, f"the training {where}"), self._find(test, f"the test {where}"))
            )
        return found

    def find_groups(self, groups: Any) -> np.ndarray | None:
        """The groups of the rows that are left."""
        if groups is None:
            return None
        given = column_or_1d(groups)
        n_given = len(self.y) if self.place is None else len(self.place)
        if len(given) != n_given:
            raise ValueError(f"groups has {len(given)} entries, X has {n_given} rows.")
        return np.asarray(given if self.place is None else given[self.place >= 0])

    def find_members(self, members: list[tuple[str, Member]]) -> list[tuple[str, Member]]:
        """The same members, with the rows that they name where these are now."""
        if self.place is None:
            return members
        found = []
        for name, member in members:
            if member.rows is not None:
                rows = self._find(member.named_rows(len(self.place)), "rows")
                if not rows.size:
                    raise ValueError(f"all rows of member {name!r} have the sample_weight zero.")
                member = type(member)(**(member.get_params(deep=False) | {"rows": rows}))
            found.append((name, member))
        return found

    def _find(self, rows: Any, what: str) -> np.ndarray:
        place = np.asarray(self.place)
        found = place[row_numbers(rows, len(place), what)]
        return np.asarray(found[found >= 0])


_WORDS = ("auto", "holdout", "prefit", "resubstitution")
_FOLDS, _MANY_ROWS, _BLENDED = 4, 50_000, 0.2


@dataclass(frozen=True)
class Split:
    """Rows to fit to, and rows to predict after that.

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
        No fitting at all.
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

    Examples
    --------
    >>> y = np.array([0, 0, 1, 1])
    >>> plan = plan_splits(2, np.zeros((4, 1)), y, labels=["a", "b"])
    >>> [split.test.tolist() for split in plan.folds]
    [[0, 2], [1, 3]]
    """
    everything, nothing = np.arange(len(y)), np.arange(0)
    _check_number(cv)
    if isinstance(cv, str) and cv == "auto":
        cv = _FOLDS if len(y) <= _MANY_ROWS else _BLENDED
    if isinstance(cv, str):
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


def check_folds(cv: Any) -> None:
    """Refuse what can be no folds of a classifier that may be fitted again.

    Examples
    --------
    >>> check_folds(1)
    Traceback (most recent call last):
        ...
    ValueError: cv must be a whole number at least 2, got 1.
    """
    if isinstance(cv, Iterator):
        raise ValueError(
            f"cv is a {type(cv).__name__}, which is empty after the first fit: give list(cv)."
        )
    if cv is None or isinstance(cv, str | Real):
        _check_number(cv)
    elif not hasattr(cv, "split") and not isinstance(cv, Iterable):
        raise ValueError(f"cv must be a number, a splitter or a list of splits; got {cv!r}.")
    elif isinstance(cv, Sized) and not len(cv) and not hasattr(cv, "split"):
        raise ValueError("cv holds no splits: give pairs of rows to learn from and to hold out.")


def _check_number(cv: Any) -> None:
    """Refuse a number of folds, a share or a word that stands for no splits."""
    if isinstance(cv, str):
        if cv not in _WORDS:
            raise ValueError(f"cv={cv!r} is not known; the words are {', '.join(_WORDS)}.")
    elif isinstance(cv, Integral):
        check_integer("cv", cv, 2)
    elif isinstance(cv, Real) and not 0.0 < float(cv) < 1.0:
        raise ValueError(
            f"cv={float(cv)!r}: the share of rows that are held out is between 0 and 1."
        )


def _hold_out(share: float, y: np.ndarray, rng: np.random.RandomState | None) -> Plan:
    held = hold_out(y, share, np.random.RandomState(0) if rng is None else rng)
    if not held.any():
        raise ValueError(
            "no row can be held out: every class has a single row. Use cv='resubstitution'."
        )
    return Plan([], Split(np.flatnonzero(~held), np.flatnonzero(held)))


def _stratified(
    wanted: Any, y: np.ndarray, labels: Sequence[Any], rng: np.random.RandomState | None
) -> Any:
    """As many folds as requested, or as possible, with a warning if a class is too small."""
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
    """The splits of a splitter, as row numbers."""
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
        named = [f"the {part} rows of split {k + 1} of cv" for part, _ in parts]
        found = [row_numbers(rows, len(y), what) for what, (_, rows) in zip(named, parts)]
        folds.append(Split(*found))
    return folds


def _warn_of_strangers(folds: list[Split], y: np.ndarray, labels: Sequence[Any]) -> None:
    """Warn if models predict rows of classes that they have not seen."""
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
        raise ValueError("cv scores rows by models that were fitted to them: its parts overlap.")
