"""What ``fit`` and ``predict`` were given, validated: rows, labels, weights and their views.

Category columns of pandas and polars frames become ordered codes, without importing either: only
their column types are looked at, and everything else passes through untouched.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from uneven.utils.frames import is_text
from uneven.utils.row_hash import draw_lots, row_hashes, row_keys
from uneven.utils.validation import (
    check_clean,
    check_mass,
    check_table,
    hold_out,
    is_collection,
    refuse_collection,
    validate_data,
)
from uneven.views.maps import ViewMap, column_positions, resolve_views

_BLOCK = 1 << 16
_TIMES = ("date", "time", "duration", "period")
X_RULES: dict[str, Any] = {
    "accept_sparse": ["csr", "csc"],
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": "allow-nan",
}


@dataclass
class TrainingRows:
    """Validated training rows.

    Attributes
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    y : ndarray of int, shape (n_samples,)
        Positions in ``classes``.
    mass : ndarray of shape (n_samples,)
        Positive sample weights.
    view_mask : ndarray of bool, shape (n_samples, n_views)
    classes : ndarray of shape (n_classes,)
    views : ViewMap
    clean : ndarray of bool, shape (n_samples,), or None
        Rows whose label is known to be right; None if none are given.
    n_codes : ndarray of int, shape (n_features,), or None
        Categories of each column of a frame, 0 for numbers; None if there are numbers only.
    """

    X: Any
    y: np.ndarray
    mass: np.ndarray
    view_mask: np.ndarray
    classes: np.ndarray
    views: ViewMap
    clean: np.ndarray | None = None
    n_codes: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> TrainingRows:
        """The same with only these rows, by number; a mass that takes no memory stays so."""
        is_light = self.mass.strides == (0,) and len(self.mass) > 0
        mass = np.broadcast_to(self.mass[0], len(rows)) if is_light else self.mass[rows]
        return replace(
            self,
            X=self.X[rows],
            y=self.y[rows],
            mass=mass,
            view_mask=self.view_mask[rows],
            clean=None if self.clean is None else self.clean[rows],
        )

    def draw_keys(self) -> np.ndarray:
        """Keys by which rows are drawn, whatever their order; uint64, shape (n_samples,).

        Rows of equal values are numbered by label, then weight, then ``clean``, then the last
        digits of the values.
        """
        told = () if self.clean is None else (self.clean,)
        exact = row_hashes(self.X, exact=True)
        return row_keys(row_hashes(self.X), self.y, self.mass, *told, exact)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def is_sparse(self) -> bool:
        """Whether the table is sparse."""
        return bool(sp.issparse(self.X))

    @property
    def class_counts(self) -> np.ndarray:
        """Rows of each class, shape (n_classes,)."""
        return np.bincount(self.y, minlength=len(self.classes))

    def hold_out(self, share: float, seed: int) -> tuple[TrainingRows, TrainingRows]:
        """Hold out a share of every class, drawn by what the rows hold; see :meth:`split`."""
        return self.split(share, draw_lots(self.draw_keys(), seed))

    def close(self) -> None:
        """Nothing is to be freed."""

    def split(
        self, share: float, draw: np.random.RandomState | np.ndarray
    ) -> tuple[TrainingRows, TrainingRows]:
        """Hold out a share of every class: at least one row of it, but never the last one.

        Parameters
        ----------
        share : float
            Between 0 and 1.
        draw : RandomState, or ndarray of shape (n_samples,)
            Draws at random, or a lot of each row: then those with the smallest lots are held out.

        Returns
        -------
        kept, held_out : TrainingRows
        """
        held = hold_out(self.y, share, draw)
        return self.take(np.flatnonzero(~held)), self.take(np.flatnonzero(held))


def validate_fit_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, clean: Any = None
) -> TrainingRows:
    """Validate the arguments of ``fit``; store its columns on the estimator.

    Parameters
    ----------
    estimator : object
        Its ``views`` are resolved; gets ``n_features_in_``, ``feature_names_in_``,
        ``categories_``.
    X, y, sample_weight, clean : object
        As the user gave them.
    """
    refuse_collection(estimator, X)
    frame = X
    categories = learn_categories(X)
    X, y = validate_data(estimator, encode_categories(X, categories), y, **X_RULES)
    estimator.categories_ = categories
    check_classification_targets(y)
    mass = check_mass(sample_weight, len(y))
    sure = check_clean(clean, len(y))
    views = resolve_views(
        estimator.views,
        n_features=X.shape[1],
        feature_names=getattr(estimator, "feature_names_in_", None),
        frame=frame if hasattr(frame, "columns") else None,
    )
    if not mass.all():
        kept = np.flatnonzero(mass)
        X, y, mass = X[kept], y[kept], mass[kept]
        sure = None if sure is None else sure[kept]
    classes = np.unique(y)
    y = _class_numbers(y, classes)
    n_codes = None
    if categories:
        n_codes = np.array([len(categories.get(name, ())) for name in frame.columns])
    return TrainingRows(X, y, mass, views.presence(X), classes, views, sure, n_codes)


def _class_numbers(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Number of the class of each row, shape (n_samples,), without large temporary arrays."""
    numbers = np.empty(len(y), dtype=np.int32)
    for start in range(0, len(y), _BLOCK):
        block = slice(start, start + _BLOCK)
        numbers[block] = np.searchsorted(classes, y[block])
    return numbers


