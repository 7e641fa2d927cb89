"""S. Koço's thesis: uneven views, imbalanced classes, and both."""

from uneven.experiments.published.description import Exhibit
from uneven.experiments.published.koco import rare_classes

__all__ = ["EXHIBITS"]

EXHIBITS: tuple[Exhibit, ...] = (*rare_classes.EXHIBITS,)
