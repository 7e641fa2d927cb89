"""Hashes of rows, and draws of rows that depend on what the rows hold, not on where they stand.

The hash of a row is a sum over its values, each mixed with the number of its column; zero adds
nothing, so that a sparse row and a dense one have the same hash. All NaN are alike, and so are 0
and -0, and a number stored in 32 or in 64 bits. Numbers are rounded to 33 binary digits first,
so that noise in the last digits of a computed column does not draw other rows.

A draw gives every row a *lot*, a function of a seed and of the row's key, and takes the smallest
lots. Rows of equal hash would have the same lot: they are numbered first, in the order of other
columns that tell them apart (labels, weights, exact hashes). Rows that agree in these too are
interchangeable, so that the drawn rows depend on the set of rows only.

References
----------
G. L. Steele, D. Lea and C. H. Flood (2014), *Fast splittable pseudorandom number generators*.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.utils import _hash_loops
from uneven.utils.parallel import ThreadPool

_STEP = np.uint64(0xD1342543DE82EF95)
_PARALLEL_VALUES = 400_000


def row_hashes(X: Any, pool: ThreadPool | None = None, exact: bool = False) -> np.ndarray:
    """A 64-bit hash of every row.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Numbers; NaN allowed.
    pool : ThreadPool, optional
    exact : bool, default=False
        Tell numbers apart that differ in their last digits only.

    Returns
    -------
    ndarray of uint64, shape (n_samples,)
        The same for rows of the same values, whatever table they stand in.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> X = np.array([[1.0, 0.0], [np.nan, 2.0], [1.0, -0.0]])
    >>> hashes = row_hashes(X)
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    >>> bool(np.all(row_hashes(sp.csr_array(X)) == hashes))
    True
    """
    hashes = np.empty(X.shape[0], dtype=np.uint64)
    if sp.issparse(X):
        table = X if X.format in ("csr", "csc") else sp.csr_array(X)
        if not table.has_canonical_format:
            table = table.copy()
            table.sum_duplicates()
        by_row = table.format == "csr"
        stored = (table.indptr, table.indices, _floats(table.data))
        _hash_loops.hash_sparse(*stored, by_row, exact, hashes)
        return hashes
    pool, worth = pool or ThreadPool(), X.size > _PARALLEL_VALUES
    pool.parallel_for(len(hashes), _hash_loops.hash_dense, _floats(X), exact, hashes, worth=worth)
    return hashes


def _floats(values: Any) -> np.ndarray:
    """Values as 32- or 64-bit numbers."""
    numbers = np.asarray(values)
    return numbers if numbers.dtype in (np.float32, np.float64) else numbers.astype(np.float64)


def row_keys(hashes: np.ndarray, *order: np.ndarray) -> np.ndarray:
    """Keys by which rows are drawn: their hashes, with rows of equal hash numbered.

    Parameters
    ----------
    hashes : ndarray of uint64, shape (n_samples,)
        From :func:`row_hashes`.
    *order : ndarray of shape (n_samples,)
        Rows of equal hash are numbered in the order of the first of these, among equals of the
        second, and so on; at last in the order in which they stand.

    Returns
    -------
    ndarray of uint64, shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> hashes = np.array([7, 9, 7], dtype=np.uint64)
    >>> keys = row_keys(hashes, np.array([1, 0, 0]))
    >>> keys[1:]
    array([9, 7], dtype=uint64)
    >>> bool(keys[0] == keys[2])
    False
    """
    sorting = np.argsort(hashes)
    is_next = np.diff(hashes[sorting]) == 0
    if not is_next.any():
        return hashes
    rows = np.sort(sorting[np.append(is_next, False) | np.append(False, is_next)])
    rows = rows[np.lexsort((*(column[rows] for column in reversed(order)), hashes[rows]))]
    start = np.flatnonzero(np.diff(hashes[rows], prepend=~hashes[rows[:1]]))
    number = np.arange(len(rows)) - np.repeat(start, np.diff(start, append=len(rows)))
    keys = hashes.copy()
    keys[rows] += number.astype(np.uint64) * _STEP
    return keys


def draw_lots(keys: np.ndarray, seed: int) -> np.ndarray:
    """A lot for every row, the same ones for the same keys and seed.

    Parameters
    ----------
    keys : ndarray of uint64, shape (n_samples,)
        From :func:`row_keys`.
    seed : int
        Not negative.

    Returns
    -------
    ndarray of uint64, shape (n_samples,)
        Spread evenly, without regard to lots of other seeds.

    Examples
    --------
    >>> import numpy as np
    >>> keys = np.arange(1000, dtype=np.uint64)
    >>> lots = draw_lots(keys, seed=1)
    >>> bool(np.all(lots == draw_lots(keys, seed=1))), int((lots < 2**63).sum())
    (True, 518)
    """
    lots = np.empty(len(keys), dtype=np.uint64)
    _hash_loops.mix_words(keys, np.uint64(seed), lots)
    return lots


def smallest_lots(lots: np.ndarray, size: int) -> np.ndarray:
    """Which rows have the ``size`` smallest lots; bool, shape (n_samples,).

    Examples
    --------
    >>> import numpy as np
    >>> smallest_lots(np.array([5, 1, 1, 3], dtype=np.uint64), 2)
    array([False,  True,  True, False])
    """
    if size >= len(lots):
        return np.ones(len(lots), dtype=bool)
    last = np.partition(lots, size - 1)[size - 1]
    drawn = lots < last
    drawn[np.flatnonzero(lots == last)[: size - int(drawn.sum())]] = True
    return drawn
