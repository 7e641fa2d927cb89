"""Codes of the rows of shards: thresholds from a sample of the whole table, as for one table."""

from __future__ import annotations

from typing import Any

import numpy as np

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
    write_codes,
)
from uneven.voters.training_table import (
    SAMPLE_ROWS,
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
    """Say what is known of the columns of all shards; see ``describe_codes``."""
    columns, *rest = known
    shard.held[name] = describe_codes(columns, shard.held[name], *rest)


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
        """Code some columns of all shards."""
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
