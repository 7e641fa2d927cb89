"""Compiled inner loops that let fitted trees answer. Their slow twin is in the tests."""

from __future__ import annotations

import numpy as np
from numba import njit

_SCORE_BLOCK = 256


@njit(cache=True, nogil=True, error_model="numpy")
def tree_answers(X, nodes, label, answers):
    """Answer of one tree (its root is node 0) for every row of ``X``."""
    feature, threshold, missing_left, child = nodes
    for i in range(X.shape[0]):
        node = 0
        while child[node] != node:
            x = X[i, feature[node]]
            if x <= threshold[node] or (missing_left[node] and np.isnan(x)):
                node = child[node]
            else:
                node = child[node] + 1
        answers[i] = label[node]


@njit(cache=True, nogil=True, error_model="numpy")
def _descend(columns, nodes, root, depth, at):
    """Move the rows of a block from ``root`` to their leaves, level by level, without a branch.

    A leaf is its own left child, its threshold is infinite and it sends NaN left: a step from a
    leaf stays there.
    """
    feature, threshold, missing_left, child = nodes
    x_root = columns[feature[root]]
    for i in range(at.shape[0]):
        x = x_root[i]
        right = (x > threshold[root]) | ((x != x) & (not missing_left[root]))
        at[i] = child[root] + right
    for _ in range(depth - 1):
        for i in range(at.shape[0]):
            node = at[i]
            x = columns[feature[node], i]
            right = (x > threshold[node]) | ((x != x) & (not missing_left[node]))
            at[i] = child[node] + right


@njit(cache=True, nogil=True, error_model="numpy")
def add_tree_votes(
    X, used, nodes, roots, depths, label, value, present, view, scores, first, last, start, stop
):
    """Add the votes of trees ``first`` to ``last`` for the row blocks ``start`` to ``stop``.

    Parameters
    ----------
    X : (n, d)
    used : (u,) columns of ``X`` that the trees ask for
    nodes : (feature, threshold, missing_left, child), each (n_nodes,), all trees one after another
        Features are positions in ``used``.
    roots, depths : (n_trees,) root node and depth of each tree
    label, value : (n_nodes,) answer and vote weight of each leaf
    present : (n, n_views) bool, or an empty array if every view is there
    view : (n_trees,) view of each tree, -1 if it reads all of them
    scores : (n, n_classes) updated in place
    """
    columns = np.empty((used.shape[0], _SCORE_BLOCK))
    leaves = np.empty(_SCORE_BLOCK, dtype=np.int64)
    for block in range(start, stop):
        begin = block * _SCORE_BLOCK
        size = min(X.shape[0] - begin, _SCORE_BLOCK)
        for i in range(size):
            for k in range(used.shape[0]):
                columns[k, i] = X[begin + i, used[k]]
        at = leaves[:size]
        for t in range(first, last):
            _descend(columns, nodes, roots[t], depths[t], at)
            asks_one_view = present.size > 0 and view[t] >= 0
            for i in range(size):
                if not asks_one_view or present[begin + i, view[t]]:
                    scores[begin + i, label[at[i]]] += value[at[i]]


def row_blocks(n: int) -> int:
    """Number of row blocks that ``add_tree_votes`` cuts ``n`` rows into."""
    return -(-n // _SCORE_BLOCK)
