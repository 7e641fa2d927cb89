"""Compiled loops that hash rows. All arithmetic is of 64-bit integers: the same everywhere."""

from __future__ import annotations

import numpy as np
from numba import njit

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_NAN_BITS = np.uint64(0x7FF8000000000000)
_ROW_BLOCK = 256
_COARSE = np.uint64(20)
_HALF = np.uint64(1 << 19)


@njit(cache=True, nogil=True)
def _mix(word):
    """A one-to-one map of 64-bit words in which every input bit changes half of the output."""
    word = (word ^ (word >> np.uint64(30))) * _FIRST
    word = (word ^ (word >> np.uint64(27))) * _SECOND
    return word ^ (word >> np.uint64(31))


@njit(cache=True, nogil=True)
def _column_key(column):
    return _mix(_STEP * (np.uint64(column) + np.uint64(1)))


@njit(cache=True, nogil=True)
def _entry(x, key, exact):
    """What a value adds to the hash of its row; nothing if it is zero."""
    value = np.float64(x)
    bits = _NAN_BITS if value != value else np.uint64(value.view(np.uint64))
    if not exact:
        bits = (bits + _HALF) >> _COARSE
    return np.uint64(0) if value == 0.0 else _mix(bits ^ key)


@njit(cache=True, nogil=True)
def hash_dense(X, exact, hashes, start, stop):
    """Hashes of the rows ``start`` to ``stop`` of a dense table.

    Parameters
    ----------
    X : (n, d) values
    exact : bool, whether the last 20 bits of a value count
    hashes : (n,) uint64 output
    """
    n_features = X.shape[1]
    totals = np.empty(_ROW_BLOCK, dtype=np.uint64)
    keys = np.empty(n_features, dtype=np.uint64)
    for j in range(n_features):
        keys[j] = _column_key(j)
    for first in range(start, stop, _ROW_BLOCK):
        last = min(stop, first + _ROW_BLOCK)
        if X.strides[1] <= X.strides[0]:
            for i in range(first, last):
                total = np.uint64(0)
                for j in range(n_features):
                    total += _entry(X[i, j], keys[j], exact)
                hashes[i] = total
        else:
            totals[:] = 0
            for j in range(n_features):
                for i in range(last - first):
                    totals[i] += _entry(X[first + i, j], keys[j], exact)
            for i in range(first, last):
                hashes[i] = totals[i - first]
        for i in range(first, last):
            hashes[i] = _mix(hashes[i] + _STEP)


@njit(cache=True, nogil=True)
def hash_sparse(indptr, indices, data, by_row, exact, hashes):
    """Hashes of all rows of a sparse table.

    Parameters
    ----------
    indptr, indices, data : compressed rows or columns, no entry twice
    by_row : bool, whether rows are compressed
    exact : bool, whether the last 20 bits of a value count
    hashes : (n,) uint64 output
    """
    hashes[:] = 0
    for major in range(indptr.shape[0] - 1):
        for k in range(indptr[major], indptr[major + 1]):
            row, column = (major, indices[k]) if by_row else (indices[k], major)
            hashes[row] += _entry(data[k], _column_key(column), exact)
    for i in range(hashes.shape[0]):
        hashes[i] = _mix(hashes[i] + _STEP)


@njit(cache=True, nogil=True)
def mix_words(words, seed, mixed):
    """Words that look drawn at random, one for each word and seed.

    Parameters
    ----------
    words : (n,) uint64
    seed : uint64
    mixed : (n,) uint64 output
    """
    key = _mix(_STEP * (seed + np.uint64(1)))
    for i in range(words.shape[0]):
        mixed[i] = _mix(words[i] ^ key)
