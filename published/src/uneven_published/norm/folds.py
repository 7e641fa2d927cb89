"""How a method is judged on a table: stratified folds, answers pooled and fold by fold."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from uneven.metrics import (
    confusion_norm,
    geometric_mean_recall,
    mauc,
    mean_recall,
    worst_recall,
)
from uneven.utils.frames import take_rows
from uneven_published.description import Answers, Context

FOLDS = 5
LEAST_PROBABILITY = 1e-4
"""Of the log-loss: a forest says 0 for what it has not seen."""

Source = str | Callable[[Context], Any]
"""Name of a data set, or a function that returns an object with ``data`` and ``target``."""
Make = Callable[[Any, np.ndarray, int], Any]
"""``make(X, y, seed) -> estimator``, asked with the rows to learn from."""
Judge = Callable[[np.ndarray, np.ndarray], float]


def _accuracy(y: np.ndarray, answers: np.ndarray) -> float:
    return float(np.mean(y == answers))


def _macro_f1(y: np.ndarray, answers: np.ndarray) -> float:
    return float(f1_score(y, answers, labels=np.unique(y), average="macro", zero_division=0.0))


JUDGES: Mapping[str, Judge] = {
    "norm": confusion_norm,
    "gmean": geometric_mean_recall,
    "balanced": mean_recall,
    "worst": worst_recall,
    "macro_f1": _macro_f1,
    "accuracy": _accuracy,
}
"""Measures of true and answered labels."""


@dataclass(frozen=True)
class Fold:
    """What a model that saw the other folds made of one.

    Attributes
    ----------
    y, answers : ndarray of shape (n,)
        True and answered labels.
    scores : ndarray of shape (n, K)
        Probabilities of the classes.
    classes : ndarray of shape (K,)
        Classes of the scores.
    seconds, predict_seconds : float
        Of the processor, spent on fitting and on answering.
    """

    y: np.ndarray
    answers: np.ndarray
    scores: np.ndarray
    classes: np.ndarray
    seconds: float
    predict_seconds: float = 0.0


@dataclass(frozen=True)
class PooledFolds:
    """One method on all folds of a shuffle.

    A fold holds one or two rows of the rarest class, so a measure of one fold is coarse, and its
    mean over folds is another quantity than the measure of all answers together. Both are kept.
    Classes are numbered from 0, whatever their labels.

    Attributes
    ----------
    tables : mapping of str to str or callable
        For each item the name of a data set, or a function of the context that returns an object
        with ``data`` and ``target``.
    column : str
    make : callable
        ``make(X, y, seed) -> estimator``, asked with the training rows of each fold.
    n_folds : int
        Classes of fewer rows are left out.
    """

    tables: Mapping[str, Source]
    column: str
    make: Make
    n_folds: int = FOLDS

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Measure the method on the folds of a repetition."""
        return {self.column: judge_folds(self.folds(item, repeat, context))}

    def folds(self, item: str, repeat: int, context: Context) -> list[Fold]:
        """What models that saw the other folds made of each fold of a repetition."""
        X, y = read_table(self.tables[item], context)
        X, y = without_tiny_classes(X, y, self.n_folds)
        y = np.unique(y, return_inverse=True)[1]
        splits = StratifiedKFold(self.n_folds, shuffle=True, random_state=repeat).split(X, y)
        return [self._fold(X, y, train, test, repeat) for train, test in splits]

    def _fold(self, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray, seed: int) -> Fold:
        known, labels, unseen = take_rows(X, train), y[train], take_rows(X, test)
        model = self.make(known, labels, seed)
        start = time.process_time()
        model.fit(known, labels)
        fitted = time.process_time()
        answers = np.asarray(model.predict(unseen))
        answered = time.process_time()
        scores = class_scores(model, unseen)
        return Fold(y[test], answers, scores, model.classes_, fitted - start, answered - fitted)


