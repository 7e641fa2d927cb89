"""What is measured on views that are noise in places: figure 2.3 and table 2.1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.svm import SVC

from uneven.boosting import AdaBoostMMClassifier, MumboClassifier
from uneven.datasets import make_uneven_views
from uneven.fusion import LateFusionClassifier
from uneven.voters import Resampled
from uneven_published.description import Answers, Context
from uneven_published.protocols import teach

__all__ = ["METHODS", "SETTINGS", "STAGES", "NoisyViews", "Setting"]

ROUNDS = 200
STAGES = (1, *range(5, ROUNDS + 1, 5))
"""Rounds at which curves are read."""
EARLY_SVM, LATE_SVM = "Early+SVM", "SVM+Late"
ADABOOST, MUMBO = "Early+AdaBoost", "MuMBo"


@dataclass(frozen=True)
class Setting:
    """A sample of the study.

    Attributes
    ----------
    size : int
        Rows to learn from; there are twice as many for test.
    major_noise : float
        Share of noise in the major view.
    """

    size: int
    major_noise: float

    @property
    def name(self) -> str:
        """Row label."""
        return f"S={self.size}, η={self.major_noise:g}"


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting(size, noise) for size in (80, 120) for noise in (0.5, 0.38, 0.25, 0.12, 0.0)
    )
}
METHODS: dict[str, Any] = {
    EARLY_SVM: SVC(),
    LATE_SVM: LateFusionClassifier(SVC(), combine="margins"),
    ADABOOST: AdaBoostMMClassifier(Resampled(SVC()), n_estimators=ROUNDS),
    MUMBO: MumboClassifier(
        Resampled(SVC(kernel="linear")), n_estimators=ROUNDS, on_failure="retry"
    ),
}


@dataclass(frozen=True)
class NoisyViews:
    """Test error of every method, and how the boosted ones get there.

    Attributes
    ----------
    settings : mapping of str to Setting
        By item.
    methods : mapping of str to estimator
    stages : tuple of int
        Rounds at which the curves are read; a vote that ended before keeps its last value.
    """

    settings: Mapping[str, Setting]
    methods: Mapping[str, Any]
    stages: tuple[int, ...] = STAGES

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Draw a sample three times as large as the one to learn from, learn, test."""
        n = self.settings[item].size
        drawn = make_uneven_views(3 * n, self.settings[item].major_noise, random_state=repeat)
        X, y = drawn.data[:n], drawn.target[:n]
        answers: dict[str, dict[str, Any]] = {}
        for name, method in self.methods.items():
            model = teach(method, X, y, repeat, drawn.views)
            answers[name] = {
                "error": [float(np.mean(model.predict(drawn.data[n:]) != drawn.target[n:]))]
            }
            if hasattr(model, "staged_predict"):
                answers[name]["test"] = [self._errors(model, drawn.data[n:], drawn.target[n:])]
            if hasattr(model, "selection_counts_"):
                answers |= self._by_view(model, n)
        return answers

    def _errors(self, model: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Test error at the stages."""
        return self._at([np.mean(stage != y) for stage in model.staged_predict(X)])

    def _by_view(self, model: Any, n: int) -> dict[str, dict[str, Any]]:
        """Costs of every view's own process per row, and the share of rounds it was chosen."""
        costs = np.exp(model.history_["view_log_loss"]) / n
        chosen = np.asarray(model.history_["view"])
        found = {}
        for position, view in enumerate(model.views_.names):
            share = np.cumsum(chosen == position) / np.arange(1, len(chosen) + 1)
            found[f"{view} view"] = {
                "cost": [self._at(costs[:, position])],
                "share": [self._at(share)],
            }
        return found

    def _at(self, values: Any) -> np.ndarray:
        curve = np.asarray(values, dtype=np.float64)
        return curve[np.minimum(self.stages, len(curve)) - 1]