def count_categories(estimator: Any, rows: TrainingRows) -> np.ndarray | None:
    """Number of categories of each column, 0 for numbers.

    Parameters
    ----------
    estimator : object
        Its ``categorical_features`` names columns of codes, besides the category columns of a
        frame.
    rows : TrainingRows

    Returns
    -------
    ndarray of int, shape (n_features,), or None
        None if there are numbers only.
    """
    if estimator.categorical_features is None:
        return rows.n_codes
    columns = category_columns(estimator, rows.X.shape[1], sp.issparse(rows.X))
    if not columns.size:
        return rows.n_codes
    known = [rows.X[~np.isnan(rows.X[:, column]), column] for column in columns]
    return count_codes(columns, [CodeRange.of(own) for own in known], rows.n_codes, rows.X.shape[1])


def category_columns(estimator: Any, n_features: int, is_sparse: bool) -> np.ndarray:
    """Columns that ``categorical_features`` names."""
    names = getattr(estimator, "feature_names_in_", None)
    names = None if names is None else [str(name) for name in names]
    given = estimator.categorical_features
    columns = column_positions("categorical_features", given, n_features, names)
    if columns.size and is_sparse:
        raise ValueError("categorical_features needs a dense table; X is sparse.")
    return columns


class CodeRange(NamedTuple):
    """The largest value of a column of codes, and the largest that is no code; -inf if none is."""

    most: float
    odd: float

    @classmethod
    def of(cls, values: np.ndarray) -> CodeRange:
        """The range of values that are known, shape (n_known,)."""
        odd = values[(values < 0) | (values != np.rint(values)) | (values > 1e6)]
        return cls(float(values.max(initial=0.0)), float(odd.max(initial=-np.inf)))


def count_codes(
    columns: np.ndarray, found: Sequence[CodeRange], known: np.ndarray | None, n_features: int
) -> np.ndarray:
    """Number of categories of each column, shape (n_features,); refuse values that are no codes.

    Parameters
    ----------
    columns : ndarray of int, shape (n_columns,)
        Those of codes.
    found : sequence of CodeRange
        Their values.
    known : ndarray of int, shape (n_features,), or None
        Numbers of categories that are known already.
    n_features : int
    """
    counts = np.zeros(n_features, dtype=np.int64)
    if known is not None:
        counts[:] = known
    for column, own in zip(columns, found):
        if own.odd > -np.inf:
            raise ValueError(
                f"categorical_features: column {column} holds values that are no codes of "
                f"categories (whole numbers from 0 to a million), such as {own.odd:g}."
            )
        counts[column] = max(counts[column], int(own.most) + 1)
    return counts


def validate_predict_data(estimator: Any, X: Any) -> Any:
    """Validate what ``predict`` was given against what ``fit`` saw."""
    encoded = encode_categories(X, estimator.categories_)
    return validate_data(estimator, encoded, reset=False, **X_RULES)