def judge_folds(folds: list[Fold]) -> dict[str, list[float]]:
    """Measures of a repetition.

    Parameters
    ----------
    folds : list of Fold

    Returns
    -------
    dict of str to list of float
        One sample each: the measures of `JUDGES` of the answers of all folds together; the same
        with ".folds" behind, as the mean of the measures of the folds; "log_loss" and "brier"
        (squared distance to the indicators of the classes), means over all rows; "mauc", a mean
        over folds, because scores of different models do not rank together; "processor" and
        "predict", seconds of the processor for fitting and for answering one fold.

    Examples
    --------
    >>> y, scores, classes = np.array([0, 0, 1]), np.eye(2)[[0, 0, 1]], np.arange(2)
    >>> one = Fold(y, np.array([0, 0, 0]), scores, classes, seconds=1.0)
    >>> two = Fold(y, y, scores, classes, seconds=3.0)
    >>> found = judge_folds([one, two])
    >>> found["norm"], found["gmean.folds"], found["processor"], found["brier"]
    ([0.5], [0.5], [2.0], [0.0])
    """
    y = np.concatenate([fold.y for fold in folds])
    answers = np.concatenate([fold.answers for fold in folds])
    found: dict[str, Any] = {key: judge(y, answers) for key, judge in JUDGES.items()}
    for key, judge in JUDGES.items():
        found[f"{key}.folds"] = np.mean([judge(f.y, f.answers) for f in folds])
    found["log_loss"] = np.concatenate([_log_losses(fold) for fold in folds]).mean()
    found["brier"] = np.concatenate([_squared_errors(fold) for fold in folds]).mean()
    found["mauc"] = np.mean([mauc(f.y, f.scores, labels=f.classes) for f in folds])
    found["processor"] = np.mean([fold.seconds for fold in folds])
    found["predict"] = np.mean([fold.predict_seconds for fold in folds])
    return {key: [float(value)] for key, value in found.items()}


def _log_losses(fold: Fold) -> np.ndarray:
    """Shape (n,)."""
    own = np.searchsorted(fold.classes, fold.y)
    return -np.log(np.maximum(fold.scores[np.arange(len(own)), own], LEAST_PROBABILITY))


def _squared_errors(fold: Fold) -> np.ndarray:
    """Shape (n,)."""
    return ((fold.scores - (fold.y[:, None] == fold.classes)) ** 2).sum(axis=1)


def class_scores(model: Any, X: Any) -> np.ndarray:
    """Probabilities of the classes that add up to 1; shape (n, K)."""
    scores = np.asarray(model.predict_proba(X), dtype=np.float64)
    return scores / scores.sum(axis=1, keepdims=True)


def read_table(source: Source, context: Context) -> tuple[Any, np.ndarray]:
    """Columns and labels of a table; a frame if it has one."""
    bunch = context.fetch(source) if isinstance(source, str) else source(context)
    return bunch.data, np.asarray(bunch.target)


def without_tiny_classes(X: Any, y: np.ndarray, least: int) -> tuple[Any, np.ndarray]:
    """Rows whose class has enough of them.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n, d)
    y : ndarray of shape (n,)
    least : int

    Returns
    -------
    X, y
        In their order.

    Examples
    --------
    >>> without_tiny_classes(np.arange(5), np.array(list("aabab")), 3)
    (array([0, 1, 3]), array(['a', 'a', 'a'], dtype='<U1'))
    """
    classes, counts = np.unique(y, return_counts=True)
    rows = np.flatnonzero(np.isin(y, classes[counts >= least]))
    return take_rows(X, rows), y[rows]


def draw_rows(X: Any, y: np.ndarray, most: int | None) -> tuple[Any, np.ndarray]:
    """At most so many rows, with the same share of every class, always the same ones.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n, d)
    y : ndarray of shape (n,)
        Classes of one row cannot be drawn from and are left out where rows are.
    most : int or None
        All rows if None.

    Returns
    -------
    X, y

    Examples
    --------
    >>> X, y = draw_rows(np.arange(9), np.repeat([0, 1], [6, 3]), 3)
    >>> np.bincount(y).tolist()
    [2, 1]
    """
    if most is None or len(y) <= most:
        return X, y
    X, y = without_tiny_classes(X, y, 2)
    rows, _ = train_test_split(np.arange(len(y)), train_size=most, stratify=y, random_state=0)
    return take_rows(X, rows), y[rows]
