"""Many classifiers: learn by margin how to join them, and drop those that add nothing."""

from uneven.stacking.ensembles import (
    bagged_ensemble,
    diverse_ensemble,
    diverse_learners,
    random_subspaces,
    svm_ensemble,
)
from uneven.stacking.level_one import LevelOne, finish_members, level_one, score_members
from uneven.stacking.members import FittedMember, Member
from uneven.stacking.rule_classifier import RuleClassifier

__all__ = [
    "FittedMember",
    "LevelOne",
    "Member",
    "RuleClassifier",
    "bagged_ensemble",
    "diverse_ensemble",
    "diverse_learners",
    "finish_members",
    "level_one",
    "random_subspaces",
    "score_members",
    "svm_ensemble",
]
