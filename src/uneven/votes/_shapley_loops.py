"""Compiled loop of Shapley values of trees. It has a twin in the tests that tries all subsets."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from uneven.voters._loops import _goes_right


@njit(cache=True, nogil=True)
def subset_weight(n_with, n_without):
    """Share of the orders in which all of ``n_with`` come before one more, and that before others.

    ``n_with! n_without! / (n_with + n_without + 1)!``.
    """
    total = n_with + n_without + 1
    return math.exp(
        math.lgamma(n_with + 1.0) + math.lgamma(n_without + 1.0) - math.lgamma(total + 1.0)
    )


@njit(cache=True, nogil=True, error_model="numpy")
def _side_of(column, features, sides, length):
    """Whose value of a column the path has taken: 1 the row's, 0 the other's, -1 neither yet."""
    for k in range(length):
        if features[k] == column:
            return sides[k]
    return -1


@njit(cache=True, nogil=True, error_model="numpy")
def add_contributions(X, background, nodes, sets, roots, values, out, start, stop):
    """Add the Shapley values of the columns for rows ``start`` to ``stop``.

    A row and a row of the background are mixed: of each column one takes part with its value. A
    path through a tree splits only where the two part, so it ends in each leaf that a mixture can
    reach, with the columns that must come from the row (``n_own``) and from the other
    (``n_other``).

    Parameters
    ----------
    X : (n, d)
    background : (m, d)
    nodes : (feature, threshold, missing_left, child), each (n_nodes,), all trees one after another
    sets : (set_of, left_sets), empty arrays if no node asks for a set of categories
    roots : (n_trees,) root node of each tree
    values : (n_nodes, n_classes) what a leaf adds to the scores
    out : (n, d, n_classes) updated in place
    """
    feature, threshold, missing_left, child = nodes
    n_classes = values.shape[1]
    n_nodes = feature.shape[0]
    stack = np.empty((n_nodes + 1, 4), dtype=np.int64)
    features = np.empty(n_nodes + 1, dtype=np.int64)
    sides = np.empty(n_nodes + 1, dtype=np.int64)
    share = 1.0 / background.shape[0]
    for i in range(start, stop):
        for b in range(background.shape[0]):
            for t in range(roots.shape[0]):
                stack[0] = (roots[t], 0, -1, -1)
                height = 1
                while height:
                    height -= 1
                    node, length = stack[height, 0], stack[height, 1]
                    if length and stack[height, 2] >= 0:
                        features[length - 1] = stack[height, 2]
                        sides[length - 1] = stack[height, 3]
                    while child[node] != node:
                        column = feature[node]
                        own = child[node] + _goes_right(
                            X[i, column], node, threshold, missing_left, sets
                        )
                        other = child[node] + _goes_right(
                            background[b, column], node, threshold, missing_left, sets
                        )
                        side = -1 if own == other else _side_of(column, features, sides, length)
                        if own == other or side == 1:
                            node = own
                        elif side == 0:
                            node = other
                        else:
                            stack[height] = (other, length + 1, column, 0)
                            height += 1
                            features[length], sides[length] = column, 1
                            length += 1
                            node = own
                    n_own = 0
                    for k in range(length):
                        n_own += sides[k]
                    n_other = length - n_own
                    for k in range(length):
                        if sides[k] == 1:
                            weight = share * subset_weight(n_own - 1, n_other)
                        else:
                            weight = -share * subset_weight(n_own, n_other - 1)
                        for c in range(n_classes):
                            out[i, features[k], c] += weight * values[node, c]
