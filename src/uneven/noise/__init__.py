"""Labels that are wrong in a known pattern: noise matrices, and learning in spite of them.

References
----------
U. Louche (2016), *From confusion noise to active learning: playing on label availability in linear
classification problems*, PhD thesis, Aix-Marseille Université: "the source" of these files.
"""

from uneven.noise.annotators import AnnotatorModel, dawid_skene
from uneven.noise.backward import backward_weights
from uneven.noise.diagnostics import (
    Estimate,
    corrected_confusion,
    corrected_error,
    estimated_joint,
)
from uneven.noise.em import confident_joint, label_posteriors, refine_noise, undo_noise
from uneven.noise.estimation import (
    ConfusionEstimate,
    confusion_from_annotators,
    confusion_from_classifier,
    confusion_from_clean,
    estimate_confusion,
)
from uneven.noise.forward_logistic import ForwardLogisticRegression
from uneven.noise.label_issues import LabelIssues, find_label_issues
from uneven.noise.matrices import NoiseInverse, check_noise_matrix, invert_noise, reverse_matrix
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
from uneven.noise.noise_tolerant import NoiseTolerantPerceptron, sum_of_mistakes
from uneven.noise.noisy_labels_only import confusion_from_labels
from uneven.noise.projections import modified_perceptron
from uneven.noise.repair import LabelRepairPipeline
from uneven.noise.uma.classifier import UMAClassifier
from uneven.noise.uma.spaces import update_vectors
from uneven.utils.simplex import recover_priors

__all__ = [
    "AnnotatorModel",
    "ConfusionEstimate",
    "Estimate",
    "ForwardLogisticRegression",
    "LabelIssues",
    "LabelRepairPipeline",
    "NoiseInverse",
    "NoiseTolerantPerceptron",
    "UMAClassifier",
    "backward_weights",
    "check_noise_matrix",
    "confident_joint",
    "confusion_from_annotators",
    "confusion_from_classifier",
    "confusion_from_clean",
    "confusion_from_labels",
    "corrected_confusion",
    "corrected_error",
    "corrupt_labels",
    "corrupt_monotone",
    "cyclic_noise",
    "dawid_skene",
    "estimate_confusion",
    "estimated_joint",
    "find_label_issues",
    "invert_noise",
    "label_posteriors",
    "modified_perceptron",
    "monotone_flip_probability",
    "noise_family",
    "pairwise_noise",
    "random_noise",
    "recover_priors",
    "refine_noise",
    "reverse_matrix",
    "sum_of_mistakes",
    "undo_noise",
    "uniform_noise",
    "update_vectors",
]
