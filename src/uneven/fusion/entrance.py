"""How every method of this room opens a table: before it is learnt from, and before it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.door import TrainingRows, check_integer, enter, whole_or_nothing
from uneven.threads import Workers, workers
from uneven.vote_classifier import VoteClassifier

__all__ = ["FusedVoteClassifier", "enter_rows", "fitting", "narrow_indices"]


class FusedVoteClassifier(VoteClassifier):
    """A vote whose voters may be any classifiers, also those that need narrow sparse indices."""

    def _scores(self, X: Any) -> np.ndarray:
        return super()._scores(narrow_indices(X))


@contextmanager
def fitting(estimator: Any) -> Iterator[Workers]:
    """Open worker threads; put the fitted attributes back if fitting fails or is interrupted.

    Parameters
    ----------
    estimator : object
        Its ``n_jobs`` says how many threads.

    Yields
    ------
    Workers
    """
    if estimator.n_jobs is not None:
        check_integer("n_jobs", estimator.n_jobs, -(2**31))
    with whole_or_nothing(estimator), workers(estimator.n_jobs) as team:
        yield team


def enter_rows(estimator: Any, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
    """Validate what ``fit`` was given; remember columns, classes, their frequencies and views.

    Parameters
    ----------
    estimator : object
        Gets ``classes_``, ``class_prior_``, ``views_`` and what :func:`uneven.door.enter` stores.
    X, y, sample_weight : object
        As the user gave them.

    Returns
    -------
    TrainingRows
    """
    rows = enter(estimator, narrow_indices(X), y, sample_weight)
    mass = np.bincount(rows.y, rows.mass, len(rows.classes))
    estimator.classes_, estimator.views_ = rows.classes, rows.views
    estimator.class_prior_ = mass / mass.sum()
    return rows


def narrow_indices(X: Any) -> Any:
    """Give a sparse table 32-bit indices if they fit: trees of scikit-learn take no others.

    Parameters
    ----------
    X : object
        Anything that is not sparse is returned as it is.

    Returns
    -------
    object
        The values are shared with ``X``, not copied.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> X = sp.csr_array(np.eye(3))
    >>> X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    >>> narrow_indices(X).indices.dtype
    dtype('int32')
    """
    if not sp.issparse(X) or X.ndim != 2:
        return X
    if X.format not in ("csr", "csc"):
        X = X.tocsr()
    wide = np.int64 in (X.indices.dtype, X.indptr.dtype)
    if not wide or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return type(X)(parts, shape=X.shape)
