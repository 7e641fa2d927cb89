"""Labels that are wrong in a known pattern: noise matrices, and learning in spite of them."""

from uneven.noise.matrices import (
    NoiseInverse,
    check_noise_matrix,
    invert_noise,
    recover_priors,
    reverse_matrix,
)
from uneven.noise.models import (
    corrupt_labels,
    corrupt_monotone,
    cyclic_noise,
    monotone_flip_probability,
    noise_family,
    pairwise_noise,
    random_noise,
    uniform_noise,
)

__all__ = [
    "NoiseInverse",
    "check_noise_matrix",
    "corrupt_labels",
    "corrupt_monotone",
    "cyclic_noise",
    "invert_noise",
    "monotone_flip_probability",
    "noise_family",
    "pairwise_noise",
    "random_noise",
    "recover_priors",
    "reverse_matrix",
    "uniform_noise",
]
