"""S. Koço's thesis: uneven views, imbalanced classes, and both."""

from uneven.experiments.published.description import Exhibit
from uneven.experiments.published.koco import call_tables, rare_classes

__all__ = ["EXHIBITS"]

EXHIBITS: tuple[Exhibit, ...] = (
    *call_tables.CHAPTER_2,
    *rare_classes.EXHIBITS,
    *call_tables.CHAPTER_3,
    *call_tables.CHAPTER_4,
)
