"""Steps on the cost matrices and cost trees of shards."""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.boosting.sharded.shard import Shard
from uneven.boosting.sharded.steps import largest, step, total
from uneven.costs.matrices import CostRows, are_whole, n_lanes
from uneven.utils.reproducible_sums import fold
from uneven.voters import _entry_loops, _loops, _split_loops


@step(largest, changes=True)
def weigh_rows(shard: Shard, name: int, view: int, units: np.ndarray) -> tuple[float, bool]:
    """Divide the mass of the rows by the units of their classes, (n_classes,).

    Returns
    -------
    largest : float
        Weight of a row.
    uneven : bool
        Whether a weight is not a whole number.
    """
    weights = shard.mass_of(view) / units[shard.y]
    shard.held[name] = weights
    return float(weights.max(initial=0.0)), not are_whole(weights)


@step(total)
def sum_weights(shard: Shard, name: int, units: tuple[float, float]) -> tuple[np.ndarray, int]:
    """Sum of the weights in two folds, and how many are positive."""
    weights = shard.held[name]
    return fold(weights, units).sum(axis=1), int((weights > 0.0).sum())


@step(changes=True)
def open_costs(
    shard: Shard, name: int, n_classes: int, class_cost: np.ndarray | None, grid: float
) -> None:
    """Turn weights into a cost matrix whose entries are still to be filled."""
    n_rows, room = len(shard.y), None
    if shard.is_on_disk and n_rows:
        matrix = shard.empty((n_rows, n_lanes(n_classes)), np.float64)
        room = matrix, shard.empty((n_rows, n_classes), np.float64, "F")
    known = (shard.held[name], class_cost, shard.pool, grid, room)
    shard.held[name] = CostRows(shard.y, n_classes, *known)


@step(largest)
def largest_log_cost(shard: Shard, name: int) -> float:
    """Logarithm of the largest cost."""
    return float(shard.held[name].largest_log_cost())


@step(total, changes=True)
def fill_costs(shard: Shard, name: int, shift: float, units: tuple[float, float]) -> np.ndarray:
    """Compute costs from scores; their sum in two folds."""
    return np.asarray(shard.held[name].fill(shift, units))


@step(total, changes=True)
def snap_costs(shard: Shard, name: int, quantum: float) -> tuple[np.ndarray, float]:
    """Turn costs into whole numbers; their sums and the stake."""
    sums, stake = shard.held[name].snap(quantum)
    return sums, stake


@step(total, changes=True)
def add_answers(
    shard: Shard, name: int, answers: int, votes: np.ndarray, share: int | None
) -> tuple[np.ndarray, float]:
    """Add votes to the scores; the sums of the costs and the stake."""
    factors = None if share is None else shard.held[share]
    sums, stake = shard.held[name].move(shard.held[answers], votes, factors)
    return sums, stake


@step(total, passing=True)
def mask_costs(shard: Shard, name: int, costs: int, mask: int) -> tuple[np.ndarray, float]:
    """Costs in which only some rows count; their sums and the stake."""
    seen = shard.held[costs].where(shard.held[mask], shard.pool)
    if seen.matrix is shard.held[costs].matrix:
        seen.sums = seen.matrix.sum(axis=0)
        seen.stake = float(seen.row_stakes().sum())
    shard.held[name] = seen
    return seen.sums, seen.stake


@step(changes=True)
def mask_rows(shard: Shard, name: int, view: int) -> None:
    """Keep, under a name, which rows have a view."""
    shard.held[name] = shard.present(view)


@step(total)
def answer_costs(shard: Shard, name: int, answers: tuple[int, ...]) -> np.ndarray:
    """Summed costs of several predictions, (n_answers,)."""
    given = np.array([shard.held[one] for one in answers])
    return np.asarray(shard.held[name].answer_costs(given))


@step(total)
def right_and_wrong(shard: Shard, name: int, answers: int) -> np.ndarray:
    """Costs that predictions cancel and incur, (2, n_classes)."""
    return np.asarray(shard.held[name].paid(shard.held[answers]))


class _Standing:
    """Where the rows of a shard stand in a tree that grows."""

    def __init__(self, n_rows: int) -> None:
        self.nodes, self.slots = np.zeros((2, n_rows), dtype=np.int32)


