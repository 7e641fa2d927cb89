"""Linear classifiers that learn from their mistakes."""

from uneven.linear.rows import (
    add_constant,
    margins,
    normal_form,
    normalize_rows,
    row_norms,
    scale_rows,
)

__all__ = [
    "add_constant",
    "margins",
    "normal_form",
    "normalize_rows",
    "row_norms",
    "scale_rows",
]
