"""The hyperplane through the origin that is farthest from all rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import nnls

from uneven.linear.rows import row_norms
from uneven.utils.validation import check_array

_STEPS_PER_ROW = 100
"""Least squares may take this many steps for each row; SciPy would give up after three."""


class NotSeparableError(ValueError):
    """No hyperplane through the origin has all rows on its positive side."""


class HardMargin(NamedTuple):
    """The hyperplane of largest margin.

    Attributes
    ----------
    alpha : ndarray of shape (n_samples,)
        Weights of the rows; positive for support vectors only. They add up to ``w @ w``.
    w : ndarray of shape (n_features,)
        ``alpha @ Z``; every row has a product of at least 1 with it.
    margin : float
        ``1 / norm(w)``: distance of the nearest row from the hyperplane.
    """

    alpha: np.ndarray
    w: np.ndarray
    margin: float


def hard_margin(Z: Any, tol: float = 1e-9) -> HardMargin:
    """Find the shortest w that has a product of at least 1 with every row.

    Parameters
    ----------
    Z : array-like or sparse matrix of shape (n_samples, n_features)
        Rows in normal form, see `uneven.linear.normal_form`. Sparse rows are made dense.
    tol : float, default=1e-9
        Margins below this share of the longest row count as none.

    Returns
    -------
    HardMargin

    Raises
    ------
    NotSeparableError
        If there is no such w.

    Notes
    -----
    This is a least-distance problem: with E the rows as columns, over a row of ones, the
    non-negative least-squares solution u of ``E u = (0, ..., 0, 1)`` gives w as the residual,
    scaled, in finitely many steps. Scikit-learn's ``SVC`` always fits an offset, which changes
    the problem, and ``LinearSVC`` without one only comes near a hard margin as C grows. The source
    gives the largest margin without fixing the length of w, and its decision function without the
    labels. With a kernel, use the rows of a square root of the Gram matrix.

    References
    ----------
    Lawson and Hanson (1974), Solving least squares problems, chapter 23.
    Louche (2016), sections 1.4 and 2.2.

    Examples
    --------
    >>> found = hard_margin([[2.0, 0.0], [0.0, 1.0], [3.0, 3.0]])
    >>> found.alpha.round(6).tolist(), found.w.round(6).tolist(), round(found.margin, 6)
    ([0.25, 1.0, 0.0], [0.5, 1.0], 0.894427)
    """
    Z = check_array(Z, accept_sparse="csr", dtype=np.float64)
    Z = Z.toarray() if sp.issparse(Z) else Z
    scale = float(row_norms(Z).max())
    if scale == 0.0:
        raise NotSeparableError("all rows are zero: no hyperplane has them on its positive side.")
    rows = Z / scale
    system, wanted = np.vstack([rows.T, np.ones(len(rows))]), np.append(np.zeros(Z.shape[1]), 1.0)
    u, _ = nnls(system, wanted, maxiter=_STEPS_PER_ROW * (len(rows) + 10))
    direction = u @ rows
    length = float(np.linalg.norm(direction))
    if length <= tol or (rows @ direction).min() <= 0.0:
        raise NotSeparableError(
            f"no hyperplane through the origin separates the {len(rows)} rows by more than {tol:g} "
            "of their length. Add a constant column if an offset is meant."
        )
    alpha = u * (u.sum() / length**2)
    w = alpha @ rows
    return HardMargin(alpha / scale**2, w / scale, scale / float(np.linalg.norm(w)))
