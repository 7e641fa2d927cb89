"""Louche (2016): learning from confused labels, and asking for the labels that matter."""

import re

from uneven_published.description import Exhibit
from uneven_published.louche import (
    active_billiard,
    active_compression,
    active_geometry,
    active_queries,
    illustrations,
    noise_real,
    noise_toy,
)

__all__ = ["ACTIVE", "EXHIBITS", "NOISE"]


def _number(exhibit: Exhibit) -> tuple[int, ...]:
    """Chapter and number of a figure."""
    return tuple(int(digits) for digits in re.findall(r"\d+", exhibit.place))


NOISE: tuple[Exhibit, ...] = (*illustrations.EXHIBITS, *noise_toy.EXHIBITS, *noise_real.EXHIBITS)
_CHAPTERS_5_TO_7 = (
    *active_geometry.EXHIBITS,
    *active_billiard.EXHIBITS,
    *active_compression.EXHIBITS,
    *active_queries.EXHIBITS,
)
ACTIVE: tuple[Exhibit, ...] = tuple(sorted(_CHAPTERS_5_TO_7, key=_number))
EXHIBITS: tuple[Exhibit, ...] = NOISE + ACTIVE
"""Chapters 1 to 4 on noise, then chapters 5 to 7 on version spaces and active learning."""
