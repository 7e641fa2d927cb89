"""A shard: some rows of the training table, and everything that is kept per row.

What a shard holds is a function of its blocks and of the steps that changed it, so that it can be
built again anywhere.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.boosting.sharded.blocks import Block, labels_of, numbers_of, stack_rows
from uneven.boosting.sharded.steps import Step, collected, largest, step, total
from uneven.utils.parallel import ThreadPool
from uneven.utils.reproducible_sums import fold
from uneven.utils.row_hash import draw_lots, row_hashes, row_keys
from uneven.views import ViewMap
from uneven.views.training_rows import CodeRange

ANY_VIEW, ALL_ROWS = -1, -2
"""Stand for rows that have at least one view, and for all rows, in place of a view."""

_BUCKETS = 12

_MANY = 1 << 18
"""Rows whose mass is read at a time, so that it need not all be in memory."""


class Shard:
    """Some rows of the training table.

    Parameters
    ----------
    blocks : sequence of Block
    categories : dict of column name to list
        Categories of the category columns.
    number : int, default=0
        Identifies the shard of a table.
    on_disk : bool, default=False
        Whether codes and costs are kept in files, of which the system holds as much in memory as
        there is room for.

    Attributes
    ----------
    y : ndarray of int32, shape (n_rows,)
    mass : ndarray of shape (n_rows,)
    mass_folds : dict of int to ndarray of shape (n_folds, n_rows)
        By view, the mass in one or two parts that add up exactly.
    keys : ndarray of uint64, shape (n_rows,)
        By which rows are drawn.
    presence : ndarray of bool, shape (n_rows, n_views)
        Where the views are there.
    held : dict of int to object
        What steps have left here, by name.
    spare : list of ndarray of int32, shape (2, n_rows)
        Buffers that are free again; see ``borrow``.
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        categories: dict[Any, list],
        number: int = 0,
        on_disk: bool = False,
    ) -> None:
        self._blocks, self._categories, self.number = list(blocks), categories, number
        self._folder = tempfile.TemporaryDirectory(prefix="uneven-") if on_disk else None
        self._n_files = 0
        self._kept: list[np.ndarray] = []
        self.presence = np.ones((0, 0), dtype=bool)
        self._hashes: dict[tuple[int, ...] | None, np.ndarray] = {}
        self.y, self.mass = np.zeros(0, dtype=np.int32), np.zeros(0)
        self.mass_folds: dict[int, np.ndarray] = {}
        self.keys = np.zeros(0, dtype=np.uint64)
        self.n_columns, self.is_sparse = 0, False
        self.held: dict[int, Any] = {}
        self.spare: list[np.ndarray] = []
        self.pool = ThreadPool()

    def run(self, steps: Sequence[Step]) -> list[Any]:
        """Do steps one after another."""
        return [one.kind.function(self, *one.args) for one in steps]

    def close(self) -> None:
        """Remove the files of this shard."""
        self.held.clear()
        self._hashes.clear()
        self._blocks = []
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def values(self, columns: np.ndarray | None = None) -> Iterator[tuple[slice, Any]]:
        """The values of the rows, block by block: where they stand, and some columns or all."""
        start = 0
        for block, kept in zip(self._blocks, self._kept):
            X = numbers_of(block.read()[0], self._categories, self.is_sparse)
            X = X if len(kept) == X.shape[0] else X[kept]
            X = X if columns is None else X[:, columns]
            X = X if self.is_sparse else np.ascontiguousarray(X)
            yield slice(start, start + X.shape[0]), X
            start += X.shape[0]

    def places(self) -> Iterator[tuple[int, slice]]:
        """Number of each block, and where its rows stand."""
        start = 0
        for block, kept in zip(self._blocks, self._kept):
            yield getattr(block, "number", 0), slice(start, start + len(kept))
            start += len(kept)

    def hashes(self, columns: np.ndarray | None) -> np.ndarray:
        """Hashes of the rows, of some columns or all, shape (n_rows,)."""
        name = None if columns is None else tuple(columns.tolist())
        if name not in self._hashes:
            found = self.empty((len(self.y),), np.uint64)
            for rows, X in self.values(columns):
                found[rows] = row_hashes(X)
            self._hashes[name] = found
        return self._hashes[name]

    def twins(self, hashes: np.ndarray) -> np.ndarray:
        """Rows that have one of some sorted hashes, in increasing order, shape (n_found,)."""
        if not len(hashes):
            return np.zeros(0, dtype=np.intp)
        own = self.hashes(None)
        place = np.minimum(np.searchsorted(hashes, own), len(hashes) - 1)
        return np.flatnonzero(hashes[place] == own)

    def present(self, view: int) -> np.ndarray:
        """Rows that have a view, or any of them, shape (n_rows,)."""
        if view == ALL_ROWS:
            return np.ones(len(self.y), dtype=bool)
        if view == ANY_VIEW:
            return np.any(self.presence, axis=1)
        return np.asarray(self.presence[:, view])

    def mass_of(self, view: int) -> np.ndarray:
        """The mass of the rows; zero where a view is absent, shape (n_rows,)."""
        return np.where(self.present(view), self.mass, 0.0)

    def masses_of(self, view: int) -> Iterator[tuple[slice, np.ndarray]]:
        """``mass_of`` a few rows at a time, with their places."""
        for start in range(0, len(self.y), _MANY):
            rows = slice(start, start + _MANY)
            if view == ALL_ROWS:
                yield rows, self.mass[rows]
            elif view == ANY_VIEW:
                yield rows, np.where(self.presence[rows].any(axis=1), self.mass[rows], 0.0)
            else:
                yield rows, np.where(self.presence[rows, view], self.mass[rows], 0.0)

    @property
    def is_on_disk(self) -> bool:
        """Whether arrays are in files; new ones hold zeros."""
        return self._folder is not None

    def empty(self, shape: tuple[int, ...], dtype: Any, order: Any = "C") -> np.ndarray:
        """Allocate an array, in a file if this shard is kept on disk."""
        if self._folder is None or 0 in shape:
            return np.empty(shape, dtype, order)
        self._n_files += 1
        path = Path(self._folder.name) / f"{self._n_files}.bin"
        return np.asarray(np.memmap(path, dtype=dtype, mode="w+", shape=shape, order=order))

    def borrow(self) -> np.ndarray:
        """Two whole numbers per row to write to, (2, n_rows): spare ones if there are any.

        Workers of Dask give large arrays back to the system at once, which makes new ones slow.
        """
        while self.spare:
            room = self.spare.pop()
            if room.shape[1] == len(self.y):
                return room
        return np.empty((2, len(self.y)), dtype=np.int32)

    def moved(self, array: np.ndarray) -> np.ndarray:
        """The array, in a file if this shard is kept on disk."""
        if self._folder is None:
            return array
        is_columns = array.flags.f_contiguous and not array.flags.c_contiguous
        room = self.empty(array.shape, array.dtype, "F" if is_columns else "C")
        room[...] = array
        return room

    def take(self, rows: np.ndarray) -> None:
        """Leave out all rows but these, in increasing order."""
        ends = np.cumsum([len(kept) for kept in self._kept])
        parts = np.split(rows, np.searchsorted(rows, ends[:-1]))
        starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
        self._kept = [kept[part - start] for kept, part, start in zip(self._kept, parts, starts)]
        self.y, self.mass = self.y[rows], self.mass[rows]
        self._hashes = {name: found[rows] for name, found in self._hashes.items()}
        self.presence = self.presence[rows]


