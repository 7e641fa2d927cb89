"""Columns of the table in addition to the scores of classifiers, in the same combination.

A column is combined like a classifier whose score is the same for all classes: class-dependent
weights then are the weights of a linear model on the column, and the group penalty drops a column
for all classes at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from uneven.stacking.out_of_fold.level_one import LevelOne, resolve_for
from uneven.stacking.out_of_fold.members import Member
from uneven.stacking.out_of_fold.rows import count_columns, open_table
from uneven.utils.frames import take_columns, take_rows
from uneven.utils.model_types import LARGEST, check_columns, check_numbers, persisted


@persisted("passed_inputs", role="inputs")
@dataclass(frozen=True)
class PassedInputs:
    """Columns that are combined together with the scores of classifiers, standardised.

    Attributes
    ----------
    columns : ndarray of int, shape (n_columns,)
    mean, scale : ndarray of shape (n_columns,)
        Subtracted, and divided by. A missing value counts as the mean.

    Examples
    --------
    >>> X = np.array([[0.0, 7.0], [2.0, 7.0], [np.nan, 7.0]])
    >>> PassedInputs.of(X, np.array([0])).scores(X, 2).tolist()
    [[[-1.0, -1.0]], [[1.0, 1.0]], [[0.0, 0.0]]]
    """

    columns: np.ndarray
    mean: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, X: Any, columns: np.ndarray, names: Sequence[str] | None = None) -> Self:
        """Columns of a table, with their means and standard deviations; 1 where these are 0."""
        values = _numbers(X, columns, names)
        known = np.isfinite(values)
        count = np.maximum(known.sum(axis=0), 1)
        mean = np.where(known, values, 0.0).sum(axis=0) / count
        spread = np.sqrt((np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / count)
        plain = np.isfinite(spread) & (spread > 1.0 / LARGEST) & (spread < LARGEST)
        return cls(columns, mean, np.where(plain, spread, 1.0))

    def scores(self, X: Any, n_classes: int) -> np.ndarray:
        """The columns of new rows, once per class, shape (n_samples, n_columns, n_classes)."""
        values = (_numbers(X, self.columns) - self.mean) / self.scale
        values = np.where(np.isfinite(values), values, 0.0)
        return np.repeat(values[:, :, None], n_classes, axis=2)

    def restrict(self, mask: np.ndarray) -> PassedInputs:
        """Some of the columns only."""
        return PassedInputs(self.columns[mask], self.mean[mask], self.scale[mask])

    def _check_model_(self, n_features: int) -> None:
        """Refuse loaded columns that are not in the table, and scales that no column has."""
        check_columns(self.columns, n_features, "passthrough")
        shape = self.columns.shape
        check_numbers(self.mean, shape, "means of inputs", signed=True, most=LARGEST)
        scale = check_numbers(self.scale, shape, "scales of inputs", most=LARGEST)
        if (scale < 1.0 / LARGEST).any():
            raise ValueError(f"its scales of inputs hold {scale.min()}")


def _numbers(X: Any, columns: np.ndarray, names: Sequence[str] | None = None) -> np.ndarray:
    """Some columns as numbers, shape (n_samples, n_columns)."""
    table = take_columns(open_table(X), columns)
    if sp.issparse(table):
        return np.asarray(table.toarray(), dtype=np.float64)
    try:
        return np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"passthrough combines numbers, but the columns {list(names or columns)[:8]} hold "
            f"something else ({error}): name the numeric columns, or encode the others."
        ) from error


def pass_inputs(level: LevelOne, X: Any, wanted: Any, views: Any) -> tuple[LevelOne, PassedInputs]:
    """Level-1 scores with columns of the table behind the classifiers.

    Parameters
    ----------
    level : LevelOne
    X : table of n_samples rows
        What the classifiers were fitted to.
    wanted : True, columns, or names of views
        Which columns; True is all.
    views : object
        Views that ``wanted`` may name.

    Returns
    -------
    level : LevelOne
        Its names and seconds include the columns, which take no time.
    inputs : PassedInputs
    """
    n_features = count_columns(X)
    if n_features is None:
        raise ValueError("passthrough: X has no columns to pass on.")
    found = None
    if wanted is not True:
        found = Member(columns=wanted).find_columns("passthrough", X, resolve_for(views, X))
    columns = np.arange(n_features) if found is None else found
    called = list(X.columns) if hasattr(X, "columns") else range(n_features)
    names = [f"input {called[column]}" for column in columns]
    taken = sorted(set(names) & set(level.names))
    if taken:
        raise ValueError(f"a member is called {taken[0]!r}, like a passed column: rename it.")
    rows = take_rows(X, level.rows)
    inputs = PassedInputs.of(rows, columns, names)
    beside = inputs.scores(rows, len(level.classes))
    return (
        replace(
            level,
            scores=np.ascontiguousarray(np.concatenate([level.scores, beside], axis=1)),
            names=[*level.names, *names],
            scale=np.append(level.scale, inputs.scale),
            seconds=np.append(level.seconds, np.zeros(len(columns))),
        ),
        inputs,
    )


def check_passthrough(options: Any) -> None:
    """Refuse options that cannot combine columns, of whatever has them as attributes."""
    if options.passthrough is None or options.passthrough is False:
        return
    refused = {
        'loss="log"': options.loss == "log",
        'combination="ws" without a kernel': options.combination == "ws" and not options.kernel,
        f"constraint={options.constraint!r}": options.constraint != "none",
        "member_cost": options.member_cost is not None,
    }
    reasons = (
        "it takes logarithms of probabilities",
        "one weight for all classes moves all their scores alike",
        "columns need weights of both signs",
        "columns have no price",
    )
    for (what, found), reason in zip(refused.items(), reasons):
        if found:
            raise ValueError(f"passthrough does not go with {what}: {reason}. Leave one out.")
