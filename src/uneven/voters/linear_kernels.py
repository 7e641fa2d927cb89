"""Compiled inner loop that lets linear voters answer. Its slow twin is in the tests."""

from __future__ import annotations

import numpy as np
from numba import njit

FAR = 10.0
"""Standardised values beyond this count as this: one wild value does not decide alone."""


@njit(cache=True, nogil=True, error_model="numpy")
def linear_answers(X, columns, n_codes, centre, scale, coef, intercept, answers):
    """Class with the largest score for every row of ``X``; the first one of several.

    Parameters
    ----------
    X : (n, d)
    columns, n_codes, centre, scale : (p,)
        Column of ``X``, number of its categories (0 for a number), and how it is standardised.
    coef : (q, K)
        One row for a number, one per category for categories, in the order of the columns.
    intercept : (K,)
    answers : (n,) int
        Written.
    """
    scores = np.empty(len(intercept))
    for i in range(X.shape[0]):
        scores[:] = intercept
        row = 0
        for j in range(len(columns)):
            x = np.float64(X[i, columns[j]])
            if n_codes[j] > 0:
                if 0.0 <= x < n_codes[j]:
                    scores += coef[row + int(x)]
                row += n_codes[j]
                continue
            if not np.isnan(x):
                z = (x - centre[j]) / scale[j]
                scores += min(max(z, -FAR), FAR) * coef[row]
            row += 1
        answers[i] = scores.argmax()
