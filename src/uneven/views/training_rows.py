"""What ``fit`` and ``predict`` were given, validated: rows, labels, weights and their views."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from uneven.utils.frames import encode_categories, learn_categories
from uneven.utils.validation import check_clean, check_mass, hold_out, narrow_indices
from uneven.views.maps import ViewMap, resolve_views

__all__ = [
    "TrainingRows",
    "check_same_table",
    "speaking_views",
    "validate_fit_data",
    "validate_predict_data",
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
    view_mask : ndarray of bool, shape (n_samples, n_views)
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
    view_mask: np.ndarray
    classes: np.ndarray
    views: ViewMap
    clean: np.ndarray | None = None
    n_codes: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> TrainingRows:
        """The same with only these rows."""
        return replace(
            self,
            X=self.X[rows],
            y=self.y[rows],
            mass=self.mass[rows],
            view_mask=self.view_mask[rows],
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


def validate_fit_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, clean: Any = None
) -> TrainingRows:
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
    classes, y = np.unique(y, return_inverse=True)
    y = y.astype(np.int32, copy=False)
    n_codes = None
    if categories:
        n_codes = np.array([len(categories.get(name, ())) for name in frame.columns])
    return TrainingRows(X, y, mass, views.presence(X), classes, views, sure, n_codes)


def validate_predict_data(estimator: Any, X: Any) -> Any:
    """Validate what ``predict`` was given against what ``fit`` saw."""
    encoded = encode_categories(X, estimator.categories_)
    return narrow_indices(validate_data(estimator, encoded, reset=False, **_X_RULES))


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

    Returns
    -------
    list of int
    """
    counts = [len(np.unique(y[here])) for here in view_mask.T]
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
