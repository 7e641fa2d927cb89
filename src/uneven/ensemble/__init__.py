"""An ensemble of diverse members for uneven classes: pooled probabilities, then a decision."""

from uneven.ensemble.explanation import EnsembleExplanation
from uneven.ensemble.noise_aware import NoiseAwareClassifier
from uneven.ensemble.pooling import PooledMember
from uneven.ensemble.uneven_classifier import UnevenClassifier

__all__ = ["EnsembleExplanation", "NoiseAwareClassifier", "PooledMember", "UnevenClassifier"]
