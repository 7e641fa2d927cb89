"""Decision trees that read the whole cost matrix: how they grow, and how they vote.

A stump is the exact minimiser of the summed cost over all binned splits and all constants. A
deeper tree is grown level by level from histograms; its last level is chosen by summed cost, its
inner levels by ``criterion``, and every leaf predicts the class with the smallest summed cost. A
fitted tree (:class:`TreeVoter`) does not keep the training rows; a vote packs its trees into
one set of arrays (:class:`Forest`), which are fast to score and small to store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from uneven.costs import TIE
from uneven.costs.matrices import CostMatrix
from uneven.utils.model_types import check_nodes, check_numbers, check_range, persisted
from uneven.utils.parallel import ThreadPool
from uneven.voters import _loops, _split_loops
from uneven.voters.binned_tables import Splits
from uneven.voters.training_table import TrainingTable

_DENSE_ENTRIES = 4_000_000
_PARALLEL_VISITS = 200_000
_TINY = np.finfo(float).tiny
_NO_SETS = (np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=bool))
_NO_VALUES, _NO_SCORES = np.zeros(0), np.zeros((0, 0))
_CRITERIA = {"least_squares": _split_loops.LEAST_SQUARES, "cost": _split_loops.COST}


class CostTree(BaseEstimator):
    """Weak learner: a tree that minimises the cost of its predictions.

    Parameters
    ----------
    max_depth : int, default=3
        Splits on the longest path; 1 is a stump.
    criterion : {"least_squares", "cost"}, default="least_squares"
        How the inner levels choose their splits. "least_squares" separates rows whose cost
        vectors, per unit of example weight, differ. "cost" takes the split of least cost if it
        were the last one, which is greedy and stops early where one split alone does not help.
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
        levels = [_CRITERIA[self.criterion]] * (self.max_depth - 1) + [_split_loops.COST]
        growth = _Growth(table, columns, costs)
        for criterion in levels:
            if not growth.split_level(criterion):
                break
        return growth.finish()


class _Growth:
    """A tree while it grows: its nodes so far, and the rows that stand in them."""

    def __init__(self, table: TrainingTable, columns: np.ndarray, costs: CostMatrix) -> None:
        self.columns, self.costs = columns, costs
        self.binned, self.rows = table.binned, table.tree_rows(costs)
        self.frontier = np.array([0])
        self.feature: list[int] = [0]
        self.threshold: list[float] = [np.inf]
        self.missing_left: list[bool] = [True]
        self.child: list[int] = [0]
        self.sums = costs.sums[None, :]

    def split_level(self, criterion: int) -> bool:
        """Split every node of the frontier that gains by it; return whether any was split."""
        tie = TIE * self.costs.stake if criterion == _split_loops.COST else TIE
        level = self.rows.level(self.sums[self.frontier], criterion, tie)
        found = self.rows.best_splits(level, self.columns)
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
        next_slot = np.full(len(self.child), -1, dtype=np.int32)
        next_slot[self.frontier] = np.arange(len(self.frontier))
        column = np.where(pays, found.column, -1)
        self.rows.route((column, found.cut, found.missing_left, children), next_slot)
        return True

    def _grow(self, node: int, found: Splits, slot: int) -> None:
        """Turn a leaf into a split with two leaves."""
        left = len(self.child)
        column = int(found.column[slot])
        self.child[node] = left
        self.feature[node] = column
        self.threshold[node] = self.binned.threshold(column, int(found.cut[slot]))
        self.missing_left[node] = bool(found.missing_left[slot])
        self.feature += [0, 0]
        self.threshold += [np.inf, np.inf]
        self.missing_left += [True, True]
        self.child += [left, left + 1]

    def finish(self) -> tuple[TreeVoter, np.ndarray]:
        """Let every node predict its cheapest class, and look how far each leaf reaches."""
        labels = self.sums[:, : self.costs.n_classes].argmin(axis=1)
        child = np.array(self.child, dtype=np.int64)
        answers, reach = self.rows.answer(labels, self.sums, child == np.arange(len(child)))
        voter = TreeVoter(
            feature=np.array(self.feature, dtype=np.int64),
            threshold=np.array(self.threshold),
            missing_left=np.array(self.missing_left),
            child=child,
            label=labels,
            reach=reach,
        )
        return voter, answers


