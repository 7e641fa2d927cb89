"""From probabilities to predictions: pools, class factors, costs, constraints, changed priors."""

from uneven.decisions.class_factors import fit_class_factors
from uneven.decisions.decision import Decision, fit_decision
from uneven.decisions.log_pool import LogPool, fit_log_pool
from uneven.decisions.prior_shift import change_prior, estimate_prior
from uneven.decisions.tuned_decision import TunedDecisionClassifier

__all__ = [
    "Decision",
    "LogPool",
    "TunedDecisionClassifier",
    "change_prior",
    "estimate_prior",
    "fit_class_factors",
    "fit_decision",
    "fit_log_pool",
]
