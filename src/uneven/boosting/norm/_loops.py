"""Compiled search along the factor of one class."""

import numpy as np
from numba import njit

_POWER_STEPS = 200
_POWER_TOLERANCE = 1e-9


@njit(cache=True)
def largest_singular_value(matrix, right, image, enough):
    """Operator norm of a matrix without negative entries, by power iteration from below.

    ``right`` (n,) holds a positive start and then the vector found; ``image`` (n,) is scratch. Once
    the norm is known to be above ``enough``, the lower bound found so far is returned.
    """
    n = len(right)
    scale = matrix.max()
    if scale <= 0.0:
        return 0.0
    matrix = matrix / scale
    right /= np.sqrt(np.sum(right * right))
    value = 0.0
    for _ in range(_POWER_STEPS):
        length = 0.0
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += matrix[i, j] * right[j]
            image[i] = total
            length += total * total
        found = np.sqrt(length)
        if found * scale > enough:
            return found * scale
        length = 0.0
        for j in range(n):
            total = 0.0
            for i in range(n):
                total += matrix[i, j] * image[i]
            right[j] = total
            length += total * total
        length = np.sqrt(length)
        for j in range(n):
            right[j] /= length
        if found - value <= _POWER_TOLERANCE * found:
            return found * scale
        value = found
    return value * scale


@njit(cache=True)
def _rivals(votes, factors, column, grid, first, other):
    """For every row, the best other class, and the first grid value that lets ``column`` win."""
    n, n_classes = votes.shape
    for i in range(n):
        best, top = -1, -1.0
        for c in range(n_classes):
            if c != column and votes[i, c] * factors[c] > top:
                best, top = c, votes[i, c] * factors[c]
        mine = votes[i, column] * factors[column]
        low, high = 0, len(grid)
        while low < high:
            middle = (low + high) // 2
            value = mine * grid[middle]
            if value > top or (value == top and column < best):
                high = middle
            else:
                low = middle + 1
        first[i], other[i] = low, best


@njit(cache=True)
def _counting_sort(keys, n_keys):
    """Rows in the order of their keys, and where each key begins."""
    starts = np.zeros(n_keys + 1, dtype=np.int64)
    for key in keys:
        starts[key + 1] += 1
    starts = np.cumsum(starts)
    filled = starts.copy()
    order = np.empty(len(keys), dtype=np.int64)
    for i in range(len(keys)):
        order[filled[keys[i]]] = i
        filled[keys[i]] += 1
    return order, starts


@njit(cache=True)
def sweep_factor(votes, y, mass, prices, factors, column, grid, wrong_price, best, norms, wrongs):
    """Norm of the errors and mass of wrong answers for every factor of a grid on one class.

    Parameters
    ----------
    votes : (n, K) float; y : (n,) int; mass : (n,) float
    prices : (K, K) float
        ``prices[c, l]`` is what one unit of mass of class c adds to entry (c, l) of the matrix
        whose norm is taken; zero on the diagonal.
    factors : (K,) float
        Factors of all classes; that of ``column`` is multiplied with each grid value.
    column : int
    grid : (G,) float, ascending
    wrong_price, best : float
        Norms are not followed further than to where norm + wrong_price * wrong is above ``best``.
    norms, wrongs : (G,) float
        Written.
    """
    n, n_classes = votes.shape
    first = np.empty(n, dtype=np.int64)
    other = np.empty(n, dtype=np.int64)
    _rivals(votes, factors, column, grid, first, other)
    order, starts = _counting_sort(first, len(grid) + 1)
    masses = np.zeros((n_classes, n_classes))
    for i in range(n):
        masses[y[i], other[i]] += mass[i]
    right = np.empty(n_classes)
    image = np.empty(n_classes)
    for g in range(len(grid)):
        for i in order[starts[g] : starts[g + 1]]:
            masses[y[i], other[i]] -= mass[i]
            masses[y[i], column] += mass[i]
        wrongs[g] = max(0.0, masses.sum() - np.trace(masses))
        enough = best - wrong_price * wrongs[g]
        right[:] = 1.0
        errors = np.maximum(masses, 0.0) * prices
        norms[g] = largest_singular_value(errors, right, image, enough)
