"""The training rows as weak learners see them, binned once per fit.

Every column becomes at most 255 ordered codes. A column with at most 255 distinct values (integers,
category codes) is kept exactly; a longer one is cut at weighted quantiles. A dense table of more
than 32 768 rows is represented by a sample of so many different ones, so a value that the sample
lacks shares the bin of a neighbour. The sample is chosen by a hash of what the rows hold: it does
not depend on their order. Missing values have a code of their own, whose side each split learns.
Sparse columns keep only their stored entries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import fold, reproducible_sum, sum_by_label
from uneven.utils.row_hash import row_hashes
from uneven.views.training_rows import TrainingRows
from uneven.voters import _entry_loops, _loops
from uneven.voters.binned_tables import BinnedDense, BinnedSparse, TreeRows

SAMPLE_ROWS = 32_768
"""Rows from which thresholds are taken, if a table has more."""

_PARALLEL_VALUES = 400_000


@dataclass
class TrainingTable:
    """The training rows, as the weak learners see them.

    Attributes
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    y : ndarray of int, shape (n_samples,)
        Class indices.
    n_classes : int
    mass : ndarray of shape (n_samples,)
        Number of examples that each row represents (the sample weights).
    max_bins : int
    pool : ThreadPool
    n_codes : ndarray of int, shape (n_features,), or None
        Categories of each column, whose values are their codes; 0 for a column of numbers.
    part_of : (TrainingTable, ndarray of int) or None
        The table that these rows were taken from, and which rows they are.
    """

    X: Any
    y: np.ndarray
    n_classes: int
    mass: np.ndarray
    max_bins: int = 255
    pool: ThreadPool = field(default_factory=lambda: ThreadPool())
    n_codes: np.ndarray | None = None
    part_of: tuple[TrainingTable, np.ndarray] | None = None

    @classmethod
    def of(cls, rows: TrainingRows, max_bins: int, pool: ThreadPool) -> TrainingTable:
        """Validated training rows as weak learners see them."""
        return cls(rows.X, rows.y, len(rows.classes), rows.mass, max_bins, pool, rows.n_codes)

    @cached_property
    def binned(self) -> BinnedDense | BinnedSparse:
        """The codes of the table, made when the first learner needs them."""
        if self.part_of is not None:
            whole, rows = self.part_of
            return whole.binned.take(rows)
        return bin_table(self.X, self.uneven_mass, self.max_bins, self.pool)

    @cached_property
    def keys(self) -> np.ndarray:
        """Bits of each row, uint64 of shape (n_samples,), for draws that follow the row."""
        return row_hashes(self.X, self.pool)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def uneven_mass(self) -> np.ndarray | None:
        """The mass of the rows, or None if all have the same."""
        return None if bool(np.all(self.mass == self.mass[0])) else self.mass

    @cached_property
    def class_mass(self) -> np.ndarray:
        """Mass of each class, shape (n_classes,)."""
        return sum_by_label(self.y, self.mass, self.n_classes)

    @cached_property
    def mass_folds(self) -> np.ndarray:
        """The mass of each row in one or two parts that add up exactly, (n_folds, n_samples)."""
        folds = fold(self.mass)
        return folds if folds[1].any() else folds[:1]

    def tree_rows(self, costs: Any) -> TreeRows:
        """The rows in the form in which a tree is grown on some costs."""
        return TreeRows(self, costs)

    def answers_of(self, voter: Any, row_mask: np.ndarray | None = None) -> np.ndarray:
        """Predictions of a voter for training rows, -1 outside of a mask, shape (n_samples,)."""
        if row_mask is None or row_mask.all():
            return np.asarray(voter.predict(self.X))
        answers = self.nobody()
        if row_mask.any():
            answers[row_mask] = voter.predict(self.X[np.flatnonzero(row_mask)])
        return answers

    def pace(self) -> str:
        """Throughput of requests to rows elsewhere."""
        return ""

    def nobody(self) -> np.ndarray:
        """Predictions of a voter that abstains everywhere, shape (n_samples,)."""
        return np.full(len(self.y), -1, dtype=np.int32)

    def silence(self, answers: np.ndarray, row_mask: np.ndarray) -> np.ndarray:
        """The same predictions, -1 outside of a mask, shape (n_samples,)."""
        return np.where(row_mask, answers, np.int32(-1))

    def take(self, rows: np.ndarray) -> TrainingTable:
        """Some rows, in increasing order, with the codes that they have in this table."""
        part = (self, rows)
        return replace(self, X=self.X[rows], y=self.y[rows], mass=self.mass[rows], part_of=part)

    def reach(self, answers: np.ndarray) -> np.ndarray:
        """Share of each class's weight that is predicted correctly, shape (n_classes,)."""
        right = answers == self.y
        hits = sum_by_label(self.y[right], self.mass[right], self.n_classes)
        return hits / np.maximum(self.class_mass, np.finfo(float).tiny)

    def where(self, row_mask: np.ndarray, pool: ThreadPool) -> TrainingTable:
        """The same table for a view that is missing in some rows.

        Parameters
        ----------
        row_mask : ndarray of bool, shape (n_samples,)
            Other rows count for nothing; classes keep the mass they have in the whole table.
        pool : ThreadPool
            Threads for the learner of this view.

        Returns
        -------
        TrainingTable
            Shares the rows with this one, and the codes if they are already made.
        """
        mass = self.mass if row_mask.all() else np.where(row_mask, self.mass, 0.0)
        seen = replace(self, mass=mass, pool=pool)
        vars(seen)["class_mass"] = self.class_mass
        if "binned" in vars(self):
            vars(seen)["binned"] = self.binned
        return seen


