"""How the classifiers of this room begin to learn: tables stay what they are for the members.

The members are whole classifiers or pipelines, which know better what they can read: data frames
with words, sparse matrices, holes. So only arrays are checked here; frames and lists of texts are
handed on as they came.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import PredefinedSplit
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from uneven.stacking.composition import open_members
from uneven.stacking.out_of_fold.members import Member
from uneven.stacking.out_of_fold.tables import count_rows, holds_texts, open_table, row_numbers
from uneven.utils.frames import take_rows
from uneven.utils.validation import check_mass

__all__ = ["StackRows", "enter_stack", "enter_stack_again", "members_take", "weigh_classes"]

_X_RULES: dict[str, Any] = {"accept_sparse": "csr", "dtype": "numeric"}


@dataclass(frozen=True)
class StackRows:
    """Validated training rows.

    Attributes
    ----------
    X : ndarray, csr matrix, dataframe or list of length n_samples
    y : ndarray of int, shape (n_samples,)
        Positions in ``classes``.
    classes : ndarray of shape (n_classes,)
    share : ndarray of shape (n_samples,)
        Weights of the rows; they sum to 1.
    weight : ndarray of shape (n_samples,), or None
        Sample weights as they were given.
    place : ndarray of int, shape (n_given,), or None
        Where each given row is now, -1 for those of weight zero, which are left out; None if there
        are none.
    """

    X: Any
    y: np.ndarray
    classes: np.ndarray
    share: np.ndarray
    weight: np.ndarray | None
    place: np.ndarray | None = None

    def find_splits(self, cv: Any) -> Any:
        """The same folds in the rows that are left; splitters of any table stay as they are."""
        if self.place is None:
            return cv
        if isinstance(cv, PredefinedSplit):
            cv = cv.split()
        if isinstance(cv, str) or not hasattr(cv, "__iter__"):
            return cv
        found = []
        for k, (train, test) in enumerate(cv):
            where = f"rows of split {k + 1} of cv"
            found.append(
                (self._find(train, f"the training {where}"), self._find(test, f"the test {where}"))
            )
        return found

    def find_groups(self, groups: Any) -> np.ndarray | None:
        """The groups of the rows that are left."""
        if groups is None:
            return None
        given = column_or_1d(groups)
        n_given = len(self.y) if self.place is None else len(self.place)
        if len(given) != n_given:
            raise ValueError(f"groups has {len(given)} entries, X has {n_given} rows.")
        return np.asarray(given if self.place is None else given[self.place >= 0])

    def find_members(self, members: list[tuple[str, Member]]) -> list[tuple[str, Member]]:
        """The same members, with the rows that they name where these are now."""
        if self.place is None:
            return members
        found = []
        for name, member in members:
            if member.rows is not None:
                rows = self._find(member.named_rows(len(self.place)), "rows")
                if not rows.size:
                    raise ValueError(f"all rows of member {name!r} have the sample_weight zero.")
                member = Member(**(member.get_params(deep=False) | {"rows": rows}))
            found.append((name, member))
        return found

    def _find(self, rows: Any, what: str) -> np.ndarray:
        place = np.asarray(self.place)
        found = place[row_numbers(rows, len(place), what)]
        return np.asarray(found[found >= 0])


def enter_stack(estimator: Any, X: Any, y: Any, sample_weight: Any) -> StackRows:
    """Validate what ``fit`` was given and remember its columns on the estimator.

    Parameters
    ----------
    estimator : estimator
        Gets ``n_features_in_``, ``feature_names_in_`` and ``takes_``.
    X : array-like, sparse matrix, dataframe or texts, of length n_samples
    y : array-like of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,), or None
        Rows of weight zero are left out.

    Returns
    -------
    StackRows

    Raises
    ------
    ValueError
        Also if ``y`` holds one class only: there is nothing to choose from.
    """
    estimator.takes_ = members_take(estimator)
    if _is_handed_on(X):
        validate_data(estimator, X, y, skip_check_array=True)
        labels = column_or_1d(y, warn=True)
        check_consistent_length(X, labels)
    else:
        X, labels = validate_data(estimator, X, y, **_rules(estimator))
    X = open_table(X)
    check_classification_targets(labels)
    if not count_rows(X):
        raise ValueError("X has no rows: there is nothing to learn from.")
    mass = check_mass(sample_weight, len(labels))
    place = None
    if not mass.all():
        kept = np.flatnonzero(mass)
        place = np.where(mass > 0.0, np.cumsum(mass > 0.0) - 1, -1)
        X, labels, mass = take_rows(X, kept), labels[kept], mass[kept]
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y holds only one class, {classes.tolist()[0]!r}: {type(estimator).__name__} needs "
            "rows of two classes at least."
        )
    weight = None if sample_weight is None else mass
    codes = codes.astype(np.intp, copy=False)
    return StackRows(X, codes, classes, mass / mass.sum(), weight, place)


def weigh_classes(
    share: np.ndarray, y: np.ndarray, classes: np.ndarray, class_weight: Any
) -> np.ndarray:
    """How much rows count when some classes count more than others.

    Parameters
    ----------
    share : ndarray of shape (n_samples,)
        How much they count by themselves.
    y : ndarray of int, shape (n_samples,)
        Positions in ``classes``.
    classes : ndarray of shape (n_classes,)
    class_weight : dict of label to number, "balanced" or None
        Labels that a dict does not name count as 1.

    Returns
    -------
    ndarray of shape (n_samples,)
        Adds up to 1. With "balanced" the rows of every class have the same sum.
    """
    if class_weight is None:
        return share
    labels = classes.tolist()
    if isinstance(class_weight, str) and class_weight == "balanced":
        sums = np.bincount(y, share, len(classes))
        weights = 1.0 / np.where(sums > 0.0, sums, 1.0)
    elif isinstance(class_weight, Mapping):
        unknown = [label for label in class_weight if label not in labels]
        if unknown:
            raise ValueError(
                f"class_weight names {unknown[0]!r}, which is not among the classes {labels}."
            )
        given = [class_weight.get(label, 1.0) for label in labels]
        weights = np.asarray(given, dtype=np.float64)
    else:
        raise ValueError(f'class_weight must be a dict, "balanced" or None; got {class_weight!r}.')
    if not np.isfinite(weights).all() or (weights < 0.0).any() or not weights.any():
        raise ValueError(
            f"class_weight must be finite, >= 0 and not all zero; got {class_weight!r}."
        )
    weighed = share * weights[y]
    return np.asarray(weighed / weighed.sum())


def enter_stack_again(estimator: Any, X: Any) -> Any:
    """Validate what ``predict`` was given against what ``fit`` saw."""
    if _is_handed_on(X):
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return X
    return open_table(validate_data(estimator, X, reset=False, **_rules(estimator)))


def members_take(estimator: Any) -> dict[str, bool]:
    """What the members of a stack can read, worked out once per fit.

    Parameters
    ----------
    estimator : NamedMembers

    Returns
    -------
    dict of str to bool
        "sparse" and "nan": all members take such tables. "holes": those that read all columns take
        NaN.
    """
    fitted: dict[str, bool] | None = vars(estimator).get("takes_")
    if fitted is not None:
        return fitted
    members = [member for _, member in open_members(estimator)]
    tags = [get_tags(member.estimator).input_tags for member in members]
    some = [member.columns is not None for member in members]
    return {
        "sparse": all(tag.sparse for tag in tags),
        "nan": all(tag.allow_nan for tag in tags),
        "holes": all(few or tag.allow_nan for few, tag in zip(some, tags)),
    }


def _rules(estimator: Any) -> dict[str, Any]:
    """How arrays are checked: holes are refused if a member that reads all columns takes none."""
    holes = members_take(estimator)["holes"]
    return _X_RULES | {"ensure_all_finite": "allow-nan" if holes else True}


def _is_handed_on(X: Any) -> bool:
    """Whether a table is a data frame, or texts."""
    return holds_texts(X) or (hasattr(X, "columns") and hasattr(X, "shape"))