def with_unread_columns(estimator: Any, X: Any) -> Any:
    """A pandas frame with NaN for columns that it lacks, if a fitted estimator does not read them.

    Parameters
    ----------
    estimator : object
        With ``views_``; ``feature_names_in_`` if it was fitted to a frame.
    X : object
        As the user gave it; anything but a frame without such columns is returned as it is.
    """
    names = getattr(estimator, "feature_names_in_", None)
    if names is None or not hasattr(X, "reindex") or len(X.columns) >= len(names):
        return X
    unread = np.ones(len(names), dtype=bool)
    unread[estimator.views_.used_columns] = False
    unread &= ~np.isin(names, list(X.columns))
    return X.reindex(columns=names) if list(X.columns) == list(names[~unread]) else X


def validate_held_rows(estimator: Any, given: Any, rows: Any) -> TrainingRows:
    """Validate the rows that early stopping is to look at.

    Parameters
    ----------
    estimator : object
        Knows the columns of the training rows.
    given : tuple (X, y) or (X, y, sample_weight)
        As the user gave them; Dask collections are computed.
    rows : TrainingRows, or training rows elsewhere
    """
    if not isinstance(given, tuple) or len(given) not in (2, 3):
        raise ValueError("validation must be a tuple (X, y) or (X, y, sample_weight).")
    X, y, *weight = (one.compute() if is_collection(one) else one for one in given)
    X = validate_predict_data(estimator, X)
    y = column_or_1d(y)
    if len(y) != X.shape[0]:
        raise ValueError(f"validation has {X.shape[0]} rows of X, but {len(y)} labels.")
    mass = check_mass(weight[0] if weight else None, len(y))
    kept = np.flatnonzero(mass)
    X, y, mass = X[kept], y[kept], mass[kept]
    unknown = np.setdiff1d(y, rows.classes).tolist()
    if unknown:
        raise ValueError(
            f"validation holds the label {unknown[0]!r}, which no training row has; there are "
            f"{rows.classes[:8].tolist()}."
        )
    numbers = _class_numbers(y, rows.classes)
    return TrainingRows(X, numbers, mass, rows.views.presence(X), rows.classes, rows.views)


def speaking_views(
    y: np.ndarray, view_mask: np.ndarray, views: ViewMap, warn: bool = True
) -> list[int]:
    """Positions of the views that show at least two classes; the others have nothing to say.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
    view_mask : ndarray of bool, shape (n_samples, n_views)
    views : ViewMap
    warn : bool, default=True
        Warn of the others, unless ``y`` holds only one class anyway.
    """
    counts = np.array([len(np.unique(y[here])) for here in view_mask.T])
    speaks = tell_silent_views(counts, views, warn and len(np.unique(y)) > 1)
    return [int(j) for j in np.flatnonzero(speaks)]


def tell_silent_views(n_classes: np.ndarray, views: ViewMap, warn: bool = True) -> np.ndarray:
    """Which views show at least two classes, bool, shape (n_views,); warn of the others.

    Parameters
    ----------
    n_classes : ndarray of int, shape (n_views,)
        Classes that the rows with each view show.
    views : ViewMap
    warn : bool, default=True
    """
    silent = [name for name, count in zip(views.names, n_classes) if count < 2]
    if warn and silent:
        warnings.warn(
            f"views {silent} are not used: the training rows in which they are present have fewer "
            "than two classes.",
            stacklevel=5,
        )
    return np.asarray(n_classes > 1)


def tell_absent_views(rows: TrainingRows) -> None:
    """Warn of views that no row has, for methods that use views with a single class."""
    absent = [name for name, here in zip(rows.views.names, rows.view_mask.T) if not here.any()]
    if absent and len(rows.views) > 1:
        warnings.warn(
            f"views {absent} are not used: they are missing in every training row.", stacklevel=5
        )


def check_same_table(estimator: Any, earlier: dict[str, Any]) -> None:
    """Refuse to continue from an earlier fit on other columns, classes or views."""
    for name, what in (
        ("n_features_in_", "number of columns"),
        ("feature_names_in_", "column names"),
        ("categories_", "categories"),
        ("classes_", "classes"),
        ("views_", "views"),
    ):
        then: Any = earlier.get(name)
        now: Any = getattr(estimator, name, None)
        if _plain(then) != _plain(now):
            raise ValueError(
                f"warm_start needs the {what} of the first fit, {str(_plain(then))[:200]}, "
                f"but there are now {str(_plain(now))[:200]}."
            )


