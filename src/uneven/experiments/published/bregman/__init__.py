"""Exhibits of this document."""

from uneven.experiments.published.description import Exhibit

__all__ = ["EXHIBITS"]

EXHIBITS: tuple[Exhibit, ...] = ()
