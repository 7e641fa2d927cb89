"""Steps on the leaf scores and score trees of shards."""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.boosting.sharded.shard import Shard
from uneven.boosting.sharded.steps import largest, step, total
from uneven.costs.score_costs import LabelModel, ScoreRows, used_lanes
from uneven.voters import _row_loops, _score_loops
from uneven.voters.row_codes import RowCodes


@step(changes=True)
def open_scores(
    shard: Shard, name: int, n_classes: int, loss: str, known: Any,
    scale_back: float,
) -> None:  # fmt: skip
    """Turn the weights under a name into rows that take leaf scores.

    ``known`` are class costs, chances and class weights; see ``LabelModel``.
    """
    model = LabelModel(shard.y, shard.held[name], *known)
    keys = shard.hashes(None)
    rows = ScoreRows(model, n_classes, loss, keys, scale_back, shard.pool)
    rows.P = shard.moved(rows.P)
    rows._rows = (rows.P, *rows._rows[1:])
    shard.held[name] = rows


@step(largest, changes=True)
def measure_stakes(shard: Shard, name: int) -> float:
    """Compute the stakes of the rows; the largest one."""
    return float(shard.held[name].measure())


@step(largest)
def heaviest_row(shard: Shard, name: int) -> float:
    """Largest weight of a row."""
    return float(shard.held[name].heaviest())


@step(total)
def sum_stakes(shard: Shard, name: int, scale: float) -> int:
    """Sum of the stakes in whole numbers."""
    return int(shard.held[name].sum_stakes(scale))


@step(total)
def sum_log_loss(shard: Shard, name: int, scale: float) -> int:
    """Log-loss in whole numbers."""
    return int(shard.held[name].sum_log_loss(scale))


@step(largest, passing=True)
def look_at(shard: Shard, tree: int, name: int, view: int | None) -> float:
    """Let a tree draw from the rows that have a view; the largest of their stakes."""
    return float(shard.held[name].look_at(None if view is None else shard.present(view)))


@step(total)
def count_stakes(shard: Shard, name: int) -> np.ndarray:
    """Rows that may be drawn, by the size of their stake."""
    return np.asarray(shard.held[name].count_stakes())


def _merge_drawn(one: tuple, other: tuple) -> tuple:
    return (*total(one[:2], other[:2]), *largest(one[2:], other[2:]))


@step(_merge_drawn, passing=True)
def draw_rows(
    shard: Shard, tree: int, name: int, seed: int, threshold: float, scale: float
) -> tuple[int, int, float, float]:
    """Draw the rows of a tree; how many, their sum, the highest, and minus the lowest."""
    drawn = shard.held[name].draw(seed, threshold, scale)
    return drawn.size, int(drawn.total), float(drawn.highest), -float(drawn.lowest)


_SAME = np.zeros(0, dtype=np.int32)

_Split = tuple[int, int, int, np.ndarray]
"""A node, its left child, a column, and which of its codes go left."""


