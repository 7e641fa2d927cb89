"""Decision trees that read the whole cost matrix.

A stump is the exact minimiser of the summed cost over all binned splits and all constants. A
deeper tree is grown level by level from histograms; its last level is chosen by summed cost, its
inner levels by ``criterion``, and every leaf answers the class with the smallest summed cost.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from uneven.costs import TIE
from uneven.costs.matrices import CostMatrix
from uneven.voters import kernels
from uneven.voters.base import TrainingTable
from uneven.voters.binning import PARALLEL_ROWS, Level, Splits
from uneven.voters.tree import TreeVoter

__all__ = ["CostTree"]

_TINY = np.finfo(float).tiny
_CRITERIA = {"least_squares": kernels.LEAST_SQUARES, "cost": kernels.COST}


class CostTree(BaseEstimator):
    """Weak learner: a tree of cost-minimising answers.

    Parameters
    ----------
    max_depth : int, default=3
        Questions on the longest path; 1 is a stump.
    criterion : {"least_squares", "cost"}, default="least_squares"
        How the inner levels choose their splits. "least_squares" separates rows whose cost
        vectors, per unit of example weight, differ. "cost" takes the split that pays least if it
        were the last one, which is greedy and stops early where one question alone does not pay.
        The last level always minimises the summed cost, so for stumps the two are the same.

    Notes
    -----
    The documents that use "low-size trees" leave the criterion of the inner levels open. The
    default was chosen by measurement, see ``docs/boosting.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from uneven.costs.matrices import RunningCosts
    >>> from uneven.voters import CostTree, TrainingTable
    >>> y = np.array([0, 0, 1, 1])
    >>> table = TrainingTable(np.array([[0.0], [1.0], [2.0], [3.0]]), y, 2, np.ones(4))
    >>> costs = RunningCosts(y, 2, np.ones(4))
    >>> tree, answers = CostTree(max_depth=1).learn(table, np.array([0]), costs)
    >>> answers
    array([0, 0, 1, 1], dtype=int32)
    >>> float(tree.threshold[0])
    1.5
    """

    def __init__(self, max_depth: int = 3, criterion: str = "least_squares") -> None:
        self.max_depth = max_depth
        self.criterion = criterion

    def learn(
        self,
        table: TrainingTable,
        columns: np.ndarray,
        costs: CostMatrix,
        seed: int = 0,
    ) -> tuple[TreeVoter, np.ndarray]:
        """Grow a tree; see :class:`~uneven.voters.WeakLearner`."""
        if self.criterion not in _CRITERIA:
            raise ValueError(
                f"criterion={self.criterion!r} is not known; choose one of {sorted(_CRITERIA)}."
            )
        levels = [_CRITERIA[self.criterion]] * (self.max_depth - 1) + [kernels.COST]
        growth = _Growth(table, columns, costs)
        for criterion in levels:
            if not growth.split_level(criterion):
                break
        return growth.finish()


class _Growth:
    """A tree while it grows: its nodes so far and where every training row stands."""

    def __init__(self, table: TrainingTable, columns: np.ndarray, costs: CostMatrix) -> None:
        self.table, self.columns, self.costs = table, columns, costs
        self.binned = table.binned
        self.nodes = np.zeros(len(table.y), dtype=np.int32)
        self.slots = np.zeros(len(table.y), dtype=np.int32)
        self.frontier = np.array([0])
        self.feature: list[int] = [0]
        self.threshold: list[float] = [np.inf]
        self.missing_left: list[bool] = [True]
        self.child: list[int] = [0]
        self.sums = costs.sums[None, :]

    def split_level(self, criterion: int) -> bool:
        """Split every node of the frontier that gains by it; tell whether any was split."""
        costs = self.costs
        level = Level(
            slots=self.slots if len(self.child) > 1 else self.slots[:0],
            matrix=costs.matrix,
            totals=self.sums[self.frontier],
            n_classes=costs.n_classes,
            criterion=criterion,
            tie=TIE * costs.stake if criterion == kernels.COST else TIE,
        )
        found = self.binned.best_splits(level, self.columns, self.table.team)
        pays = found.value < level.unsplit_value() - level.slack(found.value)
        parents = np.flatnonzero(pays)
        if not len(parents):
            return False
        totals = level.totals
        children = np.full(len(totals), -1)
        children[parents] = np.arange(len(self.child), len(self.child) + 2 * len(parents), 2)
        for slot in parents.tolist():
            self._grow(int(self.frontier[slot]), found, slot)
        sides = np.empty((2 * len(parents), totals.shape[1]))
        sides[::2] = found.left[parents]
        sides[1::2] = totals[parents] - sides[::2]
        self.sums = np.concatenate((self.sums, sides))
        self.frontier = np.arange(len(self.child) - 2 * len(parents), len(self.child))
        self._route(np.where(pays, found.column, -1), found, children)
        return True

    def _grow(self, node: int, found: Splits, slot: int) -> None:
        """Turn a leaf into a question with two leaves."""
        left = len(self.child)
        column = int(found.column[slot])
        self.child[node] = left
        self.feature[node] = column
        self.threshold[node] = float(self.binned.thresholds[column, found.cut[slot]])
        self.missing_left[node] = bool(found.missing_left[slot])
        self.feature += [0, 0]
        self.threshold += [np.inf, np.inf]
        self.missing_left += [True, True]
        self.child += [left, left + 1]

    def _route(self, column: np.ndarray, found: Splits, children: np.ndarray) -> None:
        next_slot = np.full(len(self.child), -1, dtype=np.int32)
        next_slot[self.frontier] = np.arange(len(self.frontier))
        split = (column, found.cut, found.missing_left, children)
        self.binned.route(split, next_slot, self.slots, self.nodes, self.table.team)

    def finish(self) -> tuple[TreeVoter, np.ndarray]:
        """Let every node answer its cheapest class, and look how far each leaf reaches."""
        labels = self.sums[:, : self.costs.n_classes].argmin(axis=1)
        answers = np.empty(len(self.nodes), dtype=np.int32)
        table = self.table
        n_blocks = kernels.sum_blocks(len(answers))
        hits = np.zeros((n_blocks, len(labels)))
        table.team.over(
            n_blocks,
            kernels.answer_rows,
            self.nodes,
            labels,
            table.y,
            table.mass,
            answers,
            hits,
            worth=len(answers) > PARALLEL_ROWS,
        )
        voter = TreeVoter(
            feature=np.array(self.feature, dtype=np.int64),
            threshold=np.array(self.threshold),
            missing_left=np.array(self.missing_left),
            child=np.array(self.child, dtype=np.int64),
            label=labels,
            reach=hits.sum(axis=0) / np.maximum(table.class_mass[labels], _TINY),
        )
        return voter, answers
