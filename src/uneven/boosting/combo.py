"""CoMBo: boosting that drives down the norm of the confusion matrix."""

from __future__ import annotations

import numpy as np

from uneven.boosting.single import SingleCostBoosting

__all__ = ["ComboClassifier"]


class ComboClassifier(SingleCostBoosting):
    """DOC"""

    def _example_weights(self, y: np.ndarray, mass: np.ndarray, n_classes: int) -> np.ndarray:
        class_mass = np.bincount(y, weights=mass, minlength=n_classes)
        return mass / np.maximum(class_mass, np.finfo(float).tiny)[y]
