"""Classifiers that combine the predictions of the views: fixed rules, Carako, the Bregman vote."""

from uneven.fusion.best_view import BestViewClassifier
from uneven.fusion.bregman_vote import BregmanVoteClassifier
from uneven.fusion.carako import CarakoClassifier
from uneven.fusion.co_training import CoTrainingClassifier
from uneven.fusion.early import EarlyFusionClassifier
from uneven.fusion.holdout import HoldoutFusionClassifier
from uneven.fusion.late import LateFusionClassifier

__all__ = [
    "BestViewClassifier",
    "BregmanVoteClassifier",
    "CarakoClassifier",
    "CoTrainingClassifier",
    "EarlyFusionClassifier",
    "HoldoutFusionClassifier",
    "LateFusionClassifier",
]
