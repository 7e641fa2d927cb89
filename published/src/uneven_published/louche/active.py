"""Chapters 5 to 7: version spaces and active learning."""

import re

from uneven_published.description import Exhibit
from uneven_published.louche import (
    active_billiard,
    active_compression,
    active_geometry,
    active_queries,
    active_sketches,
)

__all__ = ["EXHIBITS"]


def _number(exhibit: Exhibit) -> tuple[int, ...]:
    """Chapter and number of a figure."""
    return tuple(int(digits) for digits in re.findall(r"\d+", exhibit.place))


EXHIBITS: tuple[Exhibit, ...] = tuple(
    sorted(
        active_geometry.EXHIBITS
        + active_billiard.EXHIBITS
        + active_sketches.EXHIBITS
        + active_compression.EXHIBITS
        + active_queries.EXHIBITS,
        key=_number,
    )
)
