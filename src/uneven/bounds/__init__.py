"""Calculators for what theory promises about votes, linear classifiers and cuts of convex bodies.

Every function turns numbers into a number (or an array): the measures themselves come from
`uneven.metrics`. ``+inf`` means that the theorem says nothing for this sample; an argument that
is wrong in itself raises an error.
"""

from uneven.bounds.bodies import (
    approximate_centre_lambda,
    approximate_centre_scale,
    approximate_centre_share,
    ball_volume,
    cap_share,
    cone_centre_height,
    cone_top_share,
    cone_volume,
    cutting_plane_steps,
    grunbaum_share,
    half_ball_centre,
    log_ball_volume,
    sphere_area,
)
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
from uneven.bounds.multiview import c_bound, disagreement_bound, two_level_divergence
from uneven.bounds.votes import (
    binary_kl,
    binary_kl_inverse,
    confusion_generalisation_bound,
    gibbs_confusion_bound,
    gibbs_risk_bound,
    majority_vote_bound,
    margin_error_bound,
    risk_bound,
    risk_from_confusion,
    training_loss_bound,
    vote_divergence,
)

__all__ = [
    "approximate_centre_lambda",
    "approximate_centre_scale",
    "approximate_centre_share",
    "ball_volume",
    "binary_kl",
    "binary_kl_inverse",
    "c_bound",
    "cap_share",
    "compression_bound",
    "compression_sample_size",
    "cone_centre_height",
    "cone_top_share",
    "cone_volume",
    "confusion_generalisation_bound",
    "cutting_plane_steps",
    "disagreement_bound",
    "gibbs_confusion_bound",
    "gibbs_risk_bound",
    "grunbaum_share",
    "half_ball_centre",
    "is_shattered",
    "linear_vc_dimension",
    "log_ball_volume",
    "majority_vote_bound",
    "margin_error_bound",
    "perceptron_mistake_bound",
    "risk_bound",
    "risk_from_confusion",
    "sphere_area",
    "training_loss_bound",
    "two_level_divergence",
    "ultraconservative_mistake_bound",
    "uma_sample_size",
    "vc_sample_size",
    "vote_divergence",
]
