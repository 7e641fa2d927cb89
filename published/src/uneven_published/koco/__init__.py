"""S. Koço's thesis: uneven views, imbalanced classes, and both."""

from uneven_published.description import Exhibit
from uneven_published.koco import animals, call_tables, drawings, noisy_views, rare_classes

__all__ = ["EXHIBITS"]

EXHIBITS: tuple[Exhibit, ...] = (
    *drawings.EXHIBITS,
    *noisy_views.EXHIBITS,
    *call_tables.CHAPTER_2,
    *rare_classes.EXHIBITS,
    *call_tables.CHAPTER_3,
    *animals.EXHIBITS,
    *call_tables.CHAPTER_4,
)
