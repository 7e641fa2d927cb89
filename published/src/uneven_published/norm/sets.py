"""Sets with rare classes, long tails cut from others, and how their folds are judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import Bunch

from uneven.datasets import make_long_tailed
from uneven.metrics import confusion_norm, geometric_mean_recall, mauc, mean_recall
from uneven.utils.frames import take_rows
from uneven_published.description import Answers, Context, Item

RATIO = 20.0


@dataclass(frozen=True)
class LongTail:
    """A set whose classes are cut to sizes that fall geometrically.

    Attributes
    ----------
    name : str
        Of the whole set.
    largest : int or None
        Rows of the largest class that remains; all of them if None.
    """

    name: str
    largest: int | None = None

    def __call__(self, context: Context) -> Any:
        """Fetch and cut it, always in the same way."""
        whole = context.fetch(self.name)
        X, y = make_long_tailed(
            whole.data, np.asarray(whole.target), ratio=RATIO, largest=self.largest, random_state=0
        )
        return Bunch(data=X, target=y)


UNEVEN: Mapping[str, str] = {
    "Ecoli": "ecoli",
    "Glass": "glass",
    "Yeast": "yeast",
    "New-Thyroid": "new_thyroid",
    "Balance": "balance",
    "Car": "car",
    "Page-Blocks": "page_blocks",
    "Satimage": "satimage",
    "Thyroid-ann": "thyroid_ann",
}
CUT: Mapping[str, LongTail] = {
    "Segment, long tail": LongTail("segment"),
    "Pendigits, long tail": LongTail("pendigits", 1000),
    "Letter, long tail": LongTail("letter", 400),
    "Steel, long tail": LongTail("steel"),
}
TABLES: Mapping[str, str | Callable[[Context], Any]] = {**UNEVEN, **CUT}
"""Source of every row."""

ITEMS = (
    *(Item(row, (name,)) for row, name in UNEVEN.items()),
    *(Item(row, (tail.name,)) for row, tail in CUT.items()),
)
SMALL = ("Ecoli", "Glass", "Yeast", "New-Thyroid", "Balance", "Car", "Segment, long tail")
"""Rows of a fast run."""


Judge = Callable[[np.ndarray, np.ndarray], float]


def _accuracy(y: np.ndarray, answers: np.ndarray) -> float:
    return float(np.mean(y == answers))


JUDGES: Mapping[str, Judge] = {
    "norm": confusion_norm,
    "gmean": geometric_mean_recall,
    "balanced": mean_recall,
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
        A score per class.
    classes : ndarray of shape (K,)
        Classes of the scores.
    seconds : float
        Of the processor, spent on fitting.
    """

    y: np.ndarray
    answers: np.ndarray
    scores: np.ndarray
    classes: np.ndarray
    seconds: float


@dataclass(frozen=True)
class PooledFolds:
    """One method on all folds of a shuffle.

    A fold holds one or two rows of the rarest class, so a measure of one fold is coarse, and its
    mean over folds is another quantity than the measure of all answers together. Both are kept.

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

    tables: Mapping[str, str | Callable[[Context], Any]]
    column: str
    make: Callable[[Any, np.ndarray, int], Any]
    n_folds: int = 5

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Measure the method on the folds of a repetition."""
        return {self.column: judge_folds(self.folds(item, repeat, context))}

    def folds(self, item: str, repeat: int, context: Context) -> list[Fold]:
        """What models that saw the other folds made of each fold of a repetition."""
        source = self.tables[item]
        bunch = context.fetch(source) if isinstance(source, str) else source(context)
        X, y = without_tiny_classes(bunch.data, np.asarray(bunch.target), self.n_folds)
        splits = StratifiedKFold(self.n_folds, shuffle=True, random_state=repeat).split(X, y)
        return [self._fold(X, y, train, test, repeat) for train, test in splits]

    def _fold(self, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray, seed: int) -> Fold:
        known, labels, unseen = take_rows(X, train), y[train], take_rows(X, test)
        model = self.make(known, labels, seed)
        start = time.process_time()
        model.fit(known, labels)
        seconds = time.process_time() - start
        answers = np.asarray(model.predict(unseen))
        return Fold(y[test], answers, class_scores(model, unseen), model.classes_, seconds)


def judge_folds(folds: list[Fold]) -> dict[str, list[float]]:
    """Measures of a repetition.

    Parameters
    ----------
    folds : list of Fold

    Returns
    -------
    dict of str to list of float
        One sample each: "norm", "gmean", "balanced" and "accuracy" of the answers of all folds
        together; the same with ".folds" behind, as the mean of the measures of the folds; "mauc",
        a mean over folds, because scores of different models do not rank together; and
        "processor", seconds of the processor for a fit.

    Examples
    --------
    >>> y, scores, classes = np.array([0, 0, 1]), np.eye(2)[[0, 0, 1]], np.arange(2)
    >>> one = Fold(y, np.array([0, 0, 0]), scores, classes, seconds=1.0)
    >>> two = Fold(y, y, scores, classes, seconds=3.0)
    >>> found = judge_folds([one, two])
    >>> found["norm"], found["gmean.folds"], found["processor"]
    ([0.5], [0.5], [2.0])
    """
    y = np.concatenate([fold.y for fold in folds])
    answers = np.concatenate([fold.answers for fold in folds])
    found = {key: [judge(y, answers)] for key, judge in JUDGES.items()}
    for key, judge in JUDGES.items():
        found[f"{key}.folds"] = [float(np.mean([judge(f.y, f.answers) for f in folds]))]
    found["mauc"] = [float(np.mean([mauc(f.y, f.scores, labels=f.classes) for f in folds]))]
    found["processor"] = [float(np.mean([fold.seconds for fold in folds]))]
    return found


def class_scores(model: Any, X: Any) -> np.ndarray:
    """Probabilities, or decision values of a model that has none; shape (n, K)."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))
    return np.asarray(model.decision_function(X))


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
