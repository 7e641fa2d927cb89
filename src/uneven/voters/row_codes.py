"""The codes of a table by row, as score trees read them.

Every column that is not constant becomes at most 255 codes; the codes of a row stand next to
each other, so that a node visits each of its rows once. The bins of all columns are numbered one
after another, and a column takes as many as it uses: constant columns take none. Sparse tables
keep the bins of their stored entries.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp

from uneven.utils.parallel import ThreadPool
from uneven.voters import _loops, _row_loops
from uneven.voters.category_orders import order_codes
from uneven.voters.training_table import SparseCodes, TrainingTable, dense_cuts, sparse_codes

_PARALLEL_VALUES = 400_000
_MOST_CATEGORIES = 254
_BLOCK = 1 << 14


@dataclass
class RowCodes:
    """Codes of some columns of a table, row by row.

    Attributes
    ----------
    columns : ndarray of int, shape (n_columns,)
        Columns of the table, in increasing order; without those that are constant.
    table : tuple
        ``(codes, indptr, bins, first, zero_code)``: codes of a dense table (n_rows, n_columns),
        uint8; or an empty array and, by row, the bins of the stored entries of a sparse table;
        first bin of every column and the end (n_columns + 1,); code of zero in every column.
    n_bins : ndarray of int, shape (n_columns,)
        Bins of the values of a column.
    has_missing : ndarray of bool, shape (n_columns,)
        Whether a bin of missing values follows.
    is_category : ndarray of bool, shape (n_columns,)
    cuts : list of ndarray
        Thresholds of each column: code ``b`` holds the values up to ``cuts[column][b]``.
    category_codes : dict of int to ndarray of int
        Code of each category of a column of categories.
    orders : ndarray of uint8, shape (n_orders, n_bins)
        Orders of the codes of columns of categories; none before :meth:`ordered`.
    n_rows : int

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 7.0, 5.0], [2.0, 7.0, np.nan], [3.0, 7.0, 5.0]])
    >>> y = np.array([0, 1, 0])
    >>> codes = RowCodes.of(TrainingTable(X, y, 2, np.ones(3)), np.arange(3), max_bins=255)
    >>> codes.columns
    array([0, 2])
    >>> codes.table[0]
    array([[0, 0],
           [1, 1],
           [2, 0]], dtype=uint8)
    """

    columns: np.ndarray
    table: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
    n_bins: np.ndarray
    has_missing: np.ndarray
    is_category: np.ndarray
    cuts: list[np.ndarray]
    n_rows: int
    category_codes: dict[int, np.ndarray] = field(default_factory=dict)
    orders: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.uint8))

    @classmethod
    def of(cls, table: TrainingTable, columns: np.ndarray, max_bins: int) -> RowCodes:
        """Code some columns of a training table."""
        make = _sparse_rows if sp.issparse(table.X) else _dense_rows
        return make(table, np.asarray(columns, dtype=np.int64), max_bins)

    @property
    def first(self) -> np.ndarray:
        """First bin of every column, and the number of bins, shape (n_columns + 1,)."""
        return self.table[3]

    def span(self, column: int) -> tuple[int, int, bool]:
        """First bin of a column, bins of its values, and whether a bin of missing ones follows."""
        return int(self.first[column]), int(self.n_bins[column]), bool(self.has_missing[column])

    def ordered(self, class_mass: np.ndarray) -> RowCodes:
        """The same with orders of the categories, by the mass of each class (n_bins, n_classes)."""
        return replace(self, orders=order_codes(class_mass, self.first, self.is_category))

    def class_folds(self, y: np.ndarray, mass_folds: np.ndarray, n_classes: int) -> np.ndarray:
        """Mass of each class among the rows of every category, in folds.

        Parameters
        ----------
        y : ndarray of int, shape (n_rows,)
        mass_folds : ndarray of shape (2, n_rows)
            Mass of the rows, see :func:`~uneven.utils.reproducible_sums.fold`.
        n_classes : int

        Returns
        -------
        ndarray of shape (2, n_bins, n_classes)
            Zero for the bins of numbers.
        """
        sums = np.zeros((len(mass_folds), int(self.first[-1]), n_classes))
        for column in np.flatnonzero(self.is_category).tolist():
            own = sums[:, self.first[column] : self.first[column + 1]]
            labels = self.table[0][:, column].astype(np.int64) * n_classes + y
            for part, mass in zip(own, mass_folds):
                part += np.bincount(labels, mass, part.size).reshape(part.shape)
        return sums

    def threshold(self, column: np.ndarray, code: np.ndarray) -> np.ndarray:
        """Largest value of codes in columns of numbers, both (k,); the last code has no limit."""
        values, starts = self._thresholds
        return np.asarray(values[starts[column] + code])

    @cached_property
    def _thresholds(self) -> tuple[np.ndarray, np.ndarray]:
        """Thresholds of all columns one after another, and where those of each begin."""
        endless = np.array([np.finfo(float).max])
        values = [part for own in self.cuts for part in (own, endless)]
        starts = _starts(np.array([len(own) + 1 for own in self.cuts]))
        return np.concatenate([*values, endless]), starts

    def take(self, rows: np.ndarray, kept: np.ndarray | None, pool: ThreadPool) -> RowCodes:
        """The codes of some rows, in increasing order, and columns, next to each other in memory.

        Parameters
        ----------
        rows : ndarray of int, shape (n_taken,)
        kept : ndarray of int, shape (n_kept,), or None
            Positions of columns, in increasing order; None is all of them.
        pool : ThreadPool
        """
        codes, indptr, bins = self.table[:3]
        if len(indptr):
            part = self if kept is None else self.take_columns(kept)
            return part if len(rows) == self.n_rows else part._take_stored(rows)
        if kept is None and len(rows) == self.n_rows:
            return self
        part = self if kept is None else self._described(kept)
        taken = np.empty((len(rows), len(part.columns)), dtype=np.uint8)
        worth = taken.size > _PARALLEL_VALUES
        if kept is None:
            pool.parallel_for(len(rows), take_rows, codes, rows, taken, worth=worth)
        else:
            cells = (codes, rows, kept, taken)
            pool.parallel_for(len(rows), _row_loops.take_cells, *cells, worth=worth)
        table = (taken, indptr, bins, part.first, part.table[4])
        return replace(part, table=table, n_rows=len(rows))

    def _take_stored(self, rows: np.ndarray) -> RowCodes:
        """Some rows of a sparse table."""
        codes, indptr, bins, first, zero_code = self.table
        shape = (self.n_rows, int(first[-1]))
        by_row = sp.csr_array((bins, bins, indptr), shape=shape)[rows]
        table = (codes, by_row.indptr.astype(np.int64), by_row.data, first, zero_code)
        return replace(self, table=table, n_rows=len(rows))

    def take_columns(self, kept: np.ndarray) -> RowCodes:
        """The codes of some of the columns, by position in increasing order."""
        part = self._described(kept)
        codes, indptr, bins, first, _ = self.table
        if len(indptr):
            indptr, bins = _take_bins(indptr, bins, first, kept, part.first)
        else:
            codes = np.ascontiguousarray(codes[:, kept])
        return replace(part, table=(codes, indptr, bins, *part.table[3:]))

    def _described(self, kept: np.ndarray) -> RowCodes:
        """What is known of some of the columns, with the codes of all."""
        *codes, first, zero_code = self.table
        orders = self.orders
        if orders.size:
            bins = [np.arange(first[k], first[k + 1]) for k in kept]
            orders = orders.take(np.concatenate([np.zeros(0, dtype=np.int64), *bins]), axis=1)
        return RowCodes(
            columns=self.columns[kept],
            table=(*codes, _starts(np.diff(first)[kept]), zero_code[kept]),
            n_bins=self.n_bins[kept],
            has_missing=self.has_missing[kept],
            is_category=self.is_category[kept],
            cuts=[self.cuts[k] for k in kept],
            n_rows=self.n_rows,
            category_codes={
                j: self.category_codes[int(k)]
                for j, k in enumerate(kept)
                if int(k) in self.category_codes
            },
            orders=orders,
        )


def take_rows(
    table: np.ndarray, rows: np.ndarray, taken: np.ndarray, start: int, stop: int
) -> None:
    """Copy the rows ``rows[start:stop]`` of an array to ``taken[start:stop]``."""
    np.take(table, rows[start:stop], axis=0, out=taken[start:stop], mode="clip")


def _dense_rows(table: TrainingTable, columns: np.ndarray, max_bins: int) -> RowCodes:
    """Code a dense table."""
    whole = len(columns) == table.X.shape[1]
    X = table.X if whole else table.X[:, columns]
    hashes = table.keys if whole else None
    cuts, n_bins = dense_cuts(X, table.uneven_mass, max_bins, table.pool, hashes)
    n_categories = np.zeros(len(columns)) if table.n_codes is None else table.n_codes[columns]
    category_codes = {
        j: category_order(category_counts(X[:, j], int(n_categories[j])))
        for j in np.flatnonzero(n_categories).tolist()
    }
    codes = np.empty(X.shape, dtype=np.uint8)
    has_missing = write_codes(X, cuts, category_codes, codes, table.pool)
    return describe_codes(columns, codes, cuts, n_bins, category_codes, has_missing)


def write_codes(
    X: np.ndarray,
    cuts: np.ndarray,
    category_codes: dict[int, np.ndarray],
    codes: np.ndarray,
    pool: ThreadPool,
) -> np.ndarray:
    """Write the codes of dense rows, 255 for missing values.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
    cuts : ndarray of shape (n_columns, 255)
    category_codes : dict of int to ndarray of int
        Code of each category, for columns of categories.
    codes : ndarray of uint8, shape (n_rows, n_columns)
        Output.
    pool : ThreadPool

    Returns
    -------
    ndarray of bool, shape (n_columns,)
        Where values are missing.
    """
    worth = X.size > _PARALLEL_VALUES
    pool.parallel_for(X.shape[1], _loops.assign_codes, X, cuts, codes.T, worth=worth)
    for j, code in category_codes.items():
        known = ~np.isnan(X[:, j])
        codes[known, j] = code[X[known, j].astype(np.int64)]
    blocks = [codes[start : start + _BLOCK] for start in range(0, len(codes), _BLOCK)]
    found = pool.map([partial(_columns_missing, block) for block in blocks], worth=worth)
    return np.any(found, axis=0) if found else np.zeros(X.shape[1], dtype=bool)


def _columns_missing(codes: np.ndarray) -> np.ndarray:
    """Columns of codes (n, d) in which a value is missing, bool of shape (d,)."""
    return np.asarray((codes == _loops.MISSING).any(axis=0))


def describe_codes(
    columns: np.ndarray,
    codes: np.ndarray,
    cuts: np.ndarray,
    n_bins: np.ndarray,
    category_codes: dict[int, np.ndarray],
    has_missing: np.ndarray,
) -> RowCodes:
    """Codes of dense rows, with what must be known of their columns; constant ones are left out.

    Parameters
    ----------
    columns : ndarray of int, shape (n_columns,)
    codes : ndarray of uint8, shape (n_rows, n_columns)
        From :func:`write_codes`; changed in place.
    cuts, category_codes : object
        As for :func:`write_codes`.
    n_bins : ndarray of int, shape (n_columns,)
    has_missing : ndarray of bool, shape (n_columns,)
        Whether any row of the table lacks a value.
    """
    n_bins = n_bins.copy()
    is_category = np.zeros(len(columns), dtype=bool)
    for j, code in category_codes.items():
        n_bins[j], is_category[j] = code.max() + 1, True
    for missing in np.flatnonzero(has_missing & (n_bins < _loops.MISSING)):
        codes[codes[:, missing] == _loops.MISSING, missing] = n_bins[missing]
    made = RowCodes(
        columns=columns,
        table=(
            codes,
            np.zeros(0, dtype=np.int64),
            np.zeros(0, dtype=np.int32),
            _starts(n_bins + has_missing),
            np.zeros(len(columns), dtype=np.int64),
        ),
        n_bins=n_bins,
        has_missing=has_missing,
        is_category=is_category,
        cuts=[own[: n - 1] for own, n in zip(cuts, n_bins)],
        n_rows=len(codes),
        category_codes=category_codes,
    )
    kept = np.flatnonzero((n_bins > 1) | has_missing)
    return made if len(kept) == len(columns) else made.take_columns(kept)


def _starts(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _take_bins(
    indptr: np.ndarray, bins: np.ndarray, first: np.ndarray, kept: np.ndarray, starts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Stored entries of some columns, by row, with the bins numbered anew."""
    renumbered = np.full(int(first[-1]), -1, dtype=np.int32)
    for old, new, end in zip(first[kept], starts, starts[1:]):
        renumbered[old : old + end - new] = np.arange(new, end)
    found = renumbered[bins]
    before = np.concatenate([[0], np.cumsum(found >= 0)])
    return before[indptr], found[found >= 0]