@persisted("tree_voter", role="voter")
@dataclass
class TreeVoter:
    """A tree whose leaves predict a class, or the number of a leaf where leaves hold scores.

    The two children of a node stand side by side, after their parent; node 0 is the root. A leaf
    is its own left child, has an infinite threshold and sends NaN left.

    Attributes
    ----------
    feature : ndarray of int, shape (n_nodes,)
        Column of ``X`` that a node splits on (0 in a leaf).
    threshold : ndarray of shape (n_nodes,)
        Values up to it go left; infinite in a leaf.
    missing_left : ndarray of bool, shape (n_nodes,)
        Whether NaN goes left; True in a leaf.
    child : ndarray of int, shape (n_nodes,)
        Left child; the right one is next to it.
    label : ndarray of int, shape (n_nodes,)
        Prediction of each node: a class, or a row of the scores of its term.
    reach : ndarray of shape (n_nodes,)
        Share of the predicted class's training weight that a leaf holds; where leaves hold scores,
        of the class with the largest one.

    Examples
    --------
    >>> import numpy as np
    >>> stump = TreeVoter(
    ...     feature=np.array([0, 0, 0]), threshold=np.array([0.5, np.inf, np.inf]),
    ...     missing_left=np.array([False, True, True]), child=np.array([1, 1, 2]),
    ...     label=np.array([0, 0, 1]), reach=np.array([0.0, 1.0, 1.0]))
    >>> stump.predict(np.array([[0.0], [1.0], [np.nan]]))
    array([0, 1, 1], dtype=int32)
    """

    feature: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray
    child: np.ndarray
    label: np.ndarray
    reach: np.ndarray

    @classmethod
    def constant(cls, label: int) -> TreeVoter:
        """A voter that predicts the same class for every row."""
        return cls(
            feature=np.zeros(1, dtype=np.int64),
            threshold=np.array([np.inf]),
            missing_left=np.array([True]),
            child=np.zeros(1, dtype=np.int64),
            label=np.array([label], dtype=np.int64),
            reach=np.ones(1),
        )

    @property
    def is_leaf(self) -> np.ndarray:
        """Which nodes are leaves, shape (n_nodes,)."""
        return np.asarray(self.child == np.arange(len(self.child)))

    @property
    def depth(self) -> int:
        """Splits on the longest path."""
        return int(_loops.tree_depth(self.child))

    def predict(self, X: Any) -> np.ndarray:
        """Class index for each row of ``X``, shape (n_samples,)."""
        answers = np.empty(X.shape[0], dtype=np.int32)
        used = np.unique(self.feature)
        for rows, block in dense_blocks(X, used):
            feature = (
                self.feature if block.shape[1] == X.shape[1] else used.searchsorted(self.feature)
            )
            nodes = (feature, self.threshold, self.missing_left, self.child)
            _loops.tree_answers(block, nodes, self._sets, self.label, answers[rows])
        return answers

    @property
    def _sets(self) -> tuple[np.ndarray, np.ndarray]:
        """Which set of categories a node splits on, and the sets; see :class:`CategoryTree`."""
        return _NO_SETS

    def add_credit(self, credit: np.ndarray, weight: np.ndarray) -> None:
        """Credit the columns that this tree splits on for its correct predictions.

        Parameters
        ----------
        credit : ndarray of shape (n_features, n_classes)
            Added to in place. Every leaf's reach, times its vote weight, is divided evenly among
            the splits on the way to it; a tree without splits credits no column.
        weight : ndarray of shape (n_classes,) or (n_leaves, n_classes)
            Vote weight of each class; or scores of each leaf, which supports its largest one.
        """
        speaks_for = weight.argmax(axis=1) if weight.ndim == 2 else np.arange(len(weight))
        worth = np.maximum(weight.max(axis=1), 0.0) if weight.ndim == 2 else weight
        paths: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while paths:
            node, asked = paths.pop()
            left = int(self.child[node])
            if left != node:
                asked = (*asked, int(self.feature[node]))
                paths += [(left, asked), (left + 1, asked)]
                continue
            answer = self.label[node]
            label = speaks_for[answer]
            for column in asked:
                credit[column, label] += worth[answer] * self.reach[node] / len(asked)

    def _check_model_(self, n_features: int, n_answers: int) -> np.ndarray:
        """Refuse loaded nodes that compiled code cannot follow; return the columns in use."""
        sizes = {getattr(self, part.name).shape for part in fields(TreeVoter)}
        if sizes != {self.child.shape} or self.child.ndim != 1:
            raise ValueError("the arrays of a tree differ in length")
        for whole in (self.child, self.feature, self.label):
            if whole.dtype.kind not in "iu":
                raise ValueError(f"a tree has indices of type {whole.dtype}")
        if self.missing_left.dtype != bool or np.isnan(self.threshold).any():
            raise ValueError("a tree has a split that cannot be evaluated")
        check_numbers(self.reach, self.child.shape, "rates of correct predictions")
        inner = ~self.is_leaf
        if not (np.isposinf(self.threshold[~inner]).all() and self.missing_left[~inner].all()):
            raise ValueError("a leaf of a tree sends rows on")
        check_nodes(inner, [self.child, self.child + 1])
        check_range(self.feature, n_features, "column")
        check_range(self.label, n_answers, "class or leaf")
        return np.asarray(self.feature[inner])