def _plain(value: Any) -> Any:
    if isinstance(value, ViewMap):
        return [(name, columns.tolist()) for name, columns in zip(value.names, value.columns)]
    return value.tolist() if isinstance(value, np.ndarray) else value


def learn_categories(X: Any) -> dict[Any, list]:
    """Categories of every category column, in their order.

    Parameters
    ----------
    X : object
        A frame, or anything else (which has none).

    Examples
    --------
    >>> import pandas as pd
    >>> learn_categories(pd.DataFrame({"size": pd.Categorical(["s", "l"], ["s", "m", "l"])}))
    {'size': ['s', 'm', 'l']}
    """
    found: dict[Any, list] = {}
    names = _frame_columns(X)
    check_table(X)
    for name, dtype in zip(names, X.dtypes if names else ()):
        kind = str(dtype)
        if kind.startswith("Enum"):
            found[name] = list(X[name].dtype.categories)
        elif kind.startswith("Categorical"):
            found[name] = sorted(X[name].unique().drop_nulls().to_list())
        elif kind == "category":
            found[name] = X[name].cat.categories.tolist()
        elif is_text(kind):
            _refuse_text(X, name)
        elif kind.lower().startswith(_TIMES):
            raise ValueError(
                f"column {name!r} holds dates or times ({kind}): turn them into numbers, such as "
                "days since a day or the hour of the day."
            )
    return found


def encode_categories(X: Any, categories: dict[Any, list]) -> Any:
    """Replace category columns by their codes.

    Parameters
    ----------
    X : object
        A frame, or anything else (which is returned as it is).
    categories : dict of column name to list
        What :func:`learn_categories` found in the training frame. A value that is not among them
        becomes NaN.

    Returns
    -------
    object
        A frame with float codes in the category columns; the given object is not changed.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": pd.Categorical(["s", "xl", "l"])})
    >>> encode_categories(frame, {"size": ["s", "m", "l"]})["size"].tolist()
    [0.0, nan, 2.0]
    """
    columns = set(_frame_columns(X)) if categories else set()
    for name in columns.intersection(categories):
        code = {value: float(k) for k, value in enumerate(categories[name])}
        X = _with_column(X, name, _codes_of(X[name], code))
    return X


def _codes_of(column: Any, code: dict[Any, float]) -> np.ndarray:
    """Code of every value of a column, NaN for a value that has none, shape (n_samples,)."""
    if str(column.dtype) == "category" and hasattr(column, "cat"):
        own = [code.get(value, np.nan) for value in column.cat.categories.tolist()]
        return np.array([*own, np.nan])[column.cat.codes.to_numpy()]
    values = column.to_list() if hasattr(column, "to_list") else list(column)
    return np.array([code.get(value, np.nan) for value in values], dtype=np.float64)


def _frame_columns(X: Any) -> list[Any]:
    if not (hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "shape")):
        return []
    return list(X.columns)


def _with_column(X: Any, name: Any, codes: np.ndarray) -> Any:
    if hasattr(X, "with_columns"):
        return X.with_columns(**{name: codes})
    changed = X.copy(deep=False)
    changed[name] = codes
    return changed


def _refuse_text(X: Any, name: Any) -> None:
    """Refuse a column of words with a way out; numbers stored as objects are left alone."""
    for value in X[name]:
        if type(value).__name__ == "NAType":
            raise ValueError(
                f"column {name!r} holds objects, and pandas.NA among them: turn it into numbers "
                "(pandas.to_numeric) or categories (astype('category'))."
            )
        if isinstance(value, str):
            try:
                float(value)
            except ValueError:
                raise ValueError(
                    f"could not convert string to float: column {name!r} holds text such as "
                    f"{value!r}. Make it a category column (astype('category')) if its values "
                    "are few, or encode it with a scikit-learn transformer first."
                ) from None
