"""Ensembles of trees as one ONNX operator each, with thresholds in double precision.

The operator TreeEnsemble (ai.onnx.ml 5) compares in double precision where its thresholds are
double; its predecessors compute in single precision. A leaf of it adds one number to one target.
Trees whose leaves hold a score per class therefore return the number of the leaf, one target per
tree, and the scores are looked up in a table.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from uneven.persistence.onnx.graph import Graph
from uneven.voters.cost_tree import CategoryTree, Forest

_LEQ, _MEMBER = 0, 6


@dataclass
class TreeTable:
    """Nodes of some trees; a value up to the threshold goes to the left child.

    Attributes
    ----------
    feature, left, right : ndarray of int, shape (n_nodes,)
    threshold : ndarray of shape (n_nodes,)
    missing_left, is_leaf : ndarray of bool, shape (n_nodes,)
    roots : ndarray of int, shape (n_trees,)
    left_sets : dict of int to ndarray of bool
        Categories that go left, for nodes that test for a set of them.
    """

    feature: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray
    left: np.ndarray
    right: np.ndarray
    is_leaf: np.ndarray
    roots: np.ndarray
    left_sets: dict[int, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of_forest(cls, forest: Forest) -> TreeTable:
        """Trees of a vote."""
        trees = forest.trees
        sets = {}
        if isinstance(trees, CategoryTree):
            asking = np.flatnonzero(trees.set_of >= 0)
            sets = {int(node): trees.left_sets[trees.set_of[node]] for node in asking}
        child, is_leaf = trees.child, trees.is_leaf
        return cls(
            trees.feature, trees.threshold, trees.missing_left, child, child + 1, is_leaf,
            forest.roots[:-1], sets,
        )  # fmt: skip

    @property
    def tree_of_node(self) -> np.ndarray:
        """Number of the tree that each node stands in, shape (n_nodes,)."""
        sizes = np.diff([*self.roots, len(self.feature)])
        return np.repeat(np.arange(len(self.roots)), sizes)


def add_leaves(
    graph: Graph, X: str, trees: TreeTable, target: np.ndarray, weight: np.ndarray, n_targets: int
) -> str:
    """Sum of what the leaves of a row add to their targets, (n, n_targets).

    Parameters
    ----------
    graph : Graph
    X : str
    trees : TreeTable
    target, weight : ndarray of shape (n_nodes,)
        What a node adds as a leaf, and to which target.
    n_targets : int
    """
    inner, leaves = np.flatnonzero(~trees.is_leaf), np.flatnonzero(trees.is_leaf)
    place = np.empty(len(trees.feature), dtype=np.int64)
    place[inner], place[leaves] = np.arange(len(inner)), np.arange(len(leaves))
    lone = trees.roots[trees.is_leaf[trees.roots]]
    """Roots that are leaves: the operator needs a question before a leaf."""
    place_of_root = place[trees.roots].copy()
    place_of_root[trees.is_leaf[trees.roots]] = len(inner) + np.arange(len(lone))
    true, false = trees.left.copy(), trees.right.copy()
    modes = np.full(len(trees.feature), _LEQ, dtype=np.uint8)
    threshold, tracks = trees.threshold.astype(np.float64), trees.missing_left.copy()
    members: list[np.ndarray] = []
    for node, goes_left in sorted(trees.left_sets.items()):
        held = np.flatnonzero(~goes_left if tracks[node] else goes_left).astype(np.float64)
        if tracks[node]:
            true[node], false[node], tracks[node] = false[node], true[node], False
        modes[node], threshold[node] = (_MEMBER, np.nan) if len(held) else (_LEQ, -np.inf)
        members += [held, np.array([np.nan])] if len(held) else []
    both = np.concatenate([inner, lone])
    goes = [np.concatenate([side[inner], lone]) for side in (true, false)]
    optional = {"membership_values": graph.tensor(np.concatenate(members))} if members else {}
    return graph.op(
        "TreeEnsemble", X, domain="ai.onnx.ml", n_targets=n_targets, aggregate_function=1,
        post_transform=0, tree_roots=place_of_root.tolist(),
        nodes_featureids=np.where(trees.is_leaf, 0, trees.feature)[both].tolist(),
        nodes_splits=graph.tensor(np.where(trees.is_leaf, 0.0, threshold)[both]),
        nodes_modes=graph.tensor(np.where(trees.is_leaf, _LEQ, modes)[both].astype(np.uint8)),
        nodes_missing_value_tracks_true=tracks[both].astype(int).tolist(),
        nodes_truenodeids=place[goes[0]].tolist(), nodes_falsenodeids=place[goes[1]].tolist(),
        nodes_trueleafs=trees.is_leaf[goes[0]].astype(int).tolist(),
        nodes_falseleafs=trees.is_leaf[goes[1]].astype(int).tolist(),
        leaf_targetids=target[leaves].tolist(), leaf_weights=graph.tensor(weight[leaves]),
        **optional,
    )  # fmt: skip


def add_leaf_scores(graph: Graph, X: str, trees: TreeTable, scores: np.ndarray) -> str:
    """Sum of the scores (n_nodes, K) of the leaves that a row falls into, (n, K)."""
    leaves = np.flatnonzero(trees.is_leaf)
    number = np.zeros(len(trees.feature))
    number[leaves] = np.arange(len(leaves))
    found = add_leaves(graph, X, trees, trees.tree_of_node, number, len(trees.roots))
    table = graph.constant(np.ascontiguousarray(scores[leaves], dtype=np.float64))
    said = graph.op("Gather", table, graph.cast(found, int), axis=0)
    return graph.reduce("Sum", said, keep=False)