class _ShardTree:
    """The drawn rows of a shard, in the order of the nodes of a tree that grows.

    Parameters
    ----------
    codes : RowCodes
        Of the drawn rows, or of all rows.
    values : ndarray of int16, shape (n_drawn, n_lanes) or (n_rows, n_lanes)
    drawn : ndarray of int32, shape (n_drawn,)
        Must not change before the leaves are marked.
    room : ndarray of int32, shape (2, n_rows)
        To write to.
    lanes : ndarray of int, shape (n_used,)
        Lanes of the gradients that are not zero throughout.

    Attributes
    ----------
    spans : dict of int to (int, int)
        Where the rows of each node begin and end.
    last : list of _Split
        Splits whose children are leaves; their rows are not moved.
    """

    def __init__(
        self,
        codes: RowCodes,
        values: np.ndarray,
        drawn: np.ndarray,
        room: np.ndarray,
        lanes: np.ndarray,
    ) -> None:
        self.codes, self.values, self.room = codes, values, room
        self.rows, self.buffer = room[:, : len(drawn)]
        self.is_whole = len(drawn) == room.shape[1]
        in_place = len(values) == room.shape[1]
        self.rows[:] = drawn if in_place else np.arange(len(drawn))
        self.names = _SAME if in_place else drawn
        self.lanes, self.spans = lanes, {0: (0, len(drawn))}
        self.last: list[_Split] = []

    def split(self, node: int, child: int, column: int, goes_left: np.ndarray) -> None:
        """Let the rows of a node go to its children."""
        start, stop = self.spans[node]
        given = (self.codes.table, self.rows, self.buffer, start, stop, column, goes_left)
        middle = int(_row_loops.partition(*given))
        self.spans[child], self.spans[child + 1] = (start, middle), (middle, stop)

    def histograms(self, nodes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Histograms of some nodes (n_nodes, n_bins, n_used), and their sums (n_nodes, n_lanes)."""
        lanes = self.values.shape[1]
        size = int(self.codes.first[-1])
        filled = np.zeros((len(nodes), size * lanes), dtype=np.int32)
        sums = np.zeros((len(nodes), lanes), dtype=np.int32)
        if len(self.rows) and len(nodes):
            jobs = np.array([(*self.spans[node], k, -1) for k, node in enumerate(nodes)])
            if not self.codes.table[0].size:
                for start, stop, k, _ in jobs.tolist():
                    _score_loops.sum_rows(self.rows[start:stop], self.values, sums[k])
            given = (self.codes.table, self.rows, jobs, self.values, filled, sums)
            n_columns = len(self.codes.columns)
            _score_loops.fill_histograms(*given, np.zeros_like(sums), 0, n_columns)
        return filled.reshape(len(nodes), size, lanes)[..., self.lanes], sums

    def mark(self, leaves: np.ndarray, leaf_of: np.ndarray) -> None:
        """Write to the drawn rows which of the leaves (n_leaves,) they are in; ends the tree."""
        number = {node: leaf for leaf, node in enumerate(leaves.tolist())}
        spans = np.array([self.spans.get(node, (0, 0)) for node in number], dtype=np.int64)
        if self.names.size:
            for start, stop in spans.tolist():
                _row_loops.rename_rows(self.names, self.rows, start, stop)
        _row_loops.mark_leaves(self.rows, spans, leaf_of, 0, len(self.rows))
        for node, child, column, goes_left in self.last:
            if child in number:
                sides = (*self.spans[node], column, goes_left, (number[child], number[child + 1]))
                table = self.codes.table
                _row_loops.mark_sides(table, self.rows, self.names, *sides, leaf_of)


@step(total, passing=True)
def begin_tree(
    shard: Shard, tree: int, name: int, codes: int, seed: int, threshold: float,
    scales: tuple[float, float], kept: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Begin a tree on the drawn rows; the histogram of its root and its sums."""
    rows = shard.held[name]
    drawn, values = rows.fill_gradients(seed, threshold, scales, in_place=kept is None)
    whole = shard.held[codes]
    in_place = kept is None and len(values) == whole.n_rows
    taken = whole if in_place else whole.take(drawn, kept, shard.pool)
    lanes = used_lanes(rows.n_classes, values.shape[1])
    begun = shard.held.pop(tree, None)
    room = shard.borrow() if begun is None else begun.room
    shard.held[tree] = _ShardTree(taken, values, drawn, room, lanes)
    return shard.held[tree].histograms((0,))


@step(total, passing=True)
def split_nodes(
    shard: Shard, tree: int, splits: list[_Split], nodes: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Split nodes of a tree; histograms of some nodes.

    The children of a split are leaves if neither is asked for; rows are not moved then.
    """
    grown = shard.held[tree]
    for split in splits:
        if split[1] in nodes or split[1] + 1 in nodes:
            grown.split(*split)
        else:
            grown.last.append(split)
    return grown.histograms(nodes)


@step(changes=True)
def find_leaves(
    shard: Shard, name: int, tree: int, codes: int, view: int | None,
    parts: tuple[np.ndarray, ...], leaves: np.ndarray,
) -> None:  # fmt: skip
    """Keep, under a name, the leaf of every row; -1 where a view is absent.

    Parameters
    ----------
    shard : Shard
    name, tree, codes : int
    view : int or None
    parts : (nodes, sides, label)
        The tree; see ``GrownTree.routes``.
    leaves : ndarray of int, shape (n_leaves,)
        Number of each leaf among the nodes of the tree while it grew. What stands there is used
        if the tree is still held; then it is dropped.
    """
    leaf_of = np.full(len(shard.y), -1, dtype=np.int32)
    grown = shard.held.pop(tree, None)
    if grown is not None:
        grown.mark(leaves, leaf_of)
        shard.spare.append(grown.room)
    if len(leaf_of) and not (grown and grown.is_whole):
        _row_loops.route_rows(shard.held[codes].table, *parts, leaf_of, 0, len(leaf_of))
    if view is not None:
        leaf_of[~shard.present(view)] = -1
    shard.held[name] = leaf_of


@step(total)
def sum_leaves(shard: Shard, name: int, leaf_of: int, n_leaves: int, scale: float) -> np.ndarray:
    """Costs by leaf and class in whole numbers."""
    return np.asarray(shard.held[name].sum_leaves(shard.held[leaf_of], n_leaves, scale))


@step(total)
def sum_pairs(shard: Shard, name: int, leaf_of: int, n_leaves: int, scale: float) -> np.ndarray:
    """Cost matrices of leaves in whole numbers."""
    return np.asarray(shard.held[name].sum_pairs(shard.held[leaf_of], n_leaves, scale))


@step(total)
def sum_hits(shard: Shard, name: int, leaf_of: int, spoken: np.ndarray, scale: float) -> np.ndarray:
    """Mass of the class that each leaf supports, in whole numbers."""
    rows = shard.held[name]
    hits = rows.sum_hits(shard.held[leaf_of], spoken, shard.y, shard.mass, scale)
    return np.asarray(hits)


@step(changes=True)
def add_scores(
    shard: Shard, name: int, leaf_of: int, scores: np.ndarray, share: int | None
) -> None:
    """Add leaf scores to the rows."""
    factors = None if share is None else shard.held[share]
    shard.held[name].move(shard.held[leaf_of], scores, factors)
