"""Many fitted trees packed into one set of arrays: fast to score, small to store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from uneven.utils.parallel import Workers
from uneven.voters import score_kernels
from uneven.voters.tree import TreeVoter, dense_blocks

__all__ = ["Forest"]

_PARALLEL_VISITS = 200_000


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
        return cls(roots, depths, TreeVoter(**parts))

    def __len__(self) -> int:
        return len(self.roots) - 1

    def tree(self, t: int) -> TreeVoter:
        """Unpack tree ``t``."""
        nodes = slice(self.roots[t], self.roots[t + 1])
        parts = {field.name: getattr(self.trees, field.name)[nodes] for field in fields(TreeVoter)}
        parts["child"] = parts["child"] - self.roots[t]
        return TreeVoter(**parts)

    def add_votes(
        self,
        X: Any,
        weights: np.ndarray,
        scores: np.ndarray,
        *,
        present: np.ndarray | None = None,
        view: np.ndarray | None = None,
        span: tuple[int, int] | None = None,
        team: Workers | None = None,
    ) -> None:
        """Add the weighted answers of the trees to ``scores``.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_features)
        weights : ndarray of shape (n_trees, n_classes)
        scores : ndarray of shape (n_samples, n_classes)
            Added to in place, tree after tree.
        present : ndarray of bool, shape (n_samples, n_views), optional
            Which views each row has; a tree abstains where its view is absent.
        view : ndarray of int, shape (n_trees,), optional
            View of each tree, -1 if it reads all of them.
        span : (int, int), optional
            First and one-past-last tree to add; all of them by default.
        team : Workers, optional
        """
        team = team or Workers(1, None)
        first, last = (0, len(self)) if span is None else span
        trees = self.trees
        tree_of_node = np.repeat(np.arange(len(self)), np.diff(self.roots))
        value = weights[tree_of_node, trees.label]
        used = np.unique(trees.feature[self.roots[first] : self.roots[last]])
        feature = used.searchsorted(trees.feature)
        for rows, block in dense_blocks(X, used):
            asked = used if block.shape[1] == X.shape[1] else np.arange(len(used))
            team.over(
                score_kernels.row_blocks(block.shape[0]),
                score_kernels.add_tree_votes,
                block,
                asked,
                (feature, trees.threshold, trees.missing_left, trees.child),
                self.roots,
                self.depths,
                trees.label,
                value,
                np.ones((0, 0), dtype=bool) if present is None else present[rows],
                np.full(len(self), -1) if view is None else view,
                scores[rows],
                first,
                last,
                worth=block.shape[0] * (last - first) > _PARALLEL_VISITS,
            )