def category_counts(column: np.ndarray, n_categories: int) -> np.ndarray:
    """Rows of each category of a column of codes, shape (n_categories,); NaN is none."""
    known = column[~np.isnan(column)].astype(np.int64)
    return np.bincount(known, minlength=n_categories)


def category_order(counts: np.ndarray) -> np.ndarray:
    """Code of each category, shape (n_categories,); beyond 254, the rarest share the last one.

    Examples
    --------
    >>> category_order(np.array([5, 1, 7]))
    array([0, 1, 2])
    """
    if len(counts) <= _MOST_CATEGORIES:
        return np.arange(len(counts))
    by_count = np.argsort(-counts, kind="stable")
    code = np.full(len(counts), _MOST_CATEGORIES - 1)
    code[by_count[: _MOST_CATEGORIES - 1]] = np.arange(_MOST_CATEGORIES - 1)
    return code


def _sparse_rows(table: TrainingTable, columns: np.ndarray, max_bins: int) -> RowCodes:
    """Code the stored entries of a sparse table, then turn them from columns into rows."""
    X = sp.csc_array(table.X)
    if len(columns) < X.shape[1]:
        X = X[:, columns]
    found = sparse_codes(X, table.uneven_mass, max_bins)
    return rows_of_stored(columns, found, X.shape[0], missing_in(found))


