"""Choose which rows to label next.

References
----------
U. Louche (2016), *From confusion noise to active learning: playing on label availability in linear
classification problems*, PhD thesis, Aix-Marseille Université: "the source" of these files.
"""

from uneven.active import coverage, look_ahead, mutual_information, orientation, rules  # noqa: F401
from uneven.active.activeml import as_query_strategy
from uneven.active.automatic import automatic
from uneven.active.batches import BATCHES, pick_batch
from uneven.active.choosing import Choice, choose_classifier
from uneven.active.coverage import typical_first
from uneven.active.history import HistoryError, Step
from uneven.active.learner import ActiveLearner
from uneven.active.look_ahead import expected_error
from uneven.active.mutual_information import information
from uneven.active.oracles import (
    BudgetSpentError,
    CostlyOracle,
    NoisyOracle,
    Oracle,
    PerfectOracle,
)
from uneven.active.orientation import orientation_aware
from uneven.active.registry import RULES, STOPPING_RULES, rule, stopping_rule
from uneven.active.rules import *  # noqa: F403
from uneven.active.serving import serve
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
from uneven.active.uncertainty_herding import herding

__all__ = [
    "BATCHES",
    "RULES",
    "STOPPING_RULES",
    "ActiveLearner",
    "Budget",
    "BudgetSpentError",
    "Choice",
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
    "StablePredictions",
    "Step",
    "StoppingRule",
    "VolumeBelow",
    "as_query_strategy",
    "automatic",
    "choose_classifier",
    "expected_error",
    "first_reason",
    "herding",
    "information",
    "orientation_aware",
    "pick_batch",
    "rule",
    "serve",
    "simulate",
    "stopping_rule",
    "typical_first",
]
__all__ += rules.__all__
