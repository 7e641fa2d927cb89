"""Chapters 1 to 4: linear classifiers, noise, and the algorithm that undoes it."""

from __future__ import annotations

from uneven_published.description import Exhibit
from uneven_published.louche import illustrations, noise_real, noise_toy

__all__ = ["EXHIBITS"]

EXHIBITS: tuple[Exhibit, ...] = (
    *illustrations.EXHIBITS,
    *noise_toy.EXHIBITS,
    *noise_real.EXHIBITS,
)
