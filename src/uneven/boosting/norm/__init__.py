"""Around the norm of the confusion matrix: its estimate, its gradient, and factors against it."""

from uneven.boosting.norm.boosts import (
    DEEPEST,
    Boost,
    depths_for,
    left_after,
    plan_boosts,
    with_linear_voters,
)
from uneven.boosting.norm.label_noise import LabelNoise
from uneven.boosting.norm.out_of_bag import (
    Aim,
    OutOfBag,
    bootstrap_by_class,
    fit_mixture,
    fit_vote_factors,
)
from uneven.boosting.norm.steering import norm_gradient, steering_costs

__all__ = [
    "DEEPEST",
    "Aim",
    "Boost",
    "LabelNoise",
    "OutOfBag",
    "bootstrap_by_class",
    "depths_for",
    "fit_mixture",
    "fit_vote_factors",
    "left_after",
    "norm_gradient",
    "plan_boosts",
    "steering_costs",
    "with_linear_voters",
]
