"""Calculators for what theory promises about votes and linear classifiers.

Every function turns numbers into a number (or an array): the measures themselves come from
`uneven.metrics`. ``+inf`` means that the theorem says nothing for this sample; an argument that
is wrong in itself raises an error.
"""

from uneven.bounds.linear import (
    compression_bound,
    compression_sample_size,
    is_shattered,
    linear_vc_dimension,
    perceptron_mistake_bound,
    ultraconservative_mistake_bound,
    uma_sample_size,
    vc_sample_size,
)
from uneven.bounds.votes import (
    binary_kl,
    binary_kl_inverse,
    confusion_generalisation_bound,
    gibbs_confusion_bound,
    gibbs_risk_bound,
    majority_vote_bound,
    risk_bound,
    risk_from_confusion,
    training_loss_bound,
    vote_divergence,
)

__all__ = [
    "binary_kl",
    "binary_kl_inverse",
    "compression_bound",
    "compression_sample_size",
    "confusion_generalisation_bound",
    "gibbs_confusion_bound",
    "gibbs_risk_bound",
    "is_shattered",
    "linear_vc_dimension",
    "majority_vote_bound",
    "perceptron_mistake_bound",
    "risk_bound",
    "risk_from_confusion",
    "training_loss_bound",
    "ultraconservative_mistake_bound",
    "uma_sample_size",
    "vc_sample_size",
    "vote_divergence",
]
