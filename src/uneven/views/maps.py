"""What the columns mean: views, and the rows in which a view is missing.

A view is a named group of columns of one two-dimensional ``X``: the words of a text, the pixels
of an image, one sensor. Views belong to the estimator (its ``views`` parameter), so that
cross-validation, grid search and pipelines need to know nothing about them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from uneven.utils.model_types import check_columns, persisted
from uneven.views.containers import is_container, views_in


@persisted("views", role="views")
@dataclass(frozen=True)
class ViewMap:
    """Named groups of columns, resolved to integer positions.

    Attributes
    ----------
    names : tuple of str
        One name per view, in the order given by the user.
    columns : tuple of ndarray of int
        The sorted column positions of each view. Views may share columns.
    n_features : int
        Number of columns of the table that the views were resolved against.

    Examples
    --------
    >>> import numpy as np
    >>> from uneven.views import resolve_views
    >>> views = resolve_views({"left": [0, 1], "right": slice(2, 4)}, n_features=4)
    >>> views.names
    ('left', 'right')
    >>> X = np.array([[1.0, 2.0, np.nan, np.nan], [1.0, np.nan, 3.0, 4.0]])
    >>> views.presence(X)
    array([[ True, False],
           [ True,  True]])
    """

    names: tuple[str, ...]
    columns: tuple[np.ndarray, ...]
    n_features: int

    def __len__(self) -> int:
        return len(self.names)

    @property
    def used_columns(self) -> np.ndarray:
        """Sorted positions of the columns that belong to at least one view, shape (n_used,)."""
        return np.unique(np.concatenate(self.columns))

    def membership(self) -> np.ndarray:
        """Share of each column that each view owns.

        Returns
        -------
        ndarray of shape (n_views, n_features)
            Each used column sums to 1; a column shared by several views is divided evenly.
        """
        owns = np.zeros((len(self), self.n_features))
        for j, columns in enumerate(self.columns):
            owns[j, columns] = 1.0
        return owns / np.maximum(owns.sum(axis=0), 1.0)

    def deal(self, word: str, given: Any) -> list[Any]:
        """What each view gets: its own by name from a mapping, or the same for all.

        Parameters
        ----------
        word : str
            Name of the parameter, for the error message.
        given : object, or mapping of view name to object

        Returns
        -------
        list of length n_views
            None for views that a mapping does not name.
        """
        if not isinstance(given, Mapping):
            return [given] * len(self)
        given = {str(name): thing for name, thing in given.items()}
        strangers = [name for name in given if name not in self.names]
        if strangers:
            raise ValueError(
                f"{word} names a view that is not there: {strangers[0]!r}; the views are "
                f"{list(self.names)}."
            )
        return [given.get(name) for name in self.names]

    def presence(self, X: Any) -> np.ndarray:
        """Rows in which each view is present.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_features)
            NaN is a missing value.

        Returns
        -------
        ndarray of bool, shape (n_samples, n_views)
            False where every column of the view is NaN.
        """
        if sp.issparse(X):
            missing = sp.csc_array(X, dtype=np.float64)
            missing.data = np.isnan(missing.data).astype(np.float64)
            if not missing.data.any():
                return np.ones((X.shape[0], len(self)), dtype=bool)
            counts = [np.asarray(missing[:, c].sum(axis=1)).ravel() for c in self.columns]
            return np.column_stack([n < len(c) for n, c in zip(counts, self.columns)])
        with np.errstate(all="ignore"):
            surely_complete = not np.isnan(np.add.reduce(X, axis=None))
        if surely_complete:
            return np.ones((X.shape[0], len(self)), dtype=bool)
        missing = np.isnan(X)
        return np.column_stack([~missing[:, c].all(axis=1) for c in self.columns])

    def _check_model_(self, n_features: int) -> None:
        """Refuse loaded views that do not belong to a table of so many columns."""
        if self.n_features != n_features:
            raise ValueError(f"its views do not belong to a table of {n_features} columns")
        if len(self.names) != len(self.columns) or not self.names:
            raise ValueError(f"there are {len(self.columns)} lists of columns for {self.names}")
        for name, columns in zip(self.names, self.columns):
            check_columns(columns, n_features, name)


def resolve_views(
    views: Any,
    *,
    n_features: int,
    feature_names: Sequence[str] | None = None,
    frame: Any = None,
) -> ViewMap:
    """Resolve the parameter ``views`` to column positions.

    Parameters
    ----------
    views : None, dict, sequence of int or "prefix"
        ``None`` is one view named "all". A dict maps a name to column names, positions, a slice,
        a boolean mask or a callable that receives the frame and returns any of these. A sequence
        of increasing positions ``[0, 20, 45]`` gives the boundaries of consecutive views.
        "prefix" groups the column names by what stands before the first ``__``.
    n_features : int
        Number of columns of the table.
    feature_names : sequence of str, optional
        Column names, needed by name and by "prefix".
    frame : dataframe, optional
        What a callable selector receives.

    Returns
    -------
    ViewMap

    Examples
    --------
    >>> names = ["text__a", "text__b", "sound__a"]
    >>> views = resolve_views("prefix", n_features=3, feature_names=names)
    >>> {name: list(map(int, c)) for name, c in zip(views.names, views.columns)}
    {'text': [0, 1], 'sound': [2]}
    """
    names = None if feature_names is None else [str(name) for name in feature_names]
    if views is None:
        spec: dict[Hashable, Any] = {"all": slice(None)}
    elif isinstance(views, str):
        spec = _views_by_prefix(views, names)
    elif isinstance(views, Mapping):
        spec = dict(views)
    else:
        spec = _views_by_boundaries(views, n_features)
    if not spec:
        raise ValueError("views is empty: give at least one view, or None for one view of all.")
    if len({str(name) for name in spec}) < len(spec):
        raise ValueError(f"two views have the same name when written out: {list(spec)}.")
    columns = tuple(
        _positions(name, wanted, n_features, names, frame) for name, wanted in spec.items()
    )
    return ViewMap(tuple(str(name) for name in spec), columns, n_features)


def _views_by_prefix(word: str, names: list[str] | None) -> dict[Hashable, Any]:
    if word != "prefix":
        raise ValueError(f'views={word!r} is not known; the only word accepted is "prefix".')
    if names is None:
        raise ValueError(
            'views="prefix" needs column names: fit with a DataFrame whose columns are called '
            "view__feature, or give views as a dict of column positions."
        )
    bare = [name for name in names if "__" not in name]
    if bare:
        raise ValueError(
            f'views="prefix" needs every column to be called view__feature, but {bare[0]!r} '
            f"({len(bare)} in all) has no double underscore."
        )
    groups: dict[Hashable, list[int]] = {}
    for position, name in enumerate(names):
        groups.setdefault(name.split("__", 1)[0], []).append(position)
    return dict(groups)


def _views_by_boundaries(views: Any, n_features: int) -> dict[Hashable, Any]:
    try:
        edges = np.asarray(views)
    except ValueError:  # lists of several lengths
        edges = np.empty(0)
    if edges.ndim != 1 or edges.size < 2 or not np.issubdtype(edges.dtype, np.integer):
        raise ValueError(
            "views must be None, a dict of name -> columns, increasing boundaries such as "
            f'[0, 20, 45], or "prefix"; got {views!r}.'
        )
    if edges[0] != 0 or edges[-1] != n_features or np.any(np.diff(edges) <= 0):
        raise ValueError(
            f"view boundaries must increase from 0 to the number of columns ({n_features}); "
            f"got {edges.tolist()}."
        )
    spans = pairwise(edges.tolist())
    return {f"view{j}": slice(a, b) for j, (a, b) in enumerate(spans)}


def _positions(
    name: Hashable, wanted: Any, n_features: int, names: list[str] | None, frame: Any
) -> np.ndarray:
    """Resolve one view's columns to sorted positions, shape (n_columns,)."""
    if callable(wanted):
        if frame is None:
            raise ValueError(f"view {name!r} is chosen by a callable, which needs a DataFrame.")
        wanted = wanted(frame)
    if isinstance(wanted, slice):
        try:
            wanted = np.arange(n_features)[wanted]
        except TypeError as error:
            raise ValueError(f"view {name!r} is {wanted}: slices hold positions.") from error
    found = column_positions(f"view {name!r}", wanted, n_features, names)
    if found.size == 0:
        raise ValueError(f"view {name!r} has no columns.")
    return found