@step(collected)
def describe_blocks(shard: Shard) -> list[dict[str, Any]]:
    """What the blocks hold: lengths, columns, labels and weights."""
    found = []
    for block in shard._blocks:
        X, y, weight = block.read()
        numbers, labels = numbers_of(X, shard._categories), labels_of(y)
        told: dict[str, Any] = {"rows": numbers.shape[0], "labels": len(labels)}
        told["columns"], told["sparse"] = numbers.shape[1], sp.issparse(numbers)
        mass = np.ones(len(labels)) if weight is None else np.asarray(weight, dtype=np.float64)
        told["weights"], told["number"] = mass.size, getattr(block, "number", 0)
        told["classes"] = np.unique(labels[mass > 0.0] if len(mass) == len(labels) else labels)
        told["all_classes"] = np.unique(labels)
        told["fine"] = bool(np.all(np.isfinite(mass) & (mass >= 0.0)))
        told["largest"] = float(mass.max(initial=0.0)) if told["fine"] else np.nan
        found.append(told)
    return found


@step(total, changes=True)
def number_labels(
    shard: Shard, classes: np.ndarray, divisor: float, shape: tuple[int, bool]
) -> np.ndarray:
    """Number the classes and leave out rows without weight; rows of each class that are left.

    Weights are divided by ``divisor`` unless it is 1; positive ones stay positive. ``shape`` is
    the number of columns, and whether the table is sparse.
    """
    shard.n_columns, shard.is_sparse = shape
    labels, masses, shard._kept = [], [], []
    for block in shard._blocks:
        _, y, weight = block.read()
        y = labels_of(y)
        mass = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64).ravel()
        if divisor != 1.0:
            tiny = np.finfo(float).tiny
            mass = np.where(mass > 0.0, np.maximum(mass / divisor, tiny), 0.0)
        kept = np.flatnonzero(mass)
        shard._kept.append(shard.moved(kept))
        labels.append(np.searchsorted(classes, y[kept]).astype(np.int32))
        masses.append(mass[kept])
    shard.y = shard.moved(np.concatenate(labels))
    shard.mass = shard.moved(np.concatenate(masses))
    return np.bincount(shard.y, minlength=len(classes))


