"""Checks that all packages share: tables, weights, costs, fitted state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import validation
from sklearn.utils.validation import column_or_1d

NOT_GIVEN = "no_validation"
"""Stands for a table or labels that are not to be checked."""


def validate_data(estimator: Any, X: Any = NOT_GIVEN, y: Any = NOT_GIVEN, **rules: Any) -> Any:
    """Check a table and its labels as scikit-learn does, and what it does not check.

    Damaged sparse matrices, two columns of one name, dicts of views and missing labels are refused
    first. Numbers
    whose sum overflows cause no warning. Sparse matrices have 32-bit indices if these fit.

    Parameters
    ----------
    estimator : object
        Gets ``n_features_in_`` and ``feature_names_in_``.
    X : object
        As the user gave it.
    y : object
        Labels.
    **rules : object
        Of ``sklearn.utils.validation.validate_data``.

    Returns
    -------
    object
        ``X``, ``y`` or both.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> validate_data(LogisticRegression(), [[1.0]], [float("nan")])
    Traceback (most recent call last):
    ...
    ValueError: Input y contains NaN: no label in rows 0. Label these rows or leave them out.
    """
    check_table(X)
    if not (isinstance(y, str) and y == NOT_GIVEN) and y is not None:
        check_labelled(y)
    with np.errstate(over="ignore", invalid="ignore"):
        checked = validation.validate_data(estimator, X, y, **rules)
    if isinstance(checked, tuple):
        return (narrow_indices(checked[0]), *checked[1:])
    return narrow_indices(checked)


def check_table(X: Any) -> None:
    """Refuse damaged sparse matrices, lazy frames, two columns of one name, and separate views.

    Parameters
    ----------
    X : object
        Anything else passes.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> X = sp.csr_array(np.eye(3))
    >>> X.indices[0] = 7
    >>> check_table(X)
    Traceback (most recent call last):
    ...
    ValueError: X is a damaged sparse matrix: ...indices must be < 3.
    """
    if sp.issparse(X):
        try:
            _check_places(X)
        except (ValueError, IndexError) as error:
            raise ValueError(f"X is a damaged sparse matrix: {error}.") from None
        return
    if isinstance(X, Mapping) or hasattr(X, "obsm"):
        raise TypeError(
            f"X is a {type(X).__name__}, not one table: call X, views = uneven.join_views(X), and "
            "give views to the classifier."
        )
    if isinstance(X, list | tuple) and len(X) and getattr(X[0], "ndim", 0) == 2:
        raise TypeError(
            f"X is a {type(X).__name__} of {len(X)} tables: name and join them, X, views = "
            "uneven.join_views({name: table, ...}), and give views to the classifier."
        )
    if hasattr(X, "collect_schema") and not hasattr(X, "shape"):
        raise TypeError("X is a frame whose rows are not read yet: give X.collect().")
    names = list(getattr(X, "columns", ())) if hasattr(X, "dtypes") else []
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"X has several columns named {twice!r}: rename or drop them.")


def _check_places(X: Any) -> None:
    """Refuse a sparse matrix with indices outside of its shape."""
    if X.format in ("csr", "csc", "bsr"):
        X.check_format(full_check=True)
    elif X.format == "coo":
        for places, length in zip((X.row, X.col), X.shape):
            if len(places) != len(X.data) or (places >= length).any() or (places < 0).any():
                raise ValueError(f"every value must have coordinates from 0 to {length - 1}")


def check_array(X: Any, **rules: Any) -> Any:
    """``sklearn.utils.check_array`` without warnings of sums that overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        return validation.check_array(X, **rules)