def column_positions(
    what: str, wanted: Any, n_features: int, names: list[str] | None
) -> np.ndarray:
    """Sorted positions of columns that are given by name, position or mask; shape (n_columns,).

    Parameters
    ----------
    what : str
        What the columns are, for errors.
    wanted : str, int or array-like of str, int or bool
    n_features : int
    names : list of str or None
        Names of all columns.

    Examples
    --------
    >>> column_positions("view 'a'", [-1, 0], 3, None).tolist()
    [0, 2]
    """
    if wanted is None or isinstance(wanted, float):
        raise ValueError(f"{what} must hold column names or integers, got {wanted}.")
    listed = [wanted] if isinstance(wanted, str | int | np.integer) else list(wanted)
    if any(isinstance(column, str) for column in listed):
        found = _positions_of_names(what, listed, names)
    else:
        found = _positions_of_numbers(what, np.asarray(listed), n_features)
    unique = np.unique(found)
    if unique.size != found.size:
        raise ValueError(f"{what} names a column twice.")
    return unique


def _positions_of_names(what: str, listed: list, names: list[str] | None) -> np.ndarray:
    if names is None:
        raise ValueError(
            f"{what} is given by column names, but X has none: it is no frame, or its column names "
            "are not all text."
        )
    where = {column: position for position, column in enumerate(names)}
    unknown = [column for column in listed if column not in where]
    if unknown:
        raise ValueError(f"{what} names columns that are not in X: {unknown[:5]}.")
    return np.array([where[column] for column in listed], dtype=np.intp)


