"""Boosting by cost matrices: one loop, one step per method."""

from uneven.boosting.adaboost_mm import AdaBoostMMClassifier
from uneven.boosting.combo import ComboClassifier

__all__ = ["AdaBoostMMClassifier", "ComboClassifier"]
