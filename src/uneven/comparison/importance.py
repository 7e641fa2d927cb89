"""How much a model needs each column on rows that it has not seen, and in which direction.

The cells of a column are shuffled among the rows; the loss of the metric is the importance of the
column, permutation importance. The same shuffles give the direction: whether a class becomes more
probable where a cell grew.

Looked at before this was written: ``sklearn.inspection.permutation_importance`` shuffles in the
same way but keeps only the loss, neither the predictions behind it, which the direction needs, nor
folds.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from uneven.comparison.errors import InputError
from uneven.comparison.measures import Answers, Measure, choose_measure
from uneven.comparison.reasons import dense, opened, score_of
from uneven.utils.frames import take_rows


@dataclass
class ColumnImportance:
    """Permutation importance of columns on held-out rows.

    Attributes
    ----------
    names : list of str
    mean, spread : ndarray of shape (n_columns,)
        How much worse the measure becomes without the column, mean and standard deviation over
        shuffles and folds.
    direction : ndarray of shape (n_columns, n_classes)
        Correlation between the change of a cell and that of the score of a class: above zero where
        a larger value supports the class. NaN for columns that are no numbers, or never matter.
    classes : ndarray of shape (n_classes,)
    metric : str
        Name of the measure.
    score : float
        Its value with all columns.
    refitted : bool
        Whether models were fitted anew on folds, because the given one had seen the rows.
    """

    names: list[str]
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    direction: NDArray[np.float64]
    classes: NDArray
    metric: str
    score: float
    refitted: bool

    def order(self) -> NDArray[np.intp]:
        """Positions of the columns, the most important first."""
        return np.argsort(-self.mean, kind="stable")

    def to_frame(self) -> pd.DataFrame:
        """One row per column, the most important first."""
        found = pd.DataFrame({"mean": self.mean, "spread": self.spread}, index=self.names)
        for c, label in enumerate(self.classes):
            found[f"direction {label}"] = self.direction[:, c]
        return found.iloc[self.order()].rename_axis(index="column")

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; None where a direction is not known."""
        columns = []
        for j in self.order():
            told = {
                str(label): None if np.isnan(value) else float(value)
                for label, value in zip(self.classes, self.direction[j])
            }
            values = {"mean": float(self.mean[j]), "spread": float(self.spread[j])}
            columns.append({"column": self.names[j], **values, "direction": told})
        known = {"metric": self.metric, "score": self.score, "refitted": self.refitted}
        return known | {"columns": columns}


