"""Boosting: one loop, one step per method."""

from uneven.boosting.adaboost_mm import AdaBoostMMClassifier
from uneven.boosting.combo import ComboClassifier
from uneven.boosting.mucombo import MuComboClassifier
from uneven.boosting.mumbo import MumboClassifier

__all__ = [
    "AdaBoostMMClassifier",
    "ComboClassifier",
    "MuComboClassifier",
    "MumboClassifier",
]