@persisted("category_tree", role="voter")
@dataclass
class CategoryTree(TreeVoter):
    """A tree with splits that test whether a category is in a set.

    Attributes
    ----------
    set_of : ndarray of int, shape (n_nodes,)
        Row of ``left_sets`` that a node splits on; -1 for a threshold, and in a leaf.
    left_sets : ndarray of bool, shape (n_sets, n_categories)
        Which categories go left; a value outside of these is missing.

    Examples
    --------
    >>> import numpy as np
    >>> parts = dict(
    ...     feature=np.array([0, 0, 0]), threshold=np.full(3, np.inf),
    ...     missing_left=np.array([False, True, True]), child=np.array([1, 1, 2]),
    ...     label=np.array([0, 0, 1]), reach=np.array([0.0, 1.0, 1.0]))
    >>> tree = CategoryTree.with_sets(parts, {0: np.array([True, False, True])})
    >>> tree.predict(np.array([[0.0], [1.0], [2.0], [np.nan]]))
    array([0, 1, 0, 1], dtype=int32)
    """

    set_of: np.ndarray
    left_sets: np.ndarray

    @classmethod
    def with_sets(cls, parts: dict[str, np.ndarray], sets: dict[int, np.ndarray]) -> CategoryTree:
        """Make a tree out of the parts of a TreeVoter and the sets of some of its nodes.

        A set is as long as its column has categories; what lies beyond goes where NaN goes.
        """
        set_of = np.full(len(parts["child"]), -1, dtype=np.int64)
        left_sets = np.zeros((len(sets), max(map(len, sets.values()))), dtype=bool)
        for k, (node, goes_left) in enumerate(sets.items()):
            set_of[node] = k
            left_sets[k] = parts["missing_left"][node]
            left_sets[k, : len(goes_left)] = goes_left
        return cls(**parts, set_of=set_of, left_sets=left_sets)

    @property
    def _sets(self) -> tuple[np.ndarray, np.ndarray]:
        return self.set_of, self.left_sets

    def _check_model_(self, n_features: int, n_answers: int) -> np.ndarray:
        """Refuse loaded nodes and sets that compiled code cannot follow."""
        asked = super()._check_model_(n_features, n_answers)
        if self.set_of.shape != self.child.shape or self.set_of.dtype.kind not in "iu":
            raise ValueError("the sets of a tree do not belong to its nodes")
        if self.left_sets.ndim != 2 or self.left_sets.dtype != bool:
            raise ValueError("a tree has sets of categories that are no table of flags")
        check_range(self.set_of + 1, len(self.left_sets) + 1, "set of categories")
        if np.any(self.set_of[self.is_leaf] >= 0):
            raise ValueError("a leaf of a tree asks for a set")
        return asked