@step(changes=True)
def look_for_views(shard: Shard, views: ViewMap) -> None:
    """Look in which rows the views are there."""
    shard.presence = np.ones((len(shard.y), len(views)), dtype=bool)
    for rows, X in shard.values():
        shard.presence[rows] = views.presence(X)


@step(changes=True)
def drop_views(shard: Shard, speaks: np.ndarray) -> None:
    """Let views be absent everywhere but those that vote, bool, (n_views,)."""
    shard.presence = shard.presence & speaks


@step(total)
def count_presence(shard: Shard, n_classes: int) -> tuple[np.ndarray, int]:
    """Rows by view and class, (n_views, n_classes), and rows that have any view."""
    presence = shard.presence
    counts = [np.bincount(shard.y[here], minlength=n_classes) for here in presence.T]
    return np.array(counts), int(np.any(presence, axis=1).sum())


@step(largest)
def range_of_codes(shard: Shard, columns: np.ndarray) -> tuple[CodeRange, ...]:
    """Range of the values of columns of codes."""
    found = [CodeRange.of(np.zeros(0))] * len(columns)
    for _, X in shard.values(columns):
        parts = [CodeRange.of(own[~np.isnan(own)]) for own in X.T]
        found = [CodeRange(*largest(one, other)) for one, other in zip(found, parts)]
    return tuple(found)


@step(largest)
def range_of_mass(shard: Shard, view: int) -> tuple[float, float]:
    """Largest mass of the rows that have a view, and minus the smallest."""
    most, least = 0.0, np.inf
    for _, mass in shard.masses_of(view):
        most, least = max(most, float(mass.max())), min(least, float(mass.min()))
    return most, -least


@step(total)
def sum_mass(
    shard: Shard, view: int, n_classes: int, units: tuple[float, float]
) -> tuple[np.ndarray, int]:
    """Mass of each class in two folds, (2, n_classes), and rows that have any."""
    sums, n_rows = np.zeros((2, n_classes)), 0
    for rows, mass in shard.masses_of(view):
        for own, part in zip(sums, fold(mass, units)):
            own += np.bincount(shard.y[rows], part, n_classes)
        n_rows += int((mass > 0.0).sum())
    return sums, n_rows


@step(changes=True)
def fold_mass(shard: Shard, view: int, units: tuple[float, float]) -> None:
    """Cut the mass of the rows that have a view into folds that add up exactly."""
    folds = shard.empty((2, len(shard.y)), np.float64)
    for rows, mass in shard.masses_of(view):
        folds[:, rows] = fold(mass, units)
    if not folds[1].any():
        folds = folds[:1].copy() if shard._folder is None else folds[:1]
    shard.mass_folds[view] = folds


@step(collected)
def all_hashes(shard: Shard) -> list[np.ndarray]:
    """Hash of every row."""
    return [shard.hashes(None)]