def check_magnitude(X: Any, most: float = 1e150, least: float = 0.0) -> None:
    """Refuse a table whose values are so large, or all so small, that products of them get lost.

    Parameters
    ----------
    X : ndarray or sparse matrix
        Finite numbers.
    most, least : float
        Limits of the largest absolute value; zeros pass.

    Examples
    --------
    >>> check_magnitude(np.array([[1e200]]))
    Traceback (most recent call last):
    ...
    ValueError: the largest absolute value in X is 1e+200: scale the columns, products overflow.
    """
    cells = X.data if sp.issparse(X) else X
    largest = max(abs(float(cells.min(initial=0.0))), float(cells.max(initial=0.0)))
    if largest > most or 0.0 < largest < least:
        what = "overflow" if largest > most else "vanish"
        raise ValueError(
            f"the largest absolute value in X is {largest:.3g}: scale the columns, products {what}."
        )


def missing_labels(labels: np.ndarray) -> np.ndarray:
    """Which labels are None, NaN or the NA of pandas, bool of the same shape (n_samples,).

    Examples
    --------
    >>> missing_labels(np.array(["a", None, "b"], dtype=object))
    array([False,  True, False])
    """
    if labels.ndim != 1 or labels.dtype.kind not in "fO":
        return np.zeros(labels.shape, dtype=bool)
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels))
    return np.array([_is_missing(label) for label in labels.tolist()], dtype=bool)


def check_labelled(y: Any) -> None:
    """Refuse labels of which some are missing; see :func:`missing_labels`.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    """
    missing = missing_labels(np.asarray(y))
    if missing.any():
        rows = np.flatnonzero(missing)
        few = ", ".join(map(str, rows[:3])) + (", ..." if len(rows) > 3 else "")
        raise ValueError(
            f"Input y contains NaN: no label in rows {few}. Label these rows or leave them out."
        )


def _is_missing(label: Any) -> bool:
    differs = label != label
    return label is None or not isinstance(differs, bool | np.bool_) or bool(differs)


def check_mass(sample_weight: Any, n_samples: int) -> np.ndarray:
    """Sample weights as an array.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), number or None
    n_samples : int

    Returns
    -------
    ndarray of shape (n_samples,)
        Ones for None. Very large or very small weights are divided by the largest.

    Examples
    --------
    >>> check_mass(None, 2)
    array([1., 1.])
    """
    if sample_weight is None:
        return np.ones(n_samples)
    if isinstance(sample_weight, Real):
        mass = np.full(n_samples, float(sample_weight))
    else:
        mass = column_or_1d(_numbers_of(sample_weight))
    if mass.shape != (n_samples,):
        raise ValueError(f"sample_weight has {len(mass)} entries, X has {n_samples} rows.")
    if not np.isfinite(mass).all() or (mass < 0).any():
        raise ValueError("sample_weight must hold finite numbers >= 0.")
    if not mass.any():
        raise ValueError("sample_weight is zero for every row: there is nothing to learn from.")
    if 1e-100 <= mass.max() <= 1e100:
        return mass
    return np.where(mass > 0.0, np.maximum(mass / mass.max(), np.finfo(float).tiny), 0.0)


def _numbers_of(sample_weight: Any) -> np.ndarray:
    try:
        return np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        shown = repr(sample_weight)[:60]
        raise ValueError(f"sample_weight must hold a number for each row, got {shown}.") from None


def check_clean(clean: Any, n_samples: int) -> np.ndarray | None:
    """Which labels are certain, shape (n_samples,)."""
    if clean is None:
        return None
    sure = np.asarray(clean)
    if sure.shape != (n_samples,) or sure.dtype != np.bool_:
        raise ValueError(
            f"clean must hold True or False for each of the {n_samples} rows, got an array of "
            f"shape {sure.shape} and type {sure.dtype}."
        )
    return sure