@persisted("forest", without_check="a vote checks its trees and packs them anew")
@dataclass
class Forest:
    """Trees one after another.

    Attributes
    ----------
    roots : ndarray of int, shape (n_trees + 1,)
        First node of each tree, and the number of nodes.
    depths : ndarray of int, shape (n_trees,)
    trees : TreeVoter
        The nodes of all trees; children are numbered across the whole forest.

    Examples
    --------
    >>> import numpy as np
    >>> leaf = dict(feature=np.array([0]), threshold=np.array([np.inf]),
    ...             missing_left=np.array([True]), child=np.array([0]), reach=np.array([1.0]))
    >>> forest = Forest.pack([TreeVoter(label=np.array([1]), **leaf)] * 2)
    >>> scores = np.zeros((1, 2))
    >>> forest.add_votes(np.zeros((1, 1)), np.ones((2, 2)), scores)
    >>> scores
    array([[0., 2.]])
    """

    roots: np.ndarray
    depths: np.ndarray
    trees: TreeVoter

    @classmethod
    def pack(cls, trees: Sequence[TreeVoter]) -> Forest:
        """Put trees one after another."""
        sizes = [len(tree.child) for tree in trees]
        roots = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        parts = {
            field.name: np.concatenate([getattr(tree, field.name) for tree in trees])
            for field in fields(TreeVoter)
        }
        parts["child"] = parts["child"] + np.repeat(roots[:-1], sizes)
        depths = np.array([tree.depth for tree in trees], dtype=np.int64)
        sets = {
            int(roots[t] + node): tree.left_sets[tree.set_of[node]]
            for t, tree in enumerate(trees)
            if isinstance(tree, CategoryTree)
            for node in np.flatnonzero(tree.set_of >= 0)
        }
        nodes = CategoryTree.with_sets(parts, sets) if sets else TreeVoter(**parts)
        return cls(roots, depths, nodes)

    def __len__(self) -> int:
        return len(self.roots) - 1

    def tree(self, t: int) -> TreeVoter:
        """Unpack tree ``t``."""
        nodes = slice(self.roots[t], self.roots[t + 1])
        parts = {field.name: getattr(self.trees, field.name)[nodes] for field in fields(TreeVoter)}
        parts["child"] = parts["child"] - self.roots[t]
        if isinstance(self.trees, CategoryTree):
            set_of = self.trees.set_of[nodes]
            asking = np.flatnonzero(set_of >= 0)
            if len(asking):
                sets = {int(node): self.trees.left_sets[set_of[node]] for node in asking}
                return CategoryTree.with_sets(parts, sets)
        return TreeVoter(**parts)

    def add_votes(
        self,
        X: Any,
        weights: np.ndarray | tuple[np.ndarray, np.ndarray],
        scores: np.ndarray,
        *,
        view_mask: np.ndarray | None = None,
        view: np.ndarray | None = None,
        span: tuple[int, int] | None = None,
        pool: ThreadPool | None = None,
    ) -> None:
        """Add the weighted votes of the trees to ``scores``.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_features)
        weights : ndarray of shape (n_trees, n_classes), or tuple
            Vote weight of each class the tree may predict; or ``(first, table)``: first row of
            each tree (n_trees,) in a table (n_leaves, n_lanes) of leaf scores, whose lanes are the
            classes, padded to a multiple of four.
        scores : ndarray of shape (n_samples, n_classes)
            Added to in place, tree after tree.
        view_mask : ndarray of bool, shape (n_samples, n_views), optional
            Which views each row has; a tree abstains where its view is absent.
        view : ndarray of int, shape (n_trees,), optional
            View of each tree, -1 if it reads all of them.
        span : (int, int), optional
            First and one-past-last tree to add; all of them by default.
        pool : ThreadPool, optional
        """
        pool = pool or ThreadPool()
        first, last = (0, len(self)) if span is None else span
        trees = self.trees
        tree_of_node = np.repeat(np.arange(len(self)), np.diff(self.roots))
        label, value, table = trees.label, _NO_VALUES, _NO_SCORES
        if isinstance(weights, tuple):
            label, table = weights[0][tree_of_node] + label, weights[1]
        else:
            value = weights[tree_of_node, label]
        used = np.unique(trees.feature[self.roots[first] : self.roots[last]])
        feature = used.searchsorted(trees.feature)
        for rows, block in dense_blocks(X, used):
            asked = used if block.shape[1] == X.shape[1] else np.arange(len(used))
            pool.parallel_for(
                _loops.row_blocks(block.shape[0]),
                _loops.add_tree_votes,
                block,
                asked,
                (feature, trees.threshold, trees.missing_left, trees.child),
                trees._sets,
                self.roots,
                self.depths,
                label,
                value,
                table,
                np.ones((0, 0), dtype=bool) if view_mask is None else view_mask[rows],
                np.full(len(self), -1) if view is None else view,
                scores[rows],
                first,
                last,
                worth=block.shape[0] * (last - first) > _PARALLEL_VISITS,
            )


def dense_blocks(X: Any, used: np.ndarray) -> Any:
    """Yield ``(rows, block)``: ``X`` itself if dense, else row blocks of its ``used`` columns.

    A dense ``X`` keeps its column numbering; a sparse one arrives with only ``used`` columns, in
    that order, so that a wide text table is never densified as a whole.
    """
    if not sp.issparse(X):
        yield slice(0, X.shape[0]), X
        return
    kept = sp.csr_array(sp.csc_array(X)[:, used])
    step = max(1, _DENSE_ENTRIES // max(1, len(used)))
    for start in range(0, X.shape[0], step):
        rows = slice(start, min(start + step, X.shape[0]))
        yield rows, kept[rows].toarray()
