"""Chapters 1 to 4: linear classifiers, noise, and the algorithm that undoes it."""

from uneven.experiments.published.description import Exhibit

__all__ = ["EXHIBITS"]

EXHIBITS: tuple[Exhibit, ...] = ()