def draw_columns(columns: np.ndarray, share: float, seed: int) -> np.ndarray:
    """A share of some columns, at least one, in the order they have.

    Examples
    --------
    >>> import numpy as np
    >>> draw_columns(np.array([2, 4, 6, 8]), 0.5, seed=0)
    array([2, 6])
    """
    size = max(1, round(share * len(columns)))
    if size >= len(columns):
        return columns
    return columns[np.sort(np.random.default_rng(seed).permutation(len(columns))[:size])]


def cut_points(
    values: np.ndarray, mass: np.ndarray | None = None, max_bins: int = 255
) -> np.ndarray:
    """Increasing thresholds that cut a column into at most ``max_bins`` bins.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        No NaN; in any order.
    mass : ndarray of shape (n_samples,), optional
        Weight of each value.
    max_bins : int, default=255

    Returns
    -------
    ndarray of shape (n_cuts,), n_cuts < max_bins
        Midpoints between neighbouring distinct values: all of them if they are few, else those
        nearest to equal mass.

    Examples
    --------
    >>> import numpy as np
    >>> cut_points(np.array([3.0, 1.0, 1.0, 2.0]))
    array([1.5, 2.5])
    >>> cut_points(np.arange(100.0), max_bins=4)
    array([24.5, 49.5, 74.5])
    """
    if mass is None:
        ordered = np.sort(values)
    else:
        order = np.argsort(values, kind="stable")
        ordered, mass = values[order], mass[order]
    starts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if len(starts) >= max_bins:
        until = np.arange(1, len(ordered) + 1) if mass is None else _running_sums(mass)
        wanted = until[-1] * np.arange(1, max_bins) / max_bins * (1.0 - 1e-12)
        if mass is None and len(starts) == len(ordered) - 1:
            starts = np.ceil(wanted).astype(np.intp)
        else:
            chosen = np.minimum(np.searchsorted(until[starts - 1], wanted), len(starts) - 1)
            starts = starts[chosen[np.diff(chosen, prepend=-1) > 0]]
    low, high = ordered[starts - 1].astype(np.float64), ordered[starts].astype(np.float64)
    middle = 0.5 * low + 0.5 * high
    return np.where(middle < high, middle, low)


def _running_sums(mass: np.ndarray) -> np.ndarray:
    """Sums of the first entries, which do not depend on the order before them; (n_samples,)."""
    high, low = np.cumsum(fold(mass), axis=1)
    return np.asarray(high + low)


def _sample_rows(
    X: np.ndarray, mass: np.ndarray | None, pool: ThreadPool, hashes: np.ndarray | None = None
) -> tuple[Any, Any]:
    """Rows from which quantiles are taken, and what each of them stands for.

    Of more than 32 768 rows, those of the smallest hashes are taken, equal rows as one that
    stands for all of them. A row that stands for more than its part of the table is in the sample
    by chance: it weighs what it would if it were in every sample.
    """
    if X.shape[0] <= SAMPLE_ROWS:
        return slice(None), mass
    hashes = row_hashes(X, pool) if hashes is None else hashes
    last = smallest_different(hashes)[-1]
    rows = np.flatnonzero(hashes <= last)
    if mass is None and len(np.unique(hashes[rows])) == len(rows):
        return rows, None
    weights = np.ones(len(rows)) if mass is None else mass[rows]
    first, place = representatives(hashes[rows], row_hashes(X[rows], exact=True))
    sampled = sum_by_label(place, weights, len(first))
    total = float(X.shape[0]) if mass is None else reproducible_sum(mass)
    return rows[first], sample_weights(sampled, total, last, len(rows) == len(hashes))


