"""Linear classifiers that learn from their mistakes."""

from uneven.linear.rows import (
    add_constant,
    margins,
    normal_form,
    normalize_rows,
    row_norms,
    scale_rows,
)
from uneven.linear.steps import ERROR_STEPS, check_step, error_set
from uneven.linear.ultraconservative import UltraconservativeClassifier

__all__ = [
    "ERROR_STEPS",
    "UltraconservativeClassifier",
    "add_constant",
    "check_step",
    "error_set",
    "margins",
    "normal_form",
    "normalize_rows",
    "row_norms",
    "scale_rows",
]
