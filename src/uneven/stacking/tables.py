"""What members may be given to learn from: arrays, sparse matrices, data frames, lists of texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.door import narrow_indices

__all__ = ["count_columns", "count_rows", "open_table"]


def open_table(X: Any) -> Any:
    """A table whose rows can be taken one by one; frames and lists stay what they are.

    Parameters
    ----------
    X : array-like, sparse matrix, dataframe or list of length n_samples

    Returns
    -------
    object
        A csr matrix with 32-bit indices if ``X`` is sparse.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> open_table(sp.coo_array([[0.0, 1.0]])).format
    'csr'
    """
    return narrow_indices(X.tocsr()) if sp.issparse(X) else X


def count_rows(X: Any) -> int:
    """How many rows a table has."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def count_columns(X: Any) -> int | None:
    """How many columns a table has; None if it has no columns, as a list of texts."""
    shape = X.shape if hasattr(X, "shape") else np.shape(X[:1])
    return int(shape[1]) if len(shape) == 2 else None
