"""Louche (2016): learning from confused labels, and asking for the labels that matter."""

from uneven_published.description import Exhibit
from uneven_published.louche import active, noise

__all__ = ["EXHIBITS"]

EXHIBITS: tuple[Exhibit, ...] = noise.EXHIBITS + active.EXHIBITS