def check_class_cost(class_cost: Any, classes: np.ndarray) -> np.ndarray | None:
    """Validate a class-pair cost matrix.

    Parameters
    ----------
    class_cost : array-like of shape (n_classes, n_classes) or None
        Row = true class, column = prediction, in the order of ``classes``. The diagonal is ignored.
    classes : ndarray of shape (n_classes,)

    Returns
    -------
    ndarray of shape (n_classes, n_classes) or None
    """
    if class_cost is None:
        return None
    try:
        costs = np.array(class_cost, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"class_cost must be a square array of numbers: {error}.") from None
    n_classes = len(classes)
    if costs.shape != (n_classes, n_classes):
        raise ValueError(
            f"class_cost has shape {costs.shape}, but y holds {n_classes} classes "
            f"({classes[:8].tolist()}): it must be {n_classes} x {n_classes}, one row per true "
            "class and one column per prediction, in sorted class order."
        )
    np.fill_diagonal(costs, 1.0)
    if not np.isfinite(costs).all() or (costs < 0).any():
        raise ValueError("class_cost must hold finite numbers >= 0 outside its diagonal.")
    if n_classes > 1 and not costs[~np.eye(n_classes, dtype=bool)].any():
        raise ValueError("class_cost is zero for every mistake: there is nothing to learn.")
    return costs


def narrow_indices(X: Any) -> Any:
    """Give a sparse matrix 32-bit indices if they fit, as scikit-learn wants.

    Parameters
    ----------
    X : ndarray, or sparse matrix of format csr or csc
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
    if not sp.issparse(X) or X.format not in ("csr", "csc"):
        return X
    wide = np.int64 in (X.indices.dtype, X.indptr.dtype)
    if not wide or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return type(X)(parts, shape=X.shape)


def hold_out(y: np.ndarray, share: float, draw: np.random.RandomState | np.ndarray) -> np.ndarray:
    """Draw a share of every class: at least one row of it, but never the last one.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Labels.
    share : float
        Between 0 and 1.
    draw : RandomState, or ndarray of shape (n_samples,)
        Draws at random, or a lot of each row: then those with the smallest lots are drawn.

    Returns
    -------
    ndarray of bool, shape (n_samples,)

    Examples
    --------
    >>> hold_out(np.array([0, 0, 0, 0, 1, 2, 2]), 0.5, np.random.RandomState(0)).sum()
    np.int64(3)
    >>> hold_out(np.array([0, 0, 0, 1, 1]), 0.5, np.array([5, 1, 2, 9, 7]))
    array([False,  True,  True, False,  True])
    """
    held = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        if isinstance(draw, np.ndarray):
            members = members[np.argsort(draw[members], kind="stable")]
        else:
            members = draw.permutation(members)
        wanted = round(share * len(members))
        held[members[: min(len(members) - 1, max(1, wanted))]] = True
    return held


def column_names(estimator: Any) -> list[str]:
    """Names of the columns that a fitted estimator saw; ``x0``, ``x1``, ... if they had none."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = [f"x{k}" for k in range(estimator.n_features_in_)]
    return [str(name) for name in names]


def fitted_attributes(estimator: Any) -> dict[str, Any]:
    """What fitting has stored on an estimator: the attributes that end in an underscore."""
    return {k: v for k, v in vars(estimator).items() if k.endswith("_") and k[0] != "_"}


@contextmanager
def whole_or_nothing(estimator: Any) -> Iterator[dict[str, Any]]:
    """Put the fitted attributes back as they were if fitting fails or is interrupted.

    Yields
    ------
    dict of str to object
        The fitted attributes before.
    """
    earlier = fitted_attributes(estimator)
    try:
        yield earlier
    except BaseException:
        for name in fitted_attributes(estimator):
            delattr(estimator, name)
        vars(estimator).update(earlier)
        raise


def refuse_collection(estimator: Any, X: Any) -> None:
    """Refuse a Dask collection where a table in memory is needed."""
    if is_collection(X):
        raise TypeError(
            f"X is a Dask collection, but {type(estimator).__name__} learns from a table in "
            "memory: call X.compute() first, or use UnevenClassifier or boosting such as "
            "BalancedBoostingClassifier."
        )


def is_collection(X: Any) -> bool:
    """Whether something is a Dask collection: an array or a frame that is still to be computed.

    Dask itself is loaded where it is needed.

    Examples
    --------
    >>> is_collection([[1.0, 2.0]])
    False
    """
    graph = getattr(type(X), "__dask_graph__", None)
    return graph is not None and X.__dask_graph__() is not None
