"""Boosting: one loop, one step per method."""

from uneven.boosting.adaboost_mm import AdaBoostMMClassifier
from uneven.boosting.balanced_boosting import BalancedBoostingClassifier
from uneven.boosting.combo import ComboClassifier
from uneven.boosting.mucombo import MuComboClassifier
from uneven.boosting.mumbo import MumboClassifier
from uneven.boosting.norm_combo import NormComboClassifier
from uneven.boosting.share_boost import ShareBoostClassifier

__all__ = [
    "AdaBoostMMClassifier",
    "BalancedBoostingClassifier",
    "ComboClassifier",
    "MuComboClassifier",
    "MumboClassifier",
    "NormComboClassifier",
    "ShareBoostClassifier",
]
