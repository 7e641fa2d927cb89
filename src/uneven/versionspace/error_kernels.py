"""Compiled loops of the compression perceptron: marks of rows, corrections on a few cuts.

Each of them has a slow NumPy twin in the tests.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LOWEST_MARGIN, CYCLIC, RANDOM = range(3)
"""Ways to choose the next cut to correct."""

_ODD = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@njit(cache=True, nogil=True)
def stir(mark):
    """Spread a 64-bit number over all 64-bit numbers, one to one."""
    mark = (mark ^ (mark >> np.uint64(30))) * _FIRST
    mark = (mark ^ (mark >> np.uint64(27))) * _SECOND
    return mark ^ (mark >> np.uint64(31))


@njit(cache=True, nogil=True)
def mark_dense(bits, seed, marks):
    """Write a number for each row that depends on its entries other than zero and on the seed.

    Parameters
    ----------
    bits : (n, D) uint64, the bits of the entries
    seed : uint64
    marks : (n,) uint64 output
    """
    for i in range(bits.shape[0]):
        mark = stir(seed + _ODD)
        for d in range(bits.shape[1]):
            if bits[i, d] << np.uint64(1) != np.uint64(0):
                mark = stir(mark ^ stir(np.uint64(d) + _ODD) ^ bits[i, d])
        marks[i] = mark


@njit(cache=True, nogil=True)
def mark_sparse(bits, indices, indptr, seed, marks):
    """The same as `mark_dense` for a CSR table with sorted columns."""
    for i in range(marks.shape[0]):
        mark = stir(seed + _ODD)
        for k in range(indptr[i], indptr[i + 1]):
            if bits[k] << np.uint64(1) != np.uint64(0):
                mark = stir(mark ^ stir(np.uint64(indices[k]) + _ODD) ^ bits[k])
        marks[i] = mark


@njit(cache=True, nogil=True, error_model="numpy")
def correct_cuts(gram, pick, rng, limit, counts, margins):
    """Add cuts to w until all have a positive product with it; return how often.

    Parameters
    ----------
    gram : (m, m) or larger, products of the cuts
    pick : int, one of the constants above
    rng : Generator, for the orders of RANDOM
    limit : int, largest number of additions
    counts : (m,) int, changed: how often each cut was added
    margins : (m,), changed: products of the cuts with w
    """
    m = margins.shape[0]
    done = 0
    if pick == LOWEST_MARGIN:
        while done < limit:
            lowest = 0
            for j in range(1, m):
                if margins[j] < margins[lowest]:
                    lowest = j
            if margins[lowest] > 0.0:
                break
            _add(gram, lowest, counts, margins)
            done += 1
        return done
    order = np.arange(m)
    clean = False
    while not clean and done < limit:
        clean = True
        if pick == RANDOM:
            for j in range(m - 1, 0, -1):
                k = int(rng.random() * (j + 1))
                order[j], order[k] = order[k], order[j]
        for i in order:
            if margins[i] <= 0.0 and done < limit:
                _add(gram, i, counts, margins)
                done += 1
                clean = False
    return done


@njit(cache=True, nogil=True, error_model="numpy")
def _add(gram, i, counts, margins):
    counts[i] += 1
    for j in range(margins.shape[0]):
        margins[j] += gram[i, j]
