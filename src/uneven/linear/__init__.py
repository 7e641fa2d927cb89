"""Linear classifiers that learn from their mistakes.

References
----------
U. Louche (2016), *From confusion noise to active learning: playing on label availability in linear
classification problems*, PhD thesis, Aix-Marseille Université: "the source" of these files.
"""

from uneven.linear.expansions import KernelExpansion, gram, is_psd
from uneven.linear.hard_margin import HardMargin, NotSeparableError, hard_margin
from uneven.linear.kernel_perceptron import KernelPerceptronClassifier
from uneven.linear.perceptron import PerceptronClassifier, PerceptronRun, run_perceptron
from uneven.linear.rows import (
    add_constant,
    margins,
    normal_form,
    normalize_rows,
    row_norms,
    scale_rows,
)
from uneven.linear.self_labelling import SelfLabellingSVM
from uneven.linear.steps import ERROR_STEPS, check_step, error_set
from uneven.linear.ultraconservative import UltraconservativeClassifier

__all__ = [
    "ERROR_STEPS",
    "HardMargin",
    "KernelExpansion",
    "KernelPerceptronClassifier",
    "NotSeparableError",
    "PerceptronClassifier",
    "PerceptronRun",
    "SelfLabellingSVM",
    "UltraconservativeClassifier",
    "add_constant",
    "check_step",
    "error_set",
    "gram",
    "hard_margin",
    "is_psd",
    "margins",
    "normal_form",
    "normalize_rows",
    "row_norms",
    "run_perceptron",
    "scale_rows",
]
