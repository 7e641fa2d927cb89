"""A fitted cost-matrix tree: what is left of it once the training rows are gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.voters import score_kernels

__all__ = ["TreeVoter", "dense_blocks"]

_DENSE_ENTRIES = 4_000_000


@dataclass
class TreeVoter:
    """A tree whose leaves answer a class.

    The two children of a node stand side by side, after their parent; node 0 is the root. A leaf
    is its own left child, has an infinite threshold and sends NaN left.

    Attributes
    ----------
    feature : ndarray of int, shape (n_nodes,)
        Column of ``X`` that a node asks for (0 in a leaf).
    threshold : ndarray of shape (n_nodes,)
        Values up to it go left; infinite in a leaf.
    missing_left : ndarray of bool, shape (n_nodes,)
        Whether NaN goes left; True in a leaf.
    child : ndarray of int, shape (n_nodes,)
        Left child; the right one is next to it.
    label : ndarray of int, shape (n_nodes,)
        Answer of each node.
    reach : ndarray of shape (n_nodes,)
        Share of the answered class's training mass that a leaf holds.

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
        """A voter that answers the same class whatever it is asked."""
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
        """Questions on the longest path."""
        child = self.child.tolist()
        below = [0] * len(child)
        for node in range(len(child) - 1, -1, -1):
            left = child[node]
            if left != node:
                below[node] = 1 + max(below[left], below[left + 1])
        return below[0]

    def predict(self, X: Any) -> np.ndarray:
        """Class index for each row of ``X``, shape (n_samples,)."""
        answers = np.empty(X.shape[0], dtype=np.int32)
        used = np.unique(self.feature)
        for rows, block in dense_blocks(X, used):
            feature = (
                self.feature if block.shape[1] == X.shape[1] else used.searchsorted(self.feature)
            )
            nodes = (feature, self.threshold, self.missing_left, self.child)
            score_kernels.tree_answers(block, nodes, self.label, answers[rows])
        return answers

    def add_credit(self, credit: np.ndarray, weight: np.ndarray) -> None:
        """Credit the columns that this tree asks for the right answers it gives.

        Parameters
        ----------
        credit : ndarray of shape (n_features, n_classes)
            Added to in place. Every leaf's reach, times its vote weight, is divided evenly among
            the questions on the way to it; a tree without questions credits nobody.
        weight : ndarray of shape (n_classes,)
        """
        paths: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while paths:
            node, asked = paths.pop()
            left = int(self.child[node])
            if left != node:
                asked = (*asked, int(self.feature[node]))
                paths += [(left, asked), (left + 1, asked)]
                continue
            answer = self.label[node]
            for column in asked:
                credit[column, answer] += weight[answer] * self.reach[node] / len(asked)


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
