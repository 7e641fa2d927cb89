"""Weak learners: given a cost matrix, each returns a voter that pays little."""

from uneven.voters.adapters import EstimatorVoter, Resampled, Weighted, as_weak_learner
from uneven.voters.base import TrainingTable, Voter, WeakLearner
from uneven.voters.cost_linear import CostLinear
from uneven.voters.cost_tree import CostTree
from uneven.voters.linear_voter import LinearVoter
from uneven.voters.tree import TreeVoter

__all__ = [
    "CostLinear",
    "CostTree",
    "EstimatorVoter",
    "LinearVoter",
    "Resampled",
    "TrainingTable",
    "TreeVoter",
    "Voter",
    "WeakLearner",
    "Weighted",
    "as_weak_learner",
]
