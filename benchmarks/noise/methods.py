"""The methods: ours, and what people do with wrong labels today.

A method is a function of training rows, their labels, what is told of the noise, and a seed. Where
a matrix is needed and none is told, it comes from the confident joint of a cross-fitted forest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import uneven
from benchmarks.noise.settings import Told
from uneven.noise import confident_joint
from uneven.utils.optional import require

NOISE_AWARE = "NoiseAwareClassifier"
TREES = 200
Fit = Callable[[np.ndarray, np.ndarray, Told, int], Any]


@dataclass(frozen=True)
class Method:
    """A way to learn from wrong labels.

    Attributes
    ----------
    fit : callable
        ``fit(X, labels, told, seed)`` returns a fitted classifier.
    packages : tuple of str
        Modules that it needs and this library does not.
    edition : int
        To be raised when the method changes.
    own : str
        Name of the class of this library; "" for a peer.
    """

    fit: Fit
    packages: tuple[str, ...] = ()
    edition: int = 1
    own: str = ""


def _forest(seed: int) -> Any:
    return RandomForestClassifier(TREES, random_state=seed)


def _logistic(seed: int) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))


def _lightgbm(seed: int) -> Any:
    lightgbm = require("lightgbm", "LightGBM", "bench")
    return lightgbm.LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)


def believe(make: Callable[[int], Any], X: Any, y: np.ndarray, told: Told, seed: int) -> Any:
    """Learn the labels as they are."""
    return make(seed).fit(X, y)


def clean_up(make: Callable[[int], Any], X: Any, y: np.ndarray, told: Told, seed: int) -> Any:
    """Leave out rows that cleanlab finds suspicious, and learn the others."""
    learner = require("cleanlab.classification", "cleanlab", "bench").CleanLearning
    return learner(make(seed), seed=seed).fit(X, y)


def matrix_of(X: Any, y: np.ndarray, told: Told, seed: int) -> np.ndarray:
    """The matrix that is told, smoothed by a right label per class if it is an estimate."""
    if isinstance(told.matrix, np.ndarray):
        return told.matrix
    if told.matrix is None:
        joint = confident_joint(
            cross_val_predict(_forest(seed), X, y, cv=5, method="predict_proba"), y
        )
    else:
        joint = told.matrix.counts
    joint = joint + np.eye(len(joint))
    return np.asarray(joint / joint.sum(axis=0))


class UndoneForest:
    """A forest whose probabilities are multiplied by the inverse of the noise matrix."""

    def __init__(self, noise: np.ndarray, seed: int) -> None:
        self.inverse, self.forest = np.linalg.pinv(noise), _forest(seed)

    def fit(self, X: Any, y: np.ndarray) -> UndoneForest:
        self.forest.fit(X, y)
        self.classes_ = self.forest.classes_
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        shares = np.maximum(self.forest.predict_proba(X) @ self.inverse.T, 1e-4)
        return shares / shares.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def undone_forest(X: Any, y: np.ndarray, told: Told, seed: int) -> Any:
    """Argmax of C^-1 p."""
    return UndoneForest(matrix_of(X, y, told, seed), seed).fit(X, y)


def forward_logistic(X: Any, y: np.ndarray, told: Told, seed: int) -> Any:
    """Forward-corrected logistic regression on scaled columns."""
    linear = uneven.ForwardLogisticRegression(matrix_of(X, y, told, seed))
    steps = make_pipeline(StandardScaler(), linear)
    return steps.fit(X, y, forwardlogisticregression__clean=told.clean)


def noise_aware(X: Any, y: np.ndarray, told: Told, seed: int, **words: Any) -> Any:
    """The recommended default."""
    model = uneven.NoiseAwareClassifier(noise_matrix=told.matrix, random_state=seed, **words)
    return model.fit(X, y, clean=told.clean)


def adaboost_mm(X: Any, y: np.ndarray, told: Told, seed: int) -> Any:
    """Boosting with beliefs about the labels, as it comes."""
    noise = matrix_of(X, y, told, seed)
    model = uneven.AdaBoostMMClassifier(noise_matrix=noise, random_state=seed)
    return model.fit(X, y, clean=told.clean)


METHODS: Mapping[str, Method] = {
    NOISE_AWARE: Method(noise_aware, edition=2, own="NoiseAwareClassifier"),
    "Forward logistic": Method(forward_logistic),
    "AdaBoost.MM": Method(adaboost_mm, own="AdaBoostMMClassifier"),
    "Forest": Method(partial(believe, _forest)),
    "Logistic": Method(partial(believe, _logistic)),
    "LightGBM": Method(partial(believe, _lightgbm), ("lightgbm",)),
    "Forest, inverse": Method(undone_forest),
    "cleanlab, forest": Method(partial(clean_up, _forest), ("cleanlab",)),
    "cleanlab, logistic": Method(partial(clean_up, _logistic), ("cleanlab",)),
    "cleanlab, LightGBM": Method(partial(clean_up, _lightgbm), ("cleanlab", "lightgbm")),
}
"""Methods by column; every one is seeded, and runs in one process."""

PEERS = tuple(column for column, method in METHODS.items() if not method.own)