@step(total)
def fill_splits(
    shard: Shard, tree: int, codes: int, costs: int, columns: np.ndarray, n_bins: np.ndarray,
    kept: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Histograms of the slots of a level.

    Parameters
    ----------
    shard : Shard
    tree, codes, costs : int
        Names.
    columns : ndarray of int, shape (n_columns,)
    n_bins : ndarray of int, shape (n_features,)
    kept : ndarray of int32, shape (n_slots + 1,)
        Place of each slot in the histograms, -1 for slots that are left out; the last entry is
        that of rows without a slot. An empty array puts all rows into one slot.

    Returns
    -------
    ndarray of shape (n_kept, n_bins_of_all_columns, n_classes)
        The lanes of all classes but the first, and of the weight: costs add up to zero.
    """
    matrix, n_classes = shard.held[costs].matrix, shard.held[costs].n_classes
    slots = kept[:0]
    if kept.size:
        slots = kept[shard.held[tree].slots]
    shape = (int(kept.max(initial=0)) + 1, int((n_bins[columns] + 1).sum()), n_lanes(n_classes))
    histograms = np.zeros(shape)
    fill = _entry_loops.fill_entries if shard.is_sparse else _split_loops.fill_splits
    fill(shard.held[codes], columns, n_bins, slots, matrix, histograms)
    return np.ascontiguousarray(histograms[..., 1 : n_classes + 1])


@step(changes=True)
def route_rows(
    shard: Shard, tree: int, codes: int, split: tuple[np.ndarray, ...], next_slot: np.ndarray
) -> None:
    """Send the rows to the children of their slots; see ``_loops.route_dense``."""
    rows = shard.held.get(tree)
    if rows is None:
        rows = shard.held[tree] = _Standing(len(shard.y))
    where = (split, next_slot, rows.slots, rows.nodes)
    if shard.is_sparse:
        _loops.route_sparse(shard.held[codes], *where)
    else:
        _loops.route_dense(shard.held[codes], *where, 0, len(shard.y))


@step(total, changes=True)
def answer_rows(shard: Shard, answers: int, tree: int, labels: np.ndarray, view: int) -> np.ndarray:
    """Let the nodes of a tree predict; the correct weight of each in a view, in two folds."""
    rows = shard.held.get(tree) or _Standing(len(shard.y))
    found = np.empty(len(shard.y), dtype=np.int32)
    n_blocks = _loops.sum_blocks(len(found))
    folds = shard.mass_folds[view]
    hits = np.zeros((n_blocks, 2, len(labels)))
    used = hits[:, : len(folds)]
    _loops.answer_rows(rows.nodes, labels, shard.y, folds, found, used, 0, n_blocks)
    shard.held[answers] = found
    return np.asarray(hits.sum(axis=0))


@step(changes=True)
def ask_voter(shard: Shard, name: int, voter: Any) -> None:
    """Keep, under a name, the predictions of a voter for the rows."""
    answers = np.empty(len(shard.y), dtype=np.int32)
    for rows, X in shard.values():
        answers[rows] = voter.predict(X)
    shard.held[name] = answers


@step(changes=True)
def silence(shard: Shard, name: int, answers: int, view: int) -> None:
    """Keep, under a name, predictions that abstain where a view is absent."""
    shard.held[name] = np.where(shard.present(view), shard.held[answers], np.int32(-1))


@step(changes=True)
def nobody(shard: Shard, name: int) -> None:
    """Keep, under a name, that no row has a prediction."""
    shard.held[name] = np.full(len(shard.y), -1, dtype=np.int32)


@step(changes=True)
def speak(shard: Shard, name: int, leaf_of: int, labels: np.ndarray) -> None:
    """Keep, under a name, the label of each row's leaf."""
    leaves = shard.held[leaf_of]
    shard.held[name] = np.where(leaves >= 0, labels[leaves], np.int32(-1))


@step(changes=True)
def share_rows(
    shard: Shard, names: tuple[int, ...], answers: tuple[int, ...], rule: Any, known: int | None
) -> None:
    """Keep, under a name for each view, what a rule makes of who is right.

    ``known`` names the object with the most probable labels; None if labels are right.
    """
    labels = shard.y if known is None else shard.held[known].labels()
    right = np.array([shard.held[own] == labels for own in answers]).T
    shares = rule(right, shard.presence)
    for name, own in zip(names, shares.T):
        shard.held[name] = np.ascontiguousarray(own)