def missing_in(found: SparseCodes) -> np.ndarray:
    """Columns in which a stored entry is missing, bool, shape (n_columns,)."""
    missing = np.concatenate([[0], np.cumsum(found.codes == _loops.MISSING)])
    return np.diff(missing[found.indptr]) > 0


def rows_of_stored(
    columns: np.ndarray, found: SparseCodes, n_rows: int, has_missing: np.ndarray
) -> RowCodes:
    """Codes of stored entries by row, with what must be known of their columns.

    Parameters
    ----------
    columns : ndarray of int, shape (n_columns,)
    found : SparseCodes
    n_rows : int
    has_missing : ndarray of bool, shape (n_columns,)
        Whether any row of the table lacks a value.
    """
    column_of = np.repeat(np.arange(len(columns)), np.diff(found.indptr))
    is_missing = found.codes == _loops.MISSING
    kept = np.flatnonzero((found.n_bins > 1) | has_missing)
    first = _starts((found.n_bins + has_missing)[kept])
    start_of = np.zeros(len(columns), dtype=np.int64)
    start_of[kept] = first[:-1]
    codes = np.where(is_missing, found.n_bins[column_of], found.codes)
    bins = (codes + start_of[column_of]).astype(np.int32)
    shape = (n_rows, len(columns))
    by_row = sp.csr_array(sp.csc_array((bins, found.indices, found.indptr), shape=shape)[:, kept])
    by_row.sort_indices()
    return RowCodes(
        columns=columns[kept],
        table=(
            np.zeros((0, 0), dtype=np.uint8),
            by_row.indptr.astype(np.int64),
            by_row.data,
            first,
            found.zero_code[kept].astype(np.int64),
        ),
        n_bins=found.n_bins[kept],
        has_missing=has_missing[kept],
        is_category=np.zeros(len(kept), dtype=bool),
        cuts=[found.cuts[found.first_cut[j] : found.first_cut[j + 1]] for j in kept],
        n_rows=n_rows,
    )
