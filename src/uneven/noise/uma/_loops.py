"""Compiled loops over rows that are grouped by predicted class and observed label.

Labels come as CSR arrays of weights; group -1 is no group. Each loop has a slow NumPy twin in the
tests.
"""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def count_groups(group, data, indices, indptr, counts):
    """Add the label weights of all rows to the cells of their groups.

    Parameters
    ----------
    group : (N,) int
    data, indices, indptr : label weights, N rows of Q classes
    counts : (Q, Q) output; predicted class, label
    """
    for i in range(group.shape[0]):
        if group[i] < 0:
            continue
        for e in range(indptr[i], indptr[i + 1]):
            counts[group[i], indices[e]] += data[e]


@njit(cache=True, nogil=True, error_model="numpy")
def move_dense(X, moved, earlier, group, data, indices, indptr, sums):
    """Take rows out of the sums of their earlier group and add them to those of their new one.

    Parameters
    ----------
    X : (N, D) C-contiguous
    moved : (M,) int, rows
    earlier, group : (N,) int
    data, indices, indptr : label weights
    sums : (Q, Q, D) output; label, predicted class
    """
    for j in range(moved.shape[0]):
        i = moved[j]
        for e in range(indptr[i], indptr[i + 1]):
            if earlier[i] >= 0:
                source = sums[indices[e], earlier[i]]
                for d in range(X.shape[1]):
                    source[d] -= data[e] * X[i, d]
            if group[i] >= 0:
                target = sums[indices[e], group[i]]
                for d in range(X.shape[1]):
                    target[d] += data[e] * X[i, d]


@njit(cache=True, nogil=True, error_model="numpy")
def move_sparse(values, columns, starts, moved, earlier, group, data, indices, indptr, sums):
    """The same for rows in CSR form: ``values``, ``columns``, ``starts``."""
    for j in range(moved.shape[0]):
        i = moved[j]
        for e in range(indptr[i], indptr[i + 1]):
            for f in range(starts[i], starts[i + 1]):
                change = data[e] * values[f]
                if earlier[i] >= 0:
                    sums[indices[e], earlier[i], columns[f]] -= change
                if group[i] >= 0:
                    sums[indices[e], group[i], columns[f]] += change
