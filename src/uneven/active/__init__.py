"""Choose which labels to ask for."""

from uneven.active.activeml import as_query_strategy
from uneven.active.batches import BATCHES, pick_batch
from uneven.active.history import HistoryError, Step
from uneven.active.learner import ActiveLearner
from uneven.active.oracles import (
    BudgetSpentError,
    CostlyOracle,
    NoisyOracle,
    Oracle,
    PerfectOracle,
)
from uneven.active.rules import (
    RULES,
    Rule,
    balanced,
    centre_of_gravity,
    expected_model_change,
    maxmin,
    orientation_aware,
    random,
    ratio,
    simple,
    uncertainty,
)
from uneven.active.simulation import LearningCurve, simulate
from uneven.active.state import Pool, QueryState
from uneven.active.stopping import (
    Budget,
    ExpectedGain,
    NoInformativeRow,
    StablePredictions,
    StoppingRule,
    VolumeBelow,
    first_reason,
)

__all__ = [
    "BATCHES",
    "RULES",
    "ActiveLearner",
    "Budget",
    "BudgetSpentError",
    "CostlyOracle",
    "ExpectedGain",
    "HistoryError",
    "LearningCurve",
    "NoInformativeRow",
    "NoisyOracle",
    "Oracle",
    "PerfectOracle",
    "Pool",
    "QueryState",
    "Rule",
    "StablePredictions",
    "Step",
    "StoppingRule",
    "VolumeBelow",
    "as_query_strategy",
    "balanced",
    "centre_of_gravity",
    "expected_model_change",
    "first_reason",
    "maxmin",
    "orientation_aware",
    "pick_batch",
    "random",
    "ratio",
    "simple",
    "simulate",
    "uncertainty",
]
