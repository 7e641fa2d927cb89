"""What the tables of calls measure, as spoken and as recognised."""

from __future__ import annotations

from typing import Literal

from uneven_published.description import Measure
from uneven_published.koco.calls import TEST_COUNTS, VIEW_ROWS

__all__ = ["BY_CLASS", "CONDITIONS", "ERROR", "RARE", "choices"]

CONDITIONS = {"gold": "as spoken", "asr": "as recognised"}


def _both(
    key: str, title: str, better: Literal["lower", "higher"], digits: int = 3
) -> tuple[Measure, ...]:
    return tuple(
        Measure(f"{condition}.{key}", f"{title}, {words}", better, digits)
        for condition, words in CONDITIONS.items()
    )


ERROR = _both("error", "error %", "lower", 1)
RARE = (
    *_both("mauc", "MAUC", "higher"),
    *_both("gmean", "G-mean", "higher"),
    *_both("norm", "norm of the confusion matrix", "lower"),
)
BY_CLASS = tuple(m for name in TEST_COUNTS for m in _both(name, f"error % of {name}", "lower", 1))


def choices(key: str, title: str) -> tuple[Measure, ...]:
    """A measure per view."""
    return tuple(
        Measure(f"{key}.{view}", f"{title} {row}", None, 0 if key == "rounds" else 1)
        for row, view in VIEW_ROWS.items()
    )
