"""Chapters 5 to 7: version spaces and active learning."""

from uneven.experiments.published.description import Exhibit
from uneven.experiments.published.louche import active_compression, active_queries

__all__ = ["EXHIBITS"]

EXHIBITS: tuple[Exhibit, ...] = active_compression.EXHIBITS + active_queries.EXHIBITS
