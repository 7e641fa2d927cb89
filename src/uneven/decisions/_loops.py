"""Compiled sweep along the factor of one class."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def sweep_class(levels, shift, column, offsets, y, mass, belief, counts, beliefs):
    """Confusion matrix of the predictions for every offset on the log factor of one class.

    The predicted class of a row is the first with the largest ``levels + shift``. All of these are
    whole numbers, so that sums are exact and a tie is a tie.

    Parameters
    ----------
    levels : (n, K) float
    shift : (K,) float
    column : int
        Class whose shift is changed by each offset.
    offsets : (G,) float, ascending
    y : (n,) int; mass : (n,) float
    belief : (n, K) float
        What the row counts for in the row of each class, if it is believed.
    counts, beliefs : (G, K, K) float
        Written: mass of rows by true and predicted class, and belief by class and prediction,
        without repetitions.

    Returns
    -------
    (G,) int
        Which of these is that of each offset: the one before, if no prediction changes.
    """
    n, n_classes = levels.shape
    n_steps = len(offsets)
    first = np.empty(n, dtype=np.int64)
    other = np.empty(n, dtype=np.int64)
    starts = np.zeros(n_steps + 2, dtype=np.int64)
    counts[0] = 0.0
    beliefs[0] = 0.0
    for i in range(n):
        best, top = -1, -np.inf
        for c in range(n_classes):
            if c != column and levels[i, c] + shift[c] > top:
                best, top = c, levels[i, c] + shift[c]
        gap = top - levels[i, column] - shift[column]
        low, high = 0, n_steps
        while low < high:
            middle = (low + high) // 2
            if offsets[middle] > gap or (offsets[middle] == gap and column < best):
                high = middle
            else:
                low = middle + 1
        first[i], other[i] = low, best
        starts[low + 1] += 1
        counts[0, y[i], best] += mass[i]
        for c in range(n_classes):
            beliefs[0, c, best] += belief[i, c]
    for g in range(n_steps + 1):
        starts[g + 1] += starts[g]
    filled = starts.copy()
    order = np.empty(n, dtype=np.int64)
    for i in range(n):
        order[filled[first[i]]] = i
        filled[first[i]] += 1
    places = np.zeros(n_steps, dtype=np.int64)
    k = 0
    for g in range(n_steps):
        if g > 0 and starts[g] < starts[g + 1]:
            k += 1
            for c in range(n_classes):
                for a in range(n_classes):
                    counts[k, c, a] = counts[k - 1, c, a]
                    beliefs[k, c, a] = beliefs[k - 1, c, a]
        places[g] = k
        for i in order[starts[g] : starts[g + 1]]:
            counts[k, y[i], other[i]] -= mass[i]
            counts[k, y[i], column] += mass[i]
            for c in range(n_classes):
                beliefs[k, c, other[i]] -= belief[i, c]
                beliefs[k, c, column] += belief[i, c]
    return places
