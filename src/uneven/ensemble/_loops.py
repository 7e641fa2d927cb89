"""Compiled loops of the ensemble's forests."""

from numba import njit


@njit(cache=True, nogil=True)
def side_by_side(left, right, order, child):
    """Number the nodes of a tree anew, so that the two children of a node are neighbours.

    Parameters
    ----------
    left, right : ndarray of int, shape (n_nodes,)
        Children; -1 in a leaf.
    order : ndarray of int, shape (n_nodes,)
        Gets the old number of each new node.
    child : ndarray of int, shape (n_nodes,)
        Gets the new left child; a leaf is its own.
    """
    order[0] = 0
    end = 1
    for node in range(len(order)):
        old = order[node]
        if left[old] < 0:
            child[node] = node
            continue
        child[node] = end
        order[end] = left[old]
        order[end + 1] = right[old]
        end += 2


@njit(cache=True, nogil=True)
def leaf_masses(leaf_of, y, mass, masses):
    """Add the mass of each row to its leaf and class; ``masses`` is (n_leaves, n_classes)."""
    for i in range(len(leaf_of)):
        masses[leaf_of[i], y[i]] += mass[i]


@njit(cache=True, nogil=True)
def add_unseen(leaf_of, drawn, shares, sums, counts):
    """Add the shares of its leaf to every row that was not drawn."""
    for i in range(len(leaf_of)):
        if drawn[i] == 0:
            counts[i] += 1
            for k in range(shares.shape[1]):
                sums[i, k] += shares[leaf_of[i], k]