def _positions_of_numbers(what: str, listed: np.ndarray, n_features: int) -> np.ndarray:
    if listed.dtype == bool:
        if listed.shape != (n_features,):
            raise ValueError(
                f"the mask of {what} has shape {listed.shape}, X has {n_features} columns."
            )
        return np.flatnonzero(listed)
    if listed.size and not np.issubdtype(listed.dtype, np.integer):
        raise ValueError(f"{what} must hold column names or integers, got {listed[:5]}.")
    if listed.size and (listed.min() < -n_features or listed.max() >= n_features):
        raise ValueError(
            f"{what} reaches outside the {n_features} columns of X: {listed.min()}..{listed.max()}."
        )
    return np.asarray(listed % n_features if listed.size else listed, dtype=np.intp)


def join_views(
    arrays: Any, views: Mapping[str, slice] | None = None
) -> tuple[Any, dict[str, slice]]:
    """Concatenate separate arrays, and return the columns of each as a view.

    Parameters
    ----------
    arrays : mapping of str to array-like, data frame or sparse matrix, each (n_samples, n_columns)
        One array per view, rows in the same order; a row of NaN is a missing view. Frames whose
        indexes share labels must have the same index. The result is sparse as soon as one of them
        is. Or an AnnData (``X`` and the tables in ``obsm``) or MuData (one view per modality; rows
        that one lacks are missing).
    views : dict of str to slice, optional
        As returned for an earlier table, for rows to predict: views then get the same columns,
        whatever their order in ``arrays``, and one that ``arrays`` lacks is missing in every row.
        Within a view, columns are taken by position: they must be in the order of that table.

    Returns
    -------
    X : ndarray or csr_array of shape (n_samples, n_features)
    views : dict of str to slice
        Ready for the ``views`` parameter of an estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from uneven import join_views
    >>> X, views = join_views({"text": np.eye(3), "sound": np.ones((3, 2))})
    >>> X.shape, views
    ((3, 5), {'text': slice(0, 3, None), 'sound': slice(3, 5, None)})
    >>> join_views({"sound": np.ones((1, 2))}, views)[0]
    array([[nan, nan, nan,  1.,  1.]])
    """
    if not isinstance(arrays, Mapping) and is_container(arrays):
        arrays = views_in(arrays)
    if not isinstance(arrays, Mapping):
        raise TypeError(
            'join_views needs a mapping of names to arrays, such as {"text": A, "sound": B}, '
            f"got a {type(arrays).__name__}."
        )
    if not arrays:
        raise ValueError("join_views needs at least one array.")
    parts = {name: _numbers(name, part) for name, part in arrays.items()}
    for name, part in parts.items():
        if part.ndim != 2:
            raise ValueError(f"view {name!r} must be two-dimensional, got shape {part.shape}.")
    rows = {name: part.shape[0] for name, part in parts.items()}
    if len(set(rows.values())) > 1:
        raise ValueError(
            f"the views must have the same number of rows, got {rows}: a view that is missing in a "
            "row has NaN there (frame.reindex(index) adds such rows)."
        )
    _check_row_order(arrays)
    if views is not None:
        parts = _as_earlier(parts, views, next(iter(rows.values())))
    stops = np.cumsum([part.shape[1] for part in parts.values()])
    starts = np.concatenate([[0], stops[:-1]])
    found = {name: slice(int(a), int(b)) for name, a, b in zip(parts, starts, stops)}
    if any(sp.issparse(part) for part in parts.values()):
        return sp.csr_array(sp.hstack(list(parts.values()), format="csr")), found
    return np.hstack(list(parts.values())), found


