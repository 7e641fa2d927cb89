"""Ways of measuring that several documents share: folds of tables, and samples drawn afresh.

A protocol is data: which tables or draws, which methods, which measures. Called with an item and
the number of a repetition it returns what every method reached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from uneven.metrics import (
    class_recalls,
    confusion_norm,
    error_matrix,
    geometric_mean_recall,
    mauc,
)
from uneven_published.description import Answers, Context


@dataclass(frozen=True)
class Outcome:
    """A fitted model before rows that it has not seen.

    Attributes
    ----------
    model : classifier
    X : array-like or DataFrame of shape (n, d)
    y : ndarray of shape (n,)
    classes : ndarray of shape (K,)
        All classes of the task, in the order of print.
    """

    model: Any
    X: Any
    y: np.ndarray
    classes: np.ndarray

    @cached_property
    def answers(self) -> np.ndarray:
        """Predicted labels, shape (n,)."""
        return np.asarray(self.model.predict(self.X))


def _error(outcome: Outcome) -> float:
    return float(np.mean(outcome.answers != outcome.y))


def _accuracy(outcome: Outcome) -> float:
    return float(np.mean(outcome.answers == outcome.y))


def _norm(outcome: Outcome) -> float:
    return confusion_norm(outcome.y, outcome.answers)


def _gmean(outcome: Outcome) -> float:
    return geometric_mean_recall(outcome.y, outcome.answers)


def _mauc(outcome: Outcome) -> float:
    """Over the rows whose class the model has met."""
    known = np.isin(outcome.y, outcome.model.classes_)
    scores = outcome.model.decision_function(_rows(outcome.X, np.flatnonzero(known)))
    return mauc(outcome.y[known], scores, labels=outcome.model.classes_)


def _matrix(outcome: Outcome) -> np.ndarray:
    """Error matrix; NaN rows for classes without a test row."""
    matrix = error_matrix(outcome.y, outcome.answers, labels=outcome.classes)
    matrix[~np.isin(outcome.classes, outcome.y)] = np.nan
    return matrix


MeasureFunction = Callable[[Outcome], Any]

MEASURES: Mapping[str, MeasureFunction] = {
    "error": _error,
    "accuracy": _accuracy,
    "norm": _norm,
    "gmean": _gmean,
    "mauc": _mauc,
    "matrix": _matrix,
}
"""Measures by key."""


@dataclass(frozen=True)
class ClassRecall:
    """Share of the rows of a class that are answered rightly, NaN if there is no such row.

    Attributes
    ----------
    position : int
        Of the class, in the order of print.
    """

    position: int

    def __call__(self, outcome: Outcome) -> float:
        """Measure it."""
        labels = outcome.classes
        return float(class_recalls(outcome.y, outcome.answers, labels=labels)[self.position])


def pick(*keys: str) -> dict[str, MeasureFunction]:
    """Measures by their keys.

    Examples
    --------
    >>> list(pick("norm", "gmean"))
    ['norm', 'gmean']
    """
    return {key: MEASURES[key] for key in keys}


def judge(outcome: Outcome, measures: Mapping[str, MeasureFunction]) -> dict[str, list[Any]]:
    """One sample of every measure.

    Parameters
    ----------
    outcome : Outcome
    measures : mapping of str to callable

    Returns
    -------
    dict of str to list
        A list of one number, curve or matrix.
    """
    return {key: [measure(outcome)] for key, measure in measures.items()}


def teach(method: Any, X: Any, y: np.ndarray, seed: int, views: Any = None) -> Any:
    """Fit a fresh copy of a method, with a seed and with views if it takes them.

    Parameters
    ----------
    method : estimator
    X : array-like or DataFrame of shape (n, d)
    y : ndarray of shape (n,)
    seed : int
        For a ``random_state`` that is None.
    views : optional
        As the ``views`` parameter of the classifiers of this library.

    Returns
    -------
    estimator
    """
    model = clone(method)
    known = model.get_params(deep=False)
    if "random_state" in known and known["random_state"] is None:
        model.set_params(random_state=seed)
    if views is not None and "views" in known:
        model.set_params(views=views)
    return model.fit(X, y)


class Table(NamedTuple):
    """Rows and labels."""

    X: Any
    y: np.ndarray


@dataclass(frozen=True)
class CrossValidated:
    """Stratified, shuffled folds of tables; every method sees the same ones.

    Tables with categories reach the methods as data frames.

    Attributes
    ----------
    tables : mapping of str to str or callable
        For each item the name of a data set, or a function of the context that returns an object
        with ``data`` and ``target``.
    methods : mapping of str to estimator
    measures : mapping of str to callable
        See `pick`.
    n_folds : int
    fold_by_fold : bool
        Whether a repetition is a single fold; else it is all folds of one shuffle.
    class_sizes : mapping of str to sequence of int
        For some items the sizes of the classes in the order of print, by which the classes are
        recognised whatever their names are. Only these items have the measure "matrix".
    """

    tables: Mapping[str, str | Callable[[Context], Any]]
    methods: Mapping[str, Any]
    measures: Mapping[str, MeasureFunction]
    n_folds: int = 5
    fold_by_fold: bool = False
    class_sizes: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Measure all methods on the folds of a repetition."""
        X, y = self._table(item, context)
        classes = in_print_order(y, self.class_sizes.get(item))
        shuffle, fold = divmod(repeat, self.n_folds) if self.fold_by_fold else (repeat, None)
        folds = StratifiedKFold(self.n_folds, shuffle=True, random_state=shuffle).split(X, y)
        has_order = item in self.class_sizes
        measures = {k: m for k, m in self.measures.items() if has_order or k != "matrix"}
        found: dict[str, dict[str, list[Any]]] = {
            name: {key: [] for key in measures} for name in self.methods
        }
        for number, (train, test) in enumerate(folds):
            if fold is not None and number != fold:
                continue
            for name, method in self.methods.items():
                model = teach(method, _rows(X, train), y[train], seed=shuffle)
                outcome = Outcome(model, _rows(X, test), y[test], classes)
                for key, values in judge(outcome, measures).items():
                    found[name][key] += values
        return found

    def _table(self, item: str, context: Context) -> Table:
        source = self.tables[item]
        bunch = context.fetch(source) if isinstance(source, str) else source(context)
        return Table(bunch.data, np.asarray(bunch.target))


