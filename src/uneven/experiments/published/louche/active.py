"""Chapters 5 to 7: version spaces and active learning."""

from uneven.experiments.published.description import Exhibit

__all__ = ["EXHIBITS"]

EXHIBITS: tuple[Exhibit, ...] = ()
