"""Learners beside those of the source, from the labels of a rough classifier.

The protocol and the learners of the source are in
`uneven_published.louche.cheap_labels`; here are the others that a reader may want to
see, among them one of a package that only benchmarks need.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from cleanlab.classification import CleanLearning
from sklearn.linear_model import LogisticRegression

from uneven import NoiseAwareClassifier, SelfLabellingSVM, UnevenClassifier
from uneven.noise import LabelRepairPipeline, UMAClassifier, confusion_from_clean
from uneven_published.louche.cheap_labels import (
    BATCH,
    CHEAP,
    CLEAN,
    ROUGH,
    SAMPLE,
    UMA,
    Draw,
    Labelled,
    Rows,
    core_learners,
    seen_matrix,
    uma,
)

NAMES = {
    ROUGH: "rough classifier itself",
    CHEAP: "h_Sy: perceptron on the cheap labels",
    BATCH: "h_Sy: batch perceptron on the cheap labels",
    UMA: "UMA, matrix from the 5 %",
    SAMPLE: "h_Sconf: perceptron on the 5 %",
    CLEAN: "h_St: perceptron, all true labels",
}


def validation_error(rows: Rows, labelled: Labelled, steps: int) -> float:
    """Error of UMA on the labelled sample: what a user can see."""
    draw = Draw.of(rows, labelled)
    sample = labelled.sample
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = uma(steps, seen_matrix(draw)).fit(rows.X, draw.cheap)
    return float(np.mean(model.predict(rows.X[sample]) != rows.t[sample]))


def judge(rows: Rows, labelled: Labelled, steps: int, everybody: bool) -> dict[str, float]:
    """Test error of every learner in one draw."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: rows.error(fit()) for name, fit in _fits(rows, labelled, steps, everybody)}


SELF_LABELLING = "SelfLabellingSVM: clean labels, the other rows without labels"


def judge_recommended(rows: Rows, labelled: Labelled) -> dict[str, float]:
    """Test error of what the pages recommend, beside the perceptrons of the source, in one draw."""
    draw = Draw.of(rows, labelled)
    X, t, sample, cheap = rows.X, rows.t, labelled.sample, draw.cheap
    known = np.concatenate([labelled.few, sample])
    clean = np.zeros(len(t), dtype=bool)
    clean[known] = True
    matrix = confusion_from_clean(
        t[sample], cheap[sample], classes=rows.classes, on_empty="identity"
    )
    aware = NoiseAwareClassifier(noise_matrix=matrix, random_state=0)
    uneven = UnevenClassifier(measure="accuracy", random_state=0)
    fits: list[tuple[str, Callable[[], Any]]] = [
        *core_learners(draw, 0, (CHEAP, SAMPLE, CLEAN)),
        ("logistic regression: clean labels", lambda: _logistic(None).fit(X[known], t[known])),
        ("UnevenClassifier: clean labels", lambda: uneven.fit(X[known], t[known])),
        (SELF_LABELLING, lambda: SelfLabellingSVM().fit(X, np.where(clean, t, -1))),
        (
            "NoiseAwareClassifier: clean and cheap labels",
            lambda: aware.fit(X, np.where(clean, t, cheap), clean=clean),
        ),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: rows.error(fit()) for name, fit in fits}


def _fits(
    rows: Rows, labelled: Labelled, steps: int, everybody: bool
) -> list[tuple[str, Callable[[], Any]]]:
    draw = Draw.of(rows, labelled)
    fits = core_learners(draw, steps)
    if not everybody:
        return fits
    X, t, sample, cheap = rows.X, rows.t, labelled.sample, draw.cheap
    classes, seen = rows.classes, seen_matrix(draw)
    true = confusion_from_clean(t, cheap, classes=classes).matrix
    known = np.concatenate([labelled.few, sample])
    partly = np.full(len(t), -1)
    partly[known] = t[known]
    repair = LabelRepairPipeline(
        learner=uma(steps), rough=UMAClassifier(max_iter=500, average=False)
    )
    return [
        *fits,
        ("UMA, averaged weights", lambda: uma(steps, seen, average=True).fit(X, cheap)),
        ("UMA, rule confusion", lambda: uma(steps, seen, selection="confusion").fit(X, cheap)),
        ("UMA, true matrix", lambda: uma(steps, true).fit(X, cheap)),
        ("logistic, class-weighted, cheap labels", lambda: _logistic("balanced").fit(X, cheap)),
        ("cleanlab + logistic, true matrix", lambda: _cleanlab(X, cheap, classes, true)),
        ("repair, clean rows known", lambda: repair.set_params(use_clean="known").fit(X, partly)),
        ("repair, clean rows dropped", lambda: repair.set_params(use_clean="drop").fit(X, partly)),
        ("repair, as in the source", lambda: repair.set_params(use_clean="mixed").fit(X, partly)),
        ("all clean rows: batch perceptron", lambda: uma(500).fit(X[known], t[known])),
        ("all clean rows: logistic", lambda: _logistic(None).fit(X[known], t[known])),
    ]


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
