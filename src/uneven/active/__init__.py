"""Choose which labels to ask for.

References
----------
U. Louche (2016), *From confusion noise to active learning: playing on label availability in linear
classification problems*, PhD thesis, Aix-Marseille Université: "the source" of these files.
"""

from uneven.active import rules
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

__all__ = [
    "BATCHES",
    "RULES",
    "STOPPING_RULES",
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
    "StablePredictions",
    "Step",
    "StoppingRule",
    "VolumeBelow",
    "as_query_strategy",
    "first_reason",
    "pick_batch",
    "rule",
    "serve",
    "simulate",
    "stopping_rule",
]
__all__ += rules.__all__
