"""AdaBoost.MM: multi-class boosting under the weakest condition that still works."""

from __future__ import annotations

import numpy as np

from uneven.boosting.single import SingleCostBoosting

__all__ = ["AdaBoostMMClassifier"]


class AdaBoostMMClassifier(SingleCostBoosting):
    """DOC"""

    def _example_weights(self, y: np.ndarray, mass: np.ndarray, n_classes: int) -> np.ndarray:
        return mass
