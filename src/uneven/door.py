"""The door of the estimators: everything that can be wrong is said here."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from uneven.frames import encode_categories, learn_categories
from uneven.threads import Workers
from uneven.views import ViewMap, resolve_views
from uneven.voters import TrainingTable

__all__ = [
    "TrainingRows",
    "check_choice",
    "check_class_cost",
    "check_flag",
    "check_integer",
    "check_learning",
    "check_mass",
    "check_rounds",
    "check_same_table",
    "column_names",
    "enter",
    "enter_again",
    "fitted_attributes",
    "hold_out",
    "narrow_indices",
    "speaking_views",
    "whole_or_nothing",
]

_X_RULES: dict[str, Any] = {
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
    present : ndarray of bool, shape (n_samples, n_views)
    classes : ndarray of shape (n_classes,)
    views : ViewMap
    clean : ndarray of bool, shape (n_samples,), or None
        Rows whose label is known to be right; None if nobody said so.
    n_codes : ndarray of int, shape (n_features,), or None
        Categories of each column of a frame, 0 for numbers; None if there are numbers only.
    """

    X: Any
    y: np.ndarray
    mass: np.ndarray
    present: np.ndarray
    classes: np.ndarray
    views: ViewMap
    clean: np.ndarray | None = None
    n_codes: np.ndarray | None = None

    def table(self, max_bins: int, team: Workers) -> TrainingTable:
        """The rows as weak learners see them."""
        n_classes = len(self.classes)
        return TrainingTable(self.X, self.y, n_classes, self.mass, max_bins, team, self.n_codes)

    def take(self, rows: np.ndarray) -> TrainingRows:
        """The same with only these rows."""
        return replace(
            self,
            X=self.X[rows],
            y=self.y[rows],
            mass=self.mass[rows],
            present=self.present[rows],
            clean=None if self.clean is None else self.clean[rows],
        )

    def split(self, share: float, rng: np.random.RandomState) -> tuple[TrainingRows, TrainingRows]:
        """Hold out a share of every class: at least one row of it, but never the last one.

        Parameters
        ----------
        share : float
            Between 0 and 1.
        rng : RandomState

        Returns
        -------
        kept, held_out : TrainingRows
        """
        held = hold_out(self.y, share, rng)
        return self.take(np.flatnonzero(~held)), self.take(np.flatnonzero(held))


def hold_out(y: np.ndarray, share: float, rng: np.random.RandomState) -> np.ndarray:
    """Draw a share of every class: at least one row of it, but never the last one.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Labels.
    share : float
        Between 0 and 1.
    rng : RandomState

    Returns
    -------
    ndarray of bool, shape (n_samples,)

    Examples
    --------
    >>> hold_out(np.array([0, 0, 0, 0, 1, 2, 2]), 0.5, np.random.RandomState(0)).sum()
    np.int64(3)
    """
    held = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == label))
        wanted = round(share * len(members))
        held[members[: min(len(members) - 1, max(1, wanted))]] = True
    return held


def enter(estimator: Any, X: Any, y: Any, sample_weight: Any, clean: Any = None) -> TrainingRows:
    """Validate what ``fit`` was given and remember its columns on the estimator.

    Parameters
    ----------
    estimator : object
        Its ``views`` are resolved; gets ``n_features_in_``, ``feature_names_in_``,
        ``categories_``.
    X, y, sample_weight, clean : object
        As the user gave them.

    Returns
    -------
    TrainingRows
    """
    frame = X
    categories = learn_categories(X)
    X, y = validate_data(estimator, encode_categories(X, categories), y, **_X_RULES)
    X = narrow_indices(X)
    estimator.categories_ = categories
    check_classification_targets(y)
    mass = check_mass(sample_weight, len(y))
    sure = _check_clean(clean, len(y))
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
    classes, y = np.unique(y, return_inverse=True)
    y = y.astype(np.int32, copy=False)
    n_codes = None
    if categories:
        n_codes = np.array([len(categories.get(name, ())) for name in frame.columns])
    return TrainingRows(X, y, mass, views.presence(X), classes, views, sure, n_codes)


def enter_again(estimator: Any, X: Any) -> Any:
    """Validate what ``predict`` was given against what ``fit`` saw."""
    encoded = encode_categories(X, estimator.categories_)
    return narrow_indices(validate_data(estimator, encoded, reset=False, **_X_RULES))


def column_names(estimator: Any) -> list[str]:
    """Names of the columns that a fitted estimator saw; ``x0``, ``x1``, ... if they had none."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = [f"x{k}" for k in range(estimator.n_features_in_)]
    return [str(name) for name in names]


def narrow_indices(X: Any) -> Any:
    """Give a sparse table 32-bit indices if they fit: trees of scikit-learn take no others.

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
    if not sp.issparse(X):
        return X
    wide = np.int64 in (X.indices.dtype, X.indptr.dtype)
    if not wide or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return type(X)(parts, shape=X.shape)


def check_learning(estimator: Any) -> None:
    """Refuse impossible values of the parameters that every vote of boosted voters has."""
    check_integer("n_estimators", estimator.n_estimators, 1)
    check_integer("max_bins", estimator.max_bins, 2, 255)
    if estimator.n_jobs is not None and estimator.n_jobs != -1:
        check_integer("n_jobs", estimator.n_jobs, -(2**31))
    rate = estimator.learning_rate
    if not isinstance(rate, Real) or not 0.0 < float(rate) <= 1.0:
        raise ValueError(f"learning_rate must be in (0, 1], got {rate!r}.")