@step(collected)
def describe_twins(shard: Shard, hashes: np.ndarray) -> list[tuple[Any, ...]]:
    """Hash, label, mass and exact hash of the rows that have one of some sorted hashes.

    The number of the shard comes first.
    """
    rows = shard.twins(hashes)
    exact = np.empty(len(shard.y), dtype=np.uint64)
    if len(rows):
        for place, X in shard.values():
            exact[place] = row_hashes(X, exact=True)
    own = shard.hashes(None)[rows]
    return [(shard.number, own, shard.y[rows], shard.mass[rows], exact[rows])]


@step(changes=True)
def number_twins(shard: Shard, hashes: np.ndarray, keys: dict[int, np.ndarray]) -> None:
    """Give every row a key to draw it by: its hash, or one of its own if others have that hash.

    Parameters
    ----------
    shard : Shard
    hashes : ndarray of uint64, shape (n_hashes,)
        Those that several rows of the table have, in increasing order.
    keys : dict of int to ndarray of uint64
        By the number of a shard, the keys of its rows that have one of these.
    """
    shard.keys = shard.hashes(None).copy()
    shard.keys[shard.twins(hashes)] = keys[shard.number]


@step(total)
def count_lots(shard: Shard, seed: int, by_class: bool, n_classes: int) -> np.ndarray:
    """Rows by the leading bits of their lot, and by class; (n_groups, 4096)."""
    lots = draw_lots(shard.keys, seed)
    group = shard.y.astype(np.int64) if by_class else np.zeros(len(lots), dtype=np.int64)
    size = 1 << _BUCKETS
    place = group * size + (lots >> np.uint64(64 - _BUCKETS)).astype(np.int64)
    n_groups = n_classes if by_class else 1
    return np.bincount(place, minlength=n_groups * size).reshape(n_groups, size)


@step(collected)
def lots_in(shard: Shard, seed: int, by_class: bool, buckets: np.ndarray) -> list[list[np.ndarray]]:
    """Lots of each group that begin with given bits (n_groups,)."""
    lots = draw_lots(shard.keys, seed)
    leading = (lots >> np.uint64(64 - _BUCKETS)).astype(np.int64)
    return [
        [
            lots[(leading == bucket) & ((shard.y == group) if by_class else True)]
            for group, bucket in enumerate(buckets.tolist())
        ]
    ]


@step(changes=True)
def draw_mask(shard: Shard, name: int, seed: int, last: np.uint64) -> None:
    """Keep, under a name, which rows have a lot up to ``last``."""
    shard.held[name] = draw_lots(shard.keys, seed) <= last


@step(collected, changes=True)
def hold_out(
    shard: Shard, seed: int, last: np.ndarray, some: np.ndarray
) -> list[tuple[np.ndarray, ...]]:
    """Take out the rows of some classes with lots up to the last one of their class.

    Parameters
    ----------
    shard : Shard
    seed : int
    last : ndarray of uint64, shape (n_classes,)
    some : ndarray of bool, shape (n_classes,)

    Returns
    -------
    list
        Values, labels, mass and presence of views of the rows that were taken out.
    """
    held = some[shard.y] & (draw_lots(shard.keys, seed) <= last[shard.y])
    values = [X[held[rows]] for rows, X in shard.values()]
    taken = (
        stack_rows(values, shard.n_columns),
        shard.y[held],
        shard.mass[held],
        shard.presence[held],
    )
    shard.take(np.flatnonzero(~held))
    return [taken]


@step(changes=True)
def let_go_of_values(shard: Shard) -> None:
    """Drop the blocks and the hashes: rows are coded, and values are not needed any more."""
    shard._blocks, shard._kept, shard._hashes = [], [], {}


def keys_of_twins(found: Sequence[tuple[Any, ...]]) -> dict[int, np.ndarray]:
    """Keys of rows of equal hash in all shards, as ``number_twins`` takes them.

    Parameters
    ----------
    found : sequence of tuple
        From ``describe_twins``.
    """
    numbers, hashes, y, mass, exact = zip(*found)
    order = (np.concatenate(y), np.concatenate(mass), np.concatenate(exact))
    keys = row_keys(np.concatenate(hashes), *order)
    return dict(zip(numbers, np.split(keys, np.cumsum([len(own) for own in hashes])[:-1])))
