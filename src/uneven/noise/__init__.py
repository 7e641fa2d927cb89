"""Labels that are wrong in a known pattern: noise matrices, and learning in spite of them."""

from uneven.noise.matrices import (
    NoiseInverse,
    check_noise_matrix,
    invert_noise,
    recover_priors,
    reverse_matrix,
)

__all__ = [
    "NoiseInverse",
    "check_noise_matrix",
    "invert_noise",
    "recover_priors",
    "reverse_matrix",
]
