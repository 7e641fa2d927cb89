"""Codes of the rows of shards: thresholds from a sample of the whole table, as for one table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.boosting.sharded.engine import Engine, Handle
from uneven.boosting.sharded.shard import Shard
from uneven.boosting.sharded.steps import collected, largest, step, total
from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import fold, fold_units
from uneven.utils.row_hash import row_hashes
from uneven.voters import _loops
from uneven.voters.row_codes import (
    RowCodes,
    category_counts,
    category_order,
    describe_codes,
    missing_in,
    rows_of_stored,
    write_codes,
)
from uneven.voters.training_table import (
    SAMPLE_ROWS,
    SparseCodes,
    SparseCuts,
    cuts_of_columns,
    representatives,
    sample_weights,
    smallest_different,
)


@step(collected)
def all_values(
    shard: Shard, columns: np.ndarray | None, view: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Values of some columns, and the mass of the rows as far as they have a view."""
    mass = shard.mass_of(view)
    return [(X, mass[rows]) for rows, X in shard.values(columns)]


def _smallest(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return smallest_different(np.concatenate([one, other]))


@step(_smallest)
def smallest_hashes(shard: Shard, columns: np.ndarray | None) -> np.ndarray:
    """The smallest different hashes of rows, as many as a sample holds."""
    return smallest_different(shard.hashes(columns))


def _sum_and_largest(one: tuple[int, float], other: tuple[int, float]) -> tuple[int, float]:
    return one[0] + other[0], max(one[1], other[1])


@step(_sum_and_largest)
def weigh_sample(
    shard: Shard, columns: np.ndarray | None, view: int, last: np.uint64
) -> tuple[int, float]:
    """How many rows have hashes up to the last one of the sample, and their largest mass."""
    sampled = shard.hashes(columns) <= last
    return int(sampled.sum()), float(shard.mass_of(view)[sampled].max(initial=0.0))


@step(collected)
def take_sample(
    shard: Shard,
    columns: np.ndarray | None,
    view: int,
    last: np.uint64,
    units: tuple[float, float],
) -> list[tuple[np.ndarray, ...]]:
    """The different rows of the sample: hash, exact hash, values, and mass in two folds."""
    hashes = shard.hashes(columns)
    sampled = hashes <= last
    values = [X[sampled[rows]] for rows, X in shard.values(columns)]
    if not values:
        return []
    X, rows = np.concatenate(values), np.flatnonzero(sampled)
    exact = row_hashes(X, exact=True)
    first, place = representatives(hashes[rows], exact)
    folds = fold(shard.mass_of(view)[rows], units)
    sums = np.array([np.bincount(place, part, len(first)) for part in folds])
    return [(hashes[rows][first], exact[first], X[first], sums)]


def find_cuts(
    engine: Engine,
    columns: np.ndarray | None,
    view: int,
    n_columns: int,
    n_rows: int,
    total_mass: float | None,
    max_bins: int,
    pool: ThreadPool,
) -> tuple[np.ndarray, np.ndarray]:
    """Thresholds of columns, the same as for a table in one piece.

    Parameters
    ----------
    engine : Engine
    columns : ndarray of int, shape (n_columns,), or None
        None is all columns.
    view : int
        Rows without it weigh nothing.
    n_columns, n_rows : int
    total_mass : float or None
        None if all rows weigh the same.
    max_bins : int
    pool : ThreadPool

    Returns
    -------
    thresholds, n_bins : ndarray
        As from :func:`~uneven.voters.training_table.dense_cuts`.
    """
    if n_rows <= SAMPLE_ROWS:
        values, masses = zip(*engine.ask(all_values(columns, view)))
        X, mass = np.concatenate(values), np.concatenate(masses)
        known = None if total_mass is None else mass
        return cuts_of_columns(lambda f: X[:, f], n_columns, known, max_bins, pool)
    last = engine.ask(smallest_hashes(columns))[-1]
    n_sampled, heaviest = engine.ask(weigh_sample(columns, view, last))
    units = fold_units(n_sampled, heaviest)
    hashes, exact, values, folds = zip(*engine.ask(take_sample(columns, view, last, units)))
    first, place = representatives(np.concatenate(hashes), np.concatenate(exact))
    X = np.concatenate(values)[first]
    weights = None
    if total_mass is not None or len(first) < n_sampled:
        parts = np.concatenate(folds, axis=1)
        sampled = sum(np.bincount(place, part, len(first)) for part in parts)
        whole = float(n_rows) if total_mass is None else total_mass
        weights = sample_weights(np.asarray(sampled), whole, last, n_sampled == n_rows)
    return cuts_of_columns(lambda f: X[:, f], n_columns, weights, max_bins, pool)


@step(collected)
def stored_values(
    shard: Shard, columns: np.ndarray | None, view: int, units: tuple[float, float], is_even: bool
) -> list[tuple[np.ndarray, ...]]:
    """The different stored values of sparse columns, block by block.

    Returns
    -------
    list
        Column, value and mass in two folds (2, n_values) of each; stored entries of every column,
        and their mass in two folds, shape (3, n_columns).
    """
    mass = np.ones(len(shard.y)) if is_even else shard.mass_of(view)
    folds = fold(mass, units)
    found: list[tuple[np.ndarray, ...]] = []
    for rows, X in shard.values(columns):
        table = sp.csc_array(X)
        table.sum_duplicates()
        column = np.repeat(np.arange(X.shape[1]), np.diff(table.indptr))
        masses = folds[:, rows][:, table.indices]
        counted = [np.bincount(column, own, X.shape[1]) for own in (None, *masses)]
        known = ~np.isnan(table.data)
        values = table.data[known].astype(np.float64)
        found.append((*_different(column[known], values, masses[:, known]), np.array(counted)))
    return found


def _different(
    column: np.ndarray, values: np.ndarray, masses: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Different values of columns in increasing order, with the mass of each."""
    order = np.lexsort((values, column))
    column, values, masses = column[order], values[order], masses[:, order]
    is_new = (np.diff(column, prepend=-1) != 0) | (np.diff(values, prepend=np.nan) != 0)
    first = np.flatnonzero(is_new)
    summed = np.add.reduceat(masses, first, axis=1) if len(first) else masses
    return column[first], values[first], summed


def find_sparse_cuts(
    engine: Engine,
    columns: np.ndarray | None,
    view: int,
    n_columns: int,
    n_rows: int,
    heaviest: float | None,
    max_bins: int,
) -> SparseCuts:
    """Thresholds of sparse columns, the same as for a table in one piece.

    All different values of the columns come here once: thresholds are exact.

    Parameters
    ----------
    engine, columns, view, n_columns, n_rows, max_bins : object
        As for :func:`find_cuts`.
    heaviest : float or None
        Largest mass of a row; None if all rows weigh the same.
    """
    units = fold_units(n_rows, 1.0 if heaviest is None else heaviest)
    asked = stored_values(columns, view, units, heaviest is None)
    (n_all, *everything), found = engine.ask(sum_even(view, units, heaviest is None), asked)
    *stored, counted = zip(*found)
    column, values, masses = _different(*(np.concatenate(part, axis=-1) for part in stored))
    n_stored, coarse, fine = np.sum(counted, axis=0)
    rests = np.where(n_stored < n_all, sum(everything) - (coarse + fine), -1.0)
    indptr = np.searchsorted(column, np.arange(n_columns + 1))
    return SparseCuts.of(indptr, values, masses, rests, max_bins)


@step(total)
def sum_even(
    shard: Shard, view: int, units: tuple[float, float], is_even: bool
) -> tuple[int, float, float]:
    """Number of rows, and their mass in two folds."""
    mass = np.ones(len(shard.y)) if is_even else shard.mass_of(view)
    high, low = fold(mass, units).sum(axis=1)
    return len(mass), float(high), float(low)


def _stored_of(shard: Shard, columns: np.ndarray | None, cuts: SparseCuts) -> SparseCodes:
    """Codes of the stored entries of a shard."""
    parts = [X for _, X in shard.values(columns)]
    found = cuts.code(sp.vstack(parts, format="csc"))
    return replace(found, indices=shard.moved(found.indices), codes=shard.moved(found.codes))


@step(changes=True)
def code_entries(shard: Shard, name: int, cuts: SparseCuts) -> None:
    """Code the stored entries of sparse rows column by column, for cost trees."""
    found = _stored_of(shard, None, cuts)
    rows = found.indices.astype(np.int32)
    shard.held[name] = (found.indptr, rows, found.codes, found.zero_code.astype(np.int64))


@step(largest, changes=True)
def code_stored(shard: Shard, name: int, columns: np.ndarray, cuts: SparseCuts) -> np.ndarray:
    """Code the stored entries of sparse rows, for score trees; where values are missing."""
    shard.held[name] = found = _stored_of(shard, columns, cuts)
    return missing_in(found)


@step(changes=True)
def describe_stored(shard: Shard, name: int, columns: np.ndarray, has_missing: np.ndarray) -> None:
    """Set what is known of the sparse columns of all shards; see ``rows_of_stored``."""
    shard.held[name] = rows_of_stored(columns, shard.held[name], len(shard.y), has_missing)


@step(changes=True)
def code_columns(shard: Shard, name: int, thresholds: np.ndarray) -> None:
    """Code the rows column by column, for cost trees."""
    codes = shard.empty((len(thresholds), len(shard.y)), np.uint8)
    for rows, X in shard.values():
        _loops.assign_codes(X, thresholds, codes[:, rows], 0, len(thresholds))
    shard.held[name] = codes


@step(total)
def sum_categories(
    shard: Shard, columns: np.ndarray, n_categories: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Rows of each category of some columns of codes."""
    counts = [np.zeros(n, dtype=np.int64) for n in n_categories.tolist()]
    for _, X in shard.values(columns):
        for j, own in enumerate(counts):
            own += category_counts(X[:, j], len(own))
    return tuple(counts)


@step(largest, changes=True)
def code_rows(
    shard: Shard,
    name: int,
    columns: np.ndarray,
    cuts: np.ndarray,
    category_codes: dict[int, np.ndarray],
) -> np.ndarray:
    """Code the rows next to each other, for score trees; where values are missing."""
    codes = shard.empty((len(shard.y), len(columns)), np.uint8)
    missing = np.zeros(len(columns), dtype=bool)
    for rows, X in shard.values(columns):
        missing |= write_codes(X, cuts, category_codes, codes[rows], shard.pool)
    shard.held[name] = codes
    return missing


@step(changes=True)
def describe_rows(shard: Shard, name: int, *known: Any) -> None:
    """Set what is known of the columns of all shards; see ``describe_codes``."""
    columns, *rest = known
    shard.held[name] = describe_codes(columns, shard.held[name], *rest)


@step(total)
def sum_classes(
    shard: Shard, name: int, view: int, n_classes: int, units: tuple[float, float]
) -> np.ndarray:
    """Mass of each class in every category, of rows that have a view; see ``class_folds``."""
    folds = fold(shard.mass_of(view), units)
    return np.asarray(shard.held[name].class_folds(shard.y, folds, n_classes))


class ShardedRowCodes:
    """Codes of some columns as score trees read them, kept by the shards.

    Attributes
    ----------
    handle : Handle
    known : RowCodes
        What is known of the columns, without rows.
    """

    def __init__(self, handle: Handle, known: RowCodes) -> None:
        self.handle, self.known = handle, known

    @classmethod
    def of(
        cls,
        engine: Engine,
        columns: np.ndarray,
        n_codes: np.ndarray | None,
        cuts: np.ndarray,
        n_bins: np.ndarray,
    ) -> ShardedRowCodes:
        """Code some columns of all shards, which are dense."""
        n_categories = np.zeros(len(columns), dtype=np.int64)
        if n_codes is not None:
            n_categories[:] = n_codes[columns]
        named = np.flatnonzero(n_categories)
        category_codes: dict[int, np.ndarray] = {}
        if len(named):
            counts = engine.ask(sum_categories(columns[named], n_categories[named]))
            category_codes = {int(j): category_order(own) for j, own in zip(named, counts)}
        handle = engine.new()
        has_missing = engine.ask(code_rows(handle.name, columns, cuts, category_codes))
        known = (cuts, n_bins, category_codes, has_missing)
        engine.later(describe_rows(handle.name, columns, *known))
        nobody = np.empty((0, len(columns)), dtype=np.uint8)
        return cls(handle, describe_codes(columns, nobody, *known))

    @classmethod
    def of_sparse(cls, engine: Engine, columns: np.ndarray, cuts: SparseCuts) -> ShardedRowCodes:
        """Code some columns of all shards, which are sparse."""
        handle = engine.new()
        has_missing = engine.ask(code_stored(handle.name, columns, cuts))
        engine.later(describe_stored(handle.name, columns, has_missing))
        nobody = cuts.code(sp.csc_array((0, len(columns))))
        return cls(handle, rows_of_stored(columns, nobody, 0, has_missing))
