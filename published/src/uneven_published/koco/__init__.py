"""S. Koço's thesis: uneven views, imbalanced classes, and both."""

from uneven_published.description import Exhibit
from uneven_published.koco import (
    animals,
    call_tables,
    noisy_view_exhibits,
    rare_classes,
    ten_points,
    ten_views,
)

__all__ = ["EXHIBITS"]

EXHIBITS: tuple[Exhibit, ...] = (
    *ten_points.EXHIBITS,
    *ten_views.EXHIBITS,
    *noisy_view_exhibits.EXHIBITS,
    *call_tables.CHAPTER_2,
    *rare_classes.EXHIBITS,
    *call_tables.CHAPTER_3,
    *animals.EXHIBITS,
    *call_tables.CHAPTER_4,
)
