"""Trees grown best-first for leaves that hold one score per class.

A split is evaluated by the summed gradients of the two sides, one number per class (or a few random
projections of them), over the curvature: ``|g|^2 / (h + l2)``. It is how far a quadratic model of
the loss falls if each side moves by itself. The leaf with the largest gain is split next. Leaf
scores are found afterwards, from all rows (:mod:`uneven.costs.leaf_steps`).

Columns of categories are split into two sets: every node cuts one of a few orders of the categories
(:mod:`uneven.voters.category_orders`) where its own gain is largest.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from uneven.utils.parallel import ThreadPool
from uneven.voters import _row_loops
from uneven.voters.cost_tree import CategoryTree, TreeVoter
from uneven.voters.growing_tree import Gradients, GrowingTree, Histograms
from uneven.voters.row_codes import RowCodes


@dataclass
class GrownTree:
    """A tree on codes: the columns are those of the codes it was grown on.

    Attributes
    ----------
    feature, child, label : ndarray of int, shape (n_nodes,)
        Column, left child (a leaf is its own) and leaf number (0 in inner nodes).
    goes_left : ndarray of bool, shape (n_nodes, 256)
        Side of each code.
    cut : ndarray of int, shape (n_nodes,)
        Last code of the left side in a column of numbers.
    missing_left : ndarray of bool, shape (n_nodes,)
    rows : ndarray of int32, shape (n_drawn,)
        The rows that it was grown on, those of a leaf next to each other.
    spans : ndarray of int, shape (n_leaves, 2)
        Where the rows of each leaf begin and end.
    """

    feature: np.ndarray
    child: np.ndarray
    label: np.ndarray
    goes_left: np.ndarray
    cut: np.ndarray
    missing_left: np.ndarray
    rows: np.ndarray
    spans: np.ndarray

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.spans)

    def route(self, codes: RowCodes, leaf_of: np.ndarray, pool: ThreadPool) -> None:
        """Write the leaf number of every row to ``leaf_of``, shape (n_rows,)."""
        routes = self.routes()

        def find_leaves(start: int, stop: int) -> None:
            _row_loops.mark_leaves(self.rows, self.spans, leaf_of, start, stop)
            if len(self.rows) < codes.n_rows:
                _row_loops.route_rows(codes.table, *routes, leaf_of, start, stop)

        pool.parallel_for(codes.n_rows, find_leaves, worth=codes.n_rows > 20_000)

    def routes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Nodes, sides and labels, as ``_row_loops.route_rows`` takes them."""
        is_leaf = self.child == np.arange(len(self.child))
        sides = np.packbits(self.goes_left | is_leaf[:, None], axis=1, bitorder="little")
        nodes = np.stack([self.feature, self.child], axis=1).astype(np.int32)
        return nodes, sides.view("<u8").astype(np.uint64), self.label

    def voter(self, codes: RowCodes) -> TreeVoter:
        """The tree on the values of the table; it predicts the number of the leaf, its reach 0.

        Parameters
        ----------
        codes : RowCodes
            What the tree was grown on.
        """
        inner = np.flatnonzero(self.child != np.arange(len(self.child)))
        column = self.feature[inner]
        parts = {
            "feature": np.zeros(len(self.child), dtype=np.int64),
            "threshold": np.full(len(self.child), np.inf),
            "missing_left": np.ones(len(self.child), dtype=bool),
            "child": self.child,
            "label": self.label,
            "reach": np.zeros(len(self.child)),
        }
        parts["feature"][inner] = codes.columns[column]
        parts["missing_left"][inner] = self.missing_left[inner]
        is_set = codes.is_category[column]
        numbers = inner[~is_set]
        parts["threshold"][numbers] = codes.threshold(self.feature[numbers], self.cut[numbers])
        sets = {
            node: self.goes_left[node][codes.category_codes[int(self.feature[node])]]
            for node in inner[is_set].tolist()
        }
        return CategoryTree.with_sets(parts, sets) if sets else TreeVoter(**parts)


@dataclass
class ScoreTreeGrower:
    """Grows trees on the same codes round after round.

    Parameters
    ----------
    max_leaves : int
    max_depth : int
    l2 : float
        Added to the curvature of a side.
    min_weight : float
        Least curvature of a side.
    pool : ThreadPool
    """

    max_leaves: int
    max_depth: int
    l2: float
    min_weight: float
    pool: ThreadPool
    _memory: Histograms = field(default_factory=Histograms, repr=False)

    def grow(
        self, codes: RowCodes, gradients: Gradients, kept: np.ndarray | None = None
    ) -> GrownTree:
        """Grow a tree on coded rows.

        Parameters
        ----------
        codes : RowCodes
        gradients : Gradients
        kept : ndarray of int, shape (n_kept,), optional
            Columns of the codes to look at, in increasing order; by default all of them.
        """
        limits, rule = (self.max_leaves, self.max_depth), (self.l2, self.min_weight)
        tree = GrowingTree(codes, gradients, kept, limits, rule, self.pool, self._memory)
        return GrownTree(**tree.grow())
