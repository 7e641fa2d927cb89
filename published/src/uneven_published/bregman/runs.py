"""Digits and texts, one class against the rest: how collections are cut, and what is measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from uneven.datasets import image_quarters
from uneven_published.description import Answers, Context, Item

APART = "MNIST₁"
OVERLAPPING = "MNIST₂"
TEXTS = "Reuters"

_DIGITS = "mnist"
_SAMPLE = "reuters_multilingual_1200"
_TEST_IMAGES = 10_000
_TEST_TEXTS = 0.3

COLLECTIONS = (
    Item(APART, (_DIGITS,)),
    Item(OVERLAPPING, (_DIGITS,)),
    Item(TEXTS, (_SAMPLE,)),
)


@dataclass(frozen=True)
class Collection:
    """Rows with views.

    Attributes
    ----------
    X : array or sparse array of shape (n_samples, n_features)
    target : ndarray of shape (n_samples,)
    views : dict of str to columns
    n_test : int
        Rows to test on.
    """

    X: Any
    target: NDArray[Any]
    views: Mapping[str, Any]
    n_test: int


def open_collection(name: str, context: Context) -> Collection:
    """One of the three collections.

    Parameters
    ----------
    name : str
        `APART`, `OVERLAPPING` or `TEXTS`.
    context : Context

    Returns
    -------
    Collection
    """
    if name == TEXTS:
        texts = context.fetch(_SAMPLE)
        n_test = int(np.rint(_TEST_TEXTS * len(texts.target)))
        return Collection(texts.data, texts.target, texts.views, n_test)
    digits = context.fetch(_DIGITS)
    X, views = image_quarters(digits.images, overlap=name == OVERLAPPING)
    return Collection(X, digits.target, views, _TEST_IMAGES)


FIRST_SEED = 1000
TIE = 1e-9
"""A score up to it from 0 is a tie."""
KEYS = ("accuracy", "f1")
UNTIED = tuple(f"{key}.untied" for key in KEYS)
TIED = "tied"


@dataclass(frozen=True)
class Task:
    """One class against the others.

    Attributes
    ----------
    X : array of shape (n_train, n_features)
        As many rows of the class as others.
    y : ndarray of bool, shape (n_train,)
    unseen : array of shape (n_test, n_features)
        With the natural frequency of the class.
    truth : ndarray of bool, shape (n_test,)
    """

    X: Any
    y: NDArray[np.bool_]
    unseen: Any
    truth: NDArray[np.bool_]

    def judge(self, answers: NDArray[Any], rows: Any = slice(None)) -> tuple[float, float]:
        """Accuracy, and F1 of the class, on all test rows or on some."""
        truth, said = self.truth[rows], answers[rows]
        return float(np.mean(truth == said)), float(f1_score(truth, said, zero_division=0.0))

    def judge_model(self, model: Any) -> dict[str, float]:
        """Measures of a fitted classifier; a tie counts as the class.

        One with scores is judged without the tied rows as well.
        """
        if not hasattr(model, "decision_function"):
            return dict(zip(KEYS, self.judge(model.predict(self.unseen))))
        scores = model.decision_function(self.unseen)
        answers = np.where(scores > -TIE, model.classes_[1], model.classes_[0])
        decided = np.abs(scores) > TIE
        found = (*self.judge(answers), *self.judge(answers, decided), float(np.mean(~decided)))
        return dict(zip((*KEYS, *UNTIED, TIED), found))


def tasks(rows: Collection, n_train: int, seed: int) -> Iterator[Task]:
    """Draw test rows, then training rows for each class.

    A larger ``n_train`` with the same seed keeps the test rows and adds training rows.

    Parameters
    ----------
    rows : Collection
    n_train : int
        Rows to learn from, half of them of the class.
    seed : int

    Yields
    ------
    Task
        One per class, in sorted order.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows.target))
    test, pool = order[: rows.n_test], order[rows.n_test :]
    unseen = rows.X[test].astype(np.float32)
    for label in np.unique(rows.target):
        member = rows.target[pool] == label
        sides = [rng.permutation(pool[member == side]) for side in (False, True)]
        few = min(len(side) for side in sides)
        if 2 * few < n_train:
            raise ValueError(f"{n_train} balanced rows of class {label}: there are {2 * few}.")
        train = np.concatenate([side[: n_train // 2] for side in sides])
        yield Task(
            rows.X[train].astype(np.float64),
            rows.target[train] == label,
            unseen,
            rows.target[test] == label,
        )


@dataclass(frozen=True)
class OneAgainstRest:
    """Accuracy and F1 of methods, averaged over the classes; one sample per repetition.

    Methods with scores are judged without the tied test rows as well, and the share of these.

    Attributes
    ----------
    methods : dict of str to classifier
        Each with the parameters ``views`` and ``random_state``.
    n_train : int
        Rows to learn from, half of them of the class.
    best_view : str
        If given, a column of this name shows the full tree of the view that is best on the test
        rows: what no method can know.
    """

    methods: Mapping[str, Any]
    n_train: int = 100
    best_view: str = ""

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Measure one repetition on a collection."""
        rows = open_collection(item, context)
        seed = FIRST_SEED + repeat
        found: dict[str, list[dict[str, float]]] = {}
        for task in tasks(rows, self.n_train, seed):
            for name, method in self.methods.items():
                model = clone(method).set_params(views=rows.views, random_state=seed)
                found.setdefault(name, []).append(task.judge_model(model.fit(task.X, task.y)))
            if self.best_view:
                scores = dict(zip(KEYS, _best_view(task, rows.views, seed)))
                found.setdefault(self.best_view, []).append(scores)
        return {
            name: {key: [float(np.mean([one[key] for one in some]))] for key in some[0]}
            for name, some in found.items()
        }


@dataclass(frozen=True)
class LearningCurve:
    """The same for growing training sets; every repetition is one size of one draw.

    Attributes
    ----------
    methods : dict of str to classifier
    sizes : tuple of int
        Training sizes that are run: repetition ``r`` has size ``r % len(sizes)``.
    axis : tuple of int
        Places of the curves; NaN where a repetition has another size.
    """

    methods: Mapping[str, Any]
    sizes: tuple[int, ...]
    axis: tuple[int, ...]

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Measure one size of one draw."""
        draw, place = divmod(repeat, len(self.sizes))
        size = self.sizes[place]
        found = OneAgainstRest(self.methods, size)(item, draw, context)
        here = np.equal(self.axis, size)
        return {
            name: {key: [np.where(here, measures[key][0], np.nan).tolist()] for key in KEYS}
            for name, measures in found.items()
        }


def _best_view(task: Task, views: Mapping[str, Any], seed: int) -> tuple[float, float]:
    trees = (
        DecisionTreeClassifier(random_state=seed)
        .fit(task.X[:, columns], task.y)
        .predict(task.unseen[:, columns])
        for columns in views.values()
    )
    return max(task.judge(answers) for answers in trees)


@dataclass(frozen=True)
class ChosenIterations:
    """The number of iterations with the best accuracy in cross-validation.

    It is chosen class by class, and once for all classes by the mean of their accuracies.

    Attributes
    ----------
    methods : dict of str to classifier
        Each with the parameters ``max_iter``, ``views`` and ``random_state``.
    iterations : tuple of int
        Numbers to choose from; the smallest one of equals is chosen.
    looked_for : int
        The share of classes for which this number is chosen is measured.
    n_train : int
        Rows to learn from, half of them of the class.
    n_folds : int
    """

    methods: Mapping[str, Any]
    iterations: tuple[int, ...]
    looked_for: int = 2
    n_train: int = 100
    n_folds: int = 5

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Measure one repetition on a collection."""
        rows = open_collection(item, context)
        seed = FIRST_SEED + repeat
        inner: dict[str, list[NDArray[np.float64]]] = {name: [] for name in self.methods}
        curves: dict[str, list[NDArray[np.float64]]] = {name: [] for name in self.methods}
        for task in tasks(rows, self.n_train, seed):
            for name, method in self.methods.items():
                model = clone(method).set_params(views=rows.views, random_state=seed)
                inner[name].append(self._validate(model, task, seed))
                curves[name].append(self._test(model, task))
        return {name: self._summarise(inner[name], curves[name]) for name in self.methods}

    def _summarise(self, inner: Any, curves: Any) -> dict[str, Any]:
        chosen = np.take(self.iterations, np.argmax(inner, axis=1))
        together = self.iterations[int(np.argmax(np.mean(inner, axis=0)))]
        return {
            "share": [float(np.mean(chosen == self.looked_for))],
            "chosen": [float(np.mean(chosen))],
            "together": [float(together == self.looked_for)],
            "accuracy": [np.mean(curves, axis=0).tolist()],
        }

    def _validate(self, model: Any, task: Task, seed: int) -> NDArray[np.float64]:
        """Accuracy in cross-validation for every number of iterations."""
        folds = StratifiedKFold(self.n_folds, shuffle=True, random_state=seed)
        return np.array(
            [
                cross_val_score(
                    clone(model).set_params(max_iter=n), task.X, task.y, cv=folds
                ).mean()
                for n in self.iterations
            ]
        )

    def _test(self, model: Any, task: Task) -> NDArray[np.float64]:
        """Accuracy on the test rows for every number of iterations."""
        found = []
        for n in self.iterations:
            fitted = clone(model).set_params(max_iter=n).fit(task.X, task.y)
            found.append(task.judge(fitted.predict(task.unseen))[0])
        return np.array(found)
