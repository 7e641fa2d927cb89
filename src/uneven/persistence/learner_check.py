"""Checks of loaded base learners: pipelines of a scaler, column maps, and a simple classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron, RidgeClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from uneven.persistence.part_check import (
    UnknownPartError,
    check_classes,
    check_numbers,
    check_tree,
    check_whole,
)
from uneven.stacking.base_learners import (
    GaussianClassifier,
    NearestMeanClassifier,
    NeighbourCountClassifier,
    ParzenClassifier,
)
from uneven.stacking.input_maps import Likeness, Squares
from uneven.stacking.normalised import LaplaceTreeClassifier, NormalisedClassifier

__all__ = ["check_learner"]


def check_learner(pipeline: Any) -> None:
    """Refuse a base learner whose parts are unknown or do not fit together.

    Parameters
    ----------
    pipeline : Pipeline
        As :func:`uneven.stacking.diverse_learners` makes them.

    Raises
    ------
    UnknownPartError, ValueError
    """
    width = pipeline[0].n_features_in_
    for step in pipeline[:-1]:
        width = _check_map(step, width)
    learner = pipeline[-1]
    if type(learner) not in _LEARNERS:
        raise UnknownPartError(f"its stack holds a {type(learner).__name__}, which is not known")
    check_classes(learner.classes_)
    if learner.n_features_in_ != width:
        raise ValueError(f"a learner of {learner.n_features_in_} columns is given {width}")
    _LEARNERS[type(learner)](learner, width, len(learner.classes_))


def _check_map(step: Any, width: int) -> int:
    """Check one map of columns; how many columns it makes."""
    if type(step) is StandardScaler:
        check_numbers(step.mean_, (width,), "means", signed=True)
        check_numbers(step.scale_, (width,), "scales")
        return width
    if type(step) is Squares:
        return 2 * width
    if type(step) is Likeness:
        check_numbers(step.landmarks_, (len(step.landmarks_), width), "landmarks", signed=True)
        return len(step.landmarks_)
    raise UnknownPartError(f"its stack holds a {type(step).__name__}, which is not known")


def _check_gaussian(learner: Any, width: int, n_classes: int) -> None:
    check_numbers(learner.means_, (n_classes, width), "means", signed=True)
    check_numbers(learner.log_priors_, (n_classes,), "priors", signed=True)
    n_shapes = len(learner.variances_)
    if n_shapes not in (1, n_classes):
        raise ValueError(f"its {n_classes} classes have {n_shapes} covariances")
    _positive(check_numbers(learner.variances_, (n_shapes, width), "variances").min())
    if learner.axes_ is not None:
        check_numbers(learner.axes_, (n_shapes, width, width), "axes", signed=True)


def _check_nearest_mean(learner: Any, width: int, n_classes: int) -> None:
    check_numbers(learner.means_, (n_classes, width), "means", signed=True)
    if not 0.0 <= learner.variance_ < np.inf:
        raise ValueError(f"its variance is {learner.variance_!r}")


def _check_neighbours(learner: Any, width: int, n_classes: int) -> None:
    n_rows = len(learner.rows_)
    check_numbers(learner.rows_, (n_rows, width), "training rows", signed=True)
    check_numbers(learner.one_hot_, (n_rows, n_classes), "training classes")
    if type(learner.n_neighbors_) is not int or not 1 <= learner.n_neighbors_ <= n_rows:
        raise ValueError(f"it asks {learner.n_neighbors_!r} of {n_rows} neighbours")


def _check_parzen(learner: Any, width: int, n_classes: int) -> None:
    check_numbers(learner.rows_, (len(learner.rows_), width), "training rows", signed=True)
    counts = learner.counts_
    check_whole(counts, "numbers of rows")
    if counts.shape != (n_classes,) or counts.min() < 1 or counts.sum() != len(learner.rows_):
        raise ValueError(f"its {len(learner.rows_)} rows are counted as {counts.tolist()}")
    _positive(learner.width_)


def _check_laplace_tree(learner: Any, width: int, n_classes: int) -> None:
    check_tree(learner.tree_, width)
    if learner.n_outputs_ != 1 or learner.tree_.value.shape[1:] != (1, n_classes):
        raise ValueError("a tree answers about other classes than its own")


def _check_normalised(learner: Any, width: int, n_classes: int) -> None:
    inner = learner.estimator_
    if type(inner) not in _INNER:
        raise UnknownPartError(f"its stack holds a {type(inner).__name__}, which is not known")
    if not np.array_equal(inner.classes_, learner.classes_):
        raise ValueError("a learner knows other classes than it says")
    _positive(learner.scale_)
    _INNER[type(inner)](inner, width, n_classes)


def _check_linear(model: Any, width: int, n_classes: int) -> None:
    n_outputs = 1 if n_classes == 2 else n_classes
    check_numbers(model.coef_, (n_outputs, width), "weights", signed=True)
    check_numbers(np.atleast_1d(model.intercept_), (n_outputs,), "intercepts", signed=True)


def _check_machine(model: SVC, width: int, n_classes: int) -> None:
    """Check all that the compiled reader of a support vector machine follows without looking."""
    if model.kernel not in ("linear", "poly", "rbf") or model._sparse or model._impl != "c_svc":
        raise UnknownPartError(f"its machine has the kernel {model.kernel!r}")
    n_support = len(model.support_)
    check_numbers(model.support_vectors_, (n_support, width), "support vectors", signed=True)
    for values, what in ((model.support_, "support"), (model._n_support, "support counts")):
        check_whole(values, what)
    counts = model._n_support
    if counts.shape != (n_classes,) or counts.min() < 0 or counts.sum() != n_support:
        raise ValueError(f"its {n_support} support vectors are counted as {counts.tolist()}")
    check_numbers(model._dual_coef_, (n_classes - 1, n_support), "coefficients", signed=True)
    n_pairs = n_classes * (n_classes - 1) // 2
    check_numbers(model._intercept_, (n_pairs,), "intercepts", signed=True)
    if model._probA.size or model._probB.size or not np.isfinite(model._gamma):
        raise ValueError("its machine holds more than was learnt")


def _positive(number: Any) -> None:
    if not 0.0 < number < np.inf:
        raise ValueError(f"a width of a learner is {number!r}")


_LEARNERS: dict[type, Callable[[Any, int, int], None]] = {
    GaussianClassifier: _check_gaussian,
    LaplaceTreeClassifier: _check_laplace_tree,
    NearestMeanClassifier: _check_nearest_mean,
    NeighbourCountClassifier: _check_neighbours,
    NormalisedClassifier: _check_normalised,
    ParzenClassifier: _check_parzen,
}

_INNER: dict[type, Callable[[Any, int, int], None]] = {
    Perceptron: _check_linear,
    RidgeClassifier: _check_linear,
    SVC: _check_machine,
}
