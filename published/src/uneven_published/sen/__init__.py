"""Exhibits of the thesis on max-margin stacking."""

from uneven_published.description import Exhibit
from uneven_published.sen.chapter_4 import CHAPTER_4
from uneven_published.sen.chapter_5 import CHAPTER_5
from uneven_published.sen.chapter_6 import CHAPTER_6

__all__ = ["EXHIBITS"]

EXHIBITS: tuple[Exhibit, ...] = (*CHAPTER_4, *CHAPTER_5, *CHAPTER_6)
