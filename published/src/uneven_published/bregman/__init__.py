"""Exhibits of the Bregman paper; its section on complexity and its Figure 1 have no experiment."""

from uneven_published.bregman.figure_2 import FIGURE_2, FOOTNOTE_3, SECTION_4_2
from uneven_published.bregman.table_1 import TABLE_1
from uneven_published.description import Exhibit

__all__ = ["EXHIBITS"]

EXHIBITS: tuple[Exhibit, ...] = (SECTION_4_2, TABLE_1, FOOTNOTE_3, FIGURE_2)
