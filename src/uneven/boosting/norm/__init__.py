"""Around the norm of the confusion matrix: its estimate, its gradient, and factors against it."""

from uneven.boosting.norm.class_factors import fit_class_factors
from uneven.boosting.norm.out_of_bag import OutOfBag, bootstrap_by_class
from uneven.boosting.norm.steering import norm_gradient, steering_costs

__all__ = [
    "OutOfBag",
    "bootstrap_by_class",
    "fit_class_factors",
    "norm_gradient",
    "steering_costs",
]
