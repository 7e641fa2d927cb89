"""The data sets of the table: small ones with rare classes, and long tails cut from even ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from uneven.datasets import make_long_tailed
from uneven_published.description import Context, Item

__all__ = ["ITEMS", "RATIO", "SMALL", "TABLES", "LongTail"]

RATIO = 20.0


@dataclass(frozen=True)
class LongTail:
    """A set whose classes are cut to sizes that fall geometrically.

    Attributes
    ----------
    name : str
        Of the whole set.
    largest : int or None
        Rows of the largest class that remains; all of them if None.
    """

    name: str
    largest: int | None = None

    def __call__(self, context: Context) -> Any:
        """Fetch and cut it, always in the same way."""
        whole = context.fetch(self.name)
        X, y = make_long_tailed(
            whole.data, np.asarray(whole.target), ratio=RATIO, largest=self.largest, random_state=0
        )
        return Bunch(data=X, target=y)


UNEVEN: Mapping[str, str] = {
    "Ecoli": "ecoli",
    "Glass": "glass",
    "Yeast": "yeast",
    "New-Thyroid": "new_thyroid",
    "Balance": "balance",
    "Car": "car",
    "Page-Blocks": "page_blocks",
    "Satimage": "satimage",
    "Thyroid-ann": "thyroid_ann",
}
CUT: Mapping[str, LongTail] = {
    "Segment, long tail": LongTail("segment"),
    "Pendigits, long tail": LongTail("pendigits", 1000),
    "Letter, long tail": LongTail("letter", 400),
    "Steel, long tail": LongTail("steel"),
}
TABLES: Mapping[str, str | Callable[[Context], Any]] = {**UNEVEN, **CUT}
"""Source of every row."""

ITEMS = (
    *(Item(row, (name,)) for row, name in UNEVEN.items()),
    *(Item(row, (tail.name,)) for row, tail in CUT.items()),
)
SMALL = ("Ecoli", "Glass", "Yeast", "New-Thyroid", "Balance", "Car", "Segment, long tail")
"""Rows of a fast run."""
