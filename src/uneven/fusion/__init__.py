"""Classifiers that join what each view says: fixed rules, Carako, the Bregman vote."""

from uneven.fusion.bregman_vote import BregmanVoteClassifier
from uneven.fusion.carako import CarakoClassifier

__all__ = ["BregmanVoteClassifier", "CarakoClassifier"]