def representatives(hashes: np.ndarray, exact: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One row for each different hash, that of the smallest exact hash.

    Returns
    -------
    first : ndarray of int, shape (n_different,)
        Rows, in the order of their hashes.
    place : ndarray of int, shape (n_rows,)
        Which of these stands for each row.
    """
    order = np.argsort(exact, kind="stable")
    _, first, place = np.unique(hashes[order], return_index=True, return_inverse=True)
    stands_for = np.empty_like(place)
    stands_for[order] = place
    return order[first], stands_for


def sample_weights(
    sampled: np.ndarray, total: float, last: np.uint64, is_whole: bool
) -> np.ndarray:
    """What different rows of a sample weigh, shape (n_sampled,).

    Parameters
    ----------
    sampled : ndarray of shape (n_sampled,)
        Mass of the rows that each stands for.
    total : float
        Mass of the table.
    last : uint64
        Largest hash of the sample.
    is_whole : bool
        Whether every row of the table is in the sample.
    """
    share = 1.0 if is_whole else float(last) / 2.0**64
    return np.minimum(sampled, np.maximum(total / SAMPLE_ROWS, share * sampled))


def smallest_different(hashes: np.ndarray, size: int | None = None) -> np.ndarray:
    """The ``size`` smallest different hashes in increasing order, or all if they are fewer.

    By default as many as a sample of rows holds.
    """
    size = SAMPLE_ROWS if size is None else size
    looked_at = size
    while True:
        looked_at = min(looked_at, len(hashes))
        if looked_at == 0:
            return hashes
        different = np.unique(np.partition(hashes, looked_at - 1)[:looked_at])
        if len(different) >= size or looked_at == len(hashes):
            return different[:size]
        looked_at *= 2


def bin_table(
    X: Any,
    mass: np.ndarray | None = None,
    max_bins: int = 255,
    pool: ThreadPool | None = None,
) -> BinnedDense | BinnedSparse:
    """Bin a validated table.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        NaN allowed, infinities not.
    mass : ndarray of shape (n_samples,), optional
        Number of examples that each row represents.
    max_bins : int, default=255
        Between 2 and 255.
    pool : ThreadPool, optional

    Examples
    --------
    >>> import numpy as np
    >>> binned = bin_table(np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 5.0]]))
    >>> binned.codes
    array([[  0,   1,   2],
           [  0, 255,   0]], dtype=uint8)
    """
    pool = pool or ThreadPool()
    if sp.issparse(X):
        return _bin_sparse(X, mass, max_bins)
    n_rows, n_features = X.shape
    thresholds, n_bins = dense_cuts(X, mass, max_bins, pool)
    codes = np.empty((n_features, n_rows), dtype=np.uint8)
    worth = X.size > _PARALLEL_VALUES
    pool.parallel_for(n_features, _loops.assign_codes, X, thresholds, codes, worth=worth)
    return BinnedDense(n_bins, n_rows, codes, thresholds)


def dense_cuts(
    X: np.ndarray,
    mass: np.ndarray | None,
    max_bins: int,
    pool: ThreadPool,
    hashes: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Thresholds of every column of a dense table, as for :func:`bin_table`.

    Parameters
    ----------
    X, mass, max_bins, pool : object
        As for :func:`bin_table`.
    hashes : ndarray of uint64, shape (n_samples,), optional
        Of the rows, if they are known.

    Returns
    -------
    thresholds : ndarray of shape (n_features, 255)
        Padded with infinity.
    n_bins : ndarray of int, shape (n_features,)
    """
    sample, sampled_mass = _sample_rows(X, mass, pool, hashes)
    worth = X.size > _PARALLEL_VALUES

    def column(f: int) -> np.ndarray:
        return np.asarray(X[sample, f])

    return cuts_of_columns(column, X.shape[1], sampled_mass, max_bins, pool, worth)


