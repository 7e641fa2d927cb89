"""The cheap-label protocol: a rough classifier labels everything, and learners make do with that.

``n_per_class`` rows of every class are labelled and train the rough classifier (a batch
perceptron). A uniform sample of other training rows, 5 %, is labelled too, to see its confusion.
It labels the whole training set; who knows the confusion matrix may use it. Errors are measured on
clean test rows. U. Louche (2016), *From confusion noise to active learning*, PhD thesis, section
4.6. Everything is drawn anew in each draw.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from cleanlab.classification import CleanLearning
from sklearn.linear_model import LogisticRegression

from uneven.linear import UltraconservativeClassifier
from uneven.noise import LabelRepairPipeline, UMAClassifier, confusion_from_clean

CONFUSION_SHARE = 0.05
MANY = 2000
ROUGH, CHEAP, BATCH, UMA = "rough", "h_Sy", "h_Sy, batch", "UMA"
SAMPLE, CLEAN = "h_Sconf", "h_St"
CORE = (ROUGH, CHEAP, BATCH, UMA, SAMPLE, CLEAN)
NAMES = {
    ROUGH: "rough classifier itself",
    CHEAP: "h_Sy: perceptron on the cheap labels",
    BATCH: "h_Sy: batch perceptron on the cheap labels",
    UMA: "UMA, matrix from the 5 %",
    SAMPLE: "h_Sconf: perceptron on the 5 %",
    CLEAN: "h_St: perceptron, all true labels",
}


@dataclass(frozen=True)
class Rows:
    """Features (n, d) and true labels (n,) of the training and the test rows."""

    X: Any
    t: np.ndarray
    X_test: Any
    t_test: np.ndarray

    def error(self, model: Any) -> float:
        return float(np.mean(model.predict(self.X_test) != self.t_test))


@dataclass(frozen=True)
class Labelled:
    """Which training rows have a true label: to learn from, and to see the confusion."""

    few: np.ndarray
    sample: np.ndarray


def draw_labelled(t: np.ndarray, n_per_class: int, seed: int) -> Labelled:
    """Draw the labelled rows of one run: the same number of every class, then a share of the rest.

    A sample that lacks a class shows nothing of its column of the matrix, and is drawn again.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(t))
    few = np.concatenate([order[t[order] == c][:n_per_class] for c in np.unique(t)])
    rest = np.setdiff1d(order, few)
    while True:
        sample = rng.choice(rest, round(CONFUSION_SHARE * len(t)), replace=False)
        if len(np.unique(t[sample])) == len(np.unique(t)):
            return Labelled(few, sample)


def rough_classifier(rows: Rows, labelled: Labelled) -> UMAClassifier:
    return UMAClassifier(max_iter=500).fit(rows.X[labelled.few], rows.t[labelled.few])


def validation_error(rows: Rows, labelled: Labelled, steps: int) -> float:
    """Error of UMA on the labelled sample: what a user can see."""
    sample = labelled.sample
    cheap = rough_classifier(rows, labelled).predict(rows.X)
    truth = rows.t[sample]
    matrix = confusion_from_clean(truth, cheap[sample], classes=np.unique(rows.t)).matrix
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(
            np.mean(_uma(steps, matrix).fit(rows.X, cheap).predict(rows.X[sample]) != truth)
        )


def judge(rows: Rows, labelled: Labelled, steps: int, everybody: bool) -> dict[str, float]:
    """Test error of every learner in one draw."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: rows.error(fit()) for name, fit in _fits(rows, labelled, steps, everybody)}


def _fits(
    rows: Rows, labelled: Labelled, steps: int, everybody: bool
) -> list[tuple[str, Callable[[], Any]]]:
    X, t, sample = rows.X, rows.t, labelled.sample
    classes = np.unique(t)
    rough = rough_classifier(rows, labelled)
    cheap = rough.predict(X)
    seen = confusion_from_clean(t[sample], cheap[sample], classes=classes).matrix
    fits: list[tuple[str, Callable[[], Any]]] = [
        (ROUGH, lambda: rough),
        (CHEAP, lambda: _perceptron(len(t)).fit(X, cheap)),
        (BATCH, lambda: _uma(steps).fit(X, cheap)),
        (UMA, lambda: _uma(steps, seen).fit(X, cheap)),
        (SAMPLE, lambda: _perceptron(len(sample)).fit(X[sample], t[sample])),
        (CLEAN, lambda: _perceptron(len(t)).fit(X, t)),
    ]
    if not everybody:
        return fits
    true = confusion_from_clean(t, cheap, classes=classes).matrix
    known = np.concatenate([labelled.few, sample])
    partly = np.full(len(t), -1)
    partly[known] = t[known]
    repair = LabelRepairPipeline(learner=_uma(steps), rough=UMAClassifier(max_iter=500))
    return [
        *fits,
        ("UMA, averaged weights", lambda: _uma(steps, seen, average=True).fit(X, cheap)),
        ("UMA, rule confusion", lambda: _uma(steps, seen, selection="confusion").fit(X, cheap)),
        ("UMA, true matrix", lambda: _uma(steps, true).fit(X, cheap)),
        ("logistic, class-weighted, cheap labels", lambda: _logistic("balanced").fit(X, cheap)),
        ("cleanlab + logistic, true matrix", lambda: _cleanlab(X, cheap, classes, true)),
        ("repair, clean rows known", lambda: repair.set_params(use_clean="known").fit(X, partly)),
        ("repair, clean rows dropped", lambda: repair.set_params(use_clean="drop").fit(X, partly)),
        ("repair, as in the source", lambda: repair.set_params(use_clean="mixed").fit(X, partly)),
        ("all clean rows: batch perceptron", lambda: _uma(500).fit(X[known], t[known])),
        ("all clean rows: logistic", lambda: _logistic(None).fit(X[known], t[known])),
    ]


def _uma(steps: int, matrix: np.ndarray | None = None, **options: Any) -> UMAClassifier:
    return UMAClassifier(matrix, max_iter=steps, on_singular="shrink", **options)


def _perceptron(n_rows: int) -> UltraconservativeClassifier:
    return UltraconservativeClassifier(max_epochs=10 if n_rows > MANY else 50)


def _logistic(class_weight: str | None) -> LogisticRegression:
    return LogisticRegression(C=10.0, max_iter=200, class_weight=class_weight)


def _cleanlab(X: Any, labels: np.ndarray, classes: np.ndarray, matrix: np.ndarray) -> Any:
    """Whole-number labels from 0 are all it takes."""
    positions = np.searchsorted(classes, labels)
    one_process = {"n_jobs": 1}
    model = CleanLearning(
        _logistic(None), seed=0, cv_n_folds=3, find_label_issues_kwargs=one_process
    )
    return _Renamed(model.fit(X, positions, noise_matrix=matrix), classes)


@dataclass(frozen=True)
class _Renamed:
    """A model that answers positions of classes."""

    model: Any
    classes: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        return self.classes[self.model.predict(X)]