def check_flag(name: str, value: Any) -> None:
    """Refuse a parameter that is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}.")


def check_rounds(estimator: Any) -> None:
    """Refuse impossible values of the parameters that the methods of the boosting loop share."""
    check_learning(estimator)
    if estimator.estimator is None or isinstance(estimator.estimator, Mapping):
        check_integer("max_depth", estimator.max_depth, 1, 30)
    check_integer("n_iter_no_change", estimator.n_iter_no_change, 1)
    for flag in ("early_stopping", "warm_start", "line_search"):
        check_flag(flag, getattr(estimator, flag, False))
    drawn = estimator.subsample
    if not isinstance(drawn, Real) or not 0.0 < float(drawn) <= 1.0:
        raise ValueError(f"subsample must be in (0, 1], got {drawn!r}.")
    share = estimator.validation_fraction
    if not isinstance(share, Real) or not 0.0 < float(share) < 1.0:
        raise ValueError(f"validation_fraction must be between 0 and 1, got {share!r}.")


def fitted_attributes(estimator: Any) -> dict[str, Any]:
    """What fitting has stored on an estimator: the attributes that end in an underscore."""
    return {k: v for k, v in vars(estimator).items() if k.endswith("_") and k[0] != "_"}


@contextmanager
def whole_or_nothing(estimator: Any) -> Iterator[dict[str, Any]]:
    """Put the fitted attributes back as they were if fitting fails or is interrupted.

    Parameters
    ----------
    estimator : object

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


def speaking_views(
    y: np.ndarray, present: np.ndarray, views: ViewMap, warn: bool = True
) -> list[int]:
    """Positions of the views that show at least two classes; the others have nothing to say.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
    present : ndarray of bool, shape (n_samples, n_views)
    views : ViewMap
    warn : bool, default=True
        Warn of the others, unless ``y`` holds only one class anyway.

    Returns
    -------
    list of int
    """
    counts = [len(np.unique(y[here])) for here in present.T]
    silent = [name for name, count in zip(views.names, counts) if count < 2]
    if warn and silent and len(np.unique(y)) > 1:
        warnings.warn(
            f"views {silent} stay silent: the training rows that have them show fewer than two "
            "classes.",
            stacklevel=4,
        )
    return [j for j, count in enumerate(counts) if count > 1]


def check_same_table(estimator: Any, earlier: dict[str, Any]) -> None:
    """Refuse to go on from an earlier fit on other columns, classes or views."""
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


def check_class_cost(class_cost: Any, classes: np.ndarray) -> np.ndarray | None:
    """Validate a class-pair cost matrix.

    Parameters
    ----------
    class_cost : array-like of shape (n_classes, n_classes) or None
        Row = true class, column = answer, in the order of ``classes``. The diagonal is ignored.
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
            f"({list(classes[:8])}): it must be {n_classes} x {n_classes}, one row per true class "
            "and one column per answer, in sorted class order."
        )
    np.fill_diagonal(costs, 1.0)
    if not np.isfinite(costs).all() or (costs < 0).any():
        raise ValueError("class_cost must hold finite numbers >= 0 outside its diagonal.")
    if n_classes > 1 and not costs[~np.eye(n_classes, dtype=bool)].any():
        raise ValueError("class_cost is zero for every mistake: there is nothing to learn.")
    return costs


def check_choice(name: str, value: Any, choices: Iterable[str], or_callable: bool = False) -> None:
    """Refuse a parameter that is not one of some words (or a callable, where that is allowed)."""
    known = sorted(choices)
    if (or_callable and callable(value)) or (isinstance(value, str) and value in known):
        return
    words = ", ".join(repr(word) for word in known) + (" or a callable" if or_callable else "")
    raise ValueError(f"{name} must be one of {words}; got {value!r}.")


def check_integer(name: str, value: Any, low: int, high: int | None = None) -> None:
    """Refuse a parameter that is not a whole number between ``low`` and ``high``."""
    is_integer = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_integer or value < low or (high is not None and value > high):
        span = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name} must be a whole number {span}, got {value!r}.")


def _check_clean(clean: Any, n_samples: int) -> np.ndarray | None:
    """Which labels are known to be right, shape (n_samples,)."""
    if clean is None:
        return None
    sure = np.asarray(clean)
    if sure.shape != (n_samples,) or sure.dtype != np.bool_:
        raise ValueError(
            f"clean must hold True or False for each of the {n_samples} rows, got an array of "
            f"shape {sure.shape} and type {sure.dtype}."
        )
    return sure


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
        mass = column_or_1d(np.asarray(sample_weight, dtype=np.float64))
    if mass.shape != (n_samples,):
        raise ValueError(f"sample_weight has {len(mass)} entries, X has {n_samples} rows.")
    if not np.isfinite(mass).all() or (mass < 0).any():
        raise ValueError("sample_weight must hold finite numbers >= 0.")
    if not mass.any():
        raise ValueError("sample_weight is zero for every row: there is nothing to learn from.")
    if 1e-100 <= mass.max() <= 1e100:
        return mass
    return np.where(mass > 0.0, np.maximum(mass / mass.max(), np.finfo(float).tiny), 0.0)