def cuts_of_columns(
    column_of: Callable[[int], np.ndarray],
    n_features: int,
    mass: np.ndarray | None,
    max_bins: int,
    pool: ThreadPool,
    worth: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Thresholds of columns from their sampled values; see :func:`dense_cuts`."""
    thresholds = np.full((n_features, 255), np.inf)
    n_bins = np.empty(n_features, dtype=np.int64)

    def find_cuts(start: int, stop: int) -> None:
        for f in range(start, stop):
            column, weights = column_of(f), mass
            missing = np.isnan(column)
            if missing.any():
                column = column[~missing]
                weights = None if weights is None else weights[~missing]
            cuts = cut_points(column, weights, max_bins)
            thresholds[f, : len(cuts)] = cuts
            n_bins[f] = len(cuts) + 1

    pool.parallel_for(n_features, find_cuts, worth=worth)
    return thresholds, n_bins


def _bin_sparse(X: Any, mass: np.ndarray | None, max_bins: int) -> BinnedSparse:
    """Bin the stored entries of a sparse table; the implicit zeros only weigh in the quantiles."""
    found = sparse_codes(X, mass, max_bins)
    rows, codes = found.indices.astype(np.int32), found.codes.copy()
    _entry_loops.sort_entries(found.indptr, rows, codes)
    entries = (found.indptr, rows, codes, found.zero_code.astype(np.int64))
    return BinnedSparse(found.n_bins, X.shape[0], entries, found.cuts, found.first_cut)


@dataclass
class SparseCodes:
    """Codes of the stored entries of a sparse table, column by column.

    Attributes
    ----------
    indptr, indices : ndarray of int
        Start of every column (n_features + 1,), and the row of every entry.
    codes : ndarray of uint8, shape (n_entries,)
        255 for missing values.
    cuts : ndarray of shape (n_cuts,)
        Thresholds of all columns one after another.
    first_cut : ndarray of int, shape (n_features + 1,)
    n_bins : ndarray of int, shape (n_features,)
    zero_code : ndarray of uint8, shape (n_features,)
        Code of the value zero.
    """

    indptr: np.ndarray
    indices: np.ndarray
    codes: np.ndarray
    cuts: np.ndarray
    first_cut: np.ndarray
    n_bins: np.ndarray
    zero_code: np.ndarray


@dataclass
class SparseCuts:
    """Thresholds of sparse columns; see :class:`SparseCodes`."""

    cuts: np.ndarray
    first_cut: np.ndarray
    n_bins: np.ndarray
    zero_code: np.ndarray

    @classmethod
    def of(
        cls, indptr: np.ndarray, values: np.ndarray, masses: np.ndarray, rests: np.ndarray,
        max_bins: int,
    ) -> SparseCuts:  # fmt: skip
        """Thresholds of columns whose different values are known.

        Parameters
        ----------
        indptr : ndarray of int, shape (n_features + 1,)
            Where the values of each column begin.
        values : ndarray of shape (n_values,)
            The different stored values of every column, without NaN.
        masses : ndarray of shape (2, n_values)
            In folds.
        rests : ndarray of shape (n_features,)
            Mass of the rows without an entry; -1 if every row has one.
        max_bins : int
        """
        room = np.minimum(np.diff(indptr) + 1, max_bins)
        starts = np.concatenate([[0], np.cumsum(room)])
        cuts, n_cuts = np.empty(int(room.sum())), np.zeros(len(room), dtype=np.int64)
        zero_code = np.zeros(len(room), dtype=np.uint8)
        known = (indptr, values, masses)
        _loops.cut_stored_values(known, rests, max_bins, starts, cuts, n_cuts, zero_code)
        kept = np.arange(len(cuts)) - np.repeat(starts[:-1], room) < np.repeat(n_cuts, room)
        first_cut = np.concatenate([[0], np.cumsum(n_cuts)])
        return cls(cuts[kept], first_cut, n_cuts + 1, zero_code)

    def code(self, X: Any) -> SparseCodes:
        """Codes of the stored entries of a sparse table, or of a part of its rows."""
        table = sp.csc_array(X)
        if not table.has_canonical_format:
            table = table.copy()
            table.sum_duplicates()
        indptr, indices = table.indptr.astype(np.int64), table.indices.astype(np.int64)
        codes = np.empty(len(indices), dtype=np.uint8)
        data = table.data.astype(np.float64)
        _loops.code_stored_values(indptr, data, self.cuts, self.first_cut, codes)
        known = (self.cuts, self.first_cut, self.n_bins, self.zero_code)
        return SparseCodes(indptr, indices, codes, *known)


def sparse_codes(X: Any, mass: np.ndarray | None, max_bins: int) -> SparseCodes:
    """Code the stored entries of a sparse table; cuts are those of :func:`cut_points`."""
    table = sp.csc_array(X)
    if not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    n_rows, n_features = table.shape
    indptr, indices = table.indptr.astype(np.int64), table.indices.astype(np.int64)
    weights = fold(np.ones(n_rows) if mass is None else mass)
    room = np.minimum(np.diff(indptr) + 1, max_bins)
    cuts = np.empty(int(room.sum()))
    codes = np.empty(len(indices), dtype=np.uint8)
    n_cuts = np.zeros(n_features, dtype=np.int64)
    zero_code = np.zeros(n_features, dtype=np.uint8)
    starts = np.concatenate([[0], np.cumsum(room)])
    _loops.code_sparse_columns(
        (indptr, indices, table.data.astype(np.float64)),
        weights, max_bins, starts, cuts, n_cuts, codes, zero_code,
    )  # fmt: skip
    kept = np.arange(len(cuts)) - np.repeat(starts[:-1], room) < np.repeat(n_cuts, room)
    first_cut = np.concatenate([[0], np.cumsum(n_cuts)])
    return SparseCodes(indptr, indices, codes, cuts[kept], first_cut, n_cuts + 1, zero_code)
