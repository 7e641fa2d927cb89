"""Fit one member on some rows and ask it about others: the unit of work that is run in parallel."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import check_is_fitted, has_fit_parameter
from threadpoolctl import ThreadpoolController

from uneven.stacking.out_of_fold.members import METHODS, FittedMember, positions_of, score_method
from uneven.utils.frames import take_columns, take_rows

__all__ = ["Task", "Training", "one_thread", "run_task", "weight_arguments"]


@dataclass(frozen=True)
class Training:
    """What all tasks share.

    Attributes
    ----------
    X : table of n_samples rows
    labels : ndarray of shape (n_samples,)
    weight : ndarray of shape (n_samples,) or None
    classes : ndarray of shape (n_classes,)
    """

    X: Any
    labels: np.ndarray
    weight: np.ndarray | None
    classes: np.ndarray


@dataclass(frozen=True)
class Task:
    """Who learns from which rows and scores which.

    Attributes
    ----------
    name : str
    estimator : classifier
        Unfitted, with all seeds set; fitted if ``train`` is None.
    columns : ndarray of int or None
    method : str
        What is asked for scores; "auto" if that shows once the classifier is fitted.
    train : ndarray of int or None
        Training rows, with repetitions. None: the classifier is fitted already.
    test : ndarray of int
        Rows to score.
    keep : bool
        Whether the fitted member is wanted, too.
    place : str
        Which training it is, for error messages.
    """

    name: str
    estimator: Any
    columns: np.ndarray | None
    method: str
    train: np.ndarray | None
    test: np.ndarray
    keep: bool
    place: str

    def n_labels(self, training: Training) -> int | None:
        """How many classes its training rows show; None if it is fitted already."""
        return None if self.train is None else len(np.unique(training.labels[self.train]))


def run_task(
    task: Task, training: Training, digest: str | None, parent: int
) -> tuple[FittedMember | None, np.ndarray, str]:
    """Do the work of one task.

    Parameters
    ----------
    task : Task
    training : Training
    digest : str or None
        Stands for ``training`` where results are cached.
    parent : int
        Process that sent the task.

    Returns
    -------
    member : FittedMember or None
        Its scores are not scaled yet.
    scores : ndarray of shape (n_test, n_classes)
    method : str
        What was asked for them.
    """
    with nullcontext() if os.getpid() == parent else one_thread():
        member = _learn_or_say(task, training)
        if len(task.test):
            scores = member.scores(take_rows(training.X, task.test))
        else:
            scores = np.zeros((0, len(training.classes)))
    return (member if task.keep else None), scores, member.method


def _learn_or_say(task: Task, training: Training) -> FittedMember:
    """A member that has learnt; errors say who failed, and where."""
    if task.train is None:
        return _accept(task, training.classes)
    try:
        return _learn(task, training)
    except Exception as error:
        plain = (kind for kind in (ValueError, TypeError) if isinstance(error, kind))
        kind = next(plain, RuntimeError)
        raise kind(
            f"member {task.name!r} ({type(task.estimator).__name__}) could not be fitted "
            f"{task.place}: {error}"
        ) from error


def _accept(task: Task, classes: np.ndarray) -> FittedMember:
    """A member that came fitted."""
    model, name = task.estimator, task.name
    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise ValueError(
            f"member {name!r} ({type(model).__name__}) is not fitted, but cv='prefit': fit it "
            "first. clone, GridSearchCV and cross_val_score unfit members, unless these are in a "
            "sklearn.frozen.FrozenEstimator."
        ) from error
    found = np.asarray(getattr(model, "classes_", classes))
    if not np.isin(found, classes).all():
        raise ValueError(
            f"member {name!r} was fitted to the labels {found[:8].tolist()}, y has "
            f"{classes[:8].tolist()}: give it the same labels."
        )
    try:
        method = score_method(model, task.method, fitted=True)
    except (TypeError, ValueError) as error:
        raise type(error)(f"member {name!r}: {error}") from error
    return FittedMember(name, model, task.columns, method, positions_of(found, classes), classes)


def _learn(task: Task, training: Training) -> FittedMember:
    classes = training.classes
    if task.train is None or not len(task.train):
        raise ValueError("none of its rows are left to learn from.")
    labels = training.labels[task.train]
    seen = np.unique(labels)
    model, method = None, task.method if task.method in METHODS else "predict"
    if len(seen) > 1:
        table = take_columns(take_rows(training.X, task.train), task.columns)
        model = clone(task.estimator)
        weight = None if training.weight is None else training.weight[task.train]
        model.fit(table, labels, **({} if weight is None else weight_arguments(model, weight)))
        seen = np.asarray(getattr(model, "classes_", seen))
        method = score_method(model, task.method, fitted=True)
    known = positions_of(seen, classes)
    return FittedMember(task.name, model, task.columns, method, known, classes)


def weight_arguments(model: Any, weight: np.ndarray) -> dict[str, Any]:
    """How sample weights are handed to the ``fit`` of a classifier, if it takes any.

    Parameters
    ----------
    model : classifier
        The last step of a pipeline gets the weights of the pipeline. With metadata routing, what
        the classifier requested counts.
    weight : ndarray of shape (n_samples,)

    Returns
    -------
    dict of str to ndarray
        Empty if it takes none.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> list(weight_arguments(make_pipeline(StandardScaler(), GaussianNB()), np.ones(3)))
    ['gaussiannb__sample_weight']
    """
    if has_fit_parameter(model, "sample_weight"):
        return {"sample_weight": weight}
    if get_config().get("enable_metadata_routing", False):
        routing = get_routing_for_object(model)
        return {"sample_weight": weight} if routing.consumes("fit", ["sample_weight"]) else {}
    if isinstance(model, Pipeline):
        last, step = model.steps[-1]
        return {f"{last}__{name}": value for name, value in weight_arguments(step, weight).items()}
    inner = getattr(model, "estimator", None)
    if hasattr(model, "best_estimator_") or hasattr(model, "refit"):
        return {} if inner is None else weight_arguments(inner, weight)
    return {}


@contextmanager
def one_thread() -> Iterator[None]:
    """Products of matrices in one thread while the block runs: more of them add up otherwise.

    Blocks may overlap, in several threads too: the last one that ends puts back what was.
    """
    _Limit.enter()
    try:
        yield
    finally:
        _Limit.leave()


class _Limit:
    """How many blocks are running, and what ends the limit."""

    lock = Lock()
    running = 0
    limiter: Any = None

    @classmethod
    def enter(cls) -> None:
        with cls.lock:
            if not cls.running:
                cls.limiter = _controller().limit(limits=1, user_api="blas")
            cls.running += 1

    @classmethod
    def leave(cls) -> None:
        with cls.lock:
            cls.running -= 1
            if not cls.running:
                cls.limiter.restore_original_limits()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