def column_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    metric: str = "balanced_accuracy",
    cv: int | None = None,
    n_repeats: int = 5,
    random_state: int = 0,
) -> ColumnImportance:
    """What a measure loses if a column is shuffled, on rows that the model has not seen.

    Parameters
    ----------
    model : classifier, Pipeline or TableClassifier
        Fitted.
    X : table of shape (n, d)
        What the model takes.
    y : array-like of shape (n,)
        Labels.
    metric : str
        A measure of `uneven.compare`.
    cv : int, optional
        If the model was fitted to these rows: it is fitted anew on so many folds, and columns
        are shuffled in those that are held out. By default the rows are new to it.
    n_repeats : int
        Shuffles of a column, in each fold.
    random_state : int

    Returns
    -------
    ColumnImportance

    Examples
    --------
    >>> from uneven import ComboClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 3))
    >>> y = np.where(X[:, 1] > 0, "up", "down")
    >>> found = column_importance(ComboClassifier(n_estimators=5).fit(X, y), X, y, cv=3)
    >>> found.names[found.order()[0]], bool(found.direction[1, 1] > 0)
    ('x1', True)
    """
    measure = choose_measure(metric)
    pipeline, table, classes = opened(model, X)
    table = dense(table)
    labels = _inner_labels(pipeline, classes, y, table.shape[0])
    rng = np.random.default_rng(random_state)
    losses, directions, scores = [], [], []
    for fitted, rows in _held_out(pipeline, table, labels, cv, random_state):
        shuffles = _Shuffles(
            fitted, take_rows(table, rows), labels[rows], pipeline.classes_, measure
        )
        columns = [shuffles.of(j, n_repeats, rng) for j in range(table.shape[1])]
        losses.append([lost for lost, _ in columns])
        directions.append([direction for _, direction in columns])
        scores.append(shuffles.score)
    lost = np.concatenate(losses, axis=1)
    names = [str(name) for name in getattr(table, "columns", [])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a mean of nothing but NaN is NaN
        direction = np.nanmean(directions, axis=0)
    return ColumnImportance(
        names or [f"x{j}" for j in range(table.shape[1])],
        lost.mean(axis=1),
        lost.std(axis=1, ddof=1) if lost.shape[1] > 1 else np.full(len(lost), np.nan),
        direction,
        classes,
        measure.name,
        float(np.mean(scores)),
        cv is not None,
    )


def _inner_labels(pipeline: Any, classes: NDArray, y: Any, n_rows: int) -> NDArray:
    """Labels as the classifier inside a model has them."""
    given = np.asarray(y)
    if len(given) != n_rows:
        raise InputError(f"X has {n_rows} rows, but y has {len(given)} labels; give one per row.")
    place = {label: number for number, label in enumerate(classes.tolist())}
    strange = [label for label in given.tolist() if label not in place]
    if strange:
        raise InputError(f"the model has never seen the class {strange[0]!r}; leave its rows out.")
    return np.asarray(np.asarray(pipeline.classes_)[[place[label] for label in given.tolist()]])


def _held_out(
    model: Any, table: Any, labels: NDArray, cv: int | None, seed: int
) -> Iterator[tuple[Any, NDArray[np.intp]]]:
    """Models, and the rows that they have not seen."""
    if cv is None:
        yield model, np.arange(len(labels))
        return
    folds = StratifiedKFold(cv, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        pairs = list(folds.split(np.zeros(len(labels)), labels))
    for train, test in pairs:
        yield clone(model).fit(take_rows(table, train), labels[train]), test


class _Shuffles:
    """A model, rows that it has not seen, and its predictions if a column changes."""

    def __init__(
        self, model: Any, rows: Any, labels: NDArray, classes: NDArray, measure: Measure
    ) -> None:
        self._model, self._rows, self._labels, self._classes = model, rows, labels, classes
        self._measure, self._score_of = measure, score_of(model)[0]
        self._scores = self._all_scores(rows)
        self.score = self._value(rows, self._scores)

    def of(
        self, column: int, n_repeats: int, rng: np.random.Generator
    ) -> tuple[list[float], NDArray[np.float64]]:
        """What is lost by each shuffle of a column, and its direction for each class, (K,)."""
        lost, changes, moves = [], [], []
        for _ in range(n_repeats):
            shuffled, change = _shuffled(self._rows, column, rng.permutation(len(self._labels)))
            scores = self._all_scores(shuffled)
            lost.append(self._measure.better(self.score, self._value(shuffled, scores)))
            if change is not None:
                changes.append(change)
                moves.append(scores - self._scores)
        if not changes:
            return lost, np.full(len(self._classes), np.nan)
        return lost, _correlations(np.concatenate(changes), np.concatenate(moves))

    def _all_scores(self, rows: Any) -> NDArray[np.float64]:
        """Scores of all classes; a class that a fold has missed gets the lowest one."""
        found = self._score_of(rows)
        out = np.full((len(found), len(self._classes)), found.min(initial=0.0))
        out[:, np.searchsorted(self._classes, self._model.classes_)] = found
        return out

    def _value(self, rows: Any, scores: NDArray[np.float64]) -> float:
        said = np.asarray(self._model.predict(rows)).ravel()
        return self._measure.value(Answers(self._labels, said, scores, self._classes))


def _shuffled(
    rows: Any, column: int, order: NDArray[np.intp]
) -> tuple[Any, NDArray[np.float64] | None]:
    """The rows with one column in another order, and how its numbers changed."""
    if not hasattr(rows, "columns"):
        out = np.array(rows)
        out[:, column] = out[order, column]
        return out, np.asarray(out[:, column] - rows[:, column], dtype=np.float64)
    out = rows.copy()
    name, before = rows.columns[column], rows.iloc[:, column]
    out[name] = before.take(order).set_axis(before.index)
    if not types.is_numeric_dtype(before.dtype):
        return out, None
    numbers = before.to_numpy(np.float64, na_value=np.nan)
    return out, numbers[order] - numbers


def _correlations(change: NDArray[np.float64], moved: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlation of changes (n,) with each column of moves (n, K); NaN where nothing moves."""
    known = np.isfinite(change)
    x, z = change[known], moved[known]
    if not len(x):
        return np.full(moved.shape[1], np.nan)
    x, z = x - x.mean(), z - z.mean(axis=0)
    size = np.sqrt((x @ x) * (z * z).sum(axis=0))
    return np.asarray(np.where(size > 0.0, x @ z / np.where(size > 0.0, size, 1.0), np.nan))