@dataclass(frozen=True)
class Sample:
    """Rows to learn from and rows to be tested on.

    Attributes
    ----------
    X, y : training rows and their labels
    tests : mapping of str to array-like
        Test rows by the condition under which they are seen; "" if there is only one.
    answers : ndarray of shape (n_test,)
        Their labels.
    views : mapping of str to columns, or None
    """

    X: Any
    y: np.ndarray
    tests: Mapping[str, Any]
    answers: np.ndarray
    views: Any = None


@dataclass(frozen=True)
class Drawn:
    """Methods on a sample that is drawn afresh in every repetition.

    Attributes
    ----------
    draw : callable
        ``draw(item, repeat) -> Sample``.
    methods : mapping of str to estimator
    measures : mapping of str to callable
        See `pick`. Their keys get the condition in front, as in "gold.error", if it has a name.
    fitted : mapping of str to callable
        Measures of the fitted model itself; one that returns None leaves no sample.
    """

    draw: Callable[[str, int], Sample]
    methods: Mapping[str, Any]
    measures: Mapping[str, MeasureFunction]
    fitted: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Draw, let every method learn, measure."""
        sample = self.draw(item, repeat)
        return {
            name: self._judge(teach(method, sample.X, sample.y, repeat, sample.views), sample)
            for name, method in self.methods.items()
        }

    def _judge(self, model: Any, sample: Sample) -> dict[str, list[Any]]:
        classes = np.unique(np.concatenate([sample.y, sample.answers]))
        found: dict[str, list[Any]] = {}
        for condition, X in sample.tests.items():
            told = judge(Outcome(model, X, sample.answers, classes), self.measures)
            front = f"{condition}." if condition else ""
            found |= {f"{front}{key}": values for key, values in told.items()}
        for key, measure in self.fitted.items():
            value = measure(model)
            if value is not None:
                found[key] = [value]
        return found


def in_print_order(y: np.ndarray, sizes: Sequence[int] | None) -> np.ndarray:
    """Classes in the order in which a source names their sizes; sorted if it does not.

    Parameters
    ----------
    y : ndarray of shape (n,)
    sizes : sequence of int or None

    Returns
    -------
    ndarray of shape (K,)

    Raises
    ------
    ValueError
        If the classes have other sizes.

    Examples
    --------
    >>> in_print_order(np.array(["a", "b", "b"]), (2, 1)).tolist()
    ['b', 'a']
    """
    classes, counts = np.unique(y, return_counts=True)
    if sizes is None:
        return classes
    by_size = dict(zip(counts.tolist(), classes))
    if sorted(by_size) != sorted(sizes):
        raise ValueError(
            f"the classes have {sorted(counts.tolist())} rows, expected {sorted(sizes)}; "
            "this is another data set than the published one."
        )
    return np.array([by_size[size] for size in sizes])


def _rows(X: Any, rows: np.ndarray) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