def _as_earlier(
    parts: Mapping[str, Any], views: Mapping[str, slice], n_rows: int
) -> dict[str, Any]:
    """The arrays in the order of earlier views; NaN for those that are not there."""
    unknown = [name for name in parts if name not in views]
    if unknown:
        raise ValueError(f"views {unknown} are new: the earlier table had {list(views)}.")
    widths = {name: columns.stop - columns.start for name, columns in views.items()}
    for name, part in parts.items():
        if part.shape[1] != widths[name]:
            raise ValueError(
                f"view {name!r} has {part.shape[1]} columns, in the earlier table {widths[name]}."
            )
    return {
        name: parts[name] if name in parts else np.full((n_rows, width), np.nan)
        for name, width in widths.items()
    }


def _check_row_order(arrays: Mapping[Any, Any]) -> None:
    """Refuse frames whose indexes share labels, but not row by row."""
    indexes = {name: part.index for name, part in arrays.items() if hasattr(part, "iloc")}
    for (left, one), (right, other) in combinations(indexes.items(), 2):
        if one.equals(other) or one.nlevels != other.nlevels:
            continue
        shared = other.isin(one)
        if not shared.any():
            continue
        positions = "or both with reset_index(drop=True) if their rows belong together as they are."
        if shared.all() and one.isin(other).all():
            raise ValueError(
                f"the frames {left!r} and {right!r} have the same rows in different orders: give "
                f"{right!r} as frame.loc[index] with the index of {left!r}, {positions}"
            )
        raise ValueError(
            f"the frames {left!r} and {right!r} share some rows, such as "
            f"{other[shared].tolist()[0]!r}, but not all: give both as frame.reindex(index) with "
            f"one index, {positions}"
        )


def _numbers(name: Hashable, part: Any) -> Any:
    """Sparse matrix or array of numbers, shape (n_samples, n_columns)."""
    if sp.issparse(part):
        return part
    table = np.asarray(part)
    kinds = [str(kind) for kind in getattr(part, "dtypes", ())] if table.ndim == 2 else []
    if table.dtype.kind in "biuf" and "category" not in kinds:
        return table
    if table.dtype == object and not any(isinstance(value, str) for value in table.flat):
        with suppress(TypeError, ValueError):
            return table.astype(np.float64)
    raise ValueError(
        f"view {name!r} holds text, categories or other things that are not numbers: encode them "
        "first, or give one data frame with all columns to ViewColumns."
    )
