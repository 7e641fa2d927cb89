"""Weak learners: given a cost matrix, each returns a voter of low cost."""

from uneven.voters.cost_linear import CostLinear, LinearVoter
from uneven.voters.cost_tree import CostTree, TreeVoter
from uneven.voters.training_table import TrainingTable
from uneven.voters.weak_learners import (
    BestOf,
    EstimatorVoter,
    Resampled,
    Voter,
    WeakLearner,
    Weighted,
    as_weak_learner,
)

__all__ = [
    "BestOf",
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
