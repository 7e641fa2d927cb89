"""The training rows as the members of an ensemble see them; what several need is made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

from uneven.ensemble.number_columns import NumberColumns
from uneven.utils.estimators import deal_folds
from uneven.utils.parallel import ThreadPool
from uneven.utils.registry import Registry
from uneven.views import ViewMap, resolve_views
from uneven.voters import TrainingTable
from uneven.voters.row_codes import RowCodes

MANY_ROWS = 5000
"""From so many rows on, members that cost more than a boost are left out."""

VERY_MANY_ROWS = 20_000
"""From so many rows on, one boost is fitted and evaluated on rows left out."""

_MOST_DENSE_CELLS = 100_000_000
_Class = TypeVar("_Class", bound=type)


@dataclass
class SharedTable:
    """Training rows, and what members make of them.

    Attributes
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        NaN is a missing value.
    y : ndarray of int32, shape (n_samples,)
        Class codes.
    mass : ndarray of shape (n_samples,)
        Positive sample weights, in units of their mean and rounded to 30 bits, so that their own
        unit changes nothing, not even which of two equally good splits a tree takes.
    n_classes : int
    n_codes : ndarray of int, shape (n_features,), or None
        Categories of each column, whose values are their codes; 0 for numbers.
    pool : ThreadPool
    origin : ndarray of int, shape (n_samples,), or None
        Rows that are copies of one row, with different labels, have the same number: they are
        drawn and left out together. None: there are no copies.
    """

    X: Any
    y: np.ndarray
    mass: np.ndarray
    n_classes: int
    n_codes: np.ndarray | None = None
    pool: ThreadPool = field(default_factory=lambda: ThreadPool())
    origin: np.ndarray | None = None

    def __post_init__(self) -> None:
        self.mass = rounded_mass(self.mass, mass_scale(self.mass))

    @cached_property
    def class_mass(self) -> np.ndarray:
        """Mass of each class, shape (n_classes,)."""
        return np.bincount(self.y, self.mass, self.n_classes)

    @property
    def size(self) -> TableSize:
        """Its size."""
        is_sparse = sp.issparse(self.X)
        values = self.X.data if is_sparse else self.X
        has_negative = bool(np.nanmin(values, initial=0.0) < 0.0)
        n_rows, n_columns = self.X.shape
        return TableSize(n_rows, n_columns, self.n_classes, is_sparse, has_negative)

    @property
    def prior(self) -> np.ndarray:
        """Share of each class, shape (n_classes,)."""
        return np.asarray(self.class_mass / self.class_mass.sum())

    def dense(self) -> np.ndarray:
        """The cells, the zeros of a sparse table among them."""
        if not sp.issparse(self.X):
            return np.asarray(self.X)
        if self.X.shape[0] * self.X.shape[1] > _MOST_DENSE_CELLS:
            raise ValueError(
                f"a forest needs a dense table, and {self.X.shape[0]} x {self.X.shape[1]} cells "
                'are too many: leave forests out of members, or use members="auto".'
            )
        return np.asarray(self.X.toarray())

    @cached_property
    def views(self) -> ViewMap:
        """All columns as one view."""
        return resolve_views(None, n_features=self.X.shape[1])

    @cached_property
    def training(self) -> TrainingTable:
        """The rows as score trees see them."""
        known = (self.X, self.y, self.n_classes, self.mass)
        return TrainingTable(*known, pool=self.pool, n_codes=self.n_codes)

    def codes(self, max_bins: int) -> RowCodes:
        """Codes of all columns, row by row."""
        return RowCodes.of(self.training, np.arange(self.X.shape[1]), max_bins)

    @cached_property
    def columns(self) -> NumberColumns:
        """How cells become numbers of similar size, none of them missing."""
        return NumberColumns.of(self.X, self.n_codes)

    @cached_property
    def numbers(self) -> Any:
        """The cells as such numbers, shape (n_samples, width)."""
        return self.columns.encode(self.X)

    def deal(self, n_folds: int, seed: int) -> np.ndarray:
        """Fold of each row, every class spread evenly, shape (n_samples,)."""
        rng = np.random.RandomState(seed)
        if self.origin is None:
            return deal_folds(self.y, min(n_folds, len(self.y)), rng)
        heaviest = np.lexsort((-self.mass, self.origin))
        first = heaviest[np.unique(self.origin[heaviest], return_index=True)[1]]
        return deal_folds(self.y[first], min(n_folds, len(first)), rng)[self.origin]

    def bootstrap(self, rng: np.random.RandomState) -> np.ndarray:
        """How often each row is drawn if as many are drawn as there are, shape (n_samples,)."""
        n_rows = len(self.y) if self.origin is None else int(self.origin.max()) + 1
        drawn = np.bincount(rng.randint(n_rows, size=n_rows), minlength=n_rows)
        return drawn if self.origin is None else drawn[self.origin]

    def copies(self, shares: np.ndarray) -> SharedTable:
        """A row for every class that a row may have, weighed by the probability of the class.

        Parameters
        ----------
        shares : ndarray of shape (n_samples, n_classes)
            Probabilities of the classes of each row; 0 makes no copy.
        """
        origin, y = np.nonzero(shares)
        mass = self.mass[origin] * shares[origin, y]
        known = (self.n_classes, self.n_codes, self.pool, origin)
        return SharedTable(self.X[origin], y.astype(np.int32), mass, *known)

    def take(self, rows: np.ndarray, columns: np.ndarray) -> SharedTable:
        """Some rows and columns; classes keep their codes."""
        X = self.X[rows][:, columns]
        n_codes = None if self.n_codes is None else self.n_codes[columns]
        origin = None
        if self.origin is not None:
            origin = np.unique(self.origin[rows], return_inverse=True)[1]
        known = (self.n_classes, n_codes, self.pool, origin)
        return SharedTable(X, self.y[rows], self.mass[rows], *known)


@dataclass(frozen=True)
class TableSize:
    """What settings of members follow.

    Attributes
    ----------
    n_rows, n_columns, n_classes : int
    is_sparse : bool
    has_negative : bool
        Whether some cell is below zero.
    """

    n_rows: int
    n_columns: int
    n_classes: int
    is_sparse: bool = False
    has_negative: bool = True


class Model(Protocol):
    """A fitted member."""

    def probabilities(self, X: Any, pool: ThreadPool) -> np.ndarray:
        """Probabilities of the classes at their natural shares, (n_samples, n_classes)."""


@dataclass
class Learnt:
    """What learning a member leaves behind.

    Attributes
    ----------
    model : Model
    unseen : ndarray of shape (n_samples, n_classes)
        Probabilities of each training row by parts of the model that have not seen its label;
        NaN in rows that all parts have seen.
    """

    model: Model
    unseen: np.ndarray


class Learner(Protocol):
    """How a member learns, with its settings."""

    def learn(self, table: SharedTable, seed: int) -> Learnt:
        """Fit to all rows, and return an unseen prediction for every row."""


class NamedLearner(Learner, Protocol):
    """A learner with a name, and the sizes of tables that it suits."""

    @classmethod
    def suited_to(cls, size: TableSize) -> Learner | None:
        """Settings for a table of that size; None where the member is not used by default."""


MEMBERS: Registry[type[NamedLearner]] = Registry("member")
"""Members by name, in the order in which they learn."""


def member(name: str, *, order: float) -> Callable[[_Class], _Class]:
    """Declare a class as a member that can be named; smaller orders learn first."""

    def declare(cls: _Class) -> _Class:
        MEMBERS.register(name, cls, order)
        return cls

    return declare


def mass_scale(mass: np.ndarray) -> tuple[float, float]:
    """Largest mass, and the mean of the others as a share of it."""
    most = float(mass.max())
    return most, float((mass / most).mean())


def rounded_mass(mass: np.ndarray, scale: tuple[float, float]) -> np.ndarray:
    """The mass in units of its mean, rounded to 30 bits, shape (n_samples,).

    Parameters
    ----------
    mass : ndarray of shape (n_samples,)
        Some rows of a table.
    scale : (float, float)
        ``mass_scale`` of all its rows.

    Examples
    --------
    >>> mass = np.array([1.0, 3.0])
    >>> rounded_mass(mass, mass_scale(mass)), rounded_mass(10 * mass, mass_scale(10 * mass))
    (array([0.5, 1.5]), array([0.5, 1.5]))
    """
    most, mean = scale
    bits, power = np.frexp(np.maximum(mass / most / mean, np.finfo(float).tiny))
    return np.ldexp(np.rint(bits * 2.0**30), power - 30)


def cross_fit(
    table: SharedTable,
    folds: np.ndarray,
    seed: int,
    fit: Callable[[np.ndarray], Any],
    ask: Callable[[Any, np.ndarray, np.ndarray], np.ndarray],
) -> Learnt:
    """Fit a model to all rows, and one to the rows outside of every fold, which predicts the fold.

    Parameters
    ----------
    table : SharedTable
    folds : ndarray of int, shape (n_samples,)
        Fold of each row; see :meth:`SharedTable.deal`.
    seed : int
        For probabilities of classes that are missing outside of a fold; see :func:`fill_absent`.
    fit : callable
        Takes positions of rows and returns their model.
    ask : callable
        Takes a model, positions of rows and the codes of the classes that it has seen, and returns
        their probabilities.
    """
    unseen = np.full((len(table.y), table.n_classes), np.nan)
    for k in range(int(folds.max()) + 1):
        out, kept = np.flatnonzero(folds == k), np.flatnonzero(folds != k)
        labels = np.unique(table.y[kept])
        unseen[np.ix_(out, labels)] = ask(fit(kept), out, labels)
    unseen = fill_absent(unseen, table.prior, seed)
    return Learnt(fit(np.arange(len(folds))), unseen)


def fill_absent(unseen: np.ndarray, prior: np.ndarray, seed: int) -> np.ndarray:
    """Probabilities of classes that the model of a fold has not seen.

    Such a class gets the probability that a model with this class gives to a random other row. Its
    share would be too much: a class of one row gets far less elsewhere, and its own row, for which
    no model has seen the class, would stand out.

    Parameters
    ----------
    unseen : ndarray of shape (n_samples, n_classes)
        NaN in classes that the model of the fold has not seen, and in rows of no fold.
    prior : ndarray of shape (n_classes,)
        Class frequencies, for classes that no model of a fold has seen.
    seed : int

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        NaN in rows of no fold.

    Examples
    --------
    >>> unseen = np.array([[0.5, 0.5, np.nan], [0.9, 0.08, 0.02], [0.5, 0.48, 0.02]])
    >>> fill_absent(unseen, np.array([0.5, 0.4, 0.1]), seed=0)[0].round(2)
    array([0.49, 0.49, 0.02])
    """
    rng = np.random.RandomState(seed)
    known = ~np.isnan(unseen)
    absent = ~known & known.any(axis=1, keepdims=True)
    odds = unseen.copy()
    for label in np.flatnonzero(absent.any(axis=0)).tolist():
        rows = np.flatnonzero(absent[:, label])
        said = unseen[known[:, label], label]
        drawn = rng.choice(said, len(rows)) if len(said) else prior[label]
        odds[rows, label] = np.maximum(drawn, 1e-12) / np.maximum(1.0 - drawn, 1e-6)
    some = absent.any(axis=1)
    odds[some] /= odds[some].sum(axis=1, keepdims=True)
    return odds
